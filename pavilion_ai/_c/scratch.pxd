# What a search is told (SearchConfig), a simulation on its way (Walk), and the memory in which a
# thread works (Scratch).

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from pavilion_ai._c.net cimport MAX_ACTIVE, NET_MAX_HIDDEN2, Net
from pavilion_ai._c.rules cimport MAX_MOVES, MAX_POLICY, MAX_SEATS
from pavilion_ai._c.sight cimport Sights
from pavilion_ai._c.tree cimport MAX_DEPTH, Result, Stats

cdef enum:
    NOTHING = 0             # a walk needs nothing: it is over, or has not begun
    CHILDREN = 1            # it needs the moves of its position
    VALUE = 2               # it needs its result
    UNCERTAIN = 0           # the next visit of a leaf may give another result
    UNTIL_DEALT = 1         # it gives the same one until deals come below the leaf
    CERTAIN = 2             # it always gives the same one
    SELECT_PUCT = 0
    SELECT_UCB = 1
    SELECT_EVEN = 2         # flat Monte Carlo: all moves equally often
    DELTAS = 256            # nodes of which a thread may keep results for itself

ctypedef struct SearchConfig:
    double exploration      # c of PUCT, or of UCB1
    double growth           # what c rises by, as a share, for each doubling of many visits
    double spread           # share of c that follows the spread of the values met at a node
    double fpu_reduction    # an unvisited move counts as the node's mean less this much utility
    double root_reduction   # the same at the root
    double temperature      # of the priors: above 1 flattens them
    double mixed            # share of the priors that is uniform over the moves listed
    double win_weight       # share of winning in the utility, the rest is the squashed lead
    double width            # points: the lead is squashed by tanh(lead / width)
    int expand_visits       # visits of a leaf before its children are added
    int selection           # SELECT_PUCT, SELECT_UCB or SELECT_EVEN
    int uniform             # 1: uniform rollouts to the end of the game, all moves, no priors
    int max_depth           # decisions below the root that the tree may hold
    int stats_depth         # decisions below the root for which Stats are kept
    int finish              # most positions of the endgame solver at a leaf; 0: not used
    # Progressive widening of the chance nodes between two rounds: visits before the first deal.
    int deal_visits
    int deal_spread         # such a node has 1 + sqrt(further visits / this) deals
    bint[MAX_SEATS] linear  # by seat: expected to evaluate by the linear heuristics
    bint plain              # such a seat is expected to play by the linear policy as well
    int share               # 1: transpositions (several orders of moves) share their children
    int even                # 1: the root follows its least visited move, whatever it is worth
    int guided              # 1: leaves are evaluated and expanded from outside (guided.pxd)
    const Net* net          # values and priors; NULL: the linear heuristics

ctypedef struct Walk:
    # A simulation on its way down the tree; its position is kept beside.
    int depth
    int need                # what it waits for: NOTHING, CHILDREN or VALUE
    bint drawn              # tiles were drawn on the way
    bint shared             # positions of several orders of moves share their children
    int certain             # whether the next visit of the leaf would give the same result
    uint64_t key            # of the position, if it is known and may share its children; else 0
    uint32_t[MAX_DEPTH] path
    uint8_t[MAX_DEPTH] chooser      # seat that chose the action leading to path[i]
    uint8_t[MAX_DEPTH] counted      # 1: count_ahead() has counted the visit of path[i]

ctypedef struct Found:
    # What was found out about a position.
    Result result
    int count               # of the moves to look at
    uint32_t[MAX_MOVES] moves       # the likeliest first
    float[MAX_MOVES] priors

ctypedef struct Delta:
    # What a thread has to add to a node that was visited often (team.pxd).
    uint32_t node
    uint32_t results
    uint32_t visits         # of them that were not counted ahead
    double value
    double squares

ctypedef struct Scratch:
    # Of one thread.
    int mover                       # seat for which is searched
    int deal_visits                 # as the config's; 0 if none are tried in this search
    Walk walk
    Found found
    # Where several threads search, else NULL: Stats of the root and its moves that this one has
    # found, and what it has to add to nodes.
    Stats* own
    Delta* deltas
    int[MAX_MOVES] logits
    Sights sights
    uint16_t[MAX_ACTIVE] inputs
    int16_t[NET_MAX_HIDDEN2] hidden
    int16_t[MAX_POLICY] table       # the network's policy weights for a position

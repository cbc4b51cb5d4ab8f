# The search loop, for every game (rules.pxd).
#
# A simulation copies the root state, samples its hidden parts, walks down the tree playing the
# selected actions, draws tiles where the rules draw them, expands a node when it is met again,
# evaluates the leaf, and adds the result to every node of its path. Without a network, and where a
# seat plays plainly, a rollout to the horizon, the end of the round, comes before the evaluation.
# Draws within a round have no chance nodes: the statistics of an action are averages over them.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from pavilion_ai._c.bag cimport SPLIT_KNOWN
from pavilion_ai._c.compaction cimport PRUNE_SECONDS, is_nearly_full, tree_prune
from pavilion_ai._c.finish cimport Finish
from pavilion_ai._c.net cimport MAX_ACTIVE, NET_MAX_HIDDEN2, Net, net_values
from pavilion_ai._c.rng cimport Xoshiro, rng_seed, splitmix_mix
from pavilion_ai._c.rules cimport (
    MAX_MOVES, MAX_POLICY, MAX_SEATS, GameState, game_apply, game_at_horizon, game_available,
    game_bag_key, game_bytes, game_determinise, game_determinise_anew, game_draw, game_draws_matter,
    game_evaluate, game_finish, game_is_chance, game_is_over, game_moves, game_net_table,
    game_policy_move, game_random_game, game_search_moves, game_viewer,
)
from pavilion_ai._c.sight cimport Sights, position_key, see
from pavilion_ai._c.system cimport monotonic_seconds
from pavilion_ai._c.together cimport count_add, count_read, flag_is_up, sum_add, sum_read
from pavilion_ai._c.tree cimport (
    Link, MAX_DEPTH, NOT_LIVE, Node, Result, Stats, Tree, copy_node, fetch_children, find_children,
    give_tree, keep_result, kept_result, least_visited, link_of, node_stats, note_children,
    place_children, set_link, set_priors, take_tree, tree_room, use_nodes,
)
from pavilion_ai._c.utility cimport (
    doublings, exp_portable, logistic, mean_and_bonus, seat_utility, square_root, squashed_lead,
    win_shares,
)

cdef extern from *:
    """
    #define SPREAD_UNIT 0.1     /* spread of utilities at which c is what it says */
    #define SPREAD_LEAST 0.5    /* in this unit; with less c falls no further */
    #define SPREAD_MOST 2.0     /* in this unit; with more c rises no further */
    #define NET_UNIT 2.384185791015625e-07  /* 2^-22: one, in the network's outputs */
    #define PAUSE_ALLOWED 0.010     /* seconds of a pause for which no time is reserved */
    """
    const double SPREAD_UNIT
    const double SPREAD_LEAST
    const double SPREAD_MOST
    const double NET_UNIT
    const double PAUSE_ALLOWED

cdef enum:
    GAIN_POINTS = 32        # points to a unit of the network's outputs
    LEAD_POINTS = 30        # width to which the network squashes leads
    DEAL_SLOTS = 8          # deals for which a node has room at first
    MOST_DEALS = 16384      # below a node
    NOTHING = 0             # a walk needs nothing: it is over, or has not begun
    CHILDREN = 1            # it needs the moves of its position
    VALUE = 2               # it needs its result
    RUNS = 0                # a search goes on
    PAUSES = 1              # this call of it ends
    ENDS = 2                # it is out of time
    UNCERTAIN = 0           # the next visit of a leaf may give another result
    UNTIL_DEALT = 1         # it gives the same one until deals come below the leaf
    CERTAIN = 2             # it always gives the same one
    SELECT_PUCT = 0
    SELECT_UCB = 1
    SELECT_EVEN = 2         # flat Monte Carlo: all moves equally often
    MANY_VISITS = 256       # of a node: one more keeps no walk from it
    OFTEN_SHARE = 64        # part of these visits that a thread may keep for itself
    DELTAS = 256            # nodes for which it can
    GROWTH_VISITS = 1024    # where c begins to rise
    SPREAD_VISITS = 4       # visits for which the expectation SPREAD_UNIT counts
    CLOCK_EVERY = 16        # simulations between two readings of the clock
    REUSE_DEPTH = 12        # decisions below the old root within which the new one is looked for
    SHARED_DEPTH = 2        # the same where positions share their children

ctypedef struct SearchConfig:
    double exploration      # c of PUCT, or of UCB1
    double growth           # what c rises by, as a share, for each doubling of many visits
    double spread           # share of c that follows the spread of the values met at a node
    double fpu_reduction    # an unvisited move counts as the node's mean less this much utility
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

# When a search ends, in readings of the monotonic clock; 0: never. On a busy machine the system
# pauses it for longer than a simulation takes, and a pause that begins before the deadline ends
# after it. So a search that has been paused for long ends earlier.
ctypedef struct Clock:
    double deadline
    double most             # seconds before the deadline at which it ends at the earliest
    double expected         # longest pause that earlier searches expect, in seconds
    double pause            # longest time between two readings so far, in seconds

ctypedef struct Walk:
    # A simulation on its way down the tree; its position is kept beside.
    int depth
    int need                # what it waits for: NOTHING, CHILDREN or VALUE
    bint drawn              # tiles were drawn on the way
    bint known              # the bag is the same on every visit of the node
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


cdef inline int list_with_network(const GameState* st, const Net* net, bint drawn, uint64_t key,
                                  Scratch* scratch) noexcept nogil:
    """List moves with logits; key: see see()."""
    see(st, net, &scratch.sights, key, scratch.inputs, scratch.hidden)
    game_net_table(st, net, scratch.hidden, scratch.table)
    return game_search_moves(st, drawn, scratch.table, scratch.found.moves, scratch.logits)


cdef inline uint32_t likeliest_move(const GameState* st, const Net* net,
                                    Scratch* scratch) noexcept nogil:
    """The network's most likely move, of those considered in the tree."""
    cdef int i, best = 0
    for i in range(list_with_network(st, net, False, 0, scratch)):
        if scratch.logits[i] > scratch.logits[best]:
            best = i
    return scratch.found.moves[best]


cdef inline bint plays_plainly(const SearchConfig* config, const Scratch* scratch,
                               int seat) noexcept nogil:
    """Whether a seat is assumed to play by the linear heuristics within rounds as well."""
    return config.plain and config.linear[seat] and seat != scratch.mover


cdef inline int list_for_tree(const GameState* st, const SearchConfig* config, bint drawn,
                              uint64_t key, Scratch* scratch) noexcept nogil:
    cdef int i, n
    if config.net != NULL and not plays_plainly(config, scratch, st.mover):
        return list_with_network(st, config.net, drawn, key, scratch)
    if not config.uniform or (drawn and game_draws_matter(st)):
        n = game_search_moves(st, drawn, NULL, scratch.found.moves, scratch.logits)
    else:
        n = game_moves(st, True, scratch.found.moves)
    if config.uniform:
        for i in range(n):
            scratch.logits[i] = 0
    return n


cdef inline bint is_among(uint32_t action, const uint32_t* actions, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if actions[i] == action:
            return True
    return False


cdef inline int list_root(const GameState* root, const SearchConfig* config,
                          Scratch* scratch) noexcept nogil:
    """List the moves of the root that the search looks at, with logits, in `scratch`."""
    scratch.mover = root.mover
    return list_for_tree(root, config, False, position_key(root), scratch)


cdef inline void restrict_root(const GameState* root, Tree* tree, const SearchConfig* config,
                               Scratch* scratch, const uint32_t* wanted, int count) noexcept nogil:
    """Give a root without children only these; `tree_room` has been checked.

    A move that is not in the search's own list gets the lowest logit of the list.
    """
    cdef int listed, i, k, kept = 0, lowest
    listed = list_root(root, config, scratch)
    lowest = scratch.logits[0]
    for k in range(listed):
        lowest = min(lowest, scratch.logits[k])
        if is_among(scratch.found.moves[k], wanted, count):
            scratch.found.moves[kept] = scratch.found.moves[k]
            scratch.logits[kept] = scratch.logits[k]
            kept += 1
    listed = kept
    for i in range(count):
        if not is_among(wanted[i], scratch.found.moves, listed):
            scratch.found.moves[kept] = wanted[i]
            scratch.logits[kept] = lowest
            kept += 1
    set_priors(scratch.found.moves, scratch.logits, count, config.temperature, config.mixed,
               scratch.found.priors)
    place_children(tree, &tree.nodes[0], scratch.found.moves, scratch.found.priors, count)


cdef inline double log_portable(double x) noexcept nogil:
    """Natural logarithm of x >= 1 by Newton's method on exp_portable; used once per UCB node."""
    cdef double y = 0
    cdef int _i
    while x > 2.718281828459045:
        x *= 0.36787944117144233
        y += 1
    cdef double z = x - 1
    for _i in range(5):
        z += x * exp_portable(-z) - 1
    return y + z


cdef inline double spread_factor(double squares, double value, double visits) noexcept nogil:
    """Standard deviation of the utilities below a node's moves, in SPREAD_UNIT, bounded.

    squares, value: sums over the visits of the squared utilities and of the utilities. With few
    visits the result stays close to the expectation.
    """
    squares += SPREAD_VISITS * SPREAD_UNIT * SPREAD_UNIT
    if visits > 0:
        squares -= value * value / visits
    squares /= visits + SPREAD_VISITS
    if squares <= SPREAD_LEAST * SPREAD_LEAST * SPREAD_UNIT * SPREAD_UNIT:
        return SPREAD_LEAST
    return min(SPREAD_MOST, square_root(squares) / SPREAD_UNIT)


cdef inline uint32_t select_child(const Tree* tree, const Node* node, const GameState* st,
                                  const SearchConfig* config, bint drawn) noexcept nogil:
    """Index of the child to follow: the highest bound among those available here."""
    cdef Link link = link_of(node)
    cdef const Node* child = &tree.nodes[link.first]
    cdef bint filtered = drawn and game_draws_matter(st)
    cdef uint32_t visits
    cdef int i, best = -1
    cdef double total_value = 0, total_squares = 0, total_visits = 0
    cdef double bound, best_bound = -1e300, root, unvisited
    # Children are sorted by prior, and among unvisited ones the most likely has the highest bound:
    # visited ones come first, except those that other draws made unavailable.
    for i in range(link.children):
        visits = count_read(&child[i].visits)
        if visits == 0 and not filtered:
            break
        total_value += sum_read(&child[i].value)
        total_squares += sum_read(&child[i].squares)
        total_visits += visits
    unvisited = (total_value / total_visits if total_visits else 0.5) - config.fpu_reduction
    if config.selection == SELECT_PUCT:
        root = config.exploration * square_root(total_visits + 1)
        if config.growth:
            root *= 1 + config.growth * doublings(1 + total_visits * (1.0 / GROWTH_VISITS))
        if config.spread:
            root *= 1 - config.spread + config.spread * spread_factor(
                total_squares, total_value, total_visits)
    else:
        root = log_portable(total_visits + 1)
    for i in range(link.children):
        if filtered and not game_available(st, child[i].action):
            continue
        visits = count_read(&child[i].visits)
        if config.selection == SELECT_PUCT:
            if visits:
                bound = mean_and_bonus(sum_read(&child[i].value), visits, root * child[i].prior)
            else:
                bound = unvisited + root * child[i].prior
        elif config.selection == SELECT_UCB:
            bound = 1e9 if visits == 0 else (
                sum_read(&child[i].value) / visits
                + config.exploration * square_root(root / visits))
        else:
            bound = -<double> visits
        best = i if bound > best_bound else best
        best_bound = bound if bound > best_bound else best_bound
        if visits == 0 and not filtered:
            break
    return link.first + <uint32_t> best


cdef inline void play_out(GameState* st, const SearchConfig* config, Xoshiro* rng) noexcept nogil:
    """Rollout: play on to the horizon with the policy, or uniformly to the end of the game."""
    if config.uniform:
        game_random_game(st, rng)
        return
    while not game_at_horizon(st):
        if game_is_chance(st):
            game_draw(st, rng)
        else:
            game_apply(st, game_policy_move(st, rng, False))


cdef inline int deals_from(const GameState* root, const SearchConfig* config) noexcept nogil:
    """Visits of a node between two rounds before deals are tried below it; 0: never.

    A seat that judges linearly wants what that says of the end of the round, so none are tried.
    """
    cdef int s
    for s in range(root.players):
        if config.linear[s] and s != root.mover and config.net != NULL:
            return 0
    return config.deal_visits


cdef inline bint count_ahead(const Tree* tree, Node* node, bint crowded) noexcept nogil:
    """Where several threads search, let a node count as visited while a walk is below it, for then
    with the worst result (virtual loss), so that the others go elsewhere. After many visits one
    more would not keep them from it: those are counted with the result. Whether it was counted.

    crowded: do so after many visits too, where visits are to be equal.
    """
    if tree.together and (crowded or count_read(&node.visits) < MANY_VISITS):
        count_add(&node.visits, 1)
        return True
    return False


cdef inline uint32_t visits_before(const Tree* tree, const Node* node) noexcept nogil:
    """Visits of a node without that of the walk that is there."""
    return count_read(&node.visits) - (1 if tree.together else 0)


cdef inline int open_deals(const Tree* tree, const Node* node, const SearchConfig* config,
                           const Scratch* scratch) noexcept nogil:
    """How many deals a node between two rounds may have by its visits; 0: evaluate the node."""
    cdef int beyond = <int> visits_before(tree, node) - scratch.deal_visits
    if scratch.deal_visits == 0 or beyond < 0:
        return 0
    return 1 + <int> square_root(beyond / <double> config.deal_spread)


cdef inline void redirect(Walk* walks, int count, uint32_t first, int children,
                          uint32_t moved) noexcept nogil:
    """Let walks that pass through some nodes, which lie side by side, pass through their copies."""
    cdef Walk* walk
    cdef int i, d
    for i in range(count):
        walk = &walks[i]
        for d in range(walk.depth + 1 if walk.need else 0):
            if first <= walk.path[d] < first + <uint32_t> children:
                walk.path[d] += moved - first


cdef inline bint make_room_for_deals(Tree* tree, Node* node, int deals, Walk* walks,
                                     int walking) noexcept nogil:
    """Let a node have at least so many children, unvisited ones last; False without memory.

    walks: all that are on their way, `walking` of them.
    """
    cdef int i, room = max(node.children, DEAL_SLOTS)
    cdef Node* child
    if deals <= node.children:
        return True
    while room < deals:
        room *= 2
    if room > MOST_DEALS or not tree_room(tree, room):
        return False
    child = &tree.nodes[tree.nodes_used]
    for i in range(node.children):
        copy_node(&tree.nodes[node.first + <uint32_t> i], &child[i])
    memset(&child[node.children], 0, (room - node.children) * sizeof(Node))
    redirect(walks, walking, node.first, node.children, tree.nodes_used)
    set_link(node, tree.nodes_used, room)
    use_nodes(tree, room)
    return True


cdef inline uint32_t next_deal(Tree* tree, Node* node, const SearchConfig* config,
                               const Scratch* scratch, uint64_t key, Walk* walks,
                               int walking, int* number) noexcept nogil:
    """Index of the deal to follow below a chance node between two rounds, and its number there; 0:
    evaluate the node.

    Progressive widening: the number of deals grows with the square root of the visits.

    key: of the tiles from which the deal is drawn; simulations that arrive with others, because
    tiles were drawn on their way, have their own deals. A node keeps 48 bits of it.
    walks: see make_room_for_deals().
    """
    cdef uint32_t low = <uint32_t> key
    cdef uint16_t high = <uint16_t> (key >> 48)
    cdef Node* child
    cdef uint32_t found = 0
    cdef int i, deals = open_deals(tree, node, config, scratch)
    if deals == 0:
        return 0
    take_tree(tree)
    if not make_room_for_deals(tree, node, deals, walks, walking):
        deals = node.children
    for i in range(deals):
        child = &tree.nodes[node.first + <uint32_t> i]
        if count_read(&child.visits) == 0:
            child.action = low
            child.bag = high
            found = node.first + <uint32_t> i
            break
        if child.action == low and child.bag == high and (
                found == 0 or count_read(&child.visits) < count_read(&tree.nodes[found].visits)):
            found = node.first + <uint32_t> i
    if found:
        number[0] = <int> (found - node.first)
        count_ahead(tree, &tree.nodes[found], True)     # before another thread labels it anew
    give_tree(tree)
    return found


cdef inline void draw_numbered_deal(GameState* st, const GameState* root, const Tree* tree,
                                    int number, bint anew) noexcept nogil:
    """Deal the tiles of a number below a node: from equal bags the same ones on every visit.

    So moves are compared on the same deals.

    anew: the bag is of unknown contents and nothing was drawn since the root: they are sampled
    with the deal, so they are the same on every visit too.
    """
    cdef Xoshiro dealer
    rng_seed(&dealer, tree.salt ^ splitmix_mix(root.bag if anew else st.bag), number)
    if anew:
        game_determinise_anew(st, root, &dealer)
    game_draw(st, &dealer)


cdef inline void net_value(const GameState* st, const SearchConfig* config, uint64_t key,
                           Scratch* scratch, Result* result) noexcept nogil:
    cdef int32_t[3 * MAX_SEATS] out
    cdef int i, seat = game_viewer(st), players = st.players
    cdef double total = 0, best
    see(st, config.net, &scratch.sights, key, scratch.inputs, scratch.hidden)
    net_values(config.net, scratch.hidden, out)
    best = out[0]
    for i in range(1, players):
        if out[i] > best:
            best = out[i]
    for i in range(players):
        result.win[seat] = exp_portable((out[i] - best) * NET_UNIT)
        total += result.win[seat]
        result.lead[seat] = logistic(out[players + i] * (NET_UNIT * LEAD_POINTS / config.width))
        result.score[seat] = st.seats[seat].score + out[2 * players + i] * (GAIN_POINTS * NET_UNIT)
        seat = seat + 1 if seat + 1 < players else 0
    for i in range(players):
        result.win[i] /= total


cdef inline void set_utilities(const SearchConfig* config, int players,
                               Result* result) noexcept nogil:
    cdef int s
    for s in range(players):
        result.utility[s] = seat_utility(result.win[s], result.lead[s], config.win_weight)


cdef inline void settle(const double* standing, double scale, int players, double width,
                        Result* result) noexcept nogil:
    """Fill in win shares and squashed leads; result.score is already set."""
    cdef int s
    win_shares(standing, players, scale, result.win)
    for s in range(players):
        result.lead[s] = squashed_lead(result.score, players, s, width)


cdef inline void value_end(const GameState* st, double width, Result* result) noexcept nogil:
    """Evaluate the end of a round by the linear evaluation, the end of the game exactly."""
    cdef double[MAX_SEATS] standing
    cdef double scale
    game_evaluate(st, result.score, standing, &scale)
    settle(standing, scale, st.players, width, result)


cdef inline bint finish_exactly(const GameState* st, const SearchConfig* config,
                                Result* result) noexcept nogil:
    """Evaluate a position near the end of the game with the endgame solver, if that is quick."""
    cdef Finish finish
    finish.win_weight = config.win_weight
    finish.width = config.width
    finish.nodes = config.finish
    if not game_finish(st, &finish, result.score):
        return False
    settle(result.score, 0, st.players, config.width, result)
    return True


cdef inline bint any_plays_plainly(const SearchConfig* config, const Scratch* scratch,
                                   int players) noexcept nogil:
    cdef int s
    for s in range(players):
        if plays_plainly(config, scratch, s):
            return True
    return False


cdef inline void set_linear_utilities(const GameState* st, const SearchConfig* config,
                                      const Scratch* scratch, Result* result) noexcept nogil:
    """At the end of a round, give seats that evaluate linearly the utilities by that."""
    cdef Result linear
    cdef bint known = False
    cdef int s
    for s in range(st.players):
        if not config.linear[s] or s == scratch.mover:
            continue
        if not known:
            value_end(st, config.width, &linear)
            set_utilities(config, st.players, &linear)
            known = True
        result.utility[s] = linear.utility[s]


cdef inline void value_state(GameState* st, const SearchConfig* config, uint64_t key, Xoshiro* rng,
                             Scratch* scratch, Result* result) noexcept nogil:
    """Evaluate a leaf: exactly if the game is over or nearly so, else by the network or a rollout.

    Within a round a network predicts only play by its own kind; if a seat plays plainly, a rollout
    to the end of the round comes first.
    """
    cdef bint finished = config.finish and finish_exactly(st, config, result)
    cdef bint by_network
    if not finished and not game_at_horizon(st) and (
            config.net == NULL or any_plays_plainly(config, scratch, st.players)):
        play_out(st, config, rng)
        key = 0
    by_network = not finished and config.net != NULL and not game_is_over(st)
    if by_network:
        net_value(st, config, key, scratch, result)
    elif not finished:
        value_end(st, config.width, result)
    set_utilities(config, st.players, result)
    if by_network and game_at_horizon(st):
        set_linear_utilities(st, config, scratch, result)


cdef inline void add_delta(Tree* tree, Delta* delta) noexcept nogil:
    """Add what a thread has for a node, which it has no more then."""
    cdef Node* node = &tree.nodes[delta.node]
    count_add(&node.visits, delta.visits)
    sum_add(&node.value, delta.value)
    sum_add(&node.squares, delta.squares)
    memset(delta, 0, sizeof(Delta))


cdef inline void add_together(Tree* tree, uint32_t index, int visits, double utility,
                              Delta* deltas) noexcept nogil:
    """Add a result to a node of a tree in which several threads search.

    If the node was visited often, not at once, but when more has come together. So it does not go
    to and fro between the processors all the time.
    """
    cdef Node* node = &tree.nodes[index]
    cdef uint32_t often = count_read(&node.visits)
    cdef Delta* delta
    if often < MANY_VISITS:
        count_add(&node.visits, <uint32_t> visits)
        sum_add(&node.value, utility)
        sum_add(&node.squares, utility * utility)
        return
    delta = &deltas[index % DELTAS]
    if delta.node != index:
        add_delta(tree, delta)
        delta.node = index
    delta.results += 1
    delta.visits += <uint32_t> visits
    delta.value += utility
    delta.squares += utility * utility
    if delta.results >= often // OFTEN_SHARE:
        add_delta(tree, delta)


cdef inline void note_result(Stats* stats, const Result* result, int seat,
                             int players) noexcept nogil:
    cdef int s
    if stats == NULL:
        return
    for s in range(players):
        stats.win[s] += result.win[s]
        stats.lead[s] += result.lead[s]
        stats.score[s] += result.score[s]
    stats.win_squared += result.win[seat] * result.win[seat]


cdef inline void back_up(Tree* tree, const Walk* walk, int players, const Result* result,
                         const SearchConfig* config, Scratch* scratch) noexcept nogil:
    """Add a result to all nodes of a walk's path."""
    cdef Node* node
    cdef double utility
    cdef int i, seat
    for i in range(walk.depth + 1):
        node = &tree.nodes[walk.path[i]]
        seat = walk.chooser[i]
        utility = result.utility[seat]
        if tree.together:
            add_together(tree, walk.path[i], not walk.counted[i], utility, scratch.deltas)
        else:
            node.visits += 1
            node.value += utility
            node.squares += utility * utility
        if i > config.stats_depth:
            continue
        if scratch.own == NULL:
            note_result(node_stats(tree, node), result, seat, players)
        elif i < 2:
            note_result(&scratch.own[walk.path[1] - tree.nodes[0].first + 1 if i else 0], result,
                        seat, players)
        else:
            take_tree(tree)
            note_result(node_stats(tree, node), result, seat, players)
            give_tree(tree)


cdef inline void settle_leaf(Tree* tree, const Walk* walk, int players, const Result* result,
                             const SearchConfig* config, Scratch* scratch) noexcept nogil:
    """Add the result of a leaf to all nodes of its path."""
    cdef Node* leaf = &tree.nodes[walk.path[walk.depth]]
    if walk.certain:
        take_tree(tree)
        if leaf.children == 0:      # else another walk has gone on below it
            keep_result(tree, leaf, result, walk.certain == CERTAIN)
        give_tree(tree)
    back_up(tree, walk, players, result, config, scratch)


cdef inline void begin_walk(const GameState* root, const SearchConfig* config, Xoshiro* rng,
                            Walk* walk, GameState* st) noexcept nogil:
    """Place a new simulation at the root."""
    memcpy(st, root, game_bytes(root))
    game_determinise(st, rng)
    walk.depth = 0
    walk.need = NOTHING
    walk.drawn = False
    walk.known = root.hidden == SPLIT_KNOWN
    walk.shared = config.share and walk.known       # until tiles are drawn
    walk.certain = UNCERTAIN
    walk.key = 0
    walk.path[0] = 0
    walk.chooser[0] = root.mover
    walk.counted[0] = False


cdef inline int walk_on(const GameState* root, Tree* tree, const SearchConfig* config,
                        Xoshiro* rng, Scratch* scratch, Walk* walk, GameState* st,
                        Walk* walks, int walking) noexcept nogil:
    """Follow the tree down from where a walk stands; what it needs then, which is noted in it.

    NOTHING if it came to a leaf whose result is kept, and was backed up. Guided from outside a walk
    never needs CHILDREN.

    walks: see make_room_for_deals().
    """
    cdef const Result* kept
    cdef Node* node = &tree.nodes[walk.path[walk.depth]]
    cdef uint32_t index
    cdef int depth = walk.depth, number = 0
    cdef uint64_t key = walk.key
    walk.need = VALUE
    while True:
        if game_at_horizon(st):
            if game_is_over(st) or depth >= config.max_depth:
                break
            walk.depth = depth
            index = next_deal(tree, node, config, scratch, game_bag_key(st) if walk.drawn else 0,
                              walks, walking, &number)
            if index == 0:
                break
            draw_numbered_deal(st, root, tree, number, not walk.drawn and not walk.known)
            walk.known = walk.known or not walk.drawn
            node = &tree.nodes[index]
            depth += 1
            walk.path[depth] = index
            walk.chooser[depth] = walk.chooser[depth - 1]
            walk.counted[depth] = tree.together
            walk.shared = config.share and not walk.drawn   # nothing else was left to chance
            continue
        if game_is_chance(st):
            game_draw(st, rng)
            walk.drawn = True
            walk.shared = False
            continue
        if link_of(node).children == 0:
            if depth >= config.max_depth:
                break
            if walk.shared:
                key = position_key(st)
            if not (walk.shared and finds_children(tree, node, key)):
                if config.guided or (
                        <int> visits_before(tree, node) < config.expand_visits and depth):
                    break
                walk.need = CHILDREN
                break
        if config.even and depth == 0:
            index = least_visited(tree, node)
        else:
            index = select_child(tree, node, st, config, walk.drawn)
        node = &tree.nodes[index]
        depth += 1
        walk.path[depth] = index
        walk.chooser[depth] = st.mover
        walk.counted[depth] = count_ahead(tree, node, depth == 1 and (
            config.even or config.selection == SELECT_EVEN))
        kept = kept_result(tree, node)
        if kept != NULL:
            if kept.forever or not open_deals(tree, node, config, scratch):
                walk.depth = depth
                walk.need = NOTHING
                back_up(tree, walk, st.players, kept, config, scratch)
                return NOTHING
            drop_result(tree, node)     # deals come below it from now on
        fetch_children(tree, node)
        game_apply(st, node.action)
        key = 0
    walk.depth = depth
    walk.key = key
    # Nothing was left to chance, and nothing will be: the next visit would give the same result.
    if (walk.need == VALUE and game_at_horizon(st) and not walk.drawn and depth and walk.known
            and not config.uniform):
        walk.certain = (
            CERTAIN if game_is_over(st) or open_deals(tree, node, config, scratch)
            else UNTIL_DEALT)
    return walk.need


cdef inline bint finds_children(Tree* tree, Node* node, uint64_t key) noexcept nogil:
    """find_children(), while no other thread changes the tree."""
    cdef bint found
    take_tree(tree)
    found = node.children or find_children(tree, node, key)
    give_tree(tree)
    return found


cdef inline void drop_result(Tree* tree, Node* node) noexcept nogil:
    """Forget the result that is kept of a node."""
    take_tree(tree)
    if node.children == 0:      # else another walk has gone on below it
        set_link(node, 0, 0)
    give_tree(tree)


cdef inline void find_children_of(const GameState* st, const SearchConfig* config, bint drawn,
                                  uint64_t key, Scratch* scratch) noexcept nogil:
    """List the moves of a position and their priors in scratch.found."""
    cdef Found* found = &scratch.found
    found.count = list_for_tree(st, config, drawn, key, scratch)
    set_priors(found.moves, scratch.logits, found.count, config.temperature, config.mixed,
               found.priors)


cdef inline bint take_children(Tree* tree, Walk* walk, const Found* found) noexcept nogil:
    """Give the node at which a walk stands its children; False without room for them."""
    cdef Node* node = &tree.nodes[walk.path[walk.depth]]
    cdef bint has
    take_tree(tree)
    # Another thread may have brought them meanwhile.
    has = node.children or (walk.shared and find_children(tree, node, walk.key))
    if not has and tree_room(tree, found.count):
        place_children(tree, node, found.moves, found.priors, found.count)
        if walk.shared:
            note_children(tree, node, walk.key)
        has = True
    give_tree(tree)
    return has


cdef inline void simulate(const GameState* root, Tree* tree, const SearchConfig* config,
                          Xoshiro* rng, Scratch* scratch) noexcept nogil:
    """Walk from the root to a leaf, evaluate it and back up the result."""
    cdef GameState st
    cdef Walk* walk = &scratch.walk
    begin_walk(root, config, rng, walk, &st)
    while walk_on(root, tree, config, rng, scratch, walk, &st, walk, 1) == CHILDREN:
        find_children_of(&st, config, walk.drawn, walk.key, scratch)
        if not take_children(tree, walk, &scratch.found):
            walk.need = VALUE
            break
    if walk.need == VALUE:
        value_state(&st, config, walk.key, rng, scratch, &scratch.found.result)
        settle_leaf(tree, walk, st.players, &scratch.found.result, config, scratch)


cdef inline void prepare(const GameState* root, const SearchConfig* config,
                         Scratch* scratch) noexcept nogil:
    """Note what holds for all simulations of a search."""
    scratch.mover = root.mover
    scratch.deal_visits = deals_from(root, config)


cdef inline bint out_of_time(const Clock* clock, double now) noexcept nogil:
    """Whether the deadline has come, or may pass during the next pause."""
    cdef double reserve = max(clock.expected, clock.pause) - PAUSE_ALLOWED
    return clock.deadline > 0 and now + min(clock.most, max(0.0, reserve)) >= clock.deadline


cdef inline bint is_time_to_prune(const Tree* tree, const Clock* clock) noexcept nogil:
    """Whether the tree can be pruned before the deadline, with time left to use the room."""
    return clock == NULL or clock.deadline == 0 or (
        monotonic_seconds() + 2 * PRUNE_SECONDS * tree.nodes_used < clock.deadline)


cdef inline int look_at_clock(Clock* clock, double until, double* last) noexcept nogil:
    """Whether it is time for more simulations, for a pause (PAUSES) or to end (ENDS).

    last: the reading before this one, 0: none; between the two is a pause to be noted.
    """
    cdef double now
    if clock == NULL or (until <= 0 and clock.deadline <= 0):
        return RUNS
    now = monotonic_seconds()
    if last[0] > 0:
        clock.pause = max(clock.pause, now - last[0])
    last[0] = now
    if out_of_time(clock, now):
        return ENDS
    return PAUSES if 0 < until <= now else RUNS


cdef inline int64_t search(const GameState* root, Tree* tree, const SearchConfig* config,
                           Xoshiro* rng, Scratch* scratch, int64_t sims, double until,
                           Clock* clock, const volatile int* stop) noexcept nogil:
    """Run up to `sims` simulations; ends when it is out of time, or when stop[0] is set.

    until: reading of the clock at which this call ends; 0: never.
    clock: NULL: there is no limit of time.
    """
    cdef int64_t done = 0
    cdef double last = 0
    cdef bint may_prune = True
    prepare(root, config, scratch)
    while done < sims:
        if done % CLOCK_EVERY == 0:
            if flag_is_up(stop) or look_at_clock(clock, until, &last) != RUNS:
                break
        if may_prune and is_nearly_full(tree):
            may_prune = is_time_to_prune(tree, clock) and tree_prune(tree, stop)
            last = 0                    # that was no pause
        simulate(root, tree, config, rng, scratch)
        done += 1
    return done


cdef inline int follow_line(const GameState* root, const Tree* tree, uint32_t index, uint32_t* line,
                            int room) noexcept nogil:
    """The most visited continuation from the child `index` of the root, up to the next draw."""
    cdef GameState st = root[0]
    cdef const Node* node = &tree.nodes[index]
    cdef uint32_t best
    cdef int i, length = 0
    while length < room:
        line[length] = node.action
        length += 1
        game_apply(&st, node.action)
        if game_is_chance(&st) or game_is_over(&st) or node.children == 0:
            break
        best = node.first
        for i in range(node.children):
            if tree.nodes[node.first + <uint32_t> i].visits > tree.nodes[best].visits:
                best = node.first + <uint32_t> i
        if tree.nodes[best].visits == 0:
            break
        node = &tree.nodes[best]
    return length


cdef inline uint32_t find_state(const GameState* st, const Tree* tree, uint32_t index,
                                const GameState* wanted, int depth) noexcept nogil:
    """The visited node of the state `wanted`, reached by decisions alone.

    NOT_LIVE if there is none. Nodes below a draw do not count: the tree below it is an average
    over draws other than the one that was made.
    """
    cdef const Node* node = &tree.nodes[index]
    cdef GameState child
    cdef uint32_t found
    cdef int i
    if memcmp(st, wanted, game_bytes(st)) == 0:
        return index
    if depth == 0 or game_is_chance(st) or st.round != wanted.round:
        return NOT_LIVE
    for i in range(node.children):
        if tree.nodes[node.first + <uint32_t> i].visits:
            memcpy(&child, st, game_bytes(st))
            game_apply(&child, tree.nodes[node.first + <uint32_t> i].action)
            found = find_state(&child, tree, node.first + <uint32_t> i, wanted, depth - 1)
            if found != NOT_LIVE:
                return found
    return NOT_LIVE

# Several threads search one tree: each walks, evaluates and backs up on its own. What they count is
# added atomically; the shape of the tree (links, results, transpositions, room in the arena) is
# changed only by the thread that has its lock. Nodes count as visited as soon as a walk passes
# them (virtual loss). Results depend on the order in which threads happen to come, so unlike
# those of one thread they differ from run to run.
#
# One thread leads: it watches the clock, prunes the tree and is the one that the caller waits for.
# The others help while the team is open. While it rests none of them touches the tree.

from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset
from pavilion_ai._c.compaction cimport is_nearly_full, tree_prune
from pavilion_ai._c.counting cimport add_delta
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.rules cimport MAX_MOVES, GameState
from pavilion_ai._c.scratch cimport DELTAS, Scratch, SearchConfig
from pavilion_ai._c.search cimport RUNS, Clock, is_time_to_prune, look_at_clock, prepare, simulate
from pavilion_ai._c.together cimport (
    CAN_SHARE, LET_OTHERS_RUN, flag_is_up, lock_give, lock_take, word_add, word_read, word_write,
)
from pavilion_ai._c.tree cimport Stats, Tree, node_stats

cdef enum:
    OWN_STATS = MAX_MOVES + 1       # of a thread: the root's, then those of its moves
    AT_A_TIME = 4                   # simulations that a thread makes before it looks around
    LOOKS = 1000                    # at a word before other threads may run

ctypedef struct Team:
    uint64_t open           # 1: the others shall help
    uint64_t resting        # 1: they shall leave the tree alone
    uint64_t active         # others that may touch the tree
    uint64_t done           # simulations that they made, as far as they have said
    uint64_t limit          # of the simulations of this call
    uint8_t[64] _before     # what changes all the time has a cache line of its own
    uint64_t claimed        # simulations that somebody makes or has made
    uint8_t[64] _after


cdef inline void wait_on(int* looks) noexcept nogil:
    if looks[0] < LOOKS:
        looks[0] += 1
    else:
        LET_OTHERS_RUN()


cdef inline int64_t claim(Team* team) noexcept nogil:
    """How many simulations the thread shall make next; 0: others make the last ones."""
    cdef int64_t before = <int64_t> word_add(&team.claimed, AT_A_TIME)
    return max(0, min(<int64_t> AT_A_TIME, <int64_t> word_read(&team.limit) - before))


cdef inline bint any_share(const Stats* own, int players) noexcept nogil:
    """Whether a result was added."""
    cdef int s
    for s in range(players):
        if own.win[s]:
            return True
    return False


cdef inline void hand_in(Tree* tree, Scratch* scratch, int players) noexcept nogil:
    """Add what a thread has kept for itself of its simulations to the tree."""
    cdef Stats* own = scratch.own
    cdef Stats* stats
    cdef int i, s
    for i in range(DELTAS):
        if scratch.deltas[i].results:
            add_delta(tree, &scratch.deltas[i])
    lock_take(&tree.lock)
    for i in range(1 + tree.nodes[0].children):
        if not any_share(&own[i], players):
            continue
        stats = node_stats(tree, &tree.nodes[tree.nodes[0].first + <uint32_t> i - 1]
                           if i else &tree.nodes[0])
        if stats != NULL:
            for s in range(players):
                stats.win[s] += own[i].win[s]
                stats.lead[s] += own[i].lead[s]
                stats.score[s] += own[i].score[s]
            stats.win_squared += own[i].win_squared
        memset(&own[i], 0, sizeof(Stats))       # without room they are lost, as in search()
    lock_give(&tree.lock)


cdef inline void report(Tree* tree, Scratch* scratch, int players, Team* team,
                        int64_t* made) noexcept nogil:
    """Hand in what a thread that helps has made since it did so last, if anything."""
    if made[0]:
        hand_in(tree, scratch, players)
        word_add(&team.done, <uint64_t> made[0])
        made[0] = 0


cdef inline void rest(Team* team) noexcept nogil:
    """Wait until no other thread touches the tree."""
    cdef int looks = 0
    word_write(&team.resting, 1)
    while word_read(&team.active):
        wait_on(&looks)


cdef inline void assist(const GameState* root, Tree* tree, const SearchConfig* config,
                        Xoshiro* rng, Scratch* scratch, Team* team) noexcept nogil:
    """Help to search until the team is closed."""
    cdef int64_t _i, claimed, made = 0
    cdef int looks = 0
    if not CAN_SHARE:
        return
    prepare(root, config, scratch)
    word_add(&team.active, 1)
    while word_read(&team.open):
        if word_read(&team.resting):
            report(tree, scratch, root.players, team, &made)
            word_add(&team.active, <uint64_t> -1)
            looks = 0
            while word_read(&team.resting) and word_read(&team.open):
                wait_on(&looks)
            # The leader may by now rest again without having seen that this thread is active.
            word_add(&team.active, 1)
            continue
        claimed = claim(team)
        for _i in range(claimed):
            simulate(root, tree, config, rng, scratch)
        made += claimed
        if claimed == 0:
            wait_on(&looks)
    report(tree, scratch, root.players, team, &made)
    word_add(&team.active, <uint64_t> -1)


cdef inline int64_t search_together(const GameState* root, Tree* tree, const SearchConfig* config,
                                    Xoshiro* rng, Scratch* scratch, Team* team, int64_t sims,
                                    double until, Clock* clock,
                                    const volatile int* stop) noexcept nogil:
    """As search(), with the threads that help."""
    cdef int64_t _i, claimed, made = 0
    cdef double last = 0
    cdef bint may_prune = True
    prepare(root, config, scratch)
    tree.together = True
    word_write(&team.claimed, 0)
    word_write(&team.done, 0)
    word_write(&team.limit, <uint64_t> sims)
    word_write(&team.resting, 0)
    while not flag_is_up(stop) and look_at_clock(clock, until, &last) == RUNS:
        if may_prune and is_nearly_full(tree):
            rest(team)
            hand_in(tree, scratch, root.players)
            may_prune = is_time_to_prune(tree, clock) and tree_prune(tree, stop)
            word_write(&team.resting, 0)
            last = 0                    # that was not a pause
        claimed = claim(team)
        if claimed == 0:
            break
        for _i in range(claimed):
            simulate(root, tree, config, rng, scratch)
        made += claimed
    rest(team)
    hand_in(tree, scratch, root.players)
    tree.together = False
    return made + <int64_t> word_read(&team.done)

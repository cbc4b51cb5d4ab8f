# The search loop, for every game (rules.pxd).
#
# A simulation copies the root state, walks down the tree playing the selected actions, draws tiles
# where the rules draw them, from a sample of the bag if that is unknown, expands a node when it is
# met again, evaluates the leaf, and adds the result to every node of its path. Without a network,
# and where a seat plays plainly, a rollout to the horizon, the end of the round, comes before the
# evaluation. Draws within a round have no chance nodes: the statistics of an action are averages
# over them.
#
# Its way through the files: its walk (scratch.pxd) follows the nodes of tree.pxd and plays by the
# rules (rules.pxd); between two rounds deals.pxd says which deal comes next. What it needs at the
# leaf, children with priors or a value, is found by leaf.pxd: with the network (net.pxd; sight.pxd
# keeps its hidden layers), with the fitted weights of the game's own files (linear.pxd), or exactly
# (finish.pxd); utility.pxd turns it into what each seat gets, and counting.pxd adds that to the
# path. When the arena is nearly full, compaction.pxd prunes the tree before the next simulation.
# team.pxd runs simulations in several threads, guided.pxd has leaves evaluated from outside, and
# reading.pxd tells what the tree says below its root.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from pavilion_ai._c.compaction cimport PRUNE_SECONDS, is_nearly_full, tree_prune
from pavilion_ai._c.counting cimport back_up, count_ahead, settle_leaf, visits_before
from pavilion_ai._c.deals cimport deals_from, draw_numbered_deal, next_deal, open_deals
from pavilion_ai._c.leaf cimport list_children, list_for_tree, value_state
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.rules cimport (
    GameState, game_apply, game_at_horizon, game_available, game_bag_key, game_bytes,
    game_determinise, game_draw, game_draws_matter, game_is_chance, game_is_over,
)
from pavilion_ai._c.scratch cimport (
    CERTAIN, CHILDREN, NOTHING, SELECT_EVEN, SELECT_PUCT, SELECT_UCB, UNCERTAIN, UNTIL_DEALT, VALUE,
    Found, Scratch, SearchConfig, Walk,
)
from pavilion_ai._c.sight cimport position_key
from pavilion_ai._c.system cimport monotonic_seconds
from pavilion_ai._c.together cimport count_read, flag_is_up, sum_read
from pavilion_ai._c.tree cimport (
    Link, Node, Result, Tree, fetch_children, find_children, give_tree, kept_result, least_visited,
    link_of, note_children, place_children, set_link, set_priors, take_tree, tree_room,
)
from pavilion_ai._c.utility cimport doublings, exp_portable, mean_and_bonus, square_root

cdef extern from *:
    """
    #define SPREAD_UNIT 0.1     /* spread of utilities at which c is what it says */
    #define SPREAD_LEAST 0.5    /* in this unit; with less c falls no further */
    #define SPREAD_MOST 2.0     /* in this unit; with more c rises no further */
    #define PAUSE_ALLOWED (0.010 + CLOCK_STEP) /* seconds of a pause without a reserve */
    """
    const double SPREAD_UNIT
    const double SPREAD_LEAST
    const double SPREAD_MOST
    const double PAUSE_ALLOWED

cdef enum:
    RUNS = 0                # a search continues
    PAUSES = 1              # this call of it ends
    ENDS = 2                # it is out of time
    GROWTH_VISITS = 1024    # where c begins to rise
    SPREAD_VISITS = 4       # visits for which the expectation SPREAD_UNIT counts
    CLOCK_EVERY = 16        # simulations between two readings of the clock

# When a search ends, in readings of the monotonic clock; 0: never. On a busy machine the system
# pauses it for longer than a simulation takes, and a pause that begins before the deadline ends
# after it. So a search that has been paused for long ends earlier.
ctypedef struct Clock:
    double deadline
    double most             # seconds before the deadline at which it ends at the earliest
    double expected         # longest pause that earlier searches expect, in seconds
    double pause            # longest time between two readings so far, in seconds


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
                                  const SearchConfig* config, double reduction,
                                  bint drawn) noexcept nogil:
    """Index of the child to follow: the highest bound among those available here.

    reduction: how much less than the mean an unvisited one counts.
    """
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
    unvisited = (total_value / total_visits if total_visits else 0.5) - reduction
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


cdef inline void begin_walk(const GameState* root, const SearchConfig* config, Walk* walk,
                            GameState* st) noexcept nogil:
    """Place a new simulation at the root."""
    memcpy(st, root, game_bytes(root))
    walk.depth = 0
    walk.need = NOTHING
    walk.drawn = False
    walk.shared = config.share                      # until tiles are drawn
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
            draw_numbered_deal(st, tree, number)
            node = &tree.nodes[index]
            depth += 1
            walk.path[depth] = index
            walk.chooser[depth] = walk.chooser[depth - 1]
            walk.counted[depth] = tree.together
            walk.shared = config.share and not walk.drawn   # nothing else was left to chance
            continue
        if game_is_chance(st):
            game_determinise(st, rng)
            game_draw(st, rng)
            walk.drawn = True
            walk.shared = False
            continue
        if depth >= config.max_depth:       # also where a shorter way has brought children
            break
        if link_of(node).children == 0:
            if walk.shared:
                key = position_key(st)
            if not (walk.shared and find_children_locked(tree, node, key)):
                if config.guided or (
                        <int> visits_before(tree, node) < config.expand_visits and depth):
                    break
                walk.need = CHILDREN
                break
        if config.even and depth == 0:
            index = least_visited(tree, node)
        else:
            index = select_child(tree, node, st, config, config.fpu_reduction if depth
                                 else config.root_reduction, walk.drawn)
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
    if (walk.need == VALUE and game_at_horizon(st) and not walk.drawn and depth
            and not config.uniform):
        walk.certain = (
            CERTAIN if game_is_over(st) or open_deals(tree, node, config, scratch)
            else UNTIL_DEALT)
    return walk.need


cdef inline bint find_children_locked(Tree* tree, Node* node, uint64_t key) noexcept nogil:
    """find_children(), while no other thread changes the tree."""
    cdef bint found
    take_tree(tree)
    found = node.children or find_children(tree, node, key)
    give_tree(tree)
    return found


cdef inline void drop_result(Tree* tree, Node* node) noexcept nogil:
    """Forget the result that is kept of a node."""
    take_tree(tree)
    if node.children == 0:      # else another walk has continued below it
        set_link(node, 0, 0)
    give_tree(tree)


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
    begin_walk(root, config, walk, &st)
    while walk_on(root, tree, config, rng, scratch, walk, &st, walk, 1) == CHILDREN:
        list_children(&st, config, walk.drawn, walk.key, scratch)
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
            last = 0                    # that was not a pause
        simulate(root, tree, config, rng, scratch)
        done += 1
    return done

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
from pavilion_ai._c.bits cimport flag_is_up, monotonic_seconds
from pavilion_ai._c.compaction cimport is_nearly_full, tree_prune
from pavilion_ai._c.finish cimport Finish
from pavilion_ai._c.linear cimport MAX_ACTIVE
from pavilion_ai._c.net cimport NET_MAX_HIDDEN2, Net, net_values
from pavilion_ai._c.rng cimport Xoshiro, rng_seed, splitmix_mix
from pavilion_ai._c.rules cimport (
    MAX_MOVES, MAX_POLICY, MAX_SEATS, GameState, game_apply, game_at_horizon, game_available,
    game_bag_key, game_bytes, game_determinise, game_determinise_anew, game_draw, game_draws_matter,
    game_evaluate, game_finish, game_is_chance, game_is_over, game_moves, game_net_table,
    game_policy_move, game_random_game, game_search_moves, game_viewer,
)
from pavilion_ai._c.sight cimport Sights, position_key, see
from pavilion_ai._c.tree cimport (
    MAX_DEPTH, NOT_LIVE, Node, Result, Stats, Tree, add_children, doublings, exp_portable,
    find_children, keep_result, kept_result, least_visited, logistic, mean_and_bonus, node_stats,
    note_children, seat_utility, square_root, squashed_lead, tree_room, win_shares,
)

cdef extern from *:
    """
    #define SPREAD_UNIT 0.1     /* spread of utilities at which c is what it says */
    #define SPREAD_LEAST 0.5    /* in this unit; with less c falls no further */
    #define SPREAD_MOST 2.0     /* in this unit; with more c rises no further */
    #define NET_UNIT 2.384185791015625e-07  /* 2^-22: one, in the network's outputs */
    #define PAUSE_ALLOWED 0.010     /* seconds of a pause for which no time is reserved */
    #define PRUNE_SECONDS 5e-8      /* that pruning takes for each node of the arena */
    """
    const double SPREAD_UNIT
    const double SPREAD_LEAST
    const double SPREAD_MOST
    const double NET_UNIT
    const double PAUSE_ALLOWED
    const double PRUNE_SECONDS

cdef enum:
    GAIN_POINTS = 32        # points to a unit of the network's outputs
    LEAD_POINTS = 30        # width to which the network squashes leads
    DEAL_SLOTS = 8          # deals for which a node has room at first
    MOST_DEALS = 16384      # below a node
    UNCERTAIN = 0           # the next visit of a leaf may give another result
    UNTIL_DEALT = 1         # it gives the same one until deals come below the leaf
    CERTAIN = 2             # it always gives the same one
    SELECT_PUCT = 0
    SELECT_UCB = 1
    SELECT_EVEN = 2         # flat Monte Carlo: all moves equally often
    GROWTH_VISITS = 1024    # where c begins to rise
    SPREAD_VISITS = 4       # visits for which the expectation SPREAD_UNIT counts
    CLOCK_EVERY = 16        # simulations between two readings of the clock
    REUSE_DEPTH = 12        # decisions below the old root within which the new one is looked for

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

ctypedef struct Scratch:
    uint32_t[MAX_MOVES] moves
    int[MAX_MOVES] logits
    uint32_t[MAX_DEPTH] path
    uint8_t[MAX_DEPTH] chooser      # seat that chose the action leading to path[i]
    int deal_visits                 # as the config's; 0 if none are tried in this search
    Sights sights
    uint16_t[MAX_ACTIVE] inputs
    int16_t[NET_MAX_HIDDEN2] hidden
    int16_t[MAX_POLICY] table       # the network's policy weights for a position

ctypedef struct Leaf:
    # Where a walk down the tree ended; the path is in Scratch.
    int depth
    bint drawn              # tiles were drawn on the way
    int certain             # whether the next visit would give the same result
    uint64_t key            # of the position, if it is known and may share its children; else 0


cdef inline int list_with_network(const GameState* st, const Net* net, bint drawn, uint64_t key,
                                  Scratch* scratch) noexcept nogil:
    """List moves with logits; key: see see()."""
    game_net_table(
        st, net, see(st, net, &scratch.sights, key, scratch.inputs, scratch.hidden),
        scratch.table)
    return game_search_moves(st, drawn, scratch.table, scratch.moves, scratch.logits)


cdef inline uint32_t likeliest_move(const GameState* st, const Net* net,
                                    Scratch* scratch) noexcept nogil:
    """The network's most likely move, of those considered in the tree."""
    cdef int i, best = 0
    for i in range(list_with_network(st, net, False, 0, scratch)):
        if scratch.logits[i] > scratch.logits[best]:
            best = i
    return scratch.moves[best]


cdef inline bint plays_plainly(const SearchConfig* config, const Scratch* scratch,
                               int seat) noexcept nogil:
    """Whether a seat is assumed to play by the linear heuristics within rounds as well."""
    return config.plain and config.linear[seat] and seat != scratch.chooser[0]


cdef inline int list_for_tree(const GameState* st, const SearchConfig* config, bint drawn,
                              uint64_t key, Scratch* scratch) noexcept nogil:
    cdef int i, n
    if config.net != NULL and not plays_plainly(config, scratch, st.mover):
        return list_with_network(st, config.net, drawn, key, scratch)
    if not config.uniform or (drawn and game_draws_matter(st)):
        n = game_search_moves(st, drawn, NULL, scratch.moves, scratch.logits)
    else:
        n = game_moves(st, True, scratch.moves)
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
    scratch.chooser[0] = root.mover
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
        if is_among(scratch.moves[k], wanted, count):
            scratch.moves[kept] = scratch.moves[k]
            scratch.logits[kept] = scratch.logits[k]
            kept += 1
    listed = kept
    for i in range(count):
        if not is_among(wanted[i], scratch.moves, listed):
            scratch.moves[kept] = wanted[i]
            scratch.logits[kept] = lowest
            kept += 1
    add_children(tree, &tree.nodes[0], scratch.moves, scratch.logits, count, config.temperature,
                 config.mixed)


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
    cdef const Node* child = &tree.nodes[node.first]
    cdef bint filtered = drawn and game_draws_matter(st)
    cdef int i, best = -1
    cdef double total_value = 0, total_squares = 0, total_visits = 0
    cdef double bound, best_bound = -1e300, root, unvisited
    # Children are sorted by prior, and among unvisited ones the most likely has the highest bound:
    # visited ones come first, except those that other draws made unavailable.
    for i in range(node.children):
        if child[i].visits == 0 and not filtered:
            break
        total_value += child[i].value
        total_squares += child[i].squares
        total_visits += child[i].visits
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
    for i in range(node.children):
        if filtered and not game_available(st, child[i].action):
            continue
        if config.selection == SELECT_PUCT:
            if child[i].visits:
                bound = mean_and_bonus(child[i].value, child[i].visits, root * child[i].prior)
            else:
                bound = unvisited + root * child[i].prior
        elif config.selection == SELECT_UCB:
            bound = 1e9 if child[i].visits == 0 else (
                child[i].value / child[i].visits
                + config.exploration * square_root(root / child[i].visits))
        else:
            bound = -<double> child[i].visits
        best = i if bound > best_bound else best
        best_bound = bound if bound > best_bound else best_bound
        if child[i].visits == 0 and not filtered:
            break
    return node.first + <uint32_t> best


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


cdef inline int open_deals(const Node* node, const SearchConfig* config,
                           const Scratch* scratch) noexcept nogil:
    """How many deals a node between two rounds may have by its visits; 0: evaluate the node."""
    cdef int beyond = <int> node.visits - scratch.deal_visits
    if scratch.deal_visits == 0 or beyond < 0:
        return 0
    return 1 + <int> square_root(beyond / <double> config.deal_spread)


cdef inline bint make_room_for_deals(Tree* tree, Node* node, int deals) noexcept nogil:
    """Let a node have at least so many children, unvisited ones last; False without memory."""
    cdef int room = max(node.children, DEAL_SLOTS)
    cdef Node* child
    if deals <= node.children:
        return True
    while room < deals:
        room *= 2
    if room > MOST_DEALS or not tree_room(tree, room):
        return False
    child = &tree.nodes[tree.nodes_used]
    memcpy(child, &tree.nodes[node.first], node.children * sizeof(Node))
    memset(&child[node.children], 0, (room - node.children) * sizeof(Node))
    node.first = tree.nodes_used
    node.children = <uint16_t> room
    tree.nodes_used += <uint32_t> room
    return True


cdef inline uint32_t next_deal(Tree* tree, Node* node, const SearchConfig* config,
                               const Scratch* scratch, uint64_t key) noexcept nogil:
    """Index of the deal to follow below a chance node between two rounds; 0: evaluate the node.

    Progressive widening: the number of deals grows with the square root of the visits.

    key: of the tiles from which the deal is drawn; simulations that arrive with others, because
    tiles were drawn on their way, have their own deals. A node keeps 48 bits of it.
    """
    cdef uint32_t low = <uint32_t> key
    cdef uint16_t high = <uint16_t> (key >> 48)
    cdef Node* child
    cdef uint32_t found = 0
    cdef int i, deals = open_deals(node, config, scratch)
    if deals == 0:
        return 0
    if not make_room_for_deals(tree, node, deals):
        deals = node.children
    for i in range(deals):
        child = &tree.nodes[node.first + <uint32_t> i]
        if child.visits == 0:
            child.action = low
            child.bag = high
            return node.first + <uint32_t> i
        if child.action == low and child.bag == high and (
                found == 0 or child.visits < tree.nodes[found].visits):
            found = node.first + <uint32_t> i
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
    net_values(
        config.net, see(st, config.net, &scratch.sights, key, scratch.inputs, scratch.hidden), out)
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
        if not config.linear[s] or s == scratch.chooser[0]:
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


cdef inline void back_up(Tree* tree, const Scratch* scratch, int depth, int players,
                         const Result* result, const SearchConfig* config) noexcept nogil:
    cdef Node* node
    cdef Stats* stats
    cdef int i, s, seat
    for i in range(depth + 1):
        node = &tree.nodes[scratch.path[i]]
        seat = scratch.chooser[i]
        node.visits += 1
        node.value += result.utility[seat]
        node.squares += result.utility[seat] * result.utility[seat]
        if i > config.stats_depth:
            continue
        stats = node_stats(tree, node)
        if stats != NULL:
            for s in range(players):
                stats.win[s] += result.win[s]
                stats.lead[s] += result.lead[s]
                stats.score[s] += result.score[s]
            stats.win_squared += result.win[seat] * result.win[seat]


cdef inline void settle_leaf(Tree* tree, const Scratch* scratch, int depth, int certain,
                             int players, const Result* result,
                             const SearchConfig* config) noexcept nogil:
    """Add the result of a leaf to all nodes of its path."""
    if certain:
        keep_result(tree, &tree.nodes[scratch.path[depth]], result, certain == CERTAIN)
    back_up(tree, scratch, depth, players, result, config)


cdef inline bint simulate(const GameState* root, Tree* tree, const SearchConfig* config,
                          Xoshiro* rng, Scratch* scratch, GameState* at,
                          Leaf* leaf) noexcept nogil:
    """Walk from the root to a leaf, evaluate it and back up the result.

    If the search is guided from outside, a leaf whose result is not known yet is left to the
    caller: then True is returned, its position is in `at` and its path in `scratch`. Without
    guidance `at` and `leaf` may be NULL.
    """
    cdef GameState st
    cdef Result result
    cdef const Result* kept
    cdef Node* node = &tree.nodes[0]
    cdef uint32_t index = 0
    cdef int depth = 0, n
    cdef int certain = UNCERTAIN
    cdef bint drawn = False
    cdef bint known = root.hidden == SPLIT_KNOWN    # the same bag on every visit of the node
    cdef bint shared = config.share and known       # until tiles are drawn
    cdef uint64_t key = 0
    memcpy(&st, root, game_bytes(root))
    game_determinise(&st, rng)
    scratch.path[0] = 0
    scratch.chooser[0] = root.mover
    scratch.deal_visits = deals_from(root, config)
    while True:
        if game_at_horizon(&st):
            if game_is_over(&st) or depth >= config.max_depth:
                break
            index = next_deal(tree, node, config, scratch, game_bag_key(&st) if drawn else 0)
            if index == 0:
                break
            draw_numbered_deal(&st, root, tree, <int> (index - node.first),
                               not drawn and not known)
            known = known or not drawn
            node = &tree.nodes[index]
            depth += 1
            scratch.path[depth] = index
            scratch.chooser[depth] = scratch.chooser[depth - 1]
            shared = config.share and not drawn     # nothing else was left to chance
            continue
        if game_is_chance(&st):
            game_draw(&st, rng)
            drawn = True
            shared = False
            continue
        if node.children == 0:
            if depth >= config.max_depth:
                break
            if shared:
                key = position_key(&st)
            if not (shared and find_children(tree, node, key)):
                if config.guided or (<int> node.visits < config.expand_visits and depth):
                    break
                n = list_for_tree(&st, config, drawn, key, scratch)
                if not tree_room(tree, n):
                    break
                add_children(tree, node, scratch.moves, scratch.logits, n, config.temperature,
                             config.mixed)
                if shared:
                    note_children(tree, node, key)
        if config.even and depth == 0:
            index = least_visited(tree, node)
        else:
            index = select_child(tree, node, &st, config, drawn)
        node = &tree.nodes[index]
        depth += 1
        scratch.path[depth] = index
        scratch.chooser[depth] = st.mover
        kept = kept_result(tree, node)
        if kept != NULL:
            if kept.forever or not open_deals(node, config, scratch):
                back_up(tree, scratch, depth, st.players, kept, config)
                return False
            node.first = 0      # deals come below it from now on
        game_apply(&st, node.action)
        key = 0
    # Nothing was left to chance, and nothing will be: the next visit would give the same result.
    if game_at_horizon(&st) and not drawn and depth and known and not config.uniform:
        certain = CERTAIN if game_is_over(&st) or open_deals(node, config, scratch) else UNTIL_DEALT
    if config.guided:
        memcpy(at, &st, game_bytes(&st))
        leaf.depth = depth
        leaf.drawn = drawn
        leaf.key = key
        leaf.certain = certain
        return True
    value_state(&st, config, key, rng, scratch, &result)
    settle_leaf(tree, scratch, depth, certain, st.players, &result, config)
    return False


cdef inline bint out_of_time(const Clock* clock, double now) noexcept nogil:
    """Whether the deadline has come, or may pass during the next pause."""
    cdef double reserve = max(clock.expected, clock.pause) - PAUSE_ALLOWED
    return clock.deadline > 0 and now + min(clock.most, max(0.0, reserve)) >= clock.deadline


cdef inline bint is_time_to_prune(const Tree* tree, const Clock* clock) noexcept nogil:
    """Whether the tree can be pruned before the deadline, with time left to use the room."""
    return clock == NULL or clock.deadline == 0 or (
        monotonic_seconds() + 2 * PRUNE_SECONDS * tree.nodes_used < clock.deadline)


cdef inline int64_t search(const GameState* root, Tree* tree, const SearchConfig* config,
                           Xoshiro* rng, Scratch* scratch, int64_t sims, double until,
                           Clock* clock, const volatile int* stop) noexcept nogil:
    """Run up to `sims` simulations; ends when it is out of time, or when stop[0] is set.

    until: reading of the clock at which this call ends; 0: never.
    clock: NULL: there is no limit of time.
    """
    cdef int64_t done = 0
    cdef double now, last = 0
    cdef bint may_prune = True
    while done < sims:
        if done % CLOCK_EVERY == 0:
            if flag_is_up(stop):
                break
            if clock != NULL and (until > 0 or clock.deadline > 0):
                now = monotonic_seconds()
                if last > 0:
                    clock.pause = max(clock.pause, now - last)
                last = now
                if (until > 0 and now >= until) or out_of_time(clock, now):
                    break
        if may_prune and is_nearly_full(tree):
            may_prune = is_time_to_prune(tree, clock) and tree_prune(tree, stop)
            last = 0                    # that was no pause
        simulate(root, tree, config, rng, scratch, NULL, NULL)
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

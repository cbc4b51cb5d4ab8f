"""The compiled core: rules and search of the games, and nothing else.

Numbers at this boundary. Multisets of tiles are counts by colour; phases are numbered in the order
of the contract; -1 stands for null.

Summer Pavilion: colours in wild order (P G O Y B R = 0..5); spaces are 6 * site + position - 1 with
sites W NW NE E SE SW C; phases draft, place, bonus, deal, supply, over = 0..5. A move is a tuple:

    (0, source, colour)             draft; source 0-8 a display, 9 the centre
    (1, space, colour, own)         place, paying `own` tiles of the colour, the rest in wilds
    (2, n0, ..., n5)                take bonus tiles
    (3, n0, ..., n5)                pass, keeping these tiles

Base Azul: colours B Y R K W = 0..4; lines, wall rows and columns from 0; phases draft, wall, deal,
over = 0..3. A move is a tuple:

    (0, source, colour, line)       draft to a line 0-4, or 5 the floor line
    (1, line, column)               the tile of a full line to a column, 5: no column is legal

Sections (A3.3, B4 and so on) are those of the rules specification.
"""

from collections.abc import Sequence
from typing import Any

from typing_extensions import Self

Counts = tuple[int, ...]
Move = tuple[int, ...]

POLICY_SIZES: dict[type[State], int]
"""Numbers of policy features, the wide ones included, by the class of the state."""
LINEAR_SIZES: dict[type[State], int]
"""Numbers of those that the fitted linear policy knows; they come first."""
EVALUATION_SIZES: dict[type[State], int]
"""Numbers of evaluation features."""

class Rng:
    """xoshiro256**: equal (seed, stream) give equal numbers on every machine.

    Args:
        seed: any integer; its low 64 bits count.
        stream: number of an independent sequence of the same seed.
    """

    def __init__(self, seed: int, stream: int = 0) -> None: ...
    def next(self) -> int:
        """Return 64 random bits."""

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1; n from 1 to 2**32 - 1. ValueError if n is 0."""

class State:
    """A position of some game; mutable. Made by the classes below."""

    @property
    def players(self) -> int:
        """Number of seats, 2-4."""

    @property
    def phase(self) -> int:
        """Number of the phase."""

    @property
    def round(self) -> int:
        """Round, from 1."""

    @property
    def to_move(self) -> int:
        """Seat to move, -1 in a chance phase and at the end."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def between_rounds(self) -> bool:
        """Whether the displays are about to be filled: where the evaluation is defined."""

    @property
    def state_bytes(self) -> int:
        """Bytes that a copy inside the search moves."""

    def scores(self) -> list[int]:
        """Return the scores by seat; final bonuses are in them once the game is over."""

    def moves(self, maximal: bool = False) -> list[Move]:
        """Return the legal moves; empty in chance phases and at the end.

        Args:
            maximal: keep_policy `maximal` instead of `free` (A7.8).
        """

    def codes(self, maximal: bool = False) -> list[int]:
        """Return the legal moves as the core's 32-bit numbers, in the order of `moves`."""

    def numbers(self, code: int) -> Move:
        """Return the tuple that a move's 32-bit number stands for; it need not be legal."""

    def code(self, move: Sequence[int]) -> int:
        """Return the 32-bit number of a move, legal or not; ValueError if a number is out of
        its range."""

    def apply(self, move: Sequence[int]) -> None:
        """Play a move; stops at a chance phase. ValueError if it is not legal."""

    def apply_code(self, code: int) -> None:
        """Play a move given by its 32-bit number, as `apply`."""

    def apply_chance(self, draws: Sequence[Sequence[int]]) -> None:
        """Draw exactly these tiles: one multiset per display in phase deal, one in phase supply.

        Raises:
            ValueError: if the bag (then the discards, A9, B7) cannot yield them, or nothing is to
                be drawn; the state is unchanged.
        """

    def draw(self, rng: Rng, tied: bool = False) -> tuple[Counts, ...]:
        """Draw the pending tiles at random and return them as `apply_chance` takes them.

        Args:
            tied: one number of rng gives every physical tile a priority, and the lowest that is
                left is drawn; then bags nearly alike give draws nearly alike. Equally random.

        Raises:
            ValueError: if nothing is to be drawn.
        """

    def settle(self) -> None:
        """Resolve pending draws the way perft does: always the lowest colour in the bag."""

    def random_move(self, rng: Rng, maximal: bool = True) -> Move:
        """Return a uniformly random legal move, as playouts pick it: without a list.

        Raises:
            ValueError: if nobody is to move.
        """

    def policy_move(self, rng: Rng | None = None, by_hand: bool = False,
                    network: Network | None = None) -> Move:
        """Return a move drawn from the policy, without rng its most likely one.

        Args:
            by_hand: take the hand-written weights, not the fitted ones.
            network: the move that it finds likeliest, whatever the other arguments.

        Raises:
            ValueError: if nobody is to move.
        """

    def inputs(self) -> list[int]:
        """Return the network's active inputs (one that counts several times as often), as seen
        from the seat to move, in a deal from the seat that starts next. ValueError if the game
        is over."""

    def policy_features(self, move: Sequence[int], wide: bool = False) -> list[int]:
        """Return the numbers (with repetitions) of a legal move's features.

        Args:
            wide: also those that only a network's policy has a weight for.

        Raises:
            ValueError: if the move is not legal.
        """

    def evaluation_features(self, seat: int) -> list[int]:
        """Return the numbers of a seat's features (with repetitions).

        Raises:
            ValueError: if this is not between two rounds.
        """

    def evaluate(self) -> tuple[list[float], list[float]]:
        """Return expected final scores and win shares by seat, between rounds or at the end.

        Raises:
            ValueError: in any other phase.
        """

    def perft(self, depth: int) -> int:
        """Return the leaf nodes after `depth` decisions, draws resolved as by `settle`."""

    def copy(self) -> Self:
        """Return an independent copy."""

    def breakdown(self) -> list[tuple[int, ...]]:
        """Return by seat the points from play and from each final bonus. ValueError before the
        end."""

    def winners(self) -> list[int]:
        """Return the seats that share the victory, ascending. ValueError before the end."""

class SummerState(State):
    """A position of Azul: Summer Pavilion; mutable.

    Range-checks its arguments, so that no state can lead the C code astray. That the numbers make
    a sound position (22 tiles per colour, and so on) is checked by `pavilion_ai.position`.

    Args:
        to_move: -1 in a chance phase and at the end.
        next_to_move: in phase supply the seat whose turn follows, -1 if the round ends.
        displays: 2 * players + 1 multisets.
        bag, tower: if split_known is False, the bag holds all unseen tiles and the tower none.
        bag_size: used only if split_known is False.
        seats: for each (score, hand, kept, passed, spaces): two multisets, a bool, and 42
            numbers, 0 for an empty space, else 1 + colour.

    Raises:
        ValueError: if a number is out of its range, or the phase contradicts the tiles.
    """

    def __init__(
        self,
        players: int,
        grey: bool,
        round: int,
        phase: int,
        to_move: int,
        start_seat: int,
        token: int,
        bonus_due: int,
        next_to_move: int,
        displays: Sequence[Sequence[int]],
        centre: Sequence[int],
        supply: Sequence[int],
        bag: Sequence[int],
        tower: Sequence[int],
        bag_size: int,
        split_known: bool,
        seats: Sequence[tuple[int, Sequence[int], Sequence[int], bool, Sequence[int]]],
    ) -> None: ...
    @staticmethod
    def new(players: int, grey: bool, start_seat: int, rng: Rng) -> SummerState:
        """Return an opening (A4), its supply and displays drawn from rng."""

    def fields(
        self,
    ) -> tuple[
        int, bool, int, int, int, int, int, int, int,
        tuple[Counts, ...], Counts, Counts, Counts, Counts, int, bool,
        tuple[tuple[int, Counts, Counts, bool, tuple[int, ...]], ...],
    ]:
        """Return the constructor's arguments, in its order."""


class AzulState(State):
    """A position of base Azul; mutable. Range-checks its arguments, as SummerState does.

    Args:
        to_move: -1 in a chance phase and at the end.
        token: seat that took the starting player marker, -1 while it lies in the centre.
        displays: 2 * players + 1 multisets.
        bag, lid: if split_known is False, the bag holds all unseen tiles and the lid none.
        bag_size: used only if split_known is False.
        seats: for each (score, lines, wall, floor): five pairs (colour, tiles), -1 and 0 for an
            empty line; 25 numbers row by row, 0 for an empty space, else 1 + colour; at most
            seven numbers, a colour or 5 for the marker.

    Raises:
        ValueError: if a number is out of its range, or the phase contradicts the tiles.
    """

    def __init__(
        self,
        players: int,
        grey: bool,
        round: int,
        phase: int,
        to_move: int,
        start_seat: int,
        token: int,
        displays: Sequence[Sequence[int]],
        centre: Sequence[int],
        bag: Sequence[int],
        lid: Sequence[int],
        bag_size: int,
        split_known: bool,
        seats: Sequence[
            tuple[int, Sequence[tuple[int, int]], Sequence[int], Sequence[int]]
        ],
    ) -> None: ...
    @staticmethod
    def new(players: int, grey: bool, start_seat: int, rng: Rng) -> AzulState:
        """Return an opening (B3), its displays drawn from rng."""

    def fields(
        self,
    ) -> tuple[
        int, bool, int, int, int, int, int,
        tuple[Counts, ...], Counts, Counts, Counts, int, bool,
        tuple[
            tuple[int, tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]], ...
        ],
    ]:
        """Return the constructor's arguments, in its order."""


def network_kernels() -> tuple[str, ...]:
    """Return the kernels of this machine, the one that is used unless told otherwise last."""

class Network:
    """An evaluation network with integer weights; all kernels compute the same bits.

    Args:
        inputs: number of inputs.
        hidden1: 32, 64, 128, 192 or 256.
        hidden2: a multiple of 16 up to 128.
        players: seats, 2-4; win, lead and gain have an output for each.
        policy: number of policy features, 0 for none.
        payload: the weights as the network files hold them (`pavilion_ai.network`).
        kernel: one of `network_kernels()`, for tests; None takes the fastest.
        win_scale: how win shares of searches are to be reported; kept for those who do.

    Raises:
        ValueError: if shape, size of the payload or kernel is impossible.
    """

    def __init__(
        self,
        inputs: int,
        hidden1: int,
        hidden2: int,
        players: int,
        policy: int,
        payload: bytes,
        kernel: str | None = None,
        win_scale: float = 1.0,
    ) -> None: ...
    @property
    def win_scale(self) -> float:
        """How win shares of searches are to be reported (`pavilion_ai.analysis.calibrated`)."""

    @property
    def inputs(self) -> int:
        """Number of inputs."""

    @property
    def hidden(self) -> tuple[int, int]:
        """Sizes of the hidden layers."""

    @property
    def players(self) -> int:
        """Number of seats."""

    @property
    def policy(self) -> int:
        """Number of policy features."""

    @property
    def kernel(self) -> str:
        """Name of the kernel in use."""

    def evaluate(
        self, inputs: Sequence[int], first: int = 0, count: int | None = None
    ) -> list[int]:
        """Return outputs in units of 2**-22: win, lead, gain by relative seat, then the policy.

        Args:
            inputs: numbers of the active inputs; repeats count.
            first, count: which of the outputs; to the last one if count is None.

        Raises:
            ValueError: if a number is out of its range.
        """

    def policy_table(
        self, inputs: Sequence[int], first: int = 0, count: int | None = None
    ) -> list[int]:
        """Return logits of policy features in 1/256 nat, as the search uses them.

        Args and errors as those of `evaluate`; `first` counts features, not outputs.
        """

    def seconds(self, inputs: Sequence[int], repeats: int, policy: int = 0) -> float:
        """Return the seconds that values and the first `policy` entries of the table take."""

def random_games(state: State, games: int, seed: int) -> tuple[int, list[int]]:
    """Play uniformly random games (keep_policy maximal) with the players and board of `state`.

    Returns:
        decisions made in all, and the sum of the final scores by seat.
    """

class Search:
    """One search tree. One thread at a time may use it; `stop` may be called from any.

    Args:
        state: somebody must be to move.
        seed, stream: of the random numbers.
        memory_bytes: size of the tree's arena, at least 65536; it is never exceeded.
        network: values and priors of positions; None: the fitted tables.
        **tunables: all fields of `pavilion_ai.tunables.Tunables`; `rivals` also by seat.

    Raises:
        ValueError: if nobody is to move, the network is not for this game and number of players,
            or a number is out of its range. MemoryError: if the arena cannot be had.
    """

    def __init__(
        self,
        state: State,
        *,
        seed: int,
        stream: int = 0,
        memory_bytes: int,
        network: Network | None = None,
        **tunables: float | tuple[float, ...],
    ) -> None: ...
    @property
    def sims(self) -> int:
        """Simulations since the tree was made or moved."""

    @property
    def nodes(self) -> int:
        """Nodes in the tree."""

    @property
    def memory_used(self) -> int:
        """Bytes of the arena in use."""

    def restrict(self, moves: Sequence[tuple[int, ...]]) -> None:
        """Look at no other moves of the root than these; before the first simulation.

        They may be moves that the search leaves out otherwise.

        Raises:
            ValueError: the search has begun, these are not different legal moves, or the arena has
                no room for them.
        """

    def expect(self, rivals: float | tuple[float, ...]) -> None:
        """Set the tunable `rivals` of all seats, or of each; ValueError while the search runs, or
        if a share is not in 0..1."""

    def run(self, sims: int, deadline: float = 0) -> int:
        """Simulate, without the interpreter's lock, until a limit is reached.

        Args:
            sims: at most so many.
            deadline: reading of time.monotonic() at which to end; 0 for none.

        Returns:
            simulations made in this call.
        """

    def stop(self) -> None:
        """End a running `run` after the simulation in progress, and any later one at once."""

    def resume(self) -> None:
        """Undo `stop`."""

    def root_stats(
        self,
    ) -> tuple[Move, int, float, float, tuple[float, ...], float, tuple[float, ...]]:
        """Return the root's sums in the form of a row (see `rows`); its move means nothing."""

    def rows(
        self,
    ) -> list[tuple[Move, int, float, float, tuple[float, ...], float, tuple[float, ...]]]:
        """Return the root's moves: (move, visits, sum of the mover's utility, prior, sums of win
        shares by seat, sum of the mover's squared win shares, sums of final scores by seat)."""

    def line(self, move: Sequence[int], length: int = 16) -> list[Move]:
        """Return the most visited continuation that begins with a root move, up to a draw."""

    def restart(self, state: State, *, seed: int, stream: int = 0) -> bool:
        """Begin a new search of a state, in the memory of the last one; as a new Search otherwise.

        Returns:
            False if the state is of another game or number of players; nothing is changed then.
        """

    def advance(self, state: State, *, seed: int, stream: int = 0) -> bool:
        """Make the node that stands for `state` the root, if decisions alone lead there.

        Returns:
            False if there is none; the tree is then as it was.
        """

def input_groups(cls: type[State], players: int) -> list[tuple[str, int, int, bool]]:
    """Return the groups of a network's inputs: name, first number, size, and whether it is the
    one-hot of a number. They tile all numbers from 0 on."""

def input_axes(cls: type[State]) -> dict[str, str]:
    """Return what the indices of groups of inputs stand for that a grey board can be turned in:
    axes as `pavilion_ai.train.symmetry` has them, by the group's name without seat and number."""

def policy_groups(cls: type[State]) -> list[tuple[str, int, int, str]]:
    """Return the same for policy features: name, first number, size and axes of each group."""

def network_inputs(cls: type[State], players: int) -> int:
    """Return how many inputs a network has."""

class SelfPlay:
    """Games of the search against itself, for training. One thread at a time.

    A record is a decision that was searched, or a position between two rounds; decisions with a
    single move leave none, and of the fast searches only a share may.

    Args:
        cls: of the states.
        network: None: the fitted tables.
        memory_bytes: of the search tree.
        full_sims, fast_sims: simulations of a full search and of another.
        full_share: of the decisions, searched in full; only their visits are recorded.
        noise: share of the root's priors that is noise, in full searches.
        drawn_share: of the decisions, whose move is drawn in proportion to the visits.
        record_share: of the fast searches, that leave a record.
        tunables: as for Search.

    Raises:
        ValueError: the network is not for this game and number of players, or a number is out of
            its range. MemoryError.
    """

    def __init__(
        self,
        cls: type[State],
        players: int,
        grey: bool,
        network: Network | None = None,
        *,
        memory_bytes: int = ...,
        full_sims: int = 600,
        fast_sims: int = 120,
        full_share: float = 0.3,
        noise: float = 0.15,
        drawn_share: float = 0.1,
        record_share: float = 1.0,
        **tunables: float,
    ) -> None: ...
    def play(self, seed: int) -> dict[str, Any] | None:
        """Play a game, without the interpreter's lock; None if `stop` was called.

        Returns:
            arrays as bytes, a row a record: `states` (see state_bytes), `round` (uint8); `win`,
            `lead`, `score` (float32 by seat: the root's mean win shares, squashed leads and final
            scores; -1 where nothing was searched); `first` (uint32, one more: where a record's
            moves begin), `moves` and `visits` (uint32). And of the game `final_win`, `final_lead`,
            `final_score` by seat, and `plies`.

        Raises:
            ValueError: a game is being played in another thread.
        """

    def stop(self) -> None:
        """End a running `play`, and any later one at once."""

def state_bytes(cls: type[State], players: int) -> int:
    """Return the bytes of a state in the records of self-play."""

def training_inputs(cls: type[State], players: int, states: bytes) -> tuple[bytes, bytes]:
    """Return the active inputs of recorded states: offsets (uint32, one more), inputs (uint16).

    This and the next two raise ValueError if the records are not of so many players, or the rows of
    moves not as many as the records.
    """

def training_moves(
    cls: type[State], players: int, states: bytes, first: Any, moves: Any
) -> tuple[bytes, bytes]:
    """Return the policy features of recorded moves: offsets (uint32, one more), features
    (uint16)."""

def training_seats(cls: type[State], players: int, states: bytes) -> tuple[bytes, bytes]:
    """Return from whose viewpoint the inputs are (uint8), and the scores by seat (float32)."""

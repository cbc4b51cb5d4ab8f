"""The compiled core: rules and search of the games, and nothing else.

Numbers at this boundary. Colours are numbered in wild order (P G O Y B R = 0..5); multisets of
tiles are six counts in that order; spaces are 6 * site + position - 1 with sites W NW NE E SE SW C;
phases are draft, place, bonus, deal, supply, over = 0..5; -1 stands for null. A move is a tuple:

    (0, source, colour)             draft; source 0-8 a display, 9 the centre
    (1, space, colour, own)         place, paying `own` tiles of the colour, the rest in wilds
    (2, n0, ..., n5)                take bonus tiles
    (3, n0, ..., n5)                pass, keeping these tiles

Sections (A3.3 and so on) are those of the rules specification.
"""

from collections.abc import Sequence

Counts = tuple[int, ...]
Move = tuple[int, ...]

POLICY_SIZE: int
"""Number of policy features."""
EVALUATION_SIZE: int
"""Number of evaluation features."""

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

class SummerState:
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

    @property
    def players(self) -> int:
        """Number of seats, 2-4."""

    @property
    def phase(self) -> int:
        """Number of the phase."""

    @property
    def round(self) -> int:
        """Round, 1-6."""

    @property
    def to_move(self) -> int:
        """Seat to move, -1 in a chance phase and at the end."""

    @property
    def state_bytes(self) -> int:
        """Bytes that a copy inside the search moves."""

    def scores(self) -> list[int]:
        """Return the scores by seat; final bonuses are in them once the game is over."""

    def fields(
        self,
    ) -> tuple[
        int, bool, int, int, int, int, int, int, int,
        tuple[Counts, ...], Counts, Counts, Counts, Counts, int, bool,
        tuple[tuple[int, Counts, Counts, bool, tuple[int, ...]], ...],
    ]:
        """Return the constructor's arguments, in its order."""

    def copy(self) -> SummerState:
        """Return an independent copy."""

    def moves(self, maximal: bool = False) -> list[Move]:
        """Return the legal moves; empty in chance phases and at the end.

        Args:
            maximal: keep_policy `maximal` instead of `free` (A7.8).
        """

    def apply(self, move: Sequence[int]) -> None:
        """Play a move; stops at a chance phase. ValueError if it is not legal."""

    def apply_chance(self, draws: Sequence[Sequence[int]]) -> None:
        """Draw exactly these tiles: one multiset per display in phase deal, one in phase supply.

        Raises:
            ValueError: if the bag (then the tower, A9) cannot yield them, or nothing is to be
                drawn; the state is unchanged.
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

    def perft(self, depth: int) -> int:
        """Return the leaf nodes after `depth` decisions, draws resolved as by `settle`."""

    def breakdown(self) -> list[tuple[int, int, int]]:
        """Return by seat the points from play, stars and numbers. ValueError before the end."""

    def winners(self) -> list[int]:
        """Return the seats that share the victory, ascending. ValueError before the end."""

def random_games(state: SummerState, games: int, seed: int) -> tuple[int, list[int]]:
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
        exploration .. max_depth: see docs/search.md.

    Raises:
        ValueError: if nobody is to move. MemoryError: if the arena cannot be had.
    """

    def __init__(
        self,
        state: SummerState,
        *,
        seed: int,
        stream: int = 0,
        memory_bytes: int,
        exploration: float,
        fpu_reduction: float,
        temperature: float,
        mixed: float,
        win_weight: float,
        width: float,
        expand_visits: int,
        selection: int,
        uniform: int,
        max_depth: int,
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

    def advance(self, state: SummerState, *, seed: int, stream: int = 0) -> bool:
        """Make the node that stands for `state` the root, if decisions alone lead there.

        Returns:
            False if there is none; the tree is then as it was.
        """

def policy_move(state: SummerState, rng: Rng | None = None, by_hand: bool = False) -> Move:
    """Return a move drawn from the policy, without rng its most likely one.

    Args:
        by_hand: take the hand-written weights, not the fitted ones.

    Raises:
        ValueError: if nobody is to move.
    """

def policy_features(state: SummerState, move: Sequence[int]) -> list[int]:
    """Return the numbers (below POLICY_SIZE, with repetitions) of a legal move's features."""

def evaluation_features(state: SummerState, seat: int) -> list[int]:
    """Return the numbers of a seat's features (below EVALUATION_SIZE, with repetitions).

    Raises:
        ValueError: if the phase is not deal.
    """

def evaluate(state: SummerState) -> tuple[list[float], list[float]]:
    """Return expected final scores and win shares by seat, between rounds or at the end.

    Raises:
        ValueError: in any other phase.
    """

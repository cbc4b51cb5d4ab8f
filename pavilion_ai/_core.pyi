"""Types of the compiled core; its documentation stands in _core.pyx and the files it includes."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict

import numpy.typing as npt
from typing_extensions import Buffer, Self

_Counts: TypeAlias = tuple[int, ...]
_Move: TypeAlias = tuple[int, ...]
_Array: TypeAlias = npt.NDArray[Any]

POLICY_SIZES: Final[dict[type[State], int]]
LINEAR_SIZES: Final[dict[type[State], int]]
EVALUATION_SIZES: Final[dict[type[State], int]]

CENTRE: Final[int]
SUMMER_MOVE_DRAFT: Final[int]
SUMMER_MOVE_PLACE: Final[int]
SUMMER_MOVE_BONUS: Final[int]
SUMMER_MOVE_PASS: Final[int]
AZUL_MOVE_TAKE: Final[int]
AZUL_MOVE_TILE: Final[int]
AZUL_FLOOR: Final[int]
SELECT_PUCT: Final[int]
SELECT_UCB: Final[int]
SELECT_EVEN: Final[int]
SMALLEST_ARENA: Final[int]
CAN_SHARE: Final[bool]
REWARD_WIN: Final[int]
REWARD_SCORE: Final[int]
REWARD_DENSE: Final[int]
OBSERVE_COUNTS: Final[int]
OBSERVE_SCALED: Final[int]
OBSERVE_FEATURES: Final[int]

class RootMove(NamedTuple):
    move: _Move
    visits: int
    value: float
    prior: float
    wins: tuple[float, ...]
    squares: float
    scores: tuple[float, ...]

class Rng:
    def __init__(self, seed: int, stream: int = 0) -> None: ...
    def next(self) -> int: ...
    def below(self, n: int) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[tuple[int, ...], dict[str, Any] | None]) -> None: ...

class SummerSeatFields(NamedTuple):
    score: int
    hand: _Counts
    kept: _Counts
    passed: bool
    spaces: tuple[int, ...]

class SummerFields(NamedTuple):
    players: int
    grey: bool
    round: int
    phase: int
    to_move: int
    start_seat: int
    token: int
    bonus_due: int
    next_to_move: int
    displays: tuple[_Counts, ...]
    centre: _Counts
    supply: _Counts
    bag: _Counts
    tower: _Counts
    bag_size: int
    split_known: bool
    seats: tuple[SummerSeatFields, ...]

class AzulSeatFields(NamedTuple):
    score: int
    lines: tuple[tuple[int, int], ...]
    wall: tuple[int, ...]
    floor: tuple[int, ...]

class AzulFields(NamedTuple):
    players: int
    grey: bool
    round: int
    phase: int
    to_move: int
    start_seat: int
    token: int
    displays: tuple[_Counts, ...]
    centre: _Counts
    bag: _Counts
    lid: _Counts
    bag_size: int
    split_known: bool
    seats: tuple[AzulSeatFields, ...]

class State:
    @classmethod
    def new(cls, players: int, grey: bool, start_seat: int, rng: Rng) -> Self: ...
    @property
    def players(self) -> int: ...
    @property
    def phase(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def to_move(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def between_rounds(self) -> bool: ...
    def packed(self) -> bytes: ...
    def copy(self) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, object]) -> Self: ...
    def fields(self) -> SummerFields | AzulFields: ...
    def scores(self) -> list[int]: ...
    def moves(self, maximal: bool = False) -> list[_Move]: ...
    def codes(self, maximal: bool = False) -> list[int]: ...
    def numbers(self, code: int) -> _Move: ...
    def code(self, move: Sequence[int]) -> int: ...
    def apply(self, move: Sequence[int]) -> None: ...
    def apply_code(self, code: int) -> None: ...
    def apply_chance(self, draws: Sequence[Sequence[int]]) -> None: ...
    def draw(self, rng: Rng, tied: bool = False) -> tuple[_Counts, ...]: ...
    def settle(self) -> None: ...
    def random_move(self, rng: Rng, maximal: bool = True) -> _Move: ...
    def policy_move(self, rng: Rng | None = None, by_hand: bool = False,
                    network: Network | None = None) -> _Move: ...
    def inputs(self) -> list[int]: ...
    def policy_features(self, move: Sequence[int], wide: bool = False) -> list[int]: ...
    def evaluation_features(self, seat: int) -> list[int]: ...
    def evaluate(self) -> tuple[list[float], list[float]]: ...
    def perft(self, depth: int) -> int: ...
    def breakdown(self) -> list[tuple[int, ...]]: ...
    def winners(self) -> list[int]: ...
    def action(self, code: int) -> int: ...
    def action_code(self, action: int) -> int: ...
    def action_mask(self) -> bytes: ...
    def observation(self, viewer: int) -> bytes: ...

class SummerState(State):
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
    def fields(self) -> SummerFields: ...

class AzulState(State):
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
    def fields(self) -> AzulFields: ...

def wall_points(before: Sequence[int], after: Sequence[int]) -> int: ...
def network_kernels() -> tuple[str, ...]: ...

class Network:
    def __new__(
        cls,
        inputs: int,
        hidden1: int,
        hidden2: int,
        players: int,
        policy: int,
        payload: bytes,
        kernel: str | None = None,
        win_scale: float = 1.0,
        sha256: str = "",
    ) -> Self: ...
    @property
    def win_scale(self) -> float: ...
    @property
    def sha256(self) -> str: ...
    @property
    def inputs(self) -> int: ...
    @property
    def hidden(self) -> tuple[int, int]: ...
    @property
    def players(self) -> int: ...
    @property
    def policy(self) -> int: ...
    @property
    def kernel(self) -> str: ...
    def evaluate(
        self, inputs: Sequence[int], first: int = 0, count: int | None = None
    ) -> list[int]: ...
    def policy_table(
        self, inputs: Sequence[int], first: int = 0, count: int | None = None
    ) -> list[int]: ...
    def seconds(self, inputs: Sequence[int], repeats: int, policy: int = 0) -> float: ...

def random_games(state: State, games: int, seed: int) -> tuple[int, list[int]]: ...

class Search:
    def __init__(
        self,
        state: State,
        *,
        seed: int,
        stream: int = 0,
        threads: int = 1,
        memory_bytes: int,
        network: Network | None = None,
        **tunables: float | tuple[float, ...],
    ) -> None: ...
    @property
    def sims(self) -> int: ...
    @property
    def helped(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def memory_used(self) -> int: ...
    def restrict(self, moves: Sequence[Sequence[int]]) -> None: ...
    def listed(self) -> list[_Move]: ...
    def compare(self, moves: Sequence[Sequence[int]]) -> None: ...
    @property
    def linear(self) -> tuple[bool, ...]: ...
    def expect(self, rivals: float | tuple[float, ...]) -> None: ...
    def set_deadline(self, deadline: float, most: float = 0, expected: float = 0) -> None: ...
    def is_out_of_time(self) -> bool: ...
    @property
    def pause(self) -> float: ...
    def run(self, sims: int, until: float = 0) -> int: ...
    def open_team(self) -> None: ...
    def close_team(self) -> None: ...
    def assist(self) -> None: ...
    def stop(self) -> None: ...
    def resume(self) -> None: ...
    def root_stats(self) -> RootMove: ...
    def rows(self) -> list[RootMove]: ...
    def line(self, move: Sequence[int], length: int = 16) -> list[_Move]: ...
    def restart(self, state: State, *, seed: int, stream: int = 0) -> bool: ...
    def advance(self, state: State, *, seed: int, stream: int = 0,
                seconds: float = 0) -> bool: ...

def input_groups(cls: type[State], players: int) -> list[tuple[str, int, int, bool]]: ...
def input_axes(cls: type[State]) -> dict[str, str]: ...
def policy_groups(cls: type[State]) -> list[tuple[str, int, int, str]]: ...
def network_inputs(cls: type[State], players: int) -> int: ...

class _PlayedGame(TypedDict):
    states: bytes
    round: bytes
    first: bytes
    moves: bytes
    visits: bytes
    win: bytes
    lead: bytes
    score: bytes
    final_win: tuple[float, ...]
    final_lead: tuple[float, ...]
    final_score: tuple[float, ...]
    plies: int

class SelfPlay:
    def __init__(
        self,
        cls: type[State],
        players: int,
        grey: bool,
        network: Network | None = None,
        *,
        memory_bytes: int = 8388608,
        full_sims: int = 600,
        fast_sims: int = 120,
        full_share: float = 0.3,
        noise: float = 0.15,
        drawn_share: float = 0.1,
        record_share: float = 1.0,
        **tunables: float | tuple[float, ...],
    ) -> None: ...
    def play(self, seed: int) -> _PlayedGame | None: ...
    def stop(self) -> None: ...

def state_bytes(cls: type[State], players: int) -> int: ...
def training_states(
    cls: type[State], players: int, states: Buffer, rows: Iterable[int]
) -> list[State]: ...
def training_inputs(cls: type[State], players: int, states: Buffer) -> tuple[bytes, bytes]: ...
def training_moves(
    cls: type[State], players: int, states: Buffer, first: Buffer, moves: Buffer
) -> tuple[bytes, bytes]: ...
def training_seats(cls: type[State], players: int, states: Buffer) -> tuple[bytes, bytes]: ...

class GameBatch:
    def __init__(
        self,
        cls: type[State],
        players: int,
        grey: bool,
        size: int,
        seed: int,
        arrays: tuple[_Array, _Array, _Array, _Array],
    ) -> None: ...
    def saved(self) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...
    def reset(self, first: int, end: int) -> None: ...
    def prepare(self, actions: _Array, first: int, end: int) -> int: ...
    def play(self, kind: int, first: int, end: int) -> None: ...
    def mask(self, out: _Array, first: int, end: int) -> None: ...
    def choose(self, out: _Array, first: int, end: int) -> None: ...
    def observe(
        self, kind: int, shares: _Array, out: _Array, first: int, end: int
    ) -> None: ...

def action_count(cls: type[State], players: int, grey: bool) -> int: ...
def observation_parts(
    cls: type[State], players: int
) -> list[tuple[str, tuple[str, ...], tuple[int, ...], int]]: ...

class GuidedSearch(Search):
    def __init__(
        self,
        state: State,
        *,
        room: int,
        seed: int,
        stream: int = 0,
        memory_bytes: int,
        **tunables: float | tuple[float, ...],
    ) -> None: ...
    def gather(
        self, sims: int, kind: int, shares: _Array, seen: _Array, mask: _Array, viewers: _Array
    ) -> tuple[int, int]: ...
    def settle(self, win: _Array, lead: _Array, gain: _Array, logits: _Array) -> int: ...
    def forget(self) -> None: ...

def network_estimates(
    network: Network,
    states: list[State],
    arrays: tuple[_Array, _Array, _Array, _Array],
    **tunables: float | tuple[float, ...],
) -> None: ...

"""The compiled core as Python sees it: documented, with signatures, and with the stub's types."""

from __future__ import annotations

import ast
import contextlib
import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pavilion_ai
from pavilion_ai import _core, tunables
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.limits import Limits
from pavilion_ai.network import shipped
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher

STUB = ast.parse((Path(pavilion_ai.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body
           if isinstance(node, ast.ClassDef) and hasattr(_core, node.name)}
FUNCTIONS = [node.name for node in STUB.body if isinstance(node, ast.FunctionDef)]
MEMBERS = [(name, member) for name, node in CLASSES.items() for member in node.body
           if isinstance(member, ast.FunctionDef) and not member.name.startswith("__")]


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool, bool]]:
    """Return name, whether by keyword only and whether optional, of all but self and **kwargs."""
    arguments = function.args
    names = [*arguments.args][1:]
    optional = [False] * (len(names) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    return [
        *((name.arg, False, default) for name, default in zip(names, optional, strict=True)),
        *((name.arg, True, default is not None)
          for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)),
    ]


def test_the_stub_was_read() -> None:
    assert {"State", "SummerState", "AzulState", "Search", "SelfPlay", "Network"} <= set(CLASSES)
    assert len(MEMBERS) > 40
    assert "random_games" in FUNCTIONS


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_are_documented(name: str) -> None:
    assert inspect.getdoc(getattr(_core, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented(name: str) -> None:
    function = getattr(_core, name)
    assert inspect.getdoc(function)
    assert "..." not in str(inspect.signature(function))


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=lambda one: getattr(one, "name", one))
def test_members_are_documented(name: str, member: ast.FunctionDef) -> None:
    found = getattr(getattr(_core, name), member.name)
    assert inspect.getdoc(found), f"{name}.{member.name}"
    if not member.decorator_list:
        inspect.signature(found)


@pytest.mark.parametrize("name", [
    name for name in sorted(CLASSES)
    if name != "State" and not issubclass(getattr(_core, name), tuple)])
def test_constructors_say_the_arguments_of_the_stub(name: str) -> None:
    [made] = [member for member in CLASSES[name].body if isinstance(member, ast.FunctionDef)
              and member.name in ("__init__", "__new__")]
    found = inspect.signature(getattr(_core, name)).parameters.values()
    assert [(one.name, one.kind is one.KEYWORD_ONLY, one.default is not one.empty)
            for one in found if one.kind is not one.VAR_KEYWORD] == parameters(made)


def test_selections_are_those_of_the_core() -> None:
    """`tunables` declares them too: specs are read without loading the core."""
    for name in ("SELECT_PUCT", "SELECT_UCB", "SELECT_EVEN"):
        assert getattr(tunables, name) == getattr(_core, name)


@pytest.mark.parametrize("game", GAMES)
def test_fields_are_named_as_the_arguments(game: str) -> None:
    rules = GAMES[game]
    position = rules.new(seed=1)
    state = rules.to_core(position)
    fields = state.fields()
    assert fields._fields == tuple(inspect.signature(type(state)).parameters)
    assert fields.displays == position.displays
    assert [seat.score for seat in fields.seats] == state.scores()


@pytest.mark.parametrize("game", GAMES)
def test_rows_are_named(game: str) -> None:
    rules = GAMES[game]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.Search(state, seed=1, memory_bytes=1 << 20, **rules.tunables)
    tree.run(200)
    rows = tree.rows()
    assert sum(row.visits for row in rows) == tree.root_stats().visits == 200
    assert {row.move for row in rows} <= set(state.moves())
    assert all(len(row.wins) == len(row.scores) == state.players for row in rows)
    assert sum(row.prior for row in rows) == pytest.approx(1)


def test_a_state_is_of_some_game() -> None:
    with pytest.raises(TypeError, match="by the class of its game"):
        _core.State()


@pytest.mark.parametrize("game", GAMES)
def test_no_deal_comes_before_the_first_round(game: str) -> None:
    """What a seat will gain is told by the round before."""
    rules = GAMES[game]
    state = rules.to_core(rules.new(seed=1))
    fields: dict[str, Any] = state.fields()._asdict()
    none = (0,) * len(fields["centre"])
    deal = {"phase": 3 if game == "summer" else 2, "to_move": -1, "centre": none,
            "displays": (none,) * 5}
    assert type(state)(**{**fields, **deal, "round": 2}).between_rounds
    with pytest.raises(ValueError, match="first round"):
        type(state)(**{**fields, **deal})


@pytest.mark.parametrize("code", [6 << 7, 7 << 7, 1 | 6 << 9, 1 | 7 << 9])
def test_numbers_of_no_colour_are_no_move(code: int) -> None:
    rules = GAMES["summer"]
    with pytest.raises(ValueError, match="no colour"):
        rules.to_core(rules.new(seed=1)).numbers(code)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_numbers_that_are_no_move_are_refused(game: str) -> None:
    rules = GAMES[game]
    state = rules.to_core(rules.new("grey", seed=1))
    code = state.codes()[0]
    assert state.code(state.numbers(code)) == code
    wrong = {code | 1 << bit for bit in range(32)} - {*state.codes(), code}
    moves = 0
    for number in wrong:
        for use in (state.action, state.apply_code):
            with pytest.raises(ValueError, match=f"move {number} is not legal here"):
                use(number)
        try:
            assert state.code(state.numbers(number)) == number
            moves += 1
        except ValueError:
            pass
    assert 0 < moves < 8
    for number in (code | 1 << 31, *(kind | 7 << 3 for kind in range(4, 8))):
        with pytest.raises(ValueError, match=r"is not a move|, expected 0\.\."):
            state.numbers(number)


@pytest.mark.parametrize("restart", [
    None, lambda batch: batch.reset(0, 2), lambda batch: batch.begin(0, batch.state(1)),
    lambda batch: batch.restore(batch.saved()),
], ids=["new", "reset", "begin", "restore"])
def test_a_batch_plays_only_what_was_prepared(
    restart: Callable[[_core.GameBatch], None] | None
) -> None:
    arrays = (np.zeros((2, 2), np.float32), np.zeros(2, np.uint8), np.zeros(2, np.int8),
              np.zeros((2, 2), np.int32))
    batch = _core.GameBatch(_core.AzulState, 2, False, 2, 1, arrays)
    if restart:
        actions = np.zeros(2, np.int64)
        batch.choose(actions, 0, 2)
        assert batch.prepare(actions, 0, 2) == -1
        restart(batch)
    with pytest.raises(ValueError, match="game 0 has no move prepared"):
        batch.play(_core.REWARD_WIN, 0, 2)


def test_a_batch_begins_only_games_of_its_variant() -> None:
    arrays = (np.zeros((2, 2), np.float32), np.zeros(2, np.uint8), np.zeros(2, np.int8),
              np.zeros((2, 2), np.int32))
    batch = _core.GameBatch(_core.AzulState, 2, False, 2, 1, arrays)
    before = batch.saved()
    over = _core.AzulState.new(2, False, 0, Rng(1))
    bool(Ends(over))
    unmade: Any = _core.AzulState.__new__(_core.AzulState)
    for wrong in (over, unmade, _core.AzulState.new(3, False, 0, Rng(1)),
                  _core.AzulState.new(2, True, 0, Rng(1)),
                  _core.SummerState.new(2, False, 0, Rng(1))):
        with pytest.raises(ValueError, match=r"of another variant|is over"):
            batch.begin(1, wrong)
    assert batch.saved() == before


def test_random_numbers_are_not_all_zeros() -> None:
    """From zeros only zeros follow."""
    rng: Any = Rng(1)
    with pytest.raises(ValueError, match="all 0"):
        rng.__setstate__(((0, 0, 0, 0), None))
    assert rng.next() == Rng(1).next()
    rng.__setstate__(((0, 0, 0, 1), None))
    raw: Any = Rng.__new__(Rng)         # as where a class derived from it does not call `__init__`
    assert raw.next() == Rng(0).next()
    arrays = (np.zeros((2, 2), np.float32), np.zeros(2, np.uint8), np.zeros(2, np.int8),
              np.zeros((2, 2), np.int32))
    batch = _core.GameBatch(_core.AzulState, 2, False, 2, 1, arrays)
    saved = batch.saved()
    for game, at in ((0, 128), (1, 96), (0, 64), (1, 32)):     # for the games, then for actions
        wrong = saved[:len(saved) - at] + bytes(32) + saved[len(saved) - at + 32:]
        with pytest.raises(ValueError, match=f"random numbers of game {game} are all 0"):
            batch.restore(wrong)
    assert batch.saved() == saved
    batch.restore(saved)


def test_a_batch_keeps_its_arrays() -> None:
    """Whatever becomes of what they came in; and they keep their size."""
    arrays = [bytearray(16), bytearray(2), bytearray(2), bytearray(16)]
    given: Any = (array for array in arrays)
    batch = _core.GameBatch(_core.AzulState, 2, False, 2, 1, given)
    for array in arrays:
        with pytest.raises(BufferError):
            array.extend(bytes(1000))
    batch.reset(0, 2)


SIZE = 1 << 13
COUNTS, ACTIONS = 272, 581      # of an observation and a mask of two players on the coloured side


@pytest.fixture(scope="module")
def users_of_arrays() -> dict[str, tuple[Any, Callable[[Any], object]]]:
    """What the core writes to or reads from without the interpreter's lock: an array, and what is
    done with memory of its size."""
    arrays = (np.zeros((SIZE, 2), np.float32), np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.int8),
              np.zeros((SIZE, 2), np.int32))
    batch = _core.GameBatch(_core.SummerState, 2, False, SIZE, 1, arrays)
    actions, shares = np.zeros(SIZE, np.int64), np.ones(COUNTS, np.float32)
    batch.choose(actions, 0, SIZE)
    rules = GAMES["summer"]
    tree = _core.GuidedSearch(rules.to_core(rules.new(seed=1)), room=512, seed=1,
                              memory_bytes=1 << 20, **rules.tunables)
    seen, masks = np.zeros((512, COUNTS), np.float32), np.zeros((512, ACTIONS), np.uint8)
    viewers, observed = np.zeros(512, np.uint8), np.zeros((SIZE, COUNTS), np.float32)

    def gather(kind: int, shares: Any, seen: Any, masks: Any, viewers: Any) -> None:
        try:
            tree.gather(5000, kind, shares, seen, masks, viewers)
        finally:
            tree.forget()

    assert tree.gather(5000, _core.OBSERVE_SCALED, shares, seen, masks, viewers) == (0, 1)
    tree.settle(np.full(2, 0.5), np.full(2, 0.5), np.zeros(2), np.zeros(ACTIONS, np.float32))
    return {
        "prepare": (actions, lambda one: batch.prepare(one, 0, SIZE)),
        "choose": (actions.copy(), lambda one: batch.choose(one, 0, SIZE)),
        "mask": (np.zeros((SIZE, ACTIONS), np.uint8), lambda one: batch.mask(one, 0, SIZE)),
        "observe": (observed, lambda one: batch.observe(
            _core.OBSERVE_SCALED, shares, one, 0, SIZE)),
        "shares": (shares, lambda one: batch.observe(
            _core.OBSERVE_SCALED, one, observed, 0, SIZE)),
        "seen": (seen, lambda one: gather(_core.OBSERVE_SCALED, shares, one, masks, viewers)),
        "masks": (masks, lambda one: gather(_core.OBSERVE_SCALED, shares, seen, one, viewers)),
    }


@pytest.mark.parametrize(
    "user", ["prepare", "choose", "mask", "observe", "shares", "seen", "masks"])
def test_memory_is_held_as_long_as_the_core_uses_it(
    user: str, users_of_arrays: dict[str, tuple[Any, Callable[[Any], object]]]
) -> None:
    """Another thread could resize it or let it go; it may try too early, or too late."""
    array, use = users_of_arrays[user]

    def work(view: memoryview, begun: threading.Event) -> None:
        begun.set()
        with contextlib.suppress(ValueError):
            use(view)

    for _ in range(100):
        view, begun = memoryview(array), threading.Event()
        thread = threading.Thread(target=work, args=(view, begun))
        thread.start()
        begun.wait()
        try:
            view.release()
        except BufferError:
            return
        finally:
            thread.join()
    pytest.fail("the memory was let go each time")


@pytest.mark.parametrize("user", ["prepare", "choose", "observe", "shares", "seen"])
def test_memory_that_is_not_aligned_is_refused(
    user: str, users_of_arrays: dict[str, tuple[Any, Callable[[Any], object]]]
) -> None:
    array, use = users_of_arrays[user]
    with pytest.raises(ValueError, match=f"expected an address divisible by {array.itemsize}"):
        use(memoryview(bytearray(array.nbytes + 1))[1:])
    with pytest.raises(ValueError, match=f"{array.nbytes - 1} bytes, expected {array.nbytes}"):
        use(bytearray(array.nbytes - 1))


def test_records_that_are_not_aligned_are_refused() -> None:
    rules = GAMES["summer"]
    state = rules.to_core(rules.new(seed=1))
    first, moves = np.array([0, 1], np.uint32), np.array(state.codes()[:1], np.uint32)

    def moved(array: Any) -> Any:
        memory = memoryview(bytearray(array.nbytes + 1))[1:]
        memory[:] = array.tobytes()
        return memory.cast("I")

    records = (type(state), 2, state.packed())
    offsets, features = _core.training_moves(*records, first, moves)
    assert offsets
    assert features
    for wrong in ((moved(first), moves), (first, moved(moves))):
        with pytest.raises(ValueError, match="not aligned"):
            _core.training_moves(*records, *wrong)


class Late:
    """A number for which something else is done first."""

    def __init__(self, number: int, first: Callable[[], object]) -> None:
        self.number, self.first = number, first

    def __index__(self) -> int:
        self.first()
        return self.number

def emptying(fields: tuple[Any, ...], number: int) -> list[Any]:
    """Return nested lists of what is in nested tuples; while one of their whole numbers is read,
    every list is emptied."""
    made: list[list[Any]] = []
    numbers: list[tuple[list[Any], int]] = []

    def copied(value: Any) -> Any:
        if not isinstance(value, (tuple, list)):
            return value
        into: list[Any] = []
        made.append(into)
        for one in value:
            into.append(copied(one))
            if type(one) is int:
                numbers.append((into, len(into) - 1))
        return into

    outer: list[Any] = copied(fields)
    inner = [one for one in made if one is not outer]
    into, at = numbers[number % len(numbers)]
    into[at] = Late(into[at], lambda: [one.clear() for one in inner])
    return outer


@pytest.mark.parametrize("game", list(GAMES))
def test_lists_that_are_emptied_while_they_are_read(game: str) -> None:
    """Numbers run code of Python's; another thread could do the same."""
    rules = GAMES[game]
    play = Play.new(game, seed=4)
    while play.turn is not None:
        state: Any = play.state
        for number in range(0, 160, 7):
            with contextlib.suppress(ValueError):
                made = rules.core_class(*emptying(state.fields(), number))
                assert made.packed() == state.packed()
        for code in state.codes()[:5]:
            move = list(state.numbers(code))
            for at in range(len(move)):
                given = list(move)
                given[at] = Late(move[at], given.clear)
                assert state.code(given) == code
        play.push(play.legal_moves[0])


def test_draws_that_are_emptied_while_they_are_read() -> None:
    play = Play.new("azul", seed=4)
    while play.turn is not None:
        play.push(play.legal_moves[0])
    before = play.state.copy()
    play.draw_once()
    displays = play.state.fields().displays
    for number in range(25):
        with contextlib.suppress(ValueError):
            before.copy().apply_chance(emptying(displays, number))


class Ends:
    """True, and then a game is over."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def __bool__(self) -> bool:
        while not self.state.over:
            if self.state.to_move < 0:
                self.state.draw(Rng(1))
            else:
                self.state.apply_code(self.state.codes()[0])
        return True


@pytest.mark.parametrize("use", [
    lambda state, truth: state.random_move(Rng(1), truth),
    lambda state, truth: state.policy_move(None, truth),
    lambda state, truth: state.policy_features(state.numbers(state.codes()[0]), truth),
], ids=["random_move", "policy_move", "policy_features"])
def test_truth_is_asked_for_before_the_position_is_looked_at(
    use: Callable[[Any, Ends], object]
) -> None:
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    with pytest.raises(ValueError):  # noqa: PT011
        use(state, Ends(state))


@pytest.mark.parametrize("game", list(GAMES))
def test_a_deal_of_no_tiles_is_not_sound(game: str) -> None:
    rules = GAMES[game]
    play = Play.new(game, seed=4)
    while not play.state.between_rounds:
        play.draw_once() if play.turn is None else play.push(play.legal_moves[0])
    packed, variant = play.state.packed(), (rules.core_class, 2)
    bag = bytes(16)  # the bag and the discards
    assert _core.training_states(*variant, packed, [0])[0].between_rounds
    with pytest.raises(ValueError, match="record"):
        _core.training_states(*variant, bag + packed[16:], [0])


def test_colours_that_fit_on_no_wall_are_not_sound() -> None:
    """Two tiles on the diagonal, each in the column of the other."""
    rules = GAMES["azul"]
    fields: Any = rules.to_core(rules.new("grey", seed=4)).fields()
    wall = (1, *5 * (0,), 2, *18 * (0,))
    seats = tuple(seat._replace(wall=wall) for seat in fields.seats)
    state = rules.core_class(*fields._replace(seats=seats))
    packed = state.packed()
    assert [seat.wall for seat in _core.training_states(
        rules.core_class, 2, packed, [0])[0].fields().seats] == [wall, wall]
    both, swapped = ((1 << one | 1 << 5 + other).to_bytes(4, "little")
                     for one, other in ((0, 1), (1, 0)))
    at = packed.rindex(both)                        # the columns, after the rows of as many colours
    wrong = packed[:at] + swapped + packed[at + 4:]
    with pytest.raises(ValueError, match="record 0 has a board whose colours do not fit"):
        _core.training_states(rules.core_class, 2, wrong, [0])
    arrays = (np.zeros((1, 2), np.float32), np.zeros(1, np.uint8), np.zeros(1, np.int8),
              np.zeros((1, 2), np.int32))
    batch = _core.GameBatch(rules.core_class, 2, True, 1, 1, arrays)
    batch.begin(0, state)
    saved = batch.saved()
    batch.restore(saved)
    assert batch.state(0).packed() == packed
    with pytest.raises(ValueError, match="game 0 is not one of the variant"):
        batch.restore(saved.replace(packed, wrong))


def test_a_tree_is_read_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one may come while Python's code runs: here this thread plays it."""
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.Search(state, seed=1, memory_bytes=1 << 20, **rules.tunables)
    tree.run(50)
    move = tree.rows()[0].move
    tries = []

    def search() -> None:
        tries.append(1)
        with pytest.raises(ValueError, match="already running"):
            tree.run(1)

    def row(*fields: Any) -> tuple[Any, ...]:
        search()
        return fields

    late: Any = (Late(move[0], search), *move[1:])
    monkeypatch.setattr(_core, "RootMove", row)
    for read in (tree.rows, tree.root_stats, lambda: tree.line(late), lambda: tree.compare([late])):
        tries.clear()
        assert read() or tries
        assert tries
    assert tree.run(1) == 1


def test_a_refused_change_leaves_the_tree_as_it_was() -> None:
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.Search(state, seed=1, memory_bytes=1 << 20, **rules.tunables)
    tree.run(50)
    before = tree.rows()
    for change in (lambda: tree.restart(state, seed="1"),  # type: ignore[arg-type]
                   lambda: tree.advance(state, seed=1, stream="1"),  # type: ignore[arg-type]
                   lambda: tree.expect((1.0, 2.0))):
        with pytest.raises((TypeError, ValueError)):
            change()
    assert tree.sims == 50
    assert tree.rows() == before
    assert tree.linear == (False, False)


def test_leaves_that_wait_keep_their_tree() -> None:
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.GuidedSearch(state, room=4, seed=1, memory_bytes=1 << 20, **rules.tunables)
    actions = _core.action_count(_core.AzulState, 2, False)
    numbers = len(state.observation(0)) // 2
    _, waiting = tree.gather(10, _core.OBSERVE_COUNTS, np.zeros(numbers, np.float32),
                             np.zeros((4, numbers), np.int16), np.zeros((4, actions), np.uint8),
                             np.zeros(4, np.uint8))
    assert waiting == 1
    for change in (lambda: tree.restart(state, seed=2), lambda: tree.advance(state, seed=2),
                   lambda: tree.compare(state.moves()), lambda: tree.run(1)):
        with pytest.raises(ValueError, match="leaves are waiting"):
            change()
    for win, lead, gain in ((np.nan, 0.5, 0), (0.5, np.nan, 0), (1.1, 0.5, 0), (0.5, -np.inf, 0),
                            (0.5, 0.5, np.nan), (0.5, 0.5, np.inf), (0.5, 0.5, -np.inf)):
        with pytest.raises(ValueError, match=r"leaf 0: .* from 0 to 1|leaf 0: gains are finite"):
            tree.settle(np.full((1, 2), win), np.full((1, 2), lead), np.full((1, 2), float(gain)),
                        np.zeros((1, actions), np.float32))
    tree.forget()
    assert tree.restart(state, seed=2)


@pytest.mark.parametrize(("logit", "alike"), [(np.nan, False), (-np.inf, False), (np.inf, True)])
def test_logits_that_are_not_finite(logit: float, alike: bool) -> None:
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.GuidedSearch(state, room=1, seed=1, memory_bytes=1 << 20, **rules.tunables)
    actions = _core.action_count(_core.AzulState, 2, False)
    numbers = len(state.observation(0)) // 2
    tree.gather(10, _core.OBSERVE_COUNTS, np.zeros(numbers, np.float32),
                np.zeros((1, numbers), np.int16), np.zeros((1, actions), np.uint8),
                np.zeros(1, np.uint8))
    odd, *others = [state.action(code) for code in state.codes()]
    logits = np.zeros(actions, np.float32)
    logits[odd] = logit
    tree.settle(np.full(2, 0.5), np.full(2, 0.5), np.zeros(2), logits)
    priors = {state.action(state.code(row.move)): row.prior for row in tree.rows()}
    assert len({priors[action] for action in others}) == 1
    assert (priors[odd] == priors[others[0]]) == alike
    assert priors[odd] == min(priors.values())


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_guided_search_keeps_to_its_side_of_the_board(game: str) -> None:
    """The other side has more actions than there is room for."""
    rules = GAMES[game]
    sides = [rules.to_core(rules.new(board=board, seed=1)) for board in rules.boards]
    tree = _core.GuidedSearch(sides[0], room=4, seed=1, memory_bytes=1 << 20, **rules.tunables)
    assert not tree.restart(sides[1], seed=2)
    assert tree.restart(sides[0], seed=2)


def test_a_guided_search_has_one_thread() -> None:
    rules = GAMES["azul"]
    state = rules.to_core(rules.new(seed=1))
    with pytest.raises(ValueError, match="one thread"):
        _core.GuidedSearch(
            state, room=4, seed=1, memory_bytes=1 << 20, **{**rules.tunables, "threads": 2})


@pytest.mark.parametrize("game", sorted(GAMES))
def test_objects_are_made_once(game: str) -> None:
    """Another thread may be at work with what a second `__init__` would free or change."""
    rules = GAMES[game]
    state = rules.to_core(rules.new(seed=1))
    options: dict[str, Any] = {"seed": 1, "memory_bytes": 1 << 20, **rules.tunables}
    search, guided = _core.Search(state, **options), _core.GuidedSearch(state, room=1, **options)
    games = _core.SelfPlay(type(state), 2, False, memory_bytes=1 << 20, **rules.tunables)
    again: list[Callable[[], object]] = [
        lambda: type(state).__init__(state, *state.fields()),
        lambda: _core.Search.__init__(search, state, **options),
        lambda: _core.GuidedSearch.__init__(guided, state, room=1, **options),
        lambda: _core.SelfPlay.__init__(games, type(state), 2, False, **rules.tunables)]
    for ask in again:
        with pytest.raises(ValueError, match="made once"):
            ask()
    assert search.run(10) == 10


HUGE = (10**30, -10**30, 2**63, -2**63 - 1, 2**40, 10**5000)


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("number", HUGE, ids=lambda number: f"{number.bit_length()} bits")
def test_huge_numbers_are_out_of_their_ranges(game: str, number: int) -> None:
    """They fit in no number of C; what is said of them is one short line."""
    opening = GAMES[game].new(seed=1)
    state = GAMES[game].to_core(opening)
    cls: Any = type(state)
    fields = state.fields()
    asked: list[Callable[[], object]] = [
        lambda: state.apply((number,) * 4), lambda: state.code((0, number, 0, 0)),
        lambda: state.numbers(number), lambda: state.apply_code(number),
        lambda: state.action(number), lambda: state.action_code(number),
        lambda: state.observation(number), lambda: cls.new(number, False, 0, _core.Rng(1)),
        lambda: cls.new(2, False, number, _core.Rng(1)), lambda: _core.Rng(1).below(number),
        lambda: _core.action_count(cls, number, False), lambda: _core.input_groups(cls, number),
        lambda: _core.network_inputs(cls, number), lambda: _core.observation_parts(cls, number),
        lambda: _core.state_bytes(cls, number), lambda: GAMES[game].perft(opening, number),
        lambda: Searcher("x").analyse(Play(opening), Limits(sims=1), threads=number),
        *(lambda field=field: cls(*fields[:field], number, *fields[field + 1:])
          for field in (0, 2, 3, 4, 5, 6)),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r"[a-z]") as error:
            ask()
        assert len(str(error.value)) < 200


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_move_without_numbers_is_none(game: str) -> None:
    state: Any = GAMES[game].to_core(GAMES[game].new(seed=1))
    for ask in (state.apply, state.code, state.policy_features):
        for move in ((), []):
            with pytest.raises(ValueError, match="found none"):
                ask(move)


RAW = [_core.Search, _core.GuidedSearch, _core.SelfPlay, _core.GameBatch, _core.Alone,
       _core.SummerState, _core.AzulState, _core.Rng]


@pytest.mark.parametrize("cls", RAW, ids=lambda cls: cls.__name__)
def test_what_was_not_made_does_not_crash(cls: Any) -> None:
    """As when a class derived from it does not call its `__init__`."""
    state = GAMES["azul"].to_core(GAMES["azul"].new(seed=1))
    arguments = [(), (1,), (0, 0), ([], 0, 0), (0, 0, 0), ((0, 0, 0),), ([(0, 0, 0, 0)],),
                 (b"", 0, 0), (state,), (_core.Rng(1),), ((),) * 4, (1, 0, b"", b"", b"", b""),
                 (0, b"", b"", 0, 0)]
    raw = cls.__new__(cls)
    for name in [name for name in dir(cls) if not name.startswith("_")]:
        with contextlib.suppress(Exception):
            member = getattr(raw, name)
            for given in arguments:
                for named in ({}, {"seed": 1}):
                    with contextlib.suppress(Exception):
                        member(*given, **named)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_state_that_was_refused_is_not_made(game: str) -> None:
    """Its numbers may lead out of the tables of the core."""
    state: Any = GAMES[game].to_core(GAMES[game].new(seed=1))
    cls: Any = type(state)
    raw = cls.__new__(cls)
    *others, seats = state.fields()
    with pytest.raises(ValueError, match="score of seat 1"):
        raw.__init__(*others, (seats[0], (-1, *seats[1][1:])))
    assert raw.players == 0
    assert raw.moves() == []
    with pytest.raises(ValueError, match="no seat is to move"):
        _core.Search(raw, seed=1, memory_bytes=1 << 20, **GAMES[game].tunables)
    raw.__init__(*state.fields())
    assert raw == state
    assert raw.packed() == state.packed()


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("grey", [False, True])
def test_equal_states_are_equal_bytes(game: str, grey: bool) -> None:
    """Whether they were played or made from fields; the end is one of them."""
    rng = _core.Rng(1)
    cls: Any = type(GAMES[game].to_core(GAMES[game].new(seed=1)))
    state = cls.new(3, grey, 0, rng)
    while not state.over:
        if state.to_move < 0:
            state.draw(rng)
        else:
            state.apply(state.random_move(rng))
        assert cls(*state.fields()).packed() == state.packed()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_colour_has_no_more_tiles_than_the_game(game: str) -> None:
    """Wherever they are, but on the boards; a seat that held 32 had moves that are not legal."""
    state: Any = GAMES[game].to_core(GAMES[game].new(seed=1))
    cls, colours = type(state), 6 if game == "summer" else 5
    none = (0,) * colours
    each, rest = (22, "tower") if game == "summer" else (20, "lid")

    def made(**changes: Any) -> Any:
        fields = state.fields()._asdict() | {"displays": (some(1), *(none,) * 4), "centre": none}
        empty = {name: none for name in ("bag", rest, "supply") if name in fields}
        return cls(**{**fields, **empty, "bag_size": 0, **changes})

    def seat(**changes: Any) -> tuple[Any, ...]:
        first, second = state.fields().seats
        return first, second._replace(**changes)

    def some(tiles: int) -> tuple[int, ...]:
        return (tiles, *none[1:])

    ways: list[Callable[[int], dict[str, Any]]] = [
        lambda tiles: {"bag": some(tiles)}, lambda tiles: {rest: some(tiles)},
        lambda tiles: {"bag": some(tiles - 4), rest: some(4)},
        lambda tiles: {"bag": some(tiles), "split_known": False, "bag_size": tiles},
        lambda tiles: {"centre": some(tiles - 3), "displays": (some(4), *(none,) * 4)}]
    if game == "summer":
        ways += [lambda tiles: {"supply": some(10), "bag": some(tiles - 10)},
                 lambda tiles: {"seats": seat(hand=some(tiles))},
                 lambda tiles: {"seats": seat(hand=some(tiles - 4), kept=some(4))}]
    else:
        lines = (*((-1, 0),) * 4, (0, 5))
        ways += [lambda tiles: {"bag": some(tiles - 5), "seats": seat(lines=lines)},
                 lambda tiles: {"bag": some(tiles - 7), "seats": seat(floor=(0,) * 7)}]
    for way in ways:
        sound = made(**way(each - 1))
        assert _core.training_states(cls, 2, sound.packed(), [0])[0] == sound
        with pytest.raises(ValueError, match=f"more than {each} tiles of a colour"):
            made(**way(each))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_records_have_no_more_tiles_of_a_colour_than_the_game(game: str) -> None:
    state = GAMES[game].to_core(GAMES[game].new(seed=1))
    packed = state.packed()
    bag = int.from_bytes(packed[:8], "little")
    other = (bag + 1).to_bytes(8, "little")       # of the first colour
    assert _core.training_states(type(state), 2, packed, [0]) == [state]
    with pytest.raises(ValueError, match="record 0 is not a state"):
        _core.training_states(type(state), 2, other + packed[8:], [0])


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_bag_holds_no_more_tiles_than_are_unseen(game: str) -> None:
    state: Any = GAMES[game].to_core(GAMES[game].new(seed=1))
    fields = state.fields()._asdict() | {"split_known": False}
    unseen = sum(fields["bag"])
    assert type(state)(**{**fields, "bag_size": unseen}).fields().bag_size == unseen
    for wrong in (unseen + 1, 255):
        with pytest.raises(ValueError, match=f"bag_size is {wrong}, expected 0..{unseen}"):
            type(state)(**{**fields, "bag_size": wrong})


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_state_that_is_being_made_is_not_one_yet(game: str) -> None:
    """Code that its numbers run may use it, or make it."""
    whole: Any = GAMES[game].to_core(GAMES[game].new(seed=1))
    state = type(whole).__new__(type(whole))
    *others, (first, second) = whole.fields()
    seen: list[Any] = []

    def look() -> None:
        seen.append((state.players, state.codes(), state.packed() == type(whole).__new__(
            type(whole)).packed()))

    state.__init__(*others, (first, second._replace(score=Late(second.score, look))))
    assert seen == [(0, [], True)]
    assert state == whole
    assert state.packed() == whole.packed()
    again = type(whole).__new__(type(whole))
    with pytest.raises(ValueError, match="made once"):
        again.__init__(*others, (first, second._replace(
            score=Late(5, lambda: again.__init__(*whole.fields())))))
    assert again == whole


@pytest.mark.parametrize("game", sorted(GAMES))
def test_tiles_are_drawn_once(game: str) -> None:
    """Another thread may draw while those to be drawn are read: here this one plays it."""
    rng = _core.Rng(3)
    cls: Any = type(GAMES[game].to_core(GAMES[game].new(seed=1)))
    state = cls.new(2, False, 0, rng)
    while not state.between_rounds:
        if state.to_move < 0:
            state.draw(rng)
        else:
            state.apply(state.random_move(rng))
    other = state.copy()
    draws = other.draw(_core.Rng(1))
    late = Late(draws[0][0], lambda: state.apply_chance(draws))
    with pytest.raises(ValueError, match="cannot yield"):
        state.apply_chance(((late, *draws[0][1:]), *draws[1:]))
    assert state == other


@pytest.mark.parametrize("cls", [type(None), int, _core.State], ids=lambda cls: cls.__name__)
def test_what_is_no_game_is_refused(cls: Any) -> None:
    for ask in (lambda: _core.action_count(cls, 2, False), lambda: _core.state_bytes(cls, 2),
                lambda: _core.training_inputs(cls, 2, b""), lambda: _core.SelfPlay(cls, 2, False),
                lambda: _core.GameBatch(cls, 2, False, 1, 1, ()),  # type: ignore[arg-type]
                lambda: _core.State.new(2, False, 0, _core.Rng(1))):
        with pytest.raises(ValueError, match="expected the class of a game's states"):
            ask()


def test_estimates_are_of_states_alone() -> None:
    rules = GAMES["summer"]
    state = rules.to_core(rules.new(seed=1))
    network = shipped("summer", "coloured", 2)
    assert network is not None
    actions = _core.action_count(type(state), 2, False)
    arrays = [*(np.zeros((1, 2)) for _ in range(3)), np.zeros((1, actions), np.float32)]
    given: Any = (array for array in arrays)
    _core.network_estimates(network, [state], given, **rules.tunables)
    assert arrays[0].sum() == pytest.approx(1)
    refused: list[tuple[Any, Any, str]] = [
        ([None], arrays, "class of a game's states"), ([state, None], arrays, "expected 32"),
        ([state], arrays[:3], "3 arrays, expected 4"), (None, arrays, "None")]
    for states, given, said in refused:
        with pytest.raises((TypeError, ValueError), match=said):
            _core.network_estimates(network, states, given, **rules.tunables)


def test_what_was_not_made_says_so() -> None:
    def raw(cls: Any) -> Any:
        return cls.__new__(cls)

    state = raw(_core.SummerState)
    asked: list[Callable[[], object]] = [
        lambda: raw(_core.Search).run(1), raw(_core.Search).rows, raw(_core.Search).is_out_of_time,
        lambda: raw(_core.GuidedSearch).settle(b"", b"", b"", b""),
        lambda: raw(_core.SelfPlay).play(1), lambda: raw(_core.GameBatch).reset(0, 0),
        raw(_core.GameBatch).saved, lambda: raw(_core.GameBatch).restore(b""),
        lambda: raw(_core.Search).linear,
        lambda: _core.random_games(state, 1, 1)]
    for ask in asked:
        with pytest.raises(ValueError, match="was not made"):
            ask()
    with pytest.raises(ValueError, match="no seat is to move"):
        state.random_move(_core.Rng(1))

"""One game at a table: what its record holds, which limits count, and what a bad engine gets."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai.agents import Agent, Decision
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.limits import Limits, Timeouts
from pavilion_ai.luck import UNTIED_STREAMS, draw_tied
from pavilion_ai.match import table
from pavilion_ai.match.results import MATCH_KEY, result_of
from pavilion_ai.match.schedule import Pair, Seating
from pavilion_ai.match.table import opening, play_counted, task_of
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import FINISHED, GameRecord
from pavilion_ai.seeds import agent_seed, decision_seed, pair_seed
from pavilion_ai.spec import parse_spec
from pavilion_ai.version import ENGINE_NAME, __version__
from pavilion_ai.workers import WorkersError
from tests.match.support import MOCK, alive, event, games, mock, python_engine, wait_until
from tests.plays import replayed
from tests.search.support import VARIANTS

QUICK = ("greedy", "random", "policy", "greedy")
GAME = GAMES["summer"]


@pytest.fixture(autouse=True)
def _nobody_at_the_table() -> Iterator[None]:
    """Dismiss the agents of this thread afterwards: engines are processes."""
    yield
    dismiss()


def dismiss() -> None:
    """Let nobody sit at the table, as for another command."""
    table._agents((), Timeouts(), "another")


def game_of(*specs: str, pair: str = "1", rotation: int = 0, **settings: object) -> GameRecord:
    """Play one game of a match."""
    asked = event(*specs, **settings)  # type: ignore[arg-type]
    seats = list(Pair(pair, tuple(range(len(specs)))).seatings())[rotation]
    return play_counted(task_of(asked, seats))[0]


def match_of(record: GameRecord) -> dict[str, object]:
    found = record.extra[MATCH_KEY]
    assert isinstance(found, dict)
    return found


# ------------------------------------------------------------------ records


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
@pytest.mark.parametrize("tied", [True, False])
def test_every_game_is_recorded_and_replays(players: int, grey: bool, tied: bool) -> None:
    specs = QUICK[:players]
    board = "grey" if grey else "coloured"
    for rotation in range(players):
        record = game_of(*specs, rotation=rotation, board=board, tied=tied, seed=20 + players)
        seated = [(seat - rotation) % players for seat in range(players)]
        assert record.id == f"1-{rotation + 1}"
        assert record.seed == pair_seed(20 + players, "1")
        assert record.start == GAME.new(board, players, record.seed)
        assert [agent["spec"] for agent in record.agents] == [specs[e] for e in seated]
        assert {agent["version"] for agent in record.agents} == {__version__}
        assert record.reason == FINISHED
        assert record.engine == {"name": ENGINE_NAME, "version": __version__}
        positions = replayed(record)
        decided = Counter(
            position.to_move for position in positions if position.to_move is not None)
        assert record.extra == {MATCH_KEY: {
            "event": "match", "seed": 20 + players, "pair": "1", "rotation": rotation,
            "entrants": seated,
            "decisions": [decided[seat] for seat in range(players)],
            "sims": [0] * players, "tied": tied, "limits": {"sims": None, "seconds": None},
        }}
        assert len(record.seconds) == players
        assert all(0 <= seconds < 60 for seconds in record.seconds)
        assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
        result = result_of(record)
        assert result.entrants == tuple(seated)
        assert sum(result.points) == pytest.approx(1)
        assert sum(result.places) == players * (players + 1) / 2


@pytest.mark.parametrize(("rows", "loser", "places"), [
    ((2, 1, 0), None, (1, 2, 3)), ((2, 1, 1), None, (1, 2.5, 2.5)), ((2, 1, 0), 2, (1, 2.5, 2.5))])
def test_rows_decide_the_places_of_equal_scores(
    rows: tuple[int, ...], loser: int | None, places: tuple[float, ...]
) -> None:
    """In base Azul, behind the winner too."""
    record = game_of(*QUICK[:3], game="azul")
    extra = {MATCH_KEY: {**match_of(record), **({} if loser is None else {"loser": loser})}}
    parts = tuple({"play": score - 2 * its, "rows": 2 * its, "columns": 0, "colours": 0}
                  for score, its in zip((50, 40, 40), rows, strict=True))
    tied = replace(record, scores=(50, 40, 40), winners=(0,), breakdown=parts, extra=extra)
    assert result_of(tied).places == places
    assert result_of(replace(tied, breakdown=())).places == (1, 2.5, 2.5)
    assert result_of(replace(tied, reason="seat 2: too late")).breakdown == ()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_draws_are_those_of_the_seed(players: int) -> None:
    record = game_of(*QUICK[:players], seed=3)
    refill = 0
    chance = Counter[str]()
    for position, move in zip(replayed(record), record.moves, strict=False):
        if position.phase in ("deal", "supply"):
            chance[position.phase] += 1
            refill += position.phase == "supply"
            assert draw_tied(Play(position), seed=record.seed, refill=refill) == move
    assert chance["deal"] == 5
    assert chance["supply"] > 0


def test_draws_that_are_not_tied_differ_between_the_games_of_a_pair() -> None:
    first, second = (game_of("greedy", "greedy", rotation=r, tied=False) for r in range(2))
    assert first.start == second.start
    assert first.moves != second.moves
    rng = Rng(first.seed, UNTIED_STREAMS + 1)
    for position, move in zip(replayed(second), second.moves, strict=False):
        if position.to_move is None and position.phase != "over":
            assert GAME.draw(position, rng)[0] == move


@pytest.mark.parametrize("players", [2, 3])
def test_games_of_a_pair_with_the_same_moves_have_the_same_draws(players: int) -> None:
    """Agents without chance or memory play every rotation alike."""
    pair = [game_of(*["greedy"] * players, rotation=r, board="grey") for r in range(players)]
    assert {game.moves for game in pair} == {pair[0].moves}
    assert len({tuple(match_of(game)["entrants"]) for game in pair}) == players  # type: ignore[arg-type]
    assert game_of(*["greedy"] * players, pair="2", board="grey").moves != pair[0].moves


def test_openings_do_not_depend_on_who_plays() -> None:
    for pair in ("1", "2.3"):
        start = opening(event("greedy", "random").settings, pair)
        assert start == opening(event("policy", "flat").settings, pair)
        assert start == GAME.new("coloured", 2, pair_seed(7, pair))
    starters = Counter(
        opening(event("greedy", "random").settings, str(n)).start_seat for n in range(400))
    assert abs(starters[0] - 200) < 50  # 5 standard deviations


@pytest.mark.parametrize("specs", [("random", "random"), ("flat:sims=40", "random")])
def test_a_game_is_the_same_again_whatever_was_played_before(specs: tuple[str, str]) -> None:
    first = game_of(*specs)
    game_of(*specs, pair="2")
    game_of("greedy", *specs)
    assert games([game_of(*specs)]) == games([first])


def test_a_search_that_keeps_its_tree_starts_every_game_without() -> None:
    specs = ("ismcts:sims=30,reuse=1", "ismcts:sims=20,reuse=1")
    first = game_of(*specs)
    game_of(*specs, pair="2")
    assert games([game_of(*specs)]) == games([first])


def test_equal_agents_play_different_games_of_a_pair() -> None:
    """Their seeds belong to rotation and seat, or a match against oneself would be one game."""
    first, second = (game_of("random", "random", rotation=r) for r in range(2))
    assert first.start == second.start
    assert first.moves != second.moves


class Watched(Agent):
    """Plays the first move and notes what it was given."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.limited = parse_spec(spec).has_limit
        self.seen: list[tuple[int, Limits | None]] = []
        self.pasts: list[tuple[Position, tuple[str, ...]]] = []

    def decide(  # type: ignore[no-untyped-def, override]
        self, play: Play, limits: Limits | None = None, *, seed: int = 0
    ) -> Decision:
        self.seen.append((seed, limits))
        self.pasts.append((play.start, play.moves))
        return Decision(play.list_moves("maximal")[0], sims=3)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """Put agents that take notes in the place of all others."""
    made: list[Watched] = []

    def make(spec: str, *, timeouts: Timeouts | None = None) -> Watched:
        made.append(Watched(spec))
        return made[-1]

    monkeypatch.setattr(table, "make_agent", make)
    return made


def test_every_decision_has_its_seed_and_its_simulations_are_counted(
    watched: list[Watched],
) -> None:
    record = game_of("flat", "uct", pair="5", rotation=1, seed=9)
    order = [position.to_move for position in replayed(record) if position.to_move is not None]
    assert [agent.spec for agent in watched] == ["uct", "flat"]
    for seat, agent in enumerate(watched):
        assert [seed for seed, _ in agent.seen] == [
            decision_seed(agent_seed(9, "5", 1, seat), number)
            for number, mover in enumerate(order) if mover == seat]
        assert match_of(record)["sims"][seat] == 3 * len(agent.seen)  # type: ignore[index]


def test_every_agent_is_given_the_whole_past(watched: list[Watched]) -> None:
    record = game_of("flat", "uct", "flat")
    order = [ply.seat for ply in Play.of(record).plies]
    assert len(order) > 100
    for seat, agent in enumerate(watched):
        assert agent.pasts == [(record.start, record.moves[:number])
                               for number, mover in enumerate(order) if mover == seat]


@pytest.mark.parametrize("limits", [None, Limits(sims=17), Limits(seconds=0.25)])
def test_limits_are_for_who_names_none(limits: Limits | None, watched: list[Watched]) -> None:
    specs = ("flat", "uct:c=0.5,memory=9", "ismcts:sims=5", "ismcts:time=0.5,threads=2")
    record = game_of(*specs, limits=limits)
    given = {agent.spec: {limits for _, limits in agent.seen} for agent in watched}
    assert given == {specs[0]: {limits}, specs[1]: {limits}, specs[2]: {None}, specs[3]: {None}}
    told = limits or Limits()
    assert match_of(record)["limits"] == {"sims": told.sims, "seconds": told.seconds}


def test_limits_are_kept_by_searches() -> None:
    record = game_of("flat:sims=24", "flat", limits=Limits(sims=12))
    result = result_of(record)
    assert result.sims == (24 * result.decisions[0], 12 * result.decisions[1])


def test_a_spec_gets_a_thread_for_each_processor_at_most(
    watched: list[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "cores", lambda: 2)
    record = game_of("flat:threads=64,sims=1", "flat:threads=2")
    assert [agent.spec for agent in watched] == ["flat:threads=2,sims=1", "flat:threads=2"]
    assert record.agents[0]["spec"] == "flat:threads=64,sims=1"


def test_the_same_spec_twice_makes_two_agents(watched: list[Watched]) -> None:
    game_of("flat", "flat", "flat")
    game_of("flat", "flat", "flat", pair="2")
    assert len(watched) == 3
    assert all(len({start for start, _ in agent.pasts}) == 2 for agent in watched)
    assert all(agent.seen for agent in watched)


def test_another_command_has_agents_of_its_own(watched: list[Watched]) -> None:
    """A worker of a cluster serves several, and their files may be others by then."""
    seats = next(iter(Pair("1", (0, 1)).seatings()))
    asked = task_of(event("flat", "uct"), seats)
    for task in (asked, asked, replace(asked, command="a later one")):
        play_counted(task)
    assert [agent.spec for agent in watched] == ["flat", "uct"] * 2


def test_a_game_of_another_version_is_not_played() -> None:
    seats = next(iter(Pair("1", (0, 1)).seatings()))
    with pytest.raises(WorkersError, match=rf"has pavilion-ai {__version__}, expected 0\.0\.1"):
        play_counted(replace(task_of(event("flat", "uct"), seats), version="0.0.1"))


@pytest.mark.parametrize(("spec", "said"), [
    ("cmd:no-such-engine", "program 'no-such-engi"), ("policy:net=no.net", "no.net: No such file")])
def test_a_worker_without_what_an_agent_needs_is_told(spec: str, said: str) -> None:
    """The agent has not lost, as it would with a program that fails to start."""
    task = task_of(event(spec, "random"), Seating("1", 0, (0, 1)))
    with pytest.raises(WorkersError, match=f"^{re.escape(f'{platform.node()}: {said}')}"):
        play_counted(task)


# ------------------------------------------------------------------ engines that are programs


def assert_lost(record: GameRecord, loser: int, reason: str) -> None:
    """Check the record of a game that a seat lost by a fault."""
    players = len(record.agents)
    others = tuple(seat for seat in range(players) if seat != loser)
    assert record.reason == f"seat {loser}: {reason}"
    assert record.winners == others
    assert record.breakdown == ()
    assert match_of(record)["loser"] == loser
    positions = replayed(record)  # the moves before are legal, and the scores those of then
    assert positions[-1].to_move == loser
    assert record.scores == tuple(seat.score for seat in positions[-1].seats)
    decided = Counter(position.to_move for position in positions)
    assert match_of(record)["decisions"] == [decided[seat] for seat in range(players)]
    result = result_of(record)
    assert result.loser == loser
    assert result.points == tuple(
        0.0 if seat == loser else 1 / (players - 1) for seat in range(players))
    assert result.places[loser] == players
    assert {result.places[seat] for seat in others} == {players / 2}
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


@pytest.mark.parametrize(("mode", "reason"), [
    ("illegal", "illegal move 'D9:G'"),
    ("crash", "exited with status 3: ValueError: ? out of ideas"),
    ("garbage", None),
    ("no_move", "move: found no such key, expected a string"),
    ("long_lines_without_end", None),
])
@pytest.mark.parametrize("rotation", [0, 1])
def test_a_fault_loses_the_game(mode: str, reason: str | None, rotation: int) -> None:
    record = game_of(mock(mode, 4), "greedy", rotation=rotation)
    shown = record.reason.split(": ", 1)[1]
    assert_lost(record, rotation, reason or shown)
    assert match_of(record)["decisions"][rotation] == 4  # type: ignore[index]
    assert record.agents[rotation]["version"] == "1.2"


def test_a_late_answer_loses_the_game() -> None:
    timeouts = Timeouts(start=20, move=20, grace=0.1)
    record = game_of("greedy", mock("silence", 3), limits=Limits(seconds=0.2), timeouts=timeouts)
    assert_lost(record, 1, "no answer within 0.3 s")
    assert record.seconds[1] >= 0.3
    timeouts = Timeouts(start=0.1, move=0.2, grace=20)
    record = game_of("greedy", mock("silence", 1), timeouts=timeouts)
    assert_lost(record, 1, "not started within 0.3 s")


@pytest.mark.parametrize("players", [3, 4])
def test_a_fault_at_a_larger_table(players: int) -> None:
    specs = [mock("error", 16), *["greedy"] * (players - 1)]
    record = game_of(*specs, rotation=players - 1)
    assert len(set(record.scores[:-1])) > 1  # which does not matter
    assert_lost(record, players - 1, record.reason.split(": ", 1)[1])


def test_play_goes_on_with_a_fresh_engine(pids: Path) -> None:
    """One process plays game after game; after a fault another one does."""
    spec = mock("crash_silently", 130)
    reasons = [game_of(spec, "random", pair=str(n)).reason for n in range(1, 6)]
    faults = [reason for reason in reasons if reason != FINISHED]
    assert 1 <= len(faults) <= 4  # 130 requests are enough for one game, not for five
    assert set(faults) == {"seat 0: exited with status 3"}
    # One process more asked for the name and version.
    numbers = [int(line) for line in pids.read_text().split()]
    assert len(numbers) == len(faults) + 1 + (reasons[-1] == FINISHED)
    assert sum(map(alive, numbers)) == (reasons[-1] == FINISHED)
    dismiss()
    wait_until(lambda: not any(map(alive, numbers)), "an engine of an earlier command is dismissed")


def test_an_engine_that_sits_out_stays(pids: Path) -> None:
    """A clock would not count what it thinks of first, if it was started for each table."""
    spec = mock("good")
    for pair in ((spec, "random"), ("random", "greedy"), ("greedy", spec)):
        game_of(*pair)
    assert len(pids.read_text().split()) == 2  # one that plays, and one that was asked


def test_engines_that_have_played_last_stay_and_the_others_are_dismissed(
    pids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that come back are not asked for their versions again."""
    monkeypatch.setattr(table, "MOST_PROGRAMS", 2)
    specs = [mock("good", 10**6 + number) for number in range(3)]
    for number, started in ((0, 2), (1, 4), (0, 4), (2, 6), (0, 6), (1, 7)):
        record = game_of("random", specs[number])
        assert record.agents[1]["version"] == "1.2"
        numbers = [int(line) for line in pids.read_text().split()]
        assert len(numbers) == started
        wait_until(lambda: sum(map(alive, numbers)) == min(2, started // 2))  # noqa: B023 - at once


def test_two_engines_of_one_spec_are_two_processes(pids: Path) -> None:
    record = game_of(mock("good"), mock("good"))
    assert record.reason == FINISHED
    numbers = [int(line) for line in pids.read_text().split()]
    assert sum(map(alive, numbers)) == 2


def test_an_engine_plays_to_the_end_on_both_sides() -> None:
    spec = python_engine(MOCK.parents[2] / "examples" / "engine.py")
    pair = [game_of(spec, "random", rotation=r) for r in range(2)]
    assert [record.reason for record in pair] == [FINISHED] * 2
    for rotation, record in enumerate(pair):
        replayed(record)
        assert record.agents[rotation] == {"spec": spec, "version": "1"}
        assert record.seconds[rotation] > 0


def test_this_package_plays_alike_as_an_engine() -> None:
    """It is told the game so far, game after game, and judges the others by it."""
    for pair in "12":
        inside, outside = (
            game_of(spec, "policy:net=0", "policy:net=0", pair=pair, game="azul",
                    limits=Limits(sims=64))
            for spec in ("default", python_engine("-m", "pavilion_ai", "engine")))
        assert outside.reason == FINISHED
        assert inside.moves == outside.moves
    blind = game_of("ismcts:rivals=0", "policy:net=0", "policy:net=0", pair="2", game="azul",
                    limits=Limits(sims=64))
    assert blind.moves != outside.moves


def test_a_program_that_cannot_be_started_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = Path("engine")
    program.write_bytes(b"\0")
    program.chmod(0o755)
    record = game_of("cmd:./engine", "greedy")
    assert_lost(record, 0, "cannot start './engine': Exec format error")
    assert record.agents[0]["version"] == "unknown"


def test_a_seating_says_where_everybody_sits() -> None:
    asked = event("greedy", "random", "policy", kind="round-robin")
    task = task_of(asked, Seating("4.2", 1, (2, 0)))
    assert task.specs == ("policy", "greedy")
    record = play_counted(replace(task))[0]
    assert record.id == "4.2-2"
    assert match_of(record)["entrants"] == [2, 0]

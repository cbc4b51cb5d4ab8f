"""Checking files of records: a good file passes, and no planted fault goes unseen."""

from __future__ import annotations

import copy
import gc
import json
import random
import re
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.errors import RecordError
from pavilion_ai.games import GAMES
from pavilion_ai.luck import draw_tied
from pavilion_ai.match.checking import check
from pavilion_ai.match.event import Event, Settings, entrants_of
from pavilion_ai.match.ledger import Ledger
from pavilion_ai.match.recorded import recorded
from pavilion_ai.match.results import Result, result_of
from pavilion_ai.match.schedule import Seating, rounds
from pavilion_ai.match.table import expected, opening, play_counted, task_of
from pavilion_ai.match.verify import verify
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord
from pavilion_ai.seeds import pair_seed
from tests.cli.support import ROOT
from tests.plays import positions_of

CONTRACT = ROOT / "tests" / "data" / "contract"
Data = dict[str, Any]

# The file that faults are planted in: lines 1-4 are two pairs; line 5 a game that the entrant in
# seat 1 lost by a fault, line 6 its other half.
PAIRS = 3
FAULTY = 4


def played(players: int = 2, *, tied: bool = True, pairs: int = PAIRS) -> list[Data]:
    """Play a small event between quick agents."""
    specs = ["greedy", "random", "greedy"][:players]
    settings = Settings("summer", "coloured", players, seed=11, tied=tied)
    event = Event("match", entrants_of(specs), settings, rounds=pairs)
    return [
        play_counted(task_of(event, seating))[0].to_json()
        for tables in rounds(event, [])
        for pair in tables
        for seating in pair.seatings()
    ]


def end_of(data: Data) -> Position:
    return positions_of(GameRecord.from_json(data))[-1]


def cut(data: Data, plies: int) -> Position:
    """Take away all moves but the first ones; scores are those that stand there."""
    del data["moves"][plies:]
    end = end_of(data)
    data["scores"] = [seat.score for seat in end.seats]
    data["winners"], data["breakdown"] = [], []
    return end


def lose(data: Data, seat: int) -> None:
    """Let a seat lose by a fault when it is about to move in the first round."""
    positions = positions_of(GameRecord.from_json(data))
    plies = next(n for n, position in enumerate(positions) if n > 5 and position.to_move == seat)
    cut(data, plies)
    movers = [position.to_move for position in positions[: plies + 1]]
    data["match"]["decisions"] = [movers.count(0), movers.count(1)]
    data["match"]["loser"] = seat
    data["winners"] = [1 - seat]
    data["reason"] = f"seat {seat}: illegal move 'D9:G'"


@pytest.fixture(scope="module")
def event() -> list[Data]:
    games = played()
    lose(games[FAULTY], 1)
    return games


def lines_of(games: list[Data]) -> bytes:
    return b"".join(json.dumps(game).encode() + b"\n" for game in games)


def write(path: Path, games: list[Data]) -> Path:
    path.write_bytes(lines_of(games))
    return path


# ----------------------------------------------------------------------------------- good files

@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("tied", [True, False])
def test_what_an_event_writes_is_all_right(tmp_path: Path, players: int, tied: bool) -> None:
    games = played(players, tied=tied, pairs=2)
    found = verify(write(tmp_path / "games.jsonl", games))
    assert (found.games, found.problems, found.notes) == (2 * players, (), ())


def test_a_limit_of_time_is_all_right(tmp_path: Path) -> None:
    games = played(pairs=1)
    for game in games:
        game["match"]["limits"] = {"sims": None, "seconds": 0.5}
    assert verify(write(tmp_path / "games.jsonl", games)).problems == ()


def test_a_game_lost_by_a_fault_is_all_right(tmp_path: Path, event: list[Data]) -> None:
    found = verify(write(tmp_path / "games.jsonl", event))
    assert (found.games, found.problems, found.notes) == (6, (), ())
    assert found.to_json() == {
        "file": str(tmp_path / "games.jsonl"), "games": 6, "problems": [], "notes": []
    }


@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_games_of_the_contract_are_all_right(board: str) -> None:
    path = CONTRACT / f"games_summer_{board}.jsonl"
    found = verify(path)
    assert found.games == len(path.read_text().splitlines())
    assert (found.problems, found.notes) == ((), ())


def test_a_game_that_goes_on_is_all_right(tmp_path: Path) -> None:
    data = json.loads((CONTRACT / "games_summer_coloured.jsonl").read_text().splitlines()[0])
    for plies in (0, 7, len(data["moves"]) - 1):
        unfinished = copy.deepcopy(data)
        cut(unfinished, plies)
        unfinished["reason"] = "unfinished"
        assert verify(write(tmp_path / "games.jsonl", [unfinished])).problems == ()
        unfinished["breakdown"] = [{"play": score} for score in unfinished["scores"]]
        assert verify(write(tmp_path / "games.jsonl", [unfinished])).problems == ()


def test_a_start_outside_an_event_may_be_any_position() -> None:
    game = GAMES["summer"]
    opening = game.new(seed=1)
    start = game.apply(opening, game.legal_moves(opening)[0])
    record = Play(start, seed=99).record(id="x", engine={})
    assert check(record).faults == ()


def test_games_are_counted_as_they_are_checked(tmp_path: Path, event: list[Data]) -> None:
    counted: list[int] = []
    verify(write(tmp_path / "games.jsonl", event), on_game=counted.append)
    assert counted == [1, 2, 3, 4, 5, 6]


def test_of_games_little_is_kept() -> None:
    ledger = Ledger()
    starts = []
    for line, data in enumerate(played(), 1):
        record = GameRecord.from_json(data)
        record = replace(record, start=copy.copy(record.start))  # a parsed one stays in a cache
        assert ledger.enter(record, line) == []
        starts.append(weakref.ref(record.start))
        del record
    gc.collect()
    assert [start() for start in starts] == [None] * 2 * PAIRS
    games, = (event._games for event in ledger._events.values())
    assert len({id(game.traits) for game in games}) == 2  # one for each order of the seats


# -------------------------------------------------------------------------------- planted faults

Plant = Callable[[list[Data]], None]
PLANTED: dict[str, tuple[int, str, Plant]] = {}  # name -> line, pattern, how


def planted(line: int, pattern: str) -> Callable[[Plant], Plant]:
    """Register a fault with the line and the words in which it has to be reported."""

    def register(plant: Plant) -> Plant:
        PLANTED[plant.__name__] = (line, pattern, plant)
        return plant

    return register


@planted(2, r"the replay ends \[\d+, \d+\], scores say")
def score_raised(games: list[Data]) -> None:
    games[1]["scores"][0] += 1


@planted(2, r"the replay ends \[\d+, \d+\], scores say")
def scores_swapped(games: list[Data]) -> None:
    games[1]["scores"].reverse()


@planted(5, r"the replay ends \[\d+, \d+\], scores say")
def score_of_a_lost_game(games: list[Data]) -> None:
    games[FAULTY]["scores"][1] += 1


@planted(2, r"won by \[\d\], winners say \[\d\]")
def winner_swapped(games: list[Data]) -> None:
    games[1]["winners"] = [1 - games[1]["winners"][0]]


@planted(2, r"won by \[\d\], winners say \[0, 1\]")
def victory_shared(games: list[Data]) -> None:
    games[1]["winners"] = [0, 1]


@planted(2, r"won by \[\d\], winners say \[\]")
def no_winner(games: list[Data]) -> None:
    games[1]["winners"] = []


@planted(2, "the breakdown is not that of the replay")
def breakdown_shifted(games: list[Data]) -> None:
    parts = games[1]["breakdown"][0]
    parts["play"] += 1
    parts["stars"] -= 1


@planted(2, "the breakdown is not that of the replay")
def breakdown_gone(games: list[Data]) -> None:
    games[1]["breakdown"] = []


@planted(5, r"the breakdown adds up to \[\d+, \d+\], scores say \[")
def breakdown_of_a_lost_game(games: list[Data]) -> None:
    games[FAULTY]["breakdown"] = [{"play": score + 1} for score in games[FAULTY]["scores"]]


def other_move(data: Data, ply: int) -> str:
    """Return a legal move that was not played."""
    record = GameRecord.from_json(data)
    position = positions_of(record)[ply]
    legal = GAMES["summer"].legal_moves(position)
    return next(move for move in legal if move != record.moves[ply])


@planted(1, r"move \d+: .* is not legal")
def another_legal_draft(games: list[Data]) -> None:
    games[0]["moves"][0] = other_move(games[0], 0)


@planted(1, r"move \d+: .* is not legal|expected the draw of|the replay ends")
def another_legal_placement(games: list[Data]) -> None:
    moves = games[0]["moves"]
    ply = next(n for n, move in enumerate(moves) if re.match(r"[NSEWC]+\.", move))
    moves[ply] = other_move(games[0], ply)


@planted(1, r"move 4: D9:G is not legal: there are only 5 displays")
def an_illegal_move(games: list[Data]) -> None:
    games[0]["moves"][3] = "D9:G"


@planted(1, r"move 4: found 'nonsense', expected a move")
def no_move_at_all(games: list[Data]) -> None:
    games[0]["moves"][3] = "nonsense"


@planted(1, r"move \d+: .* is not legal: ")
def a_move_left_out(games: list[Data]) -> None:
    del games[0]["moves"][3]


@planted(1, r"move 4: .* is not legal: ")
def two_moves_swapped(games: list[Data]) -> None:
    moves = games[0]["moves"]
    moves[3], moves[-1] = moves[-1], moves[3]


@planted(1, r"move \d+: .* is not legal: the game is over")
def a_move_too_many(games: list[Data]) -> None:
    games[0]["moves"].append("pass:-")


@planted(1, "'finished', but the game is not over")
def moves_cut_off(games: list[Data]) -> None:
    del games[0]["moves"][-1]


@planted(1, r"the replay ends \[5, 5\]")
def all_moves_gone(games: list[Data]) -> None:
    games[0]["moves"] = []


@planted(1, r"move \d+: found 'deal:.*', expected the draw of the seed, deal:")
def a_deal_altered(games: list[Data]) -> None:
    moves = games[0]["moves"]
    ply = next(n for n, move in enumerate(moves) if move.startswith("deal:"))
    displays = moves[ply].removeprefix("deal:").split(",")
    assert len(set(displays)) > 1
    moves[ply] = "deal:" + ",".join([*displays[1:], displays[0]])


@planted(1, r"move \d+: found 'supply:\w+', expected the draw of the seed, supply:")
def a_top_up_altered(games: list[Data]) -> None:
    moves = games[0]["moves"]
    ply = next(n for n, move in enumerate(moves) if move.startswith("supply:"))
    drawn = moves[ply].removeprefix("supply:")
    tiles = "".join(sorted(drawn))
    moves[ply] = "supply:" + next(
        other for letter in "PGOYBR" if (other := letter + tiles.lstrip("23")[1:]) != drawn
    )


@planted(1, r"move \d+: found .*, expected the draw of the seed, supply:\w+")
def a_draw_left_out(games: list[Data]) -> None:
    moves = games[0]["moves"]
    ply = next(n for n, move in enumerate(moves) if move.startswith("supply:"))
    del moves[ply]


@planted(2, "the seed of pair '1' of event 11 is")
def seed_changed(games: list[Data]) -> None:
    games[1]["seed"] += 1


@planted(2, "the start is not the opening of the seed")
def start_of_another_pair(games: list[Data]) -> None:
    games[1]["start"] = games[2]["start"]


@planted(2, "the games of pair '1' do not start alike")
def another_start_in_the_pair(games: list[Data]) -> None:
    games[1]["start"] = games[2]["start"]


@planted(2, "the start is not the opening of the seed")
def starter_changed(games: list[Data]) -> None:
    start = games[1]["start"]
    start["start_seat"] = start["to_move"] = 1 - start["start_seat"]


@planted(2, "the seed of pair '1' of event 12 is")
def seed_of_the_event_changed(games: list[Data]) -> None:
    games[1]["match"]["seed"] = 12


@planted(2, "the seed of pair '9' of event 11 is")
def pair_renamed(games: list[Data]) -> None:
    games[1]["match"]["pair"] = "9"


@planted(2, "rotation 0 of pair '1' stands in line 1 already")
def rotation_doubled(games: list[Data]) -> None:
    games[1]["match"]["rotation"] = 0


@planted(2, "rotation: found 2, expected 0 to 1")
def rotation_out_of_range(games: list[Data]) -> None:
    games[1]["match"]["rotation"] = 2


@planted(2, r"in rotation 1 of pair '1' entrants \[1, 0\] sit in this order, entrants say \[0, 1\]")
def seating_doubled(games: list[Data]) -> None:
    games[1]["match"]["entrants"].reverse()
    games[1]["agents"].reverse()


@planted(2, r"an entrant has two seats: \[1, 1\]")
def an_entrant_in_two_seats(games: list[Data]) -> None:
    games[1]["match"]["entrants"] = [1, 1]


@planted(2, "entrant 1 is 'random' elsewhere, here 'greedy'")
def agents_swapped(games: list[Data]) -> None:
    games[1]["agents"].reverse()


@planted(2, r"the seats decided \[\d+, \d+\] times, decisions say")
def decisions_miscounted(games: list[Data]) -> None:
    games[1]["match"]["decisions"][0] += 1


@planted(2, r"the seats decided \[\d+, \d+\] times, decisions say")
def decisions_moved(games: list[Data]) -> None:
    counts = games[1]["match"]["decisions"]
    counts[0] += 1
    counts[1] -= 1


@planted(5, r"the seats decided \[\d+, \d+\] times, decisions say")
def the_last_decision_of_the_loser_not_counted(games: list[Data]) -> None:
    games[FAULTY]["match"]["decisions"][1] -= 1


@planted(2, "line 1 has the same id")
def id_doubled(games: list[Data]) -> None:
    games[1]["id"] = games[0]["id"]


@planted(2, "the id of this game is '1-2'")
def id_changed(games: list[Data]) -> None:
    games[1]["id"] = "1-3"


@planted(7, "line 6 has the same id")
def a_game_twice(games: list[Data]) -> None:
    games.append(games[-1])


@planted(2, "line 1 has the same id")
def a_game_of_the_event_that_goes_on(games: list[Data]) -> None:
    begun = copy.deepcopy(games[0])
    cut(begun, 9)
    games.insert(0, begun | {"reason": "unfinished"})


@planted(5, r"lost by seat 1, so won by \[0\], winners say \[0, 1\]")
def loser_among_the_winners(games: list[Data]) -> None:
    games[FAULTY]["winners"] = [0, 1]


@planted(5, r"lost by seat 1, so won by \[0\], winners say \[\]")
def nobody_wins_a_lost_game(games: list[Data]) -> None:
    games[FAULTY]["winners"] = []


@planted(5, "lost by a fault of seat 0, but seat 1 was to move")
def another_loser(games: list[Data]) -> None:
    games[FAULTY]["match"]["loser"] = 0
    games[FAULTY]["winners"] = [1]
    games[FAULTY]["reason"] = "seat 0: too late"


@planted(5, "lost by a fault of seat 1, the reason says 'seat 0: too late'")
def the_reason_blames_another_seat(games: list[Data]) -> None:
    games[FAULTY]["reason"] = "seat 0: too late"


@planted(5, r"match.loser: found 2, expected a whole number from 0 to 1")
def a_loser_that_is_no_seat(games: list[Data]) -> None:
    games[FAULTY]["match"]["loser"] = 2


@planted(5, r"ended .*, expected 'finished' or a loser")
def no_loser(games: list[Data]) -> None:
    del games[FAULTY]["match"]["loser"]


@planted(5, "the reason is empty")
def no_reason(games: list[Data]) -> None:
    games[FAULTY]["reason"] = " "


@planted(5, "'finished', but the game is not over")
def a_lost_game_called_finished(games: list[Data]) -> None:
    games[FAULTY]["reason"] = "finished"


@planted(1, "reason: found 'seat 0: too late', expected 'finished', as the game is over")
def a_finished_game_called_something_else(games: list[Data]) -> None:
    games[0]["reason"] = "seat 0: too late"


@planted(1, "finished, but seat 0 is said to have lost by a fault")
def a_loser_in_a_finished_game(games: list[Data]) -> None:
    games[0]["match"]["loser"] = 0


@planted(1, r"unfinished, but winners say \[1\]")
def an_unfinished_game_with_a_winner(games: list[Data]) -> None:
    cut(games[0], 9)
    games[0] |= {"reason": "unfinished", "winners": [1]}


@planted(1, "ended 'unfinished', expected 'finished' or a loser")
def an_unfinished_game_in_an_event(games: list[Data]) -> None:
    cut(games[0], 9)
    games[0]["reason"] = "unfinished"


@planted(1, "reason: found 'unfinished', expected 'finished', as the game is over")
def a_finished_game_called_unfinished(games: list[Data]) -> None:
    games[0] |= {"reason": "unfinished", "winners": [], "breakdown": []}


@planted(1, r"seconds: found \[[\d.]+\], expected one for each of 2 seats")
def seconds_of_one_seat(games: list[Data]) -> None:
    games[0]["seconds"].pop()


@planted(1, r"seconds\[0\]: found .*, expected a number from 0 to 1e\+09")
def negative_seconds(games: list[Data]) -> None:
    games[0]["seconds"][0] = -1.0


@planted(1, r"seconds\[0\]: found .*, expected a number from 0 to 1e\+09")
def more_seconds_than_a_life_has(games: list[Data]) -> None:
    games[0]["seconds"][0] = 1.1e9


@planted(1, r"seconds\[0\]: found .*, expected a number from 0 to 1e\+09")
def seconds_beyond_all_floats(games: list[Data]) -> None:
    games[0]["seconds"][0] = 10**400


@planted(3, "found a record without 'winners', expected all of its keys")
def a_key_left_out(games: list[Data]) -> None:
    del games[2]["winners"]


@planted(3, r"board: found 'grey', expected 'coloured' as in start")
def another_board(games: list[Data]) -> None:
    games[2]["board"] = "grey"


@planted(3, r"tiles: found \d+ purple tiles, expected 22")
def an_impossible_start(games: list[Data]) -> None:
    games[2]["start"]["supply"] = "10P"


@planted(3, "match: found a list of 0, expected an object")
def match_of_the_wrong_type(games: list[Data]) -> None:
    games[2]["match"] = []


@planted(3, "match.pair: found 2, expected a string")
def pair_of_the_wrong_type(games: list[Data]) -> None:
    games[2]["match"]["pair"] = 2


@planted(3, "match.tied: found no such key, expected true or false")
def tied_left_out(games: list[Data]) -> None:
    del games[2]["match"]["tied"]


@planted(3, r"match.sims: found \[1\], expected a whole number for each of 2 seats")
def sims_of_one_seat(games: list[Data]) -> None:
    games[2]["match"]["sims"] = [1]


@planted(3, r"match.sims\[1\]: found 1000000000000001,"
            r" expected a whole number from 0 to 1000000000000000")
def sims_beyond_all_bounds(games: list[Data]) -> None:
    games[2]["match"]["sims"] = [0, 10**15 + 1]


@planted(3, r"match.decisions\[0\]: found a number of 999 bits,"
            r" expected a whole number from 0 to 10+$")
def decisions_beyond_all_bounds(games: list[Data]) -> None:
    games[2]["match"]["decisions"][0] = 3 * 10**300


@planted(3, "match.event: found 'cup', expected one of match, round-robin, gauntlet, ladder, swiss")
def an_event_of_an_unknown_kind(games: list[Data]) -> None:
    games[2]["match"]["event"] = "cup"


@planted(3, "match.limits.sims: found a list of 1, expected a whole number from 1")
def limits_that_are_no_numbers(games: list[Data]) -> None:
    games[2]["match"]["limits"] = {"sims": [[[]]], "seconds": None}


@planted(3, "match.limits.seconds: found 0, expected a number above 0")
def no_time_at_all(games: list[Data]) -> None:
    games[2]["match"]["limits"] = {"seconds": 0}


@planted(3, "match.limits.clock: found no such key, expected one beside increment")
def an_increment_without_a_clock(games: list[Data]) -> None:
    games[2]["match"]["limits"] = {"increment": [1, 1]}


@planted(3, "match.opening: found 0, expected a whole number from 1")
def an_opening_without_a_number(games: list[Data]) -> None:
    games[2]["match"]["opening"] = 0


@planted(3, r"match.pair: found '1\\x1b', expected a name that can be printed")
def a_pair_that_cannot_be_printed(games: list[Data]) -> None:
    games[2]["match"]["pair"] = "1\x1b"


@planted(3, "match.event: found no such key, expected one of match")
def an_event_of_no_kind(games: list[Data]) -> None:
    del games[2]["match"]["event"]


@planted(3, r"match.decisions\[0\]: found true, expected a whole number from 0")
def decisions_that_are_no_numbers(games: list[Data]) -> None:
    games[2]["match"]["decisions"] = [True, "3"]


@planted(1, r"move \d+: found .*, expected the draw of the seed, ")
def tied_denied(games: list[Data]) -> None:
    games[0]["match"]["tied"] = False


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(tmp_path: Path, event: list[Data], name: str) -> None:
    line, pattern, plant = PLANTED[name]
    games = copy.deepcopy(event)
    plant(games)
    path = write(tmp_path / "games.jsonl", games)
    found = verify(path)
    assert all("\n" not in problem for problem in found.problems)
    there = [text for text in found.problems if text.startswith(f"{path}, line {line}, game '")]
    assert any(re.search(pattern, text) for text in there), found.problems


def test_an_untied_draw_that_was_altered_is_found(tmp_path: Path) -> None:
    games = played(tied=False, pairs=1)
    a_deal_altered(games)
    problem = verify(write(tmp_path / "games.jsonl", games)).problems[0]
    assert re.search(r"line 1, game '1-1': move \d+: found .*, expected the draw of the seed, deal",
                     problem)


def test_without_an_event_draws_are_only_checked_to_be_possible(tmp_path: Path) -> None:
    games = played(pairs=1)
    for game in games:
        del game["match"]
    ply = next(n for n, move in enumerate(games[0]["moves"]) if move.startswith("deal:"))
    path = write(tmp_path / "games.jsonl", games)
    assert verify(path).problems == ()
    games[0]["moves"][ply] = "deal:-,-,-,-,-"
    problem, = verify(write(path, games)).problems
    assert re.search(rf"game '1-1': move {ply + 1}: deal:-,-,-,-,- is not legal", problem)


# ------------------------------------------------------------------------------------ schedules

SETTINGS = Settings("summer", "coloured", 2, seed=11)


def forfeit(event: Event, seating: Seating) -> GameRecord:
    """Return a game that whoever was to move first lost by a fault at once."""
    seed = pair_seed(event.settings.seed, seating.pair)
    play = Play(opening(event.settings, seating.pair), seed=seed)
    task = task_of(event, seating)
    while play.turn is None:
        draw_tied(play, seed=seed, refill=1)
    seats = range(play.start.players)
    loser = play.turn
    record = play.record(
        [{"spec": spec} for spec in task.specs], id=seating.id, engine={},
        reason=f"seat {loser}: too late",
    )
    decisions = [int(seat == loser) for seat in seats]
    match = expected(task) | {"decisions": decisions, "sims": [0 for _ in seats], "loser": loser}
    winners = tuple(seat for seat in seats if seat != loser)
    return replace(record, winners=winners, extra={"match": match})


def forfeited(event: Event) -> list[Data]:
    """Return all games of an event, in the order of its schedule."""
    records: list[GameRecord] = []
    results: list[Result] = []
    for tables in rounds(event, results):
        played = [forfeit(event, seating) for pair in tables for seating in pair.seatings()]
        records += played
        results += map(result_of, played)
    return [copy.deepcopy(record.to_json()) for record in records]


def tournament(kind: str, entrants: int, players: int = 2, games: int = 2) -> list[Data]:
    specs = [f"agent{number}" for number in range(entrants)]
    settings = replace(SETTINGS, players=players)
    return forfeited(Event(kind, entrants_of(specs), settings, rounds=games))


def seat(game: Data, entrants: list[int]) -> None:
    """Seat others, with the specs that are theirs."""
    game["match"]["entrants"] = entrants
    game["agents"] = [{"spec": f"agent{entrant}", "version": ""} for entrant in entrants]


def game_of(games: list[Data], name: str) -> Data:
    return next(game for game in games if game["id"] == name)


@pytest.mark.parametrize(("kind", "entrants", "players"), [
    ("match", 2, 2), ("match", 3, 3), ("match", 4, 4),
    ("round-robin", 2, 2), ("round-robin", 5, 2), ("round-robin", 5, 3), ("round-robin", 5, 4),
    ("gauntlet", 5, 2), ("gauntlet", 5, 3), ("ladder", 3, 2), ("ladder", 6, 2), ("ladder", 6, 3),
    ("ladder", 5, 4), ("ladder", 7, 4), ("swiss", 5, 2), ("swiss", 7, 3),
])
def test_what_was_played_of_a_schedule_is_all_right(
    tmp_path: Path, kind: str, entrants: int, players: int
) -> None:
    games = tournament(kind, entrants, players)
    path = tmp_path / "games.jsonl"
    found = verify(write(path, games))
    assert (found.games, found.problems, found.notes) == (len(games), (), ())
    chance = random.Random(7)
    for _ in range(12):  # workers end in any order, and a run may be broken off at any time
        some = chance.sample(games, chance.randint(1, len(games)))
        assert verify(write(path, some)).problems == ()


@pytest.mark.parametrize(("kind", "entrants", "players", "pair"), [
    ("match", 2, 2, "2"), ("match", 3, 3, "2"), ("match", 4, 4, "1"),
    ("round-robin", 3, 2, "1.3"), ("round-robin", 4, 3, "2.2"), ("gauntlet", 4, 2, "1.1"),
    ("gauntlet", 4, 3, "2.3"), ("ladder", 4, 2, "2.3"), ("ladder", 5, 3, "1.7"),
])
def test_a_pair_that_is_turned_is_found(
    tmp_path: Path, kind: str, entrants: int, players: int, pair: str
) -> None:
    """All its games agree with each other, but the schedule seats them otherwise."""
    games = tournament(kind, entrants, players)
    turned = [game for game in games if game["match"]["pair"] == pair]
    for game in turned:
        seated = game["match"]["entrants"]
        seat(game, seated[1:] + seated[:1])
    found = verify(write(tmp_path / "games.jsonl", games))
    assert len(found.problems) == len(turned) == players
    for rotation, problem in enumerate(found.problems):
        right = turned[rotation]["match"]["entrants"]
        right = right[-1:] + right[:-1]
        assert problem.endswith(
            f", game '{pair}-{rotation + 1}': in rotation {rotation} of pair '{pair}' entrants"
            f" {right} sit in this order, entrants say {turned[rotation]['match']['entrants']}")


def test_neighbours_who_change_seats_are_found(tmp_path: Path) -> None:
    games = tournament("match", 3, 3, games=1)
    order: dict[str, list[int]] = {}
    for game in games:  # everybody moves on as before, but in the other order round the table
        a, b, c = order.setdefault("first", game["match"]["entrants"])
        seats = [a, c, b]
        rotation = game["match"]["rotation"]
        seat(game, seats[-rotation:] + seats[:-rotation])
    found = verify(write(tmp_path / "games.jsonl", games))
    assert len(found.problems) == 3
    assert all("sit in this order" in problem for problem in found.problems)


@pytest.mark.parametrize(("kind", "name", "entrants", "fault"), [
    ("round-robin", "1.2-1", [0, 3], r"entrants \[0, 2\] sit in this order"),
    ("round-robin", "1.4-1", [2, 3], r"entrants \[1, 2\] sit in this order"),
    ("round-robin", "2.6-2", [9, 2], r"entrants \[3, 2\] sit in this order"),
    ("gauntlet", "1.2-1", [1, 2], r"entrants \[0, 2\] sit in this order"),
    ("ladder", "1.5-1", [2, 1], r"entrants \[2, 3\] sit in this order"),
    ("ladder", "1.2-2", [10**40, 0], r"entrants \[2, 0\] sit in this order"),
    ("gauntlet", "1.3-2", [99, 0], r"entrants \[3, 0\] sit in this order"),
    ("gauntlet", "1.3-2", [10**40, 0], r"entrants \[3, 0\] sit in this order"),
    ("match", "1-2", [2, 0], r"entrants \[1, 0\] sit in this order, entrants say \[2, 0\]"),
    ("swiss", "1.1-2", [2, 0], r"entrants \[1, 0\] sit in this order, entrants say \[2, 0\]"),
])
def test_who_does_not_belong_at_a_table_is_found(
    tmp_path: Path, kind: str, name: str, entrants: list[int], fault: str
) -> None:
    games = tournament(kind, 2 if kind == "match" else 4)
    seat(game_of(games, name), entrants)
    problem, = verify(write(tmp_path / "games.jsonl", games)).problems
    assert re.search(f"game '{name}': in rotation . of pair .*{fault}", problem)


def renamed(game: Data, pair: str) -> None:
    """Make a game that of another pair in all but who sits there."""
    match = game["match"]
    event = Event("match", entrants_of(["agent0", "agent1"]), SETTINGS, rounds=1)
    entrants, agents = match["entrants"], game["agents"]
    forged = forfeit(event, Seating(pair, match["rotation"], (0, 1))).to_json()
    kind = match["event"]
    game.clear()
    game.update(copy.deepcopy(forged))
    game["agents"] = agents
    game["match"] |= {"event": kind, "entrants": entrants}


@pytest.mark.parametrize(("kind", "event", "pairs"), [
    ("round-robin", "a round-robin of 4 entrants", ("1.7", "3")),
    ("ladder", "a ladder of 4 entrants", ("1.6",)),
    ("gauntlet", "a gauntlet of 4 entrants", ("1.4",)),
    ("swiss", "a tournament", ("3", "1.x", "01.1")),
    ("match", "a match", ("1.1", "0")),
])
def test_a_pair_that_is_not_in_the_schedule_is_found(
    tmp_path: Path, kind: str, event: str, pairs: tuple[str, ...]
) -> None:
    for pair in pairs:
        games = tournament(kind, 2 if kind == "match" else 4)
        renamed(games[-1], pair)
        problem, = verify(write(tmp_path / f"{pair}.jsonl", games)).problems
        assert problem.endswith(f", game '{pair}-2': in {event} there is no pair '{pair}'")


def test_one_game_does_not_raise_the_number_of_entrants(tmp_path: Path) -> None:
    games = tournament("round-robin", 4)
    renamed(games[-1], "1.7")  # where entrants 0 and 7 meet, if there are so many
    seat(games[-1], [7, 0])
    problem, = verify(write(tmp_path / "games.jsonl", games)).problems
    assert problem.endswith("in a round-robin of 4 entrants there is no pair '1.7'")


def test_one_game_does_not_lower_the_number_of_entrants(tmp_path: Path) -> None:
    games = tournament("round-robin", 5)[:8]  # entrant 0 has met everybody, nobody else has yet
    seat(games[4], [1, 2])  # table 3 if there were three of them
    problem, = verify(write(tmp_path / "games.jsonl", games)).problems
    assert "game '1.3-1': in rotation 0 of pair '1.3' entrants [0, 3] sit" in problem


def test_problems_stand_in_the_order_of_the_lines(tmp_path: Path) -> None:
    games = tournament("match", 2)
    games[0]["match"]["tied"] = False  # known only when all games are
    games[2]["winners"] = []
    path = write(tmp_path / "games.jsonl", games)
    lines = [int(text.split("line ")[1].split(",")[0]) for text in verify(path).problems]
    assert sorted({*lines}) == [1, 3]
    assert lines == sorted(lines)


def test_a_schedule_of_too_many_tables_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = tournament("gauntlet", 3, games=1)[:2]
    for game in games:
        renamed(game, "1.999999")
        seated = [999_999 * entrant for entrant in game["match"]["entrants"]]
        seat(game, seated)
    monkeypatch.setattr("pavilion_ai.match.schedule.meetings",
                        lambda *_: pytest.fail("the tables were listed"))
    path = tmp_path / "games.jsonl"
    began = time.process_time()
    assert verify(write(path, games)).problems == ()
    assert time.process_time() - began < 5
    seat(games[1], [0, 999_999])
    problem, = verify(write(path, games)).problems
    assert "entrants [999999, 0] sit in this order, entrants say [0, 999999]" in problem


# -------------------------------------------------------------------- what an event has in common

@pytest.mark.parametrize(("key", "value", "fault"), [
    ("event", "gauntlet", "event is 'match' elsewhere, here 'gauntlet'"),
    ("limits", {"sims": 5, "seconds": None},
     'limits is {"seconds": null, "sims": null} elsewhere, here {"seconds": null, "sims": 5}'),
    ("limits", {}, 'limits is {"seconds": null, "sims": null} elsewhere, here {}'),
    ("tied", False, "tied is true elsewhere, here false"),
])
@pytest.mark.parametrize("odd", [0, 3])
def test_what_a_game_says_of_its_event_is_that_of_the_others(
    tmp_path: Path, key: str, value: object, fault: str, odd: int
) -> None:
    games = tournament("match", 2)
    games[odd]["match"][key] = value
    problems = verify(write(tmp_path / "games.jsonl", games)).problems
    own = [problem for problem in problems if "elsewhere" in problem]
    path = tmp_path / "games.jsonl"
    assert own == [f"{path}, line {odd + 1}, game '{games[odd]['id']}': {fault}"]
    assert all(f"line {odd + 1}," in problem for problem in problems)


def test_a_spec_that_differs_is_that_of_the_minority(tmp_path: Path) -> None:
    games = tournament("match", 2)
    games[0]["agents"][1]["spec"] = "agent1" + 200 * "x"
    path = write(tmp_path / "games.jsonl", games)
    problem, = verify(path).problems
    assert problem.startswith(f"{path}, line 1, game '1-1': entrant 1 is 'agent1' elsewhere, here")


def test_a_game_on_another_board_is_one_problem(tmp_path: Path) -> None:
    games = tournament("match", 2)
    grey = Event("match", entrants_of(["agent0", "greedy"]), replace(SETTINGS, board="grey"), 2)
    games[-1:] = forfeited(grey)[-1:]
    problems = verify(write(tmp_path / "games.jsonl", games)).problems
    assert len([problem for problem in problems if "elsewhere" in problem]) == 1
    assert any(problem.endswith("game '2-2': board is 'coloured' elsewhere, here 'grey'; entrant 1"
                                " is 'agent1' elsewhere, here 'greedy'") for problem in problems)


def test_a_game_of_more_players_or_of_another_game_is_found(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    three = Event("match", entrants_of(["agent0", "agent1", "x"]), replace(SETTINGS, players=3), 2)
    found = verify(write(path, tournament("match", 2)[:-1] + forfeited(three)[-1:]))
    assert any("players is 2 elsewhere, here 3" in problem for problem in found.problems)
    other = Event("match", entrants_of(["agent0", "agent1"]),
                  replace(SETTINGS, game="azul", board=GAMES["azul"].new(seed=1).board), 2)
    found = verify(write(path, tournament("match", 2)[:-1] + forfeited(other)[-1:]))
    assert any("game is 'summer' elsewhere, here 'azul'" in text for text in found.problems)


def test_two_events_need_not_agree(tmp_path: Path) -> None:
    games = tournament("match", 2)
    settings = replace(SETTINGS, seed=12, players=3, board="grey")
    games += forfeited(Event("gauntlet", entrants_of(["a", "b", "c", "d"]), settings, 1))
    found = verify(write(tmp_path / "games.jsonl", games))
    assert (found.problems, found.notes) == ((), ("games of 2 events in one file",))


@pytest.mark.parametrize("line", [1, 3])
def test_a_game_of_no_event_among_others_is_found(tmp_path: Path, line: int) -> None:
    games = tournament("match", 2)
    del games[line - 1]["match"]
    path = write(tmp_path / "games.jsonl", games)
    problem, = verify(path).problems
    assert problem == (f"{path}, line {line}, game '{games[line - 1]['id']}': expected the key"
                       " 'match', which other games of the file have")


# ----------------------------------------------------------------------- events of several files

def test_a_game_counts_for_the_event_that_has_it_and_not_for_that_of_its_file(
    tmp_path: Path
) -> None:
    games = tournament("round-robin", 3, games=1)
    theirs = copy.deepcopy([game for game in games if 2 in game["match"]["entrants"]])
    for game in theirs:
        game["agents"][game["match"]["entrants"].index(2)]["spec"] = "somebody else"
    both = [game for game in games if 2 not in game["match"]["entrants"]]
    found = recorded([str(write(tmp_path / "a.jsonl", games)),
                      str(write(tmp_path / "b.jsonl", theirs + both))])
    assert ([count for _, count in found.counted], found.left_out) == ([6, 4], ())


def test_the_number_of_entrants_is_that_of_the_games_before(tmp_path: Path) -> None:
    games = [game for game in tournament("round-robin", 3) if game["match"]["pair"] != "1.3"]
    more = game_of(tournament("round-robin", 4), "1.3-1")
    found = recorded([str(write(tmp_path / "games.jsonl", [*games, more]))])
    assert [str(one) for one in found.left_out] == [
        f"{tmp_path / 'games.jsonl'}, line 11: game '1.3-1': an event of the same seed has other"
        " entrants"]


def test_few_games_do_not_make_many_entrants(tmp_path: Path) -> None:
    games = tournament("gauntlet", 3, games=1)[:2]
    for game in games:
        renamed(game, "1.10000")
        seat(game, [10_000 * entrant for entrant in game["match"]["entrants"]])
    path = write(tmp_path / "games.jsonl", games)
    assert verify(path).problems == ()
    with pytest.raises(RecordError, match=r"'1\.10000-1': no entrant can have number 10000$"):
        recorded([str(path)])


# -------------------------------------------------------------------------------- missing pairs

@pytest.mark.parametrize(("kind", "kept", "note"), [
    ("match", ["1", "3", "4"], "pair 2 is missing"),
    ("match", ["2"], "pair 1 is missing"),
    ("match", ["1", "3", "4", "8"], "pairs 2, 5 to 7 are missing"),
    ("match", ["5", "1"], "pairs 2 to 4 are missing"),
    ("match", ["2", "4", "6", "8", "10", "13", "19"],
     "pairs 1, 3, 5, 7, 9 and 7 more are missing"),
    ("match", ["1", "2"], None),
    ("round-robin", ["1.1", "1.3", "1.6"], "pairs 1.2, 1.4 to 1.5 are missing"),
    ("round-robin", ["1.1", "1.2", "1.6", "3.2"], "pairs 1.3 to 1.5, 2.1 to 3.1 are missing"),
    ("round-robin", ["1.1", "1.2"], None),
    ("gauntlet", ["1.1", "1.2", "1.3", "2.1", "2.3"], "pair 2.2 is missing"),
    ("swiss", ["1.1", "1.2", "2.2"], "pair 2.1 is missing"),
])
def test_pairs_missing_in_the_middle_are_noted(
    tmp_path: Path, kind: str, kept: list[str], note: str | None
) -> None:
    games = tournament(kind, 2, games=19) if kind == "match" else tournament(kind, 4, games=3)
    some = [game for game in games if game["match"]["pair"] in kept]
    found = verify(write(tmp_path / "games.jsonl", some))
    assert len(some) == 2 * len(kept)
    assert (found.problems, found.notes) == ((), () if note is None else (note,))


def test_a_pair_with_a_high_number_is_soon_noted(tmp_path: Path) -> None:
    games = tournament("match", 2)
    renamed(games[-1], "999999999999")
    renamed(games[-2], "999999999999")
    found = verify(write(tmp_path / "games.jsonl", games))
    assert (found.problems, found.notes) == ((), ("pairs 2 to 999999999998 are missing",))


def test_a_large_file_is_checked_as_a_whole_in_no_time(tmp_path: Path) -> None:
    games = tournament("round-robin", 12, games=4)
    path = write(tmp_path / "games.jsonl", games)
    began = time.process_time()
    found = verify(path)
    assert (found.games, found.problems, found.notes) == (4 * 66 * 2, (), ())
    assert time.process_time() - began < 10


# ------------------------------------------------------------------------------ lines and notes

def test_every_bad_line_is_named(tmp_path: Path, event: list[Data]) -> None:
    path = tmp_path / "games.jsonl"
    lines = lines_of(event).splitlines(keepends=True)
    bad = [b"hello", b"", b"{}", b'{"id": "lost"}', b"\xff\xfe", b"[" * 9999]
    lines[1:1] = [line + b"\n" for line in bad]
    path.write_bytes(b"".join(lines))
    found = verify(path)
    assert found.games == len(event)
    assert [problem.split(": ")[0] for problem in found.problems] == [
        f"{path}, line 2", f"{path}, line 4", f"{path}, line 5, game 'lost'", f"{path}, line 6",
        f"{path}, line 7",
    ]
    assert "found a record without 'game'" in found.problems[2]


def test_a_line_without_end_does_not_hide_those_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = played(pairs=1)
    monkeypatch.setattr("pavilion_ai.record.lines.MAX_LINE_BYTES", 20_000)
    path = tmp_path / "games.jsonl"
    first, second = lines_of(games).splitlines(keepends=True)
    path.write_bytes(first + b"{" * 70_000 + b"\n" + second)
    found = verify(path)
    assert found.games == 2
    assert found.problems == (
        f"{path}, line 2: longer than 20000 bytes, not a game record",
    )


@pytest.mark.parametrize("kept", [1, 100, -2])
def test_a_torn_last_line_is_a_note(tmp_path: Path, event: list[Data], kept: int) -> None:
    path = tmp_path / "games.jsonl"
    whole, last = lines_of(event[:4]), lines_of(event[4:5])
    path.write_bytes(whole + last[:kept])
    found = verify(path)
    assert (found.games, found.problems) == (4, ())
    assert found.notes == (f"{path}, line 5: torn, its writing was cut short; it does not count",)


def test_a_line_that_continues_a_game_is_a_note(tmp_path: Path, event: list[Data]) -> None:
    first, second = ({key: value for key, value in game.items() if key != "match"}
                     for game in event[:2])
    begun = Play.of(GameRecord.from_json(first), 5).record(first["agents"], id=first["id"])
    path = write(tmp_path / "games.jsonl", [begun.to_json(), second, first])
    found = verify(path)
    assert found.problems == ()
    assert f"line 3, game '{first['id']}': continues that of line 1" in found.notes


def test_the_same_line_torn_in_the_middle_of_the_file_is_a_problem(
    tmp_path: Path, event: list[Data]
) -> None:
    path = tmp_path / "games.jsonl"
    first, second = lines_of(event[:2]).splitlines(keepends=True)
    path.write_bytes(first[:100] + second)
    found = verify(path)
    assert found.games == 0
    problem, = found.problems
    assert problem.startswith(f"{path}, line 1: not a game record (column 1")


def test_a_pair_in_progress_is_a_note(tmp_path: Path, event: list[Data]) -> None:
    found = verify(write(tmp_path / "games.jsonl", event[:3]))
    assert (found.problems, found.notes) == ((), ("pairs not played from every seat yet: '2'",))


def test_games_of_different_events_are_told_apart(tmp_path: Path) -> None:
    games = forfeited(Event("match", entrants_of(["a", "b"]), SETTINGS, rounds=1))
    other = replace(SETTINGS, seed=12)
    games += forfeited(Event("match", entrants_of(["c", "d"]), other, rounds=3))
    kept = [games[0], games[2], games[6]]  # one of '1', one of '1', one of '3'
    found = verify(write(tmp_path / "games.jsonl", kept))
    assert [text.rpartition(": ")[2] for text in found.problems] == ["line 1 has the same id"]
    assert found.notes == (
        "games of 2 events in one file",
        "pairs not played from every seat yet: '1' of event 11, '1' of event 12,"
        " '3' of event 12",
        "pair 2 of event 12 is missing",
    )


def test_identical_games_of_different_pairs_are_noted(tmp_path: Path, event: list[Data]) -> None:
    games = copy.deepcopy(event[:2])
    for game in games:  # the same games once more, under another pair of another event
        del game["match"]
    doubled = [copy.deepcopy(game) | {"id": game["id"] + "x"} for game in games]
    found = verify(write(tmp_path / "games.jsonl", games + games))
    assert [text.rpartition(": ")[2] for text in found.problems] == [
        "line 1 has the same id", "line 2 has the same id"]
    assert found.notes == ()
    found = verify(write(tmp_path / "games.jsonl", games + doubled))
    assert found.problems == ()
    assert found.notes == (
        "games '1-1' and '1-1x' are the same, move for move",
        "games '1-2' and '1-2x' are the same, move for move",
    )


def test_notes_are_kept_to_a_number(
    tmp_path: Path, event: list[Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.match.ledger.MOST_NOTES", 2)
    game = copy.deepcopy(event[0])
    del game["match"]
    found = verify(write(tmp_path / "games.jsonl",
                         [game | {"id": str(number)} for number in range(6)]))
    assert found.notes == (
        "games '0' and '1' are the same, move for move",
        "games '0' and '2' are the same, move for move",
        "3 more notes",
    )
    monkeypatch.setattr("pavilion_ai.match.ledger.MOST_NOTES", 4)
    assert verify(tmp_path / "games.jsonl").notes[-1] == "1 more note"


def test_identical_games_of_one_pair_are_not_noted(tmp_path: Path, event: list[Data]) -> None:
    games = copy.deepcopy(event[:2])
    turned = copy.deepcopy(games[0])  # two equal agents that use no chance change seats
    turned["match"] |= {"rotation": 1}
    turned["match"]["entrants"].reverse()
    turned["id"] = "1-2"
    for game in (games[0], turned):
        game["agents"] = [{"spec": "greedy", "version": ""}] * 2
    found = verify(write(tmp_path / "games.jsonl", [games[0], turned]))
    assert (found.problems, found.notes) == ((), ())


def test_two_events_in_one_file_are_noted(tmp_path: Path) -> None:
    settings = Settings("summer", "coloured", 2, seed=12)
    other = Event("match", entrants_of(["random", "greedy"]), settings, rounds=1)
    pair = next(rounds(other, []))[0]
    more = [play_counted(task_of(other, seating))[0].to_json() for seating in pair.seatings()]
    found = verify(write(tmp_path / "games.jsonl", played(pairs=1) + more))
    assert "games of 2 events in one file" in found.notes


def test_an_empty_file_has_no_games(tmp_path: Path) -> None:
    found = verify(write(tmp_path / "games.jsonl", []))
    assert (found.games, found.problems, found.notes) == (0, (), ())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "games.jsonl")


def test_keys_of_a_start_that_are_not_kept_are_named(tmp_path: Path) -> None:
    games = played()
    path = tmp_path / "games.jsonl"
    games[1]["start"] = {**games[1]["start"], "weather": "fine", "to\x1b[2Jy": 1}
    games[2] |= {"comment": "kept"}
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    found = verify(path)
    assert found.problems == ()
    assert [note for note in found.notes if "not used" in note] == [
        f"{path}, line 2, game '{games[1]['id']}': not used: 'start.weather', 'start.to\\x1b[2Jy'"]
    assert GameRecord.from_json(games[2]).extra["comment"] == "kept"

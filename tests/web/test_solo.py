"""The game for one on the page: the same luck, opponents and par as at the terminal."""

from __future__ import annotations

import datetime
import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import solo
from pavilion_ai.play import Play
from pavilion_ai.protocol.capacity import Capacity
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.record import read_records
from pavilion_ai.solo import Challenge, Par, SoloGames, read_tables, seed_of_day
from pavilion_ai.solo.kept import Standing
from pavilion_ai.version import __version__
from pavilion_ai.web.solo import Solo
from tests.cli.support import assert_clean, pavilion
from tests.solo import AZUL, RULE, SIMS, SUMMER, record_of
from tests.web.support import PATIENCE, denied


def actions(folder: Path) -> Any:
    """Return the actions of a page that keeps its games there."""
    return Solo(SoloGames(folder), Capacity(1)).actions(threading.Event())


def game(asked: Any, challenge: Challenge) -> tuple[list[str], list[str]]:
    """Play a game on the page; return all moves, and those of the person.

    Moves from the last third of the list end a game soon; the last one takes tiles to the floor.
    """
    request = asdict(challenge)
    assert asked["solo"](request)["moves"] == []
    play, mine = Play(challenge.start), []
    while not play.is_over():
        move = asked["solo_move"]({**request, "moves": list(play.moves)})["move"]
        if move is None:
            move = play.legal_moves[2 * len(play.legal_moves) // 3]
            mine.append(move)
        play.push(move)
    moves = list(play.moves)
    assert asked["solo_move"]({**request, "moves": moves}) == {"move": None}
    asked["solo_save"]({**request, "moves": moves})
    return moves, mine


@pytest.mark.parametrize("challenge", [AZUL, RULE, SUMMER], ids=lambda one: one.kind)
def test_page_and_terminal_have_the_same_luck_opponents_and_par(
    solo_data: Path, challenge: Challenge
) -> None:
    asked = actions(solo_data / "page")
    moves, mine = game(asked, challenge)
    found = asked["solo_par"](asdict(challenge))
    asked["solo_save"]({**asdict(challenge), "moves": moves[:1]})  # what is over stays as it is
    against = ["--rule"] if challenge.level == 0 else ["--level", challenge.level]
    result = pavilion(
        "play", "--solo", "--game", challenge.game, "--board", challenge.board, "--players",
        challenge.players, *against, "--seed", challenge.seed, stdin="\n".join(mine) + "\n")
    assert_clean(result)
    kept = SoloGames(solo.folder())
    (record,) = read_records(kept.file(challenge))
    assert list(record.moves) == moves
    (paged,) = read_records(SoloGames(solo_data / "page").file(challenge))
    assert paged.to_json() == {**record.to_json(), "seconds": paged.to_json()["seconds"]}
    level = kept.par(challenge)
    assert level == SoloGames(solo_data / "page").par(challenge)
    assert level is not None
    assert found["par"] == asdict(level)
    told = re.search(r"^you: (\d+) points, ([-+]?[\d.]+) to par; ([a-z ]+),", result.stdout, re.M)
    assert told is not None
    mine_at_page = found["result"]
    assert mine_at_page["points"] == int(told[1])
    assert mine_at_page["to_par"] == pytest.approx(float(told[2]), abs=0.051)
    assert mine_at_page["outcome"] == told[3]
    assert found["standing"]["best"] == mine_at_page["to_par"]
    (table,) = read_tables(mine_at_page["table"])
    assert list(table.moves) == mine
    text = solo_data / "table.txt"
    text.write_text(mine_at_page["table"])
    assert_clean(pavilion("verify", "--solo", text))


def test_what_the_page_refuses(solo_data: Path) -> None:
    asked = actions(solo_data / "page")
    request = asdict(AZUL)
    play = Play(AZUL.start)
    while play.turn is not None:
        play.push(list(play.legal_moves)[-1])
    play.draw(seed=99)
    for action, more, field in (
        ("solo", {"level": 10}, "level"), ("solo", {"players": 5}, "players"),
        ("solo", {"game": "chess"}, "game"), ("solo", {"board": "green"}, "board"),
        ("solo", {"daily": True}, "daily"), ("solo_par", {}, "seed"),
        ("solo_save", {"moves": list(play.moves)}, "moves"),
    ):
        with pytest.raises(BadRequest) as refused:
            asked[action]({"action": action, **request, **more})
        assert refused.value.field == field
    assert not (solo_data / "page").exists()


def test_par_that_cannot_be_kept_is_told_all_the_same(solo_data: Path) -> None:
    asked, games = actions(solo_data), SoloGames(solo_data)
    game(asked, AZUL)
    games.file(AZUL).with_suffix(".par.json").mkdir()
    found = asked["solo_par"](asdict(AZUL))
    level = solo.par(AZUL, SIMS)
    assert level is not None
    assert found["par"] == asdict(level)
    assert found["result"]["table"].startswith(f"pavilion-ai {__version__}: ")


def test_other_moves_of_a_game_that_is_over_are_refused(solo_data: Path) -> None:
    """It answered that they were saved."""
    asked, request = actions(solo_data / "page"), asdict(AZUL)
    moves, _ = game(asked, AZUL)
    other = next(move for move in Play(AZUL.start).legal_moves if move != moves[0])
    with pytest.raises(BadRequest, match="over already, with other moves") as refused:
        asked["solo_save"]({**request, "moves": [other]})
    assert refused.value.field == "moves"
    assert asked["solo"](request)["moves"] == moves
    assert asked["solo_save"]({**request, "moves": moves[:3]})["stamp"]  # nothing is lost


def test_the_file_of_another_game_is_neither_opened_nor_replaced(solo_data: Path) -> None:
    asked, games = actions(solo_data), SoloGames(solo_data)
    for moves in ([], list(record_of(AZUL).moves)):
        asked["solo_save"]({**asdict(AZUL), "moves": moves})
        other = replace(AZUL, seed=4)
        games.file(other).write_bytes(games.file(AZUL).read_bytes())
        begun = asked["solo"](asdict(other))
        assert (begun["moves"], begun["record"]) == ([], None)
        with pytest.raises(BadRequest, match=f"cannot save: .*-4.jsonl: holds {AZUL.kind} seed 3,"):
            asked["solo_save"]({**asdict(other), "moves": [], "stamp": begun["stamp"]})
        assert games.file(other).read_bytes() == games.file(AZUL).read_bytes()


def test_a_game_that_cannot_be_kept_begins_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    asked, request = actions(tmp_path / "file" / "solo"), asdict(AZUL)
    begun = asked["solo"](request)
    assert (begun["moves"], begun["stamp"]) == ([], "")
    with pytest.raises(BadRequest, match="cannot save: Not a directory"):
        asked["solo_save"]({**request, "moves": []})


@pytest.mark.parametrize("call", ["exists", "read_bytes"])
def test_where_the_folder_may_not_be_searched_a_game_begins_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """It has its moves, but cannot be saved."""
    monkeypatch.setattr(Path, call, denied)
    asked, request = actions(tmp_path / "solo"), asdict(AZUL)
    assert (asked["solo"](request)["stamp"], asked["solo"](request)["moves"]) == ("", [])
    with pytest.raises(BadRequest, match="cannot save: Permission denied"):
        asked["solo_save"]({**request, "moves": [], "stamp": ""})


def test_a_game_that_went_on_in_another_tab_is_not_replaced(solo_data: Path) -> None:
    """Nor is one that the terminal went on with."""
    asked = actions(solo_data / "page")
    request = asdict(AZUL)
    first, second, *_ = Play(AZUL.start).legal_moves

    def save(stamp: str | None, *moves: str) -> Any:
        known = {} if stamp is None else {"stamp": stamp}
        return asked["solo_save"](
            {"action": "solo_save", **request, "moves": [*moves], **known})

    def refused(stamp: str, *moves: str) -> None:
        with pytest.raises(BadRequest) as caught:
            save(stamp, *moves)
        assert caught.value.field == "stamp"

    assert asked["solo"](request)["stamp"] == ""
    new = save("")["stamp"]
    one = save(new, first)["stamp"]
    assert asked["solo"](request)["stamp"] == one != new
    for stamp in ("", new, "x"):
        refused(stamp, second)
        refused(stamp)
        assert save(stamp, first)["stamp"] == one  # nothing is lost by that
    assert save(one, second)["saved"] == AZUL.kind
    assert asked["solo"](request)["moves"] == [second]
    assert save(None, first)["saved"] == AZUL.kind  # who does not ask replaces it
    assert asked["solo"](request)["moves"] == [first]


def test_tabs_that_save_at_once_wait_for_each_other(solo_data: Path) -> None:
    both = Solo(SoloGames(solo_data / "page"), Capacity(1))
    moves = Play(AZUL.start).legal_moves[:1]

    def save(_: int) -> str:
        asked = both.actions(threading.Event())
        return str(asked["solo_save"]({**asdict(AZUL), "moves": list(moves)})["saved"])

    with ThreadPoolExecutor(4) as tabs:
        assert {*tabs.map(save, range(40))} == {AZUL.kind}


def test_par_ends_with_the_page(solo_data: Path) -> None:
    closed = threading.Event()
    asked = Solo(SoloGames(solo_data / "page"), Capacity(1)).actions(closed)
    asked["solo_save"]({**asdict(AZUL), "moves": []})
    closed.set()
    with pytest.raises(BadRequest):
        asked["solo_par"](asdict(AZUL))
    assert list((solo_data / "page").glob("*.par.json")) == []


def test_par_ends_when_another_one_is_asked_for(
    solo_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its game has left the table; to ask for the same one again ends nothing."""
    ended: list[Callable[[], bool]] = []

    def find_par(_: SoloGames, challenge: Challenge, stopped: Callable[[], bool]) -> None:
        ended.append(stopped)

    monkeypatch.setattr(SoloGames, "find_par", find_par)
    asked = actions(solo_data / "page")
    for challenge, running in ((AZUL, [True]), (AZUL, [True, True]), (RULE, [False, False, True])):
        asked["solo_save"]({**asdict(challenge), "moves": []})
        with pytest.raises(BadRequest, match="nobody waits"):
            asked["solo_par"](asdict(challenge))
        assert [not stopped() for stopped in ended] == running


def test_a_par_that_waits_for_another_one_can_be_given_up(
    solo_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight of them held up their tab until the par of another tab was there."""
    both, closed = Solo(SoloGames(solo_data / "page"), Capacity(1)), threading.Event()
    asked = [both.actions(event) for event in (threading.Event(), closed)]
    given_up: list[str] = []

    def ask_too() -> None:
        with pytest.raises(BadRequest) as refused:
            asked[1]["solo_par"](asdict(AZUL))
        given_up.append(str(refused.value))

    def find_par(*_: object) -> None:
        closed.set()
        other = threading.Thread(target=ask_too, daemon=True)
        other.start()
        other.join(PATIENCE)

    monkeypatch.setattr(SoloGames, "find_par", find_par)
    asked[0]["solo_save"]({**asdict(AZUL), "moves": []})
    with pytest.raises(BadRequest):
        asked[0]["solo_par"](asdict(AZUL))
    assert given_up == ["stopped, as nobody waits for the answer"]


def test_days_in_a_row_and_the_best_result(solo_data: Path) -> None:
    """Today's game may still be to be played; other levels have results of their own.

    A par that an earlier version has kept counts as well.
    """
    games, today = SoloGames(solo_data), datetime.date(2026, 3, 1)
    asked = actions(solo_data)
    game(asked, AZUL)
    (record,) = read_records(games.file(AZUL))
    kept = json.loads(games.file(AZUL).read_text())
    days = [today - datetime.timedelta(days=ago) for ago in (1, 2, 4)]
    for number, day in enumerate(days):
        seed = seed_of_day(day)
        path = games.file(Challenge(**{**asdict(AZUL), "seed": seed}))
        path.write_text(json.dumps({**kept, "seed": seed}) + "\n")
        path.with_suffix(".par.json").write_text(json.dumps(
            {**asdict(Par(10.0 + number, 0.0, 0.5, 0.0, 10)),
             "version": "0.0.1" if number else __version__}))
    left = games.file(Challenge(**{**asdict(AZUL), "seed": seed_of_day(today)}))
    left.write_text(json.dumps({**kept, "seed": seed_of_day(today), "reason": "unfinished"}) + "\n")
    left.with_suffix(".par.json").write_bytes(path.with_suffix(".par.json").read_bytes())
    standing = games.standing(AZUL, today)
    assert standing.streak == 2
    assert standing.games == 3
    assert standing.best == record.scores[0] - 10.0
    assert standing.mean == record.scores[0] - 11.0
    assert games.standing(AZUL, days[0]).streak == 2
    assert games.standing(AZUL, today + datetime.timedelta(days=1)).streak == 0
    assert games.standing(RULE, today) == Standing(0, None, None, 0)

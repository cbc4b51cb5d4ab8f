"""`play --real-tiles`: a game at a table is followed, with the tiles that were drawn there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.notation import format_position
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord, read_records
from tests.cli.support import DRAFTING, assert_clean, error_lines, pavilion
from tests.plays import VARIANTS, replayed


def played(game: str, board: str, players: int) -> Play:
    """Return a whole game with draws of its own."""
    play, agent = Play.new(game, board=board, players=players, seed=9), make_agent("policy")
    while not play.is_over():
        if play.turn is None:
            play.draw_once()
        else:
            play.push(agent.choose(play))
    return play


def opening(play: Play) -> list[str]:
    """Return what a person types of the tiles that lie on the table at first."""
    text = dict(line.split(": ", 1) for line in
                format_position(play.start, "text").splitlines() if ": " in line)
    return [text["displays"], *([text["supply"]] if "supply" in text else []),
            str(play.start.start_seat)]


def typed(move: str) -> str:
    """Return what a person types for a move: of a draw the tiles alone."""
    kind, _, tiles = move.partition(":")
    return tiles.replace(",", " ").lower() if kind in ("deal", "supply") else move


def follow(lines: list[str], *arguments: object, players: int = 2) -> str:
    seats = ",".join(["human"] * players)
    result = pavilion("play", "--real-tiles", "--seats", seats, *arguments,
                      stdin="\n".join([*lines, ""]))
    assert_clean(result)
    return result.stdout


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS[::5])
def test_a_game_at_a_table_becomes_a_record(
    game: str, board: str, players: int, tmp_path: Path
) -> None:
    play, path = played(game, board, players), tmp_path / "game.jsonl"
    lines = [*opening(play), *map(typed, play.moves)]
    follow(lines, "--game", game, "--board", board, "--players", players, "--record", path,
           players=players)
    (record,) = read_records(path)
    assert (record.start, record.moves) == (play.start, play.moves)
    assert (record.scores, record.winners) == (play.scores(), play.winners())
    replayed(record)


def until_first_draw() -> tuple[Play, list[str]]:
    """Return a game, and what is typed until tiles are due."""
    play = played("summer", "coloured", 2)
    first = next(number for number, move in enumerate(play.moves) if ":" in move
                 and move.split(":")[0] in ("deal", "supply"))
    return play, [*opening(play), *play.moves[:first]]


def record_of(path: Path) -> GameRecord:
    (record,) = read_records(path)
    return record


def test_tiles_that_cannot_be_are_refused_and_asked_for_again(tmp_path: Path) -> None:
    play, lines = until_first_draw()
    path, drawn = tmp_path / "game.jsonl", len(lines) - len(opening(play))
    assert play.moves[drawn].startswith("deal:")
    printed = follow([*lines, "x", "", "15p", "help", "hint", typed(play.moves[drawn])],
                     "--record", path)
    asked = "tiles of each display, such as PGOY BBPO ...> "
    assert printed.count(asked) == 7    # and at the setup
    assert f"{asked}x\nNot possible: " in printed
    assert f"{asked}15p\nNot possible: deal:15P is not legal" in printed
    assert "  draw           draw the tiles at random" in printed
    assert "play that move of the list" not in printed
    assert "No hint while tiles are asked for" in printed
    assert record_of(path).moves == play.moves[:drawn + 1]


def test_a_draw_is_taken_back_and_drawn_at_random(tmp_path: Path) -> None:
    play, lines = until_first_draw()
    path, drawn = tmp_path / "game.jsonl", len(lines) - len(opening(play))
    follow([*lines, "undo", play.moves[drawn - 1], "draw"], "--record", path)
    found = record_of(path).moves
    assert found[:drawn] == play.moves[:drawn]
    assert len(found) == drawn + 1


def test_it_resumes(tmp_path: Path) -> None:
    play, lines = until_first_draw()
    path, drawn = tmp_path / "game.jsonl", len(lines) - len(opening(play))
    result = pavilion("play", "--real-tiles", "--seats", "human,human", "--record", path,
                      stdin="\n".join([*lines, "quit", ""]))
    assert f"pavilion play --record {path}` resumes it" in result.stderr
    result = pavilion("play", "--record", path,
                      stdin="\n".join([*map(typed, play.moves[drawn:]), ""]))
    assert result.exit_code == 0
    assert record_of(path).moves == play.moves


def test_the_program_prints_draws_as_it_takes_them(tmp_path: Path) -> None:
    play, lines = until_first_draw()
    path, drawn = tmp_path / "game.jsonl", len(lines) - len(opening(play))
    follow([*lines, play.moves[drawn]], "--record", path)
    assert record_of(path).moves == play.moves[:drawn + 1]


def test_each_question_about_the_table_is_asked_until_it_can_be() -> None:
    _, (displays, supply, start, *_) = until_first_draw()
    printed = follow(["GOYR PPBR", displays.replace("P", "", 1), displays.lower(), "pp", supply,
                      "2", start, "quit"])
    assert "Not possible: displays: found 2 displays, expected 5 for 2 players" in printed
    assert re.search(r"Not possible: displays\[[0-4]\]: found 3 tiles on display [1-5], expected 4",
                     printed)
    assert "Not possible: supply: found 2 tiles, expected 10" in printed
    asked = ("tiles of each display", "all 10 tiles of the supply> ", "seat that begins, 0 to 1> ")
    assert [printed.count(prompt) for prompt in asked] == [3, 2, 2]
    assert max(map(len, printed.splitlines())) <= 80


def test_seats_are_checked_before_anything_is_asked() -> None:
    for seats in ("human,nosuch", "human,cmd:no-such-program", "human,human,human"):
        result = pavilion("play", "--real-tiles", "--players", 2, "--seats", seats, stdin="")
        assert result.exit_code == 2
        assert result.stdout == ""


def test_leaving_before_the_game_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    follow(["quit"], "--record", path)
    assert not path.exists()


def test_from_a_position_only_draws_are_asked_for() -> None:
    printed = follow(["quit"], "--from", DRAFTING)
    assert "seat that begins" not in printed


@pytest.mark.parametrize(("arguments", "stdin", "message"), [
    (["--clock", "5"], "", "--clock does not go with --real-tiles"),
    (["--solo"], "", "--real-tiles does not go with --solo"),
    ([], "GOYR\n", "standard input ended before the tiles on the table were typed"),
])
def test_refusals(arguments: list[str], stdin: str, message: str) -> None:
    result = pavilion("play", "--real-tiles", *arguments, stdin=stdin)
    assert message in error_lines(result)[0]

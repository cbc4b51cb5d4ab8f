"""The five tasks of CONTRACT.md section 6, with moves that are legal with the seeds used here."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pavilion_ai import (
    Agent,
    Analysis,
    IllegalMoveError,
    Limits,
    Match,
    Play,
    RecordError,
    make_agent,
    read_records,
    write_record,
)


def test_a_game_in_progress() -> None:
    play = Play.new("summer", board="coloured", players=2, seed=7)
    assert (play.turn, play.phase, play.moves) == (play.start.to_move, "draft", ())
    assert play.position == play.start
    assert len(play.legal_moves) == len(list(play.legal_moves))
    move = play.legal_moves[0]
    assert play.push(move) in play.moves
    play.pop()
    twin = play.copy()
    assert twin == play
    with pytest.raises(IllegalMoveError):
        play.push("D9:P")
    assert twin == play
    play.draw(seed=None)
    assert (play.is_over(), len(play.scores()), play.winners()) == (False, 2, ())
    assert Play(play.code()).position == play.position
    assert Play.of(play.record(agents=None), ply=None) == play


def test_an_agent() -> None:
    play = Play.new("summer", seed=7)
    agent = make_agent("default")
    analysis = agent.analyse(play, Limits(sims=100))
    assert analysis.best.move in play.legal_moves
    assert agent.choose(play, Limits(sims=100)) in play.legal_moves
    assert str(analysis).startswith(f"seat {play.turn} to move, wins ")
    table = ElementTree.fromstring(analysis._repr_html_())
    assert table.tag == "table"
    assert analysis.best.move in {cell.text for cell in table.iter("td")}
    assert repr(agent) == "make_agent('default')"
    assert repr(play.rules) == "SummerRules()"


def test_the_table_of_an_analysis_tells_what_was_found() -> None:
    play = Play.new("summer", seed=7)

    def shown(analysis: Analysis) -> tuple[str, list[list[str]]]:
        caption, _, *rows = ElementTree.fromstring(analysis._repr_html_())
        return caption.text or "", [[cell.text or "" for cell in row] for row in rows]

    caption, rows = shown(make_agent("greedy").analyse(play))
    assert caption == f"seat {play.turn} to move; greedy does not search"
    assert [(row[3], row[4]) for row in rows] == [("-", "-")]
    found = make_agent("ismcts:sims=3").analyse(play, avoid=[play.legal_moves[0]])
    caption, (*rows, last) = shown(found)
    assert " % without what is avoided, 3 simulations" in caption
    assert [row[4] == "-" for row in rows] == [row[2] == "0" for row in rows]
    assert last[-1] == f"and {len(found.moves) - len(rows)} more"
    caption, _ = shown(make_agent("ismcts:sims=3").analyse(play, only=[play.legal_moves[0]]))
    assert " % with this move, 3 simulations" in caption


def test_records_come_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for seed in (1, 2, 3):
        write_record(path, Play.new("azul", seed=seed).record(id=str(seed)))
    assert [record.id for record in read_records(path)] == ["1", "2", "3"]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], '{"id": 2}', lines[2]]) + "\n")
    found = read_records(path)
    assert next(found).id == "1"
    with pytest.raises(RecordError, match="line 2"):
        next(found)
    with pytest.raises(OSError, match="No such file"):
        read_records(tmp_path / "nothing.jsonl")


def test_a_player_of_ones_own() -> None:
    class Mine(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return play.legal_moves[-1]

    report = Match([Mine(), "default:level=3"], game="summer", pairs=2, seed=1).run()
    assert report.games == 4
    assert Mine().analyse(Play.new(seed=1)).best.move == Play.new(seed=1).legal_moves[-1]
    assert Mine().decide(Play.new(seed=1)).move == Play.new(seed=1).legal_moves[-1]
    assert (Mine().spec, repr(Mine())) == ("Mine", "Mine()")

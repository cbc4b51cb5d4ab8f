"""Files that earlier versions wrote are read as they were meant, and written as they were."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from pavilion_ai import Play, format_position, make_agent, parse_position, read_records
from pavilion_ai.deprecation import deprecated
from pavilion_ai.match.verify import verify
from pavilion_ai.network import load_network

VERSIONS = sorted((Path(__file__).parent / "data" / "compat").iterdir())
RECORDS = [path for version in VERSIONS for path in sorted(version.glob("*.jsonl"))]
CODES = [code for version in VERSIONS
         for code in (version / "positions.code").read_text().split()]
NETWORKS = [path for version in VERSIONS for path in sorted(version.glob("*.net"))]


@pytest.mark.parametrize("code", CODES)
def test_codes(code: str) -> None:
    assert format_position(parse_position(code).position, "code") == code


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_records(path: Path) -> None:
    assert verify(path).problems == ()
    lines = path.read_text(encoding="utf-8").splitlines()
    for line, record in zip(lines, read_records(path), strict=True):
        assert record.to_json() == json.loads(line)
        assert Play.of(record).scores() == record.scores


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_networks_choose_as_they_did(path: Path) -> None:
    agent = make_agent(f"policy:net={path}")
    (record,) = read_records(path.with_name(f"network_{path.stem}.jsonl"))
    play = Play(record.start)
    assert load_network(path).players == play.position.players
    for move in record.moves:
        if play.turn is not None:
            assert agent.choose(play) == move
        play.push(move)


def test_a_deprecated_name_works_and_says_what_to_use() -> None:
    @deprecated("1.2", "`new`")
    def old(number: int) -> int:
        """Return the number."""
        return number

    with pytest.warns(DeprecationWarning, match="old is deprecated since 1.2: use `new`") as caught:
        assert old(3) == 3
    assert caught[0].filename == __file__
    assert old.__doc__ == "Return the number.\n\nDeprecated since 1.2: use `new`.\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert old(number=4) == 4

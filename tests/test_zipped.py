"""Zip archives of saved games: unpacked within bounds, refused in one line."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from pathlib import Path

import pytest

from pavilion_ai.encoded import EncodingFault
from pavilion_ai.errors import PositionError
from pavilion_ai.web import intake
from pavilion_ai.zipped import unzipped
from tests.archives import packed
from tests.bga.samples import WHOLE, sample, truth
from tests.cli.support import assert_clean, pavilion

MOST = 10_000


def logs() -> bytes:
    """Return an archive of three games, one of them packed again, beside what systems add."""
    return packed((f"games/{WHOLE[0]}", sample(WHOLE[0]).encode()),
                  (f"../../{WHOLE[1]}", gzip.compress(sample(WHOLE[1]).encode())),
                  (f"C:\\games\\{WHOLE[2]}", sample(WHOLE[2]).encode("utf-16")),
                  ("__MACOSX/games/._x", b"\0\5"), ("games/.DS_Store", b"\0"), ("games/", b""))


TRUTHS = [truth(name)["moves"] for name in WHOLE[:3]]


def test_files_come_with_their_names() -> None:
    content = packed(("a/b.json", b"{}"), ("/etc/x\x1b\n.json", b"2"), ("b.json", b"3"),
                     ("b.json", b"4"), ("n" * 500, b""), ("folder/", b""))
    assert unzipped(content, MOST) == [
        ("b.json", b"{}"), ("x??.json", b"2"), ("b.json", b"3"), ("b.json", b"4"), ("n" * 100, b"")]


def encrypted() -> bytes:
    content = bytearray(packed(("x.json", b"{}")))
    for begins, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(begins) + place] |= 1
    return bytes(content)


REFUSED = {
    "too much": (packed(("x", bytes(MOST + 1))), "too much to read at once (unpack it first)"),
    "too much in all": (packed(*[(f"{n}", bytes(MOST // 2)) for n in range(3)]), "too much to"),
    "a bomb": (packed(("x", bytes(50 << 20))), "too much to read at once"),
    "many files": (packed(*[(f"{n}", b"") for n in range(1001)]), "more than 1000 files"),
    "nested": (packed(("one", b"{}"), ("two.zip", packed(("x", b"")))),
               "holds another one, two.zip (unpack that first)"),
    "encrypted": (encrypted(), "the zip is encrypted (unpack it first)"),
    "lzma": (packed(("x", b"x" * 99), method=zipfile.ZIP_LZMA), "packed in a way that is not read"),
    "empty": (packed(), "the zip holds no files"),
    "folders alone": (packed(("a/", b""), ("__MACOSX/b", b"x")), "the zip holds no files"),
    "cut short": (packed(("x", random.Random(1).randbytes(999)))[:700], "damaged or cut short"),
    "only its beginning": (b"PK\x03\x04" + bytes(99), "damaged or cut short"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_an_archive_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EncodingFault) as refused:
        unzipped(content, MOST)
    assert message in str(refused.value)
    monkeypatch.setattr(intake, "MAX_BYTES", MOST)
    with pytest.raises(PositionError) as error:
        intake.read_import(content)
    assert message in str(error.value)
    if "too much" in message:
        return
    path = tmp_path / "logs.zip"
    path.write_bytes(content)
    for command in (("import", "bga"), ("review",)):
        result = pavilion(*command, path)
        assert_clean(result, 2)
        line, = result.stderr.splitlines()
        assert line.startswith(f"error: {path}: ")
        assert message in line


def test_damage_anywhere_is_refused_or_harmless() -> None:
    whole, rng = packed(("a.json", b'{"a": 1}' * 20), ("b.json", rng_bytes())), random.Random(2)
    for _ in range(3000):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 2, 8))):
            content[rng.randrange(4, len(content))] = rng.randrange(256)
        try:
            found = unzipped(bytes(content), MOST)
        except EncodingFault:
            continue
        assert sum(len(one) for _, one in found) <= MOST


def rng_bytes() -> bytes:
    return random.Random(3).randbytes(300)


def test_games_of_an_archive_are_imported_and_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(logs())
    result = pavilion("import", "bga", path)
    assert_clean(result)
    assert [json.loads(line)["moves"] for line in result.stdout.splitlines()] == TRUTHS
    assert f"note: {path}, {WHOLE[0]}: seat 0 is 'Player A'" in result.stderr
    review = pavilion("review", path, "--sims", 1, "--json")
    assert_clean(review)
    assert len(review.stdout.splitlines()) == 3
    assert "seat 0 is" not in review.stderr
    assert "note: player 1 is 'Player A'" in review.stderr


def test_an_archive_that_is_dropped_on_the_page() -> None:
    found = intake.read_import(logs())
    assert [record["moves"] for record in found["records"]] == TRUTHS
    assert "problems" not in found
    assert found["notes"] == [f"player {number} is 'Player {name}'"
                              for number, name in enumerate("ABAB", 1)]
    assert [[agent["name"] for agent in record["agents"]] for record in found["records"]] == [
        ["player 3", "player 4"], ["player 1", "player 2"], ["player 1", "player 2"]]
    log = "x", sample(WHOLE[0]).encode()
    alone = intake.read_imports([log])
    assert alone["notes"] == ["seat 0 is 'Player A'", "seat 1 is 'Player B'"]
    assert "name" not in alone["records"][0]["agents"][0]
    beside = intake.read_imports([log, ("y", b"displays: 4P - - - -")])
    assert beside["notes"][-2:] == ["x: seat 0 is 'Player A'", "x: seat 1 is 'Player B'"]
    several = intake.read_imports([
        ("a.zip", packed(("x.json", b"[]"))), ("b.zip", logs()), ("c.zip", b"PK\x03\x04")])
    assert len(several["records"]) == 3
    assert [problem["message"] for problem in several["problems"]] == [
        "c.zip: the zip is damaged or cut short, expected a text",
        "a.zip, x.json: the log is empty: it holds no packets, or none sent to all players;"
        " expected those of a game"]


def test_what_is_dropped_on_the_page_is_bounded_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MAX_BYTES", MOST)
    inner = gzip.compress(b" " * (MOST - 1) + b"1")
    zeros = packed(("1", bytes(MOST)))
    for files, message in (
            ([("a.zip", packed(("1", inner), ("2", inner)))], f"more than {MOST} bytes, unpacked"),
            ([("1", inner), ("2", inner)], f"more than {MOST} bytes, unpacked"),
            ([("a.zip", zeros), ("b.zip", zeros)], "b.zip: the zip holds too much")):
        problems = intake.read_imports(files)["problems"]
        assert any(message in problem["message"] for problem in problems)


def test_texts_of_an_archive_are_bounded_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.cli.logs.MAX_ZIP_BYTES", MOST)
    inner = gzip.compress(b" " * (MOST - 1) + b"1")
    path = tmp_path / "logs.zip"
    path.write_bytes(packed(("1", inner), ("2", inner)))
    result = pavilion("import", "bga", path)
    assert_clean(result, 2)
    assert f"{path}, 2: more than 0 bytes, not a page or a log" in result.stderr

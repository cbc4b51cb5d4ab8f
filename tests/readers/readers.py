"""Every reader of what others wrote: a file, a request, a message, each with sound samples."""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pavilion_ai.errors import PavilionError
from pavilion_ai.network import LENGTH_BYTES, MAGIC, NETS, read_network
from pavilion_ai.notation import format_position, to_json
from pavilion_ai.protocol import Engine
from pavilion_ai.record import GameRecord
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_FOUR,
    AZUL_TYPED,
    BONUS,
    CONTRACT,
    DRAFTING,
    GAME,
    PLACING,
    ROOT,
    cut_short,
    pavilion,
    position_of,
)
from tests.notation.bga_tables import table
from tests.notation.foreign import fen, game_state, serialised

MIB = 1 << 20
FILE = "hostile"
"""Name of the file, in the present folder."""
MATCH = ("greedy", "random", "--pairs", 1, "--jobs", 1, "--seed", 3)
REVIEW = ("review", GAME, "--sims", 2, "--jobs", 1)
ECHO = """import json, sys
for line in sys.stdin:
    told = open('hostile', errors='surrogateescape').read()
    number = json.loads(line)['id']
    sys.stdout.buffer.write(told.replace('"id": 1', f'"id": {number}').encode(
        errors='surrogateescape'))
    sys.stdout.flush()
"""
"""An engine that answers what the file holds."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input.

    Attributes:
        code: exit code; 0 where something was read, 2 where it was refused.
        told: what was said of it.
        given: what else was answered.
    """

    code: int
    told: str
    given: str = ""


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes:
        read: reads an input.
        objects: samples that are JSON, by name.
        texts: other samples, by name.
        size: bytes of the longest input that it takes.
        end: what follows an object, in a file of lines.
    """

    read: Callable[[bytes], Outcome]
    objects: Callable[[], Mapping[str, Any]] = dict
    texts: Callable[[], Mapping[str, str]] = dict
    size: int = 4 * MIB
    end: str = "\n"


# ------------------------------------------------------------------------------ ways to read


def command(*words: object) -> Callable[[bytes], Outcome]:
    """Return a reader by way of a command that is given a file."""
    def read(content: bytes) -> Outcome:
        Path(FILE).write_bytes(content)
        done = pavilion(*words)
        return Outcome(done.exit_code, done.stderr, done.stdout)

    return read


def engine(content: bytes) -> Outcome:
    """Let the engine answer lines."""
    output = io.BytesIO()
    Engine(output, agent="greedy").serve(io.BytesIO(content))
    return Outcome(0, output.getvalue().decode())


def web_import(content: bytes) -> Outcome:
    """Import what was dropped on the page."""
    from pavilion_ai.web.intake import problems_of, read_import

    try:
        found = read_import(content)
    except PavilionError as error:
        found = {"problems": problems_of(error)}
    if found.keys() == {"problems"}:
        return Outcome(2, "\n".join(": ".join(filter(None, (one["place"], one["message"])))
                                    for one in found["problems"]))
    return Outcome(0, "", json.dumps(found))


def web_request(content: bytes) -> Outcome:
    """Let the engine of the page answer a message, with all that the page adds to it."""
    from pavilion_ai.protocol.capacity import Capacity
    from pavilion_ai.solo import SoloGames
    from pavilion_ai.web import intake, saved, socket, study, views
    from pavilion_ai.web import solo as solo_web

    capacity, folder = Capacity(1), Path("data")
    more = {**study.Study().actions(threading.Event()), **saved.SavedGames(folder).actions(),
            "import": intake.import_text, "sketch": views.sketch, "view": views.view}
    output = io.BytesIO()
    engine = Engine(output, capacity=capacity, keys=socket.KEYS,
                    more={**more, **_solo(solo_web.Solo(SoloGames(folder), capacity))})
    engine.serve(io.BytesIO(content))
    return Outcome(0, output.getvalue().decode())


def _solo(solo: Any) -> Mapping[str, Any]:
    return dict(solo.actions(threading.Event()))


def network(content: bytes) -> Outcome:
    """Read a network file whose header is this."""
    head = content[: 1 << 16]
    return command("suggest", PLACING, "--sims", 2, "--agent", f"ismcts:net={FILE}")(
        MAGIC + len(head).to_bytes(LENGTH_BYTES, "little") + head + b"\0" * 100)


def puzzle_file(content: bytes) -> Outcome:
    """Read a file of puzzles that is to grow."""
    from pavilion_ai.puzzles.file import PuzzleFile
    from pavilion_ai.puzzles.find import Source

    Path(FILE).write_bytes(content)
    puzzle = puzzles()["puzzle"]
    source = Source("summer", "coloured", 2, puzzle["from"]["seed"], puzzle["sims"])
    try:
        PuzzleFile(FILE, source).close()
    except PavilionError as error:
        return Outcome(2, str(error))
    return Outcome(0, "")


def arrays(content: bytes) -> Outcome:
    """Make arrays of records."""
    shutil.rmtree("arrays", ignore_errors=True)
    return command("dataset", FILE, "--out", "arrays")(content)


def answered(content: bytes) -> Outcome:
    """Read the answer of an external engine."""
    Path("echo.py").write_text(ECHO)
    program = shlex.join([sys.executable, "-I", "-S", "echo.py"])
    return command("play", "--seats", f"greedy,cmd:{program}")(content)


# ------------------------------------------------------------------------------ samples


@cache
def _games() -> list[dict[str, Any]]:
    return [json.loads(line) for line in
            (CONTRACT / "games_summer_coloured.jsonl").read_text().splitlines()[:3]]


def _short(record: dict[str, Any]) -> dict[str, Any]:
    return cut_short(GameRecord.from_json(record), 3).to_json()


def records() -> Mapping[str, Any]:
    return {"game": _games()[0], "unfinished": _short(_games()[0]), "of a match": _match_game()}


@contextmanager
def elsewhere() -> Iterator[None]:
    """Work in an empty folder."""
    before = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@cache
def _match_game() -> dict[str, Any]:
    """Return a game of the match that a reader goes on with."""
    with elsewhere():
        done = pavilion("match", *MATCH, "--out", FILE)
        assert done.exit_code == 0, done.stderr
        game: dict[str, Any] = json.loads(Path(FILE).read_text().splitlines()[0])
    return game


def positions() -> Mapping[str, Any]:
    return {path.stem: to_json(position_of(path)) for path in (PLACING, AZUL_FOUR)} | {
        "partial": {"game": "summer", "round": 2, "displays": ["2P2G"], "seats": [{}, {}]},
        "foreign": game_state(position_of(AZUL_DRAFT))}


def position_texts() -> Mapping[str, str]:
    text = {path.stem: format_position(position_of(path), "text") for path in (DRAFTING, BONUS)}
    codes = {f"code of {path.stem}": format_position(position_of(path), "code")
             for path in (PLACING, AZUL_FOUR)}
    foreign = {"numbers": serialised(position_of(AZUL_DRAFT)), "fen": fen(position_of(AZUL_DRAFT))}
    return {**text, **codes, "typed": AZUL_TYPED.read_text(), **foreign}


def pages() -> Mapping[str, Any]:
    data = ROOT / "tests" / "data" / "bga"
    log = json.loads(gzip.decompress((data / "azul_grey_2p.cut.json.gz").read_bytes()))
    return {"page": table(position_of(PLACING)), "log": _cut(log)}


def _cut(value: Any) -> Any:
    """Return a log with its first packets only."""
    if isinstance(value, list):
        return [_cut(one) for one in value[:12]]
    return {key: _cut(one) for key, one in value.items()} if isinstance(value, dict) else value


def page_texts() -> Mapping[str, str]:
    page = json.dumps(table(position_of(PLACING)))
    html = f"<html><script>gameui.completesetup('azul', {page}, []);</script></html>"
    return {"html": html, "in one file": "MIME-Version: 1.0\nContent-Type: multipart/related;"
            f' boundary="b"\n\n--b\nContent-Type: text/html\n\n{html}\n--b--\n'}


def requests() -> Mapping[str, Any]:
    from tests.fuzz.targets import seeds

    told = [json.loads(line) for line in seeds("engine")[0].splitlines()]
    return {one["action"]: one for one in told if one["action"] != "review"}


def web_requests() -> Mapping[str, Any]:
    start = to_json(position_of(DRAFTING))
    told: list[dict[str, Any]] = [
        {"action": "save", "game": "a-1", "agents": ["human", "greedy"], "start": start,
         "moves": [], "seed": 1, "resigned": 0, "seconds": [0, 1.5]},
        {"action": "open", "game": "a-1"}, {"action": "import", "text": json.dumps(start)},
        {"action": "sketch", "position": start, "first": 0, "names": ["a", "b"]},
        {"action": "view", "position": start, "moves": [], "people": [0]},
        {"action": "outlook", "position": start, "seed": 1},
        {"action": "puzzle", "game": "summer", "board": "grey", "players": 2, "number": 1},
        {"action": "solo_move", "game": "summer", "players": 2, "level": 1, "seed": 3,
         "moves": []}]
    return {one["action"]: {"id": 1, **one} for one in told}


def recipes() -> Mapping[str, Any]:
    shipped = ROOT / "pavilion_ai" / "train" / "recipes"
    return {name: json.loads((shipped / f"{name}.json").read_text())
            for name in ("default", "summer-coloured-2-third")}


def judgements() -> Mapping[str, Any]:
    with elsewhere():
        done = pavilion(*REVIEW, "--out", FILE)
        assert done.exit_code == 0, done.stderr
        return {"judgement": json.loads(Path(FILE).read_text().splitlines()[0])}


def puzzles() -> Mapping[str, Any]:
    path = ROOT / "pavilion_ai" / "puzzles" / "data" / "summer-coloured-2.jsonl.gz"
    return {"puzzle": json.loads(gzip.decompress(path.read_bytes()).splitlines()[0])}


def answers() -> Mapping[str, Any]:
    return {"answer": {"id": 1, "move": "D1:G", "final": True},
            "error": {"id": 1, "error": "why"}}


def opening_texts() -> Mapping[str, str]:
    code = format_position(position_of(PLACING), "code")
    return {"codes": f"# pavilion-ai openings\n{code}\n{code}  # the second\n",
            "texts": format_position(position_of(DRAFTING), "text")}


READERS: dict[str, Reader] = {
    "position": Reader(command("show", FILE), positions, position_texts, MIB),
    "moves of a position": Reader(command("moves", FILE), positions, size=MIB),
    "records to verify": Reader(command("verify", FILE), records),
    "records to replay": Reader(command("replay", FILE), records),
    "records to report": Reader(command("report", FILE), records),
    "records to count": Reader(command("stats", FILE), records),
    "records to review": Reader(
        command("review", FILE, "--sims", 1, "--jobs", 1), records),
    "record to go on with": Reader(
        command("play", "--record", FILE, "--resume", "--seats", "greedy,greedy"), records),
    "match to go on with": Reader(
        command("match", *MATCH, "--out", FILE), records),
    "records of a data set": Reader(
arrays, records),
    "solo": Reader(command("verify", "--solo", FILE), records),
    "openings": Reader(
        command("match", *MATCH, "--from", FILE), positions, opening_texts),
    "openings of records": Reader(
        command("match", *MATCH, "--from", FILE, "--ply", 2), records),
    "openings to go on with": Reader(
        command("openings", "--count", 1, "--sims", 2, "--jobs", 1, "--out", FILE), positions,
        opening_texts),
    "page": Reader(command("import", "bga", FILE), pages, page_texts, 16 * MIB),
    "web import": Reader(web_import, lambda: {**pages(), **positions(), "record": _games()[0]},
                         lambda: {**page_texts(), **position_texts()}, 16 * MIB),
    "engine": Reader(engine, requests),
    "web request": Reader(web_request, web_requests),
    "recipe": Reader(command("train", "--out", "run", "--recipe", FILE), recipes),
    "judgements": Reader(
        command(*REVIEW, "--out", FILE), judgements),
    "puzzles": Reader(puzzle_file, puzzles),
    "network": Reader(network, lambda: {"header": _header()}, size=1 << 16),
    "external engine": Reader(answered, answers),
}
if find_spec("uvicorn") is None:  # the page's own library
    del READERS["web import"], READERS["web request"]


def _header() -> Any:
    return read_network(NETS / "summer-coloured-2.net")[0].to_json()

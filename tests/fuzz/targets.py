"""What the fuzzers feed: each reader of text from elsewhere, as a function of bytes.

A target returns, or raises `Broken`. Refusals, the package's own errors, are as good as success, if
their message can be printed and has an end.
"""

from __future__ import annotations

import importlib.util
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pavilion_ai import bga
from pavilion_ai._core import SMALLEST_ARENA, Search
from pavilion_ai.encoded import EncodingFault, utf8
from pavilion_ai.errors import PavilionError, PositionError, harmless
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.match import checking
from pavilion_ai.match.keys import key_faults
from pavilion_ai.network import (
    NETS,
    Header,
    core_shape,
    load_network,
    network_bytes,
    read_network,
    shipped,
)
from pavilion_ai.notation import (
    FORMS,
    format_move,
    format_position,
    parse_move,
    parse_position,
    to_json,
)
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.protocol import Engine
from pavilion_ai.record import GameRecord
from pavilion_ai.record.reading import read_entries
from pavilion_ai.review.kept import Kept
from pavilion_ai.spec import parse_spec
from pavilion_ai.train.recipe import parse_recipe
from pavilion_ai.untrusted import strict_json
from tests.notation.samples import sample_positions

DATA = Path(__file__).parent.parent / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
CORPUS = Path(__file__).parent / "corpus"
LONGEST = 20_000
"""Characters that a refusal may have, however long the input."""
SIMS = 40
MOVES_TRIED = 4
SHORT_LOGS = (12, 25, 50)
"""Packets of the beginnings of logs."""


class Broken(AssertionError):
    """A promise that a reader does not keep."""


def check(condition: bool, what: str) -> None:
    """Raise Broken unless a condition holds."""
    if not condition:
        raise Broken(what)


def check_message(text: str, lines: bool = False) -> None:
    """Check a message that a terminal would show."""
    plain = text.replace("\n", "") if lines else text
    check(harmless(plain) == plain, f"raw text in {text[:200]!r}")
    check(len(text) <= LONGEST, f"a message of {len(text)} characters")


def check_refusal(error: PavilionError) -> None:
    """Check what a refusal says."""
    if isinstance(error, PositionError):
        check(bool(error.problems), "no problems")
        check_message(error.in_one_line)
    else:
        check_message(str(error), lines=True)


@contextmanager
def checked_refusal() -> Iterator[None]:
    """Check what a refusal in the block says, and leave the block."""
    try:
        yield
    except PavilionError as error:
        check_refusal(error)


def text_of(data: bytes) -> str:
    return data.decode(errors="surrogateescape" if b"\x01" in data else "replace")


# ------------------------------------------------------------------------------- positions


def position(data: bytes) -> None:
    """Any form of a position."""
    check_position(text_of(data))


def check_position(source: Any) -> None:
    """Check that a position is refused properly, or is the same in every form."""
    try:
        parsed = parse_position(source)
    except PositionError as error:
        check_refusal(error)
        return
    for note in parsed.notes:
        check_message(note)
    for form in FORMS:
        again = parse_position(format_position(parsed.position, form)).position
        check(again == parsed.position, f"{form}: another position")


def core(data: bytes) -> None:
    """A position as the core loads, plays and searches it."""
    try:
        found = parse_position(text_of(data)).position
    except PositionError:
        return
    rules = rules_of(found)
    check(rules.from_core(rules.to_core(found)) == found, "another position from the core")
    play = Play(found, seed=1)
    if play.chance:
        play.draw(1)
    if play.turn is None:
        return
    _search(play)
    moves = list(play.legal_moves)
    check(bool(moves), "no legal move")
    random = Random(len(data))
    for move in random.sample(moves, min(MOVES_TRIED, len(moves))):
        check(format_move(parse_move(move, found.game), found.game) == move, move)
        play.push(move)
        parse_position(format_position(play.position, "code"))
        play.pop()
    _to_the_end(play, random)


def _search(play: Play) -> None:
    rules, players = play.rules, play.position.players
    network = shipped(play.start.game, play.start.board, players)
    for net, tunables in ((None, rules.tunables), (network, rules.network_tunables[players])):
        Search(play.state, seed=1, memory_bytes=SMALLEST_ARENA, network=net,
               **tunables).run(SIMS)


def _to_the_end(play: Play, random: Random) -> None:
    """Play at random, checking that no rule breaks a position."""
    for _ in range(60):
        if play.chance:
            play.draw(1)
        if play.turn is None:
            return
        play.push(random.choice(list(play.legal_moves)))


def move(data: bytes) -> None:
    """A move, in every game, strict and lenient."""
    for game in GAMES:
        for lenient in (False, True):
            with suppress(PavilionError):
                found = parse_move(text_of(data), game, lenient=lenient)
                text = format_move(found, game)
                check(parse_move(text, game) == found, text)
    with checked_refusal():
        Play(_opening()).push(text_of(data))


def _opening() -> Position:
    return GAMES["summer"].new(board="coloured", players=2, seed=1)


# ------------------------------------------------------------------------------- files


def records(data: bytes) -> None:
    """A file of records, as every command reads it, and as `verify` checks it."""
    with _file(data) as path:
        for number, entry in enumerate(read_entries(path)):
            check_message(entry.fault)
            if entry.record is not None and number < 20:
                again = GameRecord.from_json(entry.record.to_json())
                check(again == entry.record, "another record")
                for fault in checking.check(entry.record).faults:
                    check_message(fault)


def event(data: bytes) -> None:
    """The key `match` of a record."""
    with suppress(ValueError):
        for fault in key_faults(strict_json(text_of(data)), 2):
            check_message(fault)


def page(data: bytes) -> None:
    """A page or a log of Board Game Arena."""
    try:
        found = bga.read_bga(text_of(data))
    except PavilionError as error:
        check_refusal(error)
        return
    for note in found.notes:
        check_message(note)
    if isinstance(found, bga.Imported):
        check(not checking.check(found.record).faults, "the record of an import is faulty")


def imported(data: bytes) -> None:
    """What the page of `pavilion web` imports."""
    from pavilion_ai.web.intake import problems_of, read_import

    try:
        found = read_import(data)
    except PavilionError as error:
        found = {"problems": problems_of(error)}
    for problem in json.loads(json.dumps(found)).get("problems", ()):
        check_message(problem["message"], lines=True)


def network(data: bytes) -> None:
    """A network file."""
    with _file(data) as path:
        try:
            read_network(path)
        except PavilionError as error:
            check_message(str(error).replace(str(path), ""))


def weights(data: bytes) -> None:
    """A sound network of the smallest shape, filled with the input: searches stay in bounds."""
    game = ("summer", "azul")[len(data) % 2]
    header = Header(game, "coloured", 2, core_shape(game, 2)[0], (32, 16), core_shape(game, 2)[1])
    size = header.payload_bytes
    data = data or b"0"
    found = load_network(network_bytes(header, (data * (size // len(data) + 1))[:size]))
    play = Play(GAMES[game].new(board="coloured", players=2, seed=1))
    searched = Search(play.state, seed=1, memory_bytes=SMALLEST_ARENA, network=found,
                      **play.rules.network_tunables[2])
    check(searched.run(SIMS) == SIMS, "simulations are missing")
    check(sum(row.visits for row in searched.rows()) <= SIMS, "too many visits")


def recipe(data: bytes) -> None:
    """A recipe of training."""
    try:
        value = strict_json(text_of(data))
    except ValueError:
        return
    try:
        found = parse_recipe(value)
    except PavilionError as error:
        check_refusal(error)
    else:
        check(parse_recipe(found.to_json()) == found, "another recipe")


def judgements(data: bytes) -> None:
    """The file of a review that is resumed."""
    from pavilion_ai.limits import Limits
    from pavilion_ai.review import Judge

    with _file(data) as path:
        try:
            Kept(str(path), Judge("default", Limits(sims=1), 1)).close()
        except PavilionError as error:
            check_message(str(error).replace(str(path), ""))


def encoded(data: bytes) -> None:
    """Text in any encoding."""
    with suppress(EncodingFault):
        utf8(io.BytesIO(data)).read()


# ------------------------------------------------------------------------------- requests


def spec(data: bytes) -> None:
    """The spec of an agent."""
    with checked_refusal():
        found = parse_spec(text_of(data))
        hash(found)
        check(found.threads >= 1, "no threads")


def engine(data: bytes) -> None:
    """Lines to the engine. Every one that is not blank is answered, and searches are short."""
    lines = [_tamed(line) for line in data.split(b"\n")[:20]]
    output = io.BytesIO()
    Engine(output, agent="greedy").serve(io.BytesIO(b"\n".join(lines)))
    answers = [strict_json(line) for line in output.getvalue().decode().splitlines()]
    last = [answer for answer in answers if answer.get("final") is not False]
    check(len(last) == sum(1 for line in lines if line.strip()), "a line without an answer")
    for answer in answers:
        if "error" in answer:
            check("internal error" not in answer["error"], answer["error"])
            check_message(answer["error"])


def _tamed(line: bytes) -> bytes:
    """Return a request whose limits cost little."""
    try:
        request = strict_json(line.decode())
    except (ValueError, UnicodeDecodeError):
        return line
    if not isinstance(request, dict):
        return line
    for part in (request, request.get("limits")):
        if isinstance(part, dict):
            for key, most in (("sims", 10), ("seconds", 0.001), ("depth", 1), ("threads", 2)):
                if type(part.get(key)) in (int, float) and part[key] > most:
                    part[key] = most
    if request.get("action") in ("analyse", "choose", "review"):
        request["agent"] = "default"
        if "limits" not in request and "seconds" not in request:
            request.setdefault("sims", 1)
    return json.dumps(request).encode()


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    """A file that holds an input while a block runs."""
    path = Path(_folder().name) / "file"
    path.write_bytes(data)
    yield path
    path.unlink()


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One folder for all inputs: to make and remove one takes longer than most readers."""
    return tempfile.TemporaryDirectory(prefix="fuzz")


# ------------------------------------------------------------------------------- seeds


def _positions() -> Iterator[bytes]:
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix in (".json", ".code", ".txt"):
            yield path.read_bytes()
    for game in GAMES:
        for number, (_, raw) in enumerate(sample_positions(game)):
            if number % 40 == 0:
                yield json.dumps(raw).encode()
                yield format_position(parse_position(raw).position, "text").encode()


def _games() -> Iterator[bytes]:
    yield (EXAMPLES / "game_2p.jsonl").read_bytes()
    for path in sorted((DATA / "contract").glob("games_*.jsonl")):
        yield path.read_bytes().splitlines(keepends=True)[0]


def _moves() -> Iterator[bytes]:
    for line in _games():
        yield from (one.encode() for one in json.loads(line.splitlines()[0])["moves"][::9])


def _pages() -> Iterator[bytes]:
    """Yield whole pages and logs, and the beginnings of logs, which are read 20 times as fast."""
    import gzip

    for path in sorted((DATA / "bga").glob("*.gz")):
        yield (page := gzip.decompress(path.read_bytes()))
        if page.startswith(b'{"status"'):
            for packets in SHORT_LOGS:
                log = json.loads(page)
                del log["data"]["logs"][packets:]
                yield json.dumps(log).encode()
    yield (DATA / "bga" / "no_rights.json").read_bytes()


def _networks() -> Iterator[bytes]:
    for path in sorted(NETS.glob("*.net"))[::6]:
        yield path.read_bytes()[:2000]
    yield network_bytes(Header("summer", "grey", 3, 40, (32, 16), 21), b"\1" * Header(
        "summer", "grey", 3, 40, (32, 16), 21).payload_bytes)


def _recipes() -> Iterator[bytes]:
    from importlib import resources

    for path in (resources.files("pavilion_ai.train") / "recipes").iterdir():
        yield path.read_bytes()


def _requests() -> Iterator[bytes]:
    start: dict[str, Any] = to_json(_opening())
    told = [
        {"action": "hello"}, {"action": "new", "game": "azul", "players": 3, "seed": 5},
        {"action": "show", "position": start, "format": "svg", "names": ["a", "b"], "dark": True},
        {"action": "moves", "position": start, "describe": True},
        {"action": "apply", "position": start, "moves": ["D1:B"], "draw": False},
        {"action": "replay", "position": start, "moves": ["D1:B"]},
        {"action": "perft", "position": start, "depth": 1},
        {"action": "analyse", "position": start, "sims": 3, "only": ["D1:B"], "top": 1},
        {"action": "choose", "position": start, "legal_moves": ["D1:B"],
         "limits": {"sims": 1}, "past": {"start": start, "moves": []}},
        {"action": "review", "record": json.loads(next(_games()).splitlines()[0]), "sims": 1},
        {"action": "stop", "target": 1},
    ]
    yield b"\n".join(json.dumps({"id": number, **one}).encode() for number, one in enumerate(told))
    yield from (json.dumps({"id": 1, **one}).encode() for one in told)


def _specs() -> Iterator[bytes]:
    yield from (b"ismcts:sims=2000,threads=2", b"default:level=3", b"uct:memory=8,time=0.5",
                b"policy:net=0", b"cmd:program 'an argument'", b"flat:exploration=1.5")


def _events() -> Iterator[bytes]:
    for line in (DATA / "contract").glob("games_*.jsonl"):
        first = json.loads(line.read_text().splitlines()[0])
        yield json.dumps(first.get("match", {"event": "x", "pair": 1, "rotation": 0})).encode()


def _judgements() -> Iterator[bytes]:
    judge = {"agent": "default", "sims": 1, "seconds": None, "seed": 1, "version": "1"}
    yield json.dumps({"judge": judge, "position": "", "move": "D1:B"}).encode() + b"\n"


TARGETS: dict[str, Callable[[bytes], None]] = {
    "position": position, "core": core, "move": move, "records": records, "event": event,
    "page": page, "imported": imported, "network": network, "weights": weights, "recipe": recipe,
    "judgements": judgements, "encoded": encoded, "spec": spec, "engine": engine,
}
if importlib.util.find_spec("uvicorn") is None:  # the page's own library
    del TARGETS["imported"]
SEEDS: dict[str, tuple[Callable[[], Iterator[bytes]], ...]] = {
    "position": (_positions,), "core": (_positions,), "move": (_moves,), "records": (_games,),
    "event": (_events,), "page": (_pages,), "imported": (_pages, _games, _positions),
    "network": (_networks,), "weights": (_networks,), "recipe": (_recipes,),
    "judgements": (_judgements,), "encoded": (_games,), "spec": (_specs,), "engine": (_requests,),
}


@cache
def seeds(name: str) -> list[bytes]:
    """Return the inputs that mutations of a target start from: samples, and what was found."""
    found = [one for seed in SEEDS[name] for one in seed()]
    return found + [path.read_bytes() for path in sorted(CORPUS.glob(f"{name}-*"))]

"""Games by the thousand, their logs damaged in every way, and what the import makes of each.

Not a test by itself: `python -m tests.bga --games 3000 --seed 1` runs it; a test runs a few games.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from pavilion_ai.bga import Imported, LogError, read_bga, read_files
from pavilion_ai.bga.source import saved
from pavilion_ai.errors import PavilionError
from pavilion_ai.record import GameRecord, RecordLine, parse_line
from tests.bga import damage
from tests.bga.alter import ALTERED
from tests.bga.games import MANNERS
from tests.bga.other import OTHERS, pieces
from tests.bga.samples import sample, truth
from tests.bga.site import Style, Told
from tests.bga.support import made

PAGES = (damage.replay_page, damage.extension, damage.collection)
"""Envelopes that state the side of the boards."""
SECRET = "SECRET"
"""Begins the session tokens of pages."""
LINES = "may choose"
"""In the note on one list of lines that differs: it is a wrong one, or drafts changed places."""
BARE = (damage.archive, damage.history, damage.bare)


@dataclass(frozen=True)
class Verdict:
    """What an import made of a log.

    Attributes:
        kind: `equal`, `prefix`, `refused`; `another order` if moves stand in an order that nothing
            in the log contradicts, but perhaps one list; else what is wrong.
        said: last note, or the refusal.
    """

    kind: str
    said: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the import guessed, or failed in a way it must not."""
        return self.kind not in ("equal", "prefix", "refused", "another order")


def verdict(text: str, record: GameRecord, also: list[str] | None = None,
            whole: bool = False) -> Verdict:
    """Read a log and compare what it becomes with the game that was played.

    Args:
        text: the log.
        record: the game.
        also: moves that a log which is cut may tell of, those not yet confirmed among them.
        whole: whether the log is complete, so that the record must be, without a note.
    """
    try:
        found = read_bga(text)
    except LogError as error:
        if SECRET in str(error):
            return Verdict("tells a secret", str(error))
        named = "packet " in str(error) or "gamedatas" in str(error)
        return Verdict("refused" if named and not whole else "refused without a packet"
                       if not named else "refused though whole", str(error))
    except PavilionError as error:
        return Verdict("refused as a position", str(error))
    assert isinstance(found, Imported)
    mine, said = found.record, found.notes[-1] if found.notes else ""
    if SECRET in "".join(found.notes) + json.dumps(mine.to_json()):
        return Verdict("tells a secret", said)
    if mine.start != record.start:
        return Verdict("another opening", f"{mine.reason}; {said}")
    full = mine.moves == record.moves
    if full and mine.reason == record.reason:
        same = (mine.scores, mine.winners, mine.breakdown) == (
            record.scores, record.winners, record.breakdown)
        noted = whole and any("on the site" in note for note in found.notes)
        return Verdict("another result" if not same else "a note" if noted else "equal", said)
    if list(mine.moves) == also:  # what is not confirmed yet may end the game
        return Verdict("prefix", said)
    if mine.reason == "finished":
        silent = not whole and not any(
            "on the site" in note and LINES not in note for note in found.notes)
        same = (sorted(mine.moves), mine.scores) == (sorted(record.moves), record.scores)
        return Verdict("another order" if same and silent else "another game, finished", said)
    start = list(mine.moves)
    if start in (list(record.moves[:len(start)]), (also or [])[:len(start)]):
        return Verdict("cut though whole" if whole else "prefix", said)
    return Verdict("moves that were not played", f"{mine.reason}; {said}")


@dataclass(frozen=True)
class Case:
    """One log: how it was made, its text, and what is known of it."""

    name: str
    text: str
    also: list[str] | None = None
    whole: bool = False


def _whole(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return the log of a whole game as it is."""
    envelope = rng.choice(damage.ENVELOPES)
    return Case(f"whole {envelope.__name__}", envelope(told.packets, told, table, rng), None, True)


def _rewritten(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return it with packets and notes that change nothing, and written in another way."""
    packets = damage.with_wakeups(told.packets, rng)
    if rng.random() < 0.3:
        packets = damage.with_zombie(packets, told, rng)
    if rng.random() < 0.6:
        packets = damage.with_private(packets, told, rng)
    anonymous = rng.random() < 0.3
    if anonymous:
        packets = damage.without(packets, *rng.sample(("uid", "h", "log"), 2))
    elif rng.random() < 0.5:
        packets = damage.doubled(packets, rng)
    if rng.random() < 0.4:
        packets = damage.with_unknown(packets, rng)
    if rng.random() < 0.6:
        packets = damage.as_objects(packets, rng, 0.3)
    strings = rng.random() < 0.6
    packets = damage.as_strings(packets) if strings else packets
    # Without uids, packets are doubled as they are, if they still are a list.
    if anonymous and isinstance(packets, list) and rng.random() < 0.5:
        packets = damage.doubled(packets, rng)
    page = damage.as_strings(table) if strings else table
    if rng.random() < 0.3:
        page = {key: one for key, one in page.items() if key not in ("boardNumber", "variant")}
    envelope = rng.choice(damage.ENVELOPES)
    return Case("rewritten", envelope(packets, told, page, rng), None, True)


def _other(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return it as another program would write it."""
    packets = told.packets
    for other in sorted(rng.sample(OTHERS, rng.choice((1, 3))), key=OTHERS.index):
        packets = other(packets, rng)
    return Case("other", rng.choice(damage.ENVELOPES)(packets, told, table, rng), None, True)


def _of_another(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return it as another player saves it."""
    return Case("of_another", rng.choice(damage.ENVELOPES)(
        damage.of_another(told.packets, told, rng), told, table, rng), None, True)


def _broken_off(told: Told, table: dict[str, Any], rng: random.Random) -> Case | None:
    """Return a log that ends early, as it is or given up."""
    end = rng.choice((None, None, damage.conceded, damage.abandoned))
    at = rng.randrange(len(told.packets[0]["data"]), len(told.moves) + 1)
    packets, moves = damage.cut(told, told.packets, at)
    if not moves:
        return None
    packets = end(packets, told, rng) if end else packets
    return Case("cut" if end is None else end.__name__,
                rng.choice(PAGES)(packets, told, table, rng), moves)


def _damaged(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return a log that is damaged in one place."""
    hurt = rng.choice((*damage.UNNUMBERED, *ALTERED, *ALTERED))
    packets = hurt(told.packets, told, rng)
    envelope = rng.choice((*PAGES, *PAGES, *BARE))
    return Case(f"{hurt.__name__} {envelope.__name__}", envelope(packets, told, table, rng))


def _with_gaps(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return a log without some of its packets."""
    packets = told.packets if rng.random() < 0.5 else damage.with_shared_numbers(told.packets, rng)
    return Case("with_gaps", rng.choice(PAGES)(damage.with_gaps(packets, rng), told, table, rng))


def _cut_damaged(told: Told, table: dict[str, Any], rng: random.Random) -> Case | None:
    """Return a log that ends early and is damaged."""
    at = rng.randrange(len(told.moves) // 4, len(told.moves) + 1)
    packets, moves = damage.cut(told, told.packets, at)
    hurt = rng.choice((*damage.UNNUMBERED, *ALTERED, *ALTERED))
    if not moves or len(packets) <= 3:
        return None
    return Case(f"cut_damaged {hurt.__name__}",
                rng.choice(PAGES)(hurt(packets, told, rng), told, table, rng), moves)


def _twice(told: Told, table: dict[str, Any], rng: random.Random) -> Case:
    """Return a log that is damaged in two places."""
    one, two = rng.choice(ALTERED), rng.choice(ALTERED)
    return Case(f"twice {one.__name__}, {two.__name__}", rng.choice(PAGES)(
        one(two(told.packets, told, rng), told, rng), told, table, rng))


def _pieces(told: Told, table: dict[str, Any], record: GameRecord, rng: random.Random) -> Verdict:
    """Read a game from several files that overlap, in any order."""
    parts = pieces(damage.with_wakeups(told.packets, rng), rng, rng.choice((2, 2, 3, 5)))
    files = [(f"part {n}", rng.choice(BARE)(part, told, table, rng))
             for n, part in enumerate(parts)]
    files.append(("page", damage.page(None, table)))
    rng.shuffle(files)
    found = [one.found for one in read_files(files)]
    if len(found) != 1 or not isinstance(found[0], Imported):
        return Verdict("pieces stay apart", str(found))
    same = (found[0].record.start, found[0].record.moves) == (record.start, record.moves)
    return Verdict("equal" if same else "pieces make another game", found[0].record.reason)


Way = Callable[[Told, dict[str, Any], random.Random], "Case | None"]
WAYS: tuple[Way | None, ...] = (
    _whole, _rewritten, _rewritten, _other, _other, _of_another, _broken_off, _broken_off,
    *[_damaged] * 8, _with_gaps, _with_gaps, _cut_damaged, _cut_damaged, _twice, None)
"""Ways of making a log of a game; None makes several files of it."""


def hammer(variant: tuple[str, str, int], seed: int, logs: int,
           report: Callable[[str, Verdict, str], None]) -> None:
    """Play a game, write and damage its log, and report what each log becomes.

    Args:
        variant: game, board and players.
        seed: seed of everything.
        logs: number of logs, made in as many of `WAYS`, which the seed chooses.
        report: gets the name of a case, the verdict and the log.
    """
    manner = random.Random(f"manner {seed}").choice(MANNERS)
    record, told, table, rng = made(variant, seed, manner)
    for way in rng.sample(WAYS, logs):
        if way is None:
            report("pieces", _pieces(told, table, record, rng), "")
        else:
            _read_case(way(told, table, rng), record, report)


def _read_case(case: Case | None, record: GameRecord,
               report: Callable[[str, Verdict, str], None]) -> None:
    if case is None:
        return
    try:
        result = verdict(case.text, record, case.also, case.whole)
    except Exception as error:
        result = Verdict(f"failed with {type(error).__name__}", str(error)[:200])
    report(case.name, result, case.text)


def hammer_sample(name: str, seed: int, report: Callable[[str, Verdict, str], None]) -> None:
    """Damage a log that another program made; the arguments are as for `hammer`."""
    rng = random.Random(f"{name} {seed}")
    found = saved(sample(name))
    page = found.table.value if found.table is not None else json.loads(
        sample(name.replace(".json", ".gamedatas.json")))
    record = parse_line(RecordLine(1, 0, json.dumps(truth(name)).encode()), name)
    told = Told(record, Style(), rng)
    told.packets, told.ids = cast(damage.Packets, found.packets), [
        int(one["id"]) for one in sorted(page["players"].values(),
                                         key=lambda one: int(one["playerNo"]))]
    way = rng.choice((_damaged, _damaged, _damaged, _twice, _with_gaps))
    _read_case(way(told, page, rng), record, report)


class Count:
    """Counts verdicts, and keeps the logs that were read wrongly."""

    def __init__(self, folder: str | None = None) -> None:
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.wrong: list[tuple[str, Verdict]] = []
        self.kept = 0
        self.folder = folder

    def of(self, label: str) -> Callable[[str, Verdict, str], None]:
        """Return what reports the verdicts of one game."""
        def report(name: str, found: Verdict, text: str) -> None:
            self.kinds[name.split(" ")[0], found.kind] += 1
            if found.wrong:
                self.wrong.append((f"{label} {name}", found))
            if (found.wrong or found.kind == "another order") and self.folder is not None:
                self.kept += 1
                path = f"{self.folder}/{self.kept}"
                with open(f"{path}.log", "w", encoding="utf-8") as file:
                    file.write(text)
                with open(f"{path}.json", "w", encoding="utf-8") as file:
                    json.dump([label, name, found.kind, found.said], file)

        return report

    def table(self) -> str:
        """Return a line for each way of damage, and what became of its logs."""
        names = sorted({name for name, _ in self.kinds})
        return "\n".join(f"{name:24}" + ", ".join(
            f"{kind} {number}" for (one, kind), number in sorted(self.kinds.items())
            if one == name) for name in names)

"""Walk over the hostile inputs of a reader, and judge what becomes of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from pavilion_ai.errors import harmless
from tests.readers.cost import Cost, cost_of
from tests.readers.hostile import HOLE, holes, spoilt_texts, values
from tests.readers.readers import Outcome, Reader

MOST_SECONDS = 3.0
"""Of the processor; reading 4 MiB of JSON takes a few tenths of a second."""
MOST_MIB = 256
"""Memory beyond what was held before; 4 MiB of JSON decode to 150 MiB."""
MOST_CHARACTERS = 50_000
"""Of all that is told of an input: a hundred problems, each with what was found and expected."""
CODES = (0, 1, 2)
HEADROOM = 2000
"""Bytes left of a reader's size, for what stands around a hostile value."""


def cases(
    reader: Reader, size: int | None = None
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield descriptions of hostile inputs, and functions that make them: they are long.

    Args:
        size: size of hostile values, in characters; as much as the reader takes by default.
    """
    for name, sample in reader.objects().items():
        before = len(json.dumps(sample)) + HEADROOM
        places = list(holes(sample))
        for kind, value in values(size or max(1, reader.size - before)):  # they are long: each once
            for place, text in places:
                yield f"{name}, {kind} at {place}", partial(_filled, text, value, reader.end)
    for name, sample in reader.texts().items():
        room = size or max(1, reader.size - len(sample) - HEADROOM)
        for kind, make in spoilt_texts(sample, room):
            yield f"{name}, {kind}", partial(_made, make)


def _filled(text: str, value: str, end: str) -> bytes:
    return (text.replace(json.dumps(HOLE), value) + end).encode(errors="surrogatepass")


def _made(make: Callable[[], str]) -> bytes:
    return make().encode(errors="surrogatepass")


def measured(reader: Reader, content: bytes) -> tuple[Outcome, Cost]:
    """Let a reader read; return what became of it, and what it cost."""
    return cost_of(lambda: reader.read(content))


def finding(outcome: Outcome, cost: Cost) -> str:
    """Return what is wrong with an outcome, empty if nothing is."""
    told = outcome.told
    if outcome.code not in CODES:
        return f"exit code {outcome.code}: {told[:200]!r}"
    if "internal error" in told or "Traceback" in told:
        return f"an internal error: {told[:300]!r}"
    if any(harmless(line) != line for line in told.split("\n")):
        return f"raw text: {told[:200]!r}"
    if len(told) > MOST_CHARACTERS:
        return f"{len(told)} characters are told"
    if cost.seconds > MOST_SECONDS:
        return f"{cost.seconds:.1f} s"
    return f"{cost.mib:.0f} MiB" if cost.mib > MOST_MIB else ""

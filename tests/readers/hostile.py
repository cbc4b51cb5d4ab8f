"""What is put into files and messages to make reading them dear, or their refusal unreadable."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

HOLE = "the hole"
"""Stands in a sample where a hostile value is to stand."""
CONTROLS = "\x1b[2J\x1b]0;title\x07\x7f\x9b31m\r\u202e\u2028"


def values(size: int) -> Iterator[tuple[str, str]]:
    """Yield kinds of JSON values with their texts, of about so many characters where it matters."""
    yield "empty objects", f"[{','.join(['{}'] * (size // 3))}]"
    yield "few empty objects", f"[{','.join(['{}'] * 60_000)}]"
    yield "empty lists", f"[{','.join(['[]'] * (size // 3))}]"
    yield "zeros", f"[{','.join('0' * (size // 2))}]"
    yield "strings", "[" + ",".join(['""'] * (size // 3)) + "]"
    yield "keys", "{" + ",".join(f'"k{number:06}":0' for number in range(size // 11)) + "}"
    yield "keys that resemble", "{" + ",".join(
        f'"display{number:06}":0' for number in range(size // 17)) + "}"
    yield "nested lists", "[" * size
    yield "nested objects", '{"a":' * (size // 5)
    yield "objects before an unfinished list", '{"a":' * 800 + "[" + "0," * (size // 2)
    yield "a number of 5000 digits", "9" * 5000
    yield "a long number", "9" * size
    yield "a key of 5000 digits", '{"' + "9" * 5000 + '":0}'
    yield "a key twice", '{"a":0,"a":1}'
    yield "a key many times", "{" + ",".join(['"a":0'] * (size // 6)) + "}"
    yield "no number", "NaN"
    yield "infinity", "-Infinity"
    yield "too large", "1e999"
    yield "digits of another script", '"\u0663"'
    yield "keys of another script", '{"\u0663":0,"\u0660":1}'
    yield "blanks", " " * size + "0"
    yield "lines", "\n" * size + "0"
    for kind, text in texts(size):
        yield f"a string of {kind}", json.dumps(text, ensure_ascii=False)
        yield f"a key of {kind}", "{" + json.dumps(text, ensure_ascii=False) + ":0}"
    yield "half a character", '"\\ud800"'
    yield "escapes", '"' + "\\u001b" * (size // 6) + '"'


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Yield kinds of texts, of about so many characters where it matters."""
    yield "controls", CONTROLS
    yield "many controls", "\x1b" * size
    for letter in ("a", "9", " ", "\t", "-", "P", ",", "/", "(", "#", "\u0663"):
        yield f"{letter!r}", letter * size
    yield "pairs", "2P " * (size // 3)
    yield "colons", "a: " * (size // 3)


def holes(sample: Any) -> Iterator[tuple[str, str]]:
    """Yield the places of a sample, and its JSON text with a hole in each.

    Places are every value of its objects, of its lists the first entry, an unknown key, and the
    whole.
    """
    yield "whole", json.dumps(HOLE)
    yield "unknown", json.dumps({**sample, "unknown": HOLE} if isinstance(sample, dict)
                                else [*sample, HOLE])
    for path in _paths(sample):
        changed = copy.deepcopy(sample)
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = HOLE
        yield ".".join(map(str, path)), json.dumps(changed)


def _paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, one in inner:
        yield (*before, key)
        if isinstance(one, (dict, list)):
            yield from _paths(one, (*before, key))


def spoilt_texts(sample: str, size: int) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield ways to spoil a sample: hostile text at the ends of its words, and lines repeated."""
    hostile = list(texts(size))
    ends = [found.end() for found in re.finditer(r"\w+|[^\w\s]", sample)]
    for number, end in enumerate(ends[:: max(1, len(ends) // 40)]):
        for kind, text in hostile:
            yield (f"{kind} after word {number}",
                   partial(_repeated, sample[:end], text, 1, sample[end:]))
    lines = sample.splitlines(keepends=True)
    for number, line in enumerate(lines):
        again = size // max(1, len(line))
        yield (f"line {number} again and again",
               partial(_repeated, "".join(lines[:number]), line, again, "".join(lines[number:])))
    yield "only line feeds", partial(_repeated, "", "\n", size, "")
    yield "all again and again", partial(_repeated, "", sample, size // max(1, len(sample)), "")


def _repeated(before: str, text: str, times: int, after: str) -> str:
    return before + text * times + after

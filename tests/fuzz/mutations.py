"""Mutations of inputs: of their bytes, and of the values of those that are JSON."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 255, 2**31, 2**63, -2**63, 10**30, 0.5, -0.0, 1e308, "", "-",
    "0", "1", "P", "22P", "PGOYBR", "......", "*", "\x1b[2J", "\x7f", "\u202e", "\ud800", "a\nb",
    "a" * 5000, [], {}, [[]], [0] * 13, {"": 0}, ["P"] * 5, "D1:G", "C:G", "pass:-", "summer",
    "azul", "٣")
TOKENS = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1f\x8b", b"\x1b[2J", b"\x7f", b"\n",
    b"\r\n", b"\xe2\x80\xa8", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"/", b".", b"#",
    b"-", b"=", b"%", b"NaN", b"1e999", b"9" * 1200, b"null", b"true", b"2P", b"\\u0000",
    b"\\ud800", b"gamedatas", b"g_gamelogs", b"summer.1.", b"azul.1.", b"memory", b"threads", b"id")


def mutated(data: bytes, others: list[bytes], random: Random) -> bytes:
    """Return an input like another one."""
    if random.random() < 0.5:
        found = _json_mutated(data, random)
        if found is not None:
            return found
    content = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        _change(content, others, random)
    return bytes(content)


def _change(content: bytearray, others: list[bytes], random: Random) -> None:
    at = random.randint(0, len(content))
    length = min(random.choice((1, 1, 2, 4, 30, 500)), len(content) - at)
    kind = random.randrange(6)
    if kind == 0 and at < len(content):
        content[at] ^= 1 << random.randrange(8)
    elif kind == 1:
        del content[at : at + length]
    elif kind == 2:
        content[at:at] = content[at : at + length] * random.choice((1, 1, 3, 50))
    elif kind == 3:
        content[at : at + random.choice((0, length))] = random.choice(TOKENS)
    elif kind == 4:
        other = random.choice(others)
        begin = random.randint(0, len(other))
        content[at : at + length] = other[begin : begin + random.choice((1, 8, 100))]
    else:
        content[at : at + length] = random.randbytes(length)


def _json_mutated(data: bytes, random: Random) -> bytes | None:
    """Change values of JSON, or of one line of it; None if it is none."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines))
    try:
        value = json.loads(lines[number])
        for _ in range(random.choice((1, 1, 2, 5))):
            value = _value_mutated(value, random)
        lines[number] = json.dumps(value, ensure_ascii=random.random() < 0.5).encode(
            errors="surrogatepass")
    except (ValueError, RecursionError):
        return None
    return b"\n".join(lines)


def _value_mutated(value: Any, random: Random) -> Any:
    if not isinstance(value, (dict, list)) or not value or random.random() < 0.1:
        return _replaced(value, random)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = random.choice(keys)
    kind = random.randrange(12)
    if kind == 0:
        del value[key]
    elif kind == 1 and isinstance(value, list):
        value[key:key] = deepcopy([value[random.choice(keys)]] * random.choice((1, 2, 100)))
    elif kind == 1:
        value[random.choice(("", "x", "\x1b[31m", "0", f"{key} "))] = deepcopy(value[key])
    elif kind == 2:
        other = random.choice(keys)
        value[key], value[other] = value[other], value[key]
    else:
        value[key] = _value_mutated(value[key], random)
    return value


def _replaced(value: Any, random: Random) -> Any:
    if isinstance(value, bool) or random.random() < 0.4:
        return deepcopy(random.choice(VALUES))
    if isinstance(value, (int, float)):
        return value + random.choice((-1, 1, 2, -value, 100, 0.5))
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        return value[:at] + random.choice((*"PGOYBRKW0129.-:>*,+ ", "", value)) + value[at + 1 :]
    return deepcopy(random.choice(VALUES))

"""Every form reads back what it wrote, and each converts to each."""

import json

import pytest
from hypothesis import given, settings

from pavilion_ai.notation import FORMS, format_position, parse_position, to_json
from pavilion_ai.position import Position, Status, SummerPosition, status, validate

from .samples import lines, positions, sample_positions

SAMPLES = list(sample_positions())


def through_all_forms(position: Position) -> None:
    for form in FORMS:
        parsed = parse_position(format_position(position, form))
        assert parsed.position == position
        assert parsed.form == form
        assert parsed.notes == ()
        for other in FORMS:
            assert (format_position(parsed.position, other) == format_position(position, other))


@pytest.mark.parametrize(("name", "raw"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_samples_survive_every_form(name: str, raw: dict[str, object]) -> None:
    position = parse_position(raw).position
    assert to_json(position) == raw
    assert list(to_json(position)) == list(raw)
    assert parse_position(json.dumps(raw)).position == position
    through_all_forms(position)


@settings(max_examples=150, deadline=None)
@given(positions())
def test_made_up_positions_survive_every_form(position: SummerPosition) -> None:
    assert validate(position) == ()
    assert status(position) is Status.VALID
    through_all_forms(position)
    assert evaluated(repr(position)) == position


def evaluated(text: str) -> object:
    """Evaluate the `repr` of a position; only its own classes are known there."""
    from pavilion_ai.position import SummerSeat

    names = {"SummerPosition": SummerPosition, "SummerSeat": SummerSeat, "__builtins__": {}}
    return eval(text, names)


@settings(max_examples=60, deadline=None)
@given(positions())
def test_code_uses_safe_characters_only(position: SummerPosition) -> None:
    code = format_position(position, "code")
    allowed = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-")
    assert set(code) <= allowed
    assert code.startswith(f"summer.1.{position.board}.{position.players}/")


@pytest.mark.parametrize("line", lines("tolerated_positions.jsonl"), ids=lambda line: line["what"])
def test_tolerated_positions(line: dict[str, dict[str, object]]) -> None:
    assert to_json(parse_position(line["position"]).position) == line["canonical"]
    assert to_json(parse_position(json.dumps(line["position"])).position) == line["canonical"]


def unseen(position: dict[str, object], **values: object) -> Position:
    raw = {key: value for key, value in position.items() if key not in ("bag", "tower", "bag_size")}
    return parse_position({**raw, **values}).position


@pytest.mark.parametrize("missing", [None, "absent"])
def test_unknown_bag_in_every_combination(missing: object) -> None:
    raw = dict(SAMPLES[0][1])
    whole = parse_position(raw).position
    assert isinstance(whole, SummerPosition)
    parts = {name: raw[name] for name in ("bag", "tower", "bag_size")}
    for mask in range(8):
        given_parts = {name: value for bit, (name, value) in enumerate(parts.items())
                       if mask >> bit & 1}
        rest = {} if missing == "absent" else dict.fromkeys(parts)
        position = unseen(raw, **{**rest, **given_parts})
        assert isinstance(position, SummerPosition)
        if "bag" in given_parts or "tower" in given_parts:
            assert position == whole
        elif "bag_size" in given_parts:
            assert position.bag is None
            assert position.tower is None
            assert to_json(position)["bag"] is None
            assert position.bag_size == whole.bag_size
        else:
            assert position.tower == (0,) * 6
            assert position.bag is not None
            assert position.bag_size == sum(position.bag)


def test_white_space_around_a_code_does_no_harm() -> None:
    position = parse_position(SAMPLES[0][1]).position
    code = format_position(position, "code")
    for pasted in (f"  {code}\n", f"\ufeff{code}", f"{code[:40]}\n  {code[40:]}\r\n"):
        assert parse_position(pasted).position == position


def test_there_is_no_fourth_form() -> None:
    position = parse_position(SAMPLES[0][1]).position
    with pytest.raises(ValueError, match="expected one of json, code, text"):
        format_position(position, "fen")

"""Every form reads back what it wrote, and each converts to each."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings

from pavilion_ai.errors import PositionError, SpecError
from pavilion_ai.notation import FORMS, format_position, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.position import (
    AzulPosition,
    AzulSeat,
    Position,
    Status,
    SummerPosition,
    SummerSeat,
    status,
    table_of,
    validate,
)
from tests.plays import VARIANTS, decisions

from .samples import GAMES, lines, positions, sample_positions

SAMPLES = [sample for game in GAMES for sample in sample_positions(game)]
FIRST = {game: dict(next(sample_positions(game))[1]) for game in GAMES}
TOLERATED = [line for game in GAMES for line in lines("tolerated_positions.jsonl", game)]


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


@settings(max_examples=150)
@given(positions())
def test_made_up_positions_survive_every_form(position: Position) -> None:
    assert validate(position) == ()
    assert status(position) is Status.VALID
    through_all_forms(position)
    assert evaluated(repr(position)) == position


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS[::5])
def test_what_follows_from_a_position_can_be_read_whatever_its_scores(
    game: str, board: str, players: int
) -> None:
    raw = to_json(Play.new(game, board=board, players=players, seed=3).position)
    seat: Any = raw["seats"][0]  # type: ignore[index]
    seat["score"] = 10**6
    for _ in range(2):  # the bound of any position, then that of one with empty boards
        with pytest.raises(PositionError) as caught:
            parse_position(raw)
        seat["score"] = int(re.findall(r"\d+", caught.value.problems[0].message)[-1])
    for play in decisions(Play(raw), seed=3):
        assert parse_position(play.code()).position == play.position
    assert parse_position(play.code()).position.seats[0].score > seat["score"]


def evaluated(text: str) -> object:
    """Evaluate the `repr` of a position; only its own classes are known there."""
    known = (SummerPosition, SummerSeat, AzulPosition, AzulSeat)
    return eval(text, {"__builtins__": {}, **{one.__name__: one for one in known}})


@settings(max_examples=60)
@given(positions())
def test_code_uses_safe_characters_only(position: Position) -> None:
    code = format_position(position, "code")
    allowed = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-")
    assert set(code) <= allowed
    assert code.startswith(f"{position.game}.1.{position.board}.{position.players}/")


@pytest.mark.parametrize("line", TOLERATED, ids=lambda line: line["what"])
def test_tolerated_positions(line: dict[str, dict[str, object]]) -> None:
    assert to_json(parse_position(line["position"]).position) == line["canonical"]
    assert to_json(parse_position(json.dumps(line["position"])).position) == line["canonical"]


def unseen(position: dict[str, object], **values: object) -> Position:
    names = ("bag", "tower", "lid", "bag_size")
    raw = {key: value for key, value in position.items() if key not in names}
    return parse_position({**raw, **values}).position


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("missing", [None, "absent"])
def test_unknown_bag_in_every_combination(missing: object, game: str) -> None:
    raw = FIRST[game]
    whole = parse_position(raw).position
    discarded = table_of(whole).unseen_field("discarded").name
    parts = {name: raw[name] for name in ("bag", discarded, "bag_size")}
    for mask in range(8):
        given_parts = {name: value for bit, (name, value) in enumerate(parts.items())
                       if mask >> bit & 1}
        rest = {} if missing == "absent" else dict.fromkeys(parts)
        position = unseen(raw, **{**rest, **given_parts})
        if "bag" in given_parts or discarded in given_parts:
            assert position == whole
        elif "bag_size" in given_parts:
            assert position.bag is None
            assert getattr(position, discarded) is None
            assert to_json(position)["bag"] is None
            assert position.bag_size == whole.bag_size
        else:
            assert not any(getattr(position, discarded))
            assert position.bag is not None
            assert position.bag_size == sum(position.bag)


# A code that was once written stays readable, and equal positions keep equal codes.
KEPT_CODES = [
    "summer.1.coloured.2/place.r3.m0.s0.t1/-/s3PGO3B2R.b9P13G6O11Y10B11R.t5P3G10O5Y3B2R"
    "/p32.hGBR.P5.OOOO2.RR4.B5.YY4.G5.GOR2B/p26.kPB.x.PP4.6.RR4.BB4.YYY3.G5.RGYP2/9ec5",
    "azul.1.grey.4/draft.r35.m3.s3/K.-.-.-.-.-.-.-.-/-"
    "/p49.l-:B:B:3Y:2R.BYR1W.W1YRK.KW1YR.RKWB1.Y1KWB/p39.l-:-:2K:-:-.B1RKW.WB1RK.1WBYR.1KWBY.1RKWB"
    "/p55.l-:-:2K:Y:2Y.1YRKW.WBYR1.1WBYR.RKWB1.1RKWB/p8.l-:K:W:2B:B.BYR1W.WBYR1.K1BYR.RKW1Y.YRKW1"
    "/413f",
]


@pytest.mark.parametrize("code", KEPT_CODES)
def test_codes_do_not_change(code: str) -> None:
    assert format_position(parse_position(code).position, "code") == code


def test_the_marker_is_written_with_a_letter_in_a_code() -> None:
    raw = next(raw for _, raw in sample_positions("azul")
               if any("*" in seat["floor"] for seat in raw["seats"]))
    position = parse_position(raw).position
    assert re.search(r"\.f[BYRKW]*x[BYRKW]*\.", format_position(position, "code"))


def test_a_comment_behind_a_code_does_no_harm() -> None:
    """As `openings` writes it; several codes are said to be several."""
    position = parse_position(SAMPLES[0][1]).position
    code = format_position(position, "code")
    assert parse_position(f"# 1\n{code}  # win 49.8, 50.2 %\n").position == position
    with pytest.raises(PositionError, match="found 2 codes, expected one"):
        parse_position(f"{code}  # win 49.8, 50.2 %\n{code}\n")


def test_white_space_around_a_code_does_no_harm() -> None:
    position = parse_position(SAMPLES[0][1]).position
    code = format_position(position, "code")
    for pasted in (f"  {code}\n", f"\ufeff{code}", f"{code[:40]}\n  {code[40:]}\r\n",
                   code.replace(".", ". ", 1), code.replace(".", "\n.", 2), " ".join(code)):
        assert parse_position(pasted).position == position


def test_a_link_of_the_page_is_read_as_its_code() -> None:
    """Also if it is wrapped, as a code may be, or was encoded on its way, or both."""
    position = parse_position(SAMPLES[0][1]).position
    code = format_position(position, "code")
    for link in (f"http://127.0.0.1:8642/?position={code}", f"/?position={code}  # mine",
                 f"https://[::1]/a?b=c&position={quote(code, safe='')}&position=d#e",
                 f"?position={code[:40]}\n{code[40:]}"):
        assert parse_position(link) == parse_position(code)
    encoded = f"/?position={quote(code, safe='')}&c=d#e"
    for width in range(20, 80):
        link = "\n".join(encoded[at:at + width] for at in range(0, len(encoded), width))
        assert parse_position(link) == parse_position(code)
    with pytest.raises(PositionError, match="found 2 codes, expected one"):
        parse_position(f"/?position={code}\n/?position={code}")
    with pytest.raises(PositionError, match="found 2 codes, expected one"):
        parse_position(f"/?position={code}#e\n{code}")
    for other in (f"/?position={code}x", f"/?composition={code}", f"{code}&x=1", "/?position="):
        with pytest.raises(PositionError):
            parse_position(other)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_drawing_is_told_to_be_one(variant: tuple[str, str, int]) -> None:
    """One line, not one for each line of the drawing."""
    game, board, players = variant
    position = Play.new(game, board=board, players=players, seed=1).position
    drawn = str(position)
    for text in drawn, "you> " + drawn.partition("\n")[0] + "\n" + drawn:
        with pytest.raises(PositionError) as caught:
            parse_position(text)
        assert str(caught.value).startswith("position: found the drawing of a position, expected")
        assert "\n" not in str(caught.value)
    commented = "".join(f"# {line}\n" for line in drawn.splitlines())
    assert parse_position(commented + format_position(position, "code")).position == position


def test_there_is_no_fourth_form() -> None:
    position = parse_position(SAMPLES[0][1]).position
    with pytest.raises(SpecError, match="form 'fen': expected one of json, code, text"):
        format_position(position, "fen")


@pytest.mark.parametrize("text", ["Ann: takes 3 tiles\nBob: places 2 tiles", "12:01 seat: 3"])
def test_lines_without_a_known_key_are_no_position(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        parse_position(text)
    assert [one.kind for one in caught.value.problems] == ["type"]
    with pytest.raises(PositionError, match="unknown key 'Ann'"):
        parse_position(f"{text}\nseat 0:\nAnn: 3")

"""Tables of Board Game Arena become positions."""

from __future__ import annotations

import copy
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai.bga import LogError, read_bga
from pavilion_ai.errors import PositionError
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.notation import Parsed, parse_position, to_json
from pavilion_ai.position.azul_round import Count, likely_rounds
from pavilion_ai.record import read_records
from tests.notation.bga_tables import AZUL_STATES, SUMMER_STATES, player_id, table
from tests.plays import positions_of

CONTRACT = Path(__file__).resolve().parents[1] / "data" / "contract"


def load(text: str) -> Parsed:
    """Read the page of a table."""
    found = read_bga(text)
    assert isinstance(found, Parsed)
    return found


def contract_positions() -> Iterator[Any]:
    """Yield positions of the contract, and of its games, that such a page can show."""
    for path in sorted(CONTRACT.glob("positions_*.jsonl")):
        for line in path.read_text().splitlines():
            yield parse_position(json.loads(line)["position"]).position
    for path in sorted(CONTRACT.glob("games_*.jsonl")):
        for record in read_records(path):
            yield from itertools.islice(positions_of(record), 0, None, 7)


def can_be_shown(position: Any) -> bool:
    """Tell whether a page can show the position.

    It shows no choice of columns that is half done, and nothing that no game leads to.
    """
    if position.phase == "wall":
        return bool(position.to_move == position.token)
    if position.phase == "draft" and position.token is None:
        turns = sum(not any(display) for display in position.displays)
        return bool((position.start_seat + turns) % position.players == position.to_move)
    return position.phase in (SUMMER_STATES if position.game == "summer" else AZUL_STATES)


POSITIONS = [position for position in contract_positions() if can_be_shown(position)]
SUMMER = next(p for p in POSITIONS if p.game == "summer" and p.phase == "draft" and p.token is None)
BONUS = next(p for p in POSITIONS if p.phase == "bonus")
AZUL = next(p for p in POSITIONS if p.game == "azul" and p.phase == "draft" and p.token is None
            and any(map(sum, p.displays)))
TAKEN = next(p for p in POSITIONS if p.game == "azul" and p.phase == "draft"
             and p.token is not None)


def told(position: Any) -> Any:
    """Return what a page tells of a position: the bag's size alone, the token's holder as start."""
    holder = position.start_seat if position.token is None else position.token
    discards = {"tower": None} if position.game == "summer" else {"lid": None}
    return replace(position, bag=None, start_seat=holder, **discards)


@pytest.mark.parametrize("part", range(10))
def test_positions_come_back(part: int) -> None:
    for position in POSITIONS[part::10]:
        found: Any = load(json.dumps(table(position))).position
        if position.game == "azul":
            found = replace(found, round=position.round)
        assert found == told(position)
        assert rules_of(found).legal_moves(found) == rules_of(position).legal_moves(position)


def test_positions_of_every_kind_are_tried() -> None:
    kinds = {(p.game, p.board, p.phase) for p in POSITIONS}
    assert len(kinds) == 2 * 3 + 1 + 2
    assert {p.players for p in POSITIONS} == {2, 3, 4}


def test_the_round_is_mostly_right_and_said_where_it_is_not() -> None:
    wrong = unsaid = 0
    azul = [p for path in sorted(CONTRACT.glob("games_azul*.jsonl")) for game in read_records(path)
            for p in itertools.islice(positions_of(game), 0, None, 4)
            if p.phase == "draft" and can_be_shown(p)]
    for position in azul:
        found = load(json.dumps(table(position)))
        if found.position.round != position.round:
            wrong += 1
            unsaid += not any("do not decide it" in note for note in found.notes)
    assert len(azul) > 200
    assert wrong <= 0.02 * len(azul)
    assert unsaid <= 0.005 * len(azul)


def test_notes_name_the_seats_and_what_the_page_does_not_show() -> None:
    notes = load(json.dumps(table(TAKEN))).notes
    assert notes[0] == "seat 0 is 'player 0'"
    assert f"taken as seat {TAKEN.token}, which has the token" in " ".join(notes)
    assert not any("who began" in note for note in load(json.dumps(table(SUMMER))).notes)


@pytest.mark.parametrize(("count", "rounds"), [
    (Count(2, 80, [0] * 5, 0, 20), [1]),
    (Count(2, 60, [2, 1, 1, 0, 0], 1, 30), [2]),
    (Count(2, 20, [6, 5, 4, 3, 1], 3, 30), [4]),
    (Count(2, 0, [8, 7, 6, 5, 3], 4, 30), [5]),
    # From here on the bag was filled again. Three players, row 4 the longest that anybody has:
    (Count(3, 30, [9, 8, 6, 4, 2], 3, 41), [4]),  # nothing in the lid: it was poured just now
    (Count(3, 30, [9, 8, 6, 4, 2], 3, 40), [5]),  # a tile in the lid: the round after
    (Count(3, 30, [9, 8, 6, 4, 2], 3, 40, spilled=True), [4]),  # or from a full floor line
    (Count(3, 5, [11, 9, 7, 5, 3], 3, 45), [5]),  # tiles in the lid: the round after
    (Count(4, 30, [11, 9, 7, 4, 1], 3, 38), [4]),
    (Count(4, 0, [15, 13, 10, 7, 4], 4, 42), [5]),
])
def test_the_round_follows_from_the_tiles(count: Count, rounds: list[int]) -> None:
    assert likely_rounds(count)[:1] == rounds


def test_all_possible_rounds_are_named_where_several_are_likely() -> None:
    # A game of four players who dropped many tiles: it was round 7.
    count = Count(4, 0, [16, 14, 8, 3, 4], 4, 55)
    assert likely_rounds(count)[:4] == [5, 6, 7, 8]


def test_seats_follow_the_order_of_play() -> None:
    page = table(AZUL)
    page["players"] = dict(reversed(page["players"].items()))
    assert load(json.dumps(page)).position == load(json.dumps(table(AZUL))).position


def test_a_floor_line_longer_than_its_spaces() -> None:
    opening = GAMES["azul"].new(players=2, seed=1)
    page = table(opening)
    page["remainingTiles"] = 40
    page["players"][str(player_id(1))]["lines"] = [
        {"id": 900 + n, "type": 1 + n % 5, "line": 0, "column": n} for n in range(9, 0, -1)]
    found = to_json(load(json.dumps(page)).position)
    assert found["seats"][1]["floor"] == "WBYRKWB"  # type: ignore[index]


def test_a_page_as_it_is_saved() -> None:
    data = json.dumps(table(SUMMER))
    page = (
        '<!DOCTYPE html><script>var a = {"players": 1};</script><script>globalThis.gameui'
        f'.completesetup( "azulsummerpavilion", "Azul {{1}}", 1, 2, /*mask*/"t", "0", "", {data}, '
        '{"x": 1}, null);</script>'
    )
    expected = load(data).position
    assert load(page).position == expected
    assert load("\ufeff " + json.dumps({"gamedatas": table(SUMMER)})).position == expected


def test_the_program_of_a_page_writes_the_name_of_the_state_beside_it() -> None:
    page = table(SUMMER)
    page["gamestate"] |= page.pop("gamestates")["20"]
    assert load(json.dumps(page)).position == load(json.dumps(table(SUMMER))).position


def test_older_pages_tell_the_side_otherwise() -> None:
    for position in (SUMMER, AZUL):
        page = table(position)
        del page["boardNumber"]
        page["variant"] = position.board == "grey"
        assert load(json.dumps(page)).position.board == position.board


def test_who_has_passed_and_chooses_what_to_keep() -> None:
    position = next(p for p in POSITIONS if p.game == "summer" and p.phase == "place")
    page = table(position)
    page["gamestates"]["20"]["name"] = "chooseKeptTiles"
    page["players"][str(player_id(position.to_move))]["passed"] = "1"
    parsed = load(json.dumps(page))
    assert parsed.position == told(position)
    assert any("is choosing what to keep" in note for note in parsed.notes)


def changed(position: Any, change: Callable[[dict[str, Any]], object]) -> str:
    page = table(position)
    change(page)
    return json.dumps(page)


def second_tile(page: dict[str, Any]) -> None:
    """Put a second tile on a space of a wall."""
    wall = next(one["wall"] for one in page["players"].values() if one["wall"])
    wall.append(wall[0])


def later_turn(page: dict[str, Any]) -> None:
    """Let the state be that of a turn after that of the boards."""
    ids = list(page["players"])
    state = page["gamestate"]
    state["active_player"] = ids[(ids.index(state["active_player"]) + 1) % len(ids)]


@pytest.mark.parametrize(("text", "words"), [
    ("hello", "found neither the object gamedatas nor a log (g_gamelogs), expected JSON of one"),
    ("{}", "found an empty object, expected the log of a game or the object gamedatas of a page"),
    ('{"players": {}}',
     "found neither the supply of Summer Pavilion nor the pattern lines of base Azul"),
    ('{"players": [}', "found no valid JSON"),
    ('x completesetup("a", {"players": }', "a page whose gamedatas cannot be read as JSON"),
    (changed(SUMMER, lambda page: page["gamestates"]["20"].update(name="confirmPlay")),
     "gamedatas.gamestates.20.name: found 'confirmPlay': a move waits to be confirmed"),
    (changed(AZUL, lambda page: page["gamestate"].update(name="chooseLine")),
     "tiles were taken and not yet placed"),
    (changed(AZUL, lambda page: page["gamestate"].update(name="gameEnd")), "the game is over"),
    (changed(AZUL, lambda page: page["gamestate"].update(name="other")),
     "gamedatas.gamestate.name: found 'other', expected one of chooseTile, multiChooseColumns"),
    (changed(AZUL, lambda page: page["gamestate"].update(id="21")),
     "gamedatas.gamestates.21: found no such key, expected"),
    (changed(AZUL, lambda page: next(iter(page["players"].values())).update(hand=[1])),
     "gamedatas.players.88000000.hand: found [1], expected no tiles there"),
    (changed(GAMES["azul"].new(players=3, seed=1), later_turn),
     "to move: seat 0 began and 0 displays are empty; the state is newer than the boards"),
    (changed(GAMES["summer"].new(players=2, seed=1), later_turn),
     "0 displays are empty; the state is newer than the boards"),
    (changed(AZUL, lambda page: page.update(boardNumber=3)), "gamedatas.boardNumber: found boards"
     " of an expansion (3), which are not played here"),
    (changed(AZUL, lambda page: page.update(boardNumber=5)),
     "gamedatas.boardNumber: found 5, expected 1 (coloured) or 2 (grey)"),
    (changed(AZUL, lambda page: page.update(specialFactories={"1": 2})), "special displays"),
    (changed(AZUL, lambda page: page.pop("remainingTiles")),
     "gamedatas.remainingTiles: found no such key, expected a whole"),
    (changed(AZUL, lambda page: page["factories"].pop()), "gamedatas.factories"),
    (changed(TAKEN, lambda page: page["factories"][0].append({"type": 0})),
     "gamedatas.firstPlayerTokenPlayerId: found"),
    (changed(SUMMER, lambda page: page["factories"][0].pop()), "which is with no player"),
    (changed(SUMMER, lambda page: page["factories"][1].append({"type": 0})),
     "expected the start player token in the centre or with a player"),
    (changed(BONUS, second_tile), "no second tile on space"),
    (changed(TAKEN, second_tile), "no second tile in column"),
    (changed(SUMMER, lambda page: page.update(players={})), "expected 2 to 4 players"),
    (changed(SUMMER, lambda page: [one.update(playerNo=1) for one in page["players"].values()]),
     "each with an id and a playerNo of their own"),
    (changed(SUMMER, lambda page: page["gamestates"]["20"].update(name="nextPlayerPlay")),
     "in which a player decides; save the page again then"),
    (changed(AZUL, lambda page: next(filter(None, page["factories"][1:]))[0].update(type=9)),
     "[0].type: found 9, expected a whole number from 0 to 5"),
    (changed(SUMMER, lambda page: page["gamestate"].update(active_player=5)),
     "gamedatas.gamestate.active_player: found 5, expected one of the players"),
    (changed(SUMMER, lambda page: page.update(players=3)), "gamedatas.players: found 3"),
    (changed(AZUL, lambda page: page["players"].update(
        {chr(0x661): page["players"].pop("88000000")})),
     f"gamedatas.players: found the key '{chr(0x661)}', expected a whole number"),
    (changed(SUMMER, lambda page: page["supply"].extend(page["supply"])), "supply"),
    (changed(SUMMER, lambda page: page.update(remainingTiles=130)), "bag_size"),
])
def test_other_pages_are_refused(text: str, words: str) -> None:
    with pytest.raises((LogError, PositionError), match=re.escape(words)):
        load(text)


@settings(max_examples=200)
@given(data=st.data())
def test_damaged_tables_are_read_or_refused(data: st.DataObject) -> None:
    page = copy.deepcopy(data.draw(st.sampled_from([table(SUMMER), table(BONUS), table(AZUL)])))
    for _ in range(data.draw(st.integers(1, 3))):
        spoil(page, data)
    try:
        parsed = load(json.dumps(page))
    except (LogError, PositionError):
        return
    assert parse_position(to_json(parsed.position)).position == parsed.position


def spoil(page: Any, data: st.DataObject) -> None:
    """Replace or drop something somewhere in the object."""
    node = page
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            node = inner
            continue
        other = data.draw(st.sampled_from(
            [None, 0, 1, -1, 7, 10**20, "1", "x", True, [], {}, 1.5, "drop"]))
        if other == "drop":
            del node[key]
        else:
            node[key] = other
        return


# ------------------------------------------------------------------ -----------------invented pages


@pytest.mark.parametrize("wrap", [
    "{}", '{{"gamedatas": {}}}', '<script>gameui.completesetup("azul", "AzulRules", 1, {}, null)'])
@pytest.mark.parametrize(("old", "new", "words"), [
    ('"boardNumber": 1', '"boardNumber": ' + "1" * 5000, "a number of 5000 digits"),
    ('"boardNumber": 1', '"boardNumber": 1, "boardNumber": 1', "the key 'boardNumber' twice"),
    ('"boardNumber": 1', '"boardNumber": NaN', "found NaN"),
    ('"boardNumber": 1', '"boardNumber": 1e999', "the number '1e999'"),
    ('"factoryNumber": 5', '"x": ' + "[" * 100_000, "nested too deeply"),
])
def test_pages_are_decoded_strictly(wrap: str, old: str, new: str, words: str) -> None:
    position = next(p for p in POSITIONS if p.board == "coloured" and p.players == 2)
    text = json.dumps(table(position))
    assert old in text
    assert load(wrap.format(text)).position.board == "coloured"
    with pytest.raises((LogError, PositionError), match=re.escape(words)):
        load(wrap.format(text.replace(old, new)))


@pytest.mark.parametrize("key", ["\u0661", "9" * 5000, "-1", "+1", "\u00b2"])
def test_keys_that_are_no_numbers_are_not_taken_for_displays(key: str) -> None:
    page = table(AZUL)
    displays = dict(enumerate(page["factories"]))
    page["factories"] = {**displays, key: []}
    assert load(json.dumps(page)).position == load(json.dumps(table(AZUL))).position
    last = displays.pop(1)
    page["factories"] = {**displays, key: last}
    with pytest.raises(PositionError, match="expected the centre and"):
        load(json.dumps(page))


def test_keys_and_names_are_not_shown_raw() -> None:
    page = table(AZUL)
    for one in page["players"].values():
        one["name"] = "\x1b[2J" * 1000
    assert all(note.isprintable() and len(note) < 200 for note in load(json.dumps(page)).notes)
    page["players"]["\x1b[31m"] = page["players"].popitem()[1]
    with pytest.raises(PositionError, match=r"players: found the key '\\x1b\[31m', expected"):
        load(json.dumps(page))


@pytest.mark.parametrize("rest", ["[" + "1," * 490_000, '"' + "x" * 2_000_000, "1,"])
def test_a_page_of_nested_objects_takes_no_longer_than_another(rest: str) -> None:
    """Every brace might begin the object; what has been read as part of it does not."""
    text = "completesetup(" + '{"a":' * 800 + rest
    begun = time.process_time()
    with pytest.raises(LogError, match="ends in the middle of its JSON"):
        load(text)
    assert time.process_time() - begun < 3

"""Other files and contradictory logs are refused; nothing is guessed."""

from __future__ import annotations

import copy
import html
import json
import random
import time
from typing import Any

import pytest

from pavilion_ai.bga import Imported, LogError, read_bga, read_files
from pavilion_ai.bga.azul_log import side_of
from pavilion_ai.bga.log import read_log
from pavilion_ai.errors import PavilionError
from pavilion_ai.notation import Parsed
from tests.bga import damage
from tests.bga.support import AZUL_2, SUMMER_2, check, first, game, made
from tests.readers.cost import cost_of

RNG = random.Random(5)


def note(kind: str, **args: Any) -> dict[str, Any]:
    """Return a note of a type."""
    return {"type": kind, "log": "", "args": args}


def packets_of(*notes: dict[str, Any], **keys: Any) -> str:
    """Return a log of one packet."""
    return json.dumps([{"channel": "/table/t7", "table_id": "7", "move_id": "1", "data": notes,
                        **keys}])


SUMMER, AZUL = made(SUMMER_2, 91, undo=0.0), made(AZUL_2, 92, undo=0.0)


def changed(log: Any, change: Any) -> str:
    """Return a log with a change; the change gets the packets."""
    packets = copy.deepcopy(log[1].packets)
    return damage.bare(change(packets) or packets, log[1], log[2], RNG)


def on_page(log: Any, change: Any) -> str:
    """Return the page of a replay with a change of its table."""
    table = copy.deepcopy(log[2])
    change(table)
    return damage.replay_page(log[1].packets, log[1], table, RNG)


def of_tables(packets: Any) -> None:
    packets[9].update(table_id="12", channel="/table/t12")


def of_numbers(packets: Any) -> None:
    packets[9]["table_id"] = "12"


def shortened(packets: Any) -> None:
    del first(packets, "factoriesFilled", 1)[1]["args"]["factories"]


def no_new_tiles(packets: Any) -> None:
    del first(packets, "supplyFilled", 40)[1]["args"]["newTiles"]


def fewer_displays(packets: Any) -> None:
    first(packets, "factoriesFilled")[1]["args"]["factories"].pop()


def other_colour(packets: Any) -> None:
    tiles = first(packets, "tilesSelected")[1]["args"]["selectedTiles"]
    tiles[0]["type"] = tiles[0]["type"] % 5 + 1


def other_type(packets: Any) -> None:
    args = first(packets, "tilesSelected")[1]["args"]
    args["type"] = args["type"] % 5 + 1


def other_number(packets: Any) -> None:
    """Give a tile that was just drawn the id of another colour's tile."""
    at = first(packets, "factoriesFilled", 30)[0]
    tile = first(packets, "factoriesFilled", at)[1]["args"]["factories"][1][0]
    tile["id"] = 2 + 22 * (tile["type"] % 6) + 21


def third_player(packets: Any) -> None:
    first(packets, "tilesSelected", 14)[1]["args"]["playerId"] = 5


def twice_dealt(packets: Any) -> None:
    factories = first(packets, "factoriesFilled")[1]["args"]["factories"]
    factories[1][0] = factories[2][0]


def no_opening_supply(packets: Any) -> None:
    packets[0]["data"] = [one for one in packets[0]["data"] if one["type"] != "supplyFilled"]


def from_the_middle(packets: Any) -> Any:
    return packets[first(packets, "tilesSelected", 7)[0]:]


def from_the_second_deal(packets: Any) -> Any:
    return packets[first(packets, "factoriesFilled", 1)[0]:]


REFUSED = {
    "another game": (packets_of(note("cardPlayed"), note("diceRolled"), note("simpleNote")),
                     "(notes of type cardPlayed, diceRolled, simpleNote), expected Azul: Summer"
                     " Pavilion or base Azul"),
    "an answer": ('{"status": "0", "error": "No rights\\u001b[31m", "code": 1}',
                  "the site gave no log, it answered: No rights [31m"),
    "an answer in a collection": (
        '{"table_id": 7, "logs": {"status": 0, "error": "deleted"}, "infos": {"data": {}}}',
        "it answered: deleted"),
    "packets of a reloaded page": (packets_of(note("tilesSelected"), packet_type="history"),
                            "packet at place 1: found the shortened history of a reloaded page"),
    "a deal without tiles": (changed(SUMMER, shortened), "a deal without its tiles"),
    "a supply without tiles": (changed(SUMMER, no_new_tiles), "supplyFilled.newTiles: found no"),
    "no packets": ('{"status": 1, "data": {"logs": [], "players": []}}', "the log is empty"),
    "no packets, bare": ("[]", "the log is empty"),
    "no packets, extension": ('{"gamedatas": {"players": {}}, "packets": []}', "the log is empty"),
    "private packets only": (packets_of(note("pass"), channel="/player/p5"), "the log is empty"),
    "no packets, an object": ('{"data": {"logs": {}, "players": []}}', "the log is empty"),
    "something else": ('{"response": {}, "a b": 1}', "found JSON with the keys response, 'a b',"
                       " expected the log of a game or the object gamedatas of a page; save the"),
    "an empty object": ("{}", "found an empty object, expected the log of a game or"),
    "several tables": (changed(SUMMER, of_tables), "packets of tables 12, "),
    "several tables by number": (
        changed(SUMMER, of_numbers), "packet 10: found packets of tables 12, "),
    "many tables": (json.dumps([
        {"channel": f"/table/t{n}", "data": []} for n in range(99, 0, -1)]),
                    "tables 1, 2, 3, 4, 5, 6, 7, 8 and 91 more, expected one game per file"),
    "an expansion's notes": (packets_of(note("factoriesCompleted")), "packet at place 1,"
                             " factoriesCompleted: found boards or displays of an expansion"),
    "an expansion's tiles": (
        packets_of(note("tilesPlacedOnLine", discardedTilesToSpecialFactoryZero=[{"id": 1}])),
        "found boards or displays of an expansion"),
    "an expansion's boards": (on_page(AZUL, lambda table: table.update(boardNumber="4")),
                              "gamedatas.boardNumber: found boards of an expansion (4)"),
    "displays": (changed(AZUL, fewer_displays), "found 4 displays, expected 5, 7 or 9"),
    "no beginning": (changed(AZUL, from_the_middle), "begins in the middle"),
    "no beginning, no deal": (packets_of(note("pass", playerId=1), note("putToCorner")),
                              "begins in the middle: it holds no deal"),
    "a later deal": (changed(SUMMER, from_the_second_deal), "begins in the middle"),
    "the opening supply": (changed(SUMMER, no_opening_supply), "save the source of the page of"),
    "a colour": (changed(SUMMER, other_colour), "packet 2, tilesSelected"),
    "a colour's name": (changed(AZUL, other_type), "packet 2, tilesSelected: found tiles"),
    "a tile's number": (changed(SUMMER, other_number), "by the numbers of the tiles of the opening"
                        " it is type"),
    "a stranger": (changed(AZUL, third_player), "found a player who is not one of the 2"),
    "a tile twice": (changed(AZUL, twice_dealt), "packet 1, factoriesFilled: found tile"),
    "two games": (json.dumps(SUMMER[1].packets[:3] + [
        {**packet, "table_id": None, "channel": SUMMER[1].packets[0]["channel"]}
        for packet in AZUL[1].packets[1:8]]), "the log mixes notes of two games"),
    "another page": (on_page(SUMMER, lambda table: table["factories"][1][0].update(id=131)),
                     "found another deal than on the page"),
    "seats": (on_page(SUMMER, lambda table: [one.update(playerNo=3 - int(one["playerNo"]))
                                             for one in table["players"].values()]),
              "players who draft in another order than gamedatas seats them"),
    "players": (on_page(AZUL, lambda table: table["players"].popitem()),
                "found 5 displays, but gamedatas has 1 players"),
    "players' keys": (on_page(SUMMER, lambda table: table["players"].update(
        {chr(0x661): table["players"].popitem()[1]})), "gamedatas.players: found the key"),
    "the side": (on_page(SUMMER, lambda table: table.update(boardNumber=2)),
                 "found moves of the coloured side, but gamedatas.boardNumber says grey"),
    "no JSON": ("[{]", "found no valid JSON"),
    "a key twice": ('{"data": 1, "data": 2}', "twice in one object"),
    "a list of numbers": ("[1, 2]", "found a list that holds no packets"),
    "an invalid note": ('[{"data": [3]}]', "packet at place 1: found 3, expected a note"),
    "no page": ("<html>secret</html>", "found neither the object gamedatas nor a log"),
    "an endless number": ('[{"data": ' + "9" * 5000 + "}]", "a number of 5000 digits"),
    "no number": ('[{"data": NaN}]', "NaN, expected a JSON number"),
    "depth": ("[" * 100_000, "nested too deeply"),
    "an endless character": ("<html>{&quot;&#" + "9" * 5000 + ";",
                             "found a character reference of 10 digits or more"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name: str) -> None:
    text, words = REFUSED[name]
    with pytest.raises(PavilionError) as caught:
        read_bga(text)
    message = str(caught.value)
    assert words in message
    assert message.isprintable()
    assert "SECRET" not in message
    assert "secret" not in message


def test_a_text_that_is_cut_off_is_called_that() -> None:
    _record, told, table, rng = SUMMER
    small = json.dumps(told.packets[:2])
    for end in range(1, len(small)):
        with pytest.raises(LogError, match="ends in the middle"):
            read_bga(small[:end])
    page = damage.replay_page(told.packets, told, table, rng)
    start = page.index("g_gamelogs =") + 14
    for end in rng.sample(range(start, page.index("completesetup")), 20):
        with pytest.raises(LogError, match="ends in the middle"):
            read_bga(page[:end])
    with pytest.raises(LogError, match="ends in the middle"):
        read_bga(page[: page.index('"playerNo"')])


@pytest.mark.parametrize("source", [b"{}", None, 5])
def test_what_is_no_text_is_refused(source: Any) -> None:
    with pytest.raises(LogError, match=r"^found .*, expected the text of a file$"):
        read_bga(source)


def test_a_page_is_read_in_time_that_grows_with_its_length() -> None:
    texts = ["completesetup(" + "{" * 400_000, "completesetup(" + '"a",' * 500_000,
             "g_gamelogs = [" * 150_000, "g_gamelogs = {\"a\":" * 100_000,
             "completesetup(" + "/*" * 1_000_000, "completesetup(" + "\\\"'" * 700_000]
    for text in texts:
        begun = time.process_time()
        with pytest.raises(PavilionError):
            read_bga(text)
        assert time.process_time() - begun < 3


def test_a_string_before_the_table_costs_no_memory() -> None:
    text = '<html>completesetup("' + "a" * 2_000_000

    def refused() -> None:
        with pytest.raises(LogError, match="whose gamedatas cannot be read"):
            read_bga(text)

    assert cost_of(refused)[1].mib < 100


def test_the_opening_supply_may_stand_on_the_page() -> None:
    for seed in (93, 96):  # with ten tiles, and with nine
        record, told, table, rng = made(SUMMER_2, seed)
        packets = copy.deepcopy(told.packets)
        no_opening_supply(packets)
        check(game(damage.replay_page(packets, told, table, rng)), record)
        table["round"] = 2
        with pytest.raises(LogError, match="save the source of the page"):
            read_bga(damage.extension(packets, told, table, rng))


def test_a_side_that_does_not_show() -> None:
    for log in (SUMMER, AZUL):
        record, told, table, rng = log
        packets, moves = damage.cut(told, told.packets, 12)
        found = game(damage.bare(packets, told, table, rng))
        assert list(found.record.moves) == moves
        assert found.record.start == record.start
        assert any("hardly shows, taken as coloured" in one for one in found.notes)


@pytest.mark.parametrize("states", [True, False])
def test_one_wrong_column_does_not_make_a_grey_board(states: bool) -> None:
    record, told, table, rng = made(AZUL_2, 93, undo=0.0, states=states, rich=False)
    packets = copy.deepcopy(told.packets)
    _, wall = first(packets, "placeTileOnWall", 60)
    entry = next(iter(wall["args"]["completeLines"].values()))
    entry["placedTile"]["column"] = entry["placedTile"]["column"] % 5 + 1
    found = game(damage.bare(packets, told, table, rng)).record
    assert found.start == record.start
    assert found.moves == record.moves[:len(found.moves)]
    assert "to column" in found.reason


@pytest.mark.parametrize(("state", "whole"), [(31, True), (20, False)])
def test_one_wrong_state_does_not_make_a_grey_board(state: int, whole: bool) -> None:
    record, told, table, rng = made(AZUL_2, 93, undo=0.0, states=True, fast=False)
    packets = copy.deepcopy(told.packets)
    deal = first(packets, "factoriesFilled", 60)[0]
    states = [note["args"] for packet in packets[:deal + (state == 31)] for note in packet["data"]
              if note["type"] == "gameStateChange" and note["args"].get("id") == state]
    states[-1]["id"] = 55
    found = game(damage.bare(packets, told, table, rng))
    if whole:
        check(found, record, ("hardly shows, taken as coloured",))
    else:
        assert found.record.start == record.start
        assert found.record.moves == record.moves[:len(found.record.moves)]
        assert "the round ends on the site, but tiles are left here" in found.record.reason


@pytest.mark.parametrize("seed", [50, 72])
def test_a_grey_board_on_which_most_tiles_lie_in_printed_columns(seed: int) -> None:
    record, told, table, rng = made(("azul", "grey", 2), seed, undo=0.0, states=False, rich=False)
    packets = told.packets[:first(told.packets, "factoriesFilled", 3)[0] + 1]
    found = game(damage.bare(packets, told, table, rng))
    assert found.record.start == record.start
    assert found.record.moves == record.moves[:len(found.record.moves)]
    assert found.record.reason == "unfinished"
    assert any("hardly shows, taken as grey" in one for one in found.notes)


LINE = note("gameStateChange", id=30)
COLUMNS = note("gameStateChange", id=55)


def walls(printed: int, others: int) -> list[dict[str, Any]]:
    """Return notes of tiles that go to printed columns of the first row, and to others."""
    return [note("placeTileOnWall", completeLines={"1": {"placedTile": {
        "type": 3, "line": 1, "column": 1 + (number >= printed)}}})
        for number in range(printed + others)]


@pytest.mark.parametrize(("notes", "side"), [
    ([LINE], None), ([COLUMNS], "grey"), (walls(1, 0), "coloured"), (walls(1, 1), "grey"),
    (walls(5, 1), None), (walls(8, 1), "coloured"), (walls(15, 2), None),
    ([LINE, *walls(1, 1)], None), ([LINE, *walls(2, 1)], "coloured"),
    ([LINE, *walls(0, 7)], None), ([LINE, *walls(8, 8)], "grey"),
    ([LINE, COLUMNS, *walls(7, 0)], "grey"), ([LINE, COLUMNS, *walls(8, 0)], None),
    ([LINE, COLUMNS, *walls(8, 0), LINE, COLUMNS, *walls(8, 0)], "grey"),
    ([COLUMNS, note("tilesSelected"), *walls(1, 0)], "coloured"),
])
def test_what_shows_the_side_of_base_azul(notes: Any, side: str | None) -> None:
    assert side_of(read_log(json.loads(packets_of(*notes))))[0] == side


def test_a_stated_side_counts_unless_the_other_is_proved() -> None:
    record, told, table, rng = made(("azul", "grey", 2), 62, undo=0.0, states=False)
    packets = told.packets[:first(told.packets, "factoriesFilled", 3)[0] + 1]
    assert game(damage.bare(packets, told, table, rng)).record.start != record.start
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert found.moves == record.moves[:len(found.moves)]
    assert found.start == record.start
    _, told, table, rng = made(AZUL_2, 93, undo=0.0, states=True)
    with pytest.raises(LogError, match=r"the coloured side, but gamedatas\.variant says grey"):
        game(damage.replay_page(told.packets, told, table | {"variant": True}, rng))


def test_a_log_that_begins_with_a_later_round() -> None:
    _record, told, table, rng = made(AZUL_2, 94, undo=0.0)
    number, _ = first(told.packets, "factoriesFilled", 1)
    with pytest.raises(LogError, match="expected its beginning too"):
        game(damage.bare(told.packets[number:], told, table, rng))


def test_numbers_of_moves_that_nobody_was_told_of() -> None:
    """Moves have numbers, too, that no packet has; packets are numbered without a gap."""
    record, told, table, rng = made(AZUL_2, 95)
    packets = [{**packet, "move_id": packet["move_id"] and str(2 * int(packet["move_id"]))}
               for packet in told.packets]
    check(game(damage.bare(packets, told, table, rng)), record)
    number = len(packets) // 2
    renumbered = [{**packet, "packet_id": str(place)} for place, packet in enumerate(
        [*told.packets[:number], *told.packets[number + 3:]])]
    found = game(damage.replay_page(renumbered, told, table, rng))
    assert "packets may be missing before packet" in found.record.reason
    assert found.record.moves == record.moves[:len(found.record.moves)]


def test_final_scores_that_follow_too_early() -> None:
    record, told, table, rng = SUMMER
    number = first(told.packets, "placeTileOnWall", 60)[0]
    last = {**told.packets[-1], "packet_id": told.packets[number]["packet_id"]}
    assert any(note["type"] == "endScore" for note in last["data"])
    found = game(damage.replay_page([*told.packets[:number], last], told, table, rng))
    assert "packets may be missing before packet" in found.record.reason
    assert found.record.moves == record.moves[:len(found.record.moves)]


def test_a_page_that_was_saved_as_text_within_a_page() -> None:
    record, told, table, rng = SUMMER
    text = damage.replay_page(told.packets, told, table, rng)
    check(game(f"<html><body><pre>{html.escape(text)}</pre></body></html>"), record)


def test_a_page_whose_log_is_none_is_a_position() -> None:
    _, _told, table, _ = AZUL
    for none in ("null", "''", '" "', "[]", "{}", "undefined", "false", "JSON.parse('null')",
                 "!1", "new Array()", "e", "function(a){return a}", "logs||[]", "JSON.parse(e)"):
        text = damage.page([], table).replace("g_gamelogs = []", f"g_gamelogs = {none}")
        assert f"g_gamelogs = {none};" in text
        assert isinstance(read_bga(text), Parsed)


def test_a_page_whose_log_cannot_be_read_is_no_position() -> None:
    record, told, table, rng = AZUL
    page = damage.replay_page(told.packets, told, table, rng)
    log = page[page.index("g_gamelogs = ") + 13:page.index(";\ngameui")]
    for broken in (page.replace('"status"', "status", 1), page.replace("Player A", '"', 1),
                   *(page.replace(log, one) for one in (
                       "'e30='", '"abc"', """JSON.parse('{"status":' + '1}')"""))):
        with pytest.raises(LogError, match=r"a page whose log \(g_gamelogs\) cannot be read"):
            read_bga(broken)
    check(game(page.replace("<script>", "<script>g_gamelogs = {no: 1};")), record)


def test_a_log_whose_table_cannot_be_read() -> None:
    record, told, table, rng = AZUL
    page = damage.replay_page(told.packets, told, table, rng)
    check(game(page.replace('"factoryNumber"', "factoryNumber")), record)


@pytest.mark.parametrize("key", ["centre", "12345", "-1", chr(0x661)])
@pytest.mark.parametrize("log", [SUMMER, AZUL], ids=["summer", "azul"])
def test_other_places_of_a_deal_are_no_displays(log: Any, key: str) -> None:
    packets = copy.deepcopy(log[1].packets)
    for args in (note["args"] for packet in packets for note in packet["data"]
                 if note["type"] == "factoriesFilled"):
        args["factories"] = {**{str(n): one for n, one in enumerate(args["factories"])}, key: []}
    check(game(json.dumps(packets)), log[0])


@pytest.mark.parametrize("nobody", [{}, {"name": ""}, {"name": None}])
def test_players_without_a_name_have_that_of_the_notes(nobody: dict[str, Any]) -> None:
    _, told, _, _ = AZUL
    text = json.dumps({"players": [{"id": one, **nobody} for one in told.ids],
                       "packets": told.packets})
    assert game(text).names == ("Player A", "Player B")
    text = text.replace('"Player A"', '""', 3)
    assert game(text).names == ("Player A", "Player B")


# ------------------------------------------------------------------------------- several files

AZUL_3 = made(("azul", "grey", 3), 95)


@pytest.mark.parametrize("log", [SUMMER, AZUL], ids=["summer", "azul"])
def test_pieces_of_one_game(log: Any) -> None:
    record, told, table, _rng = log
    half = len(told.packets) // 2
    pieces = [told.packets[: half + 3], told.packets[half:]]
    files = [("late", json.dumps({"status": 1, "data": {"valid": 1, "data": pieces[1]}})),
             ("early", json.dumps({"status": 1, "data": {"logs": pieces[0], "players": []}})),
             ("page", damage.page(None, table)), ("other", json.dumps(AZUL_3[1].packets))]
    found = {outcome.name: outcome.found for outcome in read_files(files)}
    assert set(found) == {"late, early, page", "other"}
    mine = found["late, early, page"]
    assert isinstance(mine, Imported)
    check(mine, record)


def test_a_piece_in_which_nobody_acts_belongs_to_its_table() -> None:
    record, told, _table, _rng = SUMMER
    wakeup = {**told.packets[-1], "packet_id": "9999", "data": [
        {"uid": "wake", "type": "wakeupPlayers", "log": "", "args": []}]}
    files = [("tail", json.dumps([wakeup])), ("log", json.dumps(told.packets)),
             ("other", json.dumps(AZUL_3[1].packets))]
    found = {outcome.name: outcome.found for outcome in read_files(files)}
    assert set(found) == {"tail, log", "other"}
    mine = found["tail, log"]
    assert isinstance(mine, Imported)
    check(mine, record)
    elsewhere = json.loads(json.dumps(wakeup).replace(str(told.table), "77"))
    assert elsewhere != wakeup
    outcomes = read_files([("log", json.dumps(told.packets)), ("tail", json.dumps([elsewhere]))])
    assert [outcome.name for outcome in outcomes] == ["log", "tail"]


@pytest.mark.parametrize("kind", [None, 7, [1], {"a": 1}])
def test_types_of_notes_that_are_no_words(kind: Any) -> None:
    record, told, _table, _rng = SUMMER
    packets = copy.deepcopy(told.packets)
    packets[0]["data"].insert(0, {"type": kind, "args": {}})
    (found,) = read_files([("one", json.dumps(packets)), ("two", json.dumps(packets[:50]))])
    assert isinstance(found.found, Imported)
    check(found.found, record)


def test_games_of_one_table_number_stay_apart() -> None:
    packets = json.loads(json.dumps(AZUL[1].packets).replace(
        str(AZUL[1].table), str(SUMMER[1].table)))
    outcomes = read_files([("one", json.dumps(SUMMER[1].packets)), ("two", json.dumps(packets))])
    for outcome, log in zip(outcomes, (SUMMER, AZUL), strict=True):
        assert isinstance(outcome.found, Imported)
        check(outcome.found, log[0])


# ------------------------------------------------------------------------------------ privacy


RETURN = made(SUMMER_2, 94, undo=0.0)


def of_the_same(value: Any) -> Any:
    """Let another game be one of the same players."""
    text = json.dumps(value)
    for mine, theirs in zip(RETURN[1].ids, SUMMER[1].ids, strict=True):
        text = text.replace(str(mine), str(theirs))
    return json.loads(text)


@pytest.mark.parametrize("number", [1, "1", 1.0, None])
def test_games_of_the_same_players_stay_apart(number: Any) -> None:
    files = []
    for packets in (copy.deepcopy(SUMMER[1].packets), of_the_same(RETURN[1].packets)):
        first(packets, "factoriesFilled")[1]["args"]["roundNumber"] = number
        files.append(("log", json.dumps([{"data": one["data"]} for one in packets])))
    found = [one.found for one in read_files(files)]
    assert [one.record.moves for one in found if isinstance(one, Imported)] == [
        SUMMER[0].moves, RETURN[0].moves]


def test_the_page_of_another_game_of_the_same_players() -> None:
    page = damage.page(None, of_the_same(RETURN[2]))
    files = [("log", json.dumps(SUMMER[1].packets)), ("page", page)]
    game_found, position = (one.found for one in read_files(files))
    assert isinstance(game_found, Imported)
    assert game_found.record.moves == SUMMER[0].moves
    assert isinstance(position, Parsed)
    assert position.position.displays == RETURN[0].start.displays
    broken = page.replace('"wall"', '"corner": 7, "walls"')
    assert isinstance(read_files([files[0], ("page", broken)])[0].found, LogError)


@pytest.mark.parametrize("log", [SUMMER, AZUL], ids=["summer", "azul"])
def test_a_record_identifies_no_player(log: Any) -> None:
    _record, told, table, rng = log
    text = damage.replay_page(told.packets, told, table, rng)
    found = game(text)
    line = json.dumps(found.record.to_json())
    for secret in ("Player", "SECRET", str(told.table), *map(str, told.ids)):
        assert secret not in line
    named = read_bga(text, names=True)
    assert isinstance(named, Imported)
    assert [dict(agent) for agent in named.record.agents] == [
        {"spec": "human", "version": "", "name": f"Player {letter}"} for letter in "AB"]
    assert named.record.id == found.record.id
    said = "\n".join(found.notes)
    assert not any(str(one) in said for one in (*told.ids, told.table))

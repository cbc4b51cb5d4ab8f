"""What a log says beside its moves proves a move wrong that could have been played."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pavilion_ai.bga import LogError
from pavilion_ai.bga.log import Note
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.scores import ScoreChain, Stated
from pavilion_ai.play import Play
from tests.bga import damage
from tests.bga.hammer import Count, Verdict, hammer, hammer_sample, verdict
from tests.bga.other import without_ids
from tests.bga.samples import WHOLE
from tests.bga.site_summer import SITES, STARS
from tests.bga.support import AZUL_2, GAMES, QUIET, SUMMER_2, check, game, made, on_walls, seed_of
from tests.plays import VARIANTS


def placements(packets: Any) -> list[dict[str, Any]]:
    """Return the data of every placement in Summer Pavilion."""
    return [note["args"] for packet in packets for note in packet["data"]
            if note["type"] == "placeTileOnWall"]


def changed_places(packets: Any) -> Any:
    """Let two placements of a player in one round, on stars of their own, change places.

    Not in the first round, since a record ends with the round before.
    """
    found = copy.deepcopy(packets)
    notes = [note for packet in found for note in packet["data"]
             if note["type"] in ("placeTileOnWall", "factoriesFilled")]
    second = [number for number, note in enumerate(notes) if note["type"] == "factoriesFilled"][1]
    for number, one in enumerate(notes[second + 1:], second + 1):
        for two in notes[number + 1:]:
            if two["type"] == "factoriesFilled":
                break
            if (one["type"] == two["type"] == "placeTileOnWall"
                    and one["args"]["playerId"] == two["args"]["playerId"]
                    and one["args"]["points"] == two["args"]["points"] == 1
                    and one["args"]["placedTile"]["star"] != two["args"]["placedTile"]["star"]):
                one["args"], two["args"] = two["args"], one["args"]
                return found
    raise AssertionError("no such placements")


@pytest.mark.parametrize("rich", [True, False])
def test_placements_that_changed_places(rich: bool) -> None:
    """Their points are equal, and both are legal; only the scores after them tell."""
    record, told, table, rng = made(SUMMER_2, 97, rich=rich, **QUIET)
    packets = changed_places(told.packets)
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert found.moves == record.moves[:len(found.moves)]
    assert "scores of seat" in found.reason
    assert "contradict each other" in found.reason


def to_another_space(packets: Any, rows: bool) -> Any:
    """Let a placement on a grey outer star be on another free space of the same price."""
    found = copy.deepcopy(packets)
    taken: set[tuple[int, int, int]] = set()
    for args in placements(found):
        tile = args["placedTile"]
        mine = (args["playerId"], tile["star"], tile["space"])
        other = {**tile, "space": tile["space"] % 6 + 1}
        taken.add(mine)
        if len(args["scoredTiles"]) > 1 and (mine[0], mine[1], other["space"]) not in taken:
            args["placedTile"] = other
            if rows:
                args["scoredTiles"][0] = other
            return found
    raise AssertionError("no such placement")


def test_a_placed_tile_that_scores_on_another_space() -> None:
    _record, told, table, rng = made(("summer", "grey", 2), 98, rich=True, **QUIET)
    packets = to_another_space(told.packets, rows=False)
    with pytest.raises(LogError, match=r"packet \d+, placeTileOnWall: found the tile placed on"):
        game(damage.bare(packets, told, table, rng))


@pytest.mark.parametrize("variant", [("summer", "grey", 2), ("summer", "coloured", 2)])
def test_offered_spaces_that_are_filled(variant: Any) -> None:
    """A log may list nothing but the spaces that a player may fill."""
    record, told, table, rng = made(variant, 99, undo=0.0, automatic=False, states=True,
                                    rich=False)
    packets = copy.deepcopy(told.packets)
    args = placements(packets)[-9]
    state = next(note["args"] for packet in packets for note in packet["data"]
                 if note["type"] == "gameStateChange" and note["args"].get("id") == 40
                 and note["args"]["active_player"] == str(args["playerId"])
                 and note["args"]["args"]["possibleSpaces"] and note["uid"] > next(
                     one["uid"] for part in packets for one in part["data"]
                     if one["args"] is args))
    tile = args["placedTile"]
    state["args"]["possibleSpaces"].append(100 * tile["star"] + tile["space"])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert "a space that is filled here" in found.reason
    assert found.moves == record.moves[:len(found.moves)]


def with_more_offered(packets: Any, record: Any, star: int) -> tuple[Any, int, int]:
    """Let a payment lack a tile, and the first offer of its round have a space too many.

    Args:
        star: star of that space, which is empty but cannot be filled.

    Returns:
        the log, and the numbers of moves before the round and before the placement.
    """
    found = copy.deepcopy(packets)
    offers = [note["args"]["args"]["possibleSpaces"] for packet in found for note in packet["data"]
              if note["args"] and note["args"].get("id") == 40]
    turns = [n for n, move in enumerate(record.moves) if "." in move or move.startswith("pass")]
    moves = [n for n in turns if "." in record.moves[n]]
    for number, args in zip(moves, placements(found), strict=True):
        deal = max((n for n in range(number) if record.moves[n].startswith("deal:")), default=0)
        first = next(n for n in turns if n > deal)
        if not deal or first == number or len(args["discardedTiles"]) < 2:
            continue
        play = Play(record.start)
        for move in record.moves[:first]:
            play.push(move)
        seat: Any = play.position.seats[play.position.to_move]  # type: ignore[index]
        empty = [space for space in range(1, 7)
                 if seat.stars[SITES.index(STARS[star])][space - 1] == "."]
        offered = offers[turns.index(first)]
        more = [100 * star + space for space in empty if 100 * star + space not in offered]
        if more:
            args["discardedTiles"].pop()
            offered.append(more[0])
            return found, deal, number
    raise AssertionError("no such placement")


@pytest.mark.parametrize(("variant", "star", "certain"), [
    (SUMMER_2, 0, True), (SUMMER_2, 1, False), (("summer", "grey", 2), 2, False)])
def test_offered_spaces_that_cannot_be_filled(variant: Any, star: int, certain: bool) -> None:
    """They make the round uncertain, but not where the site once had other rules."""
    record, told, table, rng = made(variant, 92, undo=0.0, automatic=False, states=True)
    packets, deal, number = with_more_offered(told.packets, record, star)
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert ", the payment is " in found.reason
    assert found.moves == record.moves[:number if certain else deal]


def test_a_tile_that_does_not_fit_in_a_star_of_the_grey_side() -> None:
    """An earlier tile of the star has another colour in the log."""
    record, told, table, rng = made(("summer", "grey", 2), 105, **QUIET)
    without = without_ids(told.packets, rng)
    moves = [n for n, move in enumerate(record.moves) if "." in move]
    play = Play(record.start)
    for number, move in enumerate(record.moves):
        if number in moves and len(move.split(":")[1]) == 1:
            seat: Any = play.position.seats[play.position.to_move]  # type: ignore[index]
            packets = copy.deepcopy(without)
            tile = placements(packets)[moves.index(number)]["placedTile"]
            tile["type"] = next(kind for kind, count in enumerate((*seat.hand, 1), 1)
                                if count and kind != tile["type"])
            found = verdict(damage.replay_page(packets, told, table, rng), record)
            assert not found.wrong, (number, found)
            if "does not fit in the star" in found.said:
                return
        play.push(move)
    raise AssertionError("no such tile")


@pytest.mark.parametrize("written", [int, str])
def test_a_tile_in_whose_stead_another_scores(written: type[int] | type[str]) -> None:
    """One of the two is told wrongly; the hand of its player shows which, if the log goes on."""
    record, told, table, rng = made(SUMMER_2, 97, rich=True, **QUIET)
    packets = copy.deepcopy(told.packets)
    for args in placements(packets):
        for tile in args["scoredTiles"]:
            tile["id"] = written(tile["id"])
    number = [n for n, packet in enumerate(packets) if placements([packet])][2]
    (args,) = placements([packets[number]])
    other = next(n for n in range(2, 134) if (n - 2) // 22 + 1 == args["placedTile"]["type"]
                 and n != args["placedTile"]["id"])
    args["scoredTiles"][0]["id"] = other
    words = f"but tile {other} scores on its space"
    check(game(damage.replay_page(packets, told, table, rng)), record, (words,))
    found = game(damage.replay_page(packets[:number + 2], told, table, rng)).record
    placed = [n for n, move in enumerate(record.moves) if "." in move]
    assert words in found.reason
    assert found.moves == record.moves[:placed[2]]


def test_points_and_scores_of_another_placement() -> None:
    record, told, table, rng = made(SUMMER_2, 97, rich=False, **QUIET)
    packets = copy.deepcopy(told.packets)
    wrong = placements(packets)[-3]
    wrong["points"] += 2
    text = damage.replay_page(packets, told, table, rng)
    assert verdict(text, record).kind == "equal"  # one number alone is a wrong number
    wrong["newScore"] += 2
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind in ("prefix", "refused")
    assert "the score there agrees" in found.said


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_drafted_tiles_that_lie_elsewhere(variant: Any) -> None:
    record, told, table, rng = made(variant, 92, **QUIET)
    packets = copy.deepcopy(told.packets)
    displays: list[Any] = []
    for note in (note for packet in packets for note in packet["data"]):
        args = note["args"]
        if note["type"] == "factoriesFilled":
            displays = [list(display) for display in args["factories"]]
        elif note["type"] == "tilesSelected" and args.get("fromFactory") and displays:
            taken = args["selectedTiles"]
            twins = [twin for number, display in enumerate(displays)
                     if number != args["fromFactory"] for twin in display
                     if twin["type"] == args["type"]]
            displays[args["fromFactory"]] = []
            if len(taken) == 1 and twins and packets.index(next(
                    packet for packet in packets if note in packet["data"])) > 60:
                taken[0]["id"] = twins[0]["id"]
                break
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind in ("prefix", "refused")
    assert "the tiles taken from D" in found.said or "found none of the tiles" in found.said


def test_placed_tiles_that_were_not_taken() -> None:
    record, told, table, rng = made(AZUL_2, 92, **QUIET)
    packets = copy.deepcopy(told.packets)
    args = [note["args"] for packet in packets for note in packet["data"]
            if note["type"] == "tilesPlacedOnLine" and note["args"]["fromHand"]]
    one = args[20]
    two = next(other for other in args[21:] if other["type"] == one["type"])
    for key in ("placedTiles", "discardedTiles"):
        one[key], two[key] = two[key], one[key]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "is taken from hand of seat" in found.said


def test_bonus_tiles_that_were_never_drawn() -> None:
    """The opening may be what is wrong, so not even the first moves can be kept."""
    record, told, table, rng = made(SUMMER_2, 90, **QUIET)
    packets = copy.deepcopy(told.packets)
    filled = [note["args"]["newTiles"] for packet in packets for note in packet["data"]
              if note["type"] == "supplyFilled" and note["args"]["newTiles"]]
    taken = [tile["id"] for packet in packets for note in packet["data"]
             if note["type"] == "tilesSelected" and "fromSupply" in note["args"]
             for tile in note["args"]["selectedTiles"]]
    place = next(n for n, tile in enumerate(filled[0]) if tile["id"] in taken)
    other = next(tile for tiles in filled[3:] for tile in tiles
                 if tile["type"] != filled[0][place]["type"])
    filled[0][place] = other
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "refused", found.said


def test_a_tile_of_the_supply_that_changed_places_with_a_later_one() -> None:
    """Bonus tiles of its colour are there all the same; but it is used, and was not drawn yet."""
    proven = 0
    for seed in (90, 94):
        record, told, table, rng = made(SUMMER_2, seed, **QUIET)
        taken = {tile["id"] for packet in told.packets for note in packet["data"]
                 if note["type"] == "tilesSelected" and "fromSupply" in note["args"]
                 for tile in note["args"]["selectedTiles"]}
        for slot in range(9):
            packets = copy.deepcopy(told.packets)
            filled = [note["args"]["newTiles"] for packet in packets for note in packet["data"]
                      if note["type"] == "supplyFilled" and note["args"]["newTiles"]]
            if filled[0][slot]["id"] in taken and filled[-1][-1]["id"] not in taken:
                filled[0][slot], filled[-1][-1] = filled[-1][-1], filled[0][slot]
                same = filled[0][slot]["type"] == filled[-1][-1]["type"]
                found = verdict(damage.replay_page(packets, told, table, rng), record)
                assert found.kind in ("prefix", "refused") or same, found
                proven += "is taken from supply" in found.said
    assert proven


def test_draws_of_the_supply_that_changed_places_though_a_tile_was_in_hand() -> None:
    """That the tile is met in the hand shows that its number is wrong, not which tile was drawn."""
    record, told, table, rng = made(("summer", "coloured", 4), 104, **QUIET)
    packets = copy.deepcopy(told.packets)
    drawn = [tile for packet in packets for note in packet["data"]
             if note["type"] == "supplyFilled" for tile in note["args"]["newTiles"]]
    one, two = drawn[13], drawn[18]
    for key in ("id", "type"):
        one[key], two[key] = two[key], one[key]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix", found
    assert f"tile {one['id']} is taken from bag or discards on the site, hand of" in found.said


def test_a_column_that_is_not_said_dooms_the_round() -> None:
    record, told, table, rng = made(("azul", "grey", 3), 96, undo=0.0, states=True)
    packets = copy.deepcopy(told.packets)
    lines = [note for packet in packets for note in packet["data"]
             if note["type"] == "placeTileOnWall"]
    lines[len(lines) // 2]["type"] = "novelty"
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"


def to_another_column(packets: Any, move: str, legal: Iterable[str]) -> Any:
    """Let the tile of a `wall:` move of a grey game go to another legal column."""
    found = copy.deepcopy(packets)
    row, column = int(move[5]), int(move[7])
    other = next(int(one[7]) for one in legal if one[5:7] == move[5:7] and one[7] not in (
        str(column), "F"))
    entry = next(one for one in on_walls(found) if (
        one["placedTile"]["line"], one["placedTile"]["column"]) == (row, column))
    entry["placedTile"]["column"] = other
    return found


def grey_walls(seed: int, rich: bool) -> Iterator[tuple[Any, str, Any]]:
    """Yield a grey game and its first tiles on walls, with the log that has another column."""
    record, told, table, rng = made(("azul", "grey", 2), seed, rich=rich, **QUIET)
    play = Play(record.start)
    for move in record.moves[:40]:
        if move.startswith("wall:") and len(play.list_moves()) > 1 and "F" not in move:
            packets = to_another_column(told.packets, move, play.list_moves())
            yield record, move, damage.replay_page(packets, told, table, rng)
        play.push(move)


def test_a_column_other_than_that_of_the_tiles_that_score() -> None:
    for _, move, text in grey_walls(101, rich=True):
        with pytest.raises(LogError, match=rf"packet \d+, placeTileOnWall: found the tile placed in"
                           rf" line {move[5]}, column ., but among the tiles that score in line"
                           rf" {move[5]}, column {move[7]}"):
            game(text)


def test_a_column_that_only_scores_tell_wrong() -> None:
    """Equal points tell nothing, and a rule that the site once had ends the game at a later move.
    """
    said = []
    for seed in range(101, 105):
        for record, _, text in grey_walls(seed, rich=False):
            found = game(text)
            ends = next((why for why in ("add up to", "is uncertain", "is filled here")
                         if why in found.record.reason), "")
            if ends:
                assert found.record.moves == record.moves[:len(found.record.moves)]
            elif "not legal" not in found.record.reason:
                assert not any("on the site" in note for note in found.notes)
            said.append(ends)
    assert {"add up to", "is uncertain", "is filled here"} <= set(said)


def test_points_that_are_only_a_wrong_number() -> None:
    record, told, table, rng = made(("azul", "grey", 2), 101, rich=False, **QUIET)
    packets = copy.deepcopy(told.packets)
    on_walls(packets)[-2]["pointsDetail"]["points"] += 2
    check(game(damage.replay_page(packets, told, table, rng)), record, ("points of line",))
    packets = copy.deepcopy(told.packets)
    on_walls(packets)[9]["pointsDetail"]["points"] += 9
    whole = game(damage.replay_page(packets, told, table, rng))
    assert (whole.record.moves, whole.record.reason) == (record.moves, "finished")
    assert "points of line" in whole.notes[-1]
    ends = next(n for n, packet in enumerate(packets) for note in packet["data"]
                if note["type"] == "factoriesFilled" and n > 60)
    half = game(damage.replay_page(packets[:ends + 4], told, table, rng))
    assert "so its column is uncertain" in half.record.reason  # no final scores
    assert half.record.moves == record.moves[:len(half.record.moves)]


def test_a_full_line_other_than_here() -> None:
    record, told, table, rng = made(AZUL_2, 92, **QUIET)
    for key in ("line", "type"):
        packets = copy.deepcopy(told.packets)
        tile = on_walls(packets)[7]["placedTile"]
        row = tile["line"]
        tile["line"] = tile["line"] % 5 + 1
        tile["column"] = tile["column"] % 5 + 1
        text = damage.replay_page(packets, told, table, rng)
        found = verdict(text, record)
        assert found.kind in ("prefix", "refused"), (key, row)
        assert "here, but gives" in found.said or "found line" in found.said or (
            "found the tile placed" in found.said) or "is taken from" in found.said


def test_a_draft_to_the_floor_line_with_tiles_on_a_line() -> None:
    record, told, table, rng = made(AZUL_2, 92, **QUIET)
    packets = copy.deepcopy(told.packets)
    args = [note["args"] for packet in packets for note in packet["data"]
            if note["type"] == "tilesPlacedOnLine" and note["args"]["fromHand"]
            and note["args"]["line"]][25]
    args["line"] = args["lineNumber"] = 0
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "0 tiles fit in no line" in found.said


def test_a_line_that_was_the_floor_line() -> None:
    """A choice that was taken back, and the one that was not, may have changed places."""
    record, told, table, rng = made(("azul", "coloured", 3), 92, rich=False, **QUIET)
    said = []
    for number in range(24, 38):
        packets = copy.deepcopy(told.packets)
        args = [note["args"] for packet in packets for note in packet["data"]
                if note["type"] == "tilesPlacedOnLine" and note["args"]["fromHand"]
                and note["args"]["line"]][number]
        args |= {"line": 0, "lineNumber": 0, "placedTiles": [],
                 "discardedTiles": [*args["placedTiles"], *args["discardedTiles"]]}
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind in ("prefix", "refused"), (number, found)
        said.append(found.said)
    assert any("the floor line of seat" in one and "tiles here" in one for one in said)
    assert any("is not empty here, but on the site" in one for one in said)


def test_payments_that_changed_a_tile() -> None:
    """The first is legal with the tile of the second, which is not: so both are uncertain."""
    proven = 0
    for seed in (90, 94):
        record, told, table, rng = made(SUMMER_2, seed, rich=False, **QUIET)
        paid = [one for one in placements(told.packets) if one["discardedTiles"]]
        for number, one in enumerate(paid):
            two = next((other for other in paid[number + 1:number + 4]
                        if other["playerId"] == one["playerId"]
                        and other["type"] != one["type"]), None)
            if two is None or number % 3:
                continue
            mine, theirs = one["discardedTiles"], two["discardedTiles"]
            mine[0], theirs[0] = theirs[0], mine[0]
            found = verdict(damage.replay_page(told.packets, told, table, rng), record)
            mine[0], theirs[0] = theirs[0], mine[0]
            assert not found.wrong, (number, found)
            proven += "neither of its colour nor wild" in found.said
    assert proven


def test_a_draft_that_fills_a_line_which_the_log_never_empties() -> None:
    """Every move is legal; but a line is full here and on the site it is not, so a draft is wrong.
    """
    record, told, table, rng = made(("azul", "grey", 2), 96, rich=False, **QUIET)
    deal = next(n for n, move in enumerate(record.moves) if move.startswith("deal:"))
    play, tried = Play(record.start), 0
    seats: Any
    for number, move in enumerate(record.moves):
        line = move.rpartition(">")[2]
        if number > deal and ":" in move and line.isdigit() and "wall" not in move:
            seat = play.turn
            seats = play.position.seats  # type: ignore[attr-defined]
            there = [sum(one) for one in seats[seat].lines]
            for other in play.list_moves():
                row = other.rpartition(">")[2]
                if other.split(">")[0] != move.split(">")[0] or not row.isdigit() or row == line:
                    continue
                after = play.copy()
                after.push(other)
                seats = after.position.seats  # type: ignore[attr-defined]
                full = sum(seats[seat].lines[int(row) - 1]) == int(row)
                if after.phase != "draft" or not full or there[int(row) - 1] == int(row):
                    continue
                packets = copy.deepcopy(told.packets)
                args = [note["args"] for packet in packets for note in packet["data"]
                        if note["type"] == "tilesPlacedOnLine" and note["args"]["fromHand"]
                        ][sum(":" in one and "wall" not in one and "deal" not in one
                              for one in record.moves[:number])]
                args["line"] = int(row)
                for key in ("lineNumber", "placedTiles", "discardedTiles"):
                    del args[key]
                found = verdict(damage.replay_page(packets, told, table, rng), record)
                assert found.kind in ("prefix", "refused"), (number, other, found)
                tried += "does not say to which column" in found.said
        play.push(move)
    assert tried


# ------------------------------------------------------------------------------- scores


def chain(*over: int) -> ScoreChain:
    """Return scores that differ so much from ours."""
    found = ScoreChain()
    for number, one in enumerate(over):
        found.add(Stated(Note("pass", Node({}, "packet 1"), 1, 1), number, one))
    return found


@pytest.mark.parametrize(("over", "first"), [
    ((0, 0, 0), None), ((0, 3, 0, 0), None), ((0, -2, -2, -2), None), ((0, -2, -2, -3, -3), None),
    ((0, 3, -2, 0), 1), ((0, 4, 1, -3, 0), 1), ((0, 2, 0, -2, 0), 1), ((0, 2, 0, -3, 0), None),
    ((), None),
])
def test_scores_that_contradict_each_other(over: tuple[int, ...], first: int | None) -> None:
    found = chain(*over).broken(finished=True)
    assert (None if found is None else found.moves) == first


def test_a_score_that_stays_wrong_with_points_that_are_not_ours() -> None:
    found = ScoreChain()
    for number, (over, agrees) in enumerate(((0, True), (2, False), (2, True))):
        found.add(Stated(Note("pass", Node({}, "packet 1"), 1, 1), number, over, agrees))
    assert found.broken(finished=True) is not None


def test_the_last_score_of_a_game_that_goes_on_must_agree() -> None:
    assert chain(0, 0, 2).broken(finished=True) is None
    found = chain(0, 0, 2).broken(finished=False)
    assert found is not None
    assert found.moves == 2


# ------------------------------------------------------------------------------- everything


@pytest.mark.parametrize("number", range(GAMES))
@pytest.mark.parametrize("variant", VARIANTS)
def test_damaged_anywhere(variant: tuple[str, str, int], number: int) -> None:
    """`python -m tests.bga` does the same for thousands of games."""
    count = Count()
    hammer(variant, seed_of(variant, number, 15), 12, count.of(""))
    assert not count.wrong
    assert sum(count.kinds.values()) > 8


@pytest.mark.parametrize("name", WHOLE)
def test_samples_damaged_anywhere(name: str) -> None:
    count = Count()
    for seed in range(6 * GAMES):
        hammer_sample(name, seed, count.of(""))
    assert not count.wrong
    assert sum(count.kinds.values()) == 6 * GAMES


def test_wrong_moves_are_seen() -> None:
    """The program that damages logs must be able to find something."""
    record, told, table, rng = made(AZUL_2, 93)
    other = made(AZUL_2, 193)[0]
    text = damage.replay_page(told.packets, told, table, rng)
    assert verdict(text, record, whole=True) == Verdict("equal", "seat 1 is 'Player B'")
    assert verdict(text, other).wrong


def without_notes(packets: Any, *kinds: Any) -> Any:
    """Leave out notes of some types, and the token from tiles, after the second deal."""
    found = damage.renumbered(packets)
    deals = 0
    for packet in found:
        deals += any(note["type"] == "factoriesFilled" for note in packet["data"])
        if deals < 2:
            continue
        packet["data"] = [note for note in packet["data"] if not (note["type"] in kinds and (
            note["type"] != "tilesPlacedOnLine" or note["args"]["type"] == 0))]
        for note in packet["data"]:
            if note["type"] == "tilesSelected" and "selectedTiles" in kinds:
                note["args"]["selectedTiles"] = [tile for tile in note["args"]["selectedTiles"]
                                                 if tile["type"]]
    return found


@pytest.mark.parametrize(("variant", "kinds"), [
    (SUMMER_2, ("firstPlayerToken", "selectedTiles")),
    (AZUL_2, ("firstPlayerToken", "tilesPlacedOnLine"))])
def test_a_token_that_nobody_takes_on_the_site(variant: Any, kinds: Any) -> None:
    """The draft that takes it here was not the first from the centre, unless it is told once."""
    record, told, table, rng = made(variant, 97, **QUIET)
    for kind in kinds:
        text = damage.replay_page(without_notes(told.packets, kind), told, table, rng)
        check(game(text), record)
    found = verdict(damage.replay_page(without_notes(told.packets, *kinds), told, table, rng),
                    record)
    assert found.kind == "prefix", found
    assert "takes the start player token here, but not on the site" in found.said


def test_a_play_phase_that_begins_while_tiles_are_left() -> None:
    """The log ends there, so that no move of it contradicts what was played."""
    record, told, table, rng = made(SUMMER_2, 97, undo=0.0, automatic=False, states=True)
    kinds = [[note["args"].get("id", note["type"]) for note in packet["data"]]
             for packet in told.packets]
    deal = [n for n, one in enumerate(kinds) if "factoriesFilled" in one][1]
    begins = next(n for n, one in enumerate(kinds) if n > deal and 40 in one)
    last = [n for n in range(deal, begins + 1) if "tilesSelected" in kinds[n]][-2:]
    packets = damage.renumbered(
        [packet for n, packet in enumerate(told.packets[:begins + 1]) if n not in last
         or n == begins])
    for packet in packets[-1:]:
        packet["data"] = [note for note in packet["data"] if note["type"] != "tilesSelected"]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix", found
    assert "offers spaces, but tiles are left to take here" in found.said


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_a_last_move_that_contradicts_those_before(variant: Any) -> None:
    """Nothing follows it, and yet the record must not end as if all were well."""
    record, told, table, rng = made(variant, 97, **QUIET)
    drafts = [n for n, packet in enumerate(told.packets) for note in packet["data"]
              if note["type"] == "tilesSelected" and note["args"].get("fromFactory")
              and note["args"]["discardedTiles"]]
    packets = damage.renumbered(told.packets[:drafts[-1] + 2])
    for note in packets[drafts[-1]]["data"]:
        if note["type"] == "tilesSelected":
            note["args"]["discardedTiles"].pop()
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix", found
    assert "stopped" in found.said
    assert "remain on D" in found.said

"""What is counted of a game: against hand-made games, other counts and slower ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from pavilion_ai import Match, Play, parse_position
from pavilion_ai.analysis import win_shares
from pavilion_ai.facts import COUNTERS, azul, summer
from pavilion_ai.facts.game import MORE, Played, kind_of_display, others
from pavilion_ai.facts.summer import _every, _seat_features, _Take
from pavilion_ai.facts.tally import PARTS, Layout, Tally, less
from pavilion_ai.games.azul import wall_points
from pavilion_ai.match.counts import counts_of
from pavilion_ai.position.summer_board import printed_number
from pavilion_ai.stats.blocks import BLOCKS
from pavilion_ai.wording import plural
from tests.plays import decisions

VARIANTS = [(game, board, players) for game in ("summer", "azul")
            for board in ("coloured", "grey") for players in (2, 3, 4)]


@cache
def games(game: str, board: str, players: int, agents: str = "policy") -> tuple[Play, ...]:
    match = Match([agents] * players, game=game, board=board, pairs=2, seed=6, tied=False)
    match.run()
    return tuple(map(Play.of, match.records))


class Draft(NamedTuple):
    """A draft of a game, the `number`th of its round."""

    number: int
    seat: int
    move: str
    before: Any
    after: Any

    @property
    def heap(self) -> tuple[int, ...]:
        """Tiles where it was made, by colour."""
        source, position = self.move.partition(":")[0], self.before
        found: tuple[int, ...] = (
            position.centre if source == "C" else position.displays[int(source[1:]) - 1])
        return found


def drafts(play: Play) -> Iterator[Draft]:
    """Yield the drafts of a game with the positions before and after them."""
    now, number, last = Play(play.start), 0, 0
    for ply in play.plies:
        before = now.position
        now.push(ply.move)
        if ply.seat is not None and ply.move.startswith(("C:", "D")):
            number = number + 1 if before.round == last else 1
            last = before.round
            yield Draft(number, ply.seat, ply.move, before, now.position)


def counted(play: Play) -> list[Tally]:
    """Count a game, each seat by itself."""
    tallies = [Tally() for _ in range(play.start.players)]
    COUNTERS[play.start.game].count(Played(play, tallies))
    return tallies


def values(tally: Tally, table: str, column: str = "") -> dict[str, tuple[float, float]]:
    """Return number and sum of the values by row, of one column or all."""
    found: dict[str, tuple[float, float]] = {}
    for (name, row, of), blocks in tally._sums.items():
        if name == table and column in ("", of):
            count, total = found.get(row, (0, 0))
            found[row] = (count + sum(one[0] for one in blocks.values()),
                          total + sum(one[1] for one in blocks.values()) / PARTS)
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_sources_add_up_to_the_score(variant: tuple[str, str, int]) -> None:
    for play in games(*variant):
        winners = play.winners()
        for seat, tally in enumerate(counted(play)):
            points = values(tally, "points")
            if len(winners) > 1:
                assert not points
                continue
            assert set(values(tally, "points", "winners" if seat in winners else "others")) == set(
                points)
            final = points.pop("final score")[1]
            assert final == play.scores()[seat]
            assert sum(total for _, total in points.values()) == final
            losses = {"start token", "tiles left over", "floor line"} & set(points)
            assert losses
            assert all(points[row][1] <= 0 for row in losses)


@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_are_those_of_matches(variant: tuple[str, str, int]) -> None:
    for play in games(*variant):
        if len(play.winners()) > 1:
            continue
        known, position = counts_of(play), play.position
        for seat, tally in enumerate(counted(play)):
            found = {row: total for row, (_, total) in values(tally, "counts").items()}
            assert found["tiles drafted"] == known.tiles[seat]
            board = position.seats[seat]
            if variant[0] == "summer":
                assert found["start tokens"] == known.tokens[seat]
                built = sum(found[row] for row in ("pillars", "statues", "windows"))
                placed = [tile for star in board.stars for tile in star]
            else:
                assert found["markers"] == known.tokens[seat]
                built = sum(found[row] for row in ("rows", "columns", "colours"))
                placed = [tile for row in board.wall for tile in row]
            assert built == known.features[seat]
            assert found["tiles placed"] == len(placed) - placed.count(".")


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[2] == 3])
def test_a_whole_game_is_explained_by_what_is_counted(variant: tuple[str, str, int]) -> None:
    rows = (("tiles drafted", "wild tiles drafted", "start tokens", "pillars", "statues", "windows")
            if variant[0] == "summer" else ("tiles drafted", "tiles on the floor line", "markers",
                                            "tiles placed", "rows", "columns", "colours"))
    for play in games(*variant):
        tallies, winners = counted(play), play.winners()
        if len(winners) > 1:
            continue
        found = [[values(tally, "counts")[row][1] for row in rows] for tally in tallies]
        for seat, tally in enumerate(tallies):
            more = [own - mean for own, mean in zip(found[seat], others(found, seat), strict=True)]
            above = (seat in winners) - 1 / len(tallies)
            products = tally._moments["whole game", "game"].products.sum(0) / PARTS**2
            assert products[:len(rows)] / above == pytest.approx(more)


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_what_is_told_of_each_seat_and_of_the_one_that_starts(game: str) -> None:
    play = Play.new(game, players=3, seed=3, start_player=1)
    for _ in decisions(play, 0):
        pass
    shares, number = win_shares(play.winners(), 3), play.position.round
    assert number == 1 + sum(ply.move.startswith("deal:") for ply in play.plies)
    assert shares[0] != shares[1]
    for seat, tally in enumerate(counted(play)):
        told: dict[str, tuple[float, float]] = {"final score": (1, play.scores()[seat])}
        rounds = {}
        if game == "azul":
            told["rounds of a game"] = (1, number)
        if seat == 1:
            told["victory if it starts"] = rounds[f"{number} rounds"] = (1, shares[seat])
        assert values(tally, "games") == told
        assert values(tally, "rounds") == (rounds if game == "azul" else {})


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[2] == 2])
def test_drafts_are_counted_by_what_is_taken_and_from_where(variant: tuple[str, str, int]) -> None:
    """An independent count."""
    summer = variant[0] == "summer"
    for play in games(*variant):
        shares = win_shares(play.winners(), variant[2])
        expected = [Tally() for _ in shares]
        wilds = [0] * len(shares)
        for draft in drafts(play):
            heap, (source, _, rest) = draft.heap, draft.move.partition(":")
            add, won = expected[draft.seat].add, shares[draft.seat]
            wild = draft.before.round - 1 if summer else None
            colour = ("PGOYBR" if summer else "BYRKW").index(rest[0])
            tiles, name, rivals = heap[colour], str(heap[colour]), list(heap)
            if wild is not None:
                taken = min(1, heap[wild])  # one wild tile comes with whatever is taken
                wilds[draft.seat] += taken
                tiles = taken + (0 if colour == wild else tiles)
                name = "+".join(([] if colour == wild else [name]) + ["w"] * taken)
                rivals[wild] = 0
            if source == "C":
                add("centre", name, "wins", 0, won)
            else:
                kind = kind_of_display(heap, wild)
                add("displays", kind, "tiles", 0, tiles)
                add("displays", kind, "wins", 0, won)
                add("displays", kind, "most", 0, colour == wild or heap[colour] == max(rivals))
            if not summer:
                line = 0 if rest[-1] == "F" else int(rest[-1])
                row = f"line {line}" if line else "floor line"
                there = sum(draft.before.seats[draft.seat].lines[line - 1])
                add("lines", row, "tiles", 0, tiles)
                add("lines", row, "fills", 0, line > 0 and there + tiles >= line)
                add("lines", row, "wins", 0, won)
        for tally, known, wild_tiles in zip(counted(play), expected, wilds, strict=True):
            for table, column in (("centre", "wins"), ("displays", "tiles"), ("displays", "most"),
                                  ("displays", "wins"), ("lines", "tiles"), ("lines", "fills"),
                                  ("lines", "wins")):
                assert values(tally, table, column) == values(known, table, column), table
            told = values(tally, "counts")
            assert not told or told.get("wild tiles drafted", (1, 0)) == (1, wild_tiles)


@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_tiles_to_the_floor_are_drafted_ones_and_full_lines_without_a_column(board: str) -> None:
    fallen = 0
    for play in games("azul", board, 2, "random"):
        expected, now = [0, 0], Play(play.start)
        for ply in play.plies:
            if ply.seat is not None and ply.move.startswith(("C:", "D")):
                source, _, rest = ply.move.partition(":")
                position: Any = now.position
                heap = position.centre if source == "C" else position.displays[int(source[1:]) - 1]
                line = 0 if rest[-1] == "F" else int(rest[-1])
                there = sum(position.seats[ply.seat].lines[line - 1]) if line else 0
                expected[ply.seat] += max(0, heap["BYRKW".index(rest[0])] - line + there)
            elif ply.seat is not None and ply.move.endswith(">F"):
                expected[ply.seat] += int(ply.move[5])
                fallen += 1
            now.push(ply.move)
        if len(play.winners()) == 1:
            assert [values(tally, "counts")["tiles on the floor line"][1]
                    for tally in counted(play)] == expected
    assert (fallen > 0) == (board == "grey")


@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_stars_and_numbers_are_those_of_the_final_board(board: str) -> None:
    for play in games("summer", board, 2, "greedy"):
        position: Any = play.position
        shares = win_shares(play.winners(), 2)
        for seat, tally, share in zip(position.seats, counted(play), shares, strict=True):
            has = {row: total for row, (_, total) in values(tally, "completed", "seats").items()}
            stars = [star for star in seat.stars if "." not in star]
            for colour, row in zip("PGOYBR", has, strict=False):
                assert has[row] == any(star == 6 * colour for star in stars)
            assert has["star of six colours"] == any(len(set(star)) == 6 for star in stars)
            for number in range(1, 5):
                spaces = [star[place - 1] for site, star in enumerate(seat.stars)
                          for place in range(1, 7) if printed_number(board, site, place) == number]
                assert has[f"all {number}s"] == ("." not in spaces)
            by_round = [{row: total for row, (_, total) in values(
                tally, "stars by round", f"round {number}").items()} for number in range(3, 7)]
            assert by_round[-1] == {row: has[row] for row in by_round[-1]}
            assert all(before[row] <= after[row] for before, after in pairwise(by_round)
                       for row in by_round[-1])
            assert not values(tally, "stars by round", "round 2")
            for column, done in (("with", True), ("without", False)):
                assert values(tally, "completed", column) == {
                    row: (1, share) for row in has if has[row] == done}


def test_rows_are_named_in_english() -> None:
    rows = [row for counter in (summer, azul) for layout in counter.LAYOUTS for row in layout.rows]
    assert not [row for row in rows if row.startswith(("a a", "a e", "a i", "a o", "a u"))]
    assert {"an orange star", "a star of six colours", "a row with 3 tiles"} <= {*rows}


def test_features_of_a_board() -> None:
    """A star with 4 tiles, a complete one, all of number 1 and all but one of number 2."""
    spaces = [0] * 42
    for site, filled in enumerate((4, 6, 2, 2, 2, 2, 1)):
        spaces[6 * site:6 * site + filled] = [1] * filled
    hand, kept = (1, 2, 0, 0, 0, 3), (0, 1, 1, 0, 0, 0)
    worth = _seat_features("coloured", 1, True, 12, hand, kept, False, tuple(spaces))
    assert worth == [12, 1, 3, 5, 7, 6, 2, 2, 1, 0, 1, 0, 2, 1, 1]  # two statues (RULES A8)


def test_features_of_hands_before_the_first_placement() -> None:
    """Green is wild, and seat 1 places first."""
    board = dict.fromkeys(("W", "NW", "NE", "E", "SE", "SW", "C"), "......")
    seat = {"score": 7, "hand": "2P3G", "kept": "-", "passed": False, "stars": board}
    play = Play(parse_position({
        "game": "summer", "board": "coloured", "round": 2, "phase": "place", "to_move": 1,
        "start_seat": 0, "token": 1, "bonus_due": 0, "displays": ["-"] * 5, "centre": "-",
        "supply": "-",
        "seats": [seat, {**seat, "score": 9, "hand": "POB4G",
                         "stars": board | {"W": "P..P..", "C": ".....G"}}]}).position)
    assert summer._drafted(Played(play, []), play.state) == [
        [7, 0, 3, 2, 2, 0, 0], [9, 1, 4, 3, 4, 3, 1 + 4 + 6]]


def test_features_of_a_wall() -> None:
    """Rows with 4, 4, 3, 2 and 1 tiles, columns with 5, 4, 3, 2 and none, colours with 3 and 2."""
    seat = {"score": 12, "lines": ["-", "-", "2Y", "-", "3W"], "floor": "-",
            "wall": ["BYRK.", "WBYR.", "KWB..", "RK...", "Y...."]}
    position: Any = parse_position({
        "game": "azul", "board": "grey", "round": 4, "phase": "draft", "to_move": 0,
        "start_seat": 1, "token": None, "displays": ["2YR", "-", "-", "-", "-"], "centre": "2B",
        "seats": [seat, {**seat, "lines": ["-"] * 5, "wall": ["....."] * 5}]}).position
    first, second = azul._features(Play(position).state)
    assert first == [12, 0, 5, 4, 4, 3, 2, 1, *(1, 2), *(1, 1, 1), *(4, 0, 0)]
    assert second == [12, 1] + [0] * 14


def test_lines_that_a_draft_fills() -> None:
    seat = {"score": 0, "lines": ["-", "Y", "-", "-", "-"], "wall": ["....."] * 5, "floor": "-"}
    position: Any = parse_position({
        "game": "azul", "board": "grey", "round": 2, "phase": "draft", "to_move": 0,
        "start_seat": 0, "token": None, "displays": ["2YR", "YR", "-", "-", "-"], "centre": "2B",
        "seats": [seat, {**seat, "lines": ["-"] * 5}]}).position
    state = Play(position).state
    for move, tiles, spilled, fills in (
        ("D1:Y>2", 2, 1, True), ("D2:Y>2", 1, 0, True), ("D1:Y>F", 2, 2, False),
        ("D1:R>3", 1, 0, False), ("C:B>3", 2, 0, False), ("C:B>1", 2, 1, True),
    ):
        take = azul._Take(state, move)
        assert (take.tiles, take.spilled, take.fills) == (tiles, spilled, fills), move
        assert take.token == take.centre == move.startswith("C")


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_worth_is_told_after_every_round_but_the_last(game: str) -> None:
    play = games(game, "coloured", 2)[0]
    (tally, _), last = counted(play), play.position.round
    rounds = {table: {column for name, column in tally._moments if name == table}
              for table in ("worth", "drafted")}
    assert rounds["worth"] == {f"round {number}" for number in range(1, last)}
    assert rounds["drafted"] == ({f"round {number}" for number in range(1, last + 1)}
                                 if game == "summer" else set())


def test_the_most_tiles_of_a_display_are_those_that_are_not_wild() -> None:
    tried = set()
    for seed in range(12):
        play = Play.new("summer", seed=seed)  # round 1: purple is wild
        for number, tiles in enumerate(play.position.displays, 1):
            for colour, count in zip("GOYBR", tiles[1:], strict=True):
                if count:
                    most = count == max(tiles[1:])
                    assert _Take(play.state, f"D{number}:{colour}").takes_most == most
                    tried.add((most, tiles[0] > count))
    assert tried == {(True, True), (True, False), (False, False)}


def test_the_first_draft() -> None:
    """The first draft of a game, read off its displays without the code that counts it."""
    play = Play.new("summer", seed=7, start_player=0)
    displays = [dict(zip("PGOYBR", tiles, strict=True)) for tiles in play.position.displays]
    number, colour, most = max(
        ((number, colour, n) for number, tiles in enumerate(displays)
         for colour, n in tiles.items() if colour != "P" and n), key=lambda one: one[2])
    wild = min(1, displays[number]["P"])
    play.push(f"D{number + 1}:{colour}")
    while not play.is_over():
        if play.turn is None:
            play.draw(1)
        else:
            play.push(play.legal_moves[0])
    tally = counted(play)[0]
    name = "+".join([str(most)] + ["w"] * wild)
    assert {row for row, (_, total) in values(tally, "first takes", "taken").items() if total} == {
        name}
    assert list(values(tally, "openings", "wins")) == [
        kind_of_display(play.start.displays[number], 0)]
    there = {row for row, (_, total) in values(tally, "openings", "there").items() if total}
    assert there == {kind_of_display(tiles, 0) for tiles in play.start.displays}


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_first_display_is_told_of_the_kinds_there(game: str) -> None:
    wild = 0 if game == "summer" else None
    for play in games(game, "coloured", 2, "random"):
        draft = next(drafts(play))
        there = {kind_of_display(tiles, wild) for tiles in play.start.displays}
        taken, share = kind_of_display(draft.heap, wild), win_shares(play.winners(), 2)[draft.seat]
        tally = counted(play)[draft.seat]
        assert values(tally, "openings", "taken") == {row: (1, row == taken) for row in there}
        assert values(tally, "openings", "wins") == {taken: (1, share)}


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_tokens_are_counted_with_draft_and_cost(game: str) -> None:
    for play in games(game, "coloured", 3):
        shares = win_shares(play.winners(), 3)
        taken: list[dict[str, dict[str, float]]] = [{} for _ in shares]
        sizes: list[Counter[str]] = [Counter() for _ in shares]
        for draft in drafts(play):
            seat, before = draft.seat, draft.before
            if draft.move.startswith("C:") and before.token is None:
                told = {"draft": draft.number, "starter": seat == before.start_seat,
                        "wins": shares[seat]}
                if game == "summer":
                    told["points"] = draft.after.seats[seat].score - before.seats[seat].score
                    tiles = sum(draft.after.seats[seat].hand) - sum(before.seats[seat].hand)
                    sizes[seat][plural(tiles, "tile")] += 1
                else:
                    told["tiles"] = draft.heap["BYRKW".index(draft.move[2])]
                taken[seat][f"round {before.round}"] = told
        for tally, mine, by_tiles, share in zip(counted(play), taken, sizes, shares, strict=True):
            assert values(tally, "token by tiles") == {
                row: (number, number * share) for row, number in by_tiles.items()}
            for column in ("draft", "starter", "wins", "points", "tiles"):
                assert values(tally, "token", column) == {
                    row: (1, told[column]) for row, told in mine.items() if column in told}


def test_points_of_wall_tiles() -> None:
    empty = (0,) * 25
    one = (1, *empty[1:])
    assert wall_points(empty, one) == 1
    two = (1, 2, *empty[2:])
    assert wall_points(one, two) == 2
    corner = (1, 2, 0, 0, 0, 5, *empty[6:])
    assert wall_points(two, corner) == 2
    square = (1, 2, 0, 0, 0, 5, 1, *empty[7:])
    assert wall_points(corner, square) == 4  # across and down (RULES B6)
    assert wall_points(empty, square) == 1 + 2 + 2 + 4  # top row first
    assert wall_points(square, square) == 0


def test_kinds_of_display() -> None:
    assert kind_of_display((1, 1, 2, 0, 0, 0), 0) == "2+1+w"
    assert kind_of_display((4, 0, 0, 0, 0, 0), 0) == "4w"
    assert kind_of_display((0, 0, 2, 0, 2, 0), 0) == "2+2"
    assert len(_every("openings")) == len(set(_every("openings"))) == 12
    assert set(_every("first takes")) == {"1", "1+w", "2", "2+w", "3", "3+w", "4", "w"}


@pytest.mark.parametrize(("drafted", "row"), [
    ((62, 58), "4 more"), ((60, 60), "equal"), ((50, 70), "7+ fewer"), ((61, 59), "2 more"),
    ((47, 40, 40), "7+ more"), ((46, 40, 40), "6 more"),
])
def test_tiles_against_the_others(drafted: tuple[int, ...], row: str) -> None:
    players = len(drafted)
    play = games("summer", "coloured", players)[0]
    tallies = [Tally() for _ in range(players)]
    Played(play, tallies).by_tiles(drafted)
    assert list(values(tallies[0], "tiles")) == [row]
    assert row in MORE


@pytest.mark.parametrize("variant", VARIANTS)
def test_tables_have_all_their_cells(variant: tuple[str, str, int]) -> None:
    tally = Tally()
    for play in games(*variant):
        COUNTERS[variant[0]].count(Played(play, [tally] * variant[2]))
    for layout in COUNTERS[variant[0]].LAYOUTS:
        table = tally.table(layout)
        assert len(set(layout.shown)) == len(layout.shown)
        for row in table.rows:
            for column in layout.shown:
                assert (row, column) in table.cells
        if layout.rows:  # nothing is counted that is not shown
            assert {key[1] for key in tally._sums if key[0] == layout.name} <= set(layout.rows)
        if layout.shares:
            shares = [table.cells[row, "share"].value for row in table.rows]
            assert sum(share or 0 for share in shares) == pytest.approx(1)
        json.dumps(table.to_json(), allow_nan=False)
    assert {key[0] for key in tally._sums} | {key[0] for key in tally._moments} == {
        layout.name for layout in COUNTERS[variant[0]].LAYOUTS}


def test_rows_that_were_met_stand_by_how_often() -> None:
    tally = Tally()
    for row, times in (("b", 1), ("c", 3), ("a", 3)):
        for _ in range(times):
            tally.add("centre", row, "wins", 0, 1.0)
    assert tally.table(Layout("centre", "", ("wins",))).rows == ("a", "c", "b")


def test_differences_have_the_rows_of_both_tables() -> None:
    one, two, layout = Tally(), Tally(), Layout("centre", "", ("wins",))
    for tally, row, value in ((one, "a", 1), (one, "b", 5), (two, "b", 3), (two, "c", 1)):
        tally.add("centre", row, "wins", 0, value)
    table = less(one.table(layout), two.table(layout))
    assert [(row, table.cells[row, "wins"].value) for row in table.rows] == [
        ("a", None), ("b", 2), ("c", None)]


def test_sums_do_not_grow_with_games() -> None:
    tally, play = Tally(), games("azul", "coloured", 2)[0]
    COUNTERS["azul"].count(Played(play, [tally] * 2))
    before = sum(map(len, tally._sums.values()))
    for _ in range(20):
        COUNTERS["azul"].count(Played(play, [tally] * 2))
    assert sum(map(len, tally._sums.values())) == before
    assert all(block in range(BLOCKS) for blocks in tally._sums.values() for block in blocks)


@pytest.mark.parametrize("variant", VARIANTS)
def test_whole_parts_are_counted(
    variant: tuple[str, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nothing is rounded when it is added up."""
    found: list[float] = []
    monkeypatch.setattr(Tally, "add", lambda tally, *row: found.append(row[-1]))
    monkeypatch.setattr(Tally, "regress", lambda tally, *row: found.extend([*row[-2], row[-1]]))
    for play in games(*variant):
        counted(play)
    parts = [PARTS * value for value in found]
    assert parts == pytest.approx([*map(round, parts)], abs=1e-9)
    assert any(parts)


def test_games_of_a_deal_share_a_block() -> None:
    match = Match(["random", "random"], pairs=3, seed=2, tied=False)
    match.run()
    blocks = [Played(Play.of(record), []).block for record in match.records]
    assert blocks[0::2] == blocks[1::2]
    assert len(set(blocks)) > 1
    start = match.records[0].start  # the tiles tell, not the seed
    assert {Played(Play(start, seed=seed), []).block for seed in range(9)} == {blocks[0]}


def test_a_regression_explains_what_is_above_the_fair_share() -> None:
    play, tally = games("summer", "coloured", 3)[0], Tally()
    game = Played(play, [tally, None, None])
    game.regress("worth", "round 1", [[7.0], [3.0], [1.0]])
    moments = tally._moments["worth", "round 1"]
    assert moments.count.sum() == 1
    assert moments.squares.sum() == 25 * PARTS**2  # 7 less the mean of 3 and 1
    assert moments.products.sum() == pytest.approx(5 * (game.shares[0] - 1 / 3) * PARTS**2)

"""What must hold along every game of base Azul; for both games: test_invariants.py."""

import itertools
from collections.abc import Iterator
from typing import Any

from pavilion_ai._core import state_bytes
from pavilion_ai.games import GAMES, Rng

from .random_games import LETTERS, Position, every_setting, plies

GAME = GAMES["azul"]
COLOURS = LETTERS["azul"]
MARKER = "*"
FLOOR_SPACES = 7


def drafts(players: int, board: str, seed: int) -> Iterator[tuple[Position, str, Position]]:
    """Yield the drafts of a game that do not end the round: before, move, after."""
    for (position, _, move), (after, _, _) in itertools.pairwise(
        plies("azul", players, board, seed)
    ):
        if position.phase == after.phase == "draft":
            yield position, move, after


@every_setting
def test_ranges(players: int, board: str, seed: int) -> None:
    """Scores never below 0 (B5); displays, lines, floor line and wall hold what they may (B2)."""
    for position, _, _ in plies("azul", players, board, seed):
        assert len(position.displays) == 2 * players + 1
        assert all(sum(display) <= 4 for display in position.displays)
        assert sum(position.centre) <= 3 * len(position.displays)
        for seat in position.seats:
            assert 0 <= seat.score < 400
            assert len(seat.floor) <= FLOOR_SPACES
            for number, line in enumerate(seat.lines, 1):
                assert sum(line) <= number
                assert sum(n > 0 for n in line) <= 1


@every_setting
def test_walls(players: int, board: str, seed: int) -> None:
    """No colour twice in a row or a column, and none in the row of its line (B2, B4, B8)."""
    pattern = ["".join(COLOURS[(column - row) % 5] for column in range(5)) for row in range(5)]
    for position, _, _ in plies("azul", players, board, seed):
        for seat in position.seats:
            columns = ["".join(column) for column in zip(*seat.wall, strict=True)]
            for spaces in [*seat.wall, *columns]:
                filled = spaces.replace(".", "")
                assert len(set(filled)) == len(filled)
            for row, line in zip(seat.wall, seat.lines, strict=True):
                assert not any(n and COLOURS[colour] in row for colour, n in enumerate(line))
            if board == "coloured":
                spaces, wanted = "".join(seat.wall), "".join(pattern)
                assert all(
                    space in (".", own) for space, own in zip(spaces, wanted, strict=True))


@every_setting
def test_the_marker(players: int, board: str, seed: int) -> None:
    """On the floor line of whoever took it, unless that was full, until it is paid for (B4, B5)."""
    for position, _, _ in plies("azul", players, board, seed):
        for number, seat in enumerate(position.seats):
            assert seat.floor.count(MARKER) <= (number == position.token)
            if position.phase == "draft" and number == position.token:
                assert MARKER in seat.floor or len(seat.floor) == FLOOR_SPACES
            if position.phase in ("deal", "over"):
                assert seat.floor == ""
        if position.phase == "deal":
            assert position.token is None


@every_setting
def test_floor_lines_show_what_fell(players: int, board: str, seed: int) -> None:
    """B4: the marker first, then what finds no space on the line; the eighth thing is not there."""
    fell = 0
    for position, move, after in drafts(players, board, seed):
        source, _, rest = move.partition(":")
        colour, destination = rest.split(">")
        table = position.centre if source == "C" else position.displays[int(source[1:]) - 1]
        count = table[COLOURS.index(colour)]
        if destination != "F":
            line = position.seats[position.to_move].lines[int(destination) - 1]
            count = max(0, count - (int(destination) - sum(line)))
        for number, (old, new) in enumerate(zip(position.seats, after.seats, strict=True)):
            expected = old.floor
            if number == position.to_move:
                expected += MARKER * (source == "C" and position.token is None) + colour * count
            assert new.floor == expected[:FLOOR_SPACES]
            assert new.score == old.score
            state: Any = GAME.to_core(after)
            assert len(state.fields()[13][number][3]) == len(new.floor)
        fell += count
    assert fell > 0


@every_setting
def test_what_may_be_drafted(players: int, board: str, seed: int) -> None:
    """B4, once more: every set of tiles to the floor line and to every line that takes it."""
    for position, moves, _ in plies("azul", players, board, seed):
        if position.phase != "draft":
            continue
        seat = position.seats[position.to_move]
        expected = []
        table = [*((f"D{d}", tiles) for d, tiles in enumerate(position.displays, 1)),
                 ("C", position.centre)]
        for (source, tiles), (colour, letter) in itertools.product(table, enumerate(COLOURS)):
            if tiles[colour]:
                expected.append(f"{source}:{letter}>F")
                expected += [
                    f"{source}:{letter}>{number}"
                    for number, (line, row) in enumerate(zip(seat.lines, seat.wall, strict=True), 1)
                    if sum(line) < number and line[colour] == sum(line) and letter not in row
                ]
        assert moves == sorted(expected)
        assert len(moves) <= 24 * len(position.displays)  # D2: 120, 168, 216


@every_setting
def test_columns(players: int, board: str, seed: int) -> None:
    """B8: asked on the grey wall only, for the topmost full line; 1 to 10 points (B6)."""
    columns = 0
    game = plies("azul", players, board, seed)
    for (position, moves, move), (after, _, _) in itertools.pairwise(game):
        if position.phase != "wall":
            continue
        columns += 1
        seat, after_seat = (some.seats[position.to_move] for some in (position, after))
        line = next(n for n, tiles in enumerate(seat.lines, 1) if sum(tiles) == n)
        assert all(some.startswith(f"wall:{line}>") for some in moves)
        assert len(moves) <= 5
        assert (f"wall:{line}>F" in moves) == (moves == [f"wall:{line}>F"])
        if after.phase == "wall" and after.to_move == position.to_move:
            change = after_seat.score - seat.score
            assert change == 0 if move.endswith("F") else 1 <= change <= 10
    assert (columns > 0) == (board == "grey")


@every_setting
def test_the_end(players: int, board: str, seed: int) -> None:
    """B9: the first complete row ends the game after its round; not before round 5."""
    *game, (end, moves, _) = plies("azul", players, board, seed)

    def complete(position: Position) -> bool:
        return any("." not in row for seat in position.seats for row in seat.wall)

    assert moves == []
    assert complete(end)
    assert 5 <= end.round <= 30
    assert not any(complete(position) for position, _, _ in game if position.phase != "wall")
    assert GAME.winners(end)
    assert [sum(part.values()) for part in GAME.breakdown(end)] == [
        seat.score for seat in end.seats]


@every_setting
def test_deals_are_legal(players: int, board: str, seed: int) -> None:
    """Any deal at random can be given as a move, tied or not; earlier displays are full (B7)."""
    for position, _, move in plies("azul", players, board, seed):
        if position.phase != "deal":
            continue
        assert GAME.apply(position, move).phase == "draft"
        for tied in (False, True):
            text, after = GAME.draw(position, Rng(seed), tied=tied)
            assert GAME.apply(position, text) == after
            left = sum(position.bag) + sum(position.lid)
            assert [sum(display) for display in after.displays] == [
                min(4, max(0, left - 4 * display)) for display in range(2 * players + 1)]
            assert (after.to_move, after.token) == (position.start_seat, None)


def test_a_state_of_two_players_is_small() -> None:
    """A simulation copies the state; two seats fit into two and a half lines of a cache."""
    for players, most in ((2, 160), (3, 192), (4, 224)):
        assert state_bytes(GAME.core_class, players) <= most

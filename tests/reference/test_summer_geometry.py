"""The oracle's computed board against the tables written out in RULES.md A2 and A3."""

from .summer_geometry import (
    CENTRE,
    FEATURES,
    POINTS,
    POSITIONS,
    RING,
    SITES,
    STAR_COLOUR,
    position_at,
    printed_number,
    reward,
)

SPACES = [(site, position) for site in SITES for position in POSITIONS]

# A3.1: the position at N, upper right, lower right, S, lower left, upper left.
POSITIONS_AT_POINTS = """
W  1 2 3 4 5 6
NW 6 1 2 3 4 5
NE 5 6 1 2 3 4
E  4 5 6 1 2 3
SE 3 4 5 6 1 2
SW 2 3 4 5 6 1
C  1 2 3 4 5 6
"""

# A3.2: the printed numbers at the same points, coloured / grey.
NUMBERS_AT_POINTS = """
W  1/3 2/2 3/1 4/4 5/5 6/6
NW 6/6 1/3 2/2 3/1 4/4 5/5
NE 5/5 6/6 1/3 2/2 3/1 4/4
E  4/4 5/5 6/6 1/3 2/2 3/1
SE 3/1 4/4 5/5 6/6 1/3 2/2
SW 2/2 3/1 4/4 5/5 6/6 1/3
C  1/3 2/3 3/3 4/3 5/3 6/3
"""

# A3.3: feature | spaces | indices | total cost on the coloured and on the grey side.
FEATURE_TABLE = """
pillar W | W.2 W.3 C.5 C.6 | 1 2 40 41 | 16 | 9
pillar NW | NW.2 NW.3 C.6 C.1 | 7 8 41 36 | 12 | 9
pillar NE | NE.2 NE.3 C.1 C.2 | 13 14 36 37 | 8 | 9
pillar E | E.2 E.3 C.2 C.3 | 19 20 37 38 | 10 | 9
pillar SE | SE.2 SE.3 C.3 C.4 | 25 26 38 39 | 12 | 9
pillar SW | SW.2 SW.3 C.4 C.5 | 31 32 39 40 | 14 | 9
statue W-NW | W.1 W.2 NW.3 NW.4 | 0 1 8 9 | 10 | 10
statue NW-NE | NW.1 NW.2 NE.3 NE.4 | 6 7 14 15 | 10 | 10
statue NE-E | NE.1 NE.2 E.3 E.4 | 12 13 20 21 | 10 | 10
statue E-SE | E.1 E.2 SE.3 SE.4 | 18 19 26 27 | 10 | 10
statue SE-SW | SE.1 SE.2 SW.3 SW.4 | 24 25 32 33 | 10 | 10
statue SW-W | SW.1 SW.2 W.3 W.4 | 30 31 2 3 | 10 | 10
window W | W.5 W.6 | 4 5 | 11 | 11
window NW | NW.5 NW.6 | 10 11 | 11 | 11
window NE | NE.5 NE.6 | 16 17 | 11 | 11
window E | E.5 E.6 | 22 23 | 11 | 11
window SE | SE.5 SE.6 | 28 29 | 11 | 11
window SW | SW.5 SW.6 | 34 35 | 11 | 11
"""

# A3.3: the most bonus tiles that one placement can release; NW stands for the outer sites.
MOST_RELEASED = {1: 2, 2: 3, 3: 3, 4: 2, 5: 3, 6: 3}


def test_positions_at_the_points() -> None:
    for line in POSITIONS_AT_POINTS.strip().splitlines():
        site, *positions = line.split()
        assert [str(position_at(site, point)) for point in POINTS] == positions


def test_numbers_at_the_points() -> None:
    for line in NUMBERS_AT_POINTS.strip().splitlines():
        site, *pairs = line.split()
        spaces = [(site, position_at(site, point)) for point in POINTS]
        computed = [
            f"{printed_number('coloured', space)}/{printed_number('grey', space)}"
            for space in spaces
        ]
        assert computed == pairs


def test_how_many_spaces_carry_each_number() -> None:
    for board, counts, total in [
        ("coloured", [7, 7, 7, 7, 7, 7], 147),
        ("grey", [6, 6, 12, 6, 6, 6], 144),
    ]:
        numbers = [printed_number(board, space) for space in SPACES]
        assert [numbers.count(number) for number in range(1, 7)] == counts
        assert sum(numbers) == total


def test_features() -> None:
    lines = FEATURE_TABLE.strip().splitlines()
    assert len(lines) == len(FEATURES) == 18
    for line in lines:
        name, spaces, indices, coloured, grey = line.split(" | ")
        around = FEATURES[name]
        assert [f"{site}.{position}" for site, position in around] == spaces.split()
        assert [str(SPACES.index(space)) for space in around] == indices.split()
        assert sum(printed_number("coloured", space) for space in around) == int(coloured)
        assert sum(printed_number("grey", space) for space in around) == int(grey)


def test_most_bonus_tiles_of_one_placement() -> None:
    for site, position in SPACES:
        released = sum(
            reward(name) for name, around in FEATURES.items() if (site, position) in around
        )
        assert released == (2 if site == CENTRE else MOST_RELEASED[position])
    assert sum(reward(name) for name in FEATURES) == 36


def test_star_colours_and_facing() -> None:
    """Clockwise from the left: purple, orange, red, blue, yellow, green."""
    assert "".join(STAR_COLOUR[site] for site in RING) == "PORBYG"

"""The player board of Summer Pavilion, computed from the text of RULES.md A2 and A3."""

# A space is a pair (site, position), e.g. ("NW", 4).
Space = tuple[str, int]

RING = ["W", "NW", "NE", "E", "SE", "SW"]  # A2: clockwise, site index k = 0..5
CENTRE = "C"  # A2: site index 6
SITES = [*RING, CENTRE]
POSITIONS = [1, 2, 3, 4, 5, 6]  # A2: clockwise around the star
POINTS = ["N", "upper right", "lower right", "S", "lower left", "upper left"]  # A3.1, clockwise

# A2, the coloured side: the colour of each outer star.
STAR_COLOUR = {"W": "P", "NW": "O", "NE": "R", "E": "B", "SE": "Y", "SW": "G"}

REWARD = {"pillar": 1, "statue": 2, "window": 3}  # A3.3


def position_at(site: str, point: str) -> int:
    """Return the position found at a point of the star (A3.1).

    W and C have position 1 at N; every outer star is the previous one turned by 60 degrees.
    """
    turns = 0 if site == CENTRE else RING.index(site)
    return (POINTS.index(point) - turns) % 6 + 1


def printed_number(board: str, space: Space) -> int:
    """Return the number printed on a space, which is its cost (A3.2)."""
    site, position = space
    if board == "coloured":
        return position
    if site == CENTRE:
        return 3
    return {1: 3, 2: 2, 3: 1, 4: 4, 5: 5, 6: 6}[position]


def _features() -> dict[str, list[Space]]:
    """Compute the 18 features and the spaces that surround each (A3.3)."""
    features: dict[str, list[Space]] = {}
    for k, site in enumerate(RING):
        a = (k + 4) % 6 + 1
        b = (k + 5) % 6 + 1
        features[f"pillar {site}"] = [(site, 2), (site, 3), (CENTRE, a), (CENTRE, b)]
    for k, site in enumerate(RING):
        following = RING[(k + 1) % 6]
        features[f"statue {site}-{following}"] = [
            (site, 1),
            (site, 2),
            (following, 3),
            (following, 4),
        ]
    for site in RING:
        features[f"window {site}"] = [(site, 5), (site, 6)]
    return features


FEATURES = _features()


def reward(feature: str) -> int:
    """Return the number of bonus tiles that a feature is worth (A3.3)."""
    return REWARD[feature.split()[0]]

"""What is counted in games of Summer Pavilion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pavilion_ai.facts.game import MORE, SIDES, Played, kind_of_display
from pavilion_ai.facts.tally import Layout
from pavilion_ai.games import State
from pavilion_ai.games.summer import fields_of
from pavilion_ai.position.summer import SUMMER
from pavilion_ai.position.summer_board import FEATURES, LETTERS, ROUNDS, SITES, printed_number
from pavilion_ai.wording import plural

NUMBERS = range(1, 5)
"""Numbers that score at the end if every space with them is filled (RULES A10)."""
KINDS = ("pillar", "statue", "window")
_SOURCES = ("at the start", "tiles placed", "start token", "tiles left over", "stars", "numbers",
            "final score")
_COUNTS = ("tiles drafted", "wild tiles drafted", "start tokens", "tiles placed",
           *(f"{kind}s" for kind in KINDS), "stars")
MIXED = len(SUMMER.colours)
"""Place in `_STARS` of stars of six colours; the others are the colours'."""
_STARS = (*(f"{colour} star" for colour in SUMMER.colours), "star of six colours")
_WORTH = (
    "a point", "starting the next round", "a wild tile kept", "another tile kept",
    *(f"a tile on a {number}" for number in NUMBERS), "a star with 4 tiles", "a star with 5 tiles",
    "a complete star", "a pillar", "a statue", "all but one of a number", "a complete number")
"""Tiles on 5 and 6 and windows come with stars of 5 and 6 tiles, hardly ever without."""
_DRAFTED = ("a point", "the start token", "a wild tile", "another tile", "a colour in hand",
            "a tile on the board", "a tile paid for them")
_GAME = ("a tile drafted", "more for a wild tile", "a start token",
         *(f"a {kind}" for kind in KINDS),
         *(f"{'an' if star.startswith('o') else 'a'} {star}" for star in _STARS),
         *(f"all {number}s" for number in NUMBERS))
_ROUNDS = tuple(f"round {number}" for number in range(1, ROUNDS + 1))
_DIFFERENCE = ("difference", *SIDES)

LAYOUTS: tuple[Layout, ...] = (
    Layout("games", "Each seat", ("mean",), ("final score", "victory if it starts")),
    Layout("points", "Points by source", SIDES, _SOURCES, difference=_DIFFERENCE),
    Layout("counts", "What a seat takes and builds", SIDES, _COUNTS, difference=_DIFFERENCE),
    Layout("tiles", "Victories by tiles drafted, against the mean of the others", ("wins",), MORE,
           percent=("wins",), shares="wins"),
    Layout("completed", "Complete at the end, and how often such seats win",
           ("seats", "with", "without"), (*_STARS, *(f"all {number}s" for number in NUMBERS)),
           percent=("seats", "with", "without"), difference=("difference", "with", "without")),
    Layout("stars by round", "Seats that have completed the star by the end of the round",
           _ROUNDS[2:], _STARS, percent=_ROUNDS),
    Layout("worth", "Worth in chance to win after a round, all else on the board being equal",
           _ROUNDS[:-1], _WORTH, regression=True),
    Layout("drafted", "Worth in chance to win after the drafts of a round, all else equal",
           _ROUNDS, _DRAFTED, regression=True),
    Layout("whole game", "Worth in chance to win over a whole game, all else equal", ("game",),
           _GAME, regression=True),
    Layout("openings", "The first draft of the game, by kind of display",
           ("there", "taken", "wins"), percent=("there", "taken", "wins")),
    Layout("first takes", "The first draft of the game, by what is taken",
           ("there", "taken", "wins"), percent=("there", "taken", "wins")),
    Layout("displays", "Drafts from displays, in all rounds", ("tiles", "most", "wins"),
           percent=("most", "wins"), shares="tiles"),
    Layout("centre", "Drafts from the centre, by tiles taken", ("wins",), percent=("wins",),
           shares="wins"),
    Layout("token", "Who takes the start token, when, and at what cost",
           ("draft", "points", "starter", "wins"), _ROUNDS, percent=("starter", "wins")),
    Layout("token by tiles", "Start tokens, by tiles taken with it", ("wins",), percent=("wins",),
           shares="wins"),
)


def count(game: Played) -> None:
    """Count a game."""
    players = game.play.start.players
    drafted, wilds, placed, points = ([0] * players for _ in range(4))
    tokens, token_points = [0] * players, [0] * players
    opening, drafting = True, False
    drafts, complete_by = 0, {}
    for ply, after in zip(game.plies, [*(ply.state for ply in game.plies[1:]), game.end],
                          strict=True):
        seat = ply.seat
        if seat is None:
            if ply.move.startswith("deal:"):
                board = _boards(ply.state)
                number = ply.state.round - 1  # the deal is the coming round's (RULES A9)
                complete_by[number] = [_complete(spaces) for spaces in board]
                game.regress("worth", f"round {number}", _features(game, ply.state))
                drafts = 0
            continue
        if ply.move.startswith(("C:", "D")):
            drafting = True
            drafts += 1
            take = _Take(ply.state, ply.move)
            drafted[seat] += take.tiles + take.wild
            wilds[seat] += take.wild
            lost = ply.state.scores()[seat] - after.scores()[seat]
            if opening:
                _opening(game, seat, take)
                opening = False
            _draft(game, seat, take)
            if take.token:
                tokens[seat] += 1
                token_points[seat] -= lost
                _token(game, seat, take, drafts, lost)
            continue
        if drafting:
            drafting = False
            game.regress("drafted", f"round {ply.state.round}", _drafted(game, ply.state))
        if not ply.move.startswith(("pass:", "bonus:")):
            placed[seat] += 1
            points[seat] += after.scores()[seat] - ply.state.scores()[seat]
    _end(game, drafted, wilds, tokens, placed, points, token_points)
    complete_by[ROUNDS] = [_complete(spaces) for spaces in _boards(game.end)]
    for number, boards in complete_by.items():
        for star, row in enumerate(_STARS):
            if number > 2:
                for seat, stars in enumerate(boards):
                    game.add(seat, "stars by round", row, f"round {number}", float(stars[star] > 0))


def _end(game: Played, drafted: Sequence[int], wilds: Sequence[int], tokens: Sequence[int],
         placed: Sequence[int], points: Sequence[int], token_points: Sequence[int]) -> None:
    game.by_tiles(drafted)
    parts, scores = game.breakdown, game.end.scores()
    begun = [seat.score for seat in game.play.start.seats]
    left = [part["play"] - first - gained - paid for part, first, gained, paid in zip(
        parts, begun, points, token_points, strict=True)]
    stars, numbers = ([part[key] for part in parts] for key in ("stars", "numbers"))
    for row, values in zip(
            _SOURCES, (begun, points, token_points, left, stars, numbers, scores), strict=True):
        game.by_side("points", row, values)
    boards = _boards(game.end)
    complete = [_complete(spaces) for spaces in boards]
    built = [[_built(spaces)[kind] for spaces in boards] for kind in range(len(KINDS))]
    stars = [sum(kinds) for kinds in complete]
    for row, values in zip(_COUNTS, (drafted, wilds, tokens, placed, *built, stars), strict=True):
        game.by_side("counts", row, values)
    for star, row in enumerate(_STARS):
        game.completed("completed", row, [stars_of[star] > 0 for stars_of in complete])
    board = game.play.start.board
    missing = [_missing(board, spaces) for spaces in boards]
    for number in NUMBERS:
        game.completed("completed", f"all {number}s", [empty[number] == 0 for empty in missing])
    game.regress("whole game", "game", [
        [drafted[seat], wilds[seat], tokens[seat], *_built(spaces), *complete[seat],
         *(missing[seat][number] == 0 for number in NUMBERS)]
        for seat, spaces in enumerate(boards)])
    for seat, score in enumerate(scores):
        game.add(seat, "games", "final score", "mean", score)
    starter = game.play.start.start_seat
    game.add(starter, "games", "victory if it starts", "mean", game.shares[starter])


# ------------------------------------------------------------------------------- drafts


class _Take:
    """A draft: its source, and what is taken (RULES A6.2).

    Attributes:
        source: tiles that lie there, by colour.
        wild_colour: the wild colour of the round.
        tiles: tiles taken of the colour named.
        wild: wild tiles taken with them, 0 or 1; a draft of a lone wild tile counts it here.
        token: whether it takes the start token.
    """

    def __init__(self, state: State, move: str) -> None:
        fields = fields_of(state)
        source, _, letter = move.partition(":")
        self.displays = fields.displays
        self.centre = source == "C"
        self.source = fields.centre if self.centre else self.displays[int(source[1:]) - 1]
        self.starts = state.to_move == fields.start_seat
        self.wild_colour: int = state.round - 1
        colour = LETTERS.index(letter)
        alone = colour == self.wild_colour
        self.tiles = 0 if alone else self.source[colour]
        self.wild = min(1, self.source[self.wild_colour])
        self.token = self.centre and fields.token < 0

    @property
    def name(self) -> str:
        """What is taken, such as `2` or `3+w`."""
        return _name(self.tiles, self.wild)

    @property
    def kind(self) -> str:
        """Kind of the display that it comes from."""
        return kind_of_display(self.source, self.wild_colour)

    @property
    def takes_most(self) -> bool:
        """Whether no other colour there gives more tiles."""
        return self.tiles >= max(n for colour, n in enumerate(self.source)
                                 if colour != self.wild_colour)


def _name(tiles: int, wild: int) -> str:
    return "+".join([str(tiles)] * (tiles > 0) + ["w"] * (wild > 0))


def _names_there(take: _Take) -> set[str]:
    """Return what can be taken from the displays."""
    found = set()
    for tiles in take.displays:
        wild = tiles[take.wild_colour]
        groups = [n for colour, n in enumerate(tiles) if n and colour != take.wild_colour]
        found |= {_name(n, wild) for n in groups} or ({"w"} if wild else set())
    return found


def _opening(game: Played, seat: int, take: _Take) -> None:
    """Count the first draft of the game, made from full displays."""
    kinds = {kind_of_display(tiles, take.wild_colour) for tiles in take.displays if any(tiles)}
    for table, there, taken in (("openings", kinds, take.kind),
                                ("first takes", _names_there(take), take.name)):
        for row in _every(table):
            game.add(seat, table, row, "there", float(row in there))
        for row in there:
            game.add(seat, table, row, "taken", float(row == taken))
        game.add(seat, table, taken, "wins", game.shares[seat])


@lru_cache
def _every(table: str) -> tuple[str, ...]:
    """Return all kinds of full displays, or all that can be taken from one."""
    def parts(total: int, largest: int) -> Iterator[tuple[int, ...]]:
        if not total:
            yield ()
        for first in range(min(total, largest), 0, -1):
            for rest in parts(total - first, first):
                yield (first, *rest)

    displays = [(wild, counts) for wild in range(5) for counts in parts(4 - wild, 4)]
    if table == "openings":
        return tuple(kind_of_display((wild, *counts), 0) for wild, counts in displays)
    names = {_name(n, wild) for wild, counts in displays for n in counts or (0,)}
    return tuple(sorted(names))


def _draft(game: Played, seat: int, take: _Take) -> None:
    won = game.shares[seat]
    if take.centre:
        game.add(seat, "centre", take.name, "wins", won)
    else:
        game.add(seat, "displays", take.kind, "tiles", take.tiles + take.wild)
        game.add(seat, "displays", take.kind, "most", float(take.takes_most))
        game.add(seat, "displays", take.kind, "wins", won)


def _token(game: Played, seat: int, take: _Take, drafts: int, lost: int) -> None:
    row = f"round {take.wild_colour + 1}"
    for column, value in (("draft", drafts), ("points", -lost), ("starter", take.starts),
                          ("wins", game.shares[seat])):
        game.add(seat, "token", row, column, float(value))
    game.add(seat, "token by tiles", plural(take.tiles + take.wild, "tile"), "wins",
             game.shares[seat])


# ------------------------------------------------------------------------------- boards

_Spaces = tuple[int, ...]


def _boards(state: State) -> list[_Spaces]:
    return [seat.spaces for seat in fields_of(state).seats]


@lru_cache(maxsize=4096)
def _complete(spaces: _Spaces) -> tuple[int, ...]:
    """Return how many stars are complete, by kind as in `_STARS`."""
    found = [0] * len(_STARS)
    for site in range(len(SITES)):
        star = spaces[6 * site:6 * site + 6]
        if all(star):
            found[star[0] - 1 if len(set(star)) == 1 else MIXED] += 1
    return tuple(found)


@lru_cache(maxsize=4096)
def _built(spaces: _Spaces) -> tuple[int, ...]:
    """Return how many pillars, statues and windows are surrounded (RULES A8)."""
    done = [kind for kind, _, around in FEATURES
            if all(spaces[6 * site + place - 1] for site, place in around)]
    return tuple(done.count(kind) for kind in KINDS)


@lru_cache
def _printed(board: str) -> tuple[int, ...]:
    return tuple(printed_number(board, site, place)
                 for site in range(len(SITES)) for place in range(1, 7))


def _missing(board: str, spaces: _Spaces) -> list[int]:
    """Return how many spaces of each number are empty, by number from 0."""
    empty = [0] * 7
    for number, colour in zip(_printed(board), spaces, strict=True):
        empty[number] += not colour
    return empty


def _drafted(game: Played, state: State) -> list[list[float]]:
    """Return the features of each seat before the first placement, in the order of `_DRAFTED`."""
    wild, found = state.round - 1, []
    printed = _printed(game.play.start.board)
    for seat, (score, hand, _, _, spaces) in enumerate(fields_of(state).seats):
        found.append([
            float(score), float(seat == state.to_move), hand[wild], sum(hand) - hand[wild],
            sum(map(bool, hand)), sum(map(bool, spaces)),
            sum(number for number, colour in zip(printed, spaces, strict=True) if colour)])
    return found


def _features(game: Played, state: State) -> list[list[float]]:
    """Return the features of each seat before a deal, in the order of `_WORTH`."""
    fields = fields_of(state)
    return [_seat_features(game.play.start.board, state.round - 1, seat == fields.start_seat, *row)
            for seat, row in enumerate(fields.seats)]


def _seat_features(board: str, wild: int, starts: bool, score: int, hand: Sequence[int],
                   kept: Sequence[int], passed: bool, spaces: _Spaces) -> list[float]:
    on = [0] * 7
    for number, colour in zip(_printed(board), spaces, strict=True):
        on[number] += colour > 0
    tiles = [a + b for a, b in zip(hand, kept, strict=True)]
    filled = [sum(map(bool, spaces[6 * site:6 * site + 6])) for site in range(len(SITES))]
    missing = _missing(board, spaces)
    return [
        score, float(starts), tiles[wild], sum(tiles) - tiles[wild],
        *(on[number] for number in NUMBERS), *(filled.count(n) for n in (4, 5, 6)),
        *_built(spaces)[:2],
        sum(missing[number] == 1 for number in NUMBERS),
        sum(missing[number] == 0 for number in NUMBERS)]



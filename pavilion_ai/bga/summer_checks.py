"""What a log of Summer Pavilion says beside its moves, compared with the game as replayed.

A difference that leaves no doubt about the moves is noted. What cannot be true together with the
moves read so far stops the replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pavilion_ai.bga.log import Log, LogError, Note, child, listed, whole_number
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import BONUS, Replay, StoppedError
from pavilion_ai.bga.scores import ScoreChain, Stated
from pavilion_ai.bga.summer import COLOURS, STAR_SPACES, STARS
from pavilion_ai.bga.summer_log import opening, space_of
from pavilion_ai.bga.tiles import BAG, SUPPLY, Listed, Tiles, number_of, with_spaces
from pavilion_ai.position import Position, SummerPosition
from pavilion_ai.position.summer_board import SITES

CHOOSE_PLACE = 40
"""State in which a player chooses a space; it lists the legal spaces."""
CENTRE = STARS[0]
"""The star whose tiles all differ on the coloured side."""


class SummerChecks:
    """Compares a log with the game as it is replayed.

    Args:
        log: the notes.
        replay: the game at its opening.
        tiles: the tiles on the table.
    """

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        self._replay, self._tiles = replay, tiles
        players = range(replay.game.start.players)
        self._chains = [ScoreChain() for _ in players]
        self._lost = [0 for _ in players]
        """By seat: points lost by passes that were taken back, which the site once did not restore.
        """
        self._lossy = [ScoreChain() for _ in players]
        """The scores if it did not."""
        self._listed = with_spaces((
            (note.args["placedTile"], listed(note.args, "scoredTiles")) for note in log.notes
            if note.kind == "placeTileOnWall" and "placedTile" in note.args), "star", "space")
        """Whether notes of placements list the tiles that score, with their spaces."""
        self._placed: dict[int, int] = {}
        """Number of moves before the placement of each tile on a board."""
        self._other_tiles: dict[int, StoppedError] = {}
        """By seat: what ends the game before a placement of a tile in whose stead another scores,
        until the hand shows that it was placed."""
        filled = opening(log)
        self._spaces = {} if filled is None else _spaces(filled)
        """Space of each tile added to the supply; none if the opening tells none."""

    @property
    def _position(self) -> SummerPosition:
        return cast(SummerPosition, self._replay.position)

    # ----------------------------------------------------------------------- before a move

    def playing(self, note: Note | None, seat: int) -> None:
        """Stop if a player moves who has passed in this round."""
        def passed(position: Position) -> bool:
            return cast(SummerPosition, position).seats[seat].passed

        if passed(self._position) and self._position.phase in ("place", "bonus"):
            raise StoppedError(note, f"seat {seat} plays on after it has passed", before=True,
                               since=self._replay.moves_until(passed))

    def place(self, note: Note, seat: int) -> None:
        """Stop if a placement is on a space that is filled, or paid with tiles not in hand.

        The site lets nobody do so, in whatever version, so moves before it are wrong.

        Raises:
            LogError: the tiles that score have the placed tile on another space.
        """
        placed = note.args["placedTile"]
        site, space = space_of(placed)
        self._check_own_space(note, placed, site, space)
        mine = self._position.seats[seat]
        tiles = self._tiles.read((placed, *listed(note.args, "discardedTiles")))
        paid = self.counts(tiles)
        where = f"{SITES[site]}.{space} of seat {seat}"
        since = self._filled_since(seat, site, space)
        if since is not None:
            raise StoppedError(note, f"{where} is filled here", before=True, since=since)
        colours = {tiles[0][0], self._position.round}  # RULES A3: the wild colours follow
        others = [kind for kind, _ in tiles if kind not in colours]
        if others:
            raise StoppedError(note, f"{where} is paid with {self._tiles.text(others)}, neither of"
                               " its colour nor wild; so this payment or another is told wrongly",
                               before=True)
        if any(theirs > ours for theirs, ours in zip(paid, mine.hand, strict=True)):
            raise StoppedError(note, f"the tiles that pay for {where} are not in hand here",
                               before=True)
        star, colour = mine.stars[site], COLOURS[tiles[0][0] - 1]
        if self._position.board == "coloured" and SITES[site] == CENTRE and colour in star:
            raise StoppedError(note, f"{where} is the second {colour} of the centre star, which the"
                               " site allowed between September 2025 and February 2026")
        if self._position.board == "grey" and not _takes(star, colour):
            raise StoppedError(note, f"{where} is filled with {colour}, which does not fit in the"
                               f" star ({star}) here", before=True,
                               since=self._replay.moves_until(
                                   lambda position: bool(_star(position, seat, site).strip("."))))

    def _check_own_space(self, note: Note, placed: Node, site: int, space: int) -> None:
        for tile in listed(note.args, "scoredTiles") if self._listed else []:
            if number_of(tile) != number_of(placed) or "star" not in tile or "space" not in tile:
                continue
            star, other = _star_space(tile)
            if (star, other) != _star_space(placed):
                raise LogError(f"found the tile placed on {SITES[site]}.{space}, but"
                               f" among the tiles that score on {STARS[star]}.{other}", note.where)

    def supply(self, note: Note) -> None:
        """Stop if bonus tiles are not on the supply.

        If one of them was never drawn, some draw is told wrongly.
        """
        taken = self._tiles.read(listed(note.args, "selectedTiles"))
        ours = self._position.supply
        if any(theirs > there for theirs, there in zip(self.counts(taken), ours, strict=True)):
            since = self.supply_since(taken)
            raise StoppedError(note, f"bonus tiles {self._tiles.text(kind for kind, _ in taken)}"
                               f" are taken, but the supply holds"
                               f" {self._tiles.text(kinds_of(ours))} here",
                               before=since is not None, since=since)

    def filled(self, note: Note) -> None:
        """Stop if a tile that was drawn goes to a space of the supply that is not empty here.

        The site fills each space as soon as the turn is over in which it was emptied. So other
        tiles were drawn, or taken before.
        """
        new = _spaces(note) if self._spaces else {}
        self._spaces |= new
        if self._tiles.count(SUPPLY) + len(new) > sum(self._position.supply):
            return  # it is not known which tiles were taken
        held = {self._spaces.get(number) for number in self._tiles.lying(SUPPLY)}
        for number, space in new.items():
            if space in held:
                taken = self._replay.game.moves[-2].startswith(BONUS)
                raise StoppedError(note, f"tile {number} fills space {space} of the supply on the"
                                   " site, which is not empty here",
                                   since=self._replay.played - 1 - taken)

    def supply_since(self, taken: list[Listed]) -> int | None:
        """Return the number of moves before the first draw of a tile that is on the supply.

        If a bonus tile was never drawn, one of these draws is told wrongly, in the opening perhaps.
        None if all were drawn.
        """
        if all(self._tiles.place(number) != BAG for _, number in taken if number):
            return None
        return min((self._replay.drawn.get(number, 0) for number in self._tiles.lying(SUPPLY)),
                   default=0)

    def hand(self, note: Note, seat: int) -> None:
        """Stop if the tiles kept and discarded are not exactly those in hand."""
        if "discardedTiles" not in note.args:
            return
        theirs = self._tiles.read((*note.args["keptTiles"].items(),
                                   *note.args["discardedTiles"].items()))
        ours = self._position.seats[seat].hand
        if self.counts(theirs) != ours:
            raise StoppedError(note, f"the hand holds {self._tiles.text(kinds_of(ours))} here,"
                               f" {self._tiles.text(kind for kind, _ in theirs)} on the site",
                               before=True)
        self._other_tiles.pop(seat, None)

    # ------------------------------------------------------------------------ after a move

    def placed(self, note: Note, seat: int, before: int) -> bool:
        """Compare the points of a placement that was played; tell whether they are stated and ours.

        Args:
            note: note of the placement.
            seat: seat of the player.
            before: its score before.

        Raises:
            StoppedError: points and score, or the tiles that score, are those of another placement.
        """
        moves = self._replay.played - 1
        number = number_of(note.args["placedTile"])
        gained = self._replay.score(seat) - before
        theirs = (note.args["points"].number(-999, 999) if "points" in note.args else None)
        if theirs is not None:
            self._replay.differ(note, "points of the placement:", theirs, gained)
        if "scoredTiles" in note.args:
            self._replay.differ(note, "tiles that score:",
                                len(note.args["scoredTiles"].items()), gained)
            self._check_row(note, seat, theirs in (None, gained), moves)
        if number:
            self._placed[number] = moves
        if theirs is not None and theirs != gained and "newScore" in note.args:
            total = note.args["newScore"].number(-999, 9999) - self._replay.score(seat)
            if total - self._chains[seat].over == theirs - gained:
                raise StoppedError(
                    note, f"the placement scores {gained} here, {theirs} on the site, and the score"
                    " there agrees; so it or an earlier one of the seat is wrong", before=True,
                    since=self._first_placement(seat))
        return theirs == gained

    def _check_row(self, note: Note, seat: int, agree: bool, moves: int) -> None:
        """Stop if the tiles that score are others than those in a row here.

        If the points agree with ours, a wrong tile in the list shows nothing.
        """
        if not self._listed:
            return
        site, space = space_of(note.args["placedTile"])
        star = self._position.seats[seat].stars[site]
        tiles = listed(note.args, "scoredTiles")
        if not all("star" in tile and "space" in tile for tile in tiles):
            return
        theirs = {_star_space(tile)[1]: number_of(tile) for tile in tiles}
        self._check_own_tile(note, seat, theirs.get(space, 0), moves)
        ours = _row(star, space)
        if ours == set(theirs) and len(tiles) == len(theirs):
            return
        earlier = [self._placed[number] for at, number in theirs.items()
                   if at not in ours and number in self._placed]
        earlier += [since for at in ours - set(theirs)
                    if (since := self._filled_since(seat, site, at)) is not None]
        since = min(earlier, default=moves)
        if not agree:
            raise StoppedError(note, f"spaces {sorted(ours)} of {SITES[site]} are in a row here,"
                               f" {sorted(theirs)} on the site", before=True, since=since)
        self._replay.doubt(since)

    def _check_own_tile(self, note: Note, seat: int, theirs: int, moves: int) -> None:
        """Compare the tile that was placed with the one that scores on its space."""
        ours = number_of(note.args["placedTile"])
        if ours and theirs not in (0, ours):
            what = f"tile {ours} is placed, but tile {theirs} scores on its space on the site"
            self._replay.differ_in(note, what)
            self._other_tiles.setdefault(seat, StoppedError(note, what, since=moves))

    def _first_placement(self, seat: int) -> int:
        """Return the number of moves before the first placement of a seat."""
        def any_placed(position: Position) -> bool:
            mine = cast(SummerPosition, position).seats[seat]
            return any(star.strip(".") for star in mine.stars)

        return self._replay.moves_until(any_placed)

    def token(self, note: Note, seat: int, taken: int, before: int) -> None:
        """Compare the points that the start player token costs, and the score after it.

        Args:
            note: the note that tells of it.
            seat: seat that took it.
            taken: number of tiles taken with it (RULES A6.3).
            before: its score before, which limits what it loses.
        """
        for key in ("points", "decScore"):
            theirs = note.args[key].number(-999, 999) if key in note.args else taken
            if theirs != before - self._replay.score(seat):
                self._replay.differ(note, f"the start player token costs seat {seat}", theirs,
                                    taken)
        self.score(note, seat)

    def score(self, note: Note, seat: int, agrees: bool = True) -> None:
        """Compare the score after a move; `agrees` tells whether its points are known to be ours.
        """
        if "newScore" in note.args:
            theirs, ours = note.args["newScore"].number(-999, 9999), self._replay.score(seat)
            self._replay.differ(note, f"score of seat {seat}", theirs, ours)
            moves, over = self._replay.played - 1, theirs - ours
            self._chains[seat].add(Stated(note, moves, over, agrees))
            self._lossy[seat].add(Stated(note, moves, over + self._lost[seat], agrees))

    def taken_back(self, note: Note, seat: int) -> None:
        """Remember what a pass cost that is taken back; `note` tells of it."""
        lost = len(listed(note.args, "discardedTiles"))
        if "newScore" in note.args:
            theirs = note.args["newScore"].number(-999, 9999)
            lost = self._replay.score(seat) - self._lost[seat] - theirs
        self._lost[seat] += lost

    def contradiction(self) -> StoppedError | None:
        """Return where the log contradicts itself; None if nowhere."""
        finished = self._replay.game.is_over()
        scores = self._other_scores(finished)
        stops = [] if finished else [*self._other_tiles.values()]
        return min([*stops, scores] if scores is not None else stops,
                   key=lambda stop: cast(int, stop.since), default=None)

    def _other_scores(self, finished: bool) -> StoppedError | None:
        """Return where the scores stated in the log contradict each other; None if nowhere."""
        found, lossy = ([(stated.moves, seat, stated) for seat, chain in enumerate(chains)
                         if (stated := chain.broken(finished)) is not None]
                        for chains in (self._chains, self._lossy))
        if not found or not lossy:
            return None
        moves, seat, stated = min(found, key=lambda one: one[:2])
        return StoppedError(stated.note, f"the scores of seat {seat} that the log states from here"
                            " on contradict each other", before=True, since=moves)

    def doubtful(self) -> int | None:
        """Return the number of moves before one that is doubtful if the game stops, or None."""
        found = self.contradiction()
        return None if found is None else found.since

    def kept(self, note: Note, seat: int) -> None:
        """Compare the tiles that come back with those kept; if they differ, doubt the pass."""
        theirs = self._tiles.read(listed(note.args, "tiles"))
        ours = self._position.seats[seat].hand
        if self.counts(theirs) != ours:
            self._replay.doubt(self._replay.moves_until(
                lambda position: position.phase != "place" or position.to_move != seat))
        self._replay.differ(
            note, f"tiles kept by seat {seat} are",
            self._tiles.text(kind for kind, _ in theirs), self._tiles.text(kinds_of(ours)))

    def spaces(self, note: Note) -> None:
        """Compare the player to whom the site offers spaces, and these, with the game here.

        If another seat is to move here, or the site offers more spaces, moves of this round are
        uncertain if the game stops. In whatever version, it never allowed more than these rules,
        but in the centre star of the coloured side.

        Raises:
            StoppedError: it offers a space that is filled here.
        """
        offered = child(note.args, "args", "possibleSpaces")
        player = child(note.args, "active_player")
        if offered is None or player is None:
            return
        if not self._replay.at_table(player):
            self._replay.differ_in(note, "the turn is that of nobody at the table on the site")
            return
        seat = self._replay.seat(player)
        if self._position.phase != "place":
            return
        if seat != self._position.to_move:
            self._replay.differ(note, "the turn is that of seat", seat, self._position.to_move)
            self._replay.doubt(self._replay.played)
            return
        theirs = {space.number(0, 699) for space in offered.items()}
        ours = {100 * STARS.index(site) + int(space[0])
                for site, space in (move.split(".") for move in self._replay.game.legal_moves
                                    if not move.startswith("pass"))}
        self._replay.differ(note, f"spaces that seat {seat} may fill:", sorted(theirs),
                            sorted(ours))
        if any(self._position.board == "grey" or STARS[space // 100] != CENTRE
               for space in theirs - ours):
            self._replay.doubt(self._replay.played)
        filled = [since for space in theirs - ours if 1 <= space % 100 <= STAR_SPACES
                  if (since := self._filled_since(seat, SITES.index(STARS[space // 100]),
                                                  space % 100)) is not None]
        if filled:
            raise StoppedError(note, f"the site offers seat {seat} a space that is filled here",
                               before=True, since=min(filled))

    # -------------------------------------------------------------------------------- helpers

    def _filled_since(self, seat: int, site: int, space: int) -> int | None:
        """Return the number of moves before the one that filled a space; None if it is empty."""
        def filled(position: Position) -> bool:
            return _star(position, seat, site)[space - 1] != "."

        return self._replay.moves_until(filled) if filled(self._position) else None

    def counts(self, tiles: Sequence[Listed]) -> tuple[int, ...]:
        """Return how many tiles of each colour there are."""
        kinds = [kind for kind, _ in tiles]
        return tuple(kinds.count(kind) for kind in range(1, len(COLOURS) + 1))


def kinds_of(counts: Sequence[int]) -> list[int]:
    """Return the type of each tile of a multiset."""
    return [kind for kind, count in enumerate(counts, 1) for _ in range(count)]


def _spaces(note: Note) -> dict[int, int]:
    """Return the space of each tile that a note adds to the supply; none if it does not tell."""
    tiles = note.args["newTiles"].items()
    found = {number_of(tile): space for tile in tiles
             if (space := whole_number(child(tile, "space")))}
    return found if all(found) and len(set(found.values())) == len(tiles) else {}


def _star(position: Position, seat: int, site: int) -> str:
    return cast(SummerPosition, position).seats[seat].stars[site]


def _takes(star: str, colour: str) -> bool:
    """Tell whether a colour fits in a star of the grey side (RULES A12)."""
    tiles = star.replace(".", "")
    same = len(set(tiles)) < 2
    return len(tiles) < 2 or (colour in tiles) is same


def _row(star: str, space: int) -> set[int]:
    """Return the spaces of a star that are filled without a gap around one (RULES A7)."""
    found = {space}
    for step in (1, -1):
        there = (space - 1 + step) % STAR_SPACES
        while star[there] != "." and there + 1 not in found:
            found.add(there + 1)
            there = (there + step) % STAR_SPACES
    return found


def _star_space(tile: Node) -> tuple[int, int]:
    """Return star and space of a tile, as the site counts them."""
    return tile["star"].number(0, len(STARS) - 1), tile["space"].number(0, STAR_SPACES)

"""Reading a log of Summer Pavilion: its moves are played as they are read.

One turn is kept pending until it is final: a draft until any other note of the game follows, a turn
of the play phase until the supply is filled, which the site does after each turn. Moves taken back
before that are never played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pavilion_ai.bga.log import Log, Note, child, flag, listed, state_of
from pavilion_ai.bga.reader import Draft, LogReader
from pavilion_ai.bga.replay import Replay, StoppedError, Tiles
from pavilion_ai.bga.summer import COLOURS, STARS
from pavilion_ai.bga.summer_log import KINDS, opening, space_of
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.position import Position, SummerPosition
from pavilion_ai.position.summer_board import SITES
from pavilion_ai.position.summer_checks import ROUNDS

__all__ = ["SummerReader"]

CHOOSE_PLACE = 40
"""State in which a player chooses a space; it lists the legal spaces."""


@dataclass
class _Turn:
    """The moves of a player since the supply was last filled.

    Attributes:
        seat: seat of the player.
        moves: of each placement or bonus: its note, the move, and a function that moves its tiles.
        passed: note of a pass.
        kept: the same three for a pass whose kept tiles are known.
    """

    seat: int
    moves: list[tuple[Note, str, Callable[[], None]]] = field(default_factory=list)
    passed: Note | None = None
    kept: tuple[Note, str, Callable[[], None]] | None = None

    @property
    def begun(self) -> bool:
        """Whether the turn has a move."""
        return bool(self.moves) or self.passed is not None or self.kept is not None


class SummerReader(LogReader[SummerPosition]):
    """Plays a log of Summer Pavilion from the opening."""

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        super().__init__(log, replay, tiles)
        self._token: Note | None = None  # note that the pending draft, or the next, takes the token
        self._turn: _Turn | None = None
        self._emptied = False  # whether the pending turn was taken back

    def read(self, deal: Note) -> None:
        """Play the notes after the first deal, as the base does."""
        self._count_opening()
        super().read(deal)

    def _readers(self) -> Mapping[str, Callable[[Note], None]]:
        return dict.fromkeys(KINDS, self._stand) | {
            "supplyFilled": self._supply_filled,
            "factoriesFilled": self._dealt,
            "cornerToHand": self._came_back,
            "firstPlayerToken": self._took_token,
            "tilesSelected": self._selected,
            "placeTileOnWall": self._placed,
            "pass": self._passed,
            "putToCorner": self._kept,
            "undoTakeTiles": self._draft_undone,
            "undoPlayTile": self._turn_undone,
            "endScore": self._ended,
            "gameStateChange": self._state,
        }

    def _play_pending(self) -> None:
        self._stand(None)
        self._end_turn()

    # ------------------------------------------------------------------------------- drafting

    def _selected(self, note: Note) -> None:
        if flag(note.args, "fromSupply"):
            self._bonus(note)
            return
        self._unended(note)
        self._draft = self._taken(note)

    def _took_token(self, note: Note) -> None:
        self._token = note

    def _draft_undone(self, note: Note) -> None:
        super()._draft_undone(note)
        self._token = None

    def _stand(self, note: Note | None) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        before = self._position.seats[draft.seat].hand
        move = f"{draft.source}:{draft.colour}"
        self._replay.play(draft.note, draft.seat, move)
        hand = self._position.seats[draft.seat].hand
        gained = tuple(new - old for new, old in zip(hand, before, strict=True))
        if draft.tiles and gained != self._counts(draft.tiles):
            self._replay.game.pop()
            raise StoppedError(draft.note, f"{move} takes {self._tiles.text(_kinds(gained))} here,"
                               f" {self._tiles.text(kind for kind, _ in draft.tiles)} on the site",
                               before=True)
        self._follow_draft(draft, f"hand {draft.seat}")
        self._check_token(draft)

    def _check_token(self, draft: Draft) -> None:
        """Compare the score after the token was taken."""
        note = self._token
        if note is not None and self._replay.seat(note.args["playerId"]) == draft.seat:
            self._token = None
            self._score(note, draft.seat)

    # --------------------------------------------------------------------------- play phase

    def _open(self, note: Note, begins: bool = False) -> _Turn:
        """Return the pending turn of the player that a note names; another player's turn ends.

        Args:
            note: of a move.
            begins: whether no move of a turn can come before it.

        Raises:
            StoppedError: it begins a turn, but the last one has not ended, so either may have been
                taken back.
        """
        self._stand(note)
        seat = self._replay.seat(note.args["playerId"])
        if self._turn is not None and self._turn.seat != seat:
            self._unended(note)
        if self._turn is None:
            self._turn, self._emptied = _Turn(seat), False
        if begins and self._turn.begun:
            self._turn = None
            raise StoppedError(note, f"seat {seat} begins a turn twice, but the supply was not"
                               " filled in between, and the log does not say what was taken back")
        return self._turn

    def _unended(self, note: Note) -> None:
        """Drop the pending turn before a note that cannot come before the turn has ended.

        Raises:
            StoppedError: the turn has begun, so it may have been taken back.
        """
        turn, self._turn = self._turn, None
        if turn is not None and turn.begun:
            raise StoppedError(note, f"the turn of seat {turn.seat} has not ended: the supply was"
                               " not filled after it", before=self._replay.drafting)

    def _placed(self, note: Note) -> None:
        turn = self._open(note, begins=True)
        placed = note.args["placedTile"]
        ((kind, _),) = tile = self._tiles.read([placed]) or [(0, 0)]
        if not kind:
            placed.refuse("a tile of a colour")
        rest = self._tiles.read(listed(note.args, "discardedTiles"))
        site, position = space_of(placed)
        paid = Counter(one for one, _ in (*tile, *rest))
        payment = "".join(
            (str(paid[one]) if paid[one] > 1 else "") + COLOURS[one - 1]
            for one in sorted(paid, key=lambda one: (one != kind, one)))

        def follow() -> None:
            hand = {f"hand {turn.seat}"}
            self._move(note, tile, hand, f"board {turn.seat}")
            self._move(note, rest, hand, "discards")

        turn.moves.append((note, f"{SITES[site]}.{position}:{payment}", follow))

    def _bonus(self, note: Note) -> None:
        turn = self._open(note)
        taken = self._tiles.read(listed(note.args, "selectedTiles"))
        move = f"bonus:{self._tiles.text(kind for kind, _ in taken)}"
        turn.moves.append(
            (note, move, lambda: self._move(note, taken, {"supply"}, f"hand {turn.seat}")))

    def _passed(self, note: Note) -> None:
        self._open(note, begins=True).passed = note

    def _kept(self, note: Note) -> None:
        turn = self._open(note)
        kept = self._tiles.read(note.args["keptTiles"].items())
        rest = self._tiles.read(listed(note.args, "discardedTiles"))

        def follow() -> None:
            hand = {f"hand {turn.seat}"}
            self._move(note, kept, hand, f"corner {turn.seat}")
            self._move(note, rest, hand, "discards")

        turn.kept = note, f"pass:{self._tiles.text(kind for kind, _ in kept)}", follow

    def _turn_undone(self, note: Note) -> None:
        self._stand(note)
        self._turn, self._emptied = None, True

    def _supply_filled(self, note: Note) -> None:
        self._stand(note)
        tiles = self._tiles.read(listed(note.args, "newTiles"))
        if self._turn is None:
            self._empty_turn(note, tiles)
            return
        self._end_turn()
        self._top_up(note, tiles)

    def _empty_turn(self, note: Note, tiles: list[tuple[int, int]]) -> None:
        """Drop a turn without a move if no other player could have had it."""
        position = self._position
        emptied, self._emptied = self._emptied, False
        if position.phase in ("supply", "place", "bonus") or tiles:
            if position.phase == "supply":
                self._top_up(note, tiles)
                return
            left = sum(not seat.passed for seat in position.seats)
            if tiles or position.phase != "place" or left != 1:
                how = "was taken back and then confirmed without a" if emptied else "has no"
                raise StoppedError(note, f"a turn {how} move")

    def _top_up(self, note: Note, tiles: list[tuple[int, int]]) -> None:
        if self._position.phase == "supply":
            if not tiles:
                raise StoppedError(note, "the supply is filled here, but not on the site")
            self._replay.draw(note, f"supply:{self._tiles.text(kind for kind, _ in tiles)}")
            self._move(note, tiles, {"bag", "discards"}, "supply")
        elif tiles:
            raise StoppedError(note, f"{self._tiles.text(kind for kind, _ in tiles)} are added to"
                               " the supply on the site, but it is full here")
        self._count_bag(note, self._position.bag_size)

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            self._play_turn(turn)

    def _play_turn(self, turn: _Turn) -> None:
        """Play the moves of a turn."""
        self._check_passed(turn)
        for note, move, follow in turn.moves:
            before = self._replay.score(turn.seat)
            self._check_place(note, turn.seat)
            self._replay.play(note, turn.seat, move)
            follow()
            self._points(note, turn.seat, before)
            self._score(note, turn.seat)
        if turn.kept is not None:
            note, move, follow = turn.kept
            self._check_hand(note, turn.seat)
            self._replay.play(note, turn.seat, move)
            follow()
            self._score(note, turn.seat)
        elif turn.passed is not None:
            position = self._position
            if any(position.seats[turn.seat].hand) and position.round < ROUNDS:
                raise StoppedError(turn.passed, f"seat {turn.seat} passes with tiles in hand, but"
                                   " the log does not say which it keeps", before=True)
            self._replay.play(turn.passed, turn.seat, f"pass:{NOTHING}")

    def _check_passed(self, turn: _Turn) -> None:
        """Stop if the player has passed in this round."""
        def passed(position: Position) -> bool:
            return cast(SummerPosition, position).seats[turn.seat].passed

        if passed(self._position) and self._position.phase in ("place", "bonus"):
            note = next((one for one, _, _ in turn.moves), turn.passed)
            raise StoppedError(note, f"seat {turn.seat} plays on after it has passed", before=True,
                               since=self._replay.moves_until(passed))

    def _check_place(self, note: Note, seat: int) -> None:
        """Stop if a placement is on a space that is filled, or paid with tiles not in hand.

        The site lets nobody do so, in whatever version, so moves before it are wrong.
        """
        if note.kind != "placeTileOnWall":
            return
        placed = note.args["placedTile"]
        site, space = space_of(placed)
        mine = self._position.seats[seat]
        paid = self._counts(self._tiles.read((placed, *listed(note.args, "discardedTiles"))))
        where = f"{SITES[site]}.{space} of seat {seat}"
        since = self._filled_since(seat, site, space)
        if since is not None:
            raise StoppedError(note, f"{where} is filled here", before=True, since=since)
        if any(theirs > ours for theirs, ours in zip(paid, mine.hand, strict=True)):
            raise StoppedError(note, f"the tiles that pay for {where} are not in hand here",
                               before=True)

    def _filled_since(self, seat: int, site: int, space: int) -> int | None:
        """Return the number of moves before the one that filled a space; None if it is empty."""
        def filled(position: Position) -> bool:
            return cast(SummerPosition, position).seats[seat].stars[site][space - 1] != "."

        return self._replay.moves_until(filled) if filled(self._position) else None

    def _check_hand(self, note: Note, seat: int) -> None:
        """Stop if the tiles kept and discarded are not exactly those in hand."""
        if "discardedTiles" not in note.args:
            return
        theirs = self._tiles.read((*note.args["keptTiles"].items(),
                                   *note.args["discardedTiles"].items()))
        ours = self._position.seats[seat].hand
        if self._counts(theirs) != ours:
            raise StoppedError(note, f"the hand holds {self._tiles.text(_kinds(ours))} here,"
                               f" {self._tiles.text(kind for kind, _ in theirs)} on the site",
                               before=True)

    def _points(self, note: Note, seat: int, before: int) -> None:
        gained = self._replay.score(seat) - before
        if note.kind == "placeTileOnWall":
            if "points" in note.args:
                self._replay.differ(note, "points of the placement:",
                                    note.args["points"].number(-999, 999), gained)
            if "scoredTiles" in note.args:
                self._replay.differ(note, "tiles that score:",
                                    len(note.args["scoredTiles"].items()), gained)

    def _score(self, note: Note, seat: int) -> None:
        if "newScore" in note.args:
            self._replay.differ(note, f"score of seat {seat}",
                                note.args["newScore"].number(-999, 9999),
                                self._replay.score(seat))

    # -------------------------------------------------------------------- rounds and checks

    def _dealt(self, note: Note) -> None:
        self._stand(note)
        self._unended(note)
        self._deal(note)
        if "roundNumber" in note.args:
            self._replay.differ(note, "the round is", note.args["roundNumber"].number(0, 99),
                                self._position.round)

    def _ended(self, note: Note) -> None:
        if self._draft is not None:
            self._draft = None
            raise StoppedError(note, "the site tells final scores, but a draft is pending here; so"
                               " packets are missing")

    def _came_back(self, note: Note) -> None:
        self._stand(note)
        seat = self._replay.seat(note.args["playerId"])
        tiles = self._tiles.read(listed(note.args, "tiles"))
        self._move(note, tiles, {f"corner {seat}"}, f"hand {seat}")
        self._replay.differ(
            note, f"tiles kept by seat {seat} are", self._tiles.text(kind for kind, _ in tiles),
            self._tiles.text(_kinds(self._position.seats[seat].hand)))

    def _state(self, note: Note) -> None:
        """Compare the spaces that the site offers with those that are legal here."""
        spaces = child(note.args, "args", "possibleSpaces")
        player = child(note.args, "active_player")
        if state_of(note) != CHOOSE_PLACE or spaces is None or player is None:
            return
        self._stand(note)
        if self._turn is not None or self._position.phase != "place":
            return
        seat = self._replay.seat(player)
        if seat != self._position.to_move:
            return
        theirs = {space.number(0, 699) for space in spaces.items()}
        ours = {100 * STARS.index(site) + int(space[0])
                for site, space in (move.split(".") for move in self._replay.game.legal_moves
                                    if not move.startswith("pass"))}
        self._replay.differ(note, f"spaces that seat {seat} may fill:", sorted(theirs),
                            sorted(ours))
        for space in theirs - ours:
            site = SITES.index(STARS[space // 100])
            if 1 <= space % 100 <= len(STARS) - 1:
                self._replay.doubt(self._filled_since(seat, site, space % 100))

    def _count_opening(self) -> None:
        """Compare the bag after the supply was drawn; the token may be in it (RULES A4)."""
        note = opening(self._log)
        if note is not None:
            position, drawn = self._position, len(listed(note.args, "newTiles"))
            ours = position.bag_size + sum(map(sum, position.displays))
            token = drawn == sum(position.supply)
            self._count_bag(note, ours + token)

    def _counts(self, tiles: list[tuple[int, int]]) -> tuple[int, ...]:
        found = Counter(kind for kind, _ in tiles)
        return tuple(found[kind] for kind in range(1, len(COLOURS) + 1))


def _kinds(counts: Sequence[int]) -> list[int]:
    return [kind for kind, count in enumerate(counts, 1) for _ in range(count)]

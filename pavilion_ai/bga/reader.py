"""The reader of a log: each note goes to the method for its type, and moves are played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar, cast

from pavilion_ai.bga.end import played_out
from pavilion_ai.bga.gaps import Gaps
from pavilion_ai.bga.log import Log, LogError, Note, child, flag, listed
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.states import STATE, announced_others, who_drafts
from pavilion_ai.bga.table import has_token
from pavilion_ai.bga.tiles import BAG, DISCARDS, Listed, Tiles
from pavilion_ai.bga.undo import compare_left, compare_undo
from pavilion_ai.notation.tiles import format_tiles
from pavilion_ai.position import TABLES, Position

AnyPosition = TypeVar("AnyPosition", bound=Position)


@dataclass(frozen=True)
class Draft:
    """Tiles that were taken.

    Attributes:
        note: the note that tells of it.
        seat: seat of the player.
        source: `C`, or `D` and the number of the display.
        colour: letter of the colour that was drafted.
        tiles: type and id of each tile taken, as far as listed.
    """

    note: Note
    seat: int
    source: str
    colour: str
    tiles: tuple[Listed, ...]


class LogReader(ABC, Generic[AnyPosition]):
    """Plays a log from the opening.

    One draft is kept pending until what follows shows that it was not taken back.

    Args:
        log: the notes.
        replay: the game at its opening.
        tiles: the tiles on the table at the opening.
    """

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        self._log, self._replay, self._tiles = log, replay, tiles
        self._draft: Draft | None = None
        self._token: Note | None = None
        """Note that the pending draft, or the next of its player, takes the start player token."""
        self._refilled = False  # whether discards were poured into the bag for the last draw
        self._before_draw = 0  # moves before the last draw
        self._bag_agreed: set[str] = set()
        """Kinds of notes in which the site had as many tiles in the bag as we had."""
        self._strange: list[tuple[Note, str]] = []
        """Note, and what is wrong, of each tile so far that was listed where it did not lie."""
        self._gaps = Gaps(log, replay)

    @property
    def _wild(self) -> int:
        """The type of wild tiles, which may come along with a draft; 0 if there are none."""
        return 0

    @property
    def _position(self) -> AnyPosition:
        return cast(AnyPosition, self._replay.position)

    def read(self, deal: Note) -> None:
        """Play the notes after the first deal.

        Raises:
            StoppedError: at the first move that cannot be played.
            LogError: the log contradicts itself.
        """
        try:
            self._read(deal)
            self._finish()
            self._gaps.settle()
            self._check_tiles()
            self._check_whole()
        except StoppedError as stop:
            self._stop(self._missing() or stop)
        except LogError:
            missing = self._missing()
            if missing is None:
                raise
            self._stop(missing)

    def _missing(self) -> StoppedError | None:
        """Return what ends the game where packets are missing, if that explains a contradiction.

        None if the game is over, so that only more notes came after it.
        """
        return None if self._replay.game.is_over() else self._gaps.take_first()

    def _stop(self, stop: StoppedError) -> NoReturn:
        """End the game, without the moves that are uncertain then."""
        self._replay.reached = self._replay.told
        self._drop_uncertain(stop)
        raise stop from None

    def _check_tiles(self) -> None:
        """Stop if a tile was listed where it does not lie, and nothing tells which was meant."""
        if self._tiles.doubtful:
            raise self._stranger()

    def _stranger(self) -> StoppedError:
        """Return what ends the game before the first move that a tile proves wrong."""
        note, what = self._strange[-1]
        first, earlier = self._strange[0]
        also = f"; and before, {earlier} ({first.where})" if len(self._strange) > 1 else ""
        since = self._replay.round_begins(cast(int, self._replay.misplaced_from))
        return StoppedError(note, f"{what}{also}", before=True, since=since)

    def _check_whole(self) -> None:
        """Compare what the whole log says.

        Raises:
            StoppedError: it contradicts itself, which shows only now.
        """
        found = self._contradiction()
        if found is not None:
            self._replay.cut(cast(int, found.since))
            raise found

    def _contradiction(self) -> StoppedError | None:
        """Return where the log contradicts itself though every move can be played, else None."""
        return None

    def _doubtful(self) -> int | None:
        """Return the number of moves before one that may be wrong if the game stops here."""
        return None

    def _read(self, deal: Note) -> None:
        readers = self._readers()
        numbers = sorted({*self._log.gaps, *self._log.doubts})
        others = announced_others(self._log)
        passed = bisect_right(numbers, deal.packet)
        for note in self._log.notes[self._log.notes.index(deal) + 1:]:
            while passed < len(numbers) and numbers[passed] <= note.packet:
                self._gaps.add(note, numbers[passed], self._pending)
                passed += 1
            if others and note is others[0]:
                self._unannounced(note, len(others))
            reader = readers.get(note.kind)
            if reader is not None:
                reader(note)
                self._gaps.passed()

    def _unannounced(self, note: Note, count: int) -> None:
        """Handle the first move, or turn, of another player than the site announced.

        Raises:
            StoppedError: there are several, so moves stand in another order than they were played.
        """
        player = note.args["active_player" if note.kind == STATE else "playerId"]
        who = f"seat {self._replay.seat(player)}" if self._replay.at_table(player) else "somebody"
        what = f"{who} moves in another player's turn"
        if count > 1:
            raise StoppedError(note, f"{what}, as the site announced turns, and this is not the"
                               " only such move", before=True)
        self._replay.differ_in(note, f"{what}, as the site announced turns")

    def _drop_uncertain(self, stop: StoppedError) -> None:
        """Take back the moves that may be wrong if the game stops so.

        That is the whole round of the first difference if what stops the game shows that an earlier
        move is wrong, and in any case that of the first tile that lay elsewhere.
        """
        replay = self._replay
        if replay.game.is_over() and stop.since is None:
            return
        wrong = [replay.misplaced_from]
        if stop.before:
            wrong += [replay.played, replay.differs_from]
        known = [moves for moves in wrong if moves is not None]
        cuts = [replay.round_begins(min(known))] if known else []
        cuts += [since for since in (stop.since, self._doubtful()) if since is not None]
        if cuts:
            replay.cut(min(cuts))

    def _finish(self) -> None:
        """Play the pending moves, as far as possible.

        Raises:
            StoppedError: what is pending contradicts what was played. Or the site tells final
                scores, but the game is not over with these moves; so what is pending may have been
                taken back in what is missing.
        """
        before = self._replay.played
        try:
            self._play_pending()
        except StoppedError as stop:
            if stop.before:
                raise
        end = self._played_out()
        if end is not None and not self._replay.game.is_over():
            self._replay.cut(before)
            raise StoppedError(end, "the site tells final scores, but the game is not over here; so"
                               " packets are missing")

    def _played_out(self) -> Note | None:
        """Return the note that shows that the game was played to its end; None if there is none."""
        return played_out(self._log, self._readers().keys() - {STATE})

    @abstractmethod
    def _readers(self) -> Mapping[str, Callable[[Note], None]]:
        """Return the method for each type of notes that matters."""

    @property
    def _pending(self) -> bool:
        """Whether a move is pending, which may still be taken back."""
        return self._draft is not None

    @abstractmethod
    def _play_pending(self) -> None:
        """Play what is pending when the log ends."""

    @abstractmethod
    def _stand(self, note: Note | None) -> None:
        """Play the pending draft; `note`, which follows it, shows that it is final."""

    # ------------------------------------------------------------------------------- drafting

    def _taken(self, note: Note) -> Draft:
        """Return the draft that a note tells of; the pending one is played.

        Raises:
            StoppedError: the pending draft is of the same seat, so it may have been taken back.
            LogError: the tiles are not of the type drafted, nor wild ones that come along.
        """
        seat = self._replay.seat(note.args["playerId"])
        if self._draft is not None and self._draft.seat == seat:
            raise StoppedError(note, f"seat {seat} drafts twice in a row, and the log does not say"
                               " which of the two was taken back")
        self._stand(note)
        source = note.args["fromFactory"].number(0, len(self._position.displays))
        tiles = self._tiles.read(listed(note.args, "selectedTiles"))
        colours = self._tiles.colours
        drafted = note.args["type"].number(1, len(colours))
        wild = (note.args["typeWild"].number(1, len(colours)) if flag(note.args, "typeWild")
                else self._wild or drafted)
        kinds = [kind for kind, _ in tiles]
        if set(kinds) - {drafted, wild} or (kinds and drafted not in kinds):
            raise LogError(f"found tiles {self._tiles.text(kinds)}, but type"
                           f" {drafted}" + (f" and wild type {wild}" if wild != drafted else ""),
                           note.where)
        return Draft(note, seat, _source(source), colours[drafted - 1], tuple(tiles))

    def _took_token(self, note: Note) -> None:
        self._token = note

    def _next_drafts(self, note: Note) -> None:
        """Play the pending draft if a note announces the draft of another player."""
        player = who_drafts(note)
        if (self._draft is not None and player is not None and self._replay.at_table(player)
                and self._replay.seat(player) != self._draft.seat):
            self._stand(note)

    def _draft_undone(self, note: Note) -> None:
        if self._draft is None:
            raise StoppedError(note, "a draft is taken back, but none is pending", before=True)
        self._check_undone(note, self._draft)
        self._draft = self._token = None

    def _check_undone(self, note: Note, draft: Draft) -> None:
        """Stop if what is taken back is not what the pending draft took."""
        seat = self._replay.seat(note.args["playerId"]) if "playerId" in note.args else draft.seat
        place = child(note.args, "undo", "from")
        source = draft.source if place is None or note.kind != "undoTakeTiles" else _source(
            place.number(0, len(self._position.displays)))
        if (seat, source) != (draft.seat, draft.source):
            raise StoppedError(note, f"seat {seat} takes a draft from {source} back, but that of"
                               f" seat {draft.seat} from {draft.source} is pending", before=True)
        if note.kind == "undoTakeTiles":
            drafted = {one for _, one in draft.tiles}
            compare_undo(self._replay, note, seat, drafted)
            compare_left(self._replay, self._tiles, note, source, drafted)

    def _check_token(self, draft: Draft, free: bool) -> Note | None:
        """Compare whether a draft takes the start player token; return the note that says so.

        Args:
            free: whether the token lay in the centre.

        Raises:
            StoppedError: the site says that it takes the token, which it cannot here; or it takes
                it here, and the site lists its tiles and no token.
        """
        note = self._token
        if note is not None and self._replay.seat(note.args["playerId"]) == draft.seat:
            self._token = None
        else:
            note = None
        told = note is not None or has_token(listed(draft.note.args, "selectedTiles"))
        takes = free and draft.source == "C"
        if told and not takes:
            raise StoppedError(draft.note, f"seat {draft.seat} takes the start player token on the"
                               f" site, but not here with a draft from {draft.source}", before=True)
        if takes and not told and any(number for _, number in draft.tiles):
            raise StoppedError(draft.note, f"seat {draft.seat} takes the start player token here,"
                               " but not on the site", before=True)
        return note

    def _check_source(self, draft: Draft) -> None:
        """Stop if none of the tiles drafted lies where they are taken from."""
        lying = {self._tiles.place(number) for _, number in draft.tiles if number}
        if lying and draft.source not in lying:
            raise StoppedError(draft.note, f"the tiles taken from {draft.source} lie in"
                               f" {' and '.join(sorted(lying))} here", before=True)

    def _check_left(self, draft: Draft, before: Position) -> None:
        """Take back a draft that was played if other tiles go to the centre than on the site.

        Args:
            before: position before the draft.

        Raises:
            StoppedError: they are others.
        """
        if draft.source == "C" or "discardedTiles" not in draft.note.args:
            return
        letters = TABLES[before.game].letters
        moved = zip(self._position.centre, before.centre, strict=True)
        ours = format_tiles([new - old for new, old in moved], letters)
        left = self._tiles.read(draft.note.args["discardedTiles"].items())
        text = self._tiles.text(kind for kind, _ in left)
        theirs = format_tiles([text.count(one) for one in letters], letters)
        if ours != theirs:
            self._replay.game.pop()
            raise StoppedError(draft.note, f"{ours} remain on {draft.source} here, {theirs} on the"
                               " site", before=True)

    def _follow_draft(self, draft: Draft, to: str) -> None:
        """Move the tiles of a draft that was played: those taken, and the others to the centre."""
        colour = self._tiles.colours.index(draft.colour) + 1
        if draft.tiles and "number" in draft.note.args:
            count = sum(kind == colour for kind, _ in draft.tiles)
            self._replay.differ(draft.note, "number of tiles drafted:",
                                draft.note.args["number"].number(0, 999),
                                count if colour != self._wild else 0)
        self._move(draft.note, draft.tiles, {draft.source}, to,
                   {colour} if colour != self._wild else ())
        if draft.source != "C":
            left = self._tiles.read(listed(draft.note.args, "discardedTiles"))
            self._move(draft.note, left, {draft.source}, "C", self._tiles.all_types)

    # ----------------------------------------------------------------------- draws and checks

    def _deal(self, note: Note) -> None:
        """Play a deal."""
        displays = self._tiles.displays(note.args, len(self._position.displays))
        texts = [self._tiles.text(kind for kind, _ in tiles) for tiles in displays]
        self._draw(note, f"deal:{','.join(texts)}", [one for tiles in displays for one in tiles])
        for number, tiles in enumerate(displays, 1):
            self._move(note, tiles, self._bag, f"D{number}")
        self._pour()
        self._count_bag(note, self._position.bag_size)
        self._gaps.prove()

    @property
    def _bag(self) -> set[str]:
        """Where the tiles of the last draw may have been: not among the discards unless these were
        poured into the bag (RULES A4, B3).
        """
        return {BAG, DISCARDS} if self._refilled else {BAG}

    def _draw(self, note: Note, move: str, tiles: Iterable[Listed]) -> None:
        """Play a chance move.

        Raises:
            StoppedError: it cannot be. If a tile was drawn before, the first draw may be wrong.
        """
        tiles = list(tiles)
        self._refilled = self._position.bag_size < len(tiles)
        self._before_draw = self._replay.played
        try:
            self._replay.draw(note, move)
        except StoppedError as stop:
            stop.since = min((self._replay.drawn.get(number, 0) for _, number in tiles if number
                              and self._tiles.place(number) not in self._bag),
                             default=stop.since)
            raise

    def _pour(self) -> None:
        """Put the discards into the bag after a draw for which that was done."""
        if self._refilled:
            self._tiles.pour()

    def _count_bag(self, note: Note, ours: int) -> None:
        """Compare the number of tiles in the bag after a draw.

        Raises:
            StoppedError: it differs, though in such notes it agreed before: other tiles were drawn.
        """
        if "remainingTiles" in note.args:
            theirs = note.args["remainingTiles"].number(0, 999)
            if theirs != ours and note.kind in self._bag_agreed:
                raise StoppedError(note, f"{theirs} tiles are in the bag on the site, {ours} here",
                                   since=self._before_draw)
            if theirs == ours:
                self._bag_agreed.add(note.kind)
            self._replay.misplaced += theirs != ours
            self._replay.differ(note, "tiles in the bag:", theirs, ours)

    def _move(self, note: Note, tiles: Iterable[Listed], places: Collection[str], to: str,
              whole: Collection[int] = (), since: int | None = None) -> None:
        """Move tiles as `Tiles.move` does, and count those that were in none of the places.

        Args:
            since: number of moves before the one that is wrong if a tile was not in its place; by
                default the last.

        Raises:
            StoppedError: a tile was not in its place a second time, which is not a wrong number.
        """
        tiles, moves = list(tiles), self._replay.played
        drawn = BAG in places
        for one in self._tiles.move(tiles, places, to, whole):
            self._replay.misplaced += 1
            # Of two draws of a tile the first may be the wrong one.
            first = self._replay.drawn.get(one.number, 0) if drawn else moves
            self._replay.doubt(first if since is None else since)
            what = (f"tile {one.number} is taken from {' or '.join(sorted(places))} on the site,"
                    f" {one.place} by our rules")
            self._replay.differ_in(note, what)
            self._strange.append((note, what))
            if len(self._strange) > 1:
                raise self._stranger()
        if drawn:
            self._replay.drawn |= {number: moves - 1 for _, number in tiles}


def _source(number: int) -> str:
    """Return what a move calls the source of a draft: the centre or a display."""
    return f"D{number}" if number else "C"

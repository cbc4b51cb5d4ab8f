"""Reading a log of Summer Pavilion: its moves are played as they are read.

One turn is kept pending until it is final: a draft until any other note of the game follows, a turn
of the play phase until the supply is filled, which the site does after each turn. Moves taken back
before that are never played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pavilion_ai.bga.log import Log, Note, flag, listed, state_of
from pavilion_ai.bga.reader import LogReader
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.states import STATE
from pavilion_ai.bga.summer import COLOURS
from pavilion_ai.bga.summer_checks import CHOOSE_PLACE, SummerChecks, kinds_of
from pavilion_ai.bga.summer_finals import compare_finals
from pavilion_ai.bga.summer_log import KINDS, opening, space_of
from pavilion_ai.bga.tiles import DISCARDS, SUPPLY, Listed, Tiles
from pavilion_ai.bga.undo import compare_undo
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.position import SummerPosition
from pavilion_ai.position.summer_board import ROUNDS, SITES


@dataclass
class _Turn:
    """The moves of a player since the supply was last filled.

    Attributes:
        seat: seat of the player.
        moves: note, move, and a function that moves its tiles, of each placement or bonus.
        passed: note of a pass.
        kept: the same three for a pass whose kept tiles are known.
        moved: ids of the tiles of all of these.
    """

    seat: int
    moves: list[tuple[Note, str, Callable[[], None]]] = field(default_factory=list)
    passed: Note | None = None
    kept: tuple[Note, str, Callable[[], None]] | None = None
    moved: set[int] = field(default_factory=set)

    @property
    def begun(self) -> bool:
        """Whether the turn has a move."""
        return bool(self.moves) or self.passed is not None or self.kept is not None


class SummerReader(LogReader[SummerPosition]):
    """Plays a log of Summer Pavilion from the opening."""

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        super().__init__(log, replay, tiles)
        self._turn: _Turn | None = None
        self._emptied = False  # whether the pending turn was taken back
        self._checks = SummerChecks(log, replay, tiles)

    @property
    def _wild(self) -> int:
        return self._position.round  # RULES A3: the wild colours follow one another

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
            STATE: self._state,
        }

    @property
    def _pending(self) -> bool:
        return super()._pending or (self._turn is not None and self._turn.begun)

    def _play_pending(self) -> None:
        self._stand(None)
        self._end_turn(filled=False)

    def _contradiction(self) -> StoppedError | None:
        compare_finals(self._log, self._replay)
        return self._checks.contradiction()

    def _doubtful(self) -> int | None:
        return self._checks.doubtful()

    # ------------------------------------------------------------------------------- drafting

    def _selected(self, note: Note) -> None:
        if flag(note.args, "fromSupply"):
            self._bonus(note)
            return
        self._unended(note)
        self._draft = self._taken(note)

    def _stand(self, note: Note | None) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        position, score = self._position, self._replay.score(draft.seat)
        move = f"{draft.source}:{draft.colour}"
        self._check_source(draft)
        token = self._check_token(draft, self._position.token is None)
        self._replay.play(draft.note, draft.seat, move)
        hand = self._position.seats[draft.seat].hand
        gained = tuple(new - old for new, old in zip(hand, position.seats[draft.seat].hand,
                                                   strict=True))
        if draft.tiles and gained != self._checks.counts(draft.tiles):
            self._replay.game.pop()
            ours = self._tiles.text(kinds_of(gained))
            theirs = self._tiles.text(kind for kind, _ in draft.tiles)
            raise StoppedError(draft.note, f"{move} takes {ours} here, {theirs} on the site",
                               before=True)
        self._check_left(draft, position)
        self._follow_draft(draft, f"hand of seat {draft.seat}")
        if token is not None:
            self._checks.token(token, draft.seat, sum(gained), score)

    # --------------------------------------------------------------------------- play phase

    def _open(self, note: Note, begins: bool = False) -> _Turn:
        """Return the pending turn of the player that a note names; another player's turn ends.

        Args:
            note: note of a move.
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
            hand = {f"hand of seat {turn.seat}"}
            self._move(note, tile, hand, f"board of seat {turn.seat}")
            self._move(note, rest, hand, DISCARDS)

        turn.moved |= {one for _, one in (*tile, *rest)}
        turn.moves.append((note, f"{SITES[site]}.{position}:{payment}", follow))

    def _bonus(self, note: Note) -> None:
        turn = self._open(note)
        if turn.moves and turn.moves[-1][0].kind == note.kind:
            self._turn = None
            raise StoppedError(note, f"seat {turn.seat} takes bonus tiles twice in a row, and the"
                               " log does not say which were put back")
        taken = self._tiles.read(listed(note.args, "selectedTiles"))
        turn.moved |= {one for _, one in taken}
        if "number" in note.args and note.args["number"].number(0, 999) != len(taken):
            raise StoppedError(note, f"{note.args['number'].value} bonus tiles are taken, but"
                               f" {len(taken)} are listed")
        move = f"bonus:{self._tiles.text(kind for kind, _ in taken)}"
        turn.moves.append((note, move, lambda: self._move(
            note, taken, {SUPPLY}, f"hand of seat {turn.seat}",
            since=self._checks.supply_since(taken))))

    def _passed(self, note: Note) -> None:
        self._open(note, begins=True).passed = note

    def _kept(self, note: Note) -> None:
        turn = self._open(note)
        kept = self._tiles.read(note.args["keptTiles"].items())
        rest = self._tiles.read(listed(note.args, "discardedTiles"))

        def follow() -> None:
            hand = {f"hand of seat {turn.seat}"}
            self._move(note, kept, hand, f"corner of seat {turn.seat}")
            self._move(note, rest, hand, DISCARDS, self._tiles.all_types)

        turn.moved |= {one for _, one in (*kept, *rest)}
        turn.kept = note, f"pass:{self._tiles.text(kind for kind, _ in kept)}", follow

    def _turn_undone(self, note: Note) -> None:
        self._stand(note)
        turn, self._turn, self._emptied = self._turn, None, True
        if turn is None or not turn.begun:
            return
        seat = self._replay.seat(note.args["playerId"]) if "playerId" in note.args else turn.seat
        if seat != turn.seat:
            raise StoppedError(note, f"seat {seat} takes a move back, but the turn of seat"
                               f" {turn.seat} is pending", before=True)
        compare_undo(self._replay, note, seat, turn.moved)
        if turn.kept is not None:
            self._checks.taken_back(turn.kept[0], seat)

    def _supply_filled(self, note: Note) -> None:
        if self._draft is not None:
            self._draft = None
            raise StoppedError(note, "the supply is filled on the site, but a draft is pending"
                               " here", before=True)
        tiles = self._tiles.read(note.args["newTiles"].items())
        if self._turn is None:
            self._empty_turn(note, tiles)
            return
        begun = self._replay.played
        self._end_turn()
        if self._position.phase == "bonus" and not tiles:
            raise StoppedError(note, "bonus tiles are due here for what was placed, but none are"
                               " taken on the site, which gave them at other places before June"
                               " 2024", since=begun)
        self._top_up(note, tiles)

    def _empty_turn(self, note: Note, tiles: list[Listed]) -> None:
        """Drop a turn without a move if no other player could have had it."""
        position = self._position
        emptied, self._emptied = self._emptied, False
        if position.phase == "supply":
            self._top_up(note, tiles)
            return
        left = sum(not seat.passed for seat in position.seats)
        if tiles or position.phase == "bonus" or (position.phase == "place" and left != 1):
            how = "was taken back and then confirmed without a" if emptied else "has no"
            raise StoppedError(note, f"a turn {how} move")

    def _top_up(self, note: Note, tiles: list[Listed]) -> None:
        if self._position.phase == "supply":
            if not tiles:
                raise StoppedError(note, "the supply is filled here, but not on the site",
                                   before=True)
            self._draw(note, f"supply:{self._tiles.text(kind for kind, _ in tiles)}", tiles)
            self._checks.filled(note)
            self._move(note, tiles, self._bag, SUPPLY)
            self._pour()
        elif tiles:
            raise StoppedError(note, f"{self._tiles.text(kind for kind, _ in tiles)} are added to"
                               " the supply on the site, but it is full here", before=True)
        self._count_bag(note, self._position.bag_size)

    def _end_turn(self, filled: bool = True) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            self._play_turn(turn, filled)

    def _play_turn(self, turn: _Turn, filled: bool) -> None:
        """Play the moves of a turn.

        Args:
            turn: turn of a player.
            filled: whether the supply was filled after it, so that all of it was told.
        """
        first = turn.moves[0][0] if turn.moves else turn.passed
        self._checks.playing(first, turn.seat)
        for note, move, follow in turn.moves:
            before = self._replay.score(turn.seat)
            placement = note.kind == "placeTileOnWall"
            if placement:
                self._checks.place(note, turn.seat)
            else:
                self._checks.supply(note)
            self._replay.play(note, turn.seat, move)
            follow()
            agrees = not placement or self._checks.placed(note, turn.seat, before)
            self._checks.score(note, turn.seat, agrees)
        if turn.kept is not None:
            note, move, follow = turn.kept
            self._checks.hand(note, turn.seat)
            self._replay.play(note, turn.seat, move)
            follow()
            self._checks.score(note, turn.seat)
        elif turn.passed is not None:
            position = self._position
            if any(position.seats[turn.seat].hand) and position.round < ROUNDS:
                raise StoppedError(turn.passed, f"seat {turn.seat} passes with tiles in hand, but"
                                   " the log does not say which it keeps", before=filled)
            self._replay.play(turn.passed, turn.seat, f"pass:{NOTHING}")
            self._move(turn.passed, (), {f"hand of seat {turn.seat}"}, DISCARDS,
                       self._tiles.all_types)

    # -------------------------------------------------------------------- rounds and checks

    def _dealt(self, note: Note) -> None:
        self._stand(note)
        self._unended(note)
        self._deal(note)
        for seat in range(len(self._position.seats)):  # what was kept comes back (RULES A8)
            self._move(note, (), {f"corner of seat {seat}"}, f"hand of seat {seat}",
                       self._tiles.all_types)
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
        places = {f"corner of seat {seat}", f"hand of seat {seat}"}
        self._move(note, self._tiles.read(listed(note.args, "tiles")), places,
                   f"hand of seat {seat}", self._tiles.all_types)
        self._checks.kept(note, seat)

    def _state(self, note: Note) -> None:
        """Compare the spaces that the site offers at the beginning of a turn.

        Raises:
            StoppedError: it offers some, but there are tiles left to take.
        """
        self._next_drafts(note)
        if state_of(note) == CHOOSE_PLACE:
            self._stand(note)
            if self._replay.drafting:
                raise StoppedError(note, "the site offers spaces, but tiles are left to take here",
                                   before=True)
            if self._turn is None:
                self._checks.spaces(note)

    def _count_opening(self) -> None:
        """Compare the bag after the supply was drawn; the token may be in it (RULES A4)."""
        note = opening(self._log)
        if note is not None:
            position, drawn = self._position, len(note.args["newTiles"].items())
            ours = position.bag_size + sum(map(sum, position.displays))
            token = drawn == sum(position.supply)
            self._count_bag(note, ours + token)

"""From a log to a game record: the seats, the side, the opening, the end, players by number."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pavilion_ai.bga.end import (
    DEEDS,
    broken_off,
    compare_result,
    stated_reason,
    who_broke_off,
)
from pavilion_ai.bga.log import (
    DEAL,
    NAMED_TYPES,
    Log,
    LogError,
    Note,
    child,
    deal_of,
    flag,
    identity,
    is_other_deal,
    read_log,
    some_types,
    start_deal,
)
from pavilion_ai.bga.order import other_orders
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.reader import LogReader
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.source import Saved
from pavilion_ai.bga.states import announced_others
from pavilion_ai.bga.table import SIDES, numbered_side
from pavilion_ai.bga.tiles import BAG, Listed, Tiles
from pavilion_ai.errors import PavilionError, PositionError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.notation import format_position, parse_position, to_json
from pavilion_ai.play import HUMAN_AGENT
from pavilion_ai.position import TABLES, Position
from pavilion_ai.position.base import DISPLAY_TILES
from pavilion_ai.record import FINISHED, GameRecord
from pavilion_ai.wording import plural

SIDE_OPTION = "100"
"""Option of a table that states which side of the boards is used."""
PLAYERS = {2 * players + 1: players for players in (2, 3, 4)}
"""Number of players by number of displays (RULES A4, B3)."""
DIGEST = 12
MOST_NAMED = 8
"""Players that the notes on several games name."""
_BAG_KEYS = ("bag", "tower", "lid", "bag_size")


@dataclass(frozen=True)
class GameLog:
    """How to read the logs of one game.

    Attributes:
        name: name of the game.
        kinds: types of its notes.
        before: types of notes that may come before the first deal.
        colours: letters of the colours by type, counted from 1.
        is_game: tells whether a note can only come from this game.
        drafts: returns the notes of drafts.
        side_of: returns the side that the log shows, None if it may be either, and the place that
            proves it, if any.
        opening: returns the fields of the opening's JSON form besides the displays.
        reader: plays the notes after the first deal.
    """

    name: str
    kinds: frozenset[str]
    before: frozenset[str]
    colours: str
    is_game: Callable[[Note], bool]
    drafts: Callable[[Log], list[Note]]
    side_of: Callable[[Log], tuple[str | None, str]]
    opening: Callable[[Log, Node | None, Tiles], dict[str, Any]]
    reader: Callable[[Log, Replay, Tiles], LogReader[Any]]


@dataclass(frozen=True)
class Imported:
    """A game imported from a log.

    Attributes:
        record: the game record.
        notes: remarks on the game and its import, one line each.
        names: names of the players by seat, empty where unknown.
        ids: the site's ids of the players by seat; not in the record.
    """

    record: GameRecord
    notes: tuple[str, ...]
    names: tuple[str, ...]
    ids: tuple[str, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes without those that say who sits where, which come first."""
        return self.notes[sum(map(bool, self.names)):]


@dataclass(frozen=True)
class _Played:
    replay: Replay
    stop: StoppedError | None

    @property
    def rank(self) -> tuple[int, int]:
        """How well a side of the boards fits: by moves that could be played, then by fewest
        differences.
        """
        reached = self.replay.reached
        moves = self.replay.told if reached is None else reached
        return moves, -len(self.replay.differences)


@dataclass
class _Whole:
    """A log, its game as far as it could be played, and remarks on how it was read."""

    log: Log
    game: GameLog
    played: _Played
    notes: list[str]


def import_game(saved: Saved, games: Sequence[GameLog], names: bool) -> Imported:
    """Make a record of a log.

    Args:
        saved: contents of the file, or of the files of one game.
        games: the games that can be read.
        names: whether the record keeps the names of the players.

    Raises:
        LogError: the log holds no game, or contradicts itself.
    """
    try:
        log = read_log(saved.packets or [], saved.players)
        return _import(log, saved, games, names)
    except PositionError as error:
        problem = error.problems[0]
        raise LogError(problem.message, problem.where) from None


def _import(log: Log, saved: Saved, games: Sequence[GameLog], names: bool) -> Imported:
    whole = _played_out(log, saved, games)
    for number, what, packets in other_orders(saved.packets or [], whole.game.kinds):
        _compare_orders(whole, number, what, replace(saved, packets=tuple(packets)), games)
    return _made(log, whole.game, saved, whole.played, whole.notes, names)


def _compare_orders(whole: _Whole, number: int, what: str, other: Saved,
                    games: Sequence[GameLog]) -> None:
    """End a game where it differs from another order of its log, if that can be played as far.

    Args:
        whole: the game in the order of the file.
        number: place of the first packet that stands elsewhere, and what says so.
        other: the log in the other order.
    """
    log = read_log(other.packets or [], other.players)
    try:
        found = _played_out(replace(log, gaps={}, doubts={}), other, games).played
    except PavilionError:
        return
    mine, theirs = (one.replay.game.moves for one in (whole.played, found))
    same = next((n for n, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two),
                len(mine))
    if found.rank >= whole.played.rank and same < len(mine) <= len(theirs):
        note = next((note for note in whole.log.notes if note.packet >= number), None)
        whole.played.replay.cut(same)
        whole.played = _Played(whole.played.replay, StoppedError(
            note, f"{what} say that packets stand in another order than they were sent, and the"
            " game can be played in both"))


def _played_out(log: Log, saved: Saved, games: Sequence[GameLog]) -> _Whole:
    """Play a log as far as it can be played."""
    game = _game(log, games)
    deal = next((note for note in log.notes if note.kind == DEAL), None)
    if deal is None:
        raise LogError("the log begins in the middle: it holds no deal (notes of type"
                       f" {some_types(note.kind for note in log.notes)}); expected its beginning"
                       " too")
    _check_beginning(log, game, deal)
    players = _count_players(log, deal, saved.table)
    _check_page(deal, saved.table)
    ids = _ids(log, game, players, saved.table)
    side, where = _stated_side(saved)
    shown_side, shown_where = game.side_of(log)
    notes = []
    if side is not None and shown_where and shown_side not in (None, side):
        raise LogError(f"found moves of the {shown_side} side, but {where} says"
                       f" {side}", shown_where)
    side = side or shown_side
    played = max((_play(log, game, saved.table, deal, ids, one)
                  for one in ((side,) if side is not None else SIDES)),
                 key=lambda one: (*one.rank, one.stop is None))
    if side is None:
        notes.append(f"the side of the boards is not stated and hardly shows, taken as"
                     f" {played.replay.game.start.board}")
    return _Whole(log, game, played, notes)


def _check_beginning(log: Log, game: GameLog, deal: Note) -> None:
    """Refuse a log whose first deal is not that of the first round."""
    earlier = log.notes[: log.notes.index(deal)]
    played = next((note for note in earlier if note.kind in game.kinds - game.before), None)
    number = child(deal.args, "roundNumber")
    if played is not None or (number is not None and number.number(0, 99) != 1):
        where = (played or deal).where
        if log.before_first:
            raise LogError(f"found packets out of order ({log.before_first} has a lower"
                           " number than the first), expected packets as they were sent", where)
        raise LogError("the log begins in the middle, without the deal of the first"
                       " round; expected its beginning too", where)


def _check_page(deal: Note, table: Node | None) -> None:
    """Refuse a page that shows the start of the game with another deal than the log's."""
    if table is not None and is_other_deal(start_deal(table), deal_of(deal.args.value)):
        raise LogError("found another deal than on the page, so the page and the log"
                       " are not of one game", deal.where)


def _game(log: Log, games: Sequence[GameLog]) -> GameLog:
    found = {game.name: (game, note.where) for note in reversed(log.notes)
             for game in games if game.is_game(note)}
    if not found:
        kinds = some_types(note.kind for note in log.notes)
        raise LogError(f"found the log of another game (notes of type {kinds}), expected Azul:"
                       " Summer Pavilion or base Azul")
    if len(found) > 1:
        places = ", ".join(f"{where} ({name})" for name, (_, where) in found.items())
        raise LogError(f"the log mixes notes of two games: {places}")
    return next(iter(found.values()))[0]


# ---------------------------------------------------------------------------------- players


def _count_players(log: Log, deal: Note, table: Node | None) -> int:
    """Return the number of players, which follows from the number of displays."""
    displays = _count_displays(deal)
    if displays not in PLAYERS:
        raise LogError(f"found {displays} displays, expected 5, 7 or 9, for 2 to 4"
                       " players", deal.where)
    players = PLAYERS[displays]
    on_page = len(table["players"].numbered()) if table is not None and "players" in table else 0
    for listed, what in ((len(log.listed), "the list of players"), (on_page, "gamedatas")):
        if listed and listed != players:
            raise LogError(f"found {displays} displays, but {what} has {listed}"
                           f" players; expected {2 * listed + 1}", deal.where)
    return players


def _count_displays(deal: Note) -> int:
    """Return the highest number among the places of a deal; 0 is the centre."""
    return max((int(key) for key, _ in deal.args["factories"].entries()
                if key.isascii() and key.isdigit() and len(key) < 4), default=0)


def _ids(log: Log, game: GameLog, players: int, table: Node | None) -> list[str]:
    """Return the ids of the players in the order of play, as far as known."""
    drafted: list[str] = []
    seating: list[Note] = []
    gap = min(log.gaps, default=log.packets + 1)
    for note in game.drafts(log):
        if note.packet >= gap:
            break
        player = identity(note.args["playerId"])
        if player not in drafted and len(drafted) < players:
            drafted.append(player)
            seating.append(note)
    entries = table["players"].numbered() if table is not None and "players" in table else []
    if not entries or not all("playerNo" in entry and "id" in entry for entry in entries):
        _check_announced(log, seating)
        return drafted
    seated = [identity(entry["id"]) for entry in
              sorted(entries, key=lambda entry: entry["playerNo"].number(0, 99))]
    if seated[: len(drafted)] != drafted:
        raise LogError("found players who draft in another order than"
                       " gamedatas seats them, so the page and the log are not of one game",
                       seating[0].where)
    return seated


def _check_announced(log: Log, seating: list[Note]) -> None:
    """Refuse a log whose first drafts, which alone tell the seats, contradict its announcements."""
    for note in announced_others(log):
        if seating and note.packet <= seating[-1].packet:
            raise LogError("found a draft in another player's turn, as the site"
                           " announced turns, so the order of play is uncertain; save the page of"
                           " the replay, which tells it", note.where)


# --------------------------------------------------------------------------- which boards


def _stated_side(saved: Saved) -> tuple[str | None, str]:
    """Return the side that the page or the table's options state, and which of them states it."""
    found: dict[str, str] = {}
    table = saved.table
    if table is not None and "boardNumber" in table:
        found[numbered_side(table["boardNumber"])] = "gamedatas.boardNumber"
    elif table is not None and "variant" in table and not isinstance(
            table["variant"].value, (dict, list)):
        found[SIDES[flag(table, "variant")]] = "gamedatas.variant"
    option = _option(saved.infos)
    if option is not None:
        found.setdefault(numbered_side(option), f"option {SIDE_OPTION}")
    if len(found) > 1:
        raise LogError("the sides of the boards contradict each other: "
                       + ", ".join(f"{where} says {side}" for side, where in found.items()))
    return next(iter(found.items()), (None, ""))


def _option(infos: Node | None) -> Node | None:
    option = child(infos, "data", "options", SIDE_OPTION)
    return child(option, "value") if isinstance(option and option.value, dict) else option


# ------------------------------------------------------------------------------- playing


def _play(log: Log, game: GameLog, table: Node | None, deal: Note, ids: list[str],
          side: str) -> _Played:
    """Play a log on a side of the boards, as far as it can be played."""
    tiles = Tiles(game.colours, TABLES[game.name].per_colour)
    start = _start(log, game, table, deal, side, tiles)
    replay = Replay(start, list(ids))
    if "remainingTiles" in deal.args:
        left = deal.args["remainingTiles"].number(0, 999)
        if left < start.bag_size:
            raise LogError(f"found {left} tiles in the bag, expected"
                           f" {start.bag_size} after the first deal; the log begins in the middle,"
                           " and its beginning is needed", deal.where)
        replay.differ(deal, "tiles in the bag:", left, start.bag_size)
    reader = game.reader(log, replay, tiles)
    stop = None
    try:
        reader.read(deal)
    except StoppedError as error:
        stop = error
    return _Played(replay, stop)


def _start(log: Log, game: GameLog, table: Node | None, deal: Note, side: str,
           tiles: Tiles) -> Position:
    count = _count_displays(deal)
    raw: dict[str, Any] = to_json(GAMES[game.name].new(side, PLAYERS[count], 0, 0))
    dealt = tiles.displays(deal.args, count)
    if any(len(display) != DISPLAY_TILES for display in dealt):
        raise LogError("found displays that are not full, so this is not the deal of"
                       " the first round; the beginning of the log is needed", deal.where)
    raw |= game.opening(log, table, tiles)
    for number, display in enumerate(dealt, 1):
        _draw_first(deal, tiles, display, f"D{number}")
    tiles.check_numbers(deal.where)
    raw["displays"] = [tiles.text(kind for kind, _ in display) for display in dealt]
    for key in _BAG_KEYS:
        raw.pop(key, None)
    try:
        return parse_position(raw).position
    except PositionError as error:
        raise LogError(f"the opening is impossible: {error.problems[0]}", deal.where) from None


def _draw_first(deal: Note, tiles: Tiles, drawn: list[Listed], to: str) -> None:
    """Move tiles of the opening from the bag."""
    for strange in tiles.move(drawn, {BAG}, to):
        raise LogError(f"found tile {strange.number}, which was drawn before", deal.where)


# ------------------------------------------------------------------------------ the record


def _made(log: Log, game: GameLog, saved: Saved, played: _Played, notes: list[str],
          with_names: bool) -> Imported:
    """Return the record of the moves that were played."""
    replay, stop = played.replay, played.stop
    play = replay.game
    where = stop.note.where if stop is not None and stop.note is not None else ""
    place = f"{where}: " if where else ""
    if not play.moves:
        why = f": {stop.why}" if stop is not None else ""
        raise LogError(f"found no move that can be played{why}", where)
    reason = given_up = None
    if play.is_over():
        given_up = broken_off(log, game.kinds, saved.infos)
        if given_up is None:
            compare_result(log, replay, game.kinds)
    elif stop is None:
        reason = stated_reason(log, game.kinds, saved.infos)
    elif not stop.unproved:
        reason = f"stopped: {stop.note.move if stop.note is not None else 0}: {stop.why}"
    known = _names(log, saved)
    names = tuple(known.get(player, "") for player in replay.ids)
    names += ("",) * (play.start.players - len(names))
    agents = [{**HUMAN_AGENT, **({"name": name} if with_names and name else {})} for name in names]
    record = play.record(agents, id=_digest(play.start, play.moves), reason=reason)
    remarks = [f"seat {seat} is {shown(name)}" for seat, name in enumerate(names) if name]
    remarks += [*_unknown(log, game), *notes, *replay.differences[:1]]
    if stop is not None and play.is_over():
        remarks.append(f"the log continues after the game is over by our rules: {place}{stop.why}")
    if given_up is not None:
        who = who_broke_off(log, replay, game.kinds, given_up)
        remarks.append(f"on the site the game was {who} before its last turn was confirmed; by our"
                       " rules it is over with that turn")
    if record.reason != FINISHED:
        ends = f"the record ends after {plural(len(play.moves), 'move')}"
        why = (f"{record.reason}: {place}{stop.why}" if stop is not None and stop.unproved else
               who_broke_off(log, replay, game.kinds, reason) if reason in DEEDS else
               f"{place}{record.reason}")
        remarks.append(f"{ends}: {why}")
    return Imported(record, tuple(remarks), names, tuple(replay.ids))


def _unknown(log: Log, game: GameLog) -> list[str]:
    """Return a message that counts the notes of unknown types, if there are any."""
    found = sorted(log.unknown(game.kinds).items())
    counts = ", ".join(f"{some_types([kind])} ({count})" for kind, count in found[:NAMED_TYPES])
    more = f" and {len(found) - NAMED_TYPES} more" if len(found) > NAMED_TYPES else ""
    return [f"unknown types of notes: {counts}{more}"] if found else []


def _names(log: Log, saved: Saved) -> Mapping[str, str]:
    found = dict(log.players)
    if saved.table is not None and "players" in saved.table:
        for entry in saved.table["players"].numbered():
            if "id" in entry and "name" in entry and isinstance(entry["name"].value, str):
                found.setdefault(identity(entry["id"]), entry["name"].value)
    return found


def _digest(start: Position, moves: Sequence[str]) -> str:
    """Return an id that depends only on the opening and the moves."""
    text = "\n".join([format_position(start, "code"), *moves])
    return f"bga-{hashlib.sha256(text.encode()).hexdigest()[:DIGEST]}"


def numbered(games: Sequence[Imported]) -> tuple[list[GameRecord], list[str]]:
    """Return the records with players called `player 1` and so on, and notes on who that is.

    Player 1 plays in most of the games. Of a single game its own notes say who sits where.
    """
    played = Counter(player for game in games for player in game.ids)
    numbers = {player: number for number, (player, _) in enumerate(played.most_common(), 1)}
    known = {player: name for game in games
             for player, name in zip(game.ids, game.names, strict=False) if name}
    notes = [f"player {number} is {shown(known[player])}"
             for player, number in list(numbers.items())[:MOST_NAMED] if player in known]
    return [_numbered(game, numbers) for game in games], notes if len(games) > 1 else []


def _numbered(game: Imported, numbers: dict[str, int]) -> GameRecord:
    labels = [f"player {numbers[player]}" for player in game.ids]
    agents = tuple({**agent, "name": label} for agent, label in zip(
        game.record.agents, [*labels, *("player ?" for _ in game.record.agents)], strict=False))
    return replace(game.record, agents=agents)

"""Score attack: a game for one against levels, with draws that the seed alone determines, and par.

No rulebook has rules for a game of one; this is ours. One person plays seat 0 against a level of
the engine. Draws are tied to the seed (`luck`), and so are the searches of the levels:
everybody who takes the seed has the same luck and the same opponents. *Par* is what the best agent
scores in the person's place: the mean of ten games that differ by the simulations of its searches,
since within a round the search leaves nothing to chance.
"""

from __future__ import annotations

import datetime
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import win_shares
from pavilion_ai.bounds import MAX_SEED
from pavilion_ai.errors import PavilionError, RecordError, named_move, shown
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.luck import draw_tied
from pavilion_ai.play import HUMAN, Play
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord
from pavilion_ai.seeds import derived_seed, table_seed
from pavilion_ai.stats.estimate import mean_with_error
from pavilion_ai.untrusted import Node, refusal
from pavilion_ai.wording import plural

SOLO_KEY = "solo"
"""Key of a record that marks a solo game: `{"level": 5}`."""
UNOFFICIAL = "a solo game is unofficial: no rulebook has rules for it"
PERSON = 0
"""Seat of the person."""
LEVEL = 5
RULE = 0
"""In place of a level: the others draft by a fixed rule, as with the real box."""
MAX_SOLO_LEVEL = 9
"""Level 10 searches by time, so its games cannot be played again."""
_KIND = re.compile(r"([a-z]+)-([a-z]+)-([0-9])-(?:rule|level([1-9]))")
PAR_SIMS = tuple(range(400, 800, 40))
"""Simulations per decision in the games that make par."""


@dataclass(frozen=True)
class Challenge:
    """What a solo game is played on: equal challenges have equal luck and opponents."""

    game: str
    board: str
    players: int
    level: int
    seed: int

    @property
    def start(self) -> Position:
        """The first position."""
        return GAMES[self.game].new(board=self.board, players=self.players, seed=self.seed)

    @property
    def rival(self) -> str:
        """Spec of the other seats; `rule` for the fixed rule."""
        return "rule" if self.level == RULE else f"default:level={self.level}"

    @property
    def seats(self) -> tuple[str, ...]:
        """Specs of the seats, as in a record."""
        return (HUMAN, *[self.rival] * (self.players - 1))

    @property
    def name(self) -> str:
        """Name of its game in a record."""
        return f"{SOLO_KEY}-{self.seed}"

    @property
    def mark(self) -> dict[str, Any]:
        """What marks the record of its game, for `GameRecord.extra`."""
        return {SOLO_KEY: {"level": self.level}}

    @property
    def kind(self) -> str:
        """Name of the challenges that differ from this one by the seed only."""
        rivals = "rule" if self.level == RULE else f"level{self.level}"
        return f"{self.game}-{self.board}-{self.players}-{rivals}"

    @classmethod
    def named(cls, kind: str, seed: int) -> Challenge | None:
        """Return the challenge whose `kind` is given, None if there is no such kind.

        >>> Challenge.named("azul-grey-3-rule", 7)
        Challenge(game='azul', board='grey', players=3, level=0, seed=7)
        """
        found = _KIND.fullmatch(kind)
        if found is None or found[1] not in GAMES:
            return None
        game, board, players, level = found[1], found[2], int(found[3]), int(found[4] or RULE)
        rules = GAMES[game]
        if board not in rules.boards or not rules.min_players <= players <= rules.max_players:
            return None
        return cls(game, board, players, level, seed)

    @classmethod
    def of(cls, record: GameRecord) -> Challenge:
        """Return the challenge of a record.

        Raises:
            RecordError: it is not a solo game, or has a seed that none can have.
        """
        if SOLO_KEY not in record.extra:
            raise RecordError(f"record {shown(record.id)}: is not a solo game")
        node = Node(record.extra[SOLO_KEY], SOLO_KEY,
                    refusal(RecordError, f"record {shown(record.id)}"))
        node.mapping()
        level = node["level"].whole(RULE, MAX_SOLO_LEVEL)
        if not 0 <= record.seed <= MAX_SEED:
            raise RecordError(f"record {shown(record.id)}: seed: found {shown(record.seed)},"
                              f" expected a whole number from 0 to {MAX_SEED}")
        return cls(*record.start.variant, level, record.seed)


def seed_of_day(day: datetime.date) -> int:
    """Return the seed of a day.

    >>> seed_of_day(datetime.date(2026, 1, 31)) == seed_of_day(datetime.date(2026, 1, 31))
    True
    """
    return derived_seed(SOLO_KEY, day.isoformat())


def draw(play: Play, challenge: Challenge) -> str:
    """Make the chance move that is due, and return it."""
    refills = sum(move.startswith("supply:") for move in play.moves)
    return draw_tied(play, seed=challenge.seed, refill=refills + 1)


def score(play: Play) -> tuple[int, float]:
    """Return the person's points of a finished game, and the share of the victory."""
    scores = play.scores()
    return scores[PERSON], win_shares(play.winners(), len(scores))[PERSON]


class Drafter(Agent):
    """Takes tiles by a fixed public rule and never places any (docs/RULES.md, part E)."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        """Return the move of the rule: it depends on the position alone."""
        position: Any = play.position
        legal = list(play.legal_moves)
        if play.phase != "draft":
            return "pass:-" if "pass:-" in legal else legal[0]
        letters = play.rules.colours
        sources = [("C", position.centre)]
        sources[:0] = [(f"D{number}", tiles) for number, tiles in enumerate(position.displays, 1)]
        for place, tiles in sources:  # leftmost first, the centre last
            moves = [move for move in legal if move.startswith(f"{place}:")
                     and (">" not in move or move.endswith(">F"))]
            if moves:
                return min(moves, key=lambda move: _preference(
                    letters.index(move[len(place) + 1]), tiles))
        return legal[0]


def _preference(colour: int, tiles: Sequence[int]) -> tuple[int, int]:
    """Rank a colour: the most tiles, then the order of the rules."""
    return -tiles[colour], colour


# -- par -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Par:
    """What the best agent reaches: means over `games` games with their standard errors.

    The games differ only by the length of the searches, so errors tell how much that matters.

    Attributes:
        points: final score.
        points_error: its standard error, 0 if all games were equal, which tells nothing of it.
        win: share of the victory, from 0 to 1.
        win_error: its standard error.
        games: number of games.
    """

    points: float
    points_error: float
    win: float
    win_error: float
    games: int


def par(
    challenge: Challenge,
    sims: Sequence[int] = PAR_SIMS,
    *,
    stopped: Callable[[], bool] = lambda: False,
) -> Par | None:
    """Let the best agent play a challenge; the same challenge gives the same par.

    Args:
        challenge: what to play.
        sims: simulations per decision of each game.
        stopped: asked before every decision whether to give up.

    Returns:
        None if it was stopped.
    """
    found = []
    for effort in sims:
        play = _played(challenge, f"default:sims={effort}", stopped)
        if play is None:
            return None
        found.append(score(play))
    points, points_error = mean_with_error([points for points, _ in found])
    win, win_error = mean_with_error([share for _, share in found], limits=(0, 1))
    return Par(points, points_error, win, win_error, len(found))


def _played(challenge: Challenge, agent: str, stopped: Callable[[], bool]) -> Play | None:
    """Play a challenge to its end with an agent in the person's place."""
    play = Play(challenge.start, seed=challenge.seed)
    best, rivals = make_agent(agent), rivals_of(challenge)
    while not play.is_over():
        if stopped():
            return None
        move = due(play, challenge, rivals)
        if move is None:
            move = best.choose(play, seed=derived_seed("par", challenge.seed, len(play.plies)))
        play.push(move)
    return play


def rivals_of(challenge: Challenge) -> dict[int, Agent]:
    """Return the players of the other seats."""
    return {seat: Drafter() if challenge.level == RULE else make_agent(challenge.rival)
            for seat in range(1, challenge.players)}


def due(play: Play, challenge: Challenge, rivals: Mapping[int, Agent]) -> str | None:
    """Return the draw or the rival's move that follows, as `pavilion play` seeds its searches.

    Args:
        play: stays as it is.
        rivals: players by seat, of which moves are wanted.

    Returns:
        None if another seat is to move, or the game is over.
    """
    if play.turn is None:
        return None if play.is_over() else draw(play.copy(), challenge)
    if play.turn not in rivals:
        return None
    return rivals[play.turn].choose(play, seed=table_seed(challenge.seed, len(play.plies)))


def replayed(challenge: Challenge, moves: Sequence[str]) -> Play:
    """Play a challenge with the moves of the person; those of the others and draws come by it.

    Returns:
        the play where the moves end, or the game.

    Raises:
        MoveError: a move is illegal; the message begins with its number.
        RecordError: there are moves after the end of the game.
    """
    rivals, left = rivals_of(challenge), deque(moves)
    play = Play(challenge.start, seed=challenge.seed)
    while not play.is_over():
        move = due(play, challenge, rivals)
        if move is None and not left:
            break
        if move is None:
            with named_move(len(moves) - len(left) + 1):
                play.push(left.popleft())
        else:
            play.push(move)
    if left:
        raise RecordError(f"found {plural(len(left), 'move')} after the end of the game")
    return play


# -- checking --------------------------------------------------------------------------------


def followed(challenge: Challenge, moves: Sequence[str], rivals: Mapping[int, Agent]) -> Play:
    """Play recorded moves, in which draws and the moves of rivals have to be those that are due.

    Args:
        moves: all, draws included.
        rivals: those that play again, by seat; the moves of the others are taken as they are.

    Raises:
        RecordError: a move is another one than is due, or illegal; names its number.
    """
    play = Play(challenge.start, seed=challenge.seed)
    for number, move in enumerate(moves, 1):
        expected = due(play, challenge, rivals)
        if expected is not None and move != expected:
            raise RecordError(f"move {number}: found {shown(move)}, expected {expected}")
        try:
            play.push(move)
        except PavilionError as error:
            raise RecordError(f"move {number}: {error}") from None
    return play


def faults(record: GameRecord) -> Iterator[str]:
    """Yield what is wrong with the record of a solo game: start, agents, draws, rivals' moves.

    Raises:
        RecordError: it is not a solo game.
    """
    challenge = Challenge.of(record)
    if record.start != challenge.start:
        yield "the start is not that of the seed"
        return
    for seat, (agent, spec) in enumerate(zip(record.agents, challenge.seats, strict=True)):
        if agent.get("spec") != spec:
            yield f"agents[{seat}].spec: found {shown(agent.get('spec'))}, expected {spec}"
    try:
        play = followed(challenge, record.moves, rivals_of(challenge))
    except RecordError as error:
        yield str(error)
        return
    yield from record.end_faults(play.position)

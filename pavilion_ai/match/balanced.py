"""Make balanced positions to start games from, by the judgement of the engine.

A try deals a new game, lets the network's policy play it up to the first draft of a round, and has
the result searched. It is balanced if every seat's chance to win is within a band around its fair
share. Each position has seeds of its own, so it depends on its number and on nothing that other
positions or processes do.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import uninterrupted
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.seeds import derived_seed

PLAYER, JUDGE = "policy", "default"
"""Agents that play up to the position and that judge it."""
FIRST_LOOK = 8
"""A try is searched first with this fraction of the simulations; one far off is dropped then."""
FAR = 3.0
"""Times the band that a first look may be off."""


@dataclass(frozen=True)
class Wanted:
    """What positions are wanted.

    Attributes:
        game, board, players: the variant.
        round: the round at whose first draft they stand.
        band: how far a seat's chance to win may be from its fair share, 0 to 1.
        sims: simulations of the search that judges a position.
        tries: most deals that are tried for a position.
        seed: seed of all random choices.
    """

    game: str
    board: str
    players: int
    round: int
    band: float
    sims: int
    tries: int
    seed: int


@dataclass(frozen=True)
class Balanced:
    """The result of looking for a position.

    Attributes:
        number: number of the position, from 1.
        code: the position in code form; the closest one if none was balanced.
        wins: chances to win by seat.
        tries: deals tried.
        found: whether it is balanced.
    """

    number: int
    code: str
    wins: tuple[float, ...]
    tries: int
    found: bool

    @property
    def off(self) -> float:
        """How far a seat is from its fair share at most."""
        return max(abs(win - 1 / len(self.wins)) for win in self.wins)


def make_opening(wanted: Wanted, number: int) -> Balanced:
    """Look for one position.

    Args:
        number: number of the position, from 1.
    """
    closest: Balanced | None = None
    for trial in range(1, wanted.tries + 1):
        seed = derived_seed("opening", wanted.seed, number, trial)
        play = _played(wanted, seed)
        if play is None:
            continue
        now = _judged(wanted, play, seed, number, trial)
        if closest is None or now.off < closest.off:
            closest = now
        if now.found:
            return now
    if closest is None:  # no try came to the round
        return Balanced(number, "", (), wanted.tries, found=False)
    return Balanced(number, closest.code, closest.wins, wanted.tries, found=False)


def _played(wanted: Wanted, seed: int) -> Play | None:
    """Return a game at the first draft of the round; None if it ended before."""
    play = Play.new(wanted.game, board=wanted.board, players=wanted.players, seed=seed)
    agent = make_agent(PLAYER)
    while play.state.round < wanted.round or play.turn is None:
        if play.is_over():
            return None
        if play.turn is None:
            play.draw_once()
        else:
            play.push(agent.choose(play, seed=seed))
    return play if play.phase == "draft" else None


def _judged(wanted: Wanted, play: Play, seed: int, number: int, trial: int) -> Balanced:
    """Search a position, first briefly, and tell whether it is balanced."""
    judge = make_agent(JUDGE)
    for sims, band in ((max(1, wanted.sims // FIRST_LOOK), FAR * wanted.band),
                       (wanted.sims, wanted.band)):
        found = uninterrupted(
            judge.analyse(Play(play.position), Limits(sims=sims), seed=seed))
        result = Balanced(number, play.code(), found.root.win_prob, trial, found=True)
        if result.off > band:
            break
    else:
        return result
    return Balanced(number, result.code, result.wins, trial, found=False)

"""What the evaluation networks say of many positions, as arrays.

>>> from pavilion_ai import Evaluator, Play
>>> plays = [Play.new("summer", players=2, seed=seed) for seed in range(3)]
>>> found = Evaluator("summer-coloured-2").evaluate(plays)
>>> found.win.shape, found.policy.shape
((3, 2), (3, 581))
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pavilion_ai import _core
from pavilion_ai.envs.actions import Array, num_actions
from pavilion_ai.errors import NetworkError, PavilionError, SpecError, reason_of, shown
from pavilion_ai.games import GAMES, variants
from pavilion_ai.network import Header, load_network, read_network, shipped
from pavilion_ai.play import Play
from pavilion_ai.search import tunables_for
from pavilion_ai.wording import variant_in_words

__all__ = ["NETWORKS", "Evaluations", "Evaluator"]

NETWORKS = {
    f"{rules.name}-{board}-{players}": (rules.name, board, players)
    for rules, board, players in variants()
}
"""Names of the shipped networks, and their variants."""


@dataclass(frozen=True, eq=False)
class Evaluations:
    """What a network says of n positions; columns of seats are in the order of the game.

    Attributes:
        win: float64 [n, players], expected share of the victory; rows sum to 1. In a game that is
            over, the result.
        lead: float64 [n, players], squashed lead over the best other seat: 0.5 is level, 1 far
            ahead.
        gain: float64 [n, players], points still to come, final bonuses included.
        policy: float32 [n, num_actions], priors of the actions that the search looks at; 0 for
            all others. Rows sum to 1, or are all 0 where no seat is to move.
    """

    win: Array
    lead: Array
    gain: Array
    policy: Array

    def __len__(self) -> int:
        return len(self.win)


class Evaluator:
    """An evaluation network, which a search asks for values and priors.

    Args:
        network: name of a shipped network, such as `summer-coloured-2`, or a network file.

    Attributes:
        game, board, players: the variant.
        network: the network.
        tunables: those with which a search uses it; `width` squashes the lead, `temperature` and
            `mixed` make priors of the policy.

    Raises:
        SpecError: there is no such network. NetworkError: the file is damaged.
    """

    def __init__(self, network: str | os.PathLike[str]) -> None:
        if not isinstance(network, (str, os.PathLike)):
            raise SpecError(f"network {shown(network)}: expected a name or a file")
        name = os.fspath(network)
        if name in NETWORKS:
            self.game, self.board, self.players = NETWORKS[name]
            found = shipped(*NETWORKS[name])
        else:
            found, header = _from_file(name)
            self.game, self.board, self.players = header.game, header.board, header.players
        self.network, self._name = found, name
        self.tunables = tunables_for(GAMES[self.game], found)

    def evaluate(self, plays: Iterable[Play]) -> Evaluations:
        """Evaluate the current positions of games of the network's variant.

        The numbers are bit for bit those of a search with this network. A search also solves some
        endings exactly, and with more than two players it may mix in what the other seats' moves
        tell about them (docs/search.md); neither is done here.

        Raises:
            SpecError: a game is of another variant, or these are not games.
            PavilionError: tiles are to be drawn within a round; between rounds is allowed.
        """
        if isinstance(plays, Play) or not isinstance(plays, Iterable):
            raise SpecError(f"plays: found {shown(plays)}, expected a list of plays")
        plays = list(plays)
        for number, play in enumerate(plays):
            if not isinstance(play, Play):
                raise SpecError(f"game {number}: found {shown(play)}, expected a Play")
            if play.start.variant != (self.game, self.board, self.players):
                raise SpecError(f"game {number}: {variant_in_words(play.start.variant)}, expected"
                                f" {self.game}, {self.board}, {self.players}")
            if play.chance and not play.state.between_rounds:
                raise PavilionError(f"game {number}: tiles are to be drawn, expected a decision, a"
                                    " position between two rounds, or the end")
        win, lead, gain = (np.empty((len(plays), self.players)) for _ in range(3))
        policy = np.empty((len(plays), num_actions(self.game, self.board, self.players)),
                          np.float32)
        _core.network_estimates(self.network, [play.state for play in plays],
                                (win, lead, gain, policy), **self.tunables)
        return Evaluations(win, lead, gain, policy)

    def __copy__(self) -> Evaluator:  # with the network that the file held
        return self

    def __deepcopy__(self, memo: object) -> Evaluator:
        return self

    def __reduce__(self) -> tuple[type[Evaluator], tuple[str]]:
        return type(self), (self._name,)

    def __repr__(self) -> str:
        return f"<Evaluator of {self.game}, {self.board}, {self.players} players>"


def _from_file(name: str) -> tuple[_core.Network, Header]:
    try:
        return load_network(name), read_network(name)[0]
    except NetworkError:
        raise
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else "no valid name of a file"
        raise SpecError(f"network {shown(name)}: expected one of {', '.join(NETWORKS)}, or a file"
                        f" ({why})") from None

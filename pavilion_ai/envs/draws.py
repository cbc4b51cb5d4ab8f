"""A game whose draws are made tile by tile from outside, the setup's too: for explicit chance."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.envs.actions import Array, move_of
from pavilion_ai.envs.observations import observation_parts, observe
from pavilion_ai.errors import IllegalMoveError, shown
from pavilion_ai.games import rules_for
from pavilion_ai.notation import format_tiles, parse_position, to_json
from pavilion_ai.play import Play

__all__ = ["DrawnGame"]


class DrawnGame:
    """A game from before its setup: first the starting seat, then every tile is an outcome.

    Attributes:
        play: the game; None during the setup.

    Raises:
        SpecError: there is no such variant.
    """

    def __init__(self, game: str, board: str, players: int) -> None:
        rules = rules_for(game, board, players)
        self.game, self.board, self.players = game, board, players
        self.play: Play | None = None
        self.start: int | None = None
        self._letters = rules.colours
        self._parts = {part.name: part for part in observation_parts(game, players)}
        order = list(self._parts)
        self._discards_name = order[order.index("bag") + 1]
        self.bag: list[int] = []
        self.discards: list[int] = []
        self.drawn: list[int] = []
        seen = observe(Play.new(game, board=board, players=players, seed=0))
        tiles = self._of(seen, "bag") + self._of(seen, "displays").sum(axis=0)
        due = self._display_tiles
        if "supply" in self._parts:
            tiles = tiles + self._of(seen, "supply")
            due += self._parts["supply"].high
        self._wait(tiles.tolist(), [0] * len(self._letters), due)

    def _of(self, seen: Array, name: str) -> Array:
        return self._parts[name].of(seen)

    @property
    def _display_tiles(self) -> int:
        part = self._parts["displays"]
        return part.high * part.shape[0]

    def _wait(self, bag: list[int], discards: list[int], due: int) -> None:
        """Wait for tiles, as many as there are if they are fewer than `due`."""
        self.bag, self.discards, self.drawn = bag, discards, []
        self.due = min(due, sum(bag) + sum(discards))
        self._pour()

    def _pour(self) -> None:
        """Refill an empty bag from the discards (RULES A9, B7)."""
        if not any(self.bag):
            self.bag, self.discards = self.discards, self.bag

    @property
    def chance(self) -> bool:
        """Whether an outcome is due."""
        return self.play is None or self.play.chance is not None

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes, seats or colours, with their probabilities.

        Raises:
            IllegalMoveError: no outcome is due.
        """
        if not self.chance:
            raise IllegalMoveError("no outcome is due here")
        if self.start is None:
            return [(seat, 1 / self.players) for seat in range(self.players)]
        total = sum(self.bag)
        return [(colour, tiles / total) for colour, tiles in enumerate(self.bag) if tiles]

    def draw(self, outcome: int) -> None:
        """Take an outcome. IllegalMoveError if it is not possible, or none is due."""
        if outcome not in [possible for possible, _ in self.outcomes()]:
            raise IllegalMoveError(f"outcome {shown(outcome)} is not possible here")
        if self.start is None:
            self.start = outcome
            return
        self.bag[outcome] -= 1
        self.drawn.append(outcome)
        self._pour()
        if len(self.drawn) == self.due:
            self._fill()

    def act(self, action: int) -> None:
        """Play an action. IllegalMoveError if it is not legal, or an outcome is due."""
        if self.play is None:
            raise IllegalMoveError("the setup is not complete")
        self.play.push(move_of(self.play, action))
        self._look()

    def _look(self) -> None:
        """Find out which tiles are due."""
        if self.play is None or not self.play.chance:
            return
        seen = observe(self.play, 0)
        due = self._display_tiles
        if self.play.chance == "supply":
            due = self._parts["supply"].high - int(self._of(seen, "supply").sum())
        self._wait(self._of(seen, "bag").tolist(),
                   self._of(seen, self._discards_name).tolist(), due)

    def _fill(self) -> None:
        """Put the tiles drawn where they belong."""
        if self.play is None:
            self._set_up()
        elif self.play.chance == "supply":
            self.play.push("supply:" + self._text(self.drawn))
        else:
            self.play.push("deal:" + ",".join(self._displays(self.drawn)))
        self._look()

    def _set_up(self) -> None:
        position = to_json(Play.new(self.game, board=self.board, players=self.players, seed=0,
                                    start_player=self.start).position)
        first = self.due - self._display_tiles        # A4: the supply is filled first
        if first:
            position["supply"] = self._text(self.drawn[:first])
        position["displays"] = self._displays(self.drawn[first:])
        position["bag"] = format_tiles(tuple(self.bag), self._letters)
        self.play = Play(parse_position(position).position)

    def _displays(self, tiles: Sequence[int]) -> list[str]:
        part = self._parts["displays"]
        return [self._text(tiles[part.high * place : part.high * (place + 1)])
                for place in range(part.shape[0])]

    def _text(self, tiles: Sequence[int]) -> str:
        counts = tuple(tiles.count(colour) for colour in range(len(self._letters)))
        return format_tiles(counts, self._letters)

    def outcome_text(self, outcome: int) -> str:
        """Return an outcome in words."""
        return f"start {outcome}" if self.start is None else f"draw {self._letters[outcome]}"

    def history_text(self) -> str:
        """Return the start and all that happened since, in one line."""
        waiting = f"start {self.start}, drawn {self.drawn}"
        if self.play is None:
            return waiting
        moves = " ".join((Play(self.play.start).code(), *self.play.moves))
        return f"{moves}, drawn {self.drawn}" if self.chance else moves

    def text(self) -> str:
        """Return the position in one line."""
        if self.play is None:
            return self.history_text()
        return self.play.code() + (f", drawn {self.drawn}" if self.chance else "")

    def __deepcopy__(self, memo: object) -> DrawnGame:
        other = DrawnGame.__new__(DrawnGame)
        other.__dict__.update(self.__dict__)
        other.play = None if self.play is None else self.play.copy()
        other.bag, other.discards = self.bag.copy(), self.discards.copy()
        other.drawn = self.drawn.copy()
        return other

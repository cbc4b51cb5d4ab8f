"""Recipes: all settings that determine the result of a training run, as one JSON file.

    name            of the recipe, by default that of its file without the ending
    game, board, players, seed, hidden          of the network
    start           network to start from: the name of a shipped one, a file, the folder of a run,
                    or `recipe:NAME`, whose run then comes first; null: from scratch
    learner         options of the learner, the same throughout
    each            settings of every generation (`Generation`)
    generations     list of changes to `each`, one per generation (`times`: repetitions)
    finish          last learning of the final network, at a falling rate (`Finish`), or null

Missing settings have defaults. `Recipe.to_json` writes everything, without `each`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pavilion_ai.bounds import MAX_GAMES, MAX_SEED, ranged
from pavilion_ai.errors import PavilionError, file_fault, shown
from pavilion_ai.frozen import freeze
from pavilion_ai.games import DEFAULT_GAME, GAMES
from pavilion_ai.network import hidden_sizes
from pavilion_ai.stats.sprt import LARGEST_ELO
from pavilion_ai.train.losses import Settings
from pavilion_ai.train.samples import FOLLOW
from pavilion_ai.tunables import LINEAR, TUNABLES
from pavilion_ai.untrusted import Node, refusal, strict_json

RECIPES = Path(__file__).with_name("recipes")
DEFAULT = "default"
"""Name of the default recipe."""
OF_RECIPE = "recipe:"
"""Prefix of a start that is the result of a recipe's run."""
MAX_RECIPE_BYTES = 1 << 20
MOST_GENERATIONS = 1000


class RecipeError(PavilionError):
    """A recipe is invalid, or differs from that of the run."""


@dataclass(frozen=True)
class Learning(Settings):
    """Options of the learner: its settings, and those below.

    Attributes:
        follow: weight of later values in the value targets.
        threads: number of threads; sums, hence the last digits, depend on it. More threads than
            free processors make learning much slower: each step waits for all of them.
        symmetry: whether samples are turned at random (`pavilion_ai.train.symmetry`).
    """

    follow: float = ranged(FOLLOW, 0, 1)
    threads: int = ranged(1, 1, 256)
    symmetry: bool = field(default=False, metadata={"later": True})


@dataclass(frozen=True)
class Gate:
    """A match that a new network must not lose to take the place of the best one so far.

    Attributes:
        pairs: number of deals, each played from every seat; with `sprt` the maximum.
        sims: simulations per decision.
        sprt: bounds of the sequential test in normalised Elo, or None.
    """

    pairs: int = ranged(100, 1, 10**6)
    sims: int = ranged(200, 1, 10**6)
    sprt: tuple[float, float] | None = None


@dataclass(frozen=True)
class Generation:
    """Games by the best network so far, then learning from the latest games.

    Attributes:
        games: number of games to play.
        full_sims: simulations of a full search; the policy learns only from these.
        fast_sims: simulations of any other search.
        full_share: share of decisions with a full search.
        noise: share of root noise in the priors of a full search.
        drawn_share: share of decisions drawn in proportion to the visits.
        record_share: share of the other searches that become samples.
        tunables: changes to the tunables of the search; immutable.
        window: number of latest games to learn from.
        passes: number of passes over their samples.
        rate: learning rate.
        end_rate: rate at the end of a linear decay; None: constant.
        warm_up: steps of the run in which the rate rises from 0.
        gate: match against the best network; None: the new network always takes over.
    """

    games: int = ranged(4000, 1, MAX_GAMES)
    full_sims: int = ranged(600, 2, 10**6)
    fast_sims: int = ranged(120, 1, 10**6)
    full_share: float = ranged(0.3, 0, 1)
    noise: float = ranged(0.15, 0, 1)
    drawn_share: float = ranged(0.1, 0, 1)
    record_share: float = ranged(1.0, 0, 1, later=True)
    tunables: Mapping[str, Any] = field(default_factory=dict, hash=False)
    window: int = ranged(20000, 1, 10**9)
    passes: float = ranged(2.0, 0.001, 1000)
    rate: float = ranged(2e-3, 0, 1)
    end_rate: float | None = ranged(None, 0, 1)
    warm_up: int = ranged(200, 0, 10**6)
    gate: Gate | None = None

    def __post_init__(self) -> None:
        freeze(self, "tunables")


@dataclass(frozen=True)
class Calibration:
    """Games of the finished network, without noise, that calibrate its win probabilities.

    Attributes:
        games: number of games to play.
        sims: simulations per decision.
    """

    games: int = ranged(1000, 1, MAX_GAMES)
    sims: int = ranged(200, 1, 10**6)


@dataclass(frozen=True)
class Finish:
    """The last learning, from a copy of the learner; names as in `Generation`.

    Attributes:
        anew: learn from scratch instead, with a first layer shared between seats
            (`pavilion_ai.train.seats`).
        start_share: share of the starting network's weights in the result, which is the weighted
            mean of the two: its policy errs less than either's (docs/experiments.md).
    """

    window: int = ranged(20000, 1, 10**9)
    passes: float = ranged(2.0, 0.001, 1000)
    rate: float = ranged(2e-3, 0, 1)
    end_rate: float | None = ranged(0.0, 0, 1)
    warm_up: int = ranged(0, 0, 10**6)
    anew: bool = field(default=False, metadata={"later": True})
    start_share: float = ranged(0.0, 0, 1, later=True)
    calibration: Calibration | None = None
    gate: Gate | None = None


PARTS = {"gate": Gate, "calibration": Calibration}


@dataclass(frozen=True)
class Recipe:
    """A training run, all defaults filled in; see the module."""

    name: str = DEFAULT
    game: str = DEFAULT_GAME
    board: str = "coloured"
    players: int = 2
    seed: int = 1
    hidden: tuple[int, int] = (128, 32)
    start: str | None = None
    learner: Learning = field(default_factory=Learning)
    generations: tuple[Generation, ...] = (Generation(),)
    finish: Finish | None = None

    @property
    def variant(self) -> str:
        """Game, board and players as in the names of network files."""
        return f"{self.game}-{self.board}-{self.players}"

    def has_room_for(self, hidden: tuple[int, int]) -> bool:
        """Tell whether a network with these hidden layers can be the start of a run."""
        return self.widened(hidden) == self

    def widened(self, hidden: tuple[int, int]) -> Recipe:
        """Return the recipe with at least these hidden layers."""
        first, second = map(max, self.hidden, hidden)
        return replace(self, hidden=(first, second))

    def check_room(self, start: Path | str, hidden: tuple[int, int]) -> None:
        """Refuse a network to start from that is larger.

        Args:
            start: name of the network, for the message.
            hidden: its hidden layers.

        Raises:
            RecipeError: it is larger; the message tells what has room for it.
        """
        if not self.has_room_for(hidden):
            raise RecipeError(
                f"{start}: a network of hidden layers {list(hidden)}, expected at most"
                f" {list(self.hidden)}; \"hidden\": {list(self.widened(hidden).hidden)} in the"
                " recipe has room for it")

    @property
    def mixes(self) -> bool:
        """Whether the result is mixed with the network to start from."""
        return self.finish is not None and self.finish.start_share > 0

    def check_mixing(self, start: Path | str, board: str, players: int) -> None:
        """Refuse a network to start from that `finish.start_share` cannot mix with the result.

        Args:
            start: name of the network, for the message.
            board, players: those of the network.

        Raises:
            RecipeError: it is for another variant than the recipe.
        """
        if self.mixes and (board, players) != (self.board, self.players):
            raise RecipeError(f"{start}: a network for {board}, {players} players, which"
                              " finish.start_share cannot mix with the result")

    def to_json(self) -> dict[str, Any]:
        """Return the complete recipe in the form of a file."""
        data: dict[str, Any] = _data(self)
        return data

    def sha256(self, generations: int | None = None) -> str:
        """Return the hash of the recipe, or of its part up to a generation without `finish`."""
        data = _data(self, hashed=True)
        if generations is not None:
            data["generations"] = data["generations"][:generations]
            del data["finish"]
        return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def changed(self, generations: int | None = None, **changes: Any) -> Recipe:
        """Return the recipe with changes, None meaning none; those of `Generation` to each.

        Args:
            generations: number of generations; additional ones are like the last.

        Raises:
            RecipeError: a value is impossible.
        """
        data, given = self.to_json(), {k: v for k, v in changes.items() if v is not None}
        for name, value in given.items():
            if name in _names(Recipe):
                data[name] = value
            elif name in _names(Learning):
                data["learner"][name] = value
            else:
                for generation in data["generations"]:
                    generation[name] = value
        if generations is not None:
            data["generations"] = (
                data["generations"][:generations]
                + [data["generations"][-1]] * (generations - len(data["generations"])))
        return parse_recipe(data)


def _data(value: Any, hashed: bool = False) -> Any:
    """Return settings as JSON has them.

    Args:
        hashed: whether to leave out the defaults of options that are newer than existing runs
            (`later`), as for the hash.
    """
    if isinstance(value, tuple):
        return [_data(item, hashed) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        return value
    return {
        item.name: _data(getattr(value, item.name), hashed)
        for item in fields(value)
        if not (hashed and "later" in item.metadata and getattr(value, item.name) == item.default)
    }


# ---------------------------------------------------------------------------------------- reading


def shipped_recipes() -> list[str]:
    """Return the names of the recipes that come with the package."""
    return sorted(path.stem for path in RECIPES.glob("*.json"))


def read_recipe(source: str | Path) -> Recipe:
    """Return a recipe by its name, or from its file.

    Raises:
        RecipeError: there is no such recipe, or it is invalid.
    """
    path = Path(source)
    if str(source) in shipped_recipes():
        path = RECIPES / f"{source}.json"
    try:
        if not str(source):
            raise FileNotFoundError  # for Path it is the current folder
        with open(path, "rb") as file:
            content = file.read(MAX_RECIPE_BYTES + 1)
    except FileNotFoundError:
        raise RecipeError(f"recipe {shown(str(source))}: no such file, and none of"
                          f" {', '.join(shipped_recipes())}") from None
    except (OSError, ValueError) as error:
        raise RecipeError(f"{file_fault(source, error)}, expected a recipe") from None
    if len(content) > MAX_RECIPE_BYTES:
        raise RecipeError(f"{source}: longer than {MAX_RECIPE_BYTES} bytes, not a recipe")
    try:
        data = strict_json(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise RecipeError(f"{source}: not JSON, expected a recipe") from None
    except ValueError as error:
        raise RecipeError(f"{source}: {error}") from None
    try:
        recipe = parse_recipe(data)
    except RecipeError as error:
        raise RecipeError(f"{source}: {error}") from None
    if "name" not in data and _is_name(path.stem):
        return replace(recipe, name=path.stem)
    return recipe


def _is_name(stem: str) -> bool:
    """Tell whether a file's name can be a recipe's, which is a word."""
    try:
        Node(stem, "", refusal(RecipeError)).word()
    except RecipeError:
        return False
    return True


def parse_recipe(data: object) -> Recipe:
    """Return a recipe from JSON data.

    Raises:
        RecipeError: a setting is unknown, of the wrong type or out of range.
    """
    node = Node(data, "", refusal(RecipeError))
    node.only((*_names(Recipe), "each"))
    each = _build(Generation, node.get("each", {}))
    plain = Recipe()
    read: dict[str, Any] = {}
    if not node["name"].missing:
        read["name"] = node["name"].word()
    read["game"] = node.get("game", plain.game).choice(tuple(GAMES))
    rules = GAMES[read["game"]]
    read["board"] = node.get("board", plain.board).choice(rules.boards)
    read["players"] = node.get("players", plain.players).whole(
        rules.min_players, rules.max_players)
    read["seed"] = node.get("seed", plain.seed).whole(0, MAX_SEED)
    read["hidden"] = hidden_sizes(node.get("hidden", list(plain.hidden)))
    if "start" in node:
        read["start"] = node["start"].word()
    read["learner"] = _build(Learning, node.get("learner", {}))
    read["generations"] = tuple(_generations(node.get("generations", [{}]), each))
    if "finish" in node:
        read["finish"] = _build(Finish, node["finish"])
    recipe = Recipe(**read)
    if recipe.learner.symmetry and recipe.board != "grey":
        raise RecipeError("learner.symmetry: the grey boards alone have one")
    if recipe.finish is not None and recipe.finish.start_share:
        if recipe.start is None:
            raise RecipeError("finish.start_share: the run begins with no network")
        if recipe.finish.anew:
            raise RecipeError("finish.start_share: what is learned anew cannot be mixed with it")
    return recipe


def _generations(node: Node, each: Generation) -> Iterator[Generation]:
    left = MOST_GENERATIONS
    for changes in node.items(1, MOST_GENERATIONS, f"a list of 1 to {MOST_GENERATIONS} objects"):
        times = changes.get("times", 1).whole(1, MOST_GENERATIONS)
        left -= times
        if left < 0:
            node.fail(f"found more than {MOST_GENERATIONS} generations in all", "range")
        own = {name: value for name, value in changes.mapping().items() if name != "times"}
        yield from [_build(Generation, changes.of(own), each)] * times


def _build(cls: Any, node: Node, others: Any = None) -> Any:
    """Return an object of settings, its numbers checked.

    Args:
        others: the settings that are not there, and tunables beside those that are; None for the
            defaults.
    """
    ranges = {item.name: item.metadata.get("range") for item in fields(cls)}
    node.only(ranges)
    others = cls() if others is None else others
    read: dict[str, Any] = {}
    for name in node.mapping():
        value, range_ = node[name], ranges[name]
        if value.value is None and (name in PARTS or name in ("sprt", "half", "end_rate")):
            read[name] = None
        elif name in PARTS:
            read[name] = _build(PARTS[name], value)
        elif name == "sprt":
            read[name] = _sprt(value)
        elif name == "tunables":
            read[name] = {**others.tunables, **_tunables(value)}
        elif name == "half":
            read[name] = value.truth("true, false or null")
        elif range_ is None:
            read[name] = value.truth()
        elif range_.kind is int:
            read[name] = value.whole(range_.low, range_.high)
        else:
            read[name] = value.real(range_.low, range_.high)
    return replace(others, **read)


def _sprt(node: Node) -> tuple[float, float]:
    low, high = (bound.real(-LARGEST_ELO, LARGEST_ELO)
                 for bound in node.items(2, 2, "two numbers"))
    if low >= high:
        node.fail(f"found {low:g} and {high:g}, expected the first number to be the smaller one")
    return low, high


def _tunables(node: Node) -> dict[str, Any]:
    node.only(TUNABLES)
    for name, value in node.mapping().items():
        if not TUNABLES[name].range.takes(value):
            node[name].refuse(TUNABLES[name].range.expected)
        if name == "width" and value != LINEAR.width:
            node[name].refuse(f"{LINEAR.width:g}: leads are learned as squashed to that")
    return dict(node.mapping())


def _names(cls: Any) -> list[str]:
    return [item.name for item in fields(cls)]


# -------------------------------------------------------------------------------------- comparing


def recipes_before(recipe: Recipe) -> list[Recipe]:
    """Return the recipes whose runs precede a recipe's, the last one first.

    Raises:
        RecipeError: there is no such recipe, its network cannot be started from, or it precedes
            itself.
    """
    found: list[Recipe] = []
    while recipe.start is not None and recipe.start.startswith(OF_RECIPE):
        first = read_recipe(recipe.start.removeprefix(OF_RECIPE))
        if first.game != recipe.game:
            raise RecipeError(
                f"{recipe.start}: makes a network for {first.game}, expected {recipe.game}")
        recipe.check_room(recipe.start, first.hidden)
        recipe.check_mixing(recipe.start, first.board, first.players)
        if first in found:
            raise RecipeError(f"{recipe.start}: begins with itself")
        found.append(first)
        recipe = first
    return found


def difference(before: Recipe, after: Recipe, begun: int) -> str | None:
    """Return in words why a run cannot be resumed with another recipe; None if it can.

    Generations that have not begun may differ in settings and number, and so may the finish.

    Args:
        begun: number of generations that have begun.
    """
    if len(after.generations) < begun:
        return f"generations: {begun} begun, {len(after.generations)} here"
    one, other = (
        dict(_leaves({**recipe.to_json(), "generations": recipe.to_json()["generations"][:begun]},
                     ""))
        for recipe in (before, after)
    )
    for place in [*one, *other]:
        if place.partition(".")[0] in ("name", "finish"):
            continue
        if one.get(place) != other.get(place):
            there, here = (shown(leaves.get(place)) for leaves in (one, other))
            return f"{place}: {there} there, {here} here"
    return None


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, f"{place}[{number}]")
    else:
        yield place, value

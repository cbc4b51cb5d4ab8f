"""Tunables of the search: name, type, range, default, option of a spec and meaning, each once.

Everything else derives from `Tunables`: the options of agents (`spec`), the settings of training
recipes (`train.recipe`), the keywords of the core's `Search` and `SelfPlay`, each game's own values
(`games`), and the tables in docs/search.md (`tools/tunables_table.py`); docs/experiments.md has the
measurements behind the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

from pavilion_ai._core import SELECT_EVEN, SELECT_PUCT, SELECT_UCB
from pavilion_ai.bounds import Range, ranged
from pavilion_ai.errors import SpecError, one_of, shown

__all__ = [
    "LINEAR",
    "NETWORK",
    "SELECT_EVEN",
    "SELECT_PUCT",
    "SELECT_UCB",
    "TUNABLES",
    "WHOLE_TREE",
    "Tunable",
    "Tunables",
]

WHOLE_TREE = 1 << 16
"""Value of `stats_depth` that no tree reaches."""
MOST = 10**9
"""Bound of counts without a narrower one."""

N = TypeVar("N", int, float)


def _tunable(default: N, low: float, high: float, meaning: str, key: str = "") -> N:
    """Declare a field of `Tunables`; the arguments are the attributes of `Tunable`."""
    return ranged(default, low, high, key=key, meaning=meaning)


@dataclass(frozen=True)
class Tunables:
    """All settings of a search except its limits; immutable, see `changed`.

    The fields are the core's keywords: `Search(state, seed=1, memory_bytes=1 << 20, **tunables)`.

    Raises:
        SpecError: a value is of the wrong type or out of its range.

    >>> Tunables(temperature=0.0)
    Traceback (most recent call last):
    pavilion_ai.errors.SpecError: tunable temperature: found 0.0, expected a number from 0.05 to 100
    """

    exploration: float = _tunable(
        0.8, 0, 100, "c, the weight of the prior in PUCT ([Selection](#selection)) and of the"
        " bonus in UCB1", "c")
    spread: float = _tunable(
        0.0, 0, 1, "share of c that scales with the spread of the values below a node"
        " ([Selection](#selection))", "spread")
    growth: float = _tunable(
        0.0, 0, 10, "c is multiplied by 1 + `growth` * log2(1 + N / 1024), N the visits of the"
        " node", "growth")
    fpu_reduction: float = _tunable(
        0.1, -1, 1, "an unvisited move counts as the mean of its node less this much utility",
        "fpu")
    temperature: float = _tunable(
        1.0, 0.05, 100, "temperature of the priors: above 1 flattens them", "temperature")
    mixed: float = _tunable(
        0.05, 0, 1, "share of the prior that is spread evenly over a node's moves", "mixed")
    win_weight: float = _tunable(
        0.5, 0, 1, "share of winning in the utility; the rest is the lead", "win")
    width: float = _tunable(30.0, 1, 1000, "points at which the lead saturates", "width")
    expand_visits: int = _tunable(
        1, 0, 1000, "visits that a node needs before its children are listed", "expand")
    selection: int = _tunable(
        SELECT_PUCT, SELECT_PUCT, SELECT_EVEN, "0: PUCT; 1: UCB1; 2: every move equally often")
    uniform: int = _tunable(
        0, 0, 1, "1: no priors, all moves, uniform rollouts to the end of the game")
    max_depth: int = _tunable(
        500, 1, 500, "decisions and deals below the root that the tree may hold")
    stats_depth: int = _tunable(
        1, 1, WHOLE_TREE,
        "decisions and deals below the root for which win shares and scores are kept")
    finish: int = _tunable(
        400, 0, MOST, "positions that an exact end may cost at a leaf ([Exact ends](#exact-ends));"
        " 0: none is tried")
    deal_visits: int = _tunable(
        0, 0, MOST, "visits of a node between two rounds before deals are tried below it"
        " ([Chance](#chance)); 0: never", "deals")
    deal_spread: int = _tunable(
        3, 1, MOST, "such a node has 1 + sqrt(further visits / this) deals", "deal_spread")
    rivals: float = _tunable(
        0.0, 0, 1, "chance that another seat judges by the linear heuristics, before its moves say"
        " more ([Beliefs](#beliefs)); of no effect without a network", "rivals")
    plain: int = _tunable(
        0, 0, 1, "1: such a seat is expected to play by the linear policy within rounds too")
    share: int = _tunable(
        0, 0, 1, "1: a position reached by several orders of moves has its children once"
        " ([A node](#a-node))", "share")

    def __post_init__(self) -> None:
        for tunable in TUNABLES.values():
            value = self[tunable.name]
            number = tunable.range.number(value)
            if number is None:
                raise SpecError(f"tunable {tunable.name}: found {shown(value)}, expected"
                                f" {tunable.range.expected}")
            object.__setattr__(self, tunable.name, number)

    def keys(self) -> tuple[str, ...]:
        """Return the names: with `__getitem__`, what `**tunables` needs."""
        return tuple(TUNABLES)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def changed(self, changes: Mapping[str, Any]) -> Tunables:
        """Return these tunables with changes.

        Raises:
            SpecError: there is no such tunable, or a value is out of its range.
        """
        for name in changes:
            one_of("tunable", name, TUNABLES)
        return replace(self, **changes)

    def for_self_play(self) -> Tunables:
        """Return the tunables that a training recipe starts from.

        `share`, `growth`, `rivals` and `deal_visits` are newer than the first recipes, which must
        still give the same games: here they are 0 unless the recipe sets them.
        """
        return replace(self, share=0, growth=0.0, rivals=0.0, deal_visits=0)


@dataclass(frozen=True)
class Tunable:
    """Description of one field of `Tunables`.

    Attributes:
        name: name of the field.
        range: type and range of its values.
        default: value without a network, unless a game has its own.
        key: option of agents that sets it; empty if there is none.
        meaning: description in Markdown, with links relative to docs/search.md.
    """

    name: str
    range: Range
    default: float
    key: str
    meaning: str


TUNABLES: Mapping[str, Tunable] = MappingProxyType({
    item.name: Tunable(item.name, default=getattr(Tunables, item.name), **item.metadata)
    for item in fields(Tunables)})
"""The fields of `Tunables` by their names, in their order."""

LINEAR = Tunables()
"""Values for a search without a network, unless a game has its own (`Rules.tunables`)."""
NETWORK = replace(LINEAR, exploration=0.5, spread=0.6, share=1, deal_visits=50)
"""Values for a search with a network, unless a game has its own. With four players looking past a
deal loses, and is switched off; what other seats want is asked in base Azul alone."""

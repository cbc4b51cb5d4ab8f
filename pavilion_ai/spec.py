"""Parse specs of agents: `NAME`, `NAME:KEY=VALUE,...`, or `cmd:PROGRAM ARGS`, as `CALLED=SPEC` too.

`pavilion_ai.agents` explains the names, docs/search.md the options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pavilion_ai.bounds import (
    MAX_LEVEL,
    MAX_MEMORY_MIB,
    MAX_SECONDS,
    MAX_SIMS,
    MAX_THREADS,
    Range,
)
from pavilion_ai.clock import SHORTEST, TimeControl
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.frozen import freeze
from pavilion_ai.tunables import SELECT_EVEN, SELECT_UCB, TUNABLES

EXTERNAL = "cmd"
"""Name of external engines; the rest of their spec is a command."""

LONGEST_CALLED = 40
"""Letters of a name that a spec gives its agent."""

Value = float | int | str


class _Clock:
    """The values that a clock may have."""

    expected = (f"seconds for a game, from {SHORTEST:g} to {MAX_SECONDS:.0f}, such as 60 or, with"
                " an increment per decision, 60+0.5")

    def read(self, text: str) -> str | None:
        """Return a clock in its usual form, None if the text is not a clock."""
        try:
            return str(TimeControl.parse(text))
        except SpecError:
            return None


_Options = Mapping[str, Range | _Clock | None]
"""Keys and the ranges of their values; None: 0, 1 or a file."""

_LIMITS: _Options = {
    "sims": Range(int, 1, MAX_SIMS),
    "time": Range(float, 1e-4, 1e6),
    "clock": _Clock(),
    "pace": Range(int, 0, 1),
    "threads": Range(int, 1, MAX_THREADS),
    "memory": Range(int, 1, MAX_MEMORY_MIB),
    "reuse": Range(int, 0, 1),
}
_KEYS = {tunable.key: tunable for tunable in TUNABLES.values() if tunable.key}
_NETWORK: _Options = {"net": None}


def _tunables(keys: Iterable[str]) -> _Options:
    return {key: _KEYS[key].range for key in keys}


_OPTIONS: Mapping[str, _Options] = {
    "random": {},
    "greedy": {},
    "policy": _NETWORK,
    "flat": {**_LIMITS, **_tunables(("win", "width"))},
    "uct": {**_LIMITS, **_tunables(("c", "win", "width", "expand"))},
    "ismcts": {**_LIMITS, **_tunables(_KEYS), **_NETWORK},
    "default": {**_LIMITS, "level": Range(int, 1, MAX_LEVEL)},
}
AGENT_NAMES = tuple(_OPTIONS)
"""The agents of this package."""
OPTION_KEYS = frozenset(key for options in _OPTIONS.values() for key in options)
"""The keys of their options."""
_PLAIN: Mapping[str, Mapping[str, float]] = {
    "flat": {"selection": SELECT_EVEN, "uniform": 1, "max_depth": 1, "finish": 0},
    "uct": {"selection": SELECT_UCB, "uniform": 1, "exploration": 0.7, "fpu_reduction": 0.0,
            "finish": 0},
}
"""The searches that use neither network nor priors, and their tunables."""
_WITHOUT_MEANING = (
    ("reuse", 1, ("rivals", "share"), "whose tree is kept as it is"),
    ("net", 0, ("rivals",), "which judges linearly itself"),
)
"""An option and its value, options that have no effect with it, and the reason."""


@dataclass(frozen=True)
class AgentSpec:
    """A parsed spec.

    Attributes:
        name: one of `AGENT_NAMES`, or `EXTERNAL`.
        options: options set by the spec; immutable.
        command: program and arguments of an external engine.
        called: what the spec calls its agent in reports, empty if it does not say.
    """

    name: str
    options: Mapping[str, Value] = field(default_factory=dict)
    command: str = ""
    called: str = ""

    def __post_init__(self) -> None:
        freeze(self, "options")

    @property
    def has_limit(self) -> bool:
        """Whether the spec itself limits the search."""
        return bool(self.options.keys() & {"sims", "time", "clock"}) or self.level < MAX_LEVEL

    @property
    def searches(self) -> bool:
        """Whether limits mean anything to the agent."""
        return self.name == EXTERNAL or "sims" in _OPTIONS[self.name]

    @property
    def needs_limit(self) -> bool:
        """Whether the agent heeds limits, and its spec sets none."""
        return self.searches and not self.has_limit

    @property
    def threads(self) -> int:
        """Number of threads of its searches."""
        return int(self.options.get("threads", 1))

    @property
    def sims(self) -> int | None:
        """Limit of simulations of its searches, None if the spec sets none."""
        found = self.options.get("sims")
        return None if found is None else int(found)

    @property
    def clock(self) -> TimeControl | None:
        """The clock that the agent has for a game, None if the spec sets none."""
        found = self.options.get("clock")
        return None if found is None else TimeControl.parse(str(found))

    @property
    def net_file(self) -> str | None:
        """The file named by `net=`, if any."""
        choice = self.options.get("net")
        return choice if isinstance(choice, str) else None

    @property
    def level(self) -> int:
        """The level of play, by default `MAX_LEVEL`."""
        return int(self.options.get("level", MAX_LEVEL))

    @property
    def has_network(self) -> bool:
        """Whether an agent of this name can use a network."""
        return self.name == "default" or "net" in _OPTIONS.get(self.name, {})

    @property
    def tunables(self) -> dict[str, Value]:
        """Changes to the tunables of the search, by name."""
        given = {_KEYS[key].name: value for key, value in self.options.items() if key in _KEYS}
        return {**_PLAIN.get(self.name, {}), **given}


def parse_spec(text: str) -> AgentSpec:
    """Parse a spec.

    >>> spec = parse_spec("ismcts:sims=2000,c=0.7")
    >>> spec.name, dict(spec.options), spec.tunables
    ('ismcts', {'sims': 2000, 'c': 0.7}, {'exploration': 0.7})

    Raises:
        SpecError: if the name or an option is not known, or a value is out of its range.
    """
    if not isinstance(text, str):
        raise SpecError(f"agent {shown(text)}: expected a spec such as default or greedy")
    called, bare = split_name(text)
    name, colon, rest = bare.partition(":")
    if not names_agent(text):
        raise no_agent(text)
    if called is not None:
        _check_name(text, called)
    if name == EXTERNAL:
        if not rest.strip():
            raise SpecError(f"agent {shown(text)}: expected cmd:PROGRAM ARGS")
        return AgentSpec(name, command=rest.strip(), called=called or "")
    spec = AgentSpec(name, _options(name, rest.split(",") if colon else []), called=called or "")
    _check_together(spec)
    return spec


def split_name(text: str) -> tuple[str | None, str]:
    """Split a spec, valid or not, into the name that it gives its agent, if any, and the rest.

    >>> split_name("old = cmd:python old.py"), split_name("ismcts:c=0.5")
    (('old', 'cmd:python old.py'), (None, 'ismcts:c=0.5'))
    """
    called, equals, bare = text.partition("=")
    if not equals or ":" in called:
        return None, text.strip()
    return called.strip(), bare.strip()


def called(text: str) -> str:
    """Return what an agent is called: by the name that its spec gives it, else by the spec.

    >>> called("old=cmd:python old.py"), called("ismcts:c=0.5")
    ('old', 'ismcts:c=0.5')
    """
    return split_name(text)[0] or text


def name_of(agent: Mapping[str, str]) -> str:
    """Return what a player is called: by name if the record has it, else as its spec is `called`.

    Args:
        agent: an entry of `GameRecord.agents`.
    """
    return agent.get("name") or called(agent.get("spec", "?"))


def who_of(agent: Mapping[str, str]) -> tuple[str, str]:
    """Return `name_of` a player, and what tells the player from others: the recorded name, else
    the whole spec, since specs may give two agents one name."""
    return name_of(agent), agent.get("name") or agent.get("spec", "?")


def head_of(text: str) -> str:
    """Return what a spec, valid or not, has where the name of an agent of this package stands.

    >>> head_of("old=cmd:python old.py"), head_of("ismcts:c=0.5")
    ('cmd', 'ismcts')
    """
    return split_name(text)[1].partition(":")[0]


def names_agent(text: str) -> bool:
    """Tell whether a spec, valid or not, stands for an agent of this package or a program.

    >>> names_agent("ismcts:c=never"), names_agent("old=cmd:"), names_agent("human")
    (True, True, False)
    """
    return head_of(text) in (*AGENT_NAMES, EXTERNAL)


def no_agent(text: str, *others: str, programs: bool = True) -> SpecError:
    """Return the refusal of a spec that names no agent, by its head, or whole if it has a name.

    Args:
        others: further names that would have been taken.
        programs: whether a program would have been.
    """
    name = head_of(text) if split_name(text)[0] is None else text.strip()
    program = f", or {EXTERNAL}:PROGRAM ARGS" if programs else ""
    return SpecError(f"agent {shown(name)}: expected one of {', '.join((*others, *AGENT_NAMES))}"
                     f"{program}")


def is_program(text: str) -> bool:
    """Tell whether a spec, valid or not, stands for an external engine.

    >>> is_program("cmd:python engine.py"), is_program("default")
    (True, False)
    """
    return head_of(text) == EXTERNAL


def samples_only(text: str) -> bool:
    """Tell whether a spec, valid or not, stands for a search without network and heuristics.

    >>> samples_only("uct:sims=300"), samples_only("flat"), samples_only("ismcts")
    (True, True, False)
    """
    return head_of(text) in _PLAIN


def names_file(text: str) -> bool:
    """Tell whether a spec, which may be invalid, names a network file.

    >>> names_file("policy:net=x.bin"), names_file("policy:net=1"), names_file("nobody")
    (True, False, False)
    """
    try:
        return parse_spec(text).net_file is not None
    except SpecError:
        return False


def capped(text: str, most: int) -> str:
    """Return a spec that names no more threads than this.

    >>> capped("ismcts:threads=64,c=1", 2), capped("uct:threads=2", 2), capped("greedy", 2)
    ('ismcts:threads=2,c=1', 'uct:threads=2', 'greedy')

    Raises:
        SpecError: as `parse_spec`.
    """
    if "threads" not in text or is_program(text) or parse_spec(text).threads <= most:
        return text
    name, _, options = text.partition(":")
    parts = [f"threads={most}" if part.partition("=")[0].strip() == "threads" else part
             for part in options.split(",")]
    return f"{name}:{','.join(parts)}"


def _check_name(text: str, called: str) -> None:
    """Refuse a name that a reader could take for something else."""
    if not 0 < len(called) <= LONGEST_CALLED or not called.isprintable() or "," in called:
        raise SpecError(f"agent {shown(text)}: found the name {shown(called)}, expected 1 to"
                        f" {LONGEST_CALLED} letters without : , =")
    if called in (*AGENT_NAMES, EXTERNAL, *OPTION_KEYS):
        raise SpecError(f"agent {shown(text)}: found the name {called}, expected one that is not"
                        " that of an agent or an option")


def _options(name: str, parts: Iterable[str]) -> dict[str, Value]:
    """Read the options of an agent, each on its own."""
    known = _OPTIONS[name]
    options: dict[str, Value] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in known:
            expected = f"one of {', '.join(known)}" if known else "none"
            if not equals and any(known[given] is None for given in options):
                expected += "; a comma ends the name of a file"
            raise SpecError(f"agent {name}, option {shown(key)}: expected {expected}")
        if not equals:
            raise SpecError(f"agent {name}, option {key}: expected {key}=VALUE")
        if key in options:
            raise SpecError(f"agent {name}: option {key} is given twice")
        options[key] = _value(f"agent {name}, option {key}", known[key], value)
    return options


def _value(where: str, bounds: Range | _Clock | None, text: str) -> Value:
    """Read a number in its bounds; without bounds a file, 0 (none) or 1 (the package's own)."""
    if bounds is None:
        if not text:
            raise SpecError(f"{where}: expected 0, 1 or a file")
        return int(text) if text in ("0", "1") else text
    value = bounds.read(text)
    if value is None:
        raise SpecError(f"{where}: found {shown(text)}, expected {bounds.expected}")
    return value


def _check_together(spec: AgentSpec) -> None:
    """Raise SpecError if an option has no effect together with another one."""
    if spec.level < MAX_LEVEL and len(spec.options) > 1:
        other = next(key for key in spec.options if key != "level")
        raise SpecError(f"agent {spec.name}, option {other}: expected none beside"
                        f" level={spec.level}, which fixes its search")
    if "clock" in spec.options and "time" in spec.options:
        raise SpecError(f"agent {spec.name}, option time: expected none beside"
                        f" clock={spec.options['clock']}, which is for the whole game")
    for key, given, others, why in _WITHOUT_MEANING:
        for other in others:
            if spec.options.get(key) == given and other in spec.options:
                raise SpecError(f"agent {spec.name}, option {other}: expected none beside"
                                f" {key}={given}, {why}")

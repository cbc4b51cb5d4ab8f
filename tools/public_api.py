"""Write the listing of public names and versions, tests/data/public_api.txt."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

LISTING = Path(__file__).resolve().parent.parent / "tests" / "data" / "public_api.txt"
MODULES = (
    "pavilion_ai",
    "pavilion_ai.envs",
    *(f"pavilion_ai.envs.{name}" for name in ("actions", "observations", "rewards", "batch")),
    *(f"pavilion_ai.envs.{name}" for name in ("evaluation", "guided", "dataset")),
    *(f"pavilion_ai.envs.{name}" for name in ("pettingzoo", "gymnasium", "openspiel")),
)
VERSIONS = {
    "engine protocol": "pavilion_ai.protocol.engine.PROTOCOL",
    "notation": "pavilion_ai.notation.code.VERSION",
    "networks": "pavilion_ai.network.FORMAT",
    "data sets": "pavilion_ai.envs.dataset.FORMAT",
    "training games": "pavilion_ai.train.shards.FORMAT",
}
"""Where the versions of what other programs read stand; another is another format."""


def listing() -> str:
    """Return versions of formats and public names, these with their parameters, one per line."""
    versions = [f"version of {name}: {_named(place)}" for name, place in VERSIONS.items()]
    return "".join(f"{line}\n" for line in (*versions, *(
        line for name in MODULES for line in _module(name))))


def _named(place: str) -> object:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def _module(name: str) -> Iterator[str]:
    module = import_module(name)
    for public in sorted(module.__all__):
        yield from _value(f"{name}.{public}", getattr(module, public))


def _value(name: str, value: object) -> Iterator[str]:
    if inspect.isclass(value):
        yield f"class {name}{_parameters(value)}"
        for member in sorted(dir(value)):
            if not member.startswith("_") and not _foreign(value, member):
                yield from _member(f"{name}.{member}", inspect.getattr_static(value, member))
    elif callable(value):
        yield f"{name}{_parameters(value)}"
    else:
        yield name


def _member(name: str, value: object) -> Iterator[str]:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    yield f"{name}{_parameters(value)}" if inspect.isroutine(value) else name


def _foreign(owner: type, member: str) -> bool:
    """Tell whether a member comes from another library or from Python."""
    home = next(base for base in owner.__mro__ if member in vars(base))
    return not home.__module__.startswith("pavilion_ai")


def _parameters(value: object) -> str:
    """Return names and kinds of parameters; not their types, whose text depends on Python."""
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # an exception, or a class of the core
        return ""
    empty = inspect.Parameter.empty
    plain = [parameter.replace(annotation=empty,
                               default=empty if parameter.default is empty else ...)
             for parameter in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=empty))
    return text.replace("Ellipsis", "...")


if __name__ == "__main__":
    LISTING.write_text(listing(), encoding="utf-8")

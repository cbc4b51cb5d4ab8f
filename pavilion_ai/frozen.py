"""Immutable dictionaries for the fields of frozen dataclasses."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

__all__ = ["FrozenDict", "freeze"]

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dictionary that cannot be changed; equal to one with the same entries.

    It can be pickled, which `types.MappingProxyType` cannot, and written as JSON.

    >>> FrozenDict(spec="greedy")["spec"]
    'greedy'
    >>> FrozenDict(spec="greedy").clear()
    Traceback (most recent call last):
    TypeError: a FrozenDict cannot be changed
    """

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a FrozenDict cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def freeze(instance: object, *names: str) -> None:
    """Make the dictionaries in fields of a frozen dataclass, or in tuples there, unchangeable.

    For its `__post_init__`.
    """
    for name in names:
        value = getattr(instance, name)
        frozen = (tuple(map(FrozenDict, value)) if isinstance(value, (tuple, list))
                  else FrozenDict(value))
        object.__setattr__(instance, name, frozen)

"""Immutable dictionaries and lists for the fields of frozen dataclasses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

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

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a FrozenDict cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> FrozenDict[K, V]:
        return self

    def __deepcopy__(self, _: object) -> FrozenDict[K, V]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (_plain(self),)


class FrozenList(list[V]):
    """A list that cannot be changed; equal to one with the same entries, as a tuple is not."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a FrozenList cannot be changed")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __copy__(self) -> FrozenList[V]:
        return self

    def __deepcopy__(self, _: object) -> FrozenList[V]:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (_plain(self),)


def frozen(value: Any) -> Any:
    """Return a copy that cannot be changed of dictionaries and lists, and of those in them.

    >>> frozen({"seats": [{"spec": "greedy"}]})["seats"][0]["spec"] = "random"
    Traceback (most recent call last):
    TypeError: a FrozenDict cannot be changed
    """
    if isinstance(value, Mapping):
        return FrozenDict({key: frozen(entry) for key, entry in value.items()})
    if isinstance(value, list):
        return FrozenList(map(frozen, value))
    return _like(value, map(frozen, value)) if isinstance(value, tuple) else value


def thawed(value: Any) -> Any:
    """Return a copy of dictionaries and lists, and of those in them, that can be changed."""
    if isinstance(value, Mapping):
        return {key: thawed(entry) for key, entry in value.items()}
    return [*map(thawed, value)] if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    """Return a copy as `thawed` does, but with tuples as they are.

    A pickle holds this copy: with an object of its own at every level, values that are nested as
    deeply as can be read would be nested too deeply for `pickle`.
    """
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return _like(value, map(_plain, value))
    return [*map(_plain, value)] if isinstance(value, list) else value


def _like(value: tuple[Any, ...], entries: Iterable[Any]) -> Any:
    """Return a tuple with other entries, a named one of the same class."""
    return getattr(value, "_make", tuple)(entries)


def freeze(instance: object, *names: str) -> None:
    """Make the dictionaries and lists in fields of a frozen dataclass unchangeable, all the way.

    For its `__post_init__`. A field that is a list becomes a tuple.
    """
    for name in names:
        value = getattr(instance, name)
        found = tuple(map(frozen, value)) if isinstance(value, list) else frozen(value)
        object.__setattr__(instance, name, found)

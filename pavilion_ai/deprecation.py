"""Public names that will go: they still work, and say what to use instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def deprecated(since: str, instead: str) -> Callable[[F], F]:
    """Mark a function or method as one that will go, after a minor version at least.

    Args:
        since: the version in which it was marked.
        instead: what to use instead, as words that follow "use".

    Returns:
        A decorator. The function warns at each call (`DeprecationWarning`), at the caller's line.
    """

    def mark(function: F) -> F:
        words = f"{function.__qualname__} is deprecated since {since}: use {instead}"

        @functools.wraps(function)
        def warns(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        warns.__doc__ = f"{function.__doc__ or ''}\n\nDeprecated since {since}: use {instead}.\n"
        return cast(F, warns)

    return mark

"""The interface of workers: an executor, and its replacement when it breaks."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Executor
from typing import TYPE_CHECKING, Protocol

from pavilion_ai.errors import Failure
from pavilion_ai.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self


class WorkersError(Failure):
    """Tasks cannot be done because their workers keep dying, are gone or cannot be started."""


def check_version(version: str) -> None:
    """Refuse a task that another version hands out: a worker may join after the others were asked.

    Raises:
        WorkersError: this is not that version.
    """
    if version != __version__:
        raise WorkersError(f"a worker has pavilion-ai {__version__}, expected {version}")


class Workers(Protocol):
    """An executor, and its replacement when it breaks."""

    @property
    def executor(self) -> Executor:
        """The current executor."""

    @property
    def slots(self) -> int:
        """Number of tasks done at the same time."""

    def renew(self) -> None:
        """Replace an executor that refuses work.

        Raises:
            WorkersError: there is no replacement.
        """

    def have_died(self, error: BaseException) -> bool:
        """Tell whether an error means that a worker has died, not that its task failed."""


class Closing:
    """Base of objects that a `with` statement closes."""

    def close(self) -> None:
        """End what was started."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FixedWorkers:
    """Workers of a given executor, which is never replaced.

    Attributes:
        executor: executor of the tasks.
        slots: number of tasks done at the same time.
    """

    def __init__(self, executor: Executor, slots: int) -> None:
        self.executor, self.slots = executor, slots

    def renew(self) -> None:
        """Give up.

        Raises:
            WorkersError: always.
        """
        raise WorkersError("the executor is broken")

    def have_died(self, error: BaseException) -> bool:
        """Tell whether the executor broke."""
        return isinstance(error, BrokenExecutor)

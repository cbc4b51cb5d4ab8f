"""What workers are: an executor, and what to do when it breaks."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Executor
from typing import Protocol

from pavilion_ai.errors import PavilionError

__all__ = ["FixedWorkers", "Workers", "WorkersError"]


class WorkersError(PavilionError):
    """Tasks cannot be done because their workers keep dying, or are gone."""


class Workers(Protocol):
    """An executor, and what to do when it breaks."""

    @property
    def executor(self) -> Executor:
        """The executor at present."""

    @property
    def slots(self) -> int:
        """Number of tasks that are done at the same time."""

    def renew(self) -> None:
        """Put a new executor in the place of one that refuses work.

        Raises:
            WorkersError: there is no other.
        """

    def have_died(self, error: BaseException) -> bool:
        """Tell whether an error means that a worker has died, not that its task went wrong."""


class FixedWorkers:
    """Any executor, as it is.

    Attributes:
        executor: where tasks are done.
        slots: number of tasks that it does at the same time.
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

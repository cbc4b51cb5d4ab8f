"""Tasks for other threads, processes and machines."""

from __future__ import annotations

from pavilion_ai.workers.protocol import FixedWorkers, Workers, WorkersError
from pavilion_ai.workers.tasks import results

__all__ = ["FixedWorkers", "Workers", "WorkersError", "results"]

"""Tasks for other threads, processes and machines."""

from __future__ import annotations

from pavilion_ai.workers.protocol import FixedWorkers, Workers, WorkersError
from pavilion_ai.workers.tasks import in_order, results

__all__ = ["FixedWorkers", "Workers", "WorkersError", "in_order", "results"]

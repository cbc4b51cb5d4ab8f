"""Tasks for other threads, processes and machines."""

from __future__ import annotations

from pavilion_ai.workers.protocol import FixedWorkers, Workers, WorkersError, check_version
from pavilion_ai.workers.tasks import BATCH, batches, in_order, results

__all__ = [
    "BATCH", "FixedWorkers", "Workers", "WorkersError", "batches", "check_version", "in_order",
    "results",
]

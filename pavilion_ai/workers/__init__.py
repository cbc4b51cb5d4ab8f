"""Tasks for other threads, processes and machines."""

from __future__ import annotations

from pavilion_ai.workers.protocol import FixedWorkers, Workers, WorkersError
from pavilion_ai.workers.tasks import BATCH, batches, in_order, results

__all__ = [
    "BATCH", "FixedWorkers", "Workers", "WorkersError", "batches", "in_order", "results",
]

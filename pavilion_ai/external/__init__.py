"""External engines: programs in their own processes."""

from __future__ import annotations

from pavilion_ai.errors import EngineFault, EngineLate
from pavilion_ai.external.engine import ExternalEngine, program_problem
from pavilion_ai.external.process import end_all

__all__ = ["EngineFault", "EngineLate", "ExternalEngine", "end_all", "program_problem"]

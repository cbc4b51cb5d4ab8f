"""External engines: programs in their own processes."""

from __future__ import annotations

from pavilion_ai.external.engine import ExternalEngine, Past, program_problem
from pavilion_ai.external.process import EngineFault, EngineLate

__all__ = ["EngineFault", "EngineLate", "ExternalEngine", "Past", "program_problem"]

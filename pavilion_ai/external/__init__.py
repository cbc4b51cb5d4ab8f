"""External engines: programs in their own processes."""

from __future__ import annotations

from pavilion_ai.errors import EngineFault, EngineLate
from pavilion_ai.external.engine import ExternalEngine, Past, program_problem

__all__ = ["EngineFault", "EngineLate", "ExternalEngine", "Past", "program_problem"]

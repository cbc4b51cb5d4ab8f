"""The games as environments for learners: numbered actions, observations as arrays, batches.

Everything is described in docs/environments.md. Adapters for other libraries are modules of their
own and are imported by name.
"""

from pavilion_ai.envs.actions import action_mask, action_of, move_of, num_actions
from pavilion_ai.envs.evaluation import Evaluations, Evaluator
from pavilion_ai.envs.guided import Guided, Leaves, search
from pavilion_ai.envs.observations import (
    OBSERVATIONS,
    Part,
    observation_parts,
    observe,
    readable,
)
from pavilion_ai.envs.rewards import REWARDS

__all__ = [
    "OBSERVATIONS", "REWARDS", "Evaluations", "Evaluator", "Guided", "Leaves", "Part",
    "action_mask", "action_of", "move_of", "num_actions", "observation_parts", "observe",
    "readable", "search",
]

"""The tables of a game's linear policy and evaluation: their content and C header."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

C_LEVEL = Path(__file__).resolve().parent.parent / "pavilion_ai" / "_c"
POLICY_UNIT = 256  # weights per nat
EVALUATION_UNIT = 64  # weights per point
VARIANTS = 6  # 3 * grey + players - 2
ROUNDS = 5  # rounds with tables of their own; a later round counts as the last

TABLE = re.compile(r"(\w+)((?:\[\w+\])+) = \{(.*?)\};", re.DOTALL)

Tables = dict[str, np.ndarray]
"""`policy` [variant, feature], `hand` [feature], `evaluation` [variant, round, feature] and
`scale` [variant, round], in the units of the header."""


@dataclass(frozen=True)
class Heuristics:
    """Definitions for one game.

    Attributes:
        game: name of the game.
        state: class of its states in the compiled core.
        policy_groups, evaluation_groups: sizes of the groups of features, in the core's order.
        hand_policy: first guess of the policy, in nats.
        hand_evaluation: first guess of the points still gained, given the rounds left.
        first_scale: first guess of the points per logit of winning before the last round.
        more_tables: C text of further tables.
    """

    game: str
    state: Any
    policy_groups: dict[str, int]
    evaluation_groups: dict[str, int]
    hand_policy: Callable[[], np.ndarray]
    hand_evaluation: Callable[[int], np.ndarray]
    first_scale: float
    more_tables: Callable[[], str] = lambda: ""

    @property
    def header(self) -> Path:
        """The file that holds the tables."""
        return C_LEVEL / f"{self.game}_weights.h"

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of features of policy and evaluation."""
        return sum(self.policy_groups.values()), sum(self.evaluation_groups.values())

    def names(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """C name and shape of every table."""
        policy, evaluation = self.sizes
        prefix = self.game.upper()
        return {
            "hand": (f"{prefix}_HAND_WEIGHTS", (policy,)),
            "policy": (f"{prefix}_POLICY_WEIGHTS", (VARIANTS, policy)),
            "evaluation": (f"{prefix}_EVAL_WEIGHTS", (VARIANTS, ROUNDS, evaluation)),
            "scale": (f"{prefix}_WIN_SCALES", (VARIANTS, ROUNDS)),
        }

    def first_guess(self) -> Tables:
        """Return the hand-written tables, the same for every variant."""
        policy = np.rint(self.hand_policy() * POLICY_UNIT).astype(int)
        left = [ROUNDS - number for number in range(ROUNDS)]
        evaluation = np.array([np.rint(self.hand_evaluation(n) * EVALUATION_UNIT) for n in left])
        scales = np.array([int(EVALUATION_UNIT * self.first_scale * n**0.5) for n in left])
        return {
            "hand": policy,
            "policy": np.tile(policy, (VARIANTS, 1)),
            "evaluation": np.tile(evaluation.astype(int), (VARIANTS, 1, 1)),
            "scale": np.tile(scales, (VARIANTS, 1)),
        }

    def read(self) -> Tables:
        """Return the tables now in the header."""
        bodies = {name: body for name, _, body in TABLE.findall(self.header.read_text())}
        return {
            key: np.array([int(n) for n in re.findall(r"-?\d+", bodies[name])]).reshape(shape)
            for key, (name, shape) in self.names().items()
        }

    def write(self, tables: Tables) -> None:
        """Replace the header."""
        guard = f"PAVILION_{self.game.upper()}_WEIGHTS_H"
        self.header.write_text(
            "/* Written by tools/fit_heuristics.py; see there and docs/search.md.\n"
            " * Policy weights in 1/256 nat, evaluation weights in 1/64 point, win scales in 1/64\n"
            " * point per logit. Variants: 3 * grey + players - 2; rounds: the one just finished."
            " */\n"
            f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n"
            + "".join(as_c(name, tables[key]) for key, (name, _) in self.names().items())
            + self.more_tables()
            + "\n#endif\n"
        )


def as_c(name: str, table: np.ndarray) -> str:
    """Return C text of a table of int16_t, wrapped at 100 columns."""

    def rows(part: np.ndarray) -> str:
        if part.ndim > 1:
            return "{\n" + ",\n".join(rows(inner) for inner in part) + "}"
        lines, line = [], " "
        for number in part.astype(int):
            piece = f" {number:d},"
            if len(line) + len(piece) > 98:
                lines.append(line)
                line = " "
            line += piece
        return "{\n" + "\n".join([*lines, line.rstrip(",")]) + "}"

    dimensions = "".join(f"[{length}]" for length in table.shape)
    return f"static const int16_t {name}{dimensions} = {rows(table)};\n"

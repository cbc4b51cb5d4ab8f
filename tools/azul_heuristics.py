"""Definitions for fitting the heuristics of base Azul."""

from __future__ import annotations

import numpy as np
from heuristics import Heuristics

from pavilion_ai._core import AzulState

# Sizes of the groups of features, in the order of azul_features.pxd.
POLICY_GROUPS = {
    "T_FILL": 100, "T_ROUND": 125, "T_POINTS": 22, "T_COLUMN": 12, "T_ROW": 30, "T_COLOUR": 10,
    "T_SUPPLY": 24, "T_PENALTY": 15, "T_FLOOR": 16, "T_MARKER": 20, "T_CENTRE": 8, "T_REST": 4,
    "T_PUSH": 30, "T_RIVAL": 25, "T_RIVAL_POINTS": 11, "T_LEAVES": 12, "C_POINTS": 10,
    "C_COLUMN": 5, "C_SPACE": 25, "C_BLOCKS": 5,
}  # fmt: skip
EVALUATION_GROUPS = {
    "V_ROW": 30, "V_COLUMN": 30, "V_COLOUR": 6, "V_LINE": 25, "V_POTENTIAL": 44, "V_SPACES": 10,
    "V_STARTER": 1, "V_OWN": 6, "V_FIRST": 6, "V_CONSTANT": 1,
}  # fmt: skip


def hand_policy() -> np.ndarray:
    """Hand-written first guess of the policy: nats by feature."""
    tables = {name: np.zeros(size) for name, size in POLICY_GROUPS.items()}
    for line in range(5):
        for left in range(5):
            begun = 0.8 if left == 0 else 0.3
            fill = 2.0 if left == 0 else 0.6 - 0.5 * left
            for last in range(2):
                first = 50 * last + 10 * line + 2 * left
                tables["T_FILL"][first : first + 2] = fill, fill + begun
            for number, loss in enumerate((0, 0, 0.1, 0.4, 0.8)):
                tables["T_ROUND"][25 * number + 5 * line + left] = -loss * left
    for full in range(2):
        worth = 1.0 if full else 0.5
        for points in range(11):
            tables["T_POINTS"][11 * full + points] = worth * (0.25 * points if points else -3)
        for count in range(6):
            done = 1.5 if count == 5 else 0.0
            tables["T_COLUMN"][6 * full + count] = worth * (0.1 * count + done)
        for count in range(1, 6):
            for lead in range(3):
                ends = (lead - 1.3) if count == 5 else 0.0
                tables["T_ROW"][15 * full + 5 * lead + count - 1] = worth * (0.05 * count + ends)
            done = 2.0 if count == 5 else 0.0
            tables["T_COLOUR"][5 * full + count - 1] = worth * (0.05 * count + done)
    for left in range(1, 5):
        for supply in range(6):
            tables["T_SUPPLY"][6 * (left - 1) + supply] = 0.2 if supply >= left else -0.6
    tables["T_PENALTY"][:] = -0.45 * np.arange(15)
    tables["T_FLOOR"][8:] = -1.5
    tables["T_MARKER"][:] = 0.3
    tables["T_REST"][:] = -0.05 * np.arange(4)
    for count in range(5):
        wants = (-0.1 * count, 0.05, 0.05, 0.15, 0.25)
        tables["T_RIVAL"][5 * count : 5 * count + 5] = wants
    tables["T_RIVAL_POINTS"][:] = 0.05 * np.arange(11)
    tables["C_POINTS"][:] = 0.3 * np.arange(1, 11)
    tables["C_COLUMN"][:] = 0.1 * np.arange(1, 6)
    tables["C_BLOCKS"][:] = -0.8 * np.arange(5)
    return np.concatenate([tables[name] for name in POLICY_GROUPS])


def hand_evaluation(rounds_left: int) -> np.ndarray:
    """Hand-written first guess of the points a seat still gains, by feature."""
    tables = {name: np.zeros(size) for name, size in EVALUATION_GROUPS.items()}
    hope = 0.5 + 0.1 * rounds_left
    for count in range(6):
        share = (count / 5) ** 2 * (1.0 if count == 5 else hope)
        for place in range(5):
            tables["V_ROW"][6 * place + count] = 2 * share
            tables["V_COLUMN"][6 * place + count] = 7 * share
        tables["V_COLOUR"][count] = 10 * share
    for line in range(5):
        tables["V_LINE"][5 * line : 5 * line + 5] = 0.4 * np.arange(5)
    for left in range(1, 5):
        tables["V_POTENTIAL"][11 * (left - 1) : 11 * left] = 0.5 / left * np.arange(11)
    tables["V_STARTER"][0] = 1
    tables["V_CONSTANT"][0] = 9 * rounds_left
    return np.concatenate([tables[name] for name in EVALUATION_GROUPS])


AZUL = Heuristics(
    "azul", AzulState, POLICY_GROUPS, EVALUATION_GROUPS, hand_policy, hand_evaluation,
    first_scale=6.0,
)

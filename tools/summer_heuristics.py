"""Definitions for fitting the heuristics of Azul: Summer Pavilion."""

from __future__ import annotations

import numpy as np
from heuristics import Heuristics

from pavilion_ai._core import SummerState

# Sizes of the groups of features, in the order of summer_features.pxd.
POLICY_GROUPS = {
    "D_TAKE": 32, "D_FIT": 56, "D_TOKEN": 16, "D_NEXT": 4, "D_REST": 5, "D_RIVAL": 14,
    "D_COLOUR": 36, "P_POINTS": 36, "P_WILD": 72, "P_STAR": 24, "P_SITE": 42, "P_NUMBER": 56,
    "P_FEATURE": 24, "P_DUE": 8, "P_LEFT": 18, "P_NEXT": 6, "P_GREY": 18, "B_TILE": 108,
    "S_LOSS": 18, "S_OPTIONS": 54, "S_KEEP": 32,
}  # fmt: skip
EVALUATION_GROUPS = {
    "E_STAR": 49, "E_NUMBER": 32, "E_FEATURE": 15, "E_KEPT_WILD": 5, "E_KEPT": 5, "E_KEPT_FIT": 7,
    "E_STARTER": 1, "E_CONSTANT": 1,
}  # fmt: skip


def hand_policy() -> np.ndarray:
    """Hand-written first guess of the policy: nats by feature."""
    tables = {name: np.zeros(size) for name, size in POLICY_GROUPS.items()}
    for last in range(2):
        for own in range(8):
            for wild in range(2):
                tables["D_TAKE"][16 * last + 2 * own + wild] = 0.6 * own + 0.9 * wild
        for loss in range(1, 9):
            tables["D_TOKEN"][8 * last + loss - 1] = (0 if last else 0.7) - 0.3 * loss
        for wilds in range(6):
            for cost in range(1, 7):
                tables["P_WILD"][36 * last + 6 * wilds + cost - 1] = -0.3 * wilds
        for filled in range(1, 7):
            done = 3.0 if filled == 6 else 0.0
            tables["P_STAR"][12 * last + filled - 1] = 0.15 * filled + done
            tables["P_STAR"][12 * last + 6 + filled - 1] = 0.1 * filled + done - 0.3
        for number in range(1, 5):
            for count in range(1, 8):
                done = number if count == 7 else 0
                tables["P_NUMBER"][28 * last + 7 * (number - 1) + count - 1] = 0.08 * count + done
        for kind in range(3):
            tables["P_FEATURE"][12 * last + 4 * kind + 1] = 0.2 * (kind + 1)
        for due in range(4):
            tables["P_DUE"][4 * last + due] = (0.5 if last else 1.2) * due
        for kind in range(9):
            worth = 1.0 if kind == 0 else 0.6 if kind == 1 else 0.12 * (kind - 2)
            tables["B_TILE"][54 * last + 6 * kind : 54 * last + 6 * kind + 6] = worth
        for loss in range(9):
            tables["S_LOSS"][9 * last + loss] = -0.5 * loss
    for filled in range(7):
        for after in range(1, 9):
            fit = -0.8 if filled == 6 else 0.12 * filled + 0.1 * min(after, filled + 1)
            tables["D_FIT"][8 * filled + after - 1] = fit
        tables["D_RIVAL"][2 * filled + 1] = 0.05 * filled
        tables["S_KEEP"][4 * (filled + 1) : 4 * (filled + 2)] = 0.15 * filled
    tables["S_KEEP"][:4] = 1.0
    tables["D_NEXT"][:] = [0.25, 0.5, 0.75, 1.0]
    tables["D_REST"][:] = [0, -0.1, -0.2, -0.3, 0]
    for cost in range(1, 7):
        for points in range(1, 7):
            tables["P_POINTS"][6 * (cost - 1) + points - 1] = 0.35 * points - 0.1 * cost
    for options in range(1, 6):
        for hand in range(9):
            tables["S_OPTIONS"][9 * options + hand] = 1.0 if hand <= 4 else -0.5
    return np.concatenate([tables[name] for name in POLICY_GROUPS])


def hand_evaluation(rounds_left: int) -> np.ndarray:
    """Hand-written first guess of the points a seat still gains, by feature."""
    tables = {name: np.zeros(size) for name, size in EVALUATION_GROUPS.items()}
    for site in range(7):
        for filled in range(7):
            chance = min(1.0, (filled / 6) ** 2 * (0.5 + 0.15 * rounds_left))
            tables["E_STAR"][7 * site + filled] = 16 * (1.0 if filled == 6 else chance)
    for number in range(1, 5):
        for count in range(8):
            full = 1.0 if count == 7 else 0.8 * (count / 7) ** 2
            tables["E_NUMBER"][8 * (number - 1) + count] = 4 * number * full
    tables["E_KEPT_WILD"][:] = [0, 2, 4, 6, 8]
    tables["E_KEPT"][:] = [0, 1.5, 3, 4.5, 6]
    tables["E_STARTER"][0] = 2
    tables["E_CONSTANT"][0] = 12 * rounds_left
    return np.concatenate([tables[name] for name in EVALUATION_GROUPS])


def spread(row: int) -> int:
    """Bit s of row moved to bit 8 s."""
    return sum((row >> s & 1) << (8 * s) for s in range(7))


def more_tables() -> str:
    """Return the C text of a table that the features need besides the weights."""
    rows = (
        "    " + ", ".join(f"0x{spread(row):014X}ULL" for row in range(start, start + 4))
        for start in range(0, 128, 4)
    )
    return (
        "\n/* Byte s of SPREAD[row] is bit s of row. */\n"
        "static const uint64_t SPREAD[128] = {\n" + ",\n".join(rows) + "};\n"
    )


SUMMER = Heuristics(
    "summer", SummerState, POLICY_GROUPS, EVALUATION_GROUPS, hand_policy, hand_evaluation,
    first_scale=8.0,
    more_tables=more_tables,
)

"""What holds for the answer of any search."""

from __future__ import annotations

import math

import pytest

from pavilion_ai._core import Search
from pavilion_ai.analysis import Analysis, lead
from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position
from pavilion_ai.position import Position


def check_analysis(position: Position, analysis: Analysis) -> None:
    """Check everything that holds for the answer of any search, `plain_wins`."""
    players = len(position.seats)
    legal = set(rules_of(position).legal_moves(position))
    moves = [move.move for move in analysis.moves]
    assert len(set(moves)) == len(moves)
    assert set(moves) <= legal
    assert analysis.to_move == position.to_move
    assert parse_position(analysis.position).position == position
    assert [move.order for move in analysis.moves] == list(range(len(moves)))
    assert sum(move.visits for move in analysis.moves) == analysis.root.visits == analysis.sims
    assert math.isclose(sum(move.prior for move in analysis.moves), 1, abs_tol=1e-4)
    assert math.isclose(sum(analysis.root.win_prob), 1, abs_tol=1e-9)
    assert len(analysis.root.score_mean) == players
    for move in analysis.moves:
        assert 0 <= move.win_prob <= 1
        assert 0 <= move.win_prob_se <= 0.5
        assert 0 <= move.prior <= 1
        assert len(move.score_mean) == players
        assert math.isclose(move.score_lead, lead(move.score_mean, analysis.to_move))
        assert move.pv[0] == move.move
        replay(position, move.pv)
    if players == 2 and all(move.exact for move in analysis.moves):  # solved, docs/search.md
        assert analysis.root.score_mean == analysis.best.score_mean
        assert analysis.root.win_prob[analysis.to_move] == analysis.best.win_prob
        return
    for seat in range(players):
        total = sum(move.score_mean[seat] * move.visits for move in analysis.moves)
        assert math.isclose(total / analysis.sims, analysis.root.score_mean[seat], abs_tol=1e-6)
    wins = sum(move.win_prob * move.visits for move in analysis.moves)
    assert math.isclose(
        wins / analysis.sims, analysis.root.win_prob[analysis.to_move], abs_tol=1e-9)


def replay(position: Position, line: tuple[str, ...]) -> None:
    """Play a line; illegal moves raise. It may end in a chance phase but not go on from one."""
    for move in line:
        assert position.to_move is not None
        position = rules_of(position).apply(position, move)


def check_sums(tree: Search, sims: int) -> None:
    """Nothing that a search counts is lost between the root and its moves."""
    root, rows = tree.root_stats(), tree.rows()
    assert root[1] == sum(row[1] for row in rows) == sims
    assert sum(row[3] for row in rows) == pytest.approx(1, abs=1e-5)
    assert root[2] == pytest.approx(sum(row[2] for row in rows))
    for row in [root, *rows]:
        assert sum(row[4]) == pytest.approx(row[1])
        assert 0 <= row[2] <= row[1] + 1e-9
    priors = [row[3] for row in rows]
    assert priors == sorted(priors, reverse=True)

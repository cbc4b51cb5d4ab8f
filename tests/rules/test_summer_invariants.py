"""What must hold along every game of Summer Pavilion; for both games: test_invariants.py."""

import itertools

from pavilion_ai.games import GAMES

from .random_games import every_setting, plies


@every_setting
def test_ranges(players: int, board: str, seed: int) -> None:
    """Scores never below 1 (A11); 4 tiles a display and kept, 10 on the supply (A1)."""
    for position, _, _ in plies("summer", players, board, seed):
        assert all(1 <= seat.score < 330 for seat in position.seats)
        assert all(sum(seat.kept) <= 4 for seat in position.seats)
        assert len(position.displays) == 2 * players + 1
        assert all(sum(display) <= 4 for display in position.displays)
        assert sum(position.supply) <= 10
        assert sum(position.centre) <= 3 * len(position.displays)
        assert 1 <= position.round <= 6
        assert (position.bonus_due > 0) == (position.phase == "bonus")


@every_setting
def test_scores_only_fall_by_the_rules(players: int, board: str, seed: int) -> None:
    """Placements win 1 to 6; only the first take from the centre and a pass cost points."""
    game = plies("summer", players, board, seed)
    for (position, _, move), (after, _, _) in itertools.pairwise(game):
        if after.phase == "over":
            continue
        for seat, (old, new) in enumerate(zip(position.seats, after.seats, strict=True)):
            change = new.score - old.score
            if seat != position.to_move or move.startswith(("D", "bonus:", "supply:")):
                assert change == 0
            elif move.startswith("pass:"):
                assert -sum(old.hand) <= change <= 0
            elif move.startswith("C:"):
                assert change <= 0
                assert change == 0 or position.token is None
            else:
                assert 1 <= change <= 6


@every_setting
def test_bounds_on_legal_moves(players: int, board: str, seed: int) -> None:
    """RULES.md D1."""
    for position, moves, _ in plies("summer", players, board, seed):
        passes = [move for move in moves if move.startswith("pass:")]
        if position.phase == "draft":
            assert len(moves) <= 4 * len(position.displays)
            assert len([move for move in moves if move.startswith("C:")]) <= 5
        elif position.phase == "bonus":
            assert len(moves) <= {1: 6, 2: 19, 3: 40}[position.bonus_due]
        elif position.phase == "place":
            assert len(moves) - len(passes) <= (222 if board == "coloured" else 762)
            assert 1 <= len(passes) <= 210
            maximal = [move for move in GAMES["summer"].legal_moves(position, "maximal")
                       if move in passes]
            assert 1 <= len(maximal) <= 126
            if position.round == 6:
                assert passes == ["pass:-"]


@every_setting
def test_bounds_on_the_length_of_a_game(players: int, board: str, seed: int) -> None:
    """RULES.md D1: drafts <= tiles dealt, 42 placements, 18 bonus choices, 6 passes a seat."""
    game = plies("summer", players, board, seed)
    decisions = [move for position, _, move in game if position.to_move is not None]
    drafts = [move for position, _, move in game if position.phase == "draft"]
    passes = [move for move in decisions if move.startswith("pass:")]
    bonuses = [move for move in decisions if move.startswith("bonus:")]
    dealt = 4 * (2 * players + 1)
    assert len(drafts) <= 6 * dealt
    assert len(passes) == 6 * players
    assert len(bonuses) <= 18 * players
    assert len(decisions) - len(drafts) - len(passes) - len(bonuses) <= 42 * players
    assert len(decisions) <= 6 * dealt + (42 + 18 + 6) * players
    if players == 2:
        assert len(decisions) <= 252

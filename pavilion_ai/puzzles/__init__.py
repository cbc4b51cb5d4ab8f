"""Puzzles: positions in which one move is clearly best and weaker levels miss it."""

from __future__ import annotations

from pavilion_ai.puzzles.find import Source, find
from pavilion_ai.puzzles.puzzle import Option, Puzzle, read_puzzles, shipped

__all__ = ["Option", "Puzzle", "Source", "find", "read_puzzles", "shipped"]

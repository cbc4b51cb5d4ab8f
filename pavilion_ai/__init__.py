"""A search engine for Azul and Azul: Summer Pavilion.

The names that most programs need, in one place; each is imported on first use, so
`import pavilion_ai` costs nothing:

>>> from pavilion_ai import Limits, Play, make_agent
>>> play = Play.new("summer", players=2, seed=7)
>>> agent = make_agent("default")
>>> best = agent.analyse(play, Limits(sims=200), seed=7).best
>>> best.move in play.legal_moves
True
>>> while not play.is_over():
...     if play.turn is None:
...         _ = play.draw()
...     else:
...         _ = play.push(agent.choose(play, Limits(sims=1)))
>>> play.record().winners == play.winners()
True

A `Play` is a game in progress; positions are frozen dataclasses and moves are strings
(docs/notation.md). Wrong positions, moves, records, specs and settings are refused with a
`PavilionError`, which is a `ValueError`. The rest is as elsewhere in Python: an `OSError` for a
file that cannot be opened, a `TypeError` for a file name or a seed of `Rng` of another type, a
`KeyError` of the dictionary `GAMES`.
"""

from __future__ import annotations

# Nothing is imported here, not even `typing`: only after it do commands end quietly on Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pavilion_ai.agents import Agent, Decision, make_agent
    from pavilion_ai.analysis import Analysis, MoveStats, RootStats
    from pavilion_ai.bga import Imported, LogError, read_bga
    from pavilion_ai.envs.evaluation import Evaluator
    from pavilion_ai.errors import (
        EngineEnded,
        EngineFault,
        EngineLate,
        Failure,
        IllegalMoveError,
        InvalidMoveError,
        MoveError,
        NetworkError,
        PavilionError,
        PositionError,
        Problem,
        RecordError,
        SpecError,
    )
    from pavilion_ai.external import ExternalEngine
    from pavilion_ai.focus import FocusError
    from pavilion_ai.games import GAMES, Rng, Rules, rules_of
    from pavilion_ai.limits import Limits, Timeouts
    from pavilion_ai.match.inprocess import Match
    from pavilion_ai.match.report import Report
    from pavilion_ai.notation import (
        Parsed,
        format_move,
        format_position,
        parse_move,
        parse_position,
        position_schema,
        to_json,
    )
    from pavilion_ai.play import LegalMoves, Play, Ply, walk
    from pavilion_ai.position import Position, Status, status, validate
    from pavilion_ai.protocol.own import serve
    from pavilion_ai.record import GameRecord, Recorder, read_records, write_record
    from pavilion_ai.review import Judge, Judgement, Review, review_game
    from pavilion_ai.rollout import Candidate, Rollout, roll_out
    from pavilion_ai.search import Searcher
    from pavilion_ai.solve import Solution, Solved, TooLargeError, solve_position
    from pavilion_ai.spec import AGENT_NAMES, parse_spec
    from pavilion_ai.version import __version__
    from pavilion_ai.workers import WorkersError

__all__ = [
    "AGENT_NAMES",
    "GAMES",
    "Agent",
    "Analysis",
    "Candidate",
    "Decision",
    "EngineEnded",
    "EngineFault",
    "EngineLate",
    "Evaluator",
    "ExternalEngine",
    "Failure",
    "FocusError",
    "GameRecord",
    "IllegalMoveError",
    "Imported",
    "InvalidMoveError",
    "Judge",
    "Judgement",
    "LegalMoves",
    "Limits",
    "LogError",
    "Match",
    "MoveError",
    "MoveStats",
    "NetworkError",
    "Parsed",
    "PavilionError",
    "Play",
    "Ply",
    "Position",
    "PositionError",
    "Problem",
    "RecordError",
    "Recorder",
    "Report",
    "Review",
    "Rng",
    "Rollout",
    "RootStats",
    "Rules",
    "Searcher",
    "Solution",
    "Solved",
    "SpecError",
    "Status",
    "Timeouts",
    "TooLargeError",
    "WorkersError",
    "__version__",
    "format_move",
    "format_position",
    "make_agent",
    "parse_move",
    "parse_position",
    "parse_spec",
    "position_schema",
    "read_bga",
    "read_records",
    "review_game",
    "roll_out",
    "rules_of",
    "serve",
    "solve_position",
    "status",
    "to_json",
    "validate",
    "walk",
    "write_record",
]

_ROOMS = {
    "agents": ("Agent", "Decision", "make_agent"),
    "analysis": ("Analysis", "MoveStats", "RootStats"),
    "bga": ("Imported", "LogError", "read_bga"),
    "envs.evaluation": ("Evaluator",),
    "errors": (
        *("EngineEnded", "EngineFault", "EngineLate", "Failure", "IllegalMoveError"),
        *("InvalidMoveError", "MoveError", "NetworkError", "PavilionError", "PositionError"),
        *("Problem", "RecordError", "SpecError"),
    ),
    "external": ("ExternalEngine",),
    "focus": ("FocusError",),
    "games": ("GAMES", "Rng", "Rules", "rules_of"),
    "limits": ("Limits", "Timeouts"),
    "match.inprocess": ("Match",),
    "match.report": ("Report",),
    "notation": (
        *("Parsed", "format_move", "format_position", "parse_move", "parse_position"),
        *("position_schema", "to_json"),
    ),
    "play": ("LegalMoves", "Play", "Ply", "walk"),
    "position": ("Position", "Status", "status", "validate"),
    "protocol.own": ("serve",),
    "record": ("GameRecord", "Recorder", "read_records", "write_record"),
    "review": ("Judge", "Judgement", "Review", "review_game"),
    "rollout": ("Candidate", "Rollout", "roll_out"),
    "search": ("Searcher",),
    "solve": ("Solution", "Solved", "TooLargeError", "solve_position"),
    "spec": ("AGENT_NAMES", "parse_spec"),
    "version": ("__version__",),
    "workers": ("WorkersError",),
}
"""The module of each public name."""

_HOME = {name: room for room, names in _ROOMS.items() for name in names}


if not TYPE_CHECKING:  # else every name would do
    def __getattr__(name: str) -> object:
        """Import a public name on first use."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names, also those not imported yet."""
    return sorted({*globals(), *__all__})

"""Name and version of the engine."""

ENGINE_NAME = "pavilion-ai"
__version__ = "0.9.0"
EARLIER = "0.6.0 or earlier"
"""What wrote files of puzzles and openings that name no version."""


def engine_identity() -> dict[str, str]:
    """Return name and version of this engine as in answers and records."""
    return {"name": ENGINE_NAME, "version": __version__}

"""Name and version of the engine."""

ENGINE_NAME = "pavilion-ai"
__version__ = "0.6.0"


def engine_identity() -> dict[str, str]:
    """Return name and version of this engine as in answers and records."""
    return {"name": ENGINE_NAME, "version": __version__}

"""Name and version of the engine."""

ENGINE_NAME = "pavilion-ai"
__version__ = "0.3.0"

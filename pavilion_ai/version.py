"""Name and version of the engine."""

from importlib.metadata import PackageNotFoundError, version

ENGINE_NAME = "pavilion-ai"

try:
    __version__ = version(ENGINE_NAME)
except PackageNotFoundError:  # running from a checkout that was never installed
    __version__ = "0+unknown"

"""The page: a server for the browsers of this machine (docs/web.md).

The page is a client of the engine protocol. What it can do, a program can do over the same socket.
"""

from pavilion_ai.web.server import PortError, serve

__all__ = ["PortError", "serve"]

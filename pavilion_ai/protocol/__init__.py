"""The engine protocol: JSON lines in, JSON lines out (docs/protocol.md).

One thread reads requests and answers quick ones; each search or perft runs in its own thread, so
that requests overlap and `stop` takes effect while they run. A faulty request gets an answer
`{"id", "error", "field"}`, and the engine continues.
"""

from pavilion_ai.protocol.engine import Engine

__all__ = ["Engine"]

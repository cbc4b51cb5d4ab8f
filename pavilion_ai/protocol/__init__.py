"""The engine protocol: JSON lines in, JSON lines out (CONTRACT.md section 3, docs/protocol.md).

One thread reads and answers what is quick; searches and perft run in a thread each, so that
requests overlap and `stop` is heard while they run. Whatever is wrong with a request becomes an
answer `{"id", "error", "field"}`; the engine goes on.
"""

from pavilion_ai.protocol.engine import MAX_IN_FLIGHT, PROTOCOL, Engine
from pavilion_ai.protocol.streams import MAX_LINE_BYTES

__all__ = ["MAX_IN_FLIGHT", "MAX_LINE_BYTES", "PROTOCOL", "Engine"]

"""Commands on a terminal, and what they write read back."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time

from tests.cli.support import command, environment

CTRL_C = b"\x03"


def wait_for(stream_number: int, wanted: bytes) -> bytes:
    """Read from a file descriptor until `wanted` turns up."""
    seen = b""
    deadline = time.monotonic() + 30
    while wanted not in seen:
        left = deadline - time.monotonic()
        assert left > 0, seen
        if select.select([stream_number], [], [], left)[0]:
            more = os.read(stream_number, 65536)
            assert more, seen
            seen += more
    return seen


class Terminal:
    """A command on a terminal of 80 columns."""

    def __init__(self, *arguments: object, **extra: str) -> None:
        self.master, slave = pty.openpty()
        settings = environment(TERM="xterm-256color", COLUMNS="80", LINES="50", **extra)
        self.process = subprocess.Popen(
            command(*arguments), stdin=slave, stdout=slave, stderr=slave, env=settings,
            start_new_session=True,
        )
        os.close(slave)

    def rest(self) -> str:
        """Read to the end, which has to come within a minute."""
        seen = b""
        deadline = time.monotonic() + 60
        while True:
            left = max(0.0, deadline - time.monotonic())
            assert select.select([self.master], [], [], left)[0], seen
            try:
                more = os.read(self.master, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not more:
                break
            seen += more
        self.process.wait(timeout=10)
        os.close(self.master)
        return seen.decode().replace("\r\n", "\n")

"""The command `engine`: the JSON-lines protocol on standard input and output."""

from __future__ import annotations

import sys

import click

from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.options import MEMORY
from pavilion_ai.errors import named_output


@click.command()
@click.option("--agent", "spec", default="default", show_default=True, metavar="SPEC",
              help="Agent for `analyse` and `choose` that name none.")
@click.option("--memory", "memory_mib", type=MEMORY, metavar="MIB",
              help="Memory of all searches together; default 1024.")
def engine(spec: str, memory_mib: int | None) -> int:
    """Answer requests, one JSON object per line.

    docs/protocol.md describes the protocol. At the end of input the engine finishes the requests it
    has and exits.
    """
    from pavilion_ai.network import network_file
    from pavilion_ai.protocol import Engine
    from pavilion_ai.protocol.agents import MEMORY_MIB, agent_spec

    if sys.stdin is None or sys.stdout is None:
        raise CommandError("the engine needs standard input and standard output")
    file = agent_spec(spec, own=True).net_file
    if file is not None:
        network_file(file)  # refuse it now rather than in every answer
    answers = Engine(sys.stdout.buffer, spec, memory_mib=memory_mib or MEMORY_MIB)
    with named_output():
        return answers.serve(sys.stdin.buffer)

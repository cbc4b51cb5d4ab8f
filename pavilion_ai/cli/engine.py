"""The command `engine`: the JSON-lines protocol on standard input and output."""

from __future__ import annotations

import sys

import click

from pavilion_ai.cli.program import CommandError


@click.command()
@click.option("--agent", "spec", default="default", metavar="SPEC",
              help="Agent for requests that name none.")
def engine(spec: str) -> int:
    """Answer requests, one JSON object per line.

    docs/protocol.md describes the protocol. At the end of input the engine finishes the requests it
    has and exits.
    """
    from pavilion_ai.protocol import Engine
    from pavilion_ai.protocol.agents import agent_spec
    from pavilion_ai.search import network_file

    if sys.stdin is None or sys.stdout is None:
        raise CommandError("the engine needs standard input and standard output")
    file = agent_spec(spec, own=True).net_file
    if file is not None:
        network_file(file)  # refuse it now rather than in every answer
    return Engine(sys.stdout.buffer, spec).serve(sys.stdin.buffer)

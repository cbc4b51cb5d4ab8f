"""The command `web`: the page for the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from pavilion_ai.cli.exits import DONE, INTERRUPTED, CommandError
from pavilion_ai.cli.files import read_position
from pavilion_ai.cli.options import THREADS, Amount
from pavilion_ai.cli.said import note, say
from pavilion_ai.errors import file_fault

PORT = Amount(int, 65535, "port", minimum=0)
DEFAULT_PORT = 8642


@click.command()
@click.argument("pos", metavar="[POS]", required=False)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen on; other machines can reach any address that is not local.")
@click.option("--port", type=PORT, default=DEFAULT_PORT, show_default=True, metavar="N",
              help="Port to listen on; 0 takes a free one.")
@click.option("--no-open", is_flag=True, help="Do not open the page in the browser.")
@click.option("--threads", type=THREADS, metavar="N",
              help="Threads of all searches together; default one for each processor.")
def web(pos: str | None, host: str, port: int, no_open: bool, threads: int | None) -> int:
    """Show a board in the browser: play, analyse, review.

    The page opens in the browser, on POS if that is given. Its address is printed. Ctrl-C ends the
    server.
    """
    from pavilion_ai.notation import format_position
    from pavilion_ai.processors import cores
    from pavilion_ai.web import PortError, serve
    from pavilion_ai.web.guard import is_loopback

    code = "" if pos is None else format_position(read_position(pos), "code")
    if not is_loopback(host):
        note(f"--host {host}: everybody who reaches this machine can use the page and its"
             " processors")

    def ready(address: str) -> None:
        link = f"{address}?position={code}" if code else address
        say(link)
        sys.stdout.flush()
        if not no_open:
            _open(link)

    try:
        serve(host, port, threads=threads or cores(), **_folders(), on_ready=ready)
    except PortError as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:  # how it is meant to end: nothing to say
        return INTERRUPTED
    return DONE


def _folders() -> dict[str, Path]:
    """Return where the page keeps games and reviews; where it cannot, it refuses to save."""
    from pavilion_ai.files import user_folder
    from pavilion_ai.solo import folder

    try:
        return {"folder": user_folder("games"), "solo": folder(), "reviews": user_folder("reviews")}
    except OSError as error:
        note(file_fault(error.filename, error))
        return dict.fromkeys(("folder", "solo", "reviews"), Path(os.devnull, "none"))


def _open(link: str) -> None:
    """Open the page in the browser, if there is one; what that prints is not ours."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

"""`python -m pavilion_ai` is the command `pavilion`."""

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line and exit; an interrupt while it starts or ends leaves no traceback."""
    # Until a command runs, and after it, there is nothing that has to end in order.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(130))
    try:
        from pavilion_ai.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()

"""`python -m pavilion_ai` is the command `pavilion`."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import NoReturn
else:
    try:
        import _signal as signal    # built in; the other one imports enum, which takes longer
    except ImportError:
        import signal


def main() -> "NoReturn":
    """Run the command line and exit; an interrupt while it starts or ends leaves no traceback."""
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")
               if hasattr(signal, name)]
    # Until a command runs, and after it, there is nothing that has to end in order.
    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(130))
    # Last of all Python restores the system's handlers, which would change the exit code.
    import atexit

    atexit.register(lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers])
    try:
        from pavilion_ai.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()

"""`python -m pavilion_ai` is the command `pavilion`."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import NoReturn
else:
    try:
        import _signal as signal  # built in; the other one imports enum, which takes longer
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
    import atexit

    atexit.register(_keep_exit_code, numbers)
    try:
        from pavilion_ai.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _keep_exit_code(numbers: "list[int]") -> None:
    """Let no signal change the exit code any more, neither one to come nor one that has been."""
    # Last of all Python restores the system's handlers.
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
    # An interrupt inside of `exec` or `eval` of text, as dataclasses use them, leaves a mark even
    # if it is caught, and `python -m` then ends by killing itself. The next `exec` takes it off.
    exec("")


if __name__ == "__main__":
    main()

"""`python -m pavilion_ai` is the command `pavilion`."""

from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit; an interrupt while it starts or ends leaves no traceback."""
    try:
        from pavilion_ai.cli import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()

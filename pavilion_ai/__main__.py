"""`python -m pavilion_ai` is the command `pavilion`."""

from pavilion_ai.cli import main

main()

"""The twelve variants, for parametrised tests."""

from __future__ import annotations

VARIANTS = [(game, board, players) for game in ("summer", "azul")
            for board in ("coloured", "grey") for players in (2, 3, 4)]

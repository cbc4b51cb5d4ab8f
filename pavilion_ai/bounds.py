"""What a request may ask for, on the command line as in the protocol.

Bounds exist so that a slip of the pen is refused and no number overflows further down; they are
far above what makes sense.
"""

MAX_SEED = 2**63 - 1
MAX_SECONDS = 1e9
MAX_SIMS = 10**12
MAX_THREADS = 256
MAX_DEPTH = 1000  # plies of perft
MAX_SHOWN_MOVES = 10**6
DEFAULT_SECONDS = 2.0  # a search that nobody limited

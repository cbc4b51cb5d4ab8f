"""A minimal engine for `pavilion match`: `cmd:python examples/engine.py`.

Engines can be written in any language. Requests arrive on standard input and answers go to standard
output, one JSON object per line. A match only sends `choose`; `hello` asks for your engine's name.
To play better, use `request["position"]` (docs/notation.md) and `request["limits"]`: {"sims": n},
{"seconds": s}, {"clock": [...], "increment": [...]} with seconds for each seat, or {}. An engine
that is late, silent, or returns an illegal move loses the game. Standard error is free for your own
use; its last line is quoted if the engine crashes. The engine must exit at the end of its input.
"""

import json
import random
import re
import sys


def tiles(text):
    """Count the tiles of a multiset: "2PG" is two purple ones and a green one."""
    return sum(int(number or 1) for number, _ in re.findall(r"(\d*)([A-Z])", text))


def worth(move):
    """Place the cheapest tile, else take bonus tiles or draft, else pass and keep the most."""
    kind, _, payment = move.partition(":")
    if kind == "pass":  # pass:2PG names the tiles kept
        return -1000 + tiles(payment)
    if "." in kind:  # NW.4:O3P names a space and its payment
        return 1000 - tiles(payment)
    return 0  # D3:G, C:G, bonus:2PG


def choose(request):
    """Return one of the best moves; the same seed gives the same one."""
    moves = request["legal_moves"]
    best = max(map(worth, moves))
    return random.Random(request["seed"]).choice([move for move in moves if worth(move) == best])


for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}  # every answer carries the id of its request
    if request["action"] == "choose":
        answer["move"] = choose(request)
    elif request["action"] == "hello":
        answer |= {"name": "example", "version": "1", "protocol": 1}
    else:
        answer |= {"error": "unknown action", "field": "action"}
    print(json.dumps(answer), flush=True)  # without a flush it would stay in the buffer

"""An engine for `pavilion match`, as small as one can be: `cmd:python examples/engine.py`.

Any language will do. One JSON object a line comes in on standard input, one a line goes out on
standard output; `choose` is all that a match asks for, `hello` tells your engine's name. To do
better, look at `request["position"]` (docs/notation.md) and at `request["limits"]`: {"sims": n},
{"seconds": s} or {}. Who is late, silent, or names no legal move loses the game. Standard error
is yours, its last line is quoted when the engine crashes. The end of the input ends the engine.
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
    print(json.dumps(answer), flush=True)  # without the flush it would stay in a buffer

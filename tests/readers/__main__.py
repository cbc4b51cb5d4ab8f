"""Measure what hostile input costs each reader: `python -m tests.readers [READER...]`.

Every place of every sample is given every hostile value, which is as long as the reader takes: a
million empty objects, thousands of digits, a long blank, what steers a terminal, and so on. What
costs too much, or is told in a way that a terminal could not show, is a finding. With --share, a
part of all cases chosen at random.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from random import Random

from tests.readers.readers import READERS
from tests.readers.walk import cases, finding, measured


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.readers",
                                     description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER",
                        help=f"of {', '.join(READERS)}; default: all")
    parser.add_argument("--share", type=float, default=1.0, help="of all cases, from 0 to 1")
    parser.add_argument("--size", type=int, help="of hostile values; default: what a reader takes")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of cases")
    given = parser.parse_args()
    findings = count = 0
    random = Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="readers") as folder:
        os.chdir(folder)
        for name in given.readers or READERS:
            slowest = largest = (0.0, "none")
            tried = 0
            for case, make in cases(READERS[name], given.size):
                if random.random() >= given.share:
                    continue
                tried += 1
                outcome, cost = measured(READERS[name], make())
                slowest = max(slowest, (cost.seconds, case))
                largest = max(largest, (cost.mib, case))
                if found := finding(outcome, cost):
                    findings += 1
                    print(f"{name}: {case}: {found}", flush=True)
            count += tried
            print(f"{name}: {tried} inputs; at most {slowest[0]:.2f} s ({slowest[1]}) and"
                  f" {largest[0]:.0f} MiB ({largest[1]})", flush=True)
        os.chdir("/")
    print(f"{count} inputs, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

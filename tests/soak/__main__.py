"""Run engine, matches and page side by side for long: `python -m tests.soak [--minutes 60]`.

Faults are injected all the time. It goes on until each has done something, on a busy machine up to
ten minutes longer. It fails if one of them no longer answers, ends wrongly or does
nothing, and if memory, descriptors, threads or files grow from the first third of the time to the
last.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.match.support import descendants
from tests.soak.parts import PARTS, PATIENCE, Part
from tests.soak.usage import Usage

TOLD_SECONDS = 60


def goes_on(parts: Sequence[Part], end: float, now: float) -> bool:
    """Tell whether to go on: nothing has failed, and there is time or one has done nothing yet."""
    if any(part.fault for part in parts):
        return False
    return now < end or (now < end + PATIENCE and not all(part.done for part in parts))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    names = [one.name for one in PARTS]
    parser.add_argument("parts", nargs="*", choices=[*names, []], metavar="PART",
                        help=f"of {', '.join(names)}; default: all")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    temporary = Usage("temporary files")
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = str(Path(folder) / "tmp")
        Path(tempfile.tempdir).mkdir()
        parts = [one(Path(folder) / one.name, given.seed) for one in PARTS
                 if not given.parts or one.name in given.parts]
        for part in parts:
            part.begin()
        end = time.monotonic() + 60 * given.minutes
        told = time.monotonic()
        while goes_on(parts, end, time.monotonic()):
            time.sleep(1)
            temporary.add({"files": sum(1 for _ in Path(tempfile.tempdir).iterdir())})
            if time.monotonic() - told > TOLD_SECONDS:
                told = time.monotonic()
                for part in parts:
                    print(f"{part.name}: {part.done} done; {part.usage.told()}", flush=True)
        told = time.monotonic()
        for part in parts:  # all of them, before anyone is waited for
            part.ending.set()
        for part in parts:
            part.end()
        print(f"ended within {time.monotonic() - told:.1f} s")
        faults = [fault for part in parts for fault in part.usage.faults()] + temporary.faults()
        for part in parts:
            print(f"{part.name}: {part.done} done; {part.usage.told()}")
            if not part.done:
                faults.append(f"{part.name}: did nothing in all that time")
            if part.fault is not None:
                traceback.print_exception(part.fault)
                faults.append(f"{part.name}: {part.fault!r}"[:500])
        if left := descendants(os.getpid()):
            faults.append(f"{len(left)} processes are left")
    print("\n".join(faults) or "nothing grew, nothing failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Tables of the documents that scripts write: each stands between two comments of its page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def keep(page: str, name: str, table: str) -> int:
    """Write a table into its page, or with `--check` compare it; return the exit status.

    Args:
        page: file of the documents.
        name: name in the comments around it, `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
        table: Markdown.
    """
    parser = argparse.ArgumentParser(description=f"Write the {name} of docs/{page}.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    path, begin, end = DOCS / page, f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    old = path.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        print(f"{path}: expected the lines {begin.strip()} and {end.strip()}", file=sys.stderr)
        return 1
    before, _, rest = old.partition(begin)
    new = f"{before}{begin}{table}{end}{rest.partition(end)[2]}"
    if check:
        if new != old:
            print(f"{path}: not up to date; run {sys.argv[0]}", file=sys.stderr)
        return int(new != old)
    path.write_text(new, encoding="utf-8")
    return 0

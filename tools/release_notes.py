"""Print the section of CHANGELOG.md on a version, as the text of its release.

    python -m tools.release_notes vX.Y.Z

Fails unless the tag names the version of the package, and nothing is left under `[Unreleased]`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pavilion_ai.version import __version__

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def release_notes(tag: str, version: str, changelog: str) -> str:
    """Return the section on a version, each entry on one line: a release breaks all lines it has.

    Args:
        tag: `v` and the version to release.
        version: version of the package.
        changelog: text of CHANGELOG.md.

    Raises:
        ValueError: the tag names another version, or the changelog is not that of a release.
    """
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag}, the version of the package {version}")
    sections = dict(re.findall(r"^## \[([^]]+)\][^\n]*\n(.*?)(?=^## |\Z)", changelog,
                               re.MULTILINE | re.DOTALL))
    if sections.get("Unreleased", "").strip():
        raise ValueError("CHANGELOG.md has entries under [Unreleased]")
    if version not in sections:
        raise ValueError(f"CHANGELOG.md has no section [{version}]")
    return re.sub(r"(?<=\S)\n(?: +|(?=[^\s#-]))", " ", sections[version].strip()) + "\n"


def main() -> None:
    """Print the notes on the tag that is the argument."""
    if len(sys.argv) != 2:
        print("usage: python -m tools.release_notes vX.Y.Z", file=sys.stderr)
        sys.exit(2)
    changelog = CHANGELOG.read_text(encoding="utf-8")
    try:
        print(release_notes(sys.argv[1], __version__, changelog), end="")
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

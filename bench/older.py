"""Take an older network of each variant from the project's history, for mixed tables.

    python -m bench.older FOLDER

Each is the network before the present one, or an earlier one.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

COMMITS = {
    "summer-coloured-2": "2c73e81", "summer-grey-2": "0612de2", "azul-coloured-2": "64b11d7",
    "azul-grey-2": "74df0e1", "summer-coloured-3": "476ca4e", "summer-grey-3": "037f5a5",
    "azul-coloured-3": "0612de2", "azul-grey-3": "d4fdad2", "summer-coloured-4": "8bc7450",
    "summer-grey-4": "037f5a5", "azul-coloured-4": "0612de2", "azul-grey-4": "affd06d",
}
"""The commits that hold them."""


def main() -> None:
    """Write the networks into a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, commit in COMMITS.items():
        file = f"{name}.net"
        found = subprocess.run(["git", "show", f"{commit}:pavilion_ai/nets/{file}"], check=False,
                               cwd=Path(__file__).parent, capture_output=True)
        if found.returncode:
            parser.error(f"commit {commit} cannot be read, expected a checkout with its history")
        (folder / file).write_bytes(found.stdout)


if __name__ == "__main__":
    main()

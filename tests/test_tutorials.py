"""The programs of tutorials, run; what reference and listing name, compared."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pavilion_ai
from tests.cli.support import ROOT, environment
from tools.diagrams import IMAGES, PICTURES
from tools.public_api import LISTING, MODULES, listing


def blocks(path: Path, language: str) -> list[str]:
    """Return the blocks of a document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"),
                      re.MULTILINE | re.DOTALL)


def test_python_of_a_researcher(tmp_path: Path) -> None:
    code = "\n".join(blocks(ROOT / "docs" / "tutorials" / "researchers.md", "python"))
    (tmp_path / "tutorial.py").write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, "tutorial.py"], cwd=tmp_path, capture_output=True,
                          env=environment(), timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    assert "against random" in done.stdout.decode()


def test_the_engine_of_a_tutorial_plays(tmp_path: Path) -> None:
    (engine,) = blocks(ROOT / "docs" / "tutorials" / "tournaments.md", "python")
    (tmp_path / "first.py").write_text(engine, encoding="utf-8")
    spec = f"cmd:{shutil.which(sys.executable)} first.py"
    done = subprocess.run(
        [sys.executable, "-m", "pavilion_ai", "match", spec, "random", "--pairs", "1", "--json"],
        cwd=tmp_path, capture_output=True, env=environment(), timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["entrants"][0]["faults"] == 0


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: pavilion_ai\.(\w+)$", page, re.MULTILINE)) == sorted(
        pavilion_ai.__all__)
    page = (ROOT / "docs" / "reference" / "environments.md").read_text(encoding="utf-8")
    assert {"pavilion_ai", *re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE)} == {*MODULES}


def test_the_public_names_and_versions_are_those_listed() -> None:
    assert listing() == LISTING.read_text(encoding="utf-8"), (
        "public names changed: python tools/public_api.py writes the listing; a name that goes is"
        " deprecated first (docs/development.md, Versions)")


def test_pictures_are_those_that_the_script_draws() -> None:
    for name, draw in PICTURES.items():
        assert (IMAGES / f"{name}.svg").read_text(encoding="utf-8") == str(draw()), (
            "python tools/diagrams.py draws them anew")

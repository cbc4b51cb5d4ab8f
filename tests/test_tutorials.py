"""Programs in the documents and tutorials, run; what reference and listing name, compared."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pavilion_ai
from tests.cli.support import EXAMPLES, ROOT, environment, pavilion
from tests.match.support import python_engine
from tools.diagrams import IMAGES, PICTURES
from tools.public_api import LISTING, MODULES, listing


def blocks(path: Path, language: str) -> list[str]:
    """Return the blocks of a document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"),
                      re.MULTILINE | re.DOTALL)


def libraries(code: str) -> list[str]:
    """Return the optional libraries that a program needs."""
    named = re.findall(r"^import (\w+)|^from (?!pavilion_ai)(\w+)"
                       r"|^from pavilion_ai.envs import (gymnasium|pettingzoo)", code, re.MULTILINE)
    return [*dict.fromkeys("".join(names) for names in named)]


PROGRAMS = {
    "-".join([path.relative_to(ROOT).as_posix(), str(number), *libraries(code)]): code
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for number, code in enumerate(blocks(path, "python"), 1)}
"""The programs of all documents but tutorials."""
SMALL = [
    (r"\b1024\b", "16"), (r"range\(\d+\)", "range(2)"), (r"learn\([\d_]+\)", "learn(8)"),
    (r"\bsims=\d+", "sims=4"), (r"\bseconds=\d+", "seconds=0.01"), (r"\blevel=\d", "level=1"),
    (r"\b(pairs|jobs|games)=\d+", r"\1=1"),
]
"""How numbers are made small."""
GAME = "from pavilion_ai import Play; play = other = Play.new('summer', seed=1)\n"
NETWORK = """
def network(rows):
    return torch.full((len(rows), 2), 0.5), torch.zeros(len(rows), 581)
"""
BEFORE = {"[play, other]": GAME, "network(torch": f"import torch\n{GAME}{NETWORK}",
          "write_dataset(": "from tests.envs.support import even as evaluator\n"}
"""What makes the names that a program takes from the text around it."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_python_of_the_documents(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = PROGRAMS[name]
    for library in libraries(code):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(EXAMPLES)
    if 'load("data")' in code:
        pavilion("dataset", "--out", "data", "--games", 1, "--agent", "greedy")
    for pattern, small in SMALL:
        code = re.sub(pattern, small, code)
    given = "".join(lines for words, lines in BEFORE.items() if words in code)
    exec(compile(given + code, name, "exec"), {"__name__": name})


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
    spec = python_engine("first.py")
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

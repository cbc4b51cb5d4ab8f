"""Links between the documents: the file is there, and what follows the # is one of its headings."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def anchors(text: str) -> set[str]:
    """The names under which GitHub finds the headings of a text."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ +(.*?)\s*$", prose, flags=re.MULTILINE)
    plain = [LINK.sub("", title).replace("[", "").lower() for title in titles]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def test_anchors_are_those_of_headings_alone() -> None:
    text = "# One `net=0`: two\n\n```\n# three\n```\n\n### [Four](x.md), five\n"
    assert anchors(text) == {"one-net0-two", "four-five"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    lost = []
    for target in LINK.findall(document.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists() or (anchor and anchor not in anchors(path.read_text())):
            lost.append(target)
    assert not lost

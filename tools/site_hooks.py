"""Hooks of the documentation site: links out of docs/ lead to the repository."""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Return the text with links such as ../examples/engine.py turned into addresses."""
    depth = page.file.src_uri.count("/")
    out = r"\]\(" + r"\.\./" * (depth + 1) + r"([\w./-]+)((?:#[\w-]+)?)\)"
    return re.sub(out, rf"]({config.repo_url}/blob/main/\1\2)", markdown)

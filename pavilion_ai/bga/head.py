"""What a file of JSON is, by its beginning: a log or page of the site, or something of ours."""

from __future__ import annotations

import re

HEAD_BYTES = 4096  # enough to distinguish them
_OF_LOG = re.compile(
    rb'"(status|logs|packets|gamedatas|infos|table_id|packet_id|channel|players|factoryNumber|data|args'
    rb'|uid)"\s*:')
_OF_RECORD = re.compile(rb'"(agents|moves|start|breakdown|seed)"\s*:')
_OF_POSITION = re.compile(rb'"(agents|moves|start|game|seats|displays|centre)"\s*:')
_COMMENT = re.compile(rb'(?m)^[^"#\n]*#[^\n]{0,300}$')
"""A line of a position with a comment, which may quote anything; a log on such a line is longer."""


def begins_log(head: bytes) -> bool:
    """Tell whether a file begins as a log rather than as game records."""
    return bool(_OF_LOG.search(head)) and not _OF_RECORD.search(head)


def begins_page(head: bytes) -> bool:
    """Tell whether a file begins as a page or a log rather than as a position or a record."""
    head = _COMMENT.sub(b"", head)
    return bool(_OF_LOG.search(head)) and not _OF_POSITION.search(head)

"""Archives made for tests."""

from __future__ import annotations

import io
import warnings
import zipfile


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # names that stand there twice
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()

"""When two texts say the same: the content hash of a document."""

from __future__ import annotations

import unicodedata
from hashlib import sha256


def content_hash(title: str, text: str) -> str | None:
    """Return the SHA-256 (hex) of what a document says, None where it says nothing.

    Title and text are normalised (Unicode NFKC, case folded, blanks squeezed), so that documents which
    differ only in their writing agree. An empty document is equal to no other.
    """
    parts = [_squeezed(title), _squeezed(text)]
    if not any(parts):
        return None
    return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

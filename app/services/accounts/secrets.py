"""The secrets behind links: drawn at random, shown once, stored as a hash."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """Return 256 random bits as they stand in an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """Return the 32 bytes that are stored; anything can be asked for, so anything can be hashed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()

"""Where a form may send people afterwards: to a page of this site, and nowhere else."""

from __future__ import annotations

from urllib.parse import urlsplit

HOME = "/"


def local_target(wanted: str | None, usual: str = HOME) -> str:
    """Return a wanted path if it stays on this site, else the usual one.

    A browser reads backslashes as slashes, drops tabs and line breaks, and takes `//host` for a host.
    """
    if not wanted or not wanted.startswith("/") or wanted.startswith("//"):
        return usual
    if "\\" in wanted or any(ord(character) < 33 or ord(character) == 127 for character in wanted):
        return usual
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return usual
    return usual if parts.scheme or parts.netloc else wanted

"""Where a form may send people afterwards: to a page of this site, and nowhere else."""

from __future__ import annotations

from urllib.parse import urlsplit

HOME = "/"


def local_target(wanted: str | None) -> str:
    """Return a wanted path if it stays on this site, else the home page.

    A browser reads backslashes as slashes, drops tabs and line breaks, and takes `//host` for a host.
    """
    if not wanted or not wanted.startswith("/") or wanted.startswith("//"):
        return HOME
    if "\\" in wanted or any(ord(character) < 33 or ord(character) == 127 for character in wanted):
        return HOME
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return HOME
    return HOME if parts.scheme or parts.netloc else wanted

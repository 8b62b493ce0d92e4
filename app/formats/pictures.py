"""What the first bytes of an image say: its kind and its size. PNG, JPEG, GIF and WebP, and nothing else.

The name of a file and what a server calls it are not asked. SVG is refused: it can hold scripts.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from struct import unpack_from

# More could fill the memory of whoever looks at it.
LONGEST_SIDE = 10_000
PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
GIFS = (b"GIF87a", b"GIF89a")
# Markers of JPEG that hold a size: all frames but the three that share their numbers.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
ALONE = frozenset({0x01, *range(0xD0, 0xD9)})


class BadPictureError(ValueError):
    """These bytes are no image that can be shown; the message says why."""


@dataclass(frozen=True)
class PictureKind:
    """The type of an image, and its size in pixels."""

    media_type: str
    width: int
    height: int


def kind_of_picture(content: bytes) -> PictureKind:
    """Return what an image is, by its content.

    :raise BadPictureError: It is no PNG, JPEG, GIF or WebP image, or it is too large.
    """
    try:
        kind = _kind(content)
    except (struct.error, IndexError) as error:
        raise BadPictureError("the image is cut off") from error
    if not (0 < kind.width <= LONGEST_SIDE and 0 < kind.height <= LONGEST_SIDE):
        raise BadPictureError(f"a side is longer than {LONGEST_SIDE:,} pixels, or empty")
    return kind


def _kind(content: bytes) -> PictureKind:
    if content.startswith(PNG) and content[12:16] == b"IHDR":
        return PictureKind("image/png", *unpack_from(">II", content, 16))
    if content.startswith(GIFS):
        return PictureKind("image/gif", *unpack_from("<HH", content, 6))
    if content.startswith(JPEG):
        return PictureKind("image/jpeg", *_size_of_jpeg(content))
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return PictureKind("image/webp", *_size_of_webp(content))
    raise BadPictureError("it is no PNG, JPEG, GIF or WebP image")


def _size_of_jpeg(content: bytes) -> tuple[int, int]:
    at = 2
    while True:
        if content[at] != 0xFF:
            raise BadPictureError("the image is damaged")
        marker = content[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in ALONE:
            at += 2
        elif marker in FRAMES:
            height, width = unpack_from(">HH", content, at + 5)
            return width, height
        else:
            at += 2 + max(2, unpack_from(">H", content, at + 2)[0])


def _size_of_webp(content: bytes) -> tuple[int, int]:
    chunk = content[12:16]
    if chunk == b"VP8X":
        sides = [int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27)]
        if len(content) < 30:
            raise BadPictureError("the image is cut off")
        return sides[0], sides[1]
    if chunk == b"VP8L":
        (bits,) = unpack_from("<I", content, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 ":
        width, height = unpack_from("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise BadPictureError("the image is damaged")

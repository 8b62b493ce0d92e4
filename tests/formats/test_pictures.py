"""The kind and the size of an image come from its bytes; what is no such image is refused."""

import struct
import zlib

import pytest

from app.formats.pictures import BadPictureError, PictureKind, kind_of_picture

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 33, 44)
# An application segment first, as cameras write it.
JPEG = (
    b"\xff\xd8\xff\xe1"
    + struct.pack(">H", 6)
    + b"Exif"
    + b"\xff\xff\xc2"
    + struct.pack(">HBHH", 17, 8, 48, 64)
)
WEBP_X = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
WEBP_L = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 199 | 99 << 14)
WEBP = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 320, 240)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, PictureKind("image/png", 640, 480)),
        (GIF, PictureKind("image/gif", 33, 44)),
        (JPEG, PictureKind("image/jpeg", 64, 48)),
        (WEBP_X, PictureKind("image/webp", 100, 50)),
        (WEBP_L, PictureKind("image/webp", 200, 100)),
        (WEBP, PictureKind("image/webp", 320, 240)),
    ],
)
def test_an_image_is_known_by_its_first_bytes(content, kind):
    assert kind_of_picture(content) == kind


@pytest.mark.parametrize("content", [PNG, GIF, JPEG, WEBP_X, WEBP_L, WEBP])
def test_an_image_that_is_cut_off_is_refused_wherever_it_ends(content):
    for end in range(len(content) - 5 if content is PNG else len(content)):
        with pytest.raises(BadPictureError):
            kind_of_picture(content[:end])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<!doctype html><img src=x>",
        zlib.compress(b"anything"),
        b"BM" + bytes(60),
        PNG.replace(struct.pack(">I", 640), struct.pack(">I", 60_000)),
        GIF[:6] + bytes(4),
        b"RIFF\0\0\0\0WEBPVP8? " + bytes(40),
        b"\xff\xd8\xff\xe1\0\x02garbage",
    ],
)
def test_anything_else_is_refused(content):
    with pytest.raises(BadPictureError):
        kind_of_picture(content)

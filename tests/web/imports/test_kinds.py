"""Every column that a file may have is spoken of in words of its own."""

from app.formats.schema import NAMES
from app.web.imports.kinds import COLUMN_NAMES


def test_every_column_has_a_name_for_people():
    assert {name for names in NAMES.values() for name in names} <= set(COLUMN_NAMES)

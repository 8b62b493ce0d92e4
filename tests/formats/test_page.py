"""The page of formats says what the readers and exports do."""

import re
from pathlib import Path

from app.formats.schema import ALL_FORMATS, FORMATS, WRITTEN_FORMATS

PAGE = Path(__file__).parents[2] / "app" / "FORMATS.md"
SAYS = {True: "yes", False: "no"}


def test_the_table_says_what_each_format_can_hold():
    rows = re.findall(r"^\| .+ \| `(\w[\w-]*)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert [(name, cells.split(" | ")) for name, cells in rows] == [
        (name, [SAYS[name in known] for known in (*FORMATS.values(), WRITTEN_FORMATS)])
        for name in ALL_FORMATS
    ]

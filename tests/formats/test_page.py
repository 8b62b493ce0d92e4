"""The page of formats says what the readers and exports do."""

import re
from pathlib import Path

from app.formats.qrels_files import FILES
from app.formats.schema import ALL_FORMATS, FORMATS, WRITTEN_FORMATS

PAGE = Path(__file__).parents[2] / "app" / "FORMATS.md"
SAYS = {True: "yes", False: "no"}


def test_the_table_says_what_each_format_can_hold():
    rows = re.findall(r"^\| .+ \| `(\w[\w-]*)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    written = {*WRITTEN_FORMATS, *(form for _, form in FILES.values())}
    assert [(name, cells.split(" | ")) for name, cells in rows] == [
        (name, [SAYS[name in known] for known in (*FORMATS.values(), written)]) for name in ALL_FORMATS
    ]

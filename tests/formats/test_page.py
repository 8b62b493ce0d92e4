"""The page of formats says what the readers and exports do."""

import re
from pathlib import Path

from app.formats.exported import FORMS
from app.formats.schema import ALL_FORMATS, FORMATS, TABLES

PAGE = Path(__file__).parents[2] / "app" / "FORMATS.md"
COMMANDS = {
    "qrels": "qrels",
    "ratings": "judgments",
    "results": "runs",
    "queries": "queries",
    "pool": "pool",
}
SAYS = {True: "yes", False: "no"}


def test_the_table_says_what_each_format_can_hold():
    table = PAGE.read_text(encoding="utf-8").partition("| Command |")[0]
    rows = re.findall(r"^\| .+ \| `(\w[\w-]*)` \| (.+) \|$", table, re.MULTILINE)

    written = {form.format for forms in FORMS.values() for form in forms}
    assert [(name, cells.split(" | ")) for name, cells in rows] == [
        (name, [SAYS[name in known] for known in (*FORMATS.values(), written)]) for name in ALL_FORMATS
    ]


def test_it_names_the_files_for_other_tools_and_what_they_cannot_hold():
    table = PAGE.read_text(encoding="utf-8").partition("| What it cannot hold |")[2]
    rows = re.findall(r"^\| `export (\w+)` \| `([\w-]+)` \| (.+) \| (.*) \|$", table, re.MULTILINE)

    assert rows == [
        (command, form.name, form.label, " ".join(form.limits))
        for what, command in COMMANDS.items()
        for form in FORMS[what]
        if form.name not in TABLES
    ]
    assert {form.name for what in FORMS.keys() - COMMANDS for form in FORMS[what]} == set(TABLES)

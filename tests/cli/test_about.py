"""`flask about` says which version runs, and where its data is."""

import re
import tomllib

from app.cli.about import place_of
from config import ROOT, VERSION


def test_the_version_and_the_place_of_the_data_are_printed(run_command):
    told = run_command("about")

    assert told.exit_code == 0
    assert re.fullmatch(
        rf"Touchstone {re.escape(VERSION)}\nDatabase: \S+, revision \d{{4}}\nFolder: .+\n", told.output
    )


def test_the_address_of_a_database_is_printed_without_its_password():
    place = place_of("postgresql+psycopg://ada:a-secret@db.example.org:5432/touchstone")

    assert place == "postgresql+psycopg://ada:***@db.example.org:5432/touchstone"


def test_project_and_changelog_name_the_same_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (newest,) = re.findall(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[:1]

    assert (project["version"], newest) == (VERSION, VERSION)

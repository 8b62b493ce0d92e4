"""Store the database of a release, for later migrations to be tried on.

`PYTHONPATH=. python tests/released/make.py 1.0.0 PG_DUMP` writes it as SQL, once for SQLite and once for PostgreSQL,
with a row in every table, and beside it what it must still say after every later migration. PG_DUMP is the
program, not older than the server that tests use.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from sqlalchemy import make_url

from app.database import Database
from app.migrating import upgrade_schema
from tests.furniture.every_table import fill_every_table, what_it_says
from tests.furniture.postgresql import serve_postgresql

HERE = Path(__file__).parent


def _filled(url: str) -> dict[str, object]:
    database = Database(url)
    upgrade_schema(database)
    with database.write() as session:
        fill_every_table(session)
    message = what_it_says(database)
    database.dispose()
    return message


def _sqlite_text(folder: Path) -> str:
    file = folder / "kept.sqlite3"
    _filled(f"sqlite:///{file}")
    with sqlite3.connect(file) as connection:
        return "\n".join(connection.iterdump()) + "\n"


def _postgresql_text(program: str) -> tuple[str, dict[str, object]]:
    url, stop = serve_postgresql()
    try:
        message = _filled(
            make_url(url).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
        )
        plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        words = [program, "--inserts", "--no-owner", "--no-privileges", "--no-comments", plain]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    finally:
        stop()
    # Commands of psql, settings of one session, and remarks are no part of the database.
    kept = [
        line for line in lines if line and not line.startswith(("\\", "--", "SET ", "SELECT pg_catalog.set_"))
    ]
    return "\n".join(kept) + "\n", message


def main() -> None:
    """Write the three files of a release."""
    version, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        (HERE / f"{version}.sqlite.sql").write_text(_sqlite_text(Path(folder)))
    text, message = _postgresql_text(program)
    (HERE / f"{version}.postgresql.sql").write_text(text)
    (HERE / f"{version}.json").write_text(json.dumps(message, indent=2) + "\n")


if __name__ == "__main__":
    main()

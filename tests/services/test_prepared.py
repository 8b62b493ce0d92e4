"""Prepared statements: compiled once for each database, with other values at each run."""

from datetime import UTC, datetime

from sqlalchemy import DateTime, bindparam, select, type_coerce

from app.database import Database
from app.services.prepared import Prepared

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


@Prepared
def echo():
    return select(bindparam("number"), type_coerce(bindparam("day"), DateTime(timezone=True)))


def run(database, number):
    with database.read() as session:
        return echo.run(session.connection(), {"number": number, "day": DAY}).one()


def test_each_run_has_its_own_values_and_the_types_of_the_columns(database):
    first, second = run(database, 1), run(database, 2)

    assert (first[0], second[0]) == (1, 2)
    assert second[1].replace(tzinfo=UTC) == DAY


def test_the_statement_is_compiled_once_for_each_database(database, monkeypatch):
    other = Database(database.url)
    compiled = []
    built = type(echo.statement)
    compile_it = built._compiler
    monkeypatch.setattr(
        built, "_compiler", lambda *given, **more: compiled.append(1) or compile_it(*given, **more)
    )

    for _ in range(3):
        run(database, 1)
        run(other, 1)

    assert len(compiled) <= 2
    other.dispose()

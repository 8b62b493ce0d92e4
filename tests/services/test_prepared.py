"""Prepared statements: compiled once for each database, with other values at each run."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import (
    DateTime,
    Float,
    Integer,
    bindparam,
    cast,
    func,
    literal,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError

from app.database import Database
from app.services.prepared import Prepared

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def echo():
    day = type_coerce(bindparam("day"), DateTime(timezone=True)).label("day")
    return select(bindparam("number", type_=Integer), day)


def run(statement, database, number):
    with database.read() as session:
        return statement.row(session, {"number": number, "day": DAY})


def test_each_run_has_its_own_values_and_the_types_of_the_columns(database):
    prepared = Prepared(echo)

    first, second = run(prepared, database, 1), run(prepared, database, 2)

    assert (first[0], second[0]) == (1, 2)
    assert second.day.replace(tzinfo=UTC) == DAY


def test_the_statement_is_compiled_once_for_each_database(database):
    other, built = Database(database.url), []
    prepared = Prepared(lambda: built.append(1) or echo())

    for _ in range(3):
        run(prepared, database, 1)
        run(prepared, other, 1)

    assert len(built) <= 2
    other.dispose()


def test_numbers_are_what_their_columns_ask_whatever_the_driver_gives(database):
    half, quarter = literal_column("0.5", Float), cast(literal_column("0.25"), Float)
    numbers = Prepared(lambda: select(half, quarter, func.sum(literal(2)), func.avg(literal(3))))

    with database.read() as session:
        row = numbers.row(session, {})

    assert list(row) == [0.5, 0.25, 2, 3]
    assert {type(value) for value in row[:2]} == {float}


def test_an_error_of_the_driver_is_one_of_sqlalchemy(database):
    wrong = Prepared(lambda: select(literal_column("no_such_column")))

    with pytest.raises(DBAPIError, match="no_such_column"), database.read() as session:
        wrong.rows(session, {})

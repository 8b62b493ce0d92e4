"""The declarative base: constraint names by convention, UTC times, coded enumerations."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import IntEnum
from typing import Any, TypeVar

from sqlalchemy import DateTime, Dialect, MetaData, SmallInteger
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

# Named, because a constraint without a name cannot be dropped in a migration on every database.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

Code = TypeVar("Code", bound=IntEnum)


class Base(DeclarativeBase):
    """The base of all tables."""

    metadata = MetaData(naming_convention=NAMES)


def now_utc() -> datetime:
    """Return the present moment, aware and in UTC."""
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """An aware moment, stored in UTC; naive values are refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment in UTC, without its zone on SQLite, which stores none."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone cannot be stored")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment, aware and in UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Coded(TypeDecorator[Any]):
    """An `IntEnum`, stored as its small number: compact rows, and arrays without a mapping."""

    impl = SmallInteger
    cache_ok = True

    def __init__(self, kind: type[Code]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: IntEnum | int | None, dialect: Dialect) -> int | None:
        """Return the number to store."""
        del dialect
        return None if value is None else int(self.kind(value))

    def process_result_value(self, value: int | None, dialect: Dialect) -> IntEnum | None:
        """Return the member with this number."""
        del dialect
        return None if value is None else self.kind(value)

"""Run migrations on the database that the caller hands over, or on the one the environment names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import context

from app.database import Database
from app.models import Base

if TYPE_CHECKING:
    from sqlalchemy import Connection


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        # SQLite takes part in the transaction as well: a failed migration leaves nothing behind.
        transactional_ddl=True,
        render_as_batch=False,
    )
    with context.begin_transaction():
        context.run_migrations()


def database_of_the_environment() -> Database:
    from config import read_settings

    return Database(read_settings().database_url)


handed = context.config.attributes.get("database")
database = handed or database_of_the_environment()
try:
    with database.writing_engine.connect() as opened:
        run(opened)
finally:
    if handed is None:
        database.dispose()

"""The driver's own rows: one object per row would cost twenty times as much."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints

CHUNK = 1 << 17
"""Rows held as wide numbers at a time."""


def driver_rows(session: Session, wanted: Select[*tuple[Any, ...]], **named: Any) -> Any:
    """Return the driver's cursor over the rows, without SQLAlchemy's own row objects.

    `named` are the values of the statement's parameters, if it has any.
    """
    # On the connection: through the session the ORM would wrap the rows.
    return session.connection().execute(wanted, named).cursor


def read_integers(session: Session, wanted: Select[*tuple[Any, ...]], columns: int) -> Ints:
    """Return rows of whole numbers as int64 (rows, columns)."""
    flat = np.fromiter(chain.from_iterable(driver_rows(session, wanted)), dtype=np.int64)
    return flat.reshape(-1, columns)


def read_columns(
    session: Session, wanted: Select[*tuple[Any, ...]], kinds: Sequence[DTypeLike], **named: Any
) -> list[Any]:
    """Return the columns of rows of whole numbers, each as an array of its own kind."""
    rows = iter(driver_rows(session, wanted, **named))
    parts: list[list[Any]] = [[np.zeros(0, dtype=kind)] for kind in kinds]
    while len(flat := np.fromiter(chain.from_iterable(islice(rows, CHUNK)), dtype=np.int64)):
        table = flat.reshape(-1, len(kinds))
        for number, kind in enumerate(kinds):
            parts[number].append(table[:, number].astype(kind))
    return [np.concatenate(column) for column in parts]

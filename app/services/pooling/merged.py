"""Merged documents: each is pooled as the one that stands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Document
from app.services.pooling.places import Places, best_places, pairs_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def merged_documents(session: Session, project_id: int) -> dict[int, int]:
    """Return which document stands for each merged one, by number; mostly there is none."""
    wanted = select(Document.id, Document.merged_into).where(
        Document.project_id == project_id, Document.merged_into.is_not(None)
    )
    return {number: head for number, head in session.execute(wanted) if head is not None}


def with_merged(session: Session, project_id: int, places: Places) -> Places:
    """Return places with every merged document replaced by the one that stands for it."""
    heads = merged_documents(session, project_id)
    if not heads or not len(places):
        return places
    numbers = np.array(sorted(heads), dtype=np.int64)
    stands = np.array([heads[number] for number in numbers.tolist()], dtype=np.int64)
    document = places.document
    at = np.minimum(np.searchsorted(numbers, document), len(numbers) - 1)
    document = np.where(numbers[at] == document, stands[at], document)
    return best_places(pairs_of(places.query, document), places.rank)

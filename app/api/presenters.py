"""How things look as JSON. An annotator's replies are built from types that know no ranker."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from app.models import now_utc
from app.services.judging.no_good_answer import RecordedStep
from app.services.judging.rating import BatchProgress, Recorded


def recorded(result: Recorded) -> dict[str, Any]:
    """Return a rating that is in the ledger, its annotator's progress, and the wording of its question."""
    return result.rating.facts | {"progress": progress(result.progress), "wording": result.wording}


def step(step_id: UUID, result: RecordedStep) -> dict[str, Any]:
    """Return what one step did to the answers of a batch, by candidate."""
    ratings = {public_id: rating.facts for public_id, rating in result.ratings.items()}
    told = {"progress": progress(result.progress), "wording": result.wording}
    return {"id": str(step_id), "ratings": ratings, **told}


def progress(done: BatchProgress) -> dict[str, int]:
    """Return how far an annotator is with a batch."""
    return {"batch": done.batch, "settled": done.settled, "of": done.of}


def remarked(**fields: str | bool) -> dict[str, Any]:
    """Return a note or a flag that is stored, and by when: a page that was asked for earlier may lack it."""
    return {**fields, "at": now_utc().isoformat()}

"""The scores of a project at many of its revisions: what a copy or a restored backup must give as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.evidence.store import read_evidence
from app.services.scores.history import scores_as_of

if TYPE_CHECKING:
    from app.database import Database


def scores_at(database: Database, project_id: int, revisions: list[int]) -> dict[tuple[int, int], object]:
    """Return the score of every version at each of some revisions, with its interval and what is judged."""
    with database.read() as session:
        evidence = read_evidence(session, project_id)
    wanted = {
        revision: [place for place, run in enumerate(evidence.structure.runs) if run.revision <= revision]
        for revision in revisions
    }
    return dict(scores_as_of(evidence, {revision: places for revision, places in wanted.items() if places}))

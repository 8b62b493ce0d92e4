"""What a list of recommended papers should not hold: its own target, gaps between places, another length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from app.formats.trec import NO_RANK
from app.models import Document, Query
from app.models.project import PAPER_TEMPLATE
from app.services.bulk import stream_plain
from app.services.external_ids import UNKNOWN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags
    from app.services.runs.lists import RunLists
    from app.services.runs.planning import NumberedRun


def recommended_checks(session: Session, project: Project, run: NumberedRun) -> dict[str, Any]:
    """Return the counts of `RunReport` that only projects of papers have; nothing for any other project."""
    if project.options.get("template") != PAPER_TEMPLATE:
        return {}
    lengths = run.lists.lengths[run.kept]
    return {
        "own_targets": _own_targets(session, project.id, run),
        "gapped_lists": int(np.count_nonzero(_is_gapped(run.lists)[run.kept])),
        "other_lengths": int(np.count_nonzero(lengths != project.pool_depth)),
        "usual_length": project.pool_depth,
    }


def _own_targets(session: Session, project_id: int, run: NumberedRun) -> int:
    """Return how many lines recommend a target to itself, by its id or by its title."""
    lists = run.lists
    place = {external: at for at, external in enumerate(lists.document_ids)}
    same_id = np.array([place.get(external, UNKNOWN) for external in lists.query_ids], dtype=np.int64)
    own = np.repeat(same_id, lists.lengths) == lists.document
    titles = _titles(session, project_id)
    texts = dict(session.execute(select(Query.id, Query.text).where(Query.project_id == project_id)).all())
    asked = [_plain(texts.get(number, "")) for number in run.query.tolist()]
    found = np.array([titles.get(text, UNKNOWN) if text else UNKNOWN for text in asked], dtype=np.int64)
    wanted, document = np.repeat(found, lists.lengths), run.document[lists.document]
    own |= (wanted != UNKNOWN) & (wanted == document)
    return int(np.count_nonzero(own & np.repeat(run.query != UNKNOWN, lists.lengths)))


def _titles(session: Session, project_id: int) -> dict[str, int]:
    rows = stream_plain(session, select(Document.title, Document.id).where(Document.project_id == project_id))
    return {_plain(title): number for title, number in rows}


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())


def _is_gapped(lists: RunLists) -> Flags:
    """Return whether the places of each list are not 1, 2, 3 and so on; without places none is."""
    rank = lists.rank
    if rank is None or np.any(rank == NO_RANK):
        return np.zeros(len(lists.query_ids), dtype=np.bool_)
    starts = np.repeat(lists.starts[:-1], lists.lengths)
    which = np.repeat(np.arange(len(lists.query_ids)), lists.lengths)
    wrong = rank[np.lexsort((rank, which))] != np.arange(lists.lines) - starts + 1
    return np.bincount(which, weights=wrong, minlength=len(lists.query_ids)) > 0

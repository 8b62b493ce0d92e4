"""Which revisions a history looks back at: days, events, or the labelled weeks of a replay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind
from app.services.history.days import last_revisions
from app.services.history.notes import marked_of
from app.services.history.points import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session

    from app.services.evidence import Evidence
    from app.services.evidence.structure import EventFact

MOST_POINTS = 200
# They say what was compared, chosen or called otherwise, and move no number.
SAYINGS = {
    EventKind.PRODUCTION_SET,
    EventKind.RANKER_RENAMED,
    EventKind.VERSION_RENAMED,
}
MOMENTS = {
    EventKind.RUN_PUBLISHED,
    EventKind.RUN_WITHDRAWN,
    EventKind.RUN_RESTORED,
    EventKind.RULER_SET,
}
# What they replace was shown until then, and no later moment would tell it.
ENDINGS = {EventKind.RULER_SET, EventKind.JUDGMENTS_UNDONE}
JUST_BEFORE = timedelta(microseconds=1)
TOGETHER = timedelta(minutes=1)
"""Versions imported within so much time of the first of them are one moment."""


def moments_of(
    session: Session, evidence: Evidence, within: Callable[[Moment], bool] | None = None
) -> list[Moment]:
    """Return one moment per UTC day with ledger rows, and one per run or ruler event, at most 200.

    Versions imported together, without a rating between them, are one moment. A new ruler, and an import
    that is undone, have one just before them as well: what was shown until then.
    Labelled revisions (the weeks of a replay) stand for everything before the last of them.

    Parameters
    ----------
    within
        Tells which moments are wanted; a shorter range shows more of them.
    """
    weeks = marked_of(session, evidence.project_id, evidence.revision).weeks
    after = max(weeks[-1].revision if weeks else 0, _scaled(evidence))
    found = {moment.revision: moment for moment in _days(session, evidence) if moment.revision > after}
    for event in _turns(evidence):
        if event.revision > after:
            found.setdefault(event.revision, Moment(event.revision, event.at))
    for moment in _endings(evidence):
        if moment.revision > after:
            found.setdefault(moment.revision, moment)
    later = [found[revision] for revision in sorted(found) if revision <= evidence.revision]
    wanted = [moment for moment in weeks + later if within is None or within(moment)]
    labelled = [moment for moment in wanted if moment.label]
    kept = thinned(wanted[len(labelled) :], MOST_POINTS - len(labelled))
    days = Counter(moment.at.astimezone(UTC).date() for moment in kept)
    return labelled + [replace(moment, several=days[moment.at.astimezone(UTC).date()] > 1) for moment in kept]


def moved_revision(evidence: Evidence) -> int:
    """Return the newest revision that could move a number."""
    events = [event.revision for event in evidence.structure.events if event.kind not in SAYINGS]
    return max(events[-1] if events else 0, int(evidence.ledger.revision[-1:].max(initial=0)))


def thinned(moments: list[Moment], most: int) -> list[Moment]:
    """Return at most `most` of the moments, evenly chosen, always the last one."""
    if len(moments) <= most:
        return moments
    step = len(moments) / most
    return [moments[min(int((number + 1) * step) - 1, len(moments) - 1)] for number in range(most)]


def _scaled(evidence: Evidence) -> int:
    """Return the last change of the stars: nothing was rated before, and grades of then have no place now."""
    events = evidence.structure.events
    return max((event.revision for event in events if event.kind == EventKind.SCALE_CHANGED), default=0)


def _endings(evidence: Evidence) -> Iterator[Moment]:
    """Yield what was shown until each change of the ruler, and until each import was undone."""
    begun = False
    for event in evidence.structure.events:
        if event.kind in ENDINGS and begun:
            # The rows that clear an import come just before the event that tells of it.
            rows = event.payload["count"] if event.kind == EventKind.JUDGMENTS_UNDONE else 0
            yield Moment(event.revision - rows - 1, event.at - JUST_BEFORE, before=True)
        begun = begun or event.kind == EventKind.RULER_SET


def _turns(evidence: Evidence) -> list[EventFact]:
    """Return the run and ruler events; of versions imported together the last stands for all."""
    kept: list[EventFact] = []
    begun: datetime | None = None
    for event in (one for one in evidence.structure.turning if one.kind in MOMENTS):
        before = kept[-1] if kept else None
        if before is None or begun is None or not _together(evidence, before, event, begun):
            begun = event.at
        else:
            kept.pop()
        kept.append(event)
    return kept


def _together(evidence: Evidence, before: EventFact, event: EventFact, begun: datetime) -> bool:
    """Tell whether two events brought versions in one go: soon after its first, and nothing rated between."""
    if {before.kind, event.kind} != {EventKind.RUN_PUBLISHED} or event.at - begun > TOGETHER:
        return False
    rated = evidence.ledger.revision
    return bool(np.searchsorted(rated, before.revision) == np.searchsorted(rated, event.revision))


def _days(session: Session, evidence: Evidence) -> list[Moment]:
    """Return the last revision of every UTC day, judgments and events together."""
    last: dict[date, int] = dict(last_revisions(session, evidence))
    for event in evidence.structure.events:
        if event.kind in SAYINGS:
            continue
        day = event.at.astimezone(UTC).date()
        last[day] = max(last.get(day, 0), event.revision)
    now = datetime.now(UTC)
    return [
        Moment(revision, min(datetime.combine(day, time.max, tzinfo=UTC), now))
        for day, revision in last.items()
    ]

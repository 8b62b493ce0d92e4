"""What the kinds of events mean to the arrays that are held: which leave them, and which change the past."""

from __future__ import annotations

from app.models import EventKind

# These events leave runs, queries, candidates, texts and the ruler as they are.
QUIET = {
    EventKind.GUIDELINES_CHANGED,
    EventKind.NO_GOOD_ANSWER,
    EventKind.OVERLAP_CHANGED,
    EventKind.QUALITY_CHANGED,
    EventKind.DECLINES_RELEASED,
    EventKind.DOCUMENTS_KEPT_APART,
    EventKind.APART_UNDONE,
    EventKind.STATE_CHANGED,
    EventKind.ALLOTMENT_CHANGED,
    EventKind.PRODUCTION_SET,
    EventKind.REQUESTED,
    EventKind.REQUEST_WITHDRAWN,
}
TURNS = {EventKind.QUERY_RETIRED, EventKind.QUERY_RESTORED}
# These change what is told of the past: nothing that was worked out about it holds.
REWRITING = {
    EventKind.RUN_MOVED,
    EventKind.RUN_DELETED,
    EventKind.RANKER_RENAMED,
    EventKind.VERSION_RENAMED,
}

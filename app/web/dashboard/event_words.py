"""The events of a ledger in words, for the chart and the list below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.models import EventKind
from app.models.ranker import PROBES
from app.services.wording import counted
from app.web.dashboard.setting_words import settings_changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence import Evidence
    from app.services.evidence.structure import EventFact


def event_text(evidence: Evidence, event: EventFact, *, replayed: bool = False) -> str:
    """Return an event in words, or nothing for one that a chart need not tell.

    In replayed weeks every ranker runs again each week, because answers were added: only versions with a
    note of what changed are told, and how far the pool grew is told once for all runs of a week (`grown_by`).
    """
    if replayed and event.kind == EventKind.RUN_PUBLISHED:
        return _noted(evidence, event)
    say = WORDS.get(event.kind)
    return say(evidence, event) if say else ""


def grown_by(evidence: Evidence, event: EventFact) -> int:
    """Return by how many answers an event made the pool grow, once there are ratings of others."""
    rated = len(evidence.ledger) and int(evidence.ledger.revision[0]) < event.revision
    return int(event.payload.get("new_candidates", 0)) if rated else 0


def _noted(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    if run is None or not run.note or run == evidence.structure.first_runs[run.ranker_id]:
        return ""
    return f"{run.ranker} {run.version}: {run.note}"


def _run(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    if run is None:
        return ""
    if run.kind != "system":
        growth = _growth(evidence, event)
        what = "Answers of a random probe" if run.ranker == PROBES else "An answer added by hand"
        return f"{what}{f': the {growth}' if growth else ''}"
    name = f"{run.ranker} {run.version}"
    if event.kind == EventKind.RUN_WITHDRAWN:
        return f"{name} withdrawn"
    if event.kind == EventKind.RUN_RESTORED:
        return f"{name} restored"
    growth = _growth(evidence, event)
    # The first version of a ranker is the beginning of its line, which the chart shows by itself.
    if run == evidence.structure.first_runs[run.ranker_id]:
        return f"The {growth}: run {name}" if growth else ""
    return f"{name}{': ' if run.note else ''}{run.note}{f'; the {growth}' if growth else ''}"


def _growth(evidence: Evidence, event: EventFact) -> str:
    new = grown_by(evidence, event)
    return f"pool grew by {counted(new, 'answer')}" if new else ""


def _guidelines(_evidence: Evidence, event: EventFact) -> str:
    version = event.payload["version"]
    return f"Guidelines changed: version {version}" if version > 1 else ""


def _depth(evidence: Evidence, event: EventFact) -> str:
    growth = _growth(evidence, event)
    return f"Pool depth {event.payload['depth']}{f': the {growth}' if growth else ''}"


def _edited(_evidence: Evidence, event: EventFact) -> str:
    count = len(event.payload["document_ids"])
    return (
        f"{counted(count, 'answer')} edited: older ratings of {'it' if count == 1 else 'them'} no "
        "longer count"
    )


def _merged(_evidence: Evidence, event: EventFact) -> str:
    return f"{counted(len(event.payload['document_ids']), 'answer')} merged into one"


def _parted(_evidence: Evidence, _event: EventFact) -> str:
    return "Merge of answers undone"


def _queries(evidence: Evidence, event: EventFact) -> str:
    if event.kind == EventKind.QUERIES_ADDED:
        # Before the first run they are the collection itself.
        begun = any(run.revision < event.revision for run in evidence.structure.runs)
        return f"{counted(event.payload['count'], 'question')} added" if begun else ""
    word = "retired" if event.kind == EventKind.QUERY_RETIRED else "restored"
    return f"{counted(len(event.payload['query_ids']), 'question')} {word}"


def _imported(_evidence: Evidence, event: EventFact) -> str:
    return f"{counted(event.payload['count'], 'rating')} imported"


def _undone(_evidence: Evidence, event: EventFact) -> str:
    return f"{counted(event.payload['count'], 'imported rating')} removed"


def _ruler(evidence: Evidence, event: EventFact) -> str:
    first = next(one for one in evidence.structure.turning if one.kind == EventKind.RULER_SET)
    if event.revision == first.revision:
        return ""
    before = evidence.ruler_at(event.revision - 1)
    changed = settings_changed(before, evidence.structure.rulers[event.payload["ruler_id"]])
    return f"Settings: {', '.join(changed)}" if changed else ""


def _production(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    if run is None:
        return "" if event.payload["run_id"] else "No version is in production any more"
    return f"{run.ranker} {run.version} in production"


def _moved(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    before, after = event.payload["names"]
    return f"{run.version if run else 'A version'} moved from {before} to {after}"


def _ranker_renamed(_evidence: Evidence, event: EventFact) -> str:
    return f"Ranker {event.payload['before']} renamed to {event.payload['after']}"


def _version_renamed(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    of = f"{run.ranker}: version" if run else "Version"
    return f"{of} {event.payload['before']} renamed to {event.payload['after']}"


def _deleted(_evidence: Evidence, event: EventFact) -> str:
    return f"{event.payload['ranker']} {event.payload['version']} deleted"


WORDS: dict[str, Callable[[Evidence, EventFact], str]] = {
    EventKind.RUN_PUBLISHED: _run,
    EventKind.RUN_WITHDRAWN: _run,
    EventKind.RUN_RESTORED: _run,
    EventKind.GUIDELINES_CHANGED: _guidelines,
    EventKind.DEPTH_CHANGED: _depth,
    EventKind.DOCUMENTS_EDITED: _edited,
    EventKind.DOCUMENTS_MERGED: _merged,
    EventKind.MERGE_UNDONE: _parted,
    EventKind.QUERIES_ADDED: _queries,
    EventKind.QUERY_RETIRED: _queries,
    EventKind.QUERY_RESTORED: _queries,
    EventKind.JUDGMENTS_IMPORTED: _imported,
    EventKind.JUDGMENTS_UNDONE: _undone,
    EventKind.PRODUCTION_SET: _production,
    EventKind.RUN_MOVED: _moved,
    EventKind.RUN_DELETED: _deleted,
    EventKind.RANKER_RENAMED: _ranker_renamed,
    EventKind.VERSION_RENAMED: _version_renamed,
    EventKind.RULER_SET: _ruler,
}

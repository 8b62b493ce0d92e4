"""What happened in a project, in words for charts and lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from statistics import median

from sqlalchemy.orm import Session

from app.http.languages import gettext as _
from app.http.languages import later, ngettext
from app.models.event import EventKind
from app.models.ranker import PROBES
from app.services.evidence.state import Evidence
from app.services.evidence.structure import EventFact
from app.services.scores.timeline import last_revisions, ratings_per_day
from app.services.scoring_settings import ScoringSettings
from app.web.dashboard.timescale import Span, TimeScale
from app.web.dates import moment_in_words

NAMES = {
    "scale_low": later("lowest grade"),
    "scale_high": later("highest grade"),
    "gain": later("gain"),
    "discount": later("discount"),
    "consensus": later("consensus"),
    "ideal": later("ideal over"),
    "ties": later("ties"),
    "threshold": later("relevant from grade"),
}
# What settings are called where a page names them.
VALUES = [
    later("linear"),
    later("exponential"),
    later("raw"),
    later("reciprocal"),
    later("median"),
    later("mean"),
    later("majority"),
]


def settings_changed(before: ScoringSettings, after: ScoringSettings) -> list[str]:
    """Return each setting that differs between two rulers, in words."""
    old, new = asdict(before), asdict(after)
    return [setting_text(name, old[name], new[name]) for name in old if old[name] != new[name]]


def setting_text(name: str, old: object, new: object) -> str:
    """Return one changed setting in words."""
    if name == "unjudged":
        if new == "complete":
            return _("unrated answers treated as not relevant")
        return _("unrated answers kept open")
    if name == "only_blind":
        if new:
            return _("ratings by people who could see rankers left out")
        return _("ratings by people who could see rankers count again")
    if name == "machines":
        return _("ratings by machines count") if new else _("ratings by machines no longer count")
    return _(
        "%(setting)s from %(old)s to %(new)s",
        setting=str(NAMES.get(name, name)),
        old=_value(old),
        new=_value(new),
    )


def _value(value: object) -> str:
    return _(str(value).replace("_", " "))


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
    if run is None or not run.note:
        return ""
    return f"{run.ranker} {run.version}: {run.note}"


def _run(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    if run is None:
        return ""
    if run.kind != "system" and run.ranker != PROBES:
        return _("An answer added by hand")
    name = f"{run.ranker} {run.version}" if run.kind == "system" else _("A random probe")
    if event.kind != EventKind.RUN_PUBLISHED:
        withdrawn = event.kind == EventKind.RUN_WITHDRAWN
        return _("%(name)s withdrawn", name=name) if withdrawn else _("%(name)s restored", name=name)
    new = grown_by(evidence, event)
    if run.kind != "system":
        return _with_cause(name, new)
    # The first version of a ranker is the beginning of its line, which the chart shows by itself.
    if run == evidence.structure.first_runs[run.ranker_id] and not run.note:
        return _with_cause(name, new) if new else ""
    noted = f"{name}: {run.note}" if run.note else name
    return _and_grown(noted, new)


def _with_cause(what: str, new: int) -> str:
    """Return what made the pool grow, with by how much it did."""
    if not new:
        return what
    return ngettext(
        "%(name)s: %(num)s answer new in the pool",
        "%(name)s: %(num)s answers new in the pool",
        new,
        name=what,
    )


def _and_grown(what: str, new: int) -> str:
    """Return what happened, with by how much the pool grew then."""
    if not new:
        return what
    return ngettext(
        "%(event)s; %(num)s answer new in the pool",
        "%(event)s; %(num)s answers new in the pool",
        new,
        event=what,
    )


def _guidelines(_evidence: Evidence, event: EventFact) -> str:
    version = event.payload["version"]
    return _("Guidelines changed: version %(version)s", version=version) if version > 1 else ""


def _depth(evidence: Evidence, event: EventFact) -> str:
    return _with_cause(_("Pool depth %(depth)s", depth=event.payload["depth"]), grown_by(evidence, event))


def _edited(_evidence: Evidence, event: EventFact) -> str:
    count = len(event.payload["document_ids"])
    return ngettext(
        "%(num)s answer edited: any ratings of its old text no longer count",
        "%(num)s answers edited: any ratings of their old texts no longer count",
        count,
    )


def _merged(_evidence: Evidence, event: EventFact) -> str:
    return ngettext(
        "%(num)s answer merged into one",
        "%(num)s answers merged into one",
        len(event.payload["document_ids"]),
    )


def _parted(_evidence: Evidence, _event: EventFact) -> str:
    return _("Merge of answers undone")


def _queries(evidence: Evidence, event: EventFact) -> str:
    if event.kind in {EventKind.QUERIES_ADDED, EventKind.QUERIES_REMOVED}:
        # Before the first run they are the collection itself.
        if not any(run.revision < event.revision for run in evidence.structure.runs):
            return ""
        count = event.payload["count"]
        if event.kind == EventKind.QUERIES_ADDED:
            return ngettext("%(num)s question added", "%(num)s questions added", count)
        return ngettext("%(num)s question removed", "%(num)s questions removed", count)
    count = len(event.payload["query_ids"])
    if event.kind == EventKind.QUERY_RETIRED:
        return ngettext("%(num)s question retired", "%(num)s questions retired", count)
    return ngettext("%(num)s question restored", "%(num)s questions restored", count)


def _imported(_evidence: Evidence, event: EventFact) -> str:
    return ngettext("%(num)s rating imported", "%(num)s ratings imported", event.payload["count"])


def _undone(_evidence: Evidence, event: EventFact) -> str:
    return ngettext(
        "%(num)s imported rating cleared", "%(num)s imported ratings cleared", event.payload["count"]
    )


def _ruler(evidence: Evidence, event: EventFact) -> str:
    first = next(one for one in evidence.structure.turning if one.kind == EventKind.RULER_SET)
    if event.revision == first.revision:
        return ""
    before = evidence.ruler_at(event.revision - 1)
    changed = settings_changed(before, evidence.structure.rulers[event.payload["ruler_id"]])
    return _("Settings: %(changes)s", changes=", ".join(changed)) if changed else ""


def _production(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    if run is None:
        return "" if event.payload["run_id"] else _("No version is in production any more")
    return _("%(name)s in production", name=f"{run.ranker} {run.version}")


def _moved(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    before, after = event.payload["names"]
    if run is None:
        return _("A version moved from %(before)s to %(after)s", before=before, after=after)
    return _(
        "%(version)s moved from %(before)s to %(after)s", version=run.version, before=before, after=after
    )


def _ranker_renamed(_evidence: Evidence, event: EventFact) -> str:
    return _(
        "Ranker %(before)s renamed to %(after)s",
        before=event.payload["before"],
        after=event.payload["after"],
    )


def _version_renamed(evidence: Evidence, event: EventFact) -> str:
    run = evidence.structure.run_of.get(event.payload["run_id"])
    before, after = event.payload["before"], event.payload["after"]
    if run is None:
        return _("Version %(before)s renamed to %(after)s", before=before, after=after)
    return _(
        "%(ranker)s: version %(before)s renamed to %(after)s",
        ranker=event.payload.get("ranker", run.ranker),
        before=before,
        after=after,
    )


def _deleted(_evidence: Evidence, event: EventFact) -> str:
    return _("%(name)s deleted", name=f"{event.payload['ranker']} {event.payload['version']}")


WORDS: dict[str, Callable[[Evidence, EventFact], str]] = {
    EventKind.RUN_PUBLISHED: _run,
    EventKind.RUN_WITHDRAWN: _run,
    EventKind.RUN_RESTORED: _run,
    EventKind.GUIDELINES_CHANGED: _guidelines,
    EventKind.FIELDS_CHANGED: lambda _evidence, _event: _("Fields shown to annotators changed"),
    EventKind.DEPTH_CHANGED: _depth,
    EventKind.DOCUMENTS_EDITED: _edited,
    EventKind.DOCUMENTS_MERGED: _merged,
    EventKind.MERGE_UNDONE: _parted,
    EventKind.QUERIES_ADDED: _queries,
    EventKind.QUERIES_REMOVED: _queries,
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


MOST_EVENTS = 40
MOST_RUNS = 3
"""Runs in a row, on one day, that are told one by one."""
# A day is listed if it brought at least this many ratings, and this many times those of a usual day.
MANY, TIMES_USUAL, LEAST_DAYS, MOST_DAYS = 50, 3, 5, 3


@dataclass(frozen=True)
class TimelineEvent:
    """Something that happened: its place on the axis, its words, and when."""

    x: float
    text: str
    when: str


def timeline_events(
    session: Session, evidence: Evidence, scale: TimeScale, span: Span
) -> tuple[list[TimelineEvent], int]:
    """Return the newest events of a range, and how many older ones are left out."""
    told = _told(evidence, scale) + _heavy_days(session, evidence, scale)
    within = sorted((event for event in told if span.holds(event.x)), key=lambda event: event.x)
    shown = within[-MOST_EVENTS:]
    return shown, len(within) - len(shown)


def _told(evidence: Evidence, scale: TimeScale) -> list[TimelineEvent]:
    labelled = (
        (event, event_text(evidence, event, replayed=event.revision <= scale.last))
        for event in evidence.structure.events
        if event.kind in WORDS
    )
    told = [(event, text) for event, text in labelled if text]
    return _with_growth(evidence, scale, _together(evidence, scale, told))


def _with_growth(
    evidence: Evidence, scale: TimeScale, told: list[tuple[EventFact, str]]
) -> list[TimelineEvent]:
    """Return the events on the axis, with how far the pool grew in each replayed week.

    It is shown with the last version of its week, or by itself where there is none.
    """
    grown: Counter[tuple[float, str]] = Counter()
    for event in evidence.structure.events:
        if event.kind == EventKind.RUN_PUBLISHED and event.revision <= scale.last:
            grown[_place(scale, event)] += grown_by(evidence, event)
    found = []
    for event, words in reversed(told):
        text = words
        place = _place(scale, event)
        if event.kind == EventKind.RUN_PUBLISHED and grown[place]:
            text = ngettext(
                "%(event)s; %(num)s new answer to rate in that week",
                "%(event)s; %(num)s new answers to rate in that week",
                grown.pop(place),
                event=text,
            )
        found.append(TimelineEvent(place[0], text, place[1]))
    return found[::-1] + [
        TimelineEvent(x, ngettext("%(num)s new answer to rate", "%(num)s new answers to rate", new), when)
        for (x, when), new in grown.items()
        if new
    ]


def _place(scale: TimeScale, event: EventFact) -> tuple[float, str]:
    return scale.x(event.revision, event.at), _when(scale, event)


def _together(
    evidence: Evidence, scale: TimeScale, told: list[tuple[EventFact, str]]
) -> list[tuple[EventFact, str]]:
    """Return the events with many runs in a row, on one day, as one event in place of the first.

    So is a probe, which consists of several runs. Anything else that is told between two runs parts them.
    """

    def alike(one: tuple[EventFact, str]) -> tuple[bool, str, str]:
        return _is_version(evidence, one[0]), _turn_of_probe(evidence, one[0]), _when(scale, one[0])

    found: list[tuple[EventFact, str]] = []
    for kind, rows in groupby(told, key=alike):
        group = list(rows)
        if kind[1]:
            first, text = group[0]
            if first.kind == EventKind.RUN_PUBLISHED:
                text = _with_cause(_("A random probe"), sum(grown_by(evidence, event) for event, _ in group))
            group = [(first, text)]
        if kind[0] and len(group) > MOST_RUNS:
            replayed = group[0][0].revision <= scale.last
            group = [(group[0][0], _runs_text(evidence, [event for event, _ in group], grows=not replayed))]
        found += group
    return found


def _is_version(evidence: Evidence, event: EventFact) -> bool:
    """Return whether an event brought a ranker's version; answers that people knew of are none."""
    run = evidence.structure.run_of.get(event.payload.get("run_id", 0))
    return event.kind == EventKind.RUN_PUBLISHED and run is not None and run.kind == "system"


def _turn_of_probe(evidence: Evidence, event: EventFact) -> str:
    """Return what happened to a random probe; empty if the event is about something else."""
    run = evidence.structure.run_of.get(event.payload.get("run_id", 0))
    return event.kind if run is not None and run.kind != "system" and run.ranker == PROBES else ""


def _when(scale: TimeScale, event: EventFact) -> str:
    return scale.when(event.revision, event.at)


def _runs_text(evidence: Evidence, events: list[EventFact], *, grows: bool) -> str:
    found = [evidence.structure.run_of[event.payload["run_id"]] for event in events]
    named = ", ".join(f"{run.ranker} {run.version}" for run in found[:2])
    grown = sum(event.payload.get("new_candidates", 0) for event in events)
    told = _(
        "%(count)s new versions: %(names)s and %(more)s more",
        count=len(found),
        names=named,
        more=len(found) - 2,
    )
    return _and_grown(told, grown if grows else 0)


def _imported_per_day(evidence: Evidence) -> Counter[date]:
    found: Counter[date] = Counter()
    for event in evidence.structure.events:
        if event.kind == EventKind.JUDGMENTS_IMPORTED:
            found[event.at.date()] += event.payload["count"]
    return found


def _heavy_days(session: Session, evidence: Evidence, scale: TimeScale) -> list[TimelineEvent]:
    """Return the few days that brought far more ratings than usual."""
    if scale.weeks:
        return []  # a replay was loaded in one go: its days say nothing
    days = last_revisions(session, evidence)
    ratings = ratings_per_day(evidence, days)
    if len(ratings) < LEAST_DAYS:
        return []
    least = max(MANY, TIMES_USUAL * median(ratings.values()))
    # Ratings that came by file are told by their import.
    by_file = _imported_per_day(evidence)
    heavy = sorted((day for day in ratings if ratings[day] - by_file[day] >= least), key=ratings.__getitem__)[
        -MOST_DAYS:
    ]
    noon = {day: datetime.combine(day, time(12), tzinfo=UTC) for day in heavy}
    return [
        TimelineEvent(
            scale.x(days[day], noon[day]),
            ngettext("%(num)s rating in one day", "%(num)s ratings in one day", ratings[day]),
            moment_in_words(noon[day], "date"),
        )
        for day in heavy
    ]

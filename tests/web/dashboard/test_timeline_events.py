"""Days of heavy rating are numbered among the events, those that a file brought by their import alone."""

from collections import Counter
from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest

from app.models import EventKind
from app.web.dashboard import event_labels as happenings
from app.web.dashboard.timescale import TimeScale

DAYS = {date(2026, 5, day): 10 for day in range(1, 6)}


@pytest.fixture
def days_of(monkeypatch):
    """Return what is told of days with so many ratings, some of them imported."""

    def days_of(ratings, imported=()):
        monkeypatch.setattr(happenings, "last_revisions", lambda *_: dict.fromkeys(ratings, 1))
        monkeypatch.setattr(happenings, "ratings_per_day", lambda *_: ratings)
        events = [
            SimpleNamespace(
                kind=EventKind.JUDGMENTS_IMPORTED,
                at=datetime(day.year, day.month, day.day, 9, tzinfo=UTC),
                payload={"count": count},
            )
            for day, count in imported
        ]
        evidence = SimpleNamespace(structure=SimpleNamespace(events=events))
        return [one.text for one in happenings._heavy_days(None, evidence, TimeScale([]))]

    return days_of


def test_a_day_with_far_more_ratings_than_usual_is_told(days_of):
    assert days_of(DAYS | {date(2026, 5, 6): 60}) == ["60 ratings in one day"]
    assert days_of(DAYS | {date(2026, 5, 6): 49}) == []


def test_a_day_whose_ratings_came_by_file_is_told_by_its_import(days_of):
    heavy = date(2026, 5, 6)

    assert days_of(DAYS | {heavy: 119}, [(heavy, 119)]) == []
    assert days_of(DAYS | {heavy: 119}, [(heavy, 59)]) == ["119 ratings in one day"]
    assert happenings._imported_per_day(SimpleNamespace(structure=SimpleNamespace(events=[]))) == Counter()


@pytest.mark.parametrize(
    ("kind", "told"),
    [(EventKind.QUERIES_ADDED, "3 questions added"), (EventKind.QUERIES_REMOVED, "3 questions removed")],
)
def test_an_undone_import_of_questions_is_told_as_the_import_is(kind, told):
    event = SimpleNamespace(kind=kind, revision=5, payload={"count": 3})

    def text(*runs):
        structure = SimpleNamespace(runs=[SimpleNamespace(revision=one) for one in runs])
        return happenings.event_text(SimpleNamespace(structure=structure), event, replayed=False)

    assert text(4) == told
    assert text() == text(6) == "", "before the first run they are the collection itself"

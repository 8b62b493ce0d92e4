"""An import that reaches milestones takes its look by itself."""

from __future__ import annotations

from app.jobs.imports import import_judgments
from app.models import EventKind
from app.services.imported_judgments import JudgmentOptions
from tests.furniture.files import file_of


def lines_of(race, queries):
    return "query_id\tdoc_id\tgrade\n" + "".join(
        f"{query.external_id}\t{query.external_id}-{kind}\t{grade}\n"
        for query in queries
        for kind, grade in (("good", 3), ("bad", 0))
    )


def test_imported_judgments_past_three_milestones_are_one_look(make_race):
    race = make_race(50)
    text = lines_of(race, race.ordered()[:41])

    import_judgments(race.database, race.project.id, file_of(text), JudgmentOptions(annotator="Assessors"))

    (event,) = race.events(EventKind.LOOK)
    assert (event.payload["milestone"], event.payload["n"], event.payload["alpha"]) == (40, 41, 0.025)


def test_a_check_takes_none(make_race):
    race = make_race(20)
    text = lines_of(race, race.queries)

    import_judgments(
        race.database, race.project.id, file_of(text), JudgmentOptions(annotator="Assessors"), check=True
    )

    assert race.events(EventKind.PLAN) == race.events(EventKind.LOOK) == []

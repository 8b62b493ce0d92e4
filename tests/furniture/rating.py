"""A project that people can rate in, and a rating as a device sends it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from app.models import Input, now_utc
from app.services.judging.rating import Annotator, Rating

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from app.models import Document, Person, Project, Query
    from tests.furniture.factories import Make

CANARY = "Canarius"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass
class Workshop:
    """Questions, each with its answers found by one ranker, and people who rate them."""

    project: Project
    queries: list[Query]
    documents: dict[int, list[Document]]
    ada: Person
    bo: Person
    owner: Person

    def annotator(self, person: Person | None = None) -> Annotator:
        """Return one of its people as whoever rates."""
        person = person or self.ada
        return Annotator(self.project, person.id, blind=person is not self.owner)


def make_workshop(make: Make, *, queries: int = 2, answers: int = 3, **project: Any) -> Workshop:
    """Return a workshop; other values are those of `NewProject`, or columns of the project."""
    columns = {name: project.pop(name) for name in ("share_twice", "state") if name in project}
    made = make.project(**{"pool_depth": 100, "guidelines": "# Rate the answer\n\nNot its style.", **project})
    for name, value in columns.items():
        setattr(made, name, value)
    # Added a day apart: the drawn order is that of their numbers.
    first = now_utc() - timedelta(days=queries)
    asked = [
        make.query(made, f"q{n}", text=f"Question number {n}?", at=first + timedelta(days=n))
        for n in range(queries)
    ]
    documents = {
        query.id: [
            make.document(
                made, f"{query.external_id}-d{number}", title=f"Title {number} of {query.external_id}"
            )
            for number in range(answers)
        ]
        for query in asked
    }
    ranker = make.ranker(made, f"{CANARY} ranker")
    make.run(ranker, {query: documents[query.id] for query in asked}, version=f"{CANARY}-v1", tag=CANARY)
    return Workshop(
        made,
        asked,
        documents,
        make.member(made, "annotator", name="Ada Example"),
        make.member(made, "annotator", name="Bo Example"),
        make.member(made, "owner", name="Olga Owner"),
    )


def open_batch(client: FlaskClient, address: str, **options: Any) -> TestResponse:
    """Return what a press on "Start rating" leads to: the batch at hand, the next one, or why there is none."""
    return client.post(address, follow_redirects=True, **options)


def rating(grade: int | None = 2, **values: Any) -> Rating:
    """Return a rating as a device makes it."""
    return Rating(**{"id": uuid.uuid4(), "grade": grade, "input": Input.KEY, "at": NOON, **values})

"""A while in which everything happens that can move a score, in a random order."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from app.models import EventKind, Origin, Project, Reason
from app.services.scoring_settings import get_ruler, set_ruler, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.services.conftest import Small

SETTINGS = [
    {"gain": "exponential"},
    {"ideal": "pool"},
    {"consensus": "mean"},
    {"unjudged": "complete", "ideal": "judged"},
    {"only_blind": True, "consensus": "majority", "unjudged": "open"},
    {"only_blind": False, "consensus": "median", "ideal": "judged", "gain": "linear"},
]


def live_a_while(small: Small, seed: int) -> Iterator[None]:
    """Let everything happen that can move a score, stopping after each of it."""
    rng = random.Random(seed)
    others = [small.annotator, *(small.member("annotator") for _ in range(2))]
    owner = small.member("owner")

    def ratings() -> None:
        for _ in range(rng.randint(1, 6)):
            grade = rng.choice([0, 0, 1, 2, 3, None])
            reason = {} if grade is not None else {"reason": Reason.CLEARED}
            place = rng.randrange(2), rng.randrange(4)
            small.rate(*place, grade, annotator=rng.choice(others), blind=rng.random() < 0.7, **reason)

    def add_a_question() -> None:
        """Let a question come that only the newest version of one ranker was made for."""
        with small.making() as make:
            small.queries.append(make.query(small.project, "qc"))
        lists = dict.fromkeys(small.queries, small.documents[:2])
        small.run(small.rankers[0], lists)
        small.rate(2, rng.randrange(2), 3)

    events: list[Callable[[], object]] = [
        add_a_question,
        lambda: small.rate(0, 0, 1, role=Origin.ADJUDICATION, annotator=owner),
        lambda: small.event(EventKind.RUN_WITHDRAWN, {"run_id": small.runs[1].id}),
        lambda: small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id]}),
        lambda: small.event(EventKind.RUN_RESTORED, {"run_id": small.runs[1].id}),
        lambda: small.event(EventKind.QUERY_RETIRED, {"query_ids": [small.queries[0].id]}),
        lambda: small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1])),
        lambda: small.event(EventKind.QUERY_RESTORED, {"query_ids": [small.queries[0].id]}),
        lambda: small.rate(0, 0, None, role=Origin.ADJUDICATION, annotator=owner, reason=Reason.CLEARED),
        lambda: small.run("Third", {small.queries[1]: small.documents[1:3]}),
        *(lambda more=more: rule(small, more) for more in SETTINGS),
    ]
    rng.shuffle(events)
    for event in events:
        ratings()
        yield
        event()
        yield


def rule(small: Small, more: dict[str, object]) -> None:
    with small.database.write() as session:
        project = session.get_one(Project, small.project.id)
        set_ruler(session, project, replace(settings_of(get_ruler(session, project.id)), **more))

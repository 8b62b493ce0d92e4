"""Print whether time tells what must stay hidden: `make trial-timing` (about two minutes).

Pairs of requests that must look alike are sent in turns: a sign-in to a known and to an unknown account,
an invitation filled in for an address with and without one, and the page and the rating of an answer that
one ranker or another has found. For each pair: the two medians, their gap, and the p of a Mann-Whitney test.
A p above .01 and a gap below a millisecond (below 5 % where a password is hashed, which takes long on
purpose) say that a clock learns nothing here.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from scipy.stats import mannwhitneyu
from sqlalchemy import select

from app import create_app
from app.database import Database
from app.migrating import upgrade_schema
from app.models import AssignmentCandidate, Candidate, Role
from app.services.accounts import sign_in as signing_in
from app.services.accounts.invitations import invite
from app.services.accounts.sign_in import hash_password
from config import Settings
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import making_in
from tests.furniture.site import SECRET_KEY, Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from app.models import Person

NOON = "2026-03-01T12:00:00Z"


def timed(act: Callable[[], object]) -> float:
    """Return how many milliseconds something takes."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def compare(name: str, one: Callable[[], object], other: Callable[[], object], times: int) -> None:
    """Do both in turns and print how they differ."""
    first, second = [], []
    for number in range(times):
        for act, kept in ((one, first), (other, second)) if number % 2 else ((other, second), (one, first)):
            kept.append(timed(act))
    gap = median(first) - median(second)
    p = mannwhitneyu(first, second).pvalue
    share = 100 * abs(gap) / median(second)
    print(
        f"{name:34} {median(first):8.2f} {median(second):8.2f} ms  gap {gap:+.3f} ms ({share:.1f} %)  p = {p:.2f}"
    )


def signed_in(app: Flask, person: Person) -> Visitor:
    """Return a client with the session of a person."""
    client = app.test_client()
    with client.session_transaction() as session:
        session["person"], session["epoch"] = person.id, person.session_epoch
    return client


def main() -> None:
    """Run all pairs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=200)
    times = options.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/trial.sqlite3"
        database = Database(url)
        upgrade_schema(database)
        app = create_app(
            Settings(instance_path=Path(folder), database_url=url, secret_key=SECRET_KEY, testing=True)
        )
        app.test_client_class = Visitor
        # The throttle would end the trial at the ninth try.
        endless = signing_in.Limit(free=10**9, first=0, longest=0)
        signing_in.PER_SOURCE = signing_in.PER_ACCOUNT = signing_in.PER_ACCOUNT_FROM_NEW = endless
        run_pairs(app, database, times)
        app.extensions["touchstone"].database.dispose()
        database.dispose()


def run_pairs(app: Flask, database: Database, times: int) -> None:
    """Compare sign-ins, and answers of two rankers."""
    with making_in(database)() as make:
        make.person(email="known@example.org", password_hash=hash_password("correct horse battery"))
        project = make.project(pool_depth=100)
        invitations = [
            invite(make.session, project_id=project.id, role=Role.ANNOTATOR) for _ in range(2 * times)
        ]
        query = make.query(project)
        found = [make.document(project) for _ in range(12)]
        make.run(make.ranker(project, "One"), {query: found[:6]})
        make.run(make.ranker(project, "Other"), {query: found[6:]})
        me = make.member(project, "annotator")
        batch = assign_best_batch(make.session, project.id, me.id)
        assert batch is not None
        rows = make.session.execute(
            select(Candidate.public_id, Candidate.document_id)
            .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
            .where(AssignmentCandidate.assignment_id == batch.id)
        ).all()
    of_one = {document.id for document in found[:6]}
    ids = {
        side: [public for public, document in rows if (document in of_one) == side] for side in (True, False)
    }
    client, stranger, last = signed_in(app, me), app.test_client(), {}

    def sign_in(email: str) -> Callable[[], object]:
        return lambda: stranger.post("/sign-in", data={"email": email, "password": "wrong and long"})

    def sign_up(email: str) -> Callable[[], object]:
        def post() -> None:
            new = {"name": "P", "password": "correct horse battery"}
            new["email"] = email.format(len(invitations))
            reply = app.test_client().post(f"/invitation/{invitations.pop()}", data=new)
            assert reply.location == "/sign-in"

        return post

    def rate(side: bool) -> Callable[[], object]:
        def put() -> None:
            public_id, new = ids[side][0], str(uuid.uuid4())
            body = {"id": new, "grade": 1, "at": NOON, "input": "key", "base": last.get(public_id)}
            assert client.put(f"/api/v1/candidates/{public_id}/judgment", json=body).status_code == 201
            last[public_id] = new

        return put

    compare(
        "sign-in: known, unknown account", sign_in("known@example.org"), sign_in("nobody@example.org"), times
    )
    compare("sign-up: known, unknown address", sign_up("known@example.org"), sign_up("{}@example.org"), times)
    compare("rating: one ranker, the other", rate(side=True), rate(side=False), 5 * times)


if __name__ == "__main__":
    main()

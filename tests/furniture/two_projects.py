"""Two projects next door, each with one of everything and somebody in every role, and an administrator.

Names that no annotator may ever read hold `CANARY`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from app.database import Database
from app.models import (
    BatchHead,
    Candidate,
    EventKind,
    Invitation,
    OpenSession,
    Person,
    Picture,
    ProjectCopy,
    Request,
    Role,
    SharedLink,
    Upload,
    now_utc,
)
from app.models.assignment import Assignment, AssignmentCandidate
from app.models.judgment import Flag, JudgmentNote
from app.services.accounts.invitations import invite
from app.services.accounts.memberships import give_role
from app.services.accounts.sharing import share
from app.services.accounts.tokens import Scope, create_token
from app.services.collection.answer_fields import AnswerFields, change_fields
from app.services.collection.duplicates import keep_separate, merge_documents
from app.services.collection.pictures import keep_picture
from app.services.collection.rankers import set_production
from app.services.collection.withdrawal import withdraw_run
from app.services.judging.adjudication import name_adjudicator, request_adjudication
from app.services.judging.inbox import RemarkFilter, handle_remarks
from app.services.judging.rating import Annotator
from app.services.judging.remarks import flag_answer
from app.services.ledger import head_of, record_event
from app.services.scores.chart_notes import add_note
from app.services.webhooks import EVENTS, WebhookValues, create_webhook, deliveries_of, send_test
from config import WebhookHost
from tests.furniture.assigning import assign_best_batch
from tests.furniture.databases import put_into_one_file
from tests.furniture.factories import Make
from tests.furniture.routes import PICTURE
from tests.furniture.site import SECRET_KEY, moved

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask

    from app.models import Project, Query, Run

CANARY = "Kanarienvogel"
ROLES = ("owner", "annotator", "viewer")
QUESTIONS = b"query_id,text\nnew-1,Where is the key?\nnew-2,Who has the key?\n"


@dataclass
class FullProject:
    """One project with its people, and what an address can name in it."""

    project: Project
    owner: Person
    annotator: Person
    adjudicator: Person
    viewer: Person
    graders: list[Person]
    query: Query
    run: Run
    withdrawn: Run
    invitation_id: int
    link_id: int
    note_id: int
    shared_token: str
    merge_revision: int
    apart_revision: int
    request_id: int
    picture_id: str
    webhook_id: int
    delivery_id: int
    batches: dict[int, int]
    answers: dict[int, list[str]]
    uploads: dict[int, str]
    sessions: dict[int, int]
    revision: int
    # By person: the number of their token, which reaches all their projects for everything, and the token.
    tokens: dict[int, tuple[int, str]]

    def parts(self, person: Person) -> dict[str, Any]:
        """Return what each part of an address stands for, as it concerns one person."""
        holder = person if person.id in self.batches else self.annotator
        return {
            "slug": self.project.slug,
            "candidate_id": self.answers[holder.id][0],
            "answer_id": self.answers[holder.id][0],
            "batch": self.batches[holder.id],
            "public_id": self.annotator.public_id,
            "account": self.annotator.public_id,
            "invitation_id": self.invitation_id,
            "link_id": self.link_id,
            "note_id": self.note_id,
            "query_id": self.query.id,
            "run_id": self.withdrawn.id,
            "ranker_id": self.run.ranker_id,
            "group": group_of(self.project, person if person.id in self.uploads else self.owner),
            "upload_id": self.uploads.get(person.id, self.uploads[self.owner.id]),
            "revision": self.revision,
            "merge_revision": self.merge_revision,
            "apart_revision": self.apart_revision,
            "request_id": self.request_id,
            "job_id": self.uploads.get(person.id, self.uploads[self.owner.id]),
            "token_id": self.tokens.get(person.id, (999_999, ""))[0],
            "picture_id": self.picture_id,
            "webhook_id": self.webhook_id,
            "delivery_id": self.delivery_id,
            "session_id": self.sessions.get(person.id, 999_999),
        }


@dataclass
class TwoProjects:
    """Two projects that share nothing but the administrator, and the database they are in."""

    path: Path
    here: FullProject
    there: FullProject
    admin: Person
    stranger: Person

    def copy_to(self, folder: Path) -> str:
        """Return the URL of a copy of the database."""
        return f"sqlite:///{shutil.copyfile(self.path, folder / 'two.sqlite3')}"

    def people(self) -> dict[str, Person]:
        """Return everybody who can ask for something of `here`, by what they are to it."""
        return {
            "owner": self.here.owner,
            "annotator": self.here.annotator,
            "adjudicator": self.here.adjudicator,
            "viewer": self.here.viewer,
            "owner next door": self.there.owner,
            "stranger": self.stranger,
            "admin": self.admin,
        }


def _picture(make: Make, project: Project, name: str) -> str:
    """Return the public id of an image that all answers show; its name holds the canary."""
    change_fields(make.session, project, AnswerFields(image="photo"))
    keep_picture(make.session, project.id, name, PICTURE)
    return make.session.scalars(select(Picture.public_id).where(Picture.project_id == project.id)).one()


def _webhook(make: Make, project: Project, canary: str) -> dict[str, int]:
    """Return the numbers of a webhook and of a message that waits for it."""
    host = "hooks.example.org"
    values = WebhookValues(address=f"https://{host}/{canary}", events=EVENTS)
    webhook = create_webhook(make.session, project, values, {WebhookHost(host)})
    send_test(make.session, webhook)
    (delivery,) = deliveries_of(make.session, webhook)
    return {"webhook_id": webhook.id, "delivery_id": delivery.id}


def make_full_project(
    make: Make, name: str, admin: Person, *, first_batch: int = 0, canary: str = CANARY
) -> FullProject:
    """Return a project with questions, runs, ratings of others, batches, an invitation and an upload."""
    project = make.project(
        slug=name,
        name=f"Help for {name}",
        overlap=9,
        headline=f"{canary} headline",
        guidelines="# Rate\n\nOne.",
    )
    # Batches are counted in each project; different counts make it seen whose batch a number is.
    head = make.session.get_one(BatchHead, project.id)
    head.odd, head.even = first_batch + 1, first_batch + 2
    people = {role: make.member(project, role, name=f"{role.title()} of {name}") for role in ROLES}
    people["owner"].name = f"{canary} {people['owner'].name}"
    people["adjudicator"] = make.member(project, "annotator", name=f"Adjudicator of {name}")
    name_adjudicator(make.session, project.id, people["adjudicator"].id, named=True)
    graders = [make.member(project, "annotator", name=f"{canary} grader {number}") for number in range(5)]
    give_role(make.session, project.id, admin.id, Role.OWNER)
    copied = {"slug": f"{name}-copied", "name": f"{canary} copy", "with_ratings": True}
    make._added(ProjectCopy(project_id=project.id, state="failed", **copied))
    queries = [
        make.query(
            project,
            f"{canary}-q{number}",
            text=f"Where is number {number}?",
            intent=f"They need help {number}.",
            tags=[canary],
        )
        for number in range(2)
    ]
    documents = {
        query: [
            make.document(
                project,
                f"{canary}-{query.id}-d{n}",
                title=f"Way {n}",
                text="Look.",
                extra={"found": canary, "photo": f"{canary}.gif"},
            )
            for n in range(4)
        ]
        for query in queries
    }
    backwards = {query: found[::-1] for query, found in documents.items()}
    named = {"version": f"{canary}-v1", "tag": f"{canary}-tag", "note": f"{canary} note"}
    run = make.run(make.ranker(project, f"{canary} Forward"), documents, **named)
    second = make.run(make.ranker(project, f"{canary} Backward"), backwards, **named)
    for candidate in make.session.scalars(select(Candidate).where(Candidate.project_id == project.id)):
        _grade(make, candidate, graders, canary)
        # Some would wait by themselves; all do, so that any answer stands for one that waits.
        request_adjudication(make.session, project, candidate.public_id, actor_id=people["owner"].id)
    # Marked, so that nobody deletes what others ask for after them.
    set_production(make.session, project, second)
    withdraw_run(make.session, second)
    invite(make.session, project_id=project.id, role=Role.VIEWER, created_by=people["owner"].id)
    shared_token = share(
        make.session, project.id, days=7, note=f"{canary} board", created_by=people["owner"].id
    )
    full_project = FullProject(
        project=project,
        **people,
        graders=graders,
        query=queries[0],
        run=run,
        withdrawn=second,
        invitation_id=make.session.scalars(
            select(Invitation.id).where(Invitation.project_id == project.id)
        ).one(),
        link_id=make.session.scalars(select(SharedLink.id).where(SharedLink.project_id == project.id)).one(),
        note_id=add_note(make.session, project, f"{canary} note").id,
        shared_token=shared_token,
        merge_revision=_merge(make, project, canary),
        apart_revision=_keep_apart(make, project, canary),
        request_id=_request(make, project, queries[0], people["owner"]),
        picture_id=_picture(make, project, f"{canary}.gif"),
        **_webhook(make, project, canary),
        batches={},
        answers={},
        uploads={},
        sessions={},
        revision=int(run.revision or 0),
        tokens={},
    )
    for person in (people["owner"], people["annotator"], people["adjudicator"], graders[0], admin):
        _deal(make, full_project, person)
    _reply(make, full_project)
    for person in (people["owner"], admin):
        _upload(make, full_project, person, canary)
    return full_project


def _grade(make: Make, candidate: Candidate, graders: list[Person], canary: str) -> None:
    for grader in graders[1:]:
        make.judgment(candidate, grader, grader.id % 4)
        make._added(
            JudgmentNote(
                project_id=candidate.project_id,
                candidate_id=candidate.id,
                annotator_id=grader.id,
                text=f"{canary} says no",
            )
        )
        flag = {"query_id": candidate.query_id, "candidate_id": candidate.id, "text": f"{canary} flag"}
        make._added(Flag(project_id=candidate.project_id, person_id=grader.id, **flag))


def _merge(make: Make, project: Project, canary: str) -> int:
    twins = [make.document(project, f"{canary}-twin{n}", title="The same", text="Twice.") for n in range(2)]
    return merge_documents(make.session, project, [twin.id for twin in twins]).revision


def _keep_apart(make: Make, project: Project, canary: str) -> int:
    alike = [make.document(project, f"{canary}-alike{n}", title="Alike", text="Once.") for n in range(2)]
    return keep_separate(make.session, project, [one.id for one in alike]).revision


def _request(make: Make, project: Project, query: Query, owner: Person) -> int:
    asked = {"project_id": project.id, "query_id": query.id, "person_id": owner.id, "answers": 1}
    request = make._added(Request(**asked, revision=0))
    payload = {"request_id": request.id, "answers": 1}
    request.revision = record_event(make.session, project.id, EventKind.REQUESTED, payload).revision
    return int(request.id)


def _deal(make: Make, full_project: FullProject, person: Person) -> None:
    lease = timedelta(days=30)  # longer than the suite of a slow machine takes
    assigned = assign_best_batch(make.session, full_project.project.id, person.id, lease=lease)
    assert assigned is not None
    full_project.batches[person.id] = assigned.batch
    full_project.answers[person.id] = list(
        make.session.scalars(
            select(Candidate.public_id)
            .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
            .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
            .where(Assignment.id == assigned.id)
            .order_by(AssignmentCandidate.place)
        )
    )


def _reply(make: Make, full_project: FullProject) -> None:
    """Let the owner, whose name nobody may read, reply to a flag of the annotator."""
    name = full_project.answers[full_project.annotator.id][0]
    flag_answer(
        make.session,
        Annotator(full_project.project, full_project.annotator.id, blind=True),
        name,
        flagged=True,
    )
    mine = RemarkFilter(person=full_project.annotator.public_id)
    handle_remarks(
        make.session,
        full_project.project,
        mine,
        "reply",
        actor_id=full_project.owner.id,
        reply="It counts as it is.",
    )


def group_of(project: Project, person: Person) -> str:
    """Return the name of the files that a person chose together."""
    return f"group-{project.slug}-{person.id}"


def _upload(make: Make, full_project: FullProject, person: Person, canary: str) -> None:
    row = make._added(
        Upload(
            project_id=full_project.project.id,
            person_id=person.id,
            kind="queries",
            file_name=f"{canary}.csv",
            size=len(QUESTIONS),
            sha256=sha256(QUESTIONS).digest(),
            state="waiting",
            options={"format": "csv", "group": group_of(full_project.project, person)},
            checked_revision=head_of(make.session, full_project.project.id),
            expires_at=now_utc() + timedelta(days=30),
        )
    )
    full_project.uploads[person.id] = row.id


def build_two_projects(database: Database, path: Path) -> TwoProjects:
    """Return two projects, built in a database; `path` is where its files are."""
    with database.write() as session:
        make = Make(session)
        admin = make.person("Alma Admin", is_admin=True, email="alma@example.org")
        stranger = make.person("Sam Stranger", email="sam@example.org")
        here = make_full_project(make, "here", admin)
        there = make_full_project(make, "there", admin, first_batch=1000)
        for person in session.scalars(select(Person).where(Person.kind == "person")):
            row = make._added(
                OpenSession(key_hash=f"{person.id:064}", person_id=person.id, device="Firefox on Linux")
            )
            here.sessions[person.id] = there.sessions[person.id] = row.id
        two_projects = TwoProjects(path, here, there, admin, stranger)
        for person in (*two_projects.people().values(), *here.graders, there.annotator, there.viewer):
            row, text = create_token(session, SECRET_KEY, name="All", scopes=Scope, person_id=person.id)
            here.tokens[person.id] = there.tokens[person.id] = row.id, text
    return two_projects


@pytest.fixture(scope="session")
def two_projects(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> TwoProjects:
    """Return them, built once; a test that uses it works on a copy of its database."""
    path = tmp_path_factory.mktemp("two") / "two.sqlite3"
    shutil.copyfile(sqlite_template, path)
    database = Database(f"sqlite:///{path}")
    two_projects = build_two_projects(database, path)
    database.dispose()
    put_into_one_file(path)
    return two_projects


@pytest.fixture
def in_two_projects(two_projects: TwoProjects, shared_app: Flask, tmp_path: Path) -> Iterator[Flask]:
    """Give the application over a fresh copy of the two projects."""
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    for upload in (*two_projects.here.uploads.values(), *two_projects.there.uploads.values()):
        (uploads / upload).write_bytes(QUESTIONS)
    with moved(shared_app, tmp_path, two_projects.copy_to(tmp_path)):
        yield shared_app

"""The audit trail as a page and as a file: of the site, and of one project."""

import csv
import io
import json
import re

import pytest
from sqlalchemy import select

from app.http.exporting import USES
from app.models import AuditKind
from app.models.person import Role
from app.models.project import Project
from app.models.query import Query
from app.services.accounts.audit import JOINED, record
from app.services.accounts.invitations import invite
from app.services.accounts.sharing import share
from app.services.accounts.tokens import create_token
from app.services.assignment.query_assignments import assign_queries, clear_query_assignment
from app.web.accounts.trail import KINDS
from tests.furniture.site import SECRET_KEY


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


def test_every_kind_has_words():
    assert KINDS.keys() == {*AuditKind, JOINED}


def test_an_administrator_reads_who_did_what_in_words(two_projects, client_of):
    client = client_of(two_projects.admin)
    client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.viewer.public_id}/role", data={"role": "annotator"}
    )

    page = client.get("/trail?kind=role_changed").text

    assert "from viewer to annotator" in page
    assert two_projects.here.owner.name in page
    assert "127.0.0.1" in page
    assert "Exported" not in page.partition("<tbody>")[2]


def test_who_takes_a_first_role_joined(two_projects, client_of, stored):
    person, project = two_projects.here.annotator.id, two_projects.here.project
    with stored.write() as session:
        record(
            session,
            AuditKind.ROLE_CHANGED,
            person_id=person,
            project_id=project.id,
            actor_id=person,
            before=None,
            role="annotator",
        )

    client = client_of(two_projects.admin)
    page = client.get("/trail?kind=joined").text

    assert '<option value="joined" selected>Joined</option>' in page
    assert '<option value="joined">Joined</option>' in client.get("/p/here/trail").text
    assert "<td>Role changed</td>" not in page
    assert "<td>Joined</td>" not in client.get("/trail?kind=role_changed").text
    assert "<td>Joined</td>" in page
    assert "<td>as annotator</td>" in page
    assert f'<td dir="auto">{project.name}</td>' in page
    assert f'<option value="{project.slug}">{project.name}</option>' in page


def test_owners_read_their_project_alone(two_projects, client_of):
    client_of(two_projects.there.owner).post("/p/there/export/qrels", data={"middle": "lower"})
    client_of(two_projects.here.viewer).post("/p/here/export/qrels", data={"middle": "lower"})

    page = client_of(two_projects.here.owner).get("/p/here/trail?kind=exported").text

    assert "1 entry" in page
    assert two_projects.here.viewer.name in page
    assert two_projects.there.owner.name not in page
    assert "qrels, trec" in page


def test_owners_choose_among_what_a_project_can_have(two_projects, client_of):
    choices = client_of(two_projects.here.owner).get("/p/here/trail").text
    whole = client_of(two_projects.admin).get("/trail").text

    assert 'value="role_changed"' in choices
    assert 'value="signed_in"' in whole
    assert 'value="signed_in"' not in choices


@pytest.mark.parametrize(
    "query",
    [
        "?kind=nonsense&person=x&since=yesterday&until=0000-00-00&page=-3",
        "?since=9999-12-31&until=9999-12-31",
    ],
)
def test_a_filter_that_cannot_be_read_is_left_out(two_projects, client_of, query):
    assert client_of(two_projects.admin).get(f"/trail{query}").status_code == 200


def test_the_trail_is_downloaded_as_a_table_and_as_lines_of_json(two_projects, client_of, stored):
    with stored.write() as session:
        session.info["actor"] = two_projects.here.owner.id
        record(session, AuditKind.SETTINGS_CHANGED, project_id=two_projects.here.project.id, what=["k"])
    client = client_of(two_projects.here.owner)

    table = client.post("/p/here/trail/export", data={"format": "csv"})
    lines = client.post("/p/here/trail/export", data={"format": "jsonl", "kind": "settings_changed"})

    rows = list(csv.DictReader(io.StringIO(table.text.lstrip("\ufeff"))))
    assert {row["project"] for row in rows} <= {"here", ""}
    assert rows[0]["kind"] == "exported", "taking the trail out is in the trail"
    entry, *older = map(json.loads, lines.text.splitlines())
    assert {each["kind"] for each in older} <= {"settings_changed"}
    assert (entry["kind"], entry["project"], json.loads(entry["details"])) == (
        "settings_changed",
        "here",
        {"what": ["k"]},
    )
    assert entry["by"] == two_projects.here.owner.name


def test_reading_the_trail_writes_nothing(two_projects, client_of, stored):
    from tests.furniture.routes import rows_of

    before = rows_of(stored)
    client_of(two_projects.admin).get("/trail")
    client_of(two_projects.admin).get("/accounts")
    client_of(two_projects.here.owner).get("/p/here/trail")

    assert rows_of(stored) == before


def test_changed_settings_are_in_the_trail_by_name_with_the_network(two_projects, client_of):
    from tests.furniture.routes import SETTINGS

    owner = client_of(two_projects.here.owner)
    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.0.2.44"}}
    owner.post("/p/here/settings", data={**SETTINGS, "k": "3", "gain": "exponential"}, **elsewhere)
    owner.post("/p/here/settings/state", data={"turn": "archive"}, **elsewhere)
    owner.post("/p/here/settings/state", data={"turn": "restore"}, **elsewhere)
    owner.post("/p/here/guidelines/edit", data={"markdown": "# Rate with care"}, **elsewhere)

    page = owner.get("/p/here/trail?kind=settings_changed").text

    for words in (
        "what a star is worth",
        "top answers that are scored (k)",
        "the project is archived",
        "the project is restored",
        "guidelines",
    ):
        assert words in page
    assert page.count("192.0.2.44") == 4


def test_what_is_shown_and_asked_of_people_is_in_the_trail_too(two_projects, client_of, stored):
    from tests.furniture.routes import ROWS

    owner = client_of(two_projects.here.owner)
    annotator = two_projects.here.annotator.public_id
    owner.post("/p/here/practice/edit", data=ROWS["projects.edit_practice"].body()["data"])
    owner.post("/p/here/settings/answers", data=ROWS["projects.answers"].body()["data"])
    owner.post("/p/here/settings/notes", data=ROWS["projects.notes"].body()["data"])
    owner.post("/p/here/quality/machines", data={"count": "y"})
    owner.post(f"/p/here/people/{annotator}/adjudicates", data={"named": "y"})

    page = owner.get("/p/here/trail?kind=settings_changed").text

    for words in (
        "practice question",
        "fields of answers",
        "notes on ratings",
        "machines",
        "decides on answers: yes",
    ):
        assert f"<td>{words}</td>" in page


def test_downloads_by_get_are_recorded_once_an_hour_with_the_token(app, two_projects, client_of, stored):
    owner = client_of(two_projects.here.owner)
    (question, *_) = re.findall(r"/p/here/questions/(\d+)", owner.get("/p/here/questions").text)
    for path in ("overview/history.svg", "overview/history.csv", f"questions/{question}.json"):
        assert owner.get(f"/p/here/{path}").status_code == 200
        owner.get(f"/p/here/{path}")
    for what in ("queries", "documents", "judgments", "qrels"):
        assert owner.get(f"/api/v1/projects/here/{what}").status_code == 200
    with stored.write() as session:
        _token, text = create_token(
            session, SECRET_KEY, name="x", scopes=["scores"], person_id=two_projects.here.owner.id
        )
    app.test_client().get("/api/v1/projects/here/qrels", headers={"Authorization": f"Bearer {text}"})

    app.extensions[USES].write(stored)

    page = owner.get("/p/here/trail?kind=exported").text
    rows = [what for what in re.findall(r"<td>([a-z0-9 ,“”]+)</td>", page) if "," in what]
    assert sorted(rows) == sorted(
        [
            "chart, svg",
            "history, csv",
            f"question {question}, json",
            "questions, json",
            "answers, json",
            "ratings, json",
            "qrels, trec",
            "qrels, trec, with access token “x”",
        ]
    )


def test_invitations_links_and_tokens_are_called_by_what_is_written_on_them(two_projects, client_of, stored):
    project_id = two_projects.here.project.id
    with stored.write() as session:
        invite(session, project_id=project_id, role=Role.ANNOTATOR, note="Anna")
        invite(session, project_id=project_id, role=Role.VIEWER, email="dirk@example.org")
        invite(session, project_id=project_id, role=Role.OWNER)
        share(session, project_id, days=3, note="Board")
        create_token(
            session, SECRET_KEY, name="Nightly", scopes=["scores", "judgments"], project_id=project_id
        )
        record(session, AuditKind.INVITATION_REVOKED, project_id=project_id, invitation=9_999)
        record(session, AuditKind.TOKEN_REVOKED, project_id=project_id, token=9_999)

    page = client_of(two_projects.here.owner).get("/p/here/trail").text

    for words in (
        "invitation for Anna, as annotator",
        "invitation for dirk@example.org, as viewer",
        "invitation for anyone with the link, as owner",
        "link for Board, for 3 days",
        "token “Nightly”: Read scores, ratings, questions and answers; Upload ratings",
        "invitation no. 9999",
        "token no. 9999",
    ):
        assert f"<td>{words}</td>" in page


def test_what_a_person_is_given_to_rate_is_in_the_trail(two_projects, client_of, stored):
    here = two_projects.here
    with stored.write() as session:
        project = session.get_one(Project, here.project.id)
        name = session.scalars(select(Query.external_id).where(Query.project_id == project.id)).first()
        assign_queries(session, project, here.annotator.id, queries=[name], target=5)
        assign_queries(session, project, here.annotator.id, target=7)
        clear_query_assignment(session, project, here.annotator.id)

    page = client_of(here.owner).get("/p/here/trail?kind=settings_changed").text

    assert "<td>who rates what, 1 question, target 5</td>" in page
    assert "<td>who rates what, all questions, target 7</td>" in page
    assert "<td>who rates what, all questions</td>" in page
    assert f'<td dir="auto">{here.annotator.name}</td>' in page


def test_an_administrator_chooses_a_project(two_projects, client_of, stored):
    with stored.write() as session:
        for project in (two_projects.here.project, two_projects.there.project):
            record(session, AuditKind.EXPORTED, project_id=project.id, what=f"of {project.slug}", format="x")

    page = client_of(two_projects.admin).get("/trail?kind=exported&project=here").text

    assert "of here, x" in page
    assert "of there, x" not in page


def test_the_trail_calls_settings_what_their_page_calls_them():
    from types import SimpleNamespace

    from app.models.audit import AuditKind
    from app.web.accounts.trail import details_of

    row = SimpleNamespace(kind=AuditKind.SETTINGS_CHANGED, details={"what": ["pool depth", "overlap"]})

    assert details_of(row) == "pool depth, ratings per answer"

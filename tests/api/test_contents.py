"""What a project holds, page by page; queries, documents and judgments pushed; projects made."""

import gzip
import io
import json
import zipfile

import pytest
from sqlalchemy import func, select

from app.http.limits import MEGABYTE
from app.models import AuditEntry, Candidate, Document, Judgment, Person, Project, Query, Upload
from app.services.accounts.tokens import Scope

ROOT = "/api/v1/projects/demo"


def pages_of(program, path, **query):
    """Return the items of all pages of a list, following the links from page to page."""
    items, path = [], f"{ROOT}/{path}?" + "&".join(f"{name}={value}" for name, value in query.items())
    while True:
        reply = program.get(path)
        assert reply.status_code == 200, reply.text
        items.append(reply.json["items"])
        if reply.json["next"] is None:
            assert "Link" not in reply.headers
            return items
        link, relation = reply.headers["Link"].split(";")
        assert (relation.strip(), link[0], link[-1]) == ('rel="next"', "<", ">")
        path = link[1:-1]


@pytest.mark.parametrize(
    ("path", "number", "first"),
    [
        ("queries", 3, {"query_id": "q1", "text": "Question 1?", "active": True, "weight": 1.0}),
        ("documents", 3, {"doc_id": "d1", "title": "Answer 1", "text": "Text."}),
        ("rankers", 2, {"ranker": "BM25", "versions": 1, "kind": "system"}),
        ("runs", 2, {"ranker": "BM25", "version": "v1", "state": "published", "in_production": False}),
        ("pool", 9, {"query_id": "q1", "doc_id": "d1", "best_rank": 1, "ratings": 1}),
        ("judgments", 9, {"query_id": "q1", "annotator": "Ada", "grade": 3, "reason": None}),
    ],
)
def test_lists_come_whole_page_by_page(demo, program, path, number, first):
    whole = pages_of(program, path, limit=1000)
    by_two = pages_of(program, path, limit=2)

    assert len(whole) == 1
    assert len(whole[0]) == number
    assert first.items() <= whole[0][0].items()
    assert [len(page) for page in by_two] == [2] * (number // 2) + [1] * (number % 2)
    assert [item for page in by_two for item in page] == whole[0]


def test_a_page_that_the_caller_has_is_not_sent_again(demo, program):
    first = program.get(f"{ROOT}/queries")
    again = program.get(f"{ROOT}/queries", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.data) == (304, b"")


def test_only_pairs_that_nobody_has_rated(demo, program, making):
    assert pages_of(program, "pool", unrated="true") == [[]]
    with making() as make:
        query = make.query(demo, "q9", text="New?")
        make.run(make.ranker(demo, "Third"), {query: [make.document(demo, "d9")]})

    (found,) = pages_of(program, "pool", unrated="true")

    assert [(pair["query_id"], pair["doc_id"], pair["ratings"]) for pair in found] == [("q9", "d9", 0)]


def test_events_and_judgments_since_a_revision(demo, program):
    (events,) = pages_of(program, "events")
    last = program.get(ROOT).json["revision"]

    assert [event["kind"] for event in events if event["kind"] == "run_published"] == ["run_published"] * 2
    assert pages_of(program, "events", since=events[0]["revision"]) == [events[1:]]
    (newest,) = pages_of(program, "judgments", since=last - 1)
    assert [judgment["revision"] for judgment in newest] == [last]
    # A program may repeat all its parameters beside the cursor.
    (rest,) = pages_of(program, "events", since=1, cursor=events[2]["revision"])
    assert rest == events[3:]


def test_qrels_and_runs_are_the_files_that_the_commands_write(demo, program, run_command, tmp_path):
    run_command("export", "qrels", "demo", "-o", tmp_path / "qrels.txt")
    run_command("export", "runs", "demo", "--ranker", "BM25", "-o", tmp_path / "bm25.run")
    number = program.get(f"{ROOT}/runs").json["items"][0]["run_id"]

    qrels, run = program.get(f"{ROOT}/qrels"), program.get(f"{ROOT}/runs/{number}/file")

    assert qrels.text == (tmp_path / "qrels.txt").read_text()
    assert run.text == (tmp_path / "bm25.run").read_text()
    assert program.get(f"{ROOT}/runs/999/file").status_code == 404


def test_notes_of_a_file_name_parameters_and_no_options(demo, program, making):
    with making() as make:
        candidate = make.session.scalars(select(Candidate)).first()
        make.judgment(candidate, make.member(demo, "annotator"), 2)

    notes = program.get(f"{ROOT}/qrels").headers["X-Notes"]

    assert "middle=upper" in notes
    assert "--" not in notes


def test_the_project_is_told_in_numbers(demo, program):
    found = program.get(ROOT).json

    assert (found["queries"], found["documents"], found["pooled"]) == (3, 3, 9)
    assert found["scoring_settings"]["name"] == "NDCG@10 (linear, log2)"


@pytest.mark.parametrize(
    ("path", "body", "model", "more"),
    [
        ("queries", b"query_id,text\nq8,What?\nq9,Who?\n", Query, 2),
        ("documents", b"doc_id,title,text\nd9,New,New text.\n", Document, 1),
        ("judgments?annotator=Judge&kind=machine", b"q1 0 d1 2\nq1 0 d2 1\n", Judgment, 2),
    ],
)
def test_what_is_pushed_is_there_once(demo, program, stored, path, body, model, more):
    def count():
        with stored.read() as session:
            return session.scalar(select(func.count()).select_from(model))

    before = count()
    tried = program.post(f"{ROOT}/{path}{'&' if '?' in path else '?'}dry_run=true", data=body)
    assert (tried.status_code, count()) == (200, before)
    first = program.post(f"{ROOT}/{path}", data=body)
    again = program.post(f"{ROOT}/{path}", data=body)

    assert (first.status_code, again.status_code) == (201, 200), again.text
    assert first.json["result"]["added"] == more
    assert again.json["result"]["added"] == 0
    assert count() == before + more


def test_judgments_are_of_the_annotator_who_is_named(demo, program, stored):
    program.post(
        f"{ROOT}/judgments?annotator=Nightly&kind=machine",
        json=[{"query_id": "q1", "doc_id": "d1", "grade": 0}],
    )

    with stored.read() as session:
        assert session.scalars(select(Person.kind).where(Person.name == "Nightly")).all() == ["machine"]


def test_a_file_that_contradicts_the_project_is_refused(demo, program):
    program.post(f"{ROOT}/queries", data=b"query_id,text\nq9,New?\n")

    reply = program.post(f"{ROOT}/queries", data=b"query_id,text\nq9,Something else?\n")
    of_rated = program.post(f"{ROOT}/queries?replace=true", data=b"query_id,text\nq1,Something else?\n")
    untried = program.post(f"{ROOT}/queries", data=b"query_id,text\nq1,Something else?\n")

    assert (reply.status_code, reply.json["code"]) == (422, "file")
    remedy = "Give it another id, or use the new content with replace=true."
    assert reply.json["problems"][0]["remedy"] == remedy
    assert reply.json["detail"].endswith(remedy)
    assert untried.json["problems"] == of_rated.json["problems"], "replace=true would not help"


def test_a_scale_of_its_own_is_mapped(demo, program, stored):
    own = b"q1 0 d1 100\nq1 0 d2 50\nq1 0 d3 7\n"
    unmapped = program.post(f"{ROOT}/judgments", data=own)
    some = program.post(f"{ROOT}/judgments?map=100=3,50=1", data=own)
    wrong = program.post(f"{ROOT}/judgments?map=100", data=own)
    twice = program.post(f"{ROOT}/judgments?map=100=3,100=2", data=own)
    mapped = program.post(f"{ROOT}/judgments?annotator=Tool&map=100=3,50=1&map=7=skip", data=own)

    assert unmapped.status_code == 422
    assert "such as map=7=0,50=2,100=3." in str(unmapped.json)
    assert "Add it to the map, as map=7=GRADE, or leave such lines out with map=7=skip." in str(some.json)
    assert (wrong.status_code, wrong.json["field"]) == (400, "map")
    assert (twice.status_code, twice.json["field"]) == (400, "map")
    assert mapped.status_code == 201, mapped.text
    with stored.read() as session:
        tool = select(Person.id).where(Person.name == "Tool").scalar_subquery()
        grades = session.scalars(select(Judgment.grade).where(Judgment.annotator_id == tool)).all()
    assert sorted(grades) == [1, 3]


def test_a_token_lists_the_projects_that_it_reaches(demo, program, token, making, app):
    with making() as make:
        make.project(slug="other")
        ada = make.member(demo, "viewer")
    client = app.test_client()

    every = program.get("/api/v1/projects").json["items"]
    one = client.get("/api/v1/projects", headers=token(project_id=demo.id)).json["items"]
    hers = client.get("/api/v1/projects", headers=token(Scope.SCORES, person_id=ada.id)).json["items"]

    assert [each["slug"] for each in every] == ["demo", "other"]
    assert [(each["slug"], each["role"]) for each in one] == [("demo", "owner")]
    assert [(each["slug"], each["role"]) for each in hers] == [("demo", "viewer")]


NEW = {"slug": "kettles", "name": "Kettles", "scale": "1-5", "k": 5}


def test_a_project_is_made(program, stored):
    reply = program.post("/api/v1/projects", json=NEW)

    assert reply.status_code == 201
    assert reply.json["scoring_settings"]["name"] == "NDCG@5 (linear, log2)"
    with stored.read() as session:
        assert session.scalars(select(Project.scale_high)).one() == 5
    assert program.post("/api/v1/projects", json=NEW).status_code == 409


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"scale": "0-9"}, "scale"),
        ({"k": "5"}, "k"),
        ({"k": True}, "k"),
        ({"k": 0}, "k"),
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"overlap": 1.5}, "overlap"),
    ],
)
def test_a_project_that_cannot_be_is_refused(program, stored, changed, field):
    reply = program.post("/api/v1/projects", json=NEW | changed)

    assert (reply.status_code, reply.json["field"]) == (400, field)
    with stored.read() as session:
        assert session.scalar(select(func.count()).select_from(Project)) == 0


def test_a_token_of_one_project_makes_no_other(demo, app, token):
    client = app.test_client()
    client.sends_token = False

    assert client.post("/api/v1/projects", json=NEW, headers=token(project_id=demo.id)).status_code == 404


def test_a_project_is_changed_as_its_settings_page_does(demo, program, stored):
    before = program.get(ROOT).json

    reply = program.patch(
        ROOT, json={"name": "Kettles", "k": 5, "only_blind": True, "overlap": 2, "pool_depth": 5}
    )

    expected = {"name": "Kettles", "overlap": 2, "pool_depth": 5}
    assert {name: reply.json[name] for name in expected} == expected
    chosen = before["scoring_settings"] | reply.json["scoring_settings"]
    assert (chosen["k"], chosen["only_blind"], chosen["gain"]) == (5, True, "linear")
    assert chosen["name"] == "NDCG@5 (linear, log2)"
    assert reply.json["revision"] > before["revision"]
    assert program.get(ROOT).json == reply.json
    with stored.read() as session:
        (entry,) = session.scalars(select(AuditEntry).where(AuditEntry.kind == "settings_changed"))
        assert {"k", "only_blind", "overlap", "pool depth", "name"} == {*entry.details["what"]}


@pytest.mark.parametrize(
    ("changes", "status", "code", "said"),
    [
        ({"name": "Other", "k": 50}, 422, "k_above_depth", "but the pool depth is 10"),
        ({"name": "Other", "pool_depth": 500}, 400, "bad_value", "from 1 to 100"),
        (
            {"name": "Other", "pool_depth": 5},
            422,
            "k_above_depth",
            "the number of top answers that are scored: 10",
        ),
        ({"name": "Other", "scale": "1-5"}, 409, "scale_frozen", "fixed at 0-3 since the first rating"),
        ({"name": "Other", "threshold": 5}, 422, "off_scale", "off the scale 0-3"),
        ({"name": "Other", "gain": "cubic"}, 400, "bad_value", "gain is 'cubic'"),
        ({"name": "Other", "only_blind": 1}, 400, "bad_value", "true or false"),
        ({"name": "Other", "slug": "other"}, 400, "unknown_key", "slug"),
        ({"name": "Other", "headline": ""}, 400, "bad_value", "headline"),
    ],
)
def test_changes_that_cannot_be_are_refused_whole(demo, program, changes, status, code, said):
    before = program.get(ROOT).json

    reply = program.patch(ROOT, json=changes)

    assert (reply.status_code, reply.json["code"]) == (status, code)
    assert said in reply.json["detail"]
    assert program.get(ROOT).json == before


def test_settings_are_changed_by_owners_with_the_scope_only(demo, app, token, making):
    with making() as make:
        people = {role: make.member(demo, role).id for role in ("owner", "viewer", "annotator")}
        other = make.project(slug="other")
    client = app.test_client()
    client.sends_token = False

    def status(header):
        return client.patch(ROOT, json={"k": 5}, headers=header).status_code

    assert status(token(Scope.SCORES, person_id=people["owner"])) == 403
    assert status(token(person_id=people["viewer"])) == status(token(person_id=people["annotator"])) == 404
    assert status(token(project_id=other.id)) == 404
    assert status({}) == 401
    assert status(token(person_id=people["owner"])) == 200


def test_files_are_written_while_they_are_sent_and_their_session_ends(demo, program, app, monkeypatch):
    opened = []
    database = app.extensions["touchstone"].database
    real = database.open_reader

    def open_reader():
        opened.append(real())
        return opened[-1]

    monkeypatch.setattr(database, "open_reader", open_reader)

    whole = program.get(f"{ROOT}/qrels")
    assert whole.is_streamed
    assert whole.headers["X-Revision"] == str(program.get(ROOT).json["revision"])
    assert len(whole.text.splitlines()) == 9
    program.get(f"{ROOT}/qrels").close()  # not a line of it was read

    assert not any(session.in_transaction() for session in opened)


@pytest.mark.parametrize("path", ["comparisons", "comparison?first=BM25&second=Dense", "history?view=then"])
def test_verdicts_and_history_are_of_the_newest_revision(demo, program, path):
    reply = program.get(f"{ROOT}/{path}")

    assert reply.status_code == 200
    assert reply.json["revision"] == program.get(ROOT).json["revision"]
    assert program.get(f"{ROOT}/{path}", headers={"If-None-Match": reply.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("comparison?first=BM25&second=BM25", 422, "the same version"),
        ("comparison?first=BM25&second=Nobody", 422, "There is no version 'Nobody': there is BM25, Dense."),
        ("comparison?first=BM25", 400, "second is missing"),
        ("gate?version=Nobody", 422, "There is no version 'Nobody'"),
        ("gate?version=BM25", 422, "There is no version before BM25@v1: name another one with against."),
        ("queries?limit=0", 400, "limit is '0', not a whole number from 1 to 1000."),
        ("queries?cursor=x", 400, "cursor is 'x'"),
    ],
)
def test_what_is_not_there_is_said(demo, program, path, status, words):
    reply = program.get(f"{ROOT}/{path}")

    assert reply.status_code == status
    assert words in reply.json["detail"]


def test_a_packed_array_is_read_like_a_plain_one(demo, program):
    rows = json.dumps([{"query_id": "q1", "doc_id": "d1", "grade": 2}]).encode()

    def push(content, encoding="gzip"):
        path, headers = f"{ROOT}/judgments?annotator=Nightly", {"Content-Encoding": encoding}
        return program.post(path, data=content, content_type="application/json", headers=headers)

    bomb = push(gzip.compress(b"[" + b" " * 2 * MEGABYTE))
    long = push(gzip.compress(json.dumps([*range(MEGABYTE // 6)]).encode()))
    broken = push(gzip.compress(rows)[:-9])
    pushed = push(gzip.compress(rows))

    assert (bomb.status_code, bomb.json["remedy"]) == (400, "Use the file uncompressed, or in parts.")
    assert (long.status_code, long.json["code"]) == (400, "too_long")
    assert (broken.status_code, broken.json["field"]) == (400, "body")
    assert pushed.status_code == 201, pushed.json
    assert push(rows, "br").json["field"] == "Content-Encoding"


def test_jobs_come_page_by_page_newest_first(demo, program):
    pushed = [
        program.post(f"{ROOT}/runs?ranker=R{number}", data=f"q1 Q0 d1 1 {number} x\n".encode()).json["job"]
        for number in (1, 2, 3)
    ]

    assert [[item["job"] for item in page] for page in pages_of(program, "jobs", limit=2)] == [
        pushed[:0:-1],
        pushed[:1],
    ]


def test_a_job_is_cancelled_until_it_is_done(demo, program, stored):
    job = program.post(f"{ROOT}/queries", data=b"query_id,text\nq8,What?\n").json["job"]
    done = program.delete(f"{ROOT}/jobs/{job}")
    with stored.write() as session:
        session.get(Upload, job).state = "importing"

    cancelled = program.delete(f"{ROOT}/jobs/{job}")

    assert (done.status_code, done.json["state"]) == (200, "done")
    assert (cancelled.status_code, cancelled.json["state"]) == (200, "cancelled")
    assert program.get(f"{ROOT}/jobs/{job}").status_code == 404


def test_a_problem_in_an_archive_names_the_file_and_its_own_line(demo, program):
    archive, names = io.BytesIO(), "query_id,doc_id,grade\n"
    with zipfile.ZipFile(archive, "w") as into:
        into.writestr("a.csv", names + "q1,d1,2\nq1,d2,2\n")
        into.writestr("b.csv", names + "q2,d1,bad\n")

    reply = program.post(f"{ROOT}/judgments?dry_run=true", data=archive.getvalue())

    assert [(each["member"], each["line"]) for each in reply.json["problems"]] == [("b.csv", 2)]
    assert "b.csv in " in reply.json["detail"]

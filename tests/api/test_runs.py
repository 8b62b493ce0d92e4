"""Runs pushed over HTTP: as files, packed, as JSON, tried first, refused as a whole."""

import gzip
import json
from datetime import timedelta
from io import BytesIO

import pytest
from sqlalchemy import func, select, update

from app.http.limits import MEGABYTE
from app.models import Candidate, Document, Event, Run, Upload, now_utc
from app.services.accounts.tokens import Scope
from app.services.collection import unknown_ids

PATH = "/api/v1/projects/demo/runs"
TREC = b"".join(b"q%d Q0 d%d %d %d new\n" % (q, 4 - d, d, 9 - d) for q in (1, 2, 3) for d in (1, 2, 3))
RECORDS = [{"query_id": "q1", "doc_id": "d2", "rank": 1}, {"query_id": "q1", "doc_id": "d1", "rank": 2}]


def push(program, data=TREC, **query):
    return program.post(PATH, query_string={"ranker": "New", **query}, data=data)


def counts(stored):
    with stored.read() as session:
        return [
            session.scalar(select(func.count()).select_from(each)) for each in (Run, Candidate, Event, Upload)
        ]


def test_a_run_is_registered_under_its_name(demo, program, stored, settings):
    reply = push(program, version="week 47", note="Reindexed")

    assert reply.status_code == 201
    assert reply.json["state"] == "done"
    assert (reply.json["result"]["ranker"], reply.json["result"]["version"]) == ("New", "week 47")
    assert reply.json["result"]["counts"]["lines"] == 9
    with stored.read() as session:
        run = session.scalars(select(Run).where(Run.version == "week 47")).one()
        assert (run.state, run.note) == ("published", "Reindexed")
    assert list(settings.uploads_path.iterdir()) == []
    job = program.get(reply.headers["Location"])
    assert (job.json["state"], job.json["result"]) == ("done", reply.json["result"])
    assert job.json["progress"] == 1.0


def test_answers_that_name_the_ranker_are_told_in_a_sentence(demo, program, stored):
    with stored.write() as session:
        session.execute(update(Document).values(source="the new index"))

    tried, done = push(program, dry_run="true"), push(program)

    for warnings in (tried.json["warnings"], done.json["result"]["warnings"]):
        (warning,) = [each for each in warnings if "seeming to name this ranker or version in the" in each]
        assert warning.endswith("import the documents again without it and replace=true.")


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (TREC, "application/x-www-form-urlencoded"),
        (gzip.compress(TREC, mtime=0), "application/gzip"),
        (b"query_id,doc_id,rank\nq1,d2,1\n", "text/csv"),
        (b'{"query_id": "q1", "doc_id": "d2", "score": 1}\n', "application/x-ndjson"),
        (json.dumps(RECORDS).encode(), "application/json"),
        (json.dumps({"records": RECORDS}).encode(), "application/json"),
    ],
)
def test_any_file_that_the_importer_reads_is_taken(demo, program, data, content_type):
    reply = program.post(PATH + "?ranker=New", data=data, content_type=content_type)

    assert reply.status_code == 201, reply.text


def test_a_file_of_a_form_is_taken(demo, program):
    reply = program.post(PATH + "?ranker=New", data={"file": (BytesIO(TREC), "new.run")})

    assert reply.status_code == 201


def test_the_same_file_again_changes_nothing(demo, program, stored):
    push(program)
    before = counts(stored)[:3]
    again = push(program)

    assert again.status_code == 200
    assert (again.json["result"]["already"], again.json["result"]["version"]) == (True, "v1")
    assert counts(stored)[:3] == before


def test_a_dry_run_says_what_would_happen(demo, program, stored, settings):
    before = counts(stored)[:3]
    reply = push(program, dry_run="true")

    assert reply.status_code == 200
    assert (reply.json["dry_run"], reply.json["counts"]["lines"]) == (True, 9)
    assert reply.json["price"].startswith("3 rankers. Every answer has a rating.")
    assert counts(stored)[:3] == before
    assert list(settings.uploads_path.iterdir()) == []


def test_a_trial_run_is_scored_and_gated_and_nothing_is_kept(demo, program, stored, settings):
    before = counts(stored)[:3]
    reply = push(program, trial="true", against="BM25", measures="nDCG@10 P@2", file_name="new.run")

    assert reply.status_code == 200
    assert reply.json["trial"] is True
    assert 0 < reply.json["measures"]["nDCG@10"] < 1
    assert reply.json["judged"] == {"judged@10": 1.0, "judged@2": 1.0}
    assert reply.json["gate"]["answer"] == "cannot tell"
    assert reply.json["gate"]["against"]["ranker"] == "BM25"
    assert "new.run" in reply.json["gate"]["sentence"]
    assert counts(stored)[:3] == before
    assert list(settings.uploads_path.iterdir()) == []


def test_a_trial_run_with_nothing_to_compare_it_with_is_scored_all_the_same(demo, program):
    reply = push(program, trial="true")

    assert reply.status_code == 200
    assert reply.json["gate"] is None
    assert "New has no other version" in reply.json["no_gate"]
    assert "--" not in reply.json["no_gate"]


def test_files_that_nobody_will_confirm_stop_no_other_token(demo, program, stored):
    """A program that asks for a trial and never for its outcome leaves a checked file."""
    assert push(program, version="v1").status_code == 201
    with stored.write() as session:
        held = session.scalars(select(Upload)).one()
        kept = {name: getattr(held, name) for name in ("project_id", "kind", "file_name", "size", "sha256")}
        for _ in range(20):
            session.add(Upload(**kept, state="checked", expires_at=now_utc() + timedelta(days=1)))

    assert push(program, version="v2", wait="20").status_code == 200, "the same file again"


def test_what_came_of_a_run_is_told_to_tokens_that_push_runs(demo, program, app, token):
    job = push(program, version="v1").headers["Location"]

    def asked(scope, path):
        return app.test_client().get(path, headers=token(scope))

    assert asked(Scope.RUNS, job).json["state"] == "done"
    assert len(asked(Scope.RUNS, job.rpartition("/")[0]).json["items"]) == 1
    assert asked(Scope.CONTENT, job).status_code == 404
    assert asked(Scope.CONTENT, job.rpartition("/")[0]).json["items"] == []


def test_problems_of_a_file_are_listed_and_nothing_is_saved(demo, program, stored, settings):
    before = counts(stored)[:3]
    for query in ({}, {"dry_run": "true"}, {"trial": "true"}):
        reply = push(program, b"q1 Q0 d1 1 x new\nq9 Q0 d1 1 1.0 new\n", **query)

        assert reply.status_code == 422
        assert reply.content_type == "application/problem+json"
        assert (reply.json["code"], reply.json["total"]) == ("file", 2)
        assert [problem["line"] for problem in reply.json["problems"]] == [1, 2]
        assert all(problem["reason"] and problem["remedy"] for problem in reply.json["problems"])
    assert counts(stored)[:3] == before
    assert list(settings.uploads_path.iterdir()) == []


def test_a_repeated_document_is_kept_at_its_best_place_when_asked(demo, program):
    refused = push(program, TREC + b"q1 Q0 d1 9 0.5 new\n")
    assert refused.status_code == 422
    assert (
        refused.json["problems"][0]["remedy"]
        == "Keep one of the two lines, or let best=true keep the best place."
    )

    counts = push(program, TREC + b"q1 Q0 d1 9 0.5 new\n", best="true", dry_run="true").json["counts"]

    assert (counts["lines"], counts["repeated_lines"]) == (9, 1)


def test_columns_that_are_not_kept_are_named(demo, program):
    reply = push(program, b"query_id,doc_id,score,size\nq1,d1,2.5,big\n", dry_run="true")

    assert reply.json["counts"]["columns_left_out"] == ["size"]


def test_a_file_with_too_many_unknown_ids_is_not_read_to_its_end(demo, program, monkeypatch):
    monkeypatch.setattr(unknown_ids, "MOST_UNKNOWN", 20)

    few, many = (
        push(program, b"".join(b"q1 Q0 x%d %d 1 new\n" % (n, n) for n in range(k))) for k in (20, 30)
    )

    assert (few.json["total"], few.json["total_is_exact"]) == (20, True)
    assert (many.json["total"], many.json["total_is_exact"]) == (30, False)
    assert many.json["detail"].startswith("At least 30 problems; nothing was saved.")
    assert "Reading stopped at line 30" in many.json["detail"]


@pytest.mark.parametrize("how", [{}, {"trial": "true"}, {"dry_run": "true"}])
def test_the_ranker_that_a_file_names_is_used_where_none_is_given(demo, program, stored, how):
    named = program.post(PATH, query_string=how, data=TREC)
    nameless = program.post(PATH, query_string=how, data=b"query_id,doc_id,rank\nq1,d1,1\n")

    assert named.status_code == (200 if how else 201), named.text
    assert how or named.json["result"]["ranker"] == TREC.split()[5].decode()
    assert (nameless.status_code, nameless.json["code"], nameless.json["field"]) == (
        422,
        "no_ranker",
        "ranker",
    )
    assert nameless.json["remedy"] == "Name it with ranker=NAME."


@pytest.mark.parametrize(
    ("query", "data", "status", "field"),
    [
        ({}, b"", 400, "body"),
        ({"ranker": ""}, TREC, 400, "ranker"),
        ({"ranker": "x" * 201}, TREC, 400, "ranker"),
        ({"ranker": ["a", "b"]}, TREC, 400, "ranker"),
        ({"max_drop": "nan"}, TREC, 400, "max_drop"),
        ({"max_drop": "2"}, TREC, 400, "max_drop"),
        ({"format": "xls"}, TREC, 400, "format"),
        ({"column": "query_id"}, TREC, 400, "column"),
        ({"column": ["rank=a", "rank=b"]}, TREC, 400, "column"),
        ({"wait": "999"}, TREC, 400, "wait"),
        ({"trial": "true", "against": "Nobody"}, TREC, 422, "against"),
        ({"trial": "true", "measures": "magic"}, TREC, 422, "measures"),
        ({"trial": "true", "measures": "AP"}, TREC, 422, "measures"),
        ({"ranker": "BM25", "version": "v1"}, TREC, 409, "version"),
    ],
)
def test_what_cannot_be_right_is_refused(demo, program, stored, query, data, status, field):
    before = counts(stored)[:3]
    reply = push(program, data, **query)

    assert reply.status_code == status, reply.text
    assert reply.json["field"] == field
    assert reply.json["remedy"]
    assert counts(stored)[:3] == before


@pytest.mark.parametrize("body", [b"[1]", b'"x"', b"{", b"[{}", b"null", b'{"records": 3}', b"[" * 100_000])
def test_json_that_is_no_list_of_records_is_refused(demo, program, body):
    reply = program.post(PATH + "?ranker=New", data=body, content_type="application/json")

    assert reply.status_code == 400


def test_json_has_an_end(demo, program):
    reply = program.post(PATH + "?ranker=New", data=b"[" + b" " * MEGABYTE, content_type="application/json")

    assert reply.status_code == 400
    assert "application/x-ndjson" in reply.json["remedy"]


def test_an_archived_project_takes_no_run(demo, program, run_command):
    run_command("project", "archive", "demo")

    reply = push(program)

    assert reply.status_code == 409
    assert "archived" in reply.json["detail"]


def test_another_s_job_does_not_exist(demo, program, token, making, app):
    with making() as make:
        owner = make.member(demo, "owner")
    job = push(program).headers["Location"]
    theirs = app.test_client().get(job, headers=token(person_id=owner.id))

    assert theirs.status_code == 404

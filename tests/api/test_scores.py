"""Scores over HTTP: what `score --json` prints, at any revision, and not sent twice."""

import json

import pytest

PATH = "/api/v1/projects/demo/scores"


def test_scores_are_what_the_command_prints(demo, program, run_command):
    found = program.get(PATH, query_string={"measures": "nDCG@10 P@2 AP", "per_query": "true"})
    printed = run_command("score", "demo", "--measures", "nDCG@10 P@2 AP", "--per-query", "--json")

    whole = json.loads(printed.output)
    assert found.status_code == 200
    assert found.json == {name: whole[name] for name in found.json}
    assert [ranker["ranker"] for ranker in found.json["rankers"]] == ["BM25", "Dense"]
    assert found.json["rankers"][0]["measures"]["nDCG@10"] == 1
    assert found.json["rankers"][0]["per_query"]["q1"]["P@2"] == 1


def test_an_earlier_revision_has_the_scores_of_then(demo, program):
    now = program.get(PATH).json
    first = program.get(PATH, query_string={"revision": now["revision"] - 9}).json
    same = program.get(PATH, query_string={"revision": now["revision"]}).json

    assert same == now
    assert first["revision"] == now["revision"] - 9
    assert {ranker["measures"]["nDCG@10"] for ranker in first["rankers"]} == {None}


def test_what_was_computed_is_not_computed_again(demo, program, monkeypatch):
    first = program.get("/api/v1/projects/demo/scores?measures=P@2")
    monkeypatch.setattr("app.api.scores.score_runs", lambda *_, **__: pytest.fail("once more"))

    assert program.get("/api/v1/projects/demo/scores?measures=P@2").json == first.json


def test_what_the_caller_has_is_not_sent_again(demo, program):
    first = program.get(PATH)
    again = program.get(PATH, headers={"If-None-Match": first.headers["ETag"]})
    other = program.get(PATH + "?measures=P@2", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.data) == (304, b"")
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        ({"measures": "magic@3"}, "measures", "magic@3"),
        ({"revision": "99999"}, "revision", "99999"),
        ({"revision": "-1"}, "revision", "-1"),
        ({"revision": "1e3"}, "revision", "1e3"),
        ({"per_query": "maybe"}, "per_query", "maybe"),
        ({"colour": "red"}, "colour", "red"),
        ({"per_query": ["true", "false"]}, "per_query", "true, false"),
    ],
)
def test_what_cannot_be_right_is_named_with_its_remedy(demo, program, query, field, value):
    reply = program.get(PATH, query_string=query)

    assert reply.status_code == 400
    assert reply.content_type == "application/problem+json"
    assert (reply.json["field"], reply.json["value"]) == (field, value)
    assert field in reply.json["detail"] or value in reply.json["detail"]
    assert reply.json["remedy"].endswith(".")

"""`flask ranker` and `flask version`: names, the mark in production, and the way out and back."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def say(run_command, making):
    with making() as make:
        project = make.project(slug="helped", k=2, pool_depth=2)
        queries = [make.query(project, name) for name in ("qa", "qb")]
        documents = [make.document(project, name) for name in ("d1", "d2", "d3", "d4")]
        blend = make.ranker(project, "Blend")
        make.run(blend, dict.fromkeys(queries, documents[:2]))
        make.run(blend, dict.fromkeys(queries, documents[1:3]), note="reindexed")
        make.run(make.ranker(project, "Blnd"), dict.fromkeys(queries, documents[2:]))

    def say(*words):
        group, name, *rest = words
        result = run_command(group, name, "helped", *rest)
        return result.exit_code, result.output.strip()

    return say


def listed(say):
    """Return the list without its dates."""
    code, told = say("ranker", "list")
    assert code == 0
    return [re.sub(r"  \d{4}-\d\d-\d\d", "", line) for line in told.splitlines()]


def test_rankers_are_listed_with_their_versions_newest_first(say):
    say("version", "production", "Blend@v1")
    say("version", "withdraw", "Blnd")

    assert listed(say) == [
        "Blend",
        "  Blend@v2: reindexed",
        "  Blend@v1, in production",
        "Blnd",
        "  Blnd@v1, withdrawn",
    ]


def test_an_empty_project_has_nothing_to_list(run_command, making):
    with making() as make:
        make.project(slug="empty")

    assert run_command("ranker", "list", "empty").output.strip() == "There is no ranker yet."


def test_names_change(say):
    assert say("ranker", "rename", "Blend", "Mixed") == (0, "Blend is called Mixed.")
    assert say("version", "rename", "Mixed@v1", "first") == (0, "Mixed@v1 is called Mixed@first.")
    assert say("version", "move", "Blnd", "Mixed") == (0, "Blnd is called Mixed@v1.")
    assert [line.split(":")[0] for line in listed(say)] == [
        "Mixed",
        "  Mixed@v1",
        "  Mixed@v2",
        "  Mixed@first",
    ]
    assert say("version", "move", "Mixed@v1", "Other", "--new") == (0, "Mixed@v1 is called Other@v1.")


def test_the_mark_is_set_named_and_taken_away(say):
    assert say("version", "production", "Blend") == (0, "Blend@v2 is marked in production.")
    assert say("version", "rename", "production", "live") == (0, "production is called Blend@live.")
    assert say("version", "production", "--none") == (0, "No version is marked in production.")
    assert say("version", "rename", "production", "x")[0] == 1
    assert say("version", "production")[0] == 2
    assert say("version", "production", "Blend", "--none")[0] == 2


def test_a_version_goes_and_comes_back(say):
    assert say("version", "withdraw", "Blnd") == (
        0,
        "Blnd@v1 is withdrawn. That takes 2 answers out of the pool.",
    )
    assert say("version", "restore", "Blnd") == (0, "Blnd@v1 is back: 2 answers joined the pool.")
    assert say("version", "restore", "Blnd")[0] == 1


def test_a_version_is_deleted_when_that_is_confirmed(say):
    code, told = say("version", "delete", "Blnd")
    assert code == 1
    assert "Delete Blnd for good?" in told
    assert say("version", "delete", "Blnd", "--yes") == (0, "Blnd@v1 is deleted.")
    assert listed(say)[-1] == "  Blend@v1"


def test_what_is_refused_says_why_on_one_line(say):
    for words, reason in [
        (("ranker", "rename", "Blend", "Blnd"), "move the versions of Blend to it instead"),
        (("ranker", "rename", "Blent", "X"), "no ranker 'Blent': there is Blend, Blnd"),
        (("version", "move", "Blnd", "Blent"), "no ranker 'Blent': there is Blend, Blnd"),
        (("version", "withdraw", "Blend@v9"), "no version 'Blend@v9': there is Blend@v1, Blend@v2"),
    ]:
        code, told = say(*words)
        assert code == 1
        assert reason in told
        assert "\n" not in told

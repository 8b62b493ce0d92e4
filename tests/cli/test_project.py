"""`flask project`: projects from their making to their purge."""

from __future__ import annotations

import pytest

from app.cli.project import ORDERS
from app.services.projects.assignment_settings import ASSIGNMENT_ORDERS, quality_of
from app.services.projects.projects import get_project


@pytest.fixture
def say(run_command):
    def say(*words):
        result = run_command("project", *words)
        return result.exit_code, result.output.strip()

    return say


CREATED = (
    "cran: Cranfield, grades 1-5, NDCG@10 (linear, log2), relevant from 3, pool depth 10, 1 rating per answer"
)


def test_a_project_is_created_with_the_products_defaults(say):
    assert say("create", "cran", "--name", "Cranfield", "--scale", "1-5") == (0, f"Created {CREATED}")
    assert say("list") == (0, CREATED)


@pytest.mark.thorough
def test_every_setting_can_be_chosen(say):
    code, told = say(
        *("create", "p", "--name", "P", "--scale", "0-3", "--k", 5, "--gain", "exponential"),
        *("--discount", "reciprocal", "--threshold", 2, "--pool-depth", 20, "--overlap", 3),
    )

    assert code == 0
    assert told == (
        "Created p: P, grades 0-3, NDCG@5 (exponential, reciprocal), relevant from 2, pool depth 20, 3 ratings per answer"
    )


def test_a_template_brings_its_settings_unless_others_are_chosen(say):
    _, told = say("create", "papers", "--name", "Papers", "--template", "papers")
    _, deeper = say("create", "deeper", "--name", "Papers", "--template", "papers", "--k", 10)

    assert "grades 1-5, NDCG@8 (linear, log2), relevant from 3, pool depth 8" in told
    assert "NDCG@10 (linear, log2), relevant from 3, pool depth 10" in deeper


def test_the_sample_of_a_template_is_asked_for_in_one_word(say, run_command):
    code, told = say("create", "papers", "--name", "Papers", "--template", "papers", "--sample")
    listed = run_command("import", "list", "papers").output

    assert code == 0
    assert "6 invented target papers, and what 3 simple models recommend for each" in told
    assert all(name in listed for name in ("Words", "Topics", "Both"))


@pytest.mark.thorough
def test_the_sample_goes_as_its_sentence_says(say, run_command):
    _, told = say("create", "papers", "--name", "Papers", "--template", "papers", "--sample")
    assert "delete its 3 versions, then undo the imports of its papers." in told

    for name in ("Words", "Topics", "Both"):
        assert run_command("version", "delete", "papers", f"{name}@v1", "--yes").exit_code == 0
    left = run_command("import", "list", "papers").output.splitlines()
    for line in left:
        assert run_command("import", "undo", "papers", line.split()[0], "--yes").exit_code == 0

    assert len(left) == 2
    for kind in ("queries", "documents"):
        assert run_command("export", kind, "papers", "--format", "jsonl").output.strip() == ""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["create", "p", "--name", "P"], 2, "Choose the grades"),
        (["create", "p", "--name", "P", "--scale", "1-5", "--sample"], 2, "add --template papers"),
        (["create", "p", "--name", "P", "--scale", "2-4"], 2, "is not one of"),
        (["create", "Big P", "--name", "P", "--scale", "0-3"], 1, "use small letters"),
        (
            ["create", "p", "--name", "P", "--scale", "0-3", "--k", "5", "--pool-depth", "3"],
            1,
            "the pool depth is 3",
        ),
        (["create", "p", "--name", "P", "--scale", "0-3", "--owner", "a@b.org"], 1, "user create"),
        (["set", "none", "--overlap", "2"], 1, "There is no project 'none'"),
        (["set", "none"], 2, "Name what to change"),
        (["restore", "none"], 1, "There is no project 'none'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(say, words, code, told):
    exit_code, output = say(*words)

    assert exit_code == code
    assert told in output
    assert "Traceback" not in output
    assert say("list") == (0, "There is no project yet.")


def test_settings_change_and_say_what_the_pool_did(say):
    say("create", "p", "--name", "P", "--scale", "0-3")

    code, told = say("set", "p", "--pool-depth", 20, "--k", 20, "--overlap", 2)

    assert (code, told.splitlines()) == (
        0,
        [
            "0 answers joined the pool, 0 left it.",
            "p: P, grades 0-3, NDCG@20 (linear, log2), relevant from 1, pool depth 20, 2 ratings per answer",
        ],
    )
    assert say("set", "p", "--pool-depth", 5)[0] == 1
    assert say("price", "p") == (0, "0 rankers. The pool has no answers yet.")


def test_dealing_and_double_rating_are_chosen(say, stored):
    say("create", "p", "--name", "P", "--scale", "0-3", "--share-twice", 0.5)
    say("set", "p", "--order", "random")

    with stored.read() as session:
        quality = quality_of(get_project(session, "p"))
    assert (quality.dealing, quality.share_twice) == ("random", 0.5)
    assert say("set", "p", "--share-twice", 2)[0] == 2


def test_grades_can_be_declared_complete_and_open_again(say):
    say("create", "p", "--name", "P", "--scale", "0-3")

    complete, opened = (say("set", "p", "--unjudged", word)[1] for word in ("complete", "open"))

    assert complete.endswith("1 rating per answer, unrated answers treated as not relevant")
    assert opened.endswith("1 rating per answer")


def test_an_owner_is_given(say, making):
    with making() as make:
        make.person(email="kim@example.org")

    assert say("create", "p", "--name", "P", "--scale", "0-3", "--owner", "kim@example.org")[0] == 0
    assert say("set", "p", "--owner", "kim@example.org")[0] == 0


def test_a_project_is_archived_and_purged_by_its_slug(say):
    say("create", "p", "--name", "P", "--scale", "0-3")

    codes = [
        say(*words)[0]
        for words in (
            ["purge", "p", "--confirm", "p"],
            ["archive", "p"],
            ["archive", "p"],
            ["restore", "p"],
            ["archive", "p"],
            ["purge", "p", "--confirm", "q"],
            ["purge", "p", "--confirm", "p"],
        )
    ]

    assert codes == [1, 0, 1, 0, 0, 1, 0]
    assert say("list") == (0, "There is no project yet.")


@pytest.mark.parametrize("command", ["create", "list", "set", "archive", "restore", "purge", "price"])
def test_every_command_has_an_example(run_command, command):
    assert "Example: flask --app app project" in run_command("project", command, "--help").output


def test_a_name_that_the_terminal_has_no_letters_for_is_listed_all_the_same(app, say):
    say("create", "p", "--name", "Жаба", "--scale", "0-3")

    with app.app_context():
        result = app.test_cli_runner(charset="cp1252").invoke(args=["project", "list"])

    assert (result.exit_code, result.output.split(",")[0]) == (0, r"p: \u0416\u0430\u0431\u0430")


def test_the_help_offers_the_orders_that_services_know():
    assert ORDERS == ASSIGNMENT_ORDERS


def test_a_whole_project_goes_out_and_comes_in_and_is_copied(say, tmp_path):
    say("create", "cran", "--name", "Cranfield", "--scale", "1-5")
    file = tmp_path / "cran.touchstone"

    code, told = say("export", "cran", file)
    again, there = say("export", "cran", file)
    _, taken = say("import", file)
    _, imported = say("import", file, "--slug", "two", "--name", "Two")
    _, copied = say("copy", "cran", "three", "--without-ratings")

    assert (code, again) == (0, 1)
    assert told.startswith(f"{file} holds the whole project cran, with pseudonyms of people.")
    assert "add --force to replace it" in there
    assert taken == "Error: There is already a project with the short name 'cran'."
    owner = "Give it an owner: `flask --app app project set {} --owner EMAIL`."
    assert imported == f"Imported two: no rating. {owner.format('two')}"
    assert copied == f"Copied three: no rating. {owner.format('three')}"
    assert [line.split(",")[0] for line in say("list")[1].splitlines()] == [
        "cran: Cranfield",
        "three: Copy of Cranfield",
        "two: Two",
    ]

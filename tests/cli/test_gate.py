"""`flask gate`: exit status and one sentence, or one object."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import func, select

from app.models import Event, Run
from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.scores.overview_parts import verdict_between
from tests.furniture.rankers import rankers_in


@pytest.fixture
def rankers(stored):
    return rankers_in(stored, slug="two")


@pytest.fixture
def run_file(tmp_path):
    """Return what writes a run that puts the good answer first, or last, in some questions."""

    def write(name="new.run", *, good=25, more=""):
        order = {True: "{0}-good {0}-bad", False: "{0}-bad {0}-good"}
        text = "".join(
            f"{query} Q0 {document} {rank} {9 - rank} x\n"
            for query, first in ((f"q{number:03}", number < good) for number in range(25))
            for rank, document in enumerate(order[first].format(query).split(), 1)
        )
        path = tmp_path / name
        path.write_text(text + more)
        return path

    return write


def counts(rankers):
    with rankers.database.read() as session:
        return [session.scalar(select(func.count()).select_from(model)) for model in (Run, Event)]


def test_a_better_version_passes_with_exit_status_0(rankers, run_command):
    rankers.rate(rankers.queries)

    result = run_command("gate", "two", "--ranker", "Ahead", "--against", "Behind")
    assert result.exit_code == 0
    assert result.output.startswith(
        "Passed: a drop of 3 points is ruled out (at worst +36.9 points, one-sided at 95%); Ahead v1 is better than "
    )
    assert result.output.count("\n") == 1


def test_a_worse_version_fails_with_exit_status_1(rankers, run_command):
    rankers.rate(rankers.queries)

    result = run_command("gate", "two", "--ranker", "Behind@v1", "--against", "Ahead@v1")
    assert result.exit_code == 1
    assert result.output.startswith(
        "Failed: a drop is likely (95% interval −36.9 to −36.9), and a drop of 3 points is not ruled out; Behind v1 "
        "against Ahead v1: "
    )


def test_what_cannot_be_told_has_a_status_of_its_own_unless_one_is_chosen(rankers, run_command):
    rankers.rate(rankers.queries[:9])
    asked = ("gate", "two", "--ranker", "Ahead", "--against", "Behind")

    codes = [
        run_command(*asked, *more).exit_code for more in ((), ("--unsure", "pass"), ("--unsure", "fail"))
    ]
    assert codes == [3, 0, 1]
    assert run_command(*asked, "--unsure", "pass").output.startswith("Cannot tell: ")


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", "Passed: "),
        ("json", "{"),
        ("markdown", "### ✅ Passed: Ahead v1 against Behind v1"),
        ("junit", "<?xml "),
    ],
)
def test_the_answer_is_printed_in_the_form_that_is_asked_for(rankers, run_command, format, start):
    rankers.rate(rankers.queries)

    result = run_command("gate", "two", "--ranker", "Ahead", "--against", "Behind", "--format", format)

    assert result.exit_code == 0
    assert result.output.startswith(start)


@pytest.mark.thorough
@pytest.mark.parametrize("option", ["--run-format", "--format"])
def test_how_the_file_is_read_can_be_said_as_before(rankers, run_command, run_file, option):
    asked = ("gate", "two", "--run", run_file(), "--against", "Behind")

    assert run_command(*asked, option, "trec").output == run_command(*asked).output
    assert json.loads(run_command(*asked, "--format", "json").output)["answer"] == "cannot tell"
    assert "problem" in run_command(*asked, option, "jsonl").output


def test_a_file_is_judged_and_nothing_is_written(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    before = counts(rankers)

    good = run_command("gate", "two", "--run", run_file(), "--against", "Behind")
    bad = run_command("gate", "two", "--run", run_file("bad.run", good=0), "--against", "Ahead")
    assert (good.exit_code, bad.exit_code) == (0, 1)
    assert bad.output.startswith(
        "Failed: a drop is likely (95% interval −36.9 to −36.9), and a drop of 3 points is not ruled out; bad.run "
        "against Ahead v1: "
    )
    assert counts(rankers) == before


@pytest.mark.thorough
def test_a_bad_run_that_is_pushed_a_second_time_fails_again(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    bad = run_file(good=0)
    asked = ("gate", "two", "--run", bad, "--ranker", "Ahead")
    assert run_command(*asked).exit_code == 1
    assert run_command("import", "run", "two", bad, "--ranker", "Ahead").exit_code == 0

    again = run_command(*asked)
    assert again.exit_code == 1
    assert "Ahead v1 is better than new.run, by 37 points" in again.output
    # The same lists in a file of other bytes.
    bad.write_text(bad.read_text().replace(" x\n", " y\n"))
    assert "Ahead v1 is better than new.run, by 37 points" in run_command(*asked).output
    better = run_file("better.run", more="q000 Q0 q001-bad 3 1 x\n")
    assert run_command("import", "run", "two", better, "--ranker", "Ahead").exit_code == 0
    third = run_command(*asked)
    assert third.exit_code == 1
    assert "; new.run against Ahead v3: Ahead v3 is better than new.run, by 37 points" in third.output


def test_a_failed_version_is_not_what_the_next_is_compared_with(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    with rankers.database.write() as session:
        set_production(session, session.merge(rankers.project), session.merge(rankers.runs[0]))
    failed = run_file(good=0)
    assert run_command("import", "run", "two", failed, "--ranker", "Ahead").exit_code == 0
    assert run_command("gate", "two", "--ranker", "Ahead").exit_code == 1

    next_one = run_command("gate", "two", "--run", run_file("next.run", good=2), "--ranker", "Ahead")
    assert next_one.exit_code == 1
    assert (
        "Ahead v1 (in production) is better than next.run, by 34 points (gap −34 on 25 questions)"
        in next_one.output
    )
    assert run_command("gate", "two", "--ranker", "Ahead@v2", "--against", "production").exit_code == 1


def test_the_object_has_every_number_in_full(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    rankers.add_run("Third", good_first=False)

    result = run_command("gate", "two", "--ranker", "Ahead", "--against", "Behind", "--json")
    told = json.loads(result.output)
    pair = verdict_between(evidence_of(rankers.database, rankers.project.id), 0, 1).pair
    interval = pair.verdict.interval
    assert told["gap"] == pair.mean
    assert told["interval"] == {"level": 0.95, "low": interval.low, "high": interval.high}
    assert told["judged"] == {
        "ranker": "Ahead",
        "version": "v1",
        "file": None,
        "score": 1.0,
        "judged_at_k": 1.0,
        "unrated": 0,
        "returned": 50,
        "questions_without_answers": 0,
    }
    assert told["against"]["version"] == "v1"
    assert (told["answer"], told["status"], told["verdict"]) == ("passed", 0, "Sure")
    assert (told["queries"], told["pairs_asked_together"], told["max_drop"]) == (25, 3, 0.03)
    assert told["final_p"] == pair.verdict.final
    assert len(told["scoring_settings"]["fingerprint"]) == 64
    assert told["revision"] == evidence_of(rankers.database, rankers.project.id).revision
    file = json.loads(run_command("gate", "two", "--run", run_file(), "--against", "Behind", "--json").output)
    assert (file["judged"]["file"], file["judged"]["version"], file["judged"]["ranker"]) == (
        "new.run",
        None,
        None,
    )


def test_unknown_ids_are_refused_as_by_an_import_or_count_as_unrated(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    strange = run_file(more="q999 Q0 q001-good 1 5 x\nq000 Q0 nowhere 0 10 x\n")
    asked = ("--run", strange, "--against", "Behind")

    refused = run_command("gate", "two", *asked)
    imported = run_command("import", "run", "two", strange, "--ranker", "New")
    assert refused.exit_code == 2
    assert refused.output.splitlines()[1:] == imported.output.splitlines()[1:]
    assert "unknown-document" in refused.output or "no document of this id" in refused.output
    taken = run_command(
        "gate", "two", *asked, "--unknown-documents", "add", "--unknown-queries", "skip", "--json"
    )
    assert taken.exit_code == 0
    assert json.loads(taken.output)["judged"]["unrated"] == 1


def test_the_limits_can_be_set(rankers, run_command):
    rankers.rate(rankers.queries)

    loose = run_command("gate", "two", "--ranker", "Behind", "--against", "Ahead", "--max-drop", "0.4")
    strict = run_command("gate", "two", "--ranker", "Ahead", "--against", "Behind", "--min-coverage", "1")
    assert (loose.exit_code, strict.exit_code) == (0, 0)


def test_the_help_says_what_a_few_questions_cannot_show(run_command):
    told = " ".join(run_command("gate", "--help").output.split())

    assert "With fewer than 100 questions, a drop of 2 points can rarely be ruled out" in told


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("two", "--ranker", "Nobody"), "There is no version 'Nobody': there is Ahead, Behind."),
        (("two", "--ranker", "Ahead", "--against", "Ahead"), "Ahead@v1 cannot be compared with itself."),
        (("two", "--ranker", "Ahead"), "There is no version before Ahead@v1"),
        (("two", "--ranker", "Ahead", "--against", "production"), "No version is marked in production"),
        (("nowhere", "--ranker", "Ahead"), "There is no project 'nowhere'."),
        (("two",), "Name a file with --run, or a registered version with --ranker."),
        (("two", "--run", "nowhere.run"), "'nowhere.run' does not exist"),
        (("two", "--ranker", "Ahead", "--max-drop", "7"), "7.0 is not in the range 0<=x<=1"),
        (("two", "--ranker", "Ahead", "--max-drop", "nan"), "'nan' is not a number."),
        (("two", "--ranker", "Ahead", "--min-coverage", "x"), "'x' is not a valid float range."),
    ],
)
def test_what_cannot_be_asked_ends_with_2(rankers, run_command, words, said):
    result = run_command("gate", *words)

    assert result.exit_code == 2
    assert said in result.output


def test_a_list_that_repeats_a_document_is_taken_at_its_best_place(rankers, run_command, run_file):
    rankers.rate(rankers.queries)
    asked = ("gate", "two", "--run", run_file(more="q000 Q0 q000-good 9 0 x\n"), "--against", "Behind")

    refused, taken = run_command(*asked), run_command(*asked, "--best")

    assert refused.exit_code == 2
    assert "or let --best keep the best place" in refused.output
    assert taken.exit_code == 0
    assert "gap +37 on 25 questions" in taken.output

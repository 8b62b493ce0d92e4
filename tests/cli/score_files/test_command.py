"""`flask score-files`: the documented options and object, readable text, one line for what is refused."""

from __future__ import annotations

import gzip
import json
import random
import warnings
from pathlib import Path

import pytest

from tests.furniture.missing import lack

ROOT = Path(__file__).resolve().parents[3]
CRANFIELD = ROOT.parent / "shared" / "data" / "cranfield"
EXPECTED = {
    "bm25-text": "0.3369",
    "bm25-title": "0.2916",
    "lsa-120": "0.3759",
    "lsa-200": "0.3864",
    "lsa-300": "0.3772",
    "lda-120": "0.0954",
    "lda-200": "0.1042",
    "lda-300": "0.1305",
}
QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq3 0 c 0\n"
# Of equal scores the greater id comes first, so the second run lists x before a.
ONE = "q1 Q0 b 1 3.0 first\nq1 Q0 a 2 2.0 first\nq2 Q0 a 1 9.0 first\n"
TWO = "q1 Q0 a 1 3.0 second\nq1 Q0 x 2 3.0 second\nq3 Q0 c 1 1.0 second\nq9 Q0 a 1 1.0 second\n"
SECOND = 1 / 1.584962500721156
"""The discount of the second rank."""


@pytest.fixture
def say(run_command, tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "large.txt").write_text("".join(f"q1 0 d{n} {9 * n}\n" for n in range(1_001)))
    (tmp_path / "one.run").write_text(ONE)
    (tmp_path / "two.run.gz").write_bytes(gzip.compress(TWO.encode()))
    monkeypatch.chdir(tmp_path)

    def say(*words):
        result = run_command("score-files", *words)
        return result.exit_code, result.output.strip()

    return say


@pytest.fixture
def scored(say, run_command):
    def scored(*words):
        result = run_command("score-files", "qrels.txt", *words, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return scored


def near(value):
    return pytest.approx(value, abs=1e-12)


def test_the_object_is_the_documented_one(scored):
    found = scored("one.run", "two.run.gz", "--measures", "nDCG@2 RR", "--per-query")

    perfect, one_more = 2 * SECOND / 2, 2 * SECOND / (2 + 2 * SECOND)
    assert found == {
        "runs": [
            {
                "run": "one",
                "tag": "first",
                "measures": {"nDCG@2": near((perfect + 1) / 2), "RR": 0.75},
                "bounds": {"nDCG@2": near([(one_more + 1) / 2, (perfect + 1) / 2])},
                "judged": {"judged@2": 1.0},
                "queries": {"scored": 2, "excluded": {"no_relevant": 1, "unjudged": 1}},
                "per_query": {
                    "q1": {
                        "nDCG@2": near(perfect),
                        "RR": 0.5,
                        "bounds": {"nDCG@2": near([one_more, perfect])},
                    },
                    "q2": {"nDCG@2": 1.0, "RR": 1.0, "bounds": {"nDCG@2": [1.0, 1.0]}},
                },
            },
            {
                "run": "two",
                "tag": "second",
                "measures": {"nDCG@2": near(perfect / 2), "RR": 0.25},
                "bounds": {"nDCG@2": near([perfect / 2, 0.5])},
                "judged": {"judged@2": 0.75},
                "queries": {"scored": 2, "excluded": {"no_relevant": 1, "unjudged": 1}},
                "per_query": {
                    "q1": {"nDCG@2": near(perfect), "RR": 0.5, "bounds": {"nDCG@2": near([perfect, 1.0])}},
                    "q2": {"nDCG@2": 0.0, "RR": 0.0, "bounds": {"nDCG@2": [0.0, 0.0]}},
                },
            },
        ],
        "comparisons": [],
    }


def test_values_of_queries_are_only_there_when_asked_for(scored):
    assert "per_query" not in scored("one.run")["runs"][0]


def test_the_usual_measures_are_ndcg_at_10_and_average_precision(scored):
    assert set(scored("one.run")["runs"][0]["measures"]) == {"nDCG@10", "AP"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 0.5 * (SECOND + 1)),
        (["--gain", "exponential"], 0.5 * (SECOND + 1)),
        (["--discount", "reciprocal"], 0.75),
        (["--discount", "original-2002"], 1.0),
        (["--ideal", "returned"], 0.5 * (SECOND + 1)),
        (["--ideal", "maximum"], 0.5 * (2 * SECOND + 1) / (2 + 2 * SECOND)),
        (["--ideal", "maximum", "--highest", "3"], 0.5 * (2 * SECOND + 1) / (3 + 3 * SECOND)),
        (["--unjudged", "condensed"], 0.5 * (SECOND + 1)),
        (["--trec"], 0.5 * (SECOND + 1)),
    ],
)
def test_every_choice_reaches_the_number(scored, words, expected):
    found = scored("one.run", "--measures", "nDCG@2", *words)

    assert found["runs"][0]["measures"]["nDCG@2"] == near(expected)


@pytest.mark.parametrize("run", ["q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n", "q1 Q0 a 1 1 t\nq2 Q0 other 1 1 t\n"])
def test_a_query_with_only_the_lowest_grade_is_called_so_also_where_unjudged_documents_are_left(
    files, say, run
):
    files.text("grades.txt", "q1 0 a 3\nq2 0 b 0\n")
    files.text("own.run", run)

    told = say("grades.txt", "own.run")[1]

    assert "Queries left out: 1 with nothing above the lowest grade." in told
    assert "1 that grades.txt does not have" not in told


def test_in_trec_evals_way_a_query_without_grades_and_one_without_results_are_told_apart(files, say):
    files.text("grades.txt", "q1 0 a 3\nq2 0 b 1\n")
    files.text("own.run", "q1 Q0 a 1 1 t\nq4 Q0 b 1 1 t\n")

    told = " ".join(say("grades.txt", "own.run", "--trec")[1].split())

    assert "Queries left out: 1 that grades.txt does not have, 1 not in the run." in told


def test_the_threshold_says_what_is_relevant(scored):
    assert scored("one.run", "--measures", "RR", "--threshold", "2")["runs"][0]["measures"] == {"RR": 0.25}


def test_the_text_is_a_table_with_all_that_its_numbers_depend_on(say):
    code, told = say(
        "qrels.txt", "one.run", "two.run.gz", "--measures", "nDCG@2 RR", "--compare", "one", "two"
    )

    assert code == 0
    assert told.splitlines() == [
        "qrels.txt: 4 grades of 3 queries, scale 0 to 2",
        "",
        "run  nDCG@2       low to high      RR  judged@2  queries",
        "one  0.8155  0.6934 to 0.8155  0.7500    1.0000        2",
        "two  0.3155  0.3155 to 0.5000  0.2500    0.7500        2",
        "",
        "nDCG@2 (linear, log2), RR (relevant from 1)",
        "Unjudged documents have no gain so far. Low to high: the score if those in the",
        "  runs' top k turn out as bad or as good as can be.",
        "Queries left out: 1 with nothing above the lowest grade, 1 that qrels.txt does",
        "  not have.",
        "Queries that a run does not list count as 0: two 1 of 2.",
        "",
        "Scores decide the order, then document ids, descending; ranks are only checked:",
        "run  tied with the line before  rank column disagrees",
        "two               1 of 4 lines           1 of 3 lists",
        "",
        "Too early to compare one and two: a verdict needs 10 queries that count for",
        "  both; there are 2 so far. Provisional: many documents are not judged.",
        "  two better / same / worse: 0 / 1 / 1",
        "  Paired sign-flip test: P = 1 (all 4 ways to flip the signs)",
        "  With 1 unjudged document judged too, the difference can become -0.5000 to",
        "    -0.1934; other queries have 1 unjudged document: only queries that do not",
        "    count yet could reverse it.",
    ]


def test_what_is_unjudged_is_told_of_the_queries_that_count_and_of_others(files, say):
    files.text("grades.txt", "q1 0 a 3\nq1 0 b 0\nq2 0 a 3\nq2 0 b 1\n")
    lines = "q1 Q0 {} 1 2 t\nq1 Q0 {} 2 1 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\nq3 Q0 x 1 2 t\n"
    files.text("first.run", lines.format("a", "b"))
    files.text("second.run", lines.format("b", "a"))

    def reach():
        told = say("grades.txt", "first.run", "second.run", "--compare", "first", "second")[1]
        return " ".join(told.split()).partition("ways to flip the signs) ")[2]

    assert reach() == (
        "Nothing is unjudged on the queries that count; other queries have 1 unjudged document: "
        "unjudged documents cannot change this order."
    )
    files.text("second.run", lines.format("c", "a"))
    assert reach().startswith("With 1 unjudged document judged too, the difference can become ")
    assert "; other queries have 1 unjudged document: " in reach()


def test_the_text_says_when_unjudged_documents_are_dropped(say):
    words = ["one.run", "--measures", "nDCG@2 RBP judged@2 weight-judged@2", "--unjudged", "condensed"]
    _, told = say("qrels.txt", *words)

    lines = told.splitlines()
    assert "nDCG@2 (linear, log2, condensed), RBP (p = 0.8, linear, condensed), judged@2" in " ".join(lines)
    assert "Condensed: unjudged documents are dropped from the lists before they are scored." in lines


def test_the_text_shows_every_query_when_asked(say):
    _, told = say("qrels.txt", "one.run", "--measures", "nDCG@2", "--per-query")

    assert told.splitlines()[-3:] == ["one, query  nDCG@2", "q1          0.6309", "q2          1.0000"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (
            ["qrels.txt", "none.run"],
            1,
            "Error: none.run: the file cannot be read (No such file or directory).",
        ),
        (["none.txt", "one.run"], 1, "Error: none.txt: the file cannot be read (No such file or directory)."),
        (["qrels.txt", "."], 1, "Error: .: the file cannot be read (Is a directory)."),
        (
            ["one.run", "one.run"],
            1,
            "'q1 Q0 b 1 3.0 first'. Put the ratings first (score-files QRELS RUN...).",
        ),
        (
            ["qrels.txt", "qrels.txt"],
            1,
            ", not a run: 'q1 0 a 2'. Put the ratings first (score-files QRELS RUN...).",
        ),
        (["qrels.txt", "one.run", "--highest", "1"], 1, "line 1: the grade is off the scale 0 to 1: '2'"),
        (["qrels.txt", "one.run", "--lowest", "1"], 1, "line 2: the grade is off the scale 1 to 2: '0'"),
        (["qrels.txt", "one.run", "--measures", "nDCV@10"], 2, "the nearest known one is nDCG@10"),
        (["qrels.txt", "one.run", "--measures", "P"], 2, "'P' needs a cutoff, as in P@10"),
        (["qrels.txt", "one.run", "--compare", "one", "two"], 2, "none of the runs has the name 'two'"),
        (["qrels.txt", "one.run", "--measures", "P@2000000"], 2, "a cutoff may be at most 1000000"),
        (["qrels.txt", "one.run", "--threshold", "nan"], 2, "--threshold must be a finite number, not nan"),
        (["qrels.txt", "one.run", "--threshold", "inf"], 2, "--threshold must be a finite number, not inf"),
        (
            ["qrels.txt", "one.run", "--threshold", "98.5"],
            2,
            "2: nothing would be relevant. If the scale goes higher, give --highest 99.",
        ),
        (["qrels.txt", "one.run", "--threshold", "-1"], 2, "must lie within the scale from 0 to"),
        (["qrels.txt", "one.run", "--highest", "1100", "--gain", "exponential"], 2, "at most 1001 grades."),
        (["qrels.txt", "one.run", "--highest", "1000001"], 2, "at most 1,000,000 above the lowest"),
        (["qrels.txt", "one.run", "--lowest", "-1000000"], 1, "a scale from -1000000 to 2 has more than"),
        (["large.txt", "one.run"], 1, "large.txt: the file holds 1,001 different grades, more than 1,000."),
        (["qrels.txt", "one.run", "--ideal", "maximum", "--measures", "P@1 ndcg"], 2, "write ndcg@10."),
        (["qrels.txt", "one.run", "--gain", "cubic"], 2, "'cubic' is not one of"),
        (["qrels.txt"], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_line(say, words, code, told):
    exit_code, output = say(*words)

    assert (exit_code, told in output) == (code, True), output
    assert len(output.splitlines()) == 1 or code == 2


def test_the_object_leaves_it_to_the_error_output_how_many_queries_a_run_does_not_list(say, run_command):
    result = run_command("score-files", "qrels.txt", "one.run", "two.run.gz", "--json")

    assert result.stderr == "Queries that a run does not list count as 0: two 1 of 2.\n"
    assert set(json.loads(result.stdout)) == {"runs", "comparisons"}


@pytest.mark.parametrize(
    ("grades", "words", "hinted"),
    [
        ((1, 5), [], True),
        ((1, 5), ["--lowest", "1"], False),
        ((1, 5), ["--lowest", "0"], False),
        ((1, 5), ["--trec"], False),
        ((0, 5), [], False),
        ((1, 1), [], False),
    ],
)
def test_grades_that_seem_to_start_above_0_bring_a_hint_on_the_error_output(
    run_command, tmp_path, monkeypatch, grades, words, hinted
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stars.txt").write_text("".join(f"q1 0 d{n} {grade}\n" for n, grade in enumerate(grades)))
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3.0 a\n")

    result = run_command("score-files", "stars.txt", "a.run", *words)

    assert result.exit_code == 0
    hint = "Note: no grade 0 occurs in stars.txt. If 1 is its lowest grade, worth nothing, give --lowest 1.\n"
    assert result.stderr == (hint if hinted else "")


def test_in_the_way_of_trec_eval_a_threshold_above_all_grades_leaves_nothing_relevant(scored):
    (run,) = scored(
        "one.run", "--trec", "--threshold", "99", "--measures", "P@1 AP bpref Rprec infAP RR nDCG@2"
    )["runs"]

    ndcg = run["measures"].pop("nDCG@2")
    assert set(run["measures"].values()) == {0.0}
    assert ndcg == near((SECOND + 1) / 2)


def test_scores_beyond_float32_are_tied_as_in_trec_eval_and_leave_no_warning(scored, tmp_path):
    (tmp_path / "far.run").write_text("q1 Q0 a 1 1e39 far\nq1 Q0 b 2 2e39 far\n")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (run,) = scored("far.run", "--trec", "--measures", "P@1")["runs"]

    # Both are infinite as float32: the greater id comes first, which is not relevant.
    assert run["measures"]["P@1"] == 0


def test_no_score_in_full_precision_lies_outside_its_own_bounds(scored, tmp_path):
    rng = random.Random(7)
    names = [f"d{n}" for n in range(14)]
    (tmp_path / "qrels.txt").write_text(
        "".join(f"q{q} 0 {d} {rng.randrange(4)}\n" for q in range(80) for d in names if q < 40 or q % 2)
    )
    for run in "ab":
        lines = (f"q{q} Q0 {d} 1 {rng.random()} t\n" for q in range(80) for d in [*names, "u", "v"])
        kept = [line for line in lines if line.split()[2] not in "uv" or int(line.split()[0][1:]) >= 40]
        (tmp_path / f"{run}.run").write_text("".join(kept))

    found = scored("a.run", "b.run", "--measures", "nDCG@10", "--per-query")

    settled = 0
    for run in found["runs"]:
        for values in [*run["per_query"].values(), run["measures"] | {"bounds": run["bounds"]}]:
            low, high = values["bounds"]["nDCG@10"]
            assert low <= values["nDCG@10"] <= high
        for query in (f"q{n}" for n in range(40)):
            values = run["per_query"][query]
            assert values["bounds"]["nDCG@10"] == [values["nDCG@10"]] * 2
            settled += 1
    assert settled == 80


def test_cranfield_has_the_values_of_an_independent_implementation(run_command):
    if not CRANFIELD.is_dir():
        lack("the Cranfield collection", f"put it into {CRANFIELD}")
    runs = sorted((CRANFIELD / "runs").glob("*.run"))

    result = run_command("score-files", CRANFIELD / "qrels.txt", *runs, "--lowest", 1, "--json")

    found = {run["run"]: f"{run['measures']['nDCG@10']:.4f}" for run in json.loads(result.output)["runs"]}
    assert found == EXPECTED


def test_runs_in_files_of_one_name_are_told_apart_by_their_tags(scored, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "input.run").write_text(ONE.replace("first", name))

    found = scored("first/input.run", "second/input.run", "one.run", "--compare", "first", "second")

    assert [run["run"] for run in found["runs"]] == ["first", "second", "one"]
    assert found["comparisons"][0]["b"] == "second"


def test_names_stay_as_they_are_where_tags_tell_no_more(scored, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "one.run").write_text(ONE)

    assert [run["run"] for run in scored("one.run", "other/one.run")["runs"]] == ["one", "one"]


def test_a_document_that_a_list_holds_twice_is_refused_or_kept_at_its_best_place(say, scored, tmp_path):
    (tmp_path / "twice.run").write_text("q1 Q0 b 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 a 3 4.0 t\n")

    assert say("qrels.txt", "twice.run") == (
        1,
        (
            "Error: twice.run, line 3: the query has this document already, on line 2: 'q1 a'. "
            "Keep one of the two lines, or let --best keep the best place."
        ),
    )
    (run,) = scored("twice.run", "--best", "--trec", "--measures", "RR P@2")["runs"]
    assert run["measures"] == {"RR": 1.0, "P@2": 0.5}


def test_what_was_assumed_of_ratings_is_said_on_the_error_output(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("query_id,doc_id,score\nq1,d1,0\nq1,d2,50\nq1,d3,0\nq1,d4,50\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3.0 a\n")

    result = run_command("score-files", "q.csv", "a.run")

    assert result.exit_code == 0
    assert (
        "Note: q.csv: The numbers above 10 are read as ratings. If they are scores, give the file as a "
        "RUN.\n" in result.stderr
    )


def test_what_was_assumed_of_a_run_is_said_on_the_error_output(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("q1 0 d1 1\n")
    scores = enumerate((100, 50, 0, 50, 100, 0, 0, 50))
    rows = "".join(f"q1,d{number},{score}\n" for number, score in scores)
    (tmp_path / "a.csv").write_text(f"query_id,doc_id,score\n{rows}")

    result = run_command("score-files", "q.txt", "a.csv")

    assert result.exit_code == 0
    assert "If they are ratings, give the file as QRELS.\n" in result.stderr


def test_a_judged_query_that_no_run_lists_has_nothing_above_the_lowest_grade(scored):
    (run,) = scored("one.run")["runs"]

    # q3 has the grade 0 alone.
    assert run["queries"] == {"scored": 2, "excluded": {"no_relevant": 1, "unjudged": 0}}


@pytest.mark.parametrize("words", [[], ["--trec"], ["--json"]])
def test_ids_that_do_not_belong_together_are_said_first_and_nothing_counts_as_judged(
    run_command, say, tmp_path, words
):
    (tmp_path / "other.run").write_text("x1 Q0 a 1 3.0 other\n")

    told = run_command("score-files", "qrels.txt", "one.run", "other.run", *words)
    (run,) = json.loads(
        run_command("score-files", "qrels.txt", "other.run", "--json", "--measures", "AP judged@5").stdout
    )["runs"]

    note = "Note: no query of other.run is in qrels.txt: do the ids belong together?"
    assert told.stderr.splitlines()[0] == note
    assert told.stderr.count("do the ids belong together?") == 1
    assert (run["measures"], run["judged"]) == ({"AP": 0.0, "judged@5": None}, {"judged@5": None})


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            ("one.run", "qrels.txt"),
            (
                "one.run: this is a TREC run, not a file of ratings: 'q1 Q0 b 1 3.0 first'. "
                "Put the ratings first (score-files QRELS RUN...)."
            ),
        ),
        (
            ("qrels.txt", "pairs.json"),
            (
                "pairs.json: these are ratings as ranx and pytrec_eval take them, in whole numbers, not a run: "
                """'{"q1": {"a": 2}}'. Put the ratings first (score-files QRELS RUN...). If they """
                "are scores, name the format (--format json-pairs on the command line)."
            ),
        ),
        (
            ("qrels.txt", "table.csv"),
            (
                "table.csv, line 1: these are the columns of ratings, without rank or score: "
                "'query_id, doc_id, grade'. Put the ratings first (score-files QRELS RUN...), or say which "
                "column is which (--column OURS=THEIRS on the command line)."
            ),
        ),
        (
            ("nameless.tsv", "one.run"),
            (
                "nameless.tsv, line 1: there is no column grade: 'query_id, doc_id, likes'. The first line must "
                "name query_id (or query), doc_id and grade. Rename the columns, or say which column is which "
                "(--column OURS=THEIRS on the command line)."
            ),
        ),
        (
            ("qrels.txt", "moved.run"),
            (
                "moved.run, line 1: the rank is not a whole number: '9.5'. Write six columns: query id, Q0, "
                "document id, rank, score, name of the ranker."
            ),
        ),
        (
            ("qrels.txt", "commas.tsv"),
            (
                "commas.tsv, line 2: the score is not a number: '1,25'. Write it with a point, as 1.25. "
                "(1 more problem)"
            ),
        ),
    ],
)
def test_a_refusal_names_what_to_change_and_nothing_else(say, tmp_path, files, told):
    (tmp_path / "pairs.json").write_text('{"q1": {"a": 2}}')
    (tmp_path / "table.csv").write_text("query_id,doc_id,grade\nq1,a,2\n")
    (tmp_path / "nameless.tsv").write_text("query_id\tdoc_id\tlikes\nq1\ta\t1\n")
    (tmp_path / "moved.run").write_text("Q0 q1 d1 9.5 1 a\n")
    (tmp_path / "commas.tsv").write_text("query_id\tdoc_id\tscore\nq1\ta\t1,25\nq1\tb\t-1,5\n")

    assert say(*files) == (1, f"Error: {told}")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "a.run",
            "q1 Q0 d1 1 bm25 9.5\n",
            (
                "line 1: the score is not a number: 'bm25'. Write six columns: query id, Q0, document id, rank, "
                "score, name of the ranker."
            ),
        ),
        (
            "a.run",
            "q1 Q0 d1 9.5\n",
            (
                "line 1: the line has 4 columns, not 6: 'q1 Q0 d1 9.5'. Write six columns: query id, Q0, "
                "document id, rank, score, name of the ranker."
            ),
        ),
        (
            "a.run",
            "query_id Q0 doc_id rank score tag\nq1 Q0 a 1 9.5 a\n",
            (
                "line 1: the first line names the columns: 'query_id Q0 doc_id rank score tag'. Remove it: "
                "columns of TREC files have no names."
            ),
        ),
        (
            "a.run",
            "q1 Q0 a -1 9.5 a\n",
            "line 1: the rank is below 0: '-1'. Number the places 1, 2, 3 and so on.",
        ),
        (
            "a.qrels",
            "query_id iter docno rel\nq1 0 a 1\n",
            (
                "line 1: the first line names the columns: 'query_id iter docno rel'. Remove it: columns of TREC "
                "files have no names."
            ),
        ),
        (
            "a.qrels",
            "Ratings of May\n\nquery_id,doc_id,grade\nq1,a,2\n",
            "the names of the columns are not on the first line: 'Ratings of May'. Remove what is above them.",
        ),
        (
            "a.qrels",
            "query_id,doc_id,grade\nq1,a,\n",
            "line 2: there is no grade. Give a grade, or leave the line out.",
        ),
        *(
            (
                name,
                "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
                (
                    "this is a pointer of Git LFS, not the file itself: "
                    "'version https://git-lfs.github.com/spec/v1'. Get the file with git lfs pull."
                ),
            )
            for name in ("a.run", "a.qrels")
        ),
    ],
)
def test_a_broken_file_is_refused_for_what_it_is(say, tmp_path, name, text, told):
    (tmp_path / name).write_text(text)

    words = ("qrels.txt", name) if name.endswith(".run") else (name, "one.run")
    code, output = say(*words)

    assert (code, output.replace(", line", ": line", 1)) == (1, f"Error: {name}: {told}")

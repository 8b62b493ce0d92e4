"""Files of every format score as their TREC counterparts."""

from __future__ import annotations

import json
import zipfile
from itertools import cycle

import pytest

from app.formats.errors import FormatError
from tests.cli.score_files.test_command import CRANFIELD, EXPECTED
from tests.formats.test_bad_archives import BAD
from tests.furniture.missing import lack
from tests.furniture.tool_files import BY_ID, ratings_in, runs_in

GRADES = {"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}
LISTS = {"q1": ["d2", "d1"], "q2": ["d1", "d3"]}
TEXTS = {"q1": "red shoes, size 40", "q2": "heat?"}
RATINGS, RUNS = ratings_in(TEXTS, GRADES), runs_in(TEXTS, LISTS)
PAIRS = [
    (ratings, run)
    for is_by_id in (True, False)
    for ratings, run in zip(
        [name for name in RATINGS if (name in BY_ID) is is_by_id],
        cycle(name for name in RUNS if (name in BY_ID) is is_by_id),
        strict=False,
    )
]


@pytest.mark.thorough
@pytest.mark.parametrize(("ratings", "run"), PAIRS)
def test_a_file_of_any_format_scores_as_trec(files, ratings, run):
    expected = files.score(files.text("qrels", RATINGS["trec"]), files.text("r.run", RUNS["trec"]))

    found = files.score(files.text("ratings", RATINGS[ratings]), files.text("r.any", RUNS[run]))

    assert found.runs[0].measures == expected.runs[0].measures
    names = {text: query for query, text in TEXTS.items()} if ratings not in BY_ID else {}
    values = found.per_query(0, ["nDCG@10"]).items()
    assert {names.get(query, query): each for query, each in values} == expected.per_query(0, ["nDCG@10"])
    assert found.runs[0].disagreeing == 0, "a file without ranks contradicts none"


@pytest.mark.thorough
def test_cranfield_has_the_same_eight_scores_in_formats_of_every_kind(files):
    if not CRANFIELD.is_dir():
        lack("the Cranfield collection", f"put it into {CRANFIELD}")
    rows = [line.split("\t") for line in (CRANFIELD / "queries.tsv").read_text().splitlines()]
    texts = {query: text.strip() for query, text in rows if query != "query_id"}
    grades: dict[str, dict[str, int]] = {}
    for query, _, document, grade in map(str.split, (CRANFIELD / "qrels.txt").read_text().splitlines()):
        grades.setdefault(query, {})[document] = int(grade)
    ratings, runs = ratings_in(texts, grades), {}
    for path in sorted((CRANFIELD / "runs").glob("*.run")):
        scored: dict[str, list[tuple[float, str]]] = {}
        for query, _, document, _, score, _ in map(str.split, path.read_text().splitlines()):
            scored.setdefault(query, []).append((float(score), document))
        # The measure looks at ten places; equal scores are in the order of the ids, the last first.
        best = {query: sorted(found, reverse=True)[:10] for query, found in scored.items()}
        lists = {query: [document for _, document in found] for query, found in best.items()}
        runs[path.stem] = runs_in(texts, lists)

    # A table, lines of JSON, a whole document of JSON, two that name queries by their texts: one file
    # of every format is scored above, and TREC's in test_command.py.
    kinds = ("csv", "jsonl", "rank-eval", "relevance csv", "quepid csv")
    forms = [
        (form, other if other in {*BY_ID, "solr"} else "snapshot") for form, other in PAIRS if form in kinds
    ]
    for form, other in forms:
        ran = [files.text(f"{name}.any", of[other]) for name, of in runs.items()]
        found = files.score(files.text("ratings", ratings[form]), *ran, measures="nDCG@10", lowest=1)
        scores = {run.name: f"{run.measures['nDCG@10']:.4f}" for run in found.runs}
        assert scores == EXPECTED, (form, other)
    assert len(forms) == len(kinds)


def test_ratings_of_several_people_are_read_unless_two_rated_the_same(files):
    one_each = files.text("r", "query_id,doc_id,annotator,grade\nq1,d1,Kim,1\nq1,d2,Lee,2\n")
    nameless = files.text("n", "query_id,doc_id,grade\nq1,d1,1\nq1,d2,2\n")
    twice = files.text("t", "query_id,doc_id,annotator,grade\nq1,d1,Kim,1\nq1,d1,Lee,2\n")
    run = files.text("r.run", RUNS["trec"])

    assert files.score(one_each, run).runs[0].measures == files.score(nameless, run).runs[0].measures
    with pytest.raises(FormatError, match=r"line 3: the query has this document already, on line 2"):
        files.score(twice, run)


def test_windows_1252_and_archives_are_read_as_imports_read_them(files):
    expected = files.score(files.qrels({"fähre": {"d1": 1}}), files.run("r", {"fähre": {"d1": 1.0}}))
    packed = files.folder / "all.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.txt", "fähre Q0 d1 1 1.0 r\n".encode("cp1252"))
        archive.writestr("qrels.tsv", "query-id\tcorpus-id\tscore\nfähre\td1\t1\n".encode("cp1252"))

    found = files.score(packed, packed, encoding="windows-1252")

    assert found.runs[0].measures == expected.runs[0].measures
    with pytest.raises(FormatError, match="give --encoding windows-1252"):
        files.score(packed, packed)


@pytest.fixture
def say(run_command, files, monkeypatch):
    monkeypatch.chdir(files.folder)

    def say(*words):
        result = run_command("score-files", *words)
        return result.exit_code, result.output if result.exit_code else result.stdout

    return say


def scores_of(output):
    return json.loads(output)["runs"][0]["measures"]


def test_what_is_said_of_reading_counts_as_for_imports(files, say):
    files.text("plain.qrels", "q1 0 d1 3\nq1 0 d2 0\n")
    files.text("plain.run", "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n")
    files.text("stars.csv", "Frage,doc_id,stars\nq1,d1,Exact\nq1,d2,No\nq1,d3,unsure\n")
    files.text("run.csv", "Frage,doc_id,points,score\nq1,d2,2,0\nq1,d1,1,9\n")
    expected = scores_of(say("plain.qrels", "plain.run", "--json")[1])
    said = ["--column", "query_id=Frage", "--column", "qrels:grade=stars", "--column", "score=points"]

    code, output = say("stars.csv", "run.csv", *said, "--map", "Exact=3,No=0,unsure=skip", "--json")

    assert (code, scores_of(output)) == (0, expected)


def test_a_format_and_a_member_are_said_of_all_files_or_of_one_kind(files, say):
    files.text("plain.qrels", "q1 0 d1 3\nq1 0 d2 0\n")
    # Whole numbers are rather ratings.
    files.text("run.json", '{"q1": {"d2": 2, "d1": 1}}')
    files.text("plain.run", "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n")
    with zipfile.ZipFile(files.folder / "two.zip", "w") as archive:
        archive.writestr("dev.csv", "query_id,doc_id,grade\nq1,d1,3\nq1,d2,0\n")
        archive.writestr("test.tsv", "query_id\tdoc_id\tgrade\nq1\td1\t0\nq1\td2\t3\n")
    expected = scores_of(say("plain.qrels", "plain.run", "--json")[1])

    assert "these are ratings" in say("plain.qrels", "run.json")[1]
    assert scores_of(say("plain.qrels", "run.json", "--format", "runs:json-pairs", "--json")[1]) == expected
    assert "Name the one that is meant with --member" in say("two.zip", "plain.run")[1]
    assert scores_of(say("two.zip", "plain.run", "--member", "dev.csv", "--json")[1]) == expected
    # What is no archive has no members.
    assert scores_of(say("two.zip", "plain.run", "--member", "qrels:test.tsv", "--json")[1]) != expected


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--format", "excel"], 2, "'excel' is none of trec, csv"),
        (["--column", "grade"], 2, "'grade' is not OURS=THEIRS."),
        (
            ["--column", "qrels:grade=a", "--column", "qrels:grade=b"],
            2,
            "two columns are chosen as grade. Choose a or b.",
        ),
        (["--map", "3"], 2, "this is not VALUE=GRADE"),
        (["--column", "grade=stars"], 1, "a file in the format trec has no names of columns: 'grade=stars'"),
        (["--format", "runs:quepid"], 1, "there is no QUEPID format for run"),
        (["--map", "1=1"], 1, "the map of grades does not say what this value is: '3'"),
    ],
)
def test_what_cannot_be_read_so_is_refused(files, say, words, code, told):
    files.text("plain.qrels", "q1 0 d1 3\n")
    files.text("plain.run", "q1 Q0 d1 1 2 t\n")

    assert (code, told in " ".join(say("plain.qrels", "plain.run", *words)[1].split())) == (code, True)
    assert say("plain.qrels", "plain.run", *words)[0] == code


WRONG = {
    "a run": ("q1 Q0 d1 1 2.5 t\n", "this is a TREC run, not a file of ratings"),
    "scores by ranx": ('{"q1": {"d1": 2.5}}', "these are scores of a run, as ranx writes them, not ratings"),
    "scores": ("query_id,doc_id,score\nq1,d1,2.5\n", "these are scores of a run, not ratings"),
    "ranks": ("query_id,doc_id,rank\nq1,d1,1\n", "these are the columns of a run, without grade"),
    "predictions": ("q1 d1 2.5 0.3\n", "these are predictions of IBM Retrieve and Rank"),
}


@pytest.mark.parametrize("name", WRONG)
def test_results_in_the_place_of_ratings_are_called_so(files, say, name):
    data, told = WRONG[name]
    files.text("wrong", data)
    files.text("plain.run", "q1 Q0 d1 1 2 t\n")

    code, output = say("wrong", "plain.run")

    assert code == 1
    assert told in output
    assert "Put the ratings first (score-files QRELS RUN...)" in output


@pytest.mark.parametrize(
    "data", ["q1 0 d1 2\n", "q1\t0\td1\t2\n", "query-id\tcorpus-id\tscore\nq1\td1\t2\n", '{"q1": {"d1": 2}}']
)
def test_ratings_in_the_place_of_results_are_called_so(files, say, data):
    files.text("qr", data)

    code, output = say("qr", "qr")

    assert code == 1
    assert "qr: th" in output
    assert "Put the ratings first (score-files QRELS RUN...)" in output


@pytest.mark.parametrize(
    "data", ["query_id,doc_id,label\nq1,d1,Exact\nq1,d2,Complement\n", "q1 0 d1 Exact\n"]
)
def test_labels_are_offered_a_map(files, say, data):
    files.text("labels", data)
    files.text("plain.run", "q1 Q0 d1 1 2 t\n")

    code, output = say("labels", "plain.run")

    assert code == 1
    assert "Say what each grade of the file is on the scale, such as --map " in output
    assert "Exact=3" in output
    assert say("labels", "plain.run", "--map", "Exact=3,Complement=1")[0] == 0


def test_a_table_of_scores_or_grades_is_told_what_to_do_here(files, say):
    files.text("points.csv", "frage,doc_id,punkte\nwie,d1,2\n")
    files.text("plain.run", "wie Q0 d1 1 2 t\n")

    code, output = say("points.csv", "plain.run")

    assert code == 1
    assert "If it holds scores, give the file as a RUN." in output
    assert say("points.csv", "plain.run", "--column", "qrels:grade=punkte")[0] == 0


def test_qrels_in_another_order_of_columns_are_told_the_order(files, say):
    files.text("moved", "1 0 q1 d1\n0 0 q1 d2\n")
    files.text("plain.run", "q1 Q0 d1 1 2 t\n")

    code, output = say("moved", "plain.run")

    assert code == 1
    assert (
        "moved, line 1: the grade is not a number: 'd1'. Write four columns: query id, 0, document id, grade; "
        "or name the grades with --map d1=GRADE,d2=GRADE." in output
    )


@pytest.mark.parametrize("name", ["xlsx broken sheet", "parquet no text"])
def test_a_damaged_table_is_refused_with_its_place(files, say, name):
    data, line, _, told = BAD[name]
    (files.folder / "ratings").write_bytes(data)
    files.text("plain.run", "q1 Q0 d1 1 2 t\n")

    code, output = say("ratings", "plain.run")

    assert code == 1
    assert f"ratings, row {line}: {told}" in output

"""`flask import`: counts when it worked, problems by line when it did not."""

from __future__ import annotations

import shlex
import zipfile

import pytest
from openpyxl import Workbook
from sqlalchemy import select

from app.models import Document, Query
from app.services.projects.templates import TEMPLATE_SAMPLES

QUERIES = "q1\tflat tyre\nq2\twobbly wheel\n"
DOCUMENTS = "doc_id,title,text\nd1,Tyres,Mend it.\nd2,Wheels,True it.\nd3,,\n"
RUN = "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 8.5 bm25\nq2 Q0 d2 1 7.5 bm25\n"
QRELS = "q1 0 d1 3\nq2 0 d1 0\n"


@pytest.fixture
def bring(run_command, tmp_path):
    """Return what imports a text and gives exit code and output."""
    run_command("project", "create", "p", "--name", "P", "--scale", "0-3", "--k", 1, "--pool-depth", 2)

    def bring(kind, text, *options, name="file.txt"):
        path = tmp_path / name
        path.write_text(text)
        result = run_command("import", kind, "p", path, *options)
        return result.exit_code, result.output.strip().splitlines()

    return bring


@pytest.fixture
def filled(bring):
    for kind, text, name in (("queries", QUERIES, "q.tsv"), ("documents", DOCUMENTS, "d.csv")):
        assert bring(kind, text, name=name)[0] == 0
    return bring


@pytest.mark.thorough
def test_every_kind_is_imported_and_counted(bring):
    told = [
        bring("queries", QUERIES),
        bring("documents", DOCUMENTS),
        bring("run", RUN, "--ranker", "BM25"),
        bring("qrels", QRELS, name="expert.qrels"),
        bring("judgments", "query_id,doc_id,annotator,grade\nq1,d1,Kim,2\n"),
    ]

    assert [code for code, _ in told] == [0] * 5
    assert [lines[0] for _, lines in told] == [
        "Imported queries: 2 added.",
        "Imported documents: 3 added.",
        "Imported BM25 v1: 3 lines, 2 of 2 queries, 3 answers new in the pool.",
        "Imported judgments by “Imported from expert”: 2 added.",
        "Imported judgments by “Kim”: 1 added.",
    ]
    assert "1 document without a text" in told[1][1][1]
    assert told[2][1][-1].startswith("The pool now: 1 ranker. 3 answers wait for a first rating. ")
    assert told[2][1][-1].endswith(
        " The time assumes 20 seconds for each rating, the top 2 of each list, 1 rating per answer and a "
        "second rating for 20 % of them."
    )
    assert "Outside the pool: 1 judgment" in told[3][1][1]


@pytest.mark.thorough
def test_the_same_files_again_change_nothing(filled):
    filled("run", RUN, "--ranker", "BM25")
    filled("qrels", QRELS, name="expert.qrels")

    assert filled("queries", QUERIES) == (0, ["Imported queries: 0 added, 2 unchanged."])
    assert filled("documents", DOCUMENTS)[1][0] == "Imported documents: 0 added, 3 unchanged."
    assert filled("run", RUN, "--ranker", "BM25") == (
        0,
        ["BM25: already registered as v1. Nothing changed."],
    )
    assert filled("qrels", QRELS, name="expert.qrels")[1][0] == (
        "Imported judgments by “Imported from expert”: 0 added, 2 unchanged."
    )


def test_problems_are_listed_by_line_with_exit_status_1(filled):
    code, lines = filled("run", RUN + "q9 Q0 d1 1 1 bm25\nq1 Q0 dd3 3 1 bm25\n", "--ranker", "BM25")

    assert code == 1
    assert lines[0] == "Error: 2 problems; nothing was saved."
    assert lines[1].startswith("file.txt, line 4: the project has no query with this id: 'q9'.")
    assert lines[2].startswith("file.txt, line 5: the project has no document with this id: 'dd3'. Did you")
    assert "--unknown-queries skip" in lines[1]
    assert "--unknown-documents add" in lines[2]


def test_the_first_hundred_problems_are_shown_and_all_are_counted(filled):
    code, lines = filled("run", "".join(f"q1 Q0 x{n} {n} 1 t\n" for n in range(1, 131)), "--ranker", "r")

    assert code == 1
    assert lines[0] == "Error: 130 problems; nothing was saved."
    assert len(lines) == 102
    assert lines[-1] == "... and 30 more."


@pytest.mark.thorough
def test_unknown_ids_can_be_decided_about(filled):
    run = "q1 Q0 new 1 9 t\nq9 Q0 d1 1 8 t\n"

    code, lines = filled(
        "run", run, "--ranker", "r", "--unknown-queries", "skip", "--unknown-documents", "add"
    )

    assert code == 0
    assert lines[0] == "Imported r v1: 1 line, 1 of 2 queries, 1 answer new in the pool."
    assert len(lines) == 5


@pytest.mark.thorough
def test_a_check_says_what_would_happen_and_the_price(filled):
    code, lines = filled("run", RUN, "--ranker", "BM25", "--check")

    assert code == 0
    assert lines[0] == "Would import 3 lines, 2 of 2 queries, 3 answers new in the pool."
    assert lines[-1].startswith(
        "The pool then: 1 ranker. 3 answers wait for a first rating. About 4 ratings are still needed: about 2 minutes "
        "of work. The time assumes"
    )
    assert filled("run", RUN, "--ranker", "BM25")[1][0].startswith("Imported BM25 v1")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["queries", "documents"])
def test_other_content_needs_replace(filled, kind):
    text = {"queries": "q1\tflat tire\n", "documents": "doc_id,title,text\nd1,Tyres,Buy one.\n"}[kind]

    refused, lines = filled(kind, text)
    code, told = filled(kind, text, "--replace")

    assert (refused, code) == (1, 0)
    assert "--replace" in lines[1]
    assert told[0] == f"Imported {kind}: 0 added, 1 replaced."


def test_qrels_may_be_a_table_and_ask_whether_they_are_complete(filled):
    code, lines = filled("qrels", "query_id,doc_id,grade\nq1,d1,3\n")

    assert (code, lines[0]) == (0, "Imported judgments by “Imported from file”: 1 added.")
    assert lines[-1].endswith("project set p --unjudged complete")


@pytest.mark.thorough
def test_any_scale_is_mapped_and_a_value_that_is_not_in_the_map_is_refused(filled):
    code, lines = filled("qrels", "q1 0 d1 4\nq2 0 d1 1\n")
    assert (code, "--map 1=0,4=3" in lines[1]) == (1, True)
    code, lines = filled("qrels", "q1 0 d1 4\nq2 0 d1 1\n", "--map", "4=3")
    assert code == 1
    assert "file.txt, line 2: the map of grades does not say what this value is: '1'." in lines[1]
    assert filled("qrels", "q1 0 d1 4\nq2 0 d1 1\n", "--map", "4=3,1=skip")[1][0] == (
        "Imported judgments by “Imported from file”: 1 added, 1 line that the map skips left out."
    )
    assert filled("qrels", "q1 0 d1 4\nq2 0 d1 1\n", "--map", "4=3,1=0")[1][0] == (
        "Imported judgments by “Imported from file”: 1 added, 1 unchanged."
    )
    assert filled("qrels", QRELS, "--map", "four=3;")[0] == 2


def test_qrels_in_another_order_of_columns_are_told_the_order(filled):
    code, lines = filled("qrels", "1 0 q1 d1\n")

    assert code == 1
    assert lines[1].endswith(
        "Write four columns: query id, 0, document id, grade; or name the grades with --map d1=GRADE."
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("grades", "shown"),
    [
        (("0.95", "0.5"), "0.5=2,0.95=3"),
        (("Exact", "Irrelevant"), "Exact=3,Irrelevant=0"),
        (("4", "0"), "0=0,4=3"),
    ],
)
def test_grades_of_another_scale_are_refused_with_a_map_of_the_whole_file(filled, grades, shown):
    data = f"query_id,doc_id,grade\nq1,d1,{grades[0]}\nq2,d1,{grades[1]}\n"

    code, lines = filled("judgments", data)

    assert code == 1
    assert lines[1].endswith(
        f"Say what each grade of the file is on the project's scale, such as --map {shown}."
    )
    assert filled("judgments", data, "--map", shown)[1][0].endswith(": 2 added.")


@pytest.mark.thorough
def test_a_label_with_a_comma_is_mapped_as_its_refusal_says(filled):
    data = 'query_id,doc_id,grade\nq1,d1,Exact\nq2,d1,"Partial, maybe"\n'

    _, lines = filled("judgments", data, "--map", "Exact=3")

    pair = shlex.split(lines[1].partition("as --map ")[2])[0].removesuffix(",").replace("GRADE", "2")
    assert filled("judgments", data, "--map", "Exact=3", "--map", pair)[1][0].endswith(": 2 added.")


def test_a_map_to_a_grade_that_the_project_lacks_is_refused(filled):
    assert filled("qrels", "q1 0 d1 4\n", "--map", "4=9") == (
        1,
        ["Error: The map of grades has 9, which is not on the project's scale 0 to 3."],
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "run",
    [
        "q1 Q0 d1 1 1.5 x\nq1 Q0 d2 2 2.5 x\nq1 Q0 d1 3 3.5 x\n",
        "query_id,doc_id,rank\nq1,d1,3\nq1,d2,2\nq1,d1,1\n",
    ],
    ids=["scores", "ranks"],
)
def test_a_repeated_document_is_refused_or_kept_at_its_best_place(filled, run_command, run):
    code, lines = filled("run", run, "--ranker", "x")
    assert (code, lines[1].endswith("Keep one of the two lines, or let --best keep the best place.")) == (
        1,
        True,
    )

    code, lines = filled("run", run, "--ranker", "x", "--best")

    assert (code, lines[0]) == (0, "Imported x v1: 2 lines, 1 of 2 queries, 2 answers new in the pool.")
    assert "Skipped: 1 line repeating a document of the same list." in lines
    exported = run_command("export", "runs", "p", "--format", "csv").stdout
    assert [line.rpartition(",")[0] for line in exported.splitlines()[1:]] == ['"q1","d1",1', '"q1","d2",2']


@pytest.mark.thorough
def test_whole_json_files_are_imported(filled):
    run = '{"q1": {"d1": 9.5, "d2": 8}, "q2": {"d2": 7}}'
    ratings = '[{"qid": "q1", "doc_id": "d1", "grade": 3}, {"qid": "q1", "doc_id": "d2", "grade": 1}]'

    assert filled("run", run, "--ranker", "bm25")[1][0].startswith(
        "Imported bm25 v1: 3 lines, 2 of 2 queries"
    )
    assert filled("judgments", ratings)[1][0] == "Imported judgments by “Imported from file”: 2 added."
    assert filled("judgments", ratings)[1][0].endswith(": 0 added, 2 unchanged.")
    assert filled("qrels", '{"q1": {"d1": 3}', "--annotator", "x")[1][1].startswith("file.txt, line 1: ")


def test_a_machine_is_named_as_one_and_people_never_take_its_name(filled):
    machine = ("--annotator", "model", "--kind", "machine")
    assert filled("qrels", QRELS, *machine)[0] == 0

    code, lines = filled("qrels", QRELS, "--annotator", "model", "--kind", "imported")

    assert (code, len(lines)) == (1, 1)
    assert "came from a machine before" in lines[0]


@pytest.mark.thorough
def test_an_archived_project_takes_nothing_in(filled, run_command):
    run_command("project", "archive", "p")

    told = [filled("queries", "q7\tx\n"), filled("documents", DOCUMENTS), filled("qrels", QRELS)]
    told.append(filled("run", RUN, "--ranker", "r"))

    assert told == [(1, ["Error: The project p is archived: restore it first."])] * 4


@pytest.mark.thorough
@pytest.mark.parametrize("check", [[], ["--check"]])
def test_columns_that_are_not_kept_are_named_for_every_kind_of_table(filled, check):
    told = [
        filled("queries", "query_id,text,traffic,lang\nx1,red shoes,10,en\n", *check),
        filled("run", "query_id,doc_id,score,size\nq1,d1,2.5,big\n", "--ranker", "x", *check),
        filled("judgments", "query_id,doc_id,grade,session,page\nq1,d1,2,s,p\n", *check),
    ]

    assert [lines[1] for _, lines in told] == [
        "Columns left out: lang.",
        "Columns left out: size.",
        "Columns left out: session, page.",
    ]


def test_columns_and_format_can_be_named(bring):
    code, lines = bring(
        "queries",
        "Nr;Frage\nq1;platt\n",
        "--column",
        "query_id=Nr",
        "--column",
        "text=Frage",
        "--format",
        "csv",
    )

    assert (code, lines) == (0, ["Imported queries: 1 added."])


@pytest.mark.parametrize(
    ("kind", "options", "told"),
    [
        ("queries", ["--column", "query_id"], "is not OURS=THEIRS"),
        (
            "queries",
            ["--column", "text=Frage", "--column", "text=Titel"],
            "two columns are chosen as text. Choose Frage or Titel.",
        ),
        ("run", [], "Missing option '--ranker'"),
        ("run", ["--ranker", "r", "--unknown-documents", "skip"], "is not one of"),
    ],
)
def test_wrong_usage_is_status_2(bring, kind, options, told):
    code, lines = bring(kind, QUERIES if kind == "queries" else "query_id,doc_id,rank\nq1,d1,1\n", *options)

    assert code == 2
    assert told in lines[-1]


def test_a_file_without_a_ranker_says_which_option_names_it(filled):
    for check in ([], ["--check"]):
        code, lines = filled("run", "query_id,doc_id,rank\nq1,d1,1\n", *check)

        assert code == 2
        assert lines[-1] == (
            "Error: Missing option '--ranker': file.txt does not name its ranker. Name it with --ranker NAME."
        )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [RUN, "query_id,doc_id,rank,system\nq1,d1,1,bm25\n", "query_id,doc_id,rank,ranker\nq1,d1,1,bm25\n"],
)
def test_the_ranker_that_a_file_names_is_used_and_said(filled, text):
    said = "The ranker is bm25, as the file says; --ranker NAME gives another name."

    checked = filled("run", text, "--check")
    code, lines = filled("run", text)
    again = filled("run", text)

    assert (checked[0], checked[1][-1]) == (0, said)
    assert (code, lines[0][:16], lines[-1]) == (0, "Imported bm25 v1", said)
    assert again == (0, ["bm25: already registered as v1. Nothing changed.", said])
    assert filled("run", text, "--ranker", "Other")[1][0].startswith("Imported Other v1")


def test_an_empty_name_of_a_ranker_is_not_taken_for_none(filled):
    code, lines = filled("run", RUN, "--ranker", " ")

    assert (code, lines[-1]) == (1, "Error: Enter a name for the ranker.")


def test_a_file_that_names_two_rankers_is_refused(filled):
    code, lines = filled("run", "query_id,doc_id,rank,system\nq1,d1,1,bm25\nq1,d2,2,dense\n")

    assert code == 1
    assert "the run tag differs from 'bm25'" in "\n".join(lines)


def test_a_missing_file_and_a_missing_project_are_named(run_command, tmp_path):
    missing = run_command("import", "queries", "p", tmp_path / "none.tsv")
    (tmp_path / "q.tsv").write_text(QUERIES)
    unknown = run_command("import", "queries", "none", tmp_path / "q.tsv")

    assert (missing.exit_code, unknown.exit_code) == (2, 1)
    assert "does not exist" in missing.output
    assert unknown.output.strip() == "Error: There is no project 'none'."


@pytest.mark.thorough
def test_imports_are_listed_and_undone_after_saying_what_is_lost(filled, run_command):
    filled("run", RUN, "--ranker", "BM25")

    listed = run_command("import", "list", "p").output.splitlines()
    revision = listed[0].split()[0]
    undone = run_command("import", "undo", "p", revision, "--yes")
    again = run_command("import", "undo", "p", revision, "--yes")

    assert [line.split("UTC  ")[1] for line in listed] == ["run BM25 v1", "3 documents", "2 queries"]
    assert (undone.exit_code, again.exit_code) == (0, 1)
    assert undone.output.startswith(
        "Once BM25 v1 is withdrawn, it has no score. 3 answers leave the pool: no other version has them in its top 2."
    )
    assert again.output.startswith("Error: There is nothing to undo.")


@pytest.mark.parametrize("command", ["queries", "documents", "run", "judgments", "qrels", "list", "undo"])
def test_every_command_has_an_example(run_command, command):
    assert "Example: flask --app app import" in run_command("import", command, "--help").output


@pytest.mark.thorough
def test_a_project_of_papers_takes_the_columns_that_papers_have(run_command, tmp_path, stored):
    run_command("project", "create", "rec", "--name", "R", "--template", "papers")
    targets, papers, plain = (tmp_path / name for name in ("targets.csv", "papers.jsonl", "plain.csv"))
    targets.write_text("paper_id,title,abstract\nt1,Owls at night,We listened.\n")
    papers.write_text('{"paper_id": "p1", "title": "Bats", "abstract": "They call.", "venue": "Z"}\n')
    plain.write_text("query_id,text\nt2,What do frogs say\n")

    for kind, path in (("queries", targets), ("queries", plain), ("documents", papers)):
        assert run_command("import", kind, "rec", path).exit_code == 0
    own = tmp_path / "own.csv"
    own.write_text("paper_id,title,abstract\nt3,Mice,They squeak.\n")
    assert run_command("import", "queries", "rec", own, "--column", "text=abstract").exit_code == 0

    with stored.read() as session:
        asked = {query.external_id: (query.text, query.intent) for query in session.scalars(select(Query))}
        (paper,) = session.scalars(select(Document))
    assert asked["t1"] == ("Owls at night", "We listened.")
    assert asked["t2"] == ("What do frogs say", "")
    assert asked["t3"][0] == "They squeak."
    assert (paper.external_id, paper.title, paper.text) == ("p1", "Bats", "They call.")
    assert paper.extra == {"venue": "Z"}


@pytest.mark.thorough
def test_the_samples_of_the_template_are_read_by_its_columns(run_command, tmp_path, stored):
    run_command("project", "create", "rec", "--name", "R", "--template", "papers")

    for sample in TEMPLATE_SAMPLES["papers"]:
        path = tmp_path / sample.name
        path.write_text(sample.text)
        named = ["--ranker", "Model"] if sample.kind == "run" else []
        result = run_command("import", sample.kind, "rec", path, *named)
        assert result.exit_code == 0, result.output

    assert "Imported judgments by “Kim”: 4 added." in result.output
    assert "Rated in the pool: 4 of 4 answers." in result.output
    with stored.read() as session:
        extra = session.scalars(select(Document.extra)).all()
    assert all({"authors", "venue", "citations"} <= set(each) for each in extra)


@pytest.mark.thorough
def test_a_project_of_papers_is_told_what_a_recommendation_should_not_hold(run_command, tmp_path):
    run_command(
        "project", "create", "rec", "--name", "R", "--template", "papers", "--pool-depth", 3, "--k", 3
    )
    files = {
        "targets.csv": "paper_id,title,abstract\nt1,Owls at night,We listened.\nt2,Bats,They call.\n",
        "papers.csv": "paper_id,title,abstract\nt1,Owl sounds,x\np1,Mice,x\np2,  BATS ,x\np3,Frogs,x\n",
        "model.csv": "target_id,paper_id,rank\nt1,t1,1\nt1,p1,2\nt1,p3,4\nt2,p2,1\nt2,p1,2\n",
        "stars.csv": "target_id,paper_id,stars,rater\nt1,p1,4,Kim\n",
        "good.csv": "target_id,paper_id,rank\nt1,p1,1\nt1,p2,2\nt1,p3,3\nt2,p1,1\nt2,p3,2\nt2,t1,3\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def bring(kind, name, *more):
        result = run_command("import", kind, "rec", tmp_path / name, *more)
        assert result.exit_code == 0, result.output
        return result.output

    bring("queries", "targets.csv")
    bring("documents", "papers.csv")
    alone = bring("judgments", "stars.csv")
    model = bring("run", "model.csv", "--ranker", "Odd")
    good = bring("run", "good.csv", "--ranker", "Good")
    rated = bring("judgments", "stars.csv", "--annotator", "Lou")

    assert "Imported judgments by “Kim”: 1 added" in alone
    assert "so there are no scores" in alone
    assert "2 lines recommending a target paper for itself" in model
    assert "1 list of 2: the places are not 1, 2, 3 and so on without a gap." in model
    assert "1 list of 2: not exactly 3 recommended papers." in model
    assert not [word for word in ("itself", "gap", "exactly") if word in good]
    assert "Rated in the pool: 1 of 8 answers." in rated


def test_every_fault_of_a_line_is_said_at_once(filled):
    told = filled("judgments", "query_id,doc_id,annotator,grade,judged_at\nq1,d1,Zed,7,x\nq1,d2,Zed,x,y\n")

    code, lines = told
    assert code == 1
    message = "\n".join(lines)
    assert message.startswith("Error: 4 problems; nothing was saved.")
    assert "not on the project's scale 0-3" in message
    assert message.count("the time is not a date and time") == 2
    assert message.count("the grade is not a number") == 1


def test_one_of_anything_is_told_in_the_singular(filled):
    _, again = filled("queries", "q3\tbent rim\nq3\tbent rim\n", name="again.tsv")
    _, cell = filled("documents", "doc_id,text\nd9\n", name="narrow.csv")
    _, column = filled("qrels", "q1 0 d1 3\nq1\n")

    assert again == ["Imported queries: 1 added, 1 repeated line left out."]
    assert any("the line has 1 cell where the first line has 2" in line for line in cell)
    assert any("the line has 1 column, not 4" in line for line in column)


@pytest.mark.thorough
def test_windows_1252_and_a_member_of_an_archive_are_named(run_command, bring, tmp_path, stored):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("x/corpus.jsonl", '{"_id": "d1", "title": "", "text": "Mend it."}\n')
        packed.writestr("x/queries.csv", "_id,text\nq1,Café?\n".encode("cp1252"))
        packed.writestr("x/a.run", RUN)
        packed.writestr("x/b.run", RUN)

    def take(kind, *options):
        done = run_command("import", kind, "p", tmp_path / "all.zip", *options)
        return done.exit_code, done.output

    assert "or give --encoding windows-1252" in take("queries")[1]
    assert take("queries", "--encoding", "windows-1252") == (
        0,
        "Reading x/queries.csv in all.zip.\nImported queries: 1 added.\n",
    )
    assert "Imported documents: 1 added." in take("documents")[1]
    code, told = take("run", "--ranker", "b")
    assert (code, "this holds 2 files of this kind: 'x/a.run, x/b.run'. Name" in told) == (1, True)
    skip = ("--unknown-queries", "skip", "--unknown-documents", "add")
    assert take("run", "--ranker", "b", "--member", "x/b.run", *skip)[0] == 0
    assert "holds no file c.run" in take("run", "--ranker", "b", "--member", "c.run")[1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "options", "table"),
    [
        (
            "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 2\n",
            [],
            ["In the file  Lines  In the project", "0                1  0", "2                2  2"],
        ),
        (
            "query_id,doc_id,rating\nq1,d1,Exact\nq1,d2,Irrelevant\nq2,d1,3.0\n",
            ["--map", "Exact=3,Irrelevant=skip,3=2"],
            [
                "In the file  Lines  In the project",
                "3.0              1  2",
                "Exact            1  3",
                "Irrelevant       1  left out",
            ],
        ),
        (
            "q1 0 d1 -1\nq1 0 d2 1\n",
            ["--negative", "skip"],
            ["In the file  Lines  In the project", "-1               1  left out", "1                1  1"],
        ),
    ],
)
def test_a_check_and_a_map_show_what_each_grade_of_the_file_becomes(filled, text, options, table):
    code, checked = filled("judgments", text, *options, "--check")
    imported = filled("judgments", text, *options)

    assert (code, checked[-len(table) :]) == (0, table)
    assert imported[0] == 0
    if "--map" in options:
        assert imported[1][-len(table) :] == table
    else:
        assert table[0] not in imported[1]


def test_a_check_shows_many_grades_by_what_the_map_makes_of_them(filled):
    grades = [f"{number / 200:.3f}" for number in range(201)]
    text = "query_id,doc_id,rating\n" + "".join(f"q1,x{n},{grade}\n" for n, grade in enumerate(grades))

    code, lines = filled(
        "judgments", text, "--map", "0..0.5=0,0.5..1=3", "--unknown-documents", "add", "--check"
    )

    assert (code, lines[-2:]) == (0, ["100 values     100  0", "101 values     101  3"])


@pytest.mark.thorough
def test_a_run_that_may_be_ratings_is_imported_and_it_is_said(filled):
    code, lines = filled("run", "query_id,doc_id,score\nq1,d1,50\nq1,d2,50\n", "--ranker", "r", name="r.csv")

    told = "The scores take few different values. If they are ratings, import the file as ratings"
    assert code == 0
    assert any(line.startswith(told) for line in lines)


def test_what_another_program_did_to_a_file_is_said_whether_or_not_it_is_imported(filled):
    changed, broken = "A spreadsheet seems to have changed some ids", "Some texts look garbled"

    code, lines = filled("documents", "doc_id,text\n1-Mar,cafÃ©\n", "--check", name="new.csv")
    assert code == 0
    assert [line.partition(",")[0] for line in lines[1:]] == [changed, broken]

    code, lines = filled("qrels", "q1 0 1-Mar 3\n", name="bad.txt")
    assert code == 1
    assert lines[-1].startswith(changed)


def test_guards_of_an_export_are_named_where_they_contradict_what_is_there(filled):
    assert filled("documents", "doc_id,text\nd9,=A1\n", name="more.csv")[0] == 0

    code, lines = filled("documents", "doc_id,text\nd9,'=A1\n", name="again.csv")

    assert code == 1
    assert lines[-1].startswith(
        "Some cells begin with a quote before =, +, - or @, such as '=A1. CSV exports"
    )


@pytest.mark.parametrize(
    ("command", "what"), [("queries", "queries"), ("run", "results"), ("judgments", "judgments")]
)
def test_help_says_which_sheet_is_read_if_none_is_named(run_command, command, what):
    told = " ".join(run_command("import", command, "--help").output.split())

    assert f"is meant; if not given, those recognised as {what}." in told


def test_of_a_workbook_with_a_sheet_of_notes_the_sheet_of_questions_is_read(bring, run_command, tmp_path):
    book = Workbook()
    book.active.title = "Notes"
    for row in (["remark", "by"], ["to do", "Kim"]):
        book.active.append(row)
    sheet = book.create_sheet("Questions")
    for row in (["query_id", "text"], ["q71", "how"]):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")

    told = run_command("import", "queries", "p", tmp_path / "book.xlsx").output

    assert "Reading Questions in book.xlsx." in told
    assert "1 added" in told


def test_the_help_says_where_grades_by_machines_are_allowed_to_count(app):
    told = " ".join(app.test_cli_runner().invoke(args=["import", "qrels", "--help"]).output.split())

    assert "count in no score until an owner allows it under Quality." in told
    assert "scoring settings say so" not in told

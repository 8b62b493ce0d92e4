"""`flask export`: to the terminal, into a file that is whole or not there, or into a folder."""

from __future__ import annotations

import csv
import json

import pytest

from app.formats.exported import FORMS
from app.services.collection.judgment_files import JudgmentOptions
from tests.furniture.databases import made_in
from tests.furniture.files import bring_run, corpus, file_of, import_judgments


@pytest.fixture
def project(stored):
    return made_in(stored, make_project)


def make_project(make):
    project = make.project(slug="p", k=2, pool_depth=2)
    corpus(make.session, project)
    bring_run(make.session, project, "One", {"q1": "d1 d2"})
    bring_run(make.session, project, "Two", {"q2": "d3"})
    for name, grade in (("a.txt", 1), ("b.txt", 3)):
        import_judgments(make.session, project, file_of(f"q1 0 d1 {grade}\n", name), JudgmentOptions())
    return project


@pytest.mark.thorough
@pytest.mark.parametrize(("middle", "grade"), [("lower", 1), ("upper", 3)])
def test_qrels_go_to_the_terminal_and_their_note_beside_it(project, run_command, middle, grade):
    result = run_command("export", "qrels", "p", "--middle", middle)

    assert (result.exit_code, result.stdout) == (0, f"q1 0 d1 {grade}\n")
    assert f"the {middle} one is written" in result.stderr


@pytest.mark.thorough
def test_a_file_holds_what_the_terminal_would_show(project, run_command, tmp_path):
    for kind in ("qrels", "judgments", "runs", "scores", "queries", "documents"):
        path = tmp_path / f"{kind}.out"

        result = run_command("export", kind, "p", "-o", path)

        assert (result.exit_code, result.stdout) == (0, "")
        assert path.read_bytes().decode() == run_command("export", kind, "p").stdout
    assert sorted(path.name for path in tmp_path.glob("*.out*")) == [
        "documents.out",
        "judgments.out",
        "qrels.out",
        "queries.out",
        "runs.out",
        "scores.out",
    ]


def test_a_folder_takes_a_file_for_each_run(project, run_command, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()

    run_command("export", "runs", "p", "-o", folder)

    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "One-v1.run": "q1 Q0 d1 1 99.0 One\nq1 Q0 d2 2 98.0 One\n",
        "Two-v1.run": "q2 Q0 d3 1 99.0 Two\n",
    }


def test_runs_whose_names_look_the_same_in_a_folder_are_all_there(making, run_command, tmp_path):
    with making() as make:
        project = make.project(slug="two", k=2, pool_depth=2)
        corpus(make.session, project)
        bring_run(make.session, project, "A b", {"q1": "d1"})
        bring_run(make.session, project, "A/b", {"q1": "d2"})
    (tmp_path / "runs").mkdir()

    run_command("export", "runs", "two", "-o", tmp_path / "runs")

    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["A-b-v1-2.run", "A-b-v1.run"]


@pytest.mark.thorough
@pytest.mark.parametrize("is_demo", [True, False])
def test_demo_data_is_called_so_beside_every_export_and_in_it_where_it_has_a_place(
    making, run_command, is_demo
):
    with making() as make:
        project = make.project(slug="shown", k=2, pool_depth=2, is_demo=is_demo)
        corpus(make.session, project)
        bring_run(make.session, project, "One", {"q1": "d1 d2"})
        import_judgments(make.session, project, file_of("q1 0 d1 2\n", "a.txt"), JudgmentOptions())

    message = {
        kind: run_command("export", kind, "shown") for kind in ("qrels", "judgments", "runs", "scores")
    }
    scores = run_command("score", "shown").stdout.partition("\n")[0]

    assert {kind: "Demo data" in result.stderr for kind, result in message.items()} == dict.fromkeys(
        message, is_demo
    )
    assert message["qrels"].stdout == "q1 0 d1 2\n"
    rows = csv.DictReader(message["scores"].stdout.lstrip("\ufeff").splitlines())
    assert {row["demo"] for row in rows} == {"yes" if is_demo else "no"}
    assert json.loads(run_command("score", "shown", "--json").stdout)["demo"] is is_demo
    assert scores.endswith(", demo data") is is_demo


def test_one_ranker_can_be_chosen_and_a_table_holds_one_run(project, run_command):
    one = run_command("export", "runs", "p", "--ranker", "Two", "--format", "csv", "--data")
    both = run_command("export", "runs", "p", "--format", "csv")

    assert one.stdout == "query_id,doc_id,rank,score\nq2,d3,1,99.0\n"
    assert both.exit_code == 1
    assert "choose one with --ranker" in both.stderr


def test_an_unwritable_place_and_an_unknown_project_are_one_line(project, run_command, tmp_path):
    nowhere = run_command("export", "qrels", "p", "-o", tmp_path / "none" / "q.txt")
    unknown = run_command("export", "qrels", "none")

    assert (nowhere.exit_code, unknown.exit_code) == (1, 1)
    assert "cannot be written: No such file or directory." in nowhere.stderr
    assert unknown.stderr.strip() == "Error: There is no project 'none'."


def test_a_failure_half_way_leaves_no_file(project, run_command, tmp_path, monkeypatch):
    from app.services.exports import judgments

    def fail(*args):
        yield "half a file"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(judgments, "write_judgments", lambda *args, **options: fail())
    path = tmp_path / "j.csv"
    path.write_text("the old file")

    result = run_command("export", "judgments", "p", "-o", path)

    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert path.read_text() == "the old file"
    assert list(tmp_path.glob(".*part")) == []


def test_a_csv_is_safe_from_formulas_unless_data_is_asked_for(making, run_command, project):
    with making() as make:
        import_judgments(
            make.session,
            project,
            file_of("query_id,doc_id,annotator,grade\nq1,d1,=1+1,2\n", "j.csv"),
            JudgmentOptions(),
        )

    assert '"\'=1+1"' in run_command("export", "judgments", "p").stdout
    assert ",=1+1," in run_command("export", "judgments", "p", "--data").stdout


@pytest.mark.parametrize("command", ["qrels", "judgments", "runs", "scores"])
def test_every_command_has_an_example(run_command, command):
    assert "Example: flask --app app export" in run_command("export", command, "--help").output


def test_every_export_is_in_the_audit_trail(project, run_command, stored):
    from sqlalchemy import select

    from app.models import AuditEntry

    for kind in ("qrels", "judgments", "runs", "scores", "queries", "documents"):
        run_command("export", kind, "p")

    with stored.read() as session:
        rows = session.execute(
            select(AuditEntry.details, AuditEntry.network).where(AuditEntry.kind == "exported")
        )
        assert [(details["what"], network) for details, network in rows] == [
            (what, "command line")
            for what in ("qrels", "ratings", "results", "scores", "queries", "documents")
        ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("qrels", "qrels"),
        ("judgments", "ratings"),
        ("runs", "results"),
        ("queries", "queries"),
        ("pool", "pool"),
    ],
)
def test_help_says_what_each_format_cannot_hold_and_so_does_the_command(project, run_command, command, what):
    told = " ".join(run_command("export", command, "--help").output.split())

    for form in FORMS[what]:
        assert all(sentence in told for sentence in form.limits), form.name
        done = run_command(
            "export", command, "p", "--format", form.name, *(["--ranker", "One"] * (what == "results"))
        )
        assert (done.exit_code, form.lost in done.stderr) == (0, True), form.name


def test_a_folder_takes_runs_in_the_format_of_another_tool(project, run_command, tmp_path):
    (tmp_path / "runs").mkdir()

    done = run_command("export", "runs", "p", "--format", "json-pairs", "-o", tmp_path / "runs")

    assert done.exit_code == 0
    assert {path.name: json.loads(path.read_text()) for path in (tmp_path / "runs").iterdir()} == {
        "One-v1.json": {"q1": {"d1": 99.0, "d2": 98.0}},
        "Two-v1.json": {"q2": {"d3": 99.0}},
    }


def test_ratings_of_machines_are_exported_alone(making, run_command, project):
    with making() as make:
        rows = file_of("query_id,doc_id,annotator,grade\nq1,d1,Robot,2\n", "j.csv")
        import_judgments(make.session, project, rows, JudgmentOptions(kind="machine"))

    people = run_command("export", "judgments", "p", "--data")
    machines = run_command("export", "judgments", "p", "--data", "--by", "machines")

    assert ("Robot" in people.stdout, "1 rating by machines is left out." in people.stderr) == (False, True)
    assert [line.split(",")[:4] for line in machines.stdout.splitlines()[1:]] == [["q1", "d1", "Robot", "2"]]

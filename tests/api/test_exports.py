"""What the export page offers, for programs: the files that the commands write."""

import csv
import io

import pytest
from sqlalchemy import update

from app.formats.exported import FORMS, names_of
from app.models import Document, Query, Ranker
from app.services.accounts.tokens import Scope
from tests.api.test_contents import ROOT

COMMANDS = {
    "qrels": ("qrels", "demo", "--data"),
    "ratings": ("judgments", "demo", "--data"),
    "results": ("runs", "demo", "--ranker", "BM25", "--data"),
    "scores": ("scores", "demo", "--data"),
    "queries": ("queries", "demo", "--data"),
    "documents": ("documents", "demo", "--data"),
    "pool": ("pool", "demo", "--data"),
    "remarks": ("remarks", "demo", "--data"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORMS)
def test_each_export_is_what_its_command_writes(demo, program, run_command, tmp_path, name):
    for form in names_of(name):
        done = run_command("export", *COMMANDS[name], "--format", form, "-o", tmp_path / form)
        assert done.exit_code == 0, done.output

        reply = program.get(f"{ROOT}/exports/{name}?format={form}&ranker=BM25&data=true")

        assert (reply.status_code, reply.text) == (200, (tmp_path / form).read_text()), (name, form)


@pytest.mark.parametrize(
    ("name", "form"), [(what, form.name) for what in FORMS for form in FORMS[what] if form.is_csv]
)
def test_no_csv_holds_a_formula_unless_its_exact_texts_are_asked_for(
    app, demo, program, run_command, tmp_path, name, form
):
    with app.extensions["touchstone"].database.write() as session:
        session.execute(update(Document).values(title="=1+1"))
        session.execute(update(Query).values(text="=1+" + Query.text))
        session.execute(update(Ranker).where(Ranker.name == "BM25").values(name="=BM25"))
    options = [word.replace("BM25", "=BM25") for word in COMMANDS[name] if word != "--data"]
    done = run_command("export", *options, "--format", form, "-o", tmp_path / "csv")
    assert done.exit_code == 0, done.output

    guarded = program.get(f"{ROOT}/exports/{name}?format={form}&ranker==BM25")

    assert (guarded.status_code, guarded.text) == (200, (tmp_path / "csv").read_text())
    for cell in (cell for row in csv.reader(io.StringIO(guarded.text)) for cell in row):
        assert not cell.startswith("=")


def test_what_is_not_offered_is_refused_with_what_is(demo, program):
    other = program.get(f"{ROOT}/exports/ratings?format=workbench")
    unknown = program.get(f"{ROOT}/exports/nothing")
    two = program.get(f"{ROOT}/exports/results?format=csv")
    measure = program.get(f"{ROOT}/exports/scores?measures=zzz")

    assert (other.status_code, other.json["remedy"]) == (400, "Use one of csv, tsv, jsonl, quepid.")
    assert (unknown.status_code, unknown.json["field"]) == (400, "name")
    assert (two.status_code, "choose one with ranker" in two.json["detail"]) == (422, True)
    assert (measure.status_code, measure.json["field"]) == (400, "measures")


def test_notes_and_flags_need_the_scope_manage_and_are_never_taken_as_known(demo, program, token):
    path = f"{ROOT}/exports/remarks"
    program.environ_base["HTTP_AUTHORIZATION"] = token(Scope.SCORES)["Authorization"]
    refused = program.get(path)
    program.environ_base["HTTP_AUTHORIZATION"] = token(Scope.MANAGE)["Authorization"]

    assert (refused.status_code, "lacks the scope manage" in refused.json["detail"]) == (403, True)
    assert (program.get(path).status_code, program.get(path).headers.get("ETag")) == (200, None)

"""The export page, and the files behind it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from app.formats.errors import ProblemLog
from app.formats.judgments import read_judgments
from tests.formats.reading import read_run
from tests.furniture.databases import made_in


@pytest.fixture
def full_project(stored):
    """A project with two rankers, five ratings and one person of each role."""
    return made_in(stored, make_full_project)


def make_full_project(make):
    project = make.project(name="Shop")
    people = {
        role: make.member(project, role, name=f"=Ada {role}") for role in ("owner", "viewer", "annotator")
    }
    one, two = make.query(project, "q1"), make.query(project, "q2")
    found = [make.document(project, f"d{number}") for number in range(1, 5)]
    lists = {one: found[:3], two: found[1:]}
    runs = [
        make.run(make.ranker(project, "Blend 2"), lists),
        make.run(make.ranker(project, "other"), {one: found}),
    ]
    from sqlalchemy import select

    from app.models import Candidate

    for number, candidate in enumerate(make.session.scalars(select(Candidate).order_by(Candidate.id))):
        if number < 5:
            make.judgment(candidate, people["annotator"], number % 4)
    people["slug"], people["runs"] = project.slug, [run.id for run in runs]
    return people


@pytest.fixture
def get(full_project, client_of):
    def get(address="", role="owner", **query):
        client, path = client_of(full_project[role]), f"/p/{full_project['slug']}/export{address}"
        return client.post(path, data=query) if address else client.get(path)

    return get


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_the_page_warns_of_names_and_says_what_other_formats_leave_out(get, role):
    page = get(role=role)

    assert page.status_code == 200
    assert "with names: treat the file as personal data" in page.text
    assert (
        "One rating per answer, Quepid ratings, CSV: Questions are named by their texts; ids are left out."
        in page.text
    )
    assert "Pool, Quepid ratings, CSV: Ids of questions," in page.text
    assert "by machines" not in page.text


def test_the_page_says_that_ratings_by_machines_are_a_file_of_their_own(full_project, get, making):
    with making() as make:
        from sqlalchemy import select

        from app.models import Candidate, Origin, Project

        project = make.session.scalars(select(Project)).one()
        machine = make.member(project, "annotator", name="Robot", kind="machine")
        for candidate in make.session.scalars(select(Candidate).limit(2)):
            make.judgment(candidate, machine, 1, role=Origin.MACHINE)

    page = get().text
    own = get("/ratings", by="machines", format="data")

    assert [line.split(",")[:4] for line in own.text.splitlines()[1:]] == [
        ["q1", "d1", "Robot", "1"],
        ["q1", "d2", "Robot", "1"],
    ]
    assert own.headers["Content-Disposition"].endswith('-ratings-by-machines.csv"')
    assert "Robot" not in get("/ratings", format="data").text
    assert '<option value="machines">' in page
    assert "Ratings by machines are left out." in page


@pytest.mark.parametrize("is_demo", [True, False])
@pytest.mark.thorough
def test_demo_data_is_called_so_in_everything_that_goes_out(full_project, get, client_of, making, is_demo):
    from sqlalchemy import select

    from app.models import Project, Query

    with making() as make:
        make.session.scalars(select(Project)).one().is_demo = is_demo
        query_id = make.session.scalars(select(Query.id)).first()

    def beside(address):
        return client_of(full_project["owner"]).get(f"/p/{full_project['slug']}/{address}").text

    names = [
        get(f"/{what}").headers["Content-Disposition"] for what in ("qrels", "ratings", "results", "scores")
    ]
    scores = csv.DictReader(io.StringIO(get("/scores", format="data").text))
    history = csv.DictReader(io.StringIO(beside("overview/history.csv").lstrip("\ufeff")))
    question = json.loads(beside(f"questions/{query_id}.json"))

    assert [f'"{full_project["slug"]}-demo-data-' in name for name in names] == [is_demo] * 4
    assert {row["demo"] for row in (*scores, *history)} == {"yes" if is_demo else "no"}
    assert (", demo data" in beside("overview/history.svg")) is is_demo
    assert question["demo"] is is_demo


@pytest.mark.parametrize(
    "address", ["", "/qrels", "/ratings", "/results", "/scores", "/pool", "/remarks", "/everything"]
)
def test_annotators_get_nothing(get, address):
    assert get(address, role="annotator").status_code == 404


def test_notes_and_flags_are_for_owners_alone(get):
    assert "Notes and reported problems" in get().text
    assert "Notes and reported problems" not in get(role="viewer").text
    assert get("/remarks", role="viewer").status_code == 404


def test_the_pool_or_its_unrated_pairs_alone(get):
    pool, unrated = get("/pool", format="data"), get("/pool", pairs="unrated", format="data")

    assert pool.text.startswith("query_id,doc_id,ratings\n")
    assert unrated.text.startswith("query_id,query,doc_id,title,text,grade\n")
    assert unrated.headers["Content-Disposition"].endswith('-unrated.csv"')
    assert len(pool.text.splitlines()) > len(unrated.text.splitlines()) > 1


def test_an_export_that_does_not_exist_is_not_found(get):
    assert get("/everything").status_code == 404
    assert get("/results", run=999).status_code == 404


def test_qrels_are_an_attachment_that_reads_back(get):
    served = get("/qrels", role="viewer")

    assert served.headers["Content-Disposition"].endswith('-qrels.txt"')
    assert served.mimetype == "text/plain"
    log = ProblemLog()
    rows = list(read_judgments(served.data, "qrels", log, "trec"))
    assert log.problems == []
    assert [row.grade for row in rows] == [0, 1, 2, 3, 0]


@pytest.mark.parametrize(("format", "ending"), [("data", "csv"), ("tsv", "tsv"), ("jsonl", "jsonl")])
def test_ratings_read_back_in_every_format(get, format, ending):
    served = get("/ratings", format=format)

    assert served.headers["Content-Disposition"].endswith(f'-ratings.{ending}"')
    log = ProblemLog()
    rows = list(read_judgments(served.data, "ratings", log, ending))
    assert log.problems == []
    assert {row.annotator for row in rows} == {"=Ada annotator"}
    assert len(rows) == 5


def test_a_csv_holds_no_formula_unless_data_is_asked_for(get):
    served = get("/ratings", format="csv")

    rows = list(csv.reader(io.StringIO(served.get_data(as_text=True).lstrip("\ufeff"))))
    assert {row[2] for row in rows[1:]} == {"'=Ada annotator"}


@pytest.mark.parametrize("format", ["trec", "csv", "data", "tsv", "jsonl"])
def test_a_run_reads_back_in_every_format(get, full_project, format):
    served = get("/results", run=full_project["runs"][0], format=format)

    log = ProblemLog()
    rows = list(read_run(served.data, "run", log, "csv" if format == "data" else format))
    assert log.problems == []
    assert [(row.query_id, row.document_id) for row in rows] == [
        ("q1", "d1"),
        ("q1", "d2"),
        ("q1", "d3"),
        ("q2", "d2"),
        ("q2", "d3"),
        ("q2", "d4"),
    ]


def test_a_file_name_holds_nothing_that_a_header_or_a_system_could_mind(get, full_project):
    served = get("/results", run=full_project["runs"][0], format="trec")

    assert (
        served.headers["Content-Disposition"]
        == f'attachment; filename="{full_project["slug"]}-Blend-2-v1.run"'
    )


def test_the_newest_of_all_rankers_stand_in_one_file(get):
    served = get("/results")

    assert {line.split()[5] for line in served.text.splitlines()} == {"Blend-2", "other"}


def test_several_runs_do_not_fit_in_a_table_and_it_is_said(get):
    served = get("/results", format="csv")

    assert served.status_code == 302
    page = get()
    assert page.status_code == 200


def test_scores_carry_coverage_settings_and_revision(get):
    served = get("/scores", role="viewer", measures="P@5 RR", versions="all", format="data")

    rows = list(csv.DictReader(io.StringIO(served.text)))
    assert {row["measure"] for row in rows} == {"nDCG@10", "P@5", "RR"}
    assert {row["ranker"] for row in rows} == {"Blend 2", "other"}
    assert all(row["judged"] and row["revision"] and row["fingerprint"] for row in rows)


@pytest.mark.parametrize("measures", ["nonsense@3", "nDCG@0", "x" * 600])
def test_a_measure_that_nobody_knows_is_said_on_the_page(full_project, client_of, measures):
    client = client_of(full_project["owner"])

    page = client.post(
        f"/p/{full_project['slug']}/export/scores", data={"measures": measures}, follow_redirects=True
    )

    assert page.status_code == 200
    assert 'role="alert"' in page.text


@pytest.mark.parametrize("what", ["qrels", "ratings", "scores", "results", "documents", "pool", "remarks"])
def test_choices_that_nobody_offers_fall_back_to_the_first(get, what):
    served = get(f"/{what}", format="exe", middle="elsewhere", versions="x")

    assert served.status_code == 200
    assert served.headers["Content-Disposition"].startswith("attachment")


def test_an_empty_project_offers_no_download(making, client_of):
    with making() as make:
        project = make.project()
        owner = make.member(project, "owner")
        slug = project.slug

    page = client_of(owner).get(f"/p/{slug}/export")

    assert "Nothing is rated yet." in page.text
    assert "No ranker has been imported yet." in page.text
    assert client_of(owner).post(f"/p/{slug}/export/results").status_code == 404
    assert client_of(owner).post(f"/p/{slug}/export/ratings").status_code == 200


def test_a_large_export_is_sent_in_parts(full_project, client_of, monkeypatch):
    monkeypatch.setattr("app.http.exporting.LINES_AT_ONCE", 2)
    client = client_of(full_project["owner"])

    served = client.post(f"/p/{full_project['slug']}/export/ratings", buffered=False)
    parts = list(served.iter_encoded())

    assert len(parts) == 3
    assert served.headers.get("Content-Length") is None

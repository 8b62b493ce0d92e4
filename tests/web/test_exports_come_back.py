"""Whatever the export page calls importable is downloaded in each of its formats, and imported."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from app.formats.exported import FORMS
from app.models import Judgment, Project
from app.services.collection.documents import import_documents
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from tests.furniture.databases import made_in
from tests.furniture.files import file_of, import_judgments
from tests.web.test_exports import make_full_project

IMPORTS = {
    "qrels": lambda *into: import_judgments(*into, JudgmentOptions()),
    "ratings": lambda *into: import_judgments(*into, JudgmentOptions()),
    "results": lambda *into: import_run(*into, RunOptions(ranker="Blend 2")),
    "queries": import_queries,
    "documents": import_documents,
}
MADE_AT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
OPEN = re.compile(r'(?<=[,\t])$|null(?=}$)|(?<="judgements": \[)(?=\])', re.MULTILINE)


@pytest.fixture
def full_project(stored):
    return made_in(stored, make_full_project)


@pytest.fixture
def owner(full_project, client_of):
    return client_of(full_project["owner"])


def choices_on(page, what):
    """Return the formats of a card; of a CSV the one with exact texts, which the page says to import."""
    (card,) = re.findall(rf'<select class="select" id="{what}-format".*?</select>', page, re.DOTALL)
    choices = re.findall(r'value="([\w-]+)"', card)
    return [choice for choice in choices if choice != "csv" and f"{choice}-data" not in choices]


@pytest.fixture
def bring(making):
    """Return a function that imports a file into a project of its own, with the questions and answers it needs."""

    def bring(what, file):
        with making() as make:
            project = make.project()
            for number in range(1, 5):
                if what != "queries" and number < 3:
                    make.query(project, f"q{number}")
                if what != "documents":
                    make.document(project, f"d{number}")
            IMPORTS[what](make.session, project, file)
            return make.member(project, "owner"), project.slug

    return bring


@pytest.mark.thorough
@pytest.mark.parametrize("what", IMPORTS)
def test_what_comes_back_goes_out_again_as_it_was(full_project, owner, client_of, bring, what):
    slug = full_project["slug"]
    choices = choices_on(owner.get(f"/p/{slug}/export").text, what)

    for choice in choices:
        form = {"format": choice} | ({"run": full_project["runs"][0]} if what == "results" else {})
        served = owner.post(f"/p/{slug}/export/{what}", data=form)
        assert served.status_code == 200, choice

        someone, other = bring(what, file_of(served.text, f"{what}.txt"))

        # The newest version of the only ranker is the one that was brought.
        again = client_of(someone).post(f"/p/{other}/export/{what}", data={"format": choice})
        assert MADE_AT.sub("", again.text).replace(other, slug) == MADE_AT.sub("", served.text), choice
    assert len(choices) == len(FORMS[what])


def test_unrated_pairs_come_back_as_ratings_in_every_format(full_project, owner, making):
    slug = full_project["slug"]
    choices = choices_on(owner.get(f"/p/{slug}/export").text, "pool")

    for choice in choices:
        served = owner.post(f"/p/{slug}/export/pool", data={"format": choice, "pairs": "unrated"})
        filled = OPEN.sub('{"rating": 2.0}' if choice == "quepid-book" else "2", served.text, count=1)
        assert filled != served.text, choice
        with making() as make:
            project = make.session.scalars(select(Project).where(Project.slug == slug)).one()
            before = len(make.session.scalars(select(Judgment.revision)).all())
            options = JudgmentOptions(annotator=f"By {choice}")
            import_judgments(make.session, project, file_of(filled, "filled.txt"), options)
            assert len(make.session.scalars(select(Judgment.revision)).all()) == before + 1, choice
            make.session.rollback()
    assert len(choices) == len(FORMS["pool"])


def test_the_page_says_how_to_rate_in_a_spreadsheet_and_what_each_format_leaves_out(owner, full_project):
    page = owner.get(f"/p/{full_project['slug']}/export").text

    assert "download the unrated ones as “CSV”" in page
    left_out = {form.lost for forms in FORMS.values() for form in forms if form.lost}
    assert len(left_out) > 3
    assert all(sentence in page for sentence in left_out)

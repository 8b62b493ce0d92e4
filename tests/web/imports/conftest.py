"""A project with an owner at the import page, and files to give it."""

from __future__ import annotations

import html
import io
import re

import pytest
from sqlalchemy import func, select

from app.models import Document, Judgment, Project, Query, Run, Upload
from app.services.collection.documents import import_documents
from app.services.collection.queries import import_queries
from tests.furniture.databases import made_in
from tests.furniture.files import file_of

QUERIES = "query_id,text\nq1,how do I mend a tyre\nq2,do you buy old bikes\n"
DOCUMENTS = "doc_id,title,text\n" + "".join(f"d{n},Answer {n},Turn screw {n}.\n" for n in range(1, 7))
RUN = "".join(f"q{q} Q0 d{d} {d} {9 - d} blend\n" for q in (1, 2) for d in (1, 2, 3))
QRELS = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 1\n"


class Importer:
    """An owner in front of the import pages of one project."""

    def __init__(self, client, slug, stored, settings):
        self.client, self.slug, self.stored = client, slug, stored
        self.folder = settings.uploads_path if settings else None
        self.base = f"/p/{slug}/import"

    def give(self, kind, content, name="file.txt", **fields):
        """Choose a file and return the page of its check; `path` is its address from here on."""
        content = content.encode() if isinstance(content, str) else content
        data = {"file": (io.BytesIO(content), name), **fields}
        page = self.client.post(f"{self.base}/{kind}", data=data, follow_redirects=True)
        self.path = page.request.path
        return page

    def post(self, step, **data):
        return self.client.post(f"{self.path}/{step}", data=data, follow_redirects=True)

    def take(self, kind, content, called="file.txt", **named):
        """Import a file through all steps."""
        self.give(kind, content, called)
        step = "name" if kind in {"run", "judgments"} else "import"
        if kind == "run":
            named = {"ranker": "", "name": "blend", **named}
        elif kind == "judgments":
            named = {"annotator": "Old ratings", **named}
        page = self.post(step, **named)
        assert "<h1>Imported" in page.text, message(page)
        return page

    def prepare(self):
        """Put questions and answers into the project; test_naming.py does it in the browser."""
        with self.stored.write() as session:
            project = session.scalars(select(Project).where(Project.slug == self.slug)).one()
            import_queries(session, project, file_of(QUERIES, "questions.csv"))
            import_documents(session, project, file_of(DOCUMENTS, "answers.csv"))

    def count(self, model):
        with self.stored.read() as session:
            return session.scalar(select(func.count()).select_from(model))

    def counts(self):
        return {model.__tablename__: self.count(model) for model in (Query, Document, Run, Judgment)}

    def upload(self):
        with self.stored.read() as session:
            return session.get(Upload, self.path.rsplit("/", 1)[-1])

    def files(self):
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.exists() else []

    def project(self):
        with self.stored.read() as session:
            return session.scalar(select(Project).where(Project.slug == self.slug))


def message(page):
    """Return the words of a page's main part."""
    main = re.search(r"<main.*?</main>", page.text, re.DOTALL).group()
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


@pytest.fixture
def words():
    return message


@pytest.fixture
def owner(stored):
    return made_in(stored, make_owner)


def make_owner(make):
    project = make.project()
    owner = make.member(project, "owner")
    owner.slug = project.slug
    return owner


@pytest.fixture
def importer(owner, client_of, stored, settings):
    return Importer(client_of(owner), owner.slug, stored, settings)

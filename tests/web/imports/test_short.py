"""No page of an import asks for much reading: at most 500 words, beside the faulty lines of a file."""

from __future__ import annotations

import re

import pytest

from tests.web.imports.conftest import DOCUMENTS, QRELS, QUERIES, RUN

MOST = 500
FAULTY = RUN + "q9 Q0 d1 1 NaN tag\nq1 Q0 d1\nq1 Q0 d9 4 1 tag\n"


def count(page, words):
    return len(re.findall(r"[^\W\d_]{2,}", words(page)))


@pytest.fixture
def pages(importer):
    """Return every page that an import goes through, by a name for it."""
    files = {"queries": QUERIES, "documents": DOCUMENTS, "run": RUN, "judgments": QRELS}
    found = {"start": importer.client.get(importer.base)}
    for kind, content in files.items():
        found[f"choose {kind}"] = importer.client.get(f"{importer.base}/{kind}")
        found[f"no file {kind}"] = importer.client.post(f"{importer.base}/{kind}")
        found[f"check {kind}"] = importer.give(kind, content)
        checked = importer.path
        if kind in {"run", "judgments"}:
            found[f"name {kind}"] = importer.client.get(f"{importer.path}/name")
        importer.client.post(f"{checked}/cancel")
        found[f"done {kind}"] = importer.take(kind, content)
    found["problems"] = importer.give("run", FAULTY)
    found["broken"] = importer.give("run", b"\x00\x01")
    found["start again"] = importer.client.get(importer.base)
    link = re.search(r'href="([^"]*/import/undo/\d+)"', found["done run"].text).group(1)
    found["undo"] = importer.client.get(link)
    return found


@pytest.mark.thorough
def test_every_page_of_an_import_has_at_most_500_words(pages, words):
    long = {name: count(page, words) for name, page in pages.items() if count(page, words) > MOST}

    assert long == {}
    assert len(pages) == 23
    assert all(page.status_code in {200, 422} and count(page, words) > 10 for page in pages.values())

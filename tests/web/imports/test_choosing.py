"""Step 1: a file is chosen, or questions are pasted."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from app import create_app
from app.formats.samples import SAMPLES
from app.models import Query, Upload
from tests.furniture.site import Visitor
from tests.web.imports.conftest import DOCUMENTS

KINDS = ("queries", "documents", "run", "judgments")
TRICKY_NAMES = {
    "../../etc/passwd": "passwd",
    "/abs/olute.csv": "olute.csv",
    "nul\x00byte.csv": "nul\\x00byte.csv",
    "..": "unnamed file",
    "x" * 1000: "x" * 119 + "…",
    "evil\u202egnp.csv": "evil\\u202egnp.csv",
    "<b>.csv": "<b>.csv",
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_page_with_its_samples(importer, kind):
    page = importer.client.get(f"{importer.base}/{kind}")

    assert page.status_code == 200
    for sample in SAMPLES:
        assert (f"samples/{sample.name}" in page.text) == (sample.kind == kind)


def test_a_kind_that_does_not_exist_is_not_found(importer):
    assert importer.client.get(f"{importer.base}/secrets").status_code == 404
    assert importer.client.post(f"{importer.base}/secrets").status_code == 404


@pytest.mark.thorough
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_each_sample_is_served_as_an_attachment_and_can_be_given_back(importer, sample):
    served = importer.client.get(f"{importer.base}/samples/{sample.name}")

    assert served.headers["Content-Disposition"] == f'attachment; filename="{sample.name}"'
    assert served.text == sample.text
    page = importer.give(sample.kind, served.data, sample.name)
    assert importer.upload().report["look"]["format"] == sample.format
    assert page.status_code == 200


def test_a_sample_that_does_not_exist_is_not_found(importer):
    assert importer.client.get(f"{importer.base}/samples/none.csv").status_code == 404


def test_a_form_without_a_file_is_shown_again(importer, words):
    page = importer.client.post(f"{importer.base}/queries", data={})

    assert "Choose a file." in words(page)
    assert "<title>Error: " in page.text
    assert importer.count(Upload) == 0


def test_a_file_is_stored_under_a_random_name(importer):
    importer.give("queries", "q1\thow\n", "../../etc/passwd")

    assert importer.files() == [importer.upload().id]
    assert (importer.folder / importer.upload().id).read_bytes() == b"q1\thow\n"


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "shown"), TRICKY_NAMES.items())
def test_a_file_name_is_display_text_only(importer, name, shown):
    page = importer.give("queries", "q1\thow\n", name)

    assert importer.upload().file_name == shown
    assert "<b>.csv" not in page.text


def test_a_file_of_another_field_leaves_nothing_behind(importer):
    importer.client.post(f"{importer.base}/queries", data={"other": (io.BytesIO(b"x"), "x.csv")})

    assert importer.files() == []


def test_a_file_that_is_too_large_is_refused_with_a_page_that_says_so(owner, settings):
    app = create_app(replace(settings, max_upload_mb=1))
    app.test_client_class = Visitor
    client = app.test_client()
    with client.session_transaction() as session:
        session["person"], session["epoch"] = owner.id, owner.session_epoch

    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n'

    page = client.post(
        f"/p/{owner.slug}/import/queries",
        data=head + b"x" * (3 << 20) + b"\r\n--x--\r\n",
        content_type="multipart/form-data; boundary=x",
    )

    assert page.status_code == 413
    assert "That is too large to send" in page.text
    assert not list(settings.uploads_path.glob("*"))
    app.extensions["touchstone"].database.dispose()


def test_pasted_questions_are_checked_like_a_file_and_get_ids(importer, words):
    page = importer.client.post(
        f"{importer.base}/queries/paste",
        data={"text": "how do I mend a tyre\r\n\r\nx7\tdo you buy bikes\r\n how do I mend a tyre\r\n"},
    )
    importer.path = page.headers["Location"]

    checked = words(importer.client.get(importer.path))
    assert "New questions 2 Repeated lines, used once 1" in checked
    assert "Pasted text, one question per line" in checked
    assert "TSV" not in checked, "nobody has chosen such a file"
    importer.post("import")
    with importer.stored.read() as session:
        found = {query.external_id: query.text for query in session.query(Query)}
    assert found == {"q1": "how do I mend a tyre", "x7": "do you buy bikes"}


@pytest.mark.parametrize("text", ["", "  \n \n"])
def test_pasting_nothing_is_said(importer, words, text):
    page = importer.client.post(f"{importer.base}/queries/paste", data={"text": text})

    assert "Paste at least one question" in words(page)


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["annotator", "viewer"])
def test_nobody_but_owners_comes_near(importer, making, client_of, role):
    with making() as make:
        other = make.member(importer.project(), role)
    client = client_of(other)

    assert client.get(importer.base).status_code == 404
    for kind in KINDS:
        assert client.get(f"{importer.base}/{kind}").status_code == 404
        assert client.post(f"{importer.base}/{kind}").status_code == 404


@pytest.mark.thorough
def test_a_single_file_under_own_names_is_guessed_by_its_values_as_several_are(importer, words):
    importer.prepare()
    goods = "".join(
        f'{{"sku": "p{n}", "name": "Hat {n}", "descr": "A red hat of wool {n}"}}\n' for n in (1, 2)
    )
    found = "Suche,Artikel,Platz\n" + "".join(f"q{q},d{d},{d}\n" for q in (1, 2) for d in (1, 2, 3))

    page = words(importer.give("documents", goods, "products.jsonl"))
    assert "Guessed from the values: “sku” is different on each line, and “descr” holds texts." in page
    assert "New answers 2" in page
    assert "<h1>Imported" in importer.post("import").text

    page = words(importer.give("run", found, "eigen.csv"))
    assert "“Suche” holds ids of questions, “Artikel” ids of answers, and “Platz” counts the places" in page
    assert "Questions with results 2 of 2" in page


@pytest.mark.thorough
def test_a_choice_of_columns_is_no_guess_and_names_that_tell_need_none(importer, words):
    goods = "sku,name,descr\np1,Hat one,A red hat of wool\np2,Hat two,A blue hat of wool\n"
    importer.give("documents", goods, "products.csv")

    page = words(importer.post("check", **{"column-0": "doc_id", "column-1": "text", "column-2": ""}))
    assert "Guessed from the values" not in page
    assert "New answers 2" in page
    assert "Guessed from the values" not in words(importer.give("documents", DOCUMENTS))
    assert "There is no column query_id" in words(importer.give("queries", "a,b\n1,2\n1,2\n"))


def test_answers_without_ids_are_told_that_the_column_is_missing(importer, words):
    data = "title,text\nLoudness,45 dB at one metre\nApp,The kettle has no app\n"

    page = words(importer.give("documents", data, "answers.csv"))

    assert "There is no column doc_id (Answer id). Add what is missing, or say which column is which." in page
    assert "chosen twice" not in page


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        ("queries", "id,foo\n1,2\n", "The first line must name query_id (Question id) and text."),
        ("documents", "id,foo\n1,2\n", "The first line must name doc_id (Answer id) and text (or title)."),
        (
            "judgments",
            "query_id,doc_id,foo\n1,2,3\n",
            "The first line must name query_id (Question id) (or query), doc_id (Answer id) and grade.",
        ),
    ],
)
def test_every_name_of_a_column_that_is_needed_is_said_with_its_field_on_the_page(
    importer, words, kind, data, told
):
    assert told in words(importer.give(kind, data))


def test_names_of_columns_are_said_with_their_fields_in_german_too(importer, words):
    importer.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"

    page = words(importer.give("judgments", "query_id,doc_id,foo\n1,2,3\n"))

    assert "grade (Bewertung)" in page
    assert "query_id (Id der Frage) (oder query), doc_id (Id der Antwort) und grade" in page


def test_questions_need_no_ids_and_the_pages_say_so(importer, words):
    told = "Each question has a text, and an id if you have one."
    assert told in words(importer.client.get(importer.base))
    assert told in words(importer.client.get(f"{importer.base}/queries"))

    page = words(importer.give("queries", "Nr,text\n,How loud is it?\n,Does it have an app?\n"))
    assert (
        "The first line must name query_id and text. Without ids, one column named question is enough. "
        "Rename the columns, or say which column is which."
    ) in page
    assert "New questions 2" in words(importer.give("queries", "question\nHow loud is it?\nHow so?\n"))

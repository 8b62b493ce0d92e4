import pytest

from app.formats.samples import SAMPLES, samples_of
from app.formats.schema import FORMATS, WRITTEN_FORMATS
from tests.formats.reading import guessed, rows_of


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.kind} {sample.format}")
def test_every_sample_is_read_as_what_it_says_it_is(sample):
    assert guessed(sample.text.encode(), sample.kind).format == sample.format
    assert rows_of(sample.kind, sample.text)


@pytest.mark.parametrize("kind", FORMATS)
def test_there_is_a_sample_for_every_format_that_exports_offer(kind):
    assert {sample.format for sample in samples_of(kind)} == set(FORMATS[kind]) & set(WRITTEN_FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_samples_of_one_kind_speak_of_the_same_things(kind):
    key = {"queries": "query_id", "documents": "document_id"}.get(kind, "query_id")

    names = {
        frozenset(getattr(row, key) for row in rows_of(kind, sample.text)) for sample in samples_of(kind)
    }

    assert len(names) == 1


def test_runs_and_judgments_of_the_samples_name_known_queries_and_documents():
    queries = {row.query_id for row in rows_of("queries", samples_of("queries")[0].text)}
    documents = {row.document_id for row in rows_of("documents", samples_of("documents")[0].text)}

    for kind in ("run", "judgments"):
        for sample in samples_of(kind):
            rows = rows_of(kind, sample.text)
            assert {row.query_id for row in rows} <= queries
            assert {row.document_id for row in rows} <= documents

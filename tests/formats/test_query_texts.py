"""Files that name queries by their texts, as Quepid and the search relevance workbench do."""

from hypothesis import given
from hypothesis import strategies as st

from app.formats.query_texts import QueryText, id_from_text
from tests.formats.reading import found, read, rows_of

RATINGS = "query,docid,rating\nred shoes,d1,3\nred shoes,d2,\nno hits,,\nwhat's new?,a b,0\n"


def test_ratings_by_text_are_read_and_lines_without_a_rating_are_counted():
    rows, log = read("judgments", RATINGS)

    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        ("red shoes", "d1", 3),
        ("what's new?", "a b", 0),
    ]
    assert all(isinstance(row.query_id, QueryText) for row in rows)
    assert log.left_out == {"unrated": 2}
    assert not log.total


def test_the_same_file_holds_the_queries_once_with_their_texts_for_ids():
    rows, log = read("queries", RATINGS)

    assert [(row.query_id, row.text) for row in rows] == [
        (text, text) for text in ("red shoes", "no hits", "what's new?")
    ]
    assert log.left_out == {"repeated": 1}


def test_needs_of_information_and_a_snapshot_are_read():
    needs = rows_of("queries", "query,information_need\nred shoes,Shoes that are red.\n")
    snapshot = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\nmon,1,7,red shoes,d1,1\n"

    assert [(row.query_id, row.intent) for row in needs] == [("red shoes", "Shoes that are red.")]
    assert [(row.query_id, row.document_id, row.rank) for row in rows_of("run", snapshot)] == [
        ("red shoes", "d1", 1)
    ]


def test_an_id_goes_before_a_text():
    rows = rows_of("run", "qid\tquery\tdocno\tscore\nq1\tred shoes\td1\t2\n\tred shoes\td1\t1\n")

    assert [(row.query_id, type(row.query_id)) for row in rows] == [("q1", str), ("red shoes", QueryText)]


def test_a_file_of_questions_with_ids_of_an_unknown_name_is_still_refused():
    assert found("queries", "Nummer,text\n7,red shoes\n") == [(1, "header")]
    assert found("run", "query,docid,rank\n,d1,1\n") == [(2, "id-empty")]


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_id_made_from_a_text_is_stable_fit_for_every_format_and_its_own(one, other):
    made = id_from_text(one)

    assert made == id_from_text(one)
    assert made.split() == [made]
    assert len(made.encode()) <= 512
    assert (made == id_from_text(other)) == (one == other)


def test_an_id_made_from_plain_words_is_readable():
    assert id_from_text("red shoes") == "red-shoes"
    assert id_from_text("red-shoes").startswith("red-shoes~")

"""What the columns of tables are whose names tell nothing: their values say it, or nothing is guessed."""

from __future__ import annotations

import pytest

from app.formats.own_columns import Ids, readings_of, table_of
from app.formats.recognise import kind_of

ASKED = "nr;wortlaut\n" + "".join(f"{n};wie repariere ich Teil {n}\n" for n in range(1, 13))
ITEMS = "art_nr;bezeichnung;beschreibung\n" + "".join(
    f"{n};Schraube M{n} kurz;Drehen Sie die Schraube {n} fest an.\n" for n in range(1, 31)
)
FOUND = "wortlaut_nr;art;pos;wert\n" + "".join(
    f"{q};{q + r + 14 if q + r < 16 else q + r};{r};{40 - r},5\n" for q in range(1, 13) for r in range(1, 9)
)
MARKS = "wortlaut_nr;art;note\n" + "".join(
    f"{q};{q + r};{q * (r + 1) % 4}\n" for q in range(1, 13) for r in range(3)
)
LIST = {"query_id": "nr", "text": "wortlaut"}


def read(known=(), **files):
    tables = []
    for given, text in files.items():
        content, name = text.encode(), given.replace("_", ".")
        tables.append(table_of(content, name, kind_of(content, name)))
    return dict(zip(files, readings_of(tables, known), strict=True))


def test_four_files_whose_names_tell_nothing_tell_each_other():
    found = read(a_csv=ASKED, b_csv=ITEMS, c_csv=FOUND, d_csv=MARKS)

    assert {name: reading.kind for name, reading in found.items()} == {
        "a_csv": "queries",
        "b_csv": "documents",
        "c_csv": "run",
        "d_csv": "judgments",
    }
    assert found["a_csv"].columns["queries"] == LIST
    assert found["b_csv"].columns["documents"] == {
        "doc_id": "art_nr",
        "text": "beschreibung",
        "title": "bezeichnung",
    }
    pair = {"query_id": "wortlaut_nr", "doc_id": "art"}
    assert found["c_csv"].columns == {"run": {**pair, "rank": "pos", "score": "wert"}}
    assert found["d_csv"].columns == {"judgments": {**pair, "grade": "note"}}
    assert found["c_csv"].reason == (
        "Guessed from the values: “wortlaut_nr” holds ids of questions, “art” ids of answers, and “pos” counts "
        "the places of each question."
    )


def test_answers_that_no_file_lists_are_ids_of_any_kind():
    found = read(a_csv=ASKED, c_csv=FOUND.replace(";", ";x", 2).replace("x", ""), d_csv=MARKS)

    assert [found[name].kind for name in found] == ["queries", "run", "judgments"]
    assert found["c_csv"].columns["run"]["doc_id"] == "art"


def test_a_new_version_alone_is_read_by_the_ids_of_the_project():
    known = [
        Ids("queries", frozenset(map(str, range(1, 13)))),
        Ids("documents", frozenset(map(str, range(1, 31)))),
    ]

    found = read(known, c_csv=FOUND)["c_csv"]

    assert found.kind == "run"
    assert found.columns["run"] == {
        "query_id": "wortlaut_nr",
        "doc_id": "art",
        "rank": "pos",
        "score": "wert",
    }


@pytest.mark.parametrize(
    ("what", "files"),
    [
        ("no ids are known", {"c_csv": FOUND}),
        ("two columns of the same ids", {"a_csv": ASKED, "c_csv": "p;q;pos\n1;2;1\n2;1;1\n1;3;2\n2;3;2\n"}),
        ("no value but ids", {"a_csv": ASKED, "c_csv": "p;q\n1;a7\n2;a9\n1;a8\n"}),
        ("no column differs on each line", {"c_csv": "p;q\nfarbe;rot und blau\nfarbe;gelb und grau\n"}),
        ("no text", {"c_csv": "p;q\n1;7\n2;9\n3;11\n"}),
    ],
)
def test_nothing_is_guessed_where(what, files):
    assert read(**files)["c_csv"] is None, what


def test_whole_numbers_that_count_down_may_be_places_or_scores():
    down = "p;art;wert\n" + "".join(f"{q};x{r};{9 - r}\n" for q in range(1, 13) for r in range(1, 9))

    assert read(a_csv=ASKED, c_csv=down)["c_csv"] is None


def test_few_whole_numbers_in_no_order_may_be_places_or_grades():
    turned = "p;art;wert\n" + "".join(f"{q};x{r};{(q + r) % 3}\n" for q in range(1, 13) for r in range(3))

    assert read(a_csv=ASKED, c_csv=turned)["c_csv"] is None


def test_grades_beside_places_leave_the_kind_open_but_not_the_columns():
    both = "p;art;pos;note\n" + "".join(
        f"{q};x{r + q};{r};{(q * r) % 3}\n" for q in range(1, 13) for r in range(1, 9)
    )

    reading = read(a_csv=ASKED, c_csv=both)["c_csv"]

    assert reading.kind is None
    assert reading.columns["run"] == {"query_id": "p", "doc_id": "art", "rank": "pos"}
    assert reading.columns["judgments"] == {"query_id": "p", "doc_id": "art", "grade": "note"}


def test_a_list_alone_is_read_but_of_what_only_its_name_tells():
    assert read(a_csv=ASKED)["a_csv"].kind is None
    assert read(fragen_csv=ASKED)["fragen_csv"].kind == "queries"


def test_files_whose_names_tell_name_the_lines_of_those_whose_do_not():
    run = "".join(f"{q} Q0 {q + r} {r} {40 - r}.5 blend\n" for q in range(1, 13) for r in range(1, 9))

    found = read(a_csv=ASKED, b_csv=ITEMS, c_run=run)

    assert [reading and reading.kind for reading in found.values()] == ["queries", "documents", None]


def test_a_first_line_of_names_in_a_table_of_tabs_is_no_question():
    text = ASKED.replace(";", "\t")

    assert kind_of(text.encode(), "a.tsv") is None
    assert read(fragen_tsv=text)["fragen_tsv"].columns["queries"] == LIST


def test_no_column_is_taken_twice():
    nameless = "title,text\nLoudness,45 dB at one metre\nApp,The kettle has no app\n"
    textless = "sku,title\np1,A red hat of wool\np2,A blue hat of wool\n"

    found = read(a_csv=nameless, products_csv=textless)

    assert found["a_csv"] is None
    assert found["products_csv"].columns["documents"] == {"doc_id": "sku", "text": "title"}


def test_few_values_are_called_ratings():
    reason = read(a_csv=ASKED, b_csv=ITEMS, d_csv=MARKS)["d_csv"].reason

    assert reason.endswith("“art” ids of answers, and “note” ratings.")

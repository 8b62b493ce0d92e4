"""What another program did to a file is said, and nothing is refused for it."""

from __future__ import annotations

import io
import zipfile
from datetime import date, time

import pytest

from app.formats.writing import write_table
from tests.formats.reading import read
from tests.formats.test_archives import sheet

IDS = "A spreadsheet seems to have changed some ids, such as "
TEXTS = "Some texts look garbled, such as "
GUARDS = "Some cells begin with a quote before =, +, - or @, such as "


def hints(kind, text):
    rows, log = read(kind, text)
    assert rows
    assert not log.problems
    return [str(hint) for hint in log.hints]


def files_of(ids):
    """Return each kind -> a file with these ids of documents, or of questions."""
    return {
        "queries": "query_id,text\n" + "".join(f"{each},how\n" for each in ids),
        "documents": "doc_id,text\n" + "".join(f"{each},how\n" for each in ids),
        "run": "query_id,doc_id,rank\n" + "".join(f"q1,{each},{n}\n" for n, each in enumerate(ids, 1)),
        "judgments": "query_id,doc_id,grade\n" + "".join(f"q1,{each},1\n" for each in ids),
    }


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
@pytest.mark.parametrize("bad", ["1.23E+05", "1-Mar", "Mar-01", "12-Dec", "01. Mrz"])
def test_ids_that_a_spreadsheet_changed_are_told(kind, bad):
    told = hints(kind, files_of(["a7", bad, "a8"])[kind])

    assert [each[: len(IDS) + len(bad) + 2] for each in told] == [f"{IDS}'{bad}'"]


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
def test_usual_ids_are_not(kind):
    usual = [
        "1E5",
        "3e10",
        "MARCO-01",
        "1-2",
        "2026-03-01",
        "mar-1",
        "Mar-011",
        "D12-May-x",
        *map(str, range(50)),
    ]

    assert hints(kind, files_of(usual)[kind]) == []
    # One of many may be called so.
    assert hints(kind, files_of(["Mar-01", *usual])[kind]) == []


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        (date(2026, 3, 1), "a date or a time, read as '2026-03-01T00:00:00'"),
        (time(9, 30), "a date or a time, read as '09:30:00'"),
        (True, "a truth value, read as 'True'"),
        (1234567890123456, "a number of more than 15 digits, read as '1234567890123456'"),
    ],
)
def test_ids_of_a_sheet_that_are_no_texts_are_told(kind, value, told):
    rows = [line.split(",") for line in files_of(["a7", "a8", "a9"])[kind].splitlines()]
    column = rows[0].index("query_id" if kind == "queries" else "doc_id")
    rows[2][column] = value
    data = sheet(rows)

    (hint,) = hints(kind, data)
    assert hint.startswith(
        f"A spreadsheet may have changed some ids: the cell {'AB'[column]}3 holds {told}. "
        "Make the file again from its source: format the column as text before the ids go in, or use no "
        "spreadsheet."
    )


def test_other_cells_of_a_sheet_may_hold_what_they_like():
    names = ["doc_id", "text", "seen", "is_new", "size"]
    rows = [
        [7, "how", date(2026, 3, 1), True, 12345678901234567],
        [8.0, 123456789012345678, None, None, "=1+1"],
    ]

    assert hints("documents", sheet([names, *rows])) == []


@pytest.mark.parametrize("kind", ["queries", "documents", "run", "judgments"])
def test_ids_of_a_sheet_whose_digits_are_lost_are_refused(kind):
    rows = [line.split(",") for line in files_of(["a7", "x", "y"])[kind].splitlines()]
    column = rows[0].index("query_id" if kind == "queries" else "doc_id")
    rows[2][column], rows[3][column] = 123456789012345678, 123456789012345679

    _, log = read(kind, sheet(rows))

    cell = "AB"[column]
    start = "the id in cell {} is a number of which a spreadsheet keeps only the first 15 digits"
    assert log.problems[0].remedy.startswith("Make the file again from its source: format the column as text")
    assert [(each.line, each.reason) for each in log.problems] == [
        (3, start.format(f"{cell}3")),
        (4, start.format(f"{cell}4")),
    ]


def test_an_empty_text_is_a_saved_value_of_a_formula():
    made = sheet([["doc_id", "text"], ["d1", "=A1"]])
    old, file = zipfile.ZipFile(io.BytesIO(made)), io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in old.namelist():
            archive.writestr(name, old.read(name).replace(b'<c r="B2"', b'<c r="B2" t="str"'))

    _, unsaved = read("documents", made)
    (row,), saved = read("documents", file.getvalue())

    assert [each.reason for each in unsaved.problems] == [
        "the cell B2 holds a formula whose value was not saved"
    ]
    assert (row.text, saved.total) == ("", 0)


@pytest.mark.parametrize("text", ["Ãœber MÃ¼nchen", "itâ€™s here", "cafÃ© noir", "20 Â°C", "gr\ufffdn"])
@pytest.mark.parametrize("kind", ["queries", "documents"])
def test_texts_in_a_wrong_encoding_are_told(kind, text):
    name = "query_id" if kind == "queries" else "doc_id"
    lines = f"{name},text\n" + f"a1,{text}\n" + "".join(f"b{n},plain\n" for n in range(9))

    told = hints(kind, lines)

    assert [each[: len(TEXTS)] for each in told] == [TEXTS]
    assert hints(kind, lines + "".join(f"c{n},plain\n" for n in range(90))) == []


@pytest.mark.parametrize(
    "text", ["Über München", "it’s here", "café noir", "NÃO, IRMÃ", "20 °C", "Ã â", "Â. B"]
)
def test_texts_with_rare_letters_are_not(text):
    assert hints("documents", f"doc_id,text\nd1,{text}\n".replace("NÃO, IRMÃ", '"NÃO, IRMÃ"')) == []


def test_guards_of_our_own_export_are_told_and_exact_texts_have_none():
    names, rows = ("doc_id", "title", "text"), [("d1", "Sum", "=A1+B1"), ("-7", "Minus", "-")]
    guarded = "".join(write_table(names, rows, "csv"))
    exact = "".join(write_table(names, rows, "csv", data=True))

    told = hints("documents", guarded)

    assert [each[: len(GUARDS) + 7] for each in told] == [f"{GUARDS}'=A1+B1"]
    assert hints("documents", exact) == []
    assert hints("documents", "doc_id\ttext\nd1\t'=A1\n") == []
    assert hints("documents", "doc_id,text\nd1,'tis so\n") == []

"""What another program did to a file is said, and nothing is refused for it."""

from __future__ import annotations

import pytest

from app.formats.writing import write_table
from tests.formats.reading import read

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

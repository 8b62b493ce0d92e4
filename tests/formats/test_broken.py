"""Broken files of other tools, and broken archives: refused with a clear sentence, or read as they were."""

from __future__ import annotations

import gzip
import io
import random
import zipfile

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from app.formats.errors import BadValueError
from app.formats.recognise import portions_of
from tests.formats.bad import BAD_GRADES, BAD_IDS
from tests.formats.reading import assert_is_a_clear_sentence, found, read
from tests.formats.refusing import read_as_offered
from tests.furniture.tool_files import ratings_in, runs_in

TEXTS = {"q1": "red shoes"}
GOOD = {
    "ratings": ratings_in(TEXTS, {"q1": {"d1": 3, "d2": 0}}),
    "runs": runs_in(TEXTS, {"q1": ["d1", "d2"]}),
}
KINDS = {"ratings": "judgments", "runs": "run"}
CUTS = 7


def broken_texts(what, form):
    """Yield (what is wrong, the file) for each file that must be refused."""
    for label, (value, _) in BAD_IDS.items():
        made = ratings_in(TEXTS, {"q1": {value: 3}}) if what == "ratings" else runs_in(TEXTS, {"q1": [value]})
        yield f"id: {label}", made[form]
    if what == "ratings":
        for label, (value, _) in BAD_GRADES.items():
            yield f"rating: {label}", ratings_in(TEXTS, {"q1": {"d1": value}})[form]
    good = GOOD[what][form]
    if good[0] in "{[":
        for at in range(1, CUTS):
            yield f"cut at {at}", good.rstrip()[: len(good) * at // CUTS]
        yield "a comma too many", good.rstrip()[:-1] + "," + good.rstrip()[-1]
        yield "something behind", good + "]"
        yield "no number", good.replace("d1", 'd1", "x": NaN, "y": "')
    yield "no unicode", good.encode().replace(b"d1", b"d\xff\x81")
    yield "NUL", good.replace("d1", "d\x001")


@pytest.mark.thorough
@pytest.mark.parametrize(("what", "form"), [(what, form) for what in GOOD for form in GOOD[what]])
def test_no_broken_file_of_a_tool_is_accepted_in_silence(what, form):
    assert not found(KINDS[what], GOOD[what][form])

    files = list(broken_texts(what, form))

    accepted = [label for label, file in files if not found(KINDS[what], file)]
    assert accepted == []
    assert len(files) >= 24


TABLE = [
    ("query_id", "doc_id", "grade"),
    *((f"q{number % 7}", f"d{number}", number % 4) for number in range(90)),
]
TEXT = "".join(",".join(map(str, row)) + "\n" for row in TABLE)


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", TEXT)
    return file.getvalue()


def sheet():
    book = Workbook()
    for row in TABLE:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def table():
    file = io.BytesIO()
    columns = dict(zip(TABLE[0], map(list, zip(*TABLE[1:], strict=True)), strict=True))
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


ARCHIVES = {
    "gzip": gzip.compress(TEXT.encode(), mtime=0),
    "zip": zipped(),
    "xlsx": sheet(),
    "parquet": table(),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_that_was_cut_or_changed_is_refused_or_read_as_it_was(name):
    data = ARCHIVES[name]
    rows, log = read("judgments", data)
    assert (len(rows), log.total) == (90, 0)
    places = [len(data) * at // 60 for at in range(60)]
    cut = [data[:place] for place in places]
    changed = [data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1 :] for place in places]

    assert [place for place, file in zip(places, cut, strict=True) if not found("judgments", file)] == []
    # The pages of Parquet have no checksums.
    for file in changed if name != "parquet" else ():
        assert found("judgments", file) or read("judgments", file)[0] == rows


def test_a_column_whose_name_is_no_text_is_refused_in_a_sentence():
    _, log = read_as_offered(
        "judgments", '{"qu\x0cery_id": {"0": "q1"}, "doc_id": {"0": "d1"}, "grade": {"0": 1}}'
    )

    assert log.problems
    for problem in log.problems:
        assert_is_a_clear_sentence(problem)


def test_a_book_whose_names_cannot_be_read_is_refused_there():
    _, log = read_as_offered("judgments", b"query,docid,\xcb\0s\nq\nq\n")

    assert [problem.line for problem in log.problems] == [1]


@pytest.mark.parametrize("is_file", [False, True])
def test_a_zip_archive_whose_files_begin_before_it_is_refused_in_a_sentence(tmp_path, is_file):
    data = bytearray(zipped())
    end = data.rindex(b"PK\5\6")
    # Where the directory begins, one byte more than is true: every file begins one byte earlier.
    data[end + 16] += 1
    (tmp_path / "file.zip").write_bytes(data)
    stored = tmp_path / "file.zip" if is_file else bytes(data)

    with pytest.raises(BadValueError, match="the zip archive cannot be read: it is damaged"):
        portions_of(stored, "file.zip")
    assert found("judgments", stored)


MUTATIONS = 150
BITS = (b"", b"<", b">", b"&", b'"', b"\xff", b"\0", b"-1", b"99999999999", b"1e999", b"</c>", b"A0", b"ZZZ1")


def mutated(data, chance):
    """Return some bytes with one or two of them cut out, replaced, turned over or written twice."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2))):
        at, how = chance.randrange(len(data)), chance.random()
        if how < 0.4:
            data[at : at + chance.choice((0, 1, 3))] = chance.choice(BITS)
        elif how < 0.6:
            del data[at : at + chance.randrange(1, 20)]
        elif how < 0.8:
            data[at] ^= chance.randrange(1, 256)
        else:
            data[at:at] = data[chance.randrange(len(data)) :][:15]
    return bytes(data)


def with_mutated_part(data, chance):
    """Return a workbook whose zip archive is sound, and one of whose parts is not."""
    file, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
    broken = chance.choice([*old.namelist(), *["xl/worksheets/sheet1.xml"] * 10])
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in old.namelist():
            content = old.read(name)
            archive.writestr(name, mutated(content, chance) if name == broken else content)
    return file.getvalue()


@pytest.mark.parametrize(
    "kind",
    [
        "run",
        *(pytest.param(kind, marks=pytest.mark.thorough) for kind in ("queries", "documents", "judgments")),
    ],
)
@pytest.mark.parametrize(
    ("name", "change"),
    [("xlsx", with_mutated_part), ("xlsx", mutated), ("parquet", mutated)],
    ids=["parts of xlsx", "xlsx", "parquet"],
)
def test_a_damaged_table_is_read_or_refused_with_a_remedy(name, change, kind):
    chance = random.Random(f"{name} {kind}")

    for _ in range(MUTATIONS // 4):
        _, log = read_as_offered(kind, change(ARCHIVES[name], chance))

        for problem in log.problems:
            assert_is_a_clear_sentence(problem)

"""Files as a whole: packing, encoding, line ends, length of lines."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile
import zlib

import pytest

from app.formats.errors import ProblemLog
from app.formats.source import BLOCK, Source
from tests.formats.reading import found, read, rows_of

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n"
ROWS = rows_of("run", RUN)


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.run", RUN)
    return file.getvalue()


def tarred(mode):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        entry = tarfile.TarInfo("a.run")
        entry.size = len(RUN)
        archive.addfile(entry, io.BytesIO(RUN.encode()))
    return file.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(RUN.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\ufeff" + RUN, id="byte order mark"),
        pytest.param(RUN.rstrip("\n"), id="no last line end"),
        pytest.param(RUN + "\n\n\n", id="blank lines at the end"),
        pytest.param(RUN + "   \n\t\n", id="lines of blanks at the end"),
        pytest.param(RUN.replace(" ", "\t"), id="tabs"),
        pytest.param(RUN.replace(" ", "  \t "), id="many blanks"),
        pytest.param(RUN.replace("q1 ", " q1 "), id="blanks before"),
        pytest.param(RUN.replace("tag", "tag  "), id="blanks after"),
        pytest.param(gzip.compress(RUN.encode()), id="gzip"),
        pytest.param(
            gzip.compress(RUN[:19].encode()) + gzip.compress(RUN[19:].encode()), id="two gzip members"
        ),
        pytest.param(gzip.compress(RUN.encode()) + b"\0" * 512, id="gzip with padding"),
        pytest.param(gzip.compress(("\ufeff" + RUN).encode()), id="gzip with byte order mark"),
    ],
)
def test_odd_but_valid_files_are_read_as_the_plain_one(data):
    rows = rows_of("run", data, "trec")

    assert rows == ROWS


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        pytest.param(b"", "empty", "no lines", id="empty"),
        pytest.param(b"\n\n \n", "empty", "no lines", id="only blank lines"),
        pytest.param(b"\xef\xbb\xbf", "empty", "no lines", id="only a byte order mark"),
        pytest.param(gzip.compress(b""), "empty", "no lines", id="empty gzip"),
        pytest.param(
            gzip.compress(b" " * (8 << 20)), "gzip-large", "100 times", id="packed blanks without end"
        ),
        pytest.param(
            b" " * BLOCK + b"\n" + RUN.encode(), "empty", "begins with", id="a page of blanks first"
        ),
        pytest.param(gzip.compress(gzip.compress(RUN.encode())), "archive", "twice", id="packed twice"),
        pytest.param(zipped()[:40], "archive", "zip", id="zip cut off"),
        pytest.param(tarred("w"), "archive", "tar", id="tar"),
        pytest.param(tarred("w:gz"), "archive", "tar", id="tar.gz"),
        pytest.param(tarred("w:bz2"), "archive", "bzip2", id="tar.bz2"),
        pytest.param(tarred("w:xz"), "archive", "xz", id="tar.xz"),
        pytest.param(gzip.compress(zipped()), "archive", "zip", id="zip in gzip"),
        pytest.param(gzip.compress(gzip.compress(RUN.encode())), "archive", "twice", id="gzip in gzip"),
        pytest.param(b"%PDF-1.7 and so on", "archive", "PDF", id="PDF"),
        pytest.param(gzip.compress(RUN.encode())[:-6], "gzip", "cut off", id="gzip cut off"),
        pytest.param(gzip.compress(RUN.encode())[:5], "gzip", "cut off", id="gzip cut off early"),
        pytest.param(b"\x1f\x8b\x08\x00" + b"\xff" * 50, "gzip", "damaged", id="gzip damaged"),
        pytest.param(
            gzip.compress(RUN.encode()) + b"more", "gzip", "damaged", id="gzip with something behind"
        ),
        pytest.param(RUN.encode("utf-16-be"), "encoding", "UTF-16", id="UTF-16 without mark"),
        pytest.param(RUN.encode("utf-16-le"), "encoding", "UTF-16", id="UTF-16 LE without mark"),
        pytest.param(RUN.encode("utf-32"), "encoding", "UTF-32", id="UTF-32"),
    ],
)
def test_a_file_that_is_no_text_in_utf8_is_refused_by_name_as_a_whole(data, code, word):
    _, log = read("run", data)

    assert [(each.line, each.code) for each in log.problems] == [(None, code)]
    assert word in log.problems[0].reason


@pytest.mark.parametrize("format", ["trec", "csv"])
def test_a_line_in_another_encoding_is_named_with_its_line(format):
    data = {"trec": RUN, "csv": "query_id,doc_id,score\nq1,d1,1\nq1,d2,2\n"}[format]
    data = data.encode().replace(b"d2", "dé".encode("latin-1"))

    _, log = read("run", data)

    line = 2 if format == "trec" else 3
    assert [(each.line, each.code) for each in log.problems] == [(line, "encoding")]
    assert "Windows-1252" in log.problems[0].reason
    assert "é" in log.problems[0].value
    assert "UTF-8" in log.problems[0].remedy


def test_a_file_that_does_not_exist_is_a_problem_of_the_file(tmp_path):
    _, log = read("run", tmp_path / "nothing.run")

    assert [each.code for each in log.problems] == ["file"]
    assert "No such file" in log.problems[0].reason


def test_a_path_is_read_and_closed(tmp_path):
    path = tmp_path / "a.run"
    path.write_text(RUN)

    assert rows_of("run", path) == ROWS


@pytest.mark.thorough
def test_a_bomb_is_refused_after_a_small_part_of_it():
    tracemalloc.start()
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b"0" * (1 << 20)) for _ in range(300)) + packer.flush()
    tracemalloc.reset_peak()

    _, log = read("run", bomb)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [each.code for each in log.problems] == ["gzip-large"]
    assert peak < 40_000_000


def test_an_endless_line_is_refused_without_being_kept():
    class Endless(io.RawIOBase):
        def __init__(self):
            self.left = 200

        def read(self, size):
            self.left -= 1
            return b"x" * size if self.left > 0 else b""

    log = ProblemLog()
    tracemalloc.start()

    lines = list(Source(Endless(), "file.txt", log).lines())

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == []
    assert [(each.line, each.code) for each in log.problems] == [(1, "line-long")]
    assert peak < 10_000_000


def test_lines_after_a_line_that_is_too_long_keep_their_numbers():
    data = "q1 Q0 d1 1 3 t\n" + "x" * 1_500_000 + "\nq1 Q0 d2 1 nan t\n"

    assert found("run", data, "trec") == [(2, "line-long"), (3, "score")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_lines_do_not_depend_on_how_the_bytes_arrive(size):
    text = "".join(f"line {number} é日\r\n" for number in range(50)) + "last"

    class Slow(io.BytesIO):
        def read(self, _size=-1):
            return super().read(size)

    lines = list(Source(Slow(text.encode()), "x", ProblemLog()).lines())

    assert "".join(line for _, line in lines) == text
    assert [number for number, _ in lines] == list(range(1, 52))


def test_lines_longer_than_a_block_are_whole():
    text = "a" * (2 * BLOCK + 5) + "\n" + "b" * (BLOCK - 1) + "\nc"

    lines = [line for _, line in Source(text.encode(), "x", ProblemLog()).lines()]

    assert lines == text.splitlines(keepends=True)

"""Bad archives, tables and encodings: each is refused with its place, its value and a remedy."""

import bz2
import gzip
import io
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from app.formats.errors import ProblemLog
from app.formats.queries import read_queries
from app.services.collection.files import part_for
from tests.formats.refusing import assert_nothing_is_stored, assert_refused, offered, read_as_offered

NAMED = "query_id,doc_id,grade\n"
TEXT = NAMED + "q1,d1,2\n"


def zipped(files, **how):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def book(*sheets):
    made = Workbook()
    made.remove(made.active)
    for number, rows in enumerate(sheets):
        sheet = made.create_sheet(f"Sheet{number + 1}")
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def table(**columns):
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def changed_sheet(data, before, after):
    """Return a workbook with other bytes in the XML of its first sheet."""
    file, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                assert before in content
                content = content.replace(before, after, 1)
            archive.writestr(name, content)
    return file.getvalue()


def text_of_bytes(*texts):
    """Return a column of texts that need not be UTF-8."""
    _, offsets, _ = pa.array(["x" * len(text) for text in texts]).buffers()
    return pa.Array.from_buffers(pa.string(), len(texts), [None, offsets, pa.py_buffer(b"".join(texts))])


def parquet_of(queries, documents):
    return table(query_id=queries, doc_id=documents, grade=[2] * len(documents))


def tarred():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as t:
        info = tarfile.TarInfo("a.csv")
        info.size = len(TEXT)
        t.addfile(info, io.BytesIO(TEXT.encode()))
    return file.getvalue()


def cut(data, part):
    return data[: int(len(data) * part)]


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1 :]


def encrypted(data):
    # the bit of a password in both headers
    data = bytearray(data)
    data[6] |= 1
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    return bytes(data)


def lying(data):
    data = bytearray(data)
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1 << 31)
    return bytes(data)


def method(data, number):
    data = bytearray(data)
    data[8:10] = struct.pack("<H", number)
    at = data.rindex(b"PK\x01\x02")
    data[at + 10 : at + 12] = struct.pack("<H", number)
    return bytes(data)


NAMES = ["query_id", "doc_id", "grade"]
Z = zipped({"a.csv": TEXT})
ROW = ["q1", "d1", 2]
G = gzip.compress(TEXT.encode(), mtime=0)

BAD = {
    "zip empty": (zipped({}), None, "", "this is a zip archive without files, not a text"),
    "zip only hidden": (
        zipped({"__MACOSX/a.csv": TEXT, ".DS_Store": "x"}),
        None,
        "",
        "the zip archive cannot be read: it holds no file",
    ),
    "zip only folder": (zipped({"a/": ""}), None, "", "the zip archive cannot be read: it holds no file"),
    "zip cut half": (cut(Z, 0.5), None, "", "the zip archive cannot be read: it is cut off"),
    "zip cut end": (Z[:-1], None, "", "the zip archive cannot be read: it is cut off"),
    "zip changed": (flip(Z, 45), None, "", "the zip archive cannot be read: bad CRC-32 for"),
    "zip password": (encrypted(Z), None, "", "the zip archive cannot be read: a.csv is locked"),
    "zip lying size": (lying(Z), None, "", "the zip archive cannot be read: it unpacks to"),
    "zip unknown method": (method(Z, 99), None, "", "the zip archive cannot be read: that"),
    "zip in zip": (zipped({"a.zip": Z}), None, "a.zip", "this is a zip archive in another one, not a"),
    "zip gz inside": (zipped({"a.csv.gz": G}), None, "a.csv.gz", "a file in the archive is packed again"),
    "zip xlsx inside": (
        zipped({"a.xlsx": book([NAMES, ROW])}),
        None,
        "a.xlsx",
        "this is a zip archive in another one, not a",
    ),
    "zip pdf inside": (
        zipped({"a.pdf": b"%PDF-1.4 x"}),
        None,
        "a.pdf",
        "this is a PDF file, not a text file",
    ),
    "zip corpus": (
        zipped(
            {"corpus.jsonl": '{"_id": "d1", "text": "a"}\n', "queries.jsonl": '{"_id": "q1", "text": "a"}\n'}
        ),
        None,
        "corpus.jsonl, queries.jsonl",
        "the zip archive holds files of several kinds",
    ),
    "zip two ratings": (
        zipped({"a.csv": TEXT, "b.tsv": TEXT.replace(",", "\t")}),
        None,
        "a.csv, b.tsv",
        "this holds 2 files of this kind",
    ),
    "zip bad line": (zipped({"a.csv": TEXT + "q1,d2,x\n"}), 3, "x", "the grade is not a number"),
    "zip bad second": (
        zipped({"a.csv": TEXT, "b.csv": NAMED + "q1,d3,x\n"}),
        2,
        "x",
        "the grade is not a number",
    ),
    "zip contradiction": (
        zipped({"a.csv": TEXT, "b.csv": NAMED + "q1,d1,3\n"}),
        2,
        "q1 d1",
        "line 2 of a.csv gives this answer another rating",
    ),
    "zip latin": (
        zipped({"a.csv": (NAMED + "q1,dü,2\n").encode("latin-1")}),
        2,
        "q1,dü,2",
        "the line is not UTF-8; it looks like",
    ),
    "zip bomb": (
        zipped({"a.csv": b"q" * (8 << 20)}),
        None,
        "",
        "the zip archive cannot be read: it unpacks to",
    ),
    "zip many": (
        zipped({f"{n}.csv": "" for n in range(10_001)}),
        None,
        "",
        "the zip archive cannot be read: it holds 10,001",
    ),
    "zip empty file": (zipped({"a.csv": ""}), None, "", "the file has no lines to read"),
    "zip names only": (
        zipped({"a.csv": NAMED}),
        None,
        "query_id,doc_id,grade",
        "there is nothing below the names of the columns",
    ),
    "zip docx": (
        zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<w/>"}),
        None,
        "",
        "Word and similar files cannot be read",
    ),
    "zip pptx": (
        zipped({"[Content_Types].xml": "<x/>", "ppt/presentation.xml": "<p/>"}),
        None,
        "",
        "Word and similar files cannot be read",
    ),
    "zip odt": (
        zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<o/>"}),
        None,
        "",
        "Word and similar files cannot be read",
    ),
    "zip pages": (
        zipped({"Index/Document.iwa": "x", "preview.jpg": "y", "Metadata/Properties.plist": "z"}),
        None,
        "",
        "Word and similar files cannot be read",
    ),
    "zip ods": (
        zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<o/>"}),
        None,
        "",
        "the spreadsheet cannot be read",
    ),
    "zip xlsb": (
        zipped({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "b"}),
        None,
        "",
        "the spreadsheet cannot be read",
    ),
    "zip utf16 inside": (
        zipped({"a.csv": TEXT.encode("utf-16-le")}),
        None,
        "",
        "the file is UTF-16 without its mark, not UTF-8",
    ),
    "gzip cut": (G[:-4], None, "", "the gzip file cannot be read: it is cut off"),
    "gzip cut half": (cut(G, 0.5), None, "", "the gzip file cannot be read: it is cut off"),
    "gzip head": (G[:5], None, "", "the gzip file cannot be read: it is cut off"),
    "gzip changed": (flip(G, 20), None, "", "the gzip file cannot be read: its packed data"),
    "gzip checksum": (flip(G, len(G) - 6), None, "", "the gzip file cannot be read: its packed data"),
    "gzip length": (flip(G, len(G) - 2), None, "", "the gzip file cannot be read: its packed data"),
    "gzip behind": (G + b"more text", None, "", "the gzip file cannot be read: its packed data"),
    "gzip twice": (gzip.compress(G), None, "", "the file is packed twice"),
    "gzip zip": (gzip.compress(Z), None, "", "this is a zip archive in another one, not a"),
    "gzip bomb": (gzip.compress(b"q" * (8 << 20)), None, "", "the gzip file unpacks to more than 100 times"),
    "gzip nothing": (gzip.compress(b""), None, "", "the file has no lines to read"),
    "gzip tar": (gzip.compress(tarred()), None, "", "this is a tar archive, not a text file"),
    "gzip bad line": (gzip.compress((TEXT + "q1,d2,x\n").encode()), 3, "x", "the grade is not a number"),
    "bz2": (bz2.compress(TEXT.encode()), None, "", "this is a bzip2 file, not a text file"),
    "xz": (lzma.compress(TEXT.encode()), None, "", "this is a xz file, not a text file"),
    "zlib": (zlib.compress(TEXT.encode() * 5), None, "", "this is a file packed with zlib, not a text file"),
    "zstd": (b"\x28\xb5\x2f\xfd" + b"x" * 30, None, "", "this is a zstd file, not a text file"),
    "lz4": (b"\x04\x22\x4d\x18" + b"x" * 30, None, "", "this is a file packed with LZ4, not a text file"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + b"x" * 30, None, "", "this is a 7-Zip archive, not a text file"),
    "rar": (b"Rar!\x1a\x07\x00" + b"x" * 30, None, "", "this is a RAR archive, not a text file"),
    "tar": (tarred(), None, "", "this is a tar archive, not a text file"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", None, "", "this is a PDF file, not a text file"),
    "png": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\0" * 30,
        None,
        "",
        "this is a picture, not a text file",
    ),
    "jpeg": (
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"\1" * 30,
        None,
        "",
        "this is a picture, not a text file",
    ),
    "xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 60,
        None,
        "",
        "this is a file of an old Office program",
    ),
    "pickle": (
        pickle.dumps([("q1", "d1", 2)], protocol=4),
        None,
        "",
        "this is a Python pickle, not a text file",
    ),
    "pickle 2": (
        pickle.dumps([("q1", "d1", 2)], protocol=2),
        None,
        "",
        "this is a Python pickle, not a text file",
    ),
    "sqlite": (b"SQLite format 3\x00" + b"\0" * 80, None, "", "this is a database file, not a text file"),
    "feather": (b"ARROW1\0\0" + b"x" * 40, None, "", "this is a Feather file, not a text file"),
    "numpy": (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i8'}\n" + b"\0" * 40,
        None,
        "",
        "this is a NumPy file, not a text file",
    ),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + b"\0" * 40, None, "", "this is a HDF5 file, not a text file"),
    "elf": (b"\x7fELF\x02\x01\x01" + b"\0" * 60, None, "", "this is a program, not a text file"),
    "rtf": (b"{\\rtf1\\ansi q1 d1 2}", None, "", "this is a file of an office program, not a"),
    "xlsx empty": (book([]), None, "", "no sheet of the spreadsheet has names of"),
    "xlsx names only": (book([NAMES]), None, "", "the file has no lines to read"),
    "xlsx two sheets": (
        book([NAMES, ROW], [NAMES, ["q1", "d2", 3]]),
        None,
        "Sheet1, Sheet2",
        "this holds 2 files of this kind",
    ),
    "xlsx no grade": (
        book([["query_id", "doc_id"], ["q1", "d1"]]),
        1,
        "query_id, doc_id",
        "there is no column grade",
    ),
    "xlsx word": (book([NAMES, ROW, ["q1", "d2", "x"]]), 3, "x", "the grade is not a number"),
    "xlsx half": (book([NAMES, ROW, [], ["q1", "d2", 2.5]]), 4, "2.5", "the grade is not a whole number"),
    "xlsx no id": (book([NAMES, [None, "d1", 2]]), 2, "", "the query id is empty"),
    "xlsx twice": (
        book([NAMES, ROW, ["q1", "d1", 3]]),
        3,
        "q1 d1",
        "row 2 gives this answer another rating",
    ),
    "xlsx name twice": (
        book([["query_id", "doc_id", "grade", "grade"], ["q1", "d1", 2, 3]]),
        1,
        "grade",
        "two columns have the same name",
    ),
    "xlsx title first": (
        book([["Ratings"], NAMES, ROW]),
        1,
        "Ratings, column B, column C",
        "there is no column query_id or query, and",
    ),
    "xlsx date": (
        book([NAMES, ["q1", "d1", __import__("datetime").datetime(2026, 1, 2)]]),
        2,
        "2026-01-02T00:00:00",
        "the grade is not a number",
    ),
    "xlsx formula": (
        book([NAMES, ["q1", "d1", "=1+1"]]),
        2,
        "=1+1",
        "the cell C2 holds a formula whose value was not saved",
    ),
    "xlsx long number": (
        book([NAMES, ["q1", 123456789012345678, 2], ["q1", 123456789012345679, 1]]),
        2,
        "1.234567890123457e+17",
        "the id in cell B2 is a number of which a spreadsheet keeps only the first 15",
    ),
    "xlsx cut": (cut(book([NAMES, ROW]), 0.9), None, "", "the zip archive cannot be read: it is cut off"),
    "xlsx damaged sheet": (
        zipped({"xl/workbook.xml": "<workbook/>"}),
        None,
        "\"There is no item named '[Content_Types]",
        "the spreadsheet cannot be read",
    ),
    "xlsx broken sheet": (
        changed_sheet(book([NAMES, ROW, ["q1", "d2", 2]]), b'<row r="3"', b'<<row r="3"'),
        3,
        "not well-formed (invalid token): line 1,",
        "the spreadsheet is damaged from row 3 on",
    ),
    "xlsx no such cell": (
        changed_sheet(book([NAMES, ROW]), b'r="A1"', b'r="11"'),
        None,
        "'' is not a valid column name.",
        "the spreadsheet cannot be read",
    ),
    "xlsx row beyond": (
        changed_sheet(book([NAMES, ROW]), b'<row r="2"', b'<row r="2000000000"'),
        1_048_577,
        "row 1048577",
        "the spreadsheet is damaged from row 1,048,577 on",
    ),
    "parquet no text": (
        parquet_of(text_of_bytes(b"q1", b"q\xff"), ["d1", "d2"]),
        2,
        "b'q\\xff'",
        "the column query_id holds bytes that are not UTF-8",
    ),
    "parquet date beyond": (
        table(query_id=["q1"], doc_id=["d1"], grade=[2], judged_at=pa.array([1 << 40], pa.timestamp("s"))),
        1,
        "date value out of range",
        "the column judged_at cannot be read",
    ),
    "parquet cut": (
        cut(table(query_id=["q1"], doc_id=["d1"], grade=[2]), 0.5),
        None,
        "Parquet magic bytes not found in footer.",
        "the Parquet file cannot be read",
    ),
    "parquet head": (
        b"PAR1",
        None,
        "Parquet file size is 4 bytes, smaller th",
        "the Parquet file cannot be read",
    ),
    "parquet zeros": (
        b"PAR1" + b"\0" * 60 + b"PAR1",
        None,
        "Couldn't deserialize thrift: No more dat",
        "the Parquet file cannot be read",
    ),
    "parquet no grade": (
        table(query_id=["q1"], doc_id=["d1"]),
        None,
        "query_id, doc_id",
        "there is no column grade",
    ),
    "parquet half": (
        table(query_id=["q1"], doc_id=["d1"], grade=[2.5]),
        1,
        "2.5",
        "the grade is not a whole number",
    ),
    "parquet null id": (
        table(query_id=["q1", None], doc_id=["d1", "d2"], grade=[2, 3]),
        2,
        "",
        "the query id is empty",
    ),
    "parquet no rows": (
        table(
            query_id=pa.array([], pa.string()),
            doc_id=pa.array([], pa.string()),
            grade=pa.array([], pa.int64()),
        ),
        None,
        "",
        "the file has no lines to read",
    ),
    "parquet list id": (
        table(query_id=[["q1"]], doc_id=["d1"], grade=[2]),
        1,
        "['q1']",
        "the query id is not a text",
    ),
    "parquet nan": (
        table(query_id=["q1"], doc_id=["d1"], grade=[float("nan")]),
        1,
        "NaN",
        "the value is not a number that JSON knows",
    ),
    "parquet bytes": (
        table(query_id=[b"q\xff"], doc_id=["d1"], grade=[2]),
        1,
        "b'q\\xff'",
        "a cell holds bytes that are not UTF-8",
    ),
    "parquet twice": (
        table(query_id=["q1", "q1"], doc_id=["d1", "d1"], grade=[2, 3]),
        2,
        "q1 d1",
        "row 1 gives this answer another rating",
    ),
    "utf-16 no mark": (TEXT.encode("utf-16-le"), None, "", "the file is UTF-16 without its mark, not UTF-8"),
    "utf-16 half": (TEXT.encode("utf-16")[:-1], None, "", "the file begins as UTF-16 and is not"),
    "utf-16 lone surrogate": (
        b"\xff\xfe" + b"\x00\xd8a\x00\n\x00",
        None,
        "",
        "the file begins as UTF-16 and is not",
    ),
    "utf-32": (TEXT.encode("utf-32"), None, "", "the file is UTF-32, not UTF-8"),
    "utf-32 no mark": (TEXT.encode("utf-32-le"), None, "", "the file is UTF-32 without its mark, not UTF-8"),
    "latin-1": (
        (NAMED + "q1,dü,2\n").encode("latin-1"),
        2,
        "q1,dü,2",
        "the line is not UTF-8; it looks like",
    ),
    "cp1252 undefined": (NAMED.encode() + b"q1,d\x81,2\n", 2, "q1,d\\x81,2", "the line is not UTF-8"),
    "shift-jis": (
        (NAMED + "q1,日本,2\n").encode("shift-jis"),
        2,
        "q1,“ú–{,2",
        "the line is not UTF-8; it looks like",
    ),
    "koi8": ((NAMED + "q1,дом,2\n").encode("koi8-r"), 2, "q1,ÄÏÍ,2", "the line is not UTF-8; it looks like"),
    "ebcdic": (
        TEXT.encode("cp500"),
        1,
        "\\x98\\xa4\\x85\\x99\\xa8m\\x89\\x84k\\x84\\x96\\x",
        "the line is not UTF-8",
    ),
    "zeros": (
        b"\0" * 100,
        1,
        "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00",
        "the line has 1 column, not 4",
    ),
    "random": (
        bytes(range(128, 256)) * 4,
        1,
        "\\x80\\x81\\x82\\x83\\x84\\x85\\x86\\x87\\x88\\x89",
        "the line is not UTF-8",
    ),
    "overlong": (NAMED.encode() + b"q1,d\xc0\x80,2\n", 2, "q1,dÀ€,2", "the line is not UTF-8; it looks like"),
    "cut in a letter": ((NAMED + "q1,dü").encode()[:-1], 2, "q1,dÃ", "the line is not UTF-8; it looks like"),
    "mark in the middle": (
        TEXT + "\ufeffq2,d1,2\n",
        3,
        "\\ufeffq2",
        "the query id holds a control character",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("label", BAD)
def test_a_bad_file_is_refused_with_place_value_and_remedy(label):
    assert_refused("judgments", BAD[label])


@pytest.mark.thorough
def test_no_bad_file_leaves_anything(database):
    assert_nothing_is_stored(database, "judgments", BAD)


def test_there_are_at_least_sixty_different_files():
    assert len({str(data) for data, *_ in BAD.values()}) == len(BAD) >= 60


def test_cells_under_no_name_are_left_out_and_named():
    rows, log = read_as_offered("judgments", book([NAMES, [*ROW, "note"]]))

    assert (len(rows), log.total, log.columns_left_out) == (1, 0, ("column D",))


def test_files_of_no_kind_in_an_archive_are_left_out_and_those_that_are_read_are_named():
    packed = zipped({"a.csv": TEXT, "b.txt": "hello\n"})

    assert part_for("judgments", offered(packed)).members == ("a.csv",)


def test_names_of_columns_in_another_order_are_no_row():
    first, second = "doc_id,title,text\nd1,a,b\n", "doc_id,text,title\nd2,b,a\n"

    _rows, log = read_as_offered("documents", zipped({"a.csv": first, "b.csv": second}))

    assert [str(problem) for problem in log.problems] == [
        (
            "file.txt: the file in the archive has other columns than the first one: 'b.csv'. Name the one that "
            "is meant with --member, or give all files the same columns."
        )
    ]


def test_texts_that_are_stored_as_bytes_are_texts():
    rows, log = read_as_offered("judgments", table(query_id=[b"q\xc3\xbc"], doc_id=["d1"], grade=[2]))

    assert (rows[0].query_id, log.total) == ("qü", 0)


def test_tables_have_rows_where_texts_have_lines():
    twice = [["query_id", "text"], ["q1", "what"], ["q1", "why"]]
    columns, frame = pa.table({"query_id": ["q1", "q1"], "text": ["what", "why"]}), io.BytesIO()
    parquet.write_table(columns, frame)

    def told(content):
        list(read_queries(content, "asked", log := ProblemLog()))
        return str(log.problems[0])

    same = "has the same id and other content: 'q1'. Keep one of the two lines."
    assert told(book(twice)) == f"asked, row 3: row 2 {same}"
    assert told(frame.getvalue()) == f"asked, row 2: row 1 {same}"
    assert told("\n".join(map(",".join, twice)).encode()) == f"asked, line 3: line 2 {same}"

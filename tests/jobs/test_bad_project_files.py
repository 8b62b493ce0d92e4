"""Bad files of whole projects: each is refused in a sentence that says where, and leaves nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import time
import zipfile
import zlib
from base64 import b64decode, b64encode
from io import BytesIO

import pytest
from sqlalchemy import func, select

from app.database import Database
from app.formats.errors import FormatError
from app.jobs import steps
from app.jobs.project_export import export_project
from app.jobs.project_import import import_project
from app.models import Base
from app.services.errors import ConflictError, InvalidError

SECONDS = 10
NO_PROJECT, CUT, CHANGED = (
    "is no export of a project",
    "ends too early, or is damaged",
    "its checksum is another",
)
NO_END = "no last line, or something after it"


class Lines:
    """The lines of a file as values, to spoil; the last line is made again."""

    def __init__(self, packed):
        self.values = [json.loads(line) for line in gzip.decompress(packed).splitlines()][:-1]
        self.end = {}

    def table(self, name):
        """Return the line with which a table begins."""
        return self.values[self._place(name)]

    def row(self, name, at=0):
        """Return a row of a table."""
        return self.values[self._place(name) + 1 + at]

    def put(self, name, column, value, at=0):
        """Write one cell."""
        self.row(name, at)[self.table(name)["columns"].index(column)] = value

    def without(self, name, at=0):
        """Remove a row."""
        del self.values[self._place(name) + 1 + at]

    def again(self, name, at=0):
        """Add a row that is there already."""
        self.values.insert(self._place(name) + 1 + at, self.row(name, at))

    def _place(self, name):
        return next(
            at
            for at, value in enumerate(self.values)
            if isinstance(value, dict) and value.get("table") == name
        )

    def packed(self, *, more=b""):
        """Return the file with a last line that agrees with the others."""
        text = b"".join(json.dumps(value, separators=(",", ":")).encode() + b"\n" for value in self.values)
        rows = sum(isinstance(value, list) for value in self.values)
        end = {"rows": rows, "sha256": hashlib.sha256(text).hexdigest()} | self.end
        return gzip.compress(text + json.dumps(end, separators=(",", ":")).encode() + b"\n" + more, mtime=0)


def spoilt(change):
    """Return what makes a bad file by changing the lines of a good one."""

    def make(packed):
        lines = Lines(packed)
        change(lines)
        return lines.packed()

    return make


def head(**values):
    return spoilt(lambda lines: lines.values[0].update(values))


def cell(table, column, value, at=0):
    return spoilt(lambda lines: lines.put(table, column, value, at))


def plain(packed):
    return gzip.decompress(packed)


def zipped(packed):
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("project", packed)
    return file.getvalue()


def flipped(packed, at):
    return packed[:at] + bytes([packed[at] ^ 0x5A]) + packed[at + 1 :]


def with_a_deep_row(packed):
    """Return a file with a row that is nested too deep to be read."""
    text = plain(packed).splitlines(keepends=True)[:-1]
    at = 2 + next(at for at, line in enumerate(text) if line.startswith(b'{"table":"query"'))
    text.insert(at, b"[" * 100_000 + b"]" * 100_000 + b"\n")
    rows = sum(line.startswith(b"[") for line in text)
    end = {"rows": rows, "sha256": hashlib.sha256(b"".join(text)).hexdigest()}
    return gzip.compress(b"".join(text) + json.dumps(end).encode() + b"\n", mtime=0)


def a_score_less(lines):
    """Take a score from a list."""
    at = lines.table("ranking")["columns"].index("scores")
    scores = b64decode(lines.row("ranking")[at])
    lines.put("ranking", "scores", b64encode(scores[:-8]).decode())


def cannot(table):
    return f"a row of its table '{table}' cannot be right"


BAD = {
    "nothing": (lambda _: b"", NO_PROJECT),
    "one byte": (lambda _: b"\x1f", NO_PROJECT),
    "only the mark of gzip": (lambda _: b"\x1f\x8b", CUT),
    "blanks": (lambda _: b"\n\n \n", NO_PROJECT),
    "csv": (lambda _: b"query_id,text\nq1,red\n", NO_PROJECT),
    "json": (lambda _: b'{"touchstone": "project", "version": 1}\n', NO_PROJECT),
    "not packed": (plain, NO_PROJECT),
    "packed twice": (gzip.compress, NO_PROJECT),
    "zip": (zipped, NO_PROJECT),
    "zlib": (lambda packed: zlib.compress(plain(packed)), NO_PROJECT),
    "packed csv": (lambda _: gzip.compress(b"query_id,text\nq1,red\n"), NO_PROJECT),
    "packed nothing": (lambda _: gzip.compress(b""), NO_PROJECT),
    "packed array": (lambda _: gzip.compress(b"[1, 2]\n"), NO_PROJECT),
    "packed bytes": (lambda _: gzip.compress(bytes(range(256))), NO_PROJECT),
    "packed depth": (lambda _: gzip.compress(b"[" * 100_000), NO_PROJECT),
    "cut at a tenth": (lambda packed: packed[: len(packed) // 10], CUT),
    "cut in the middle": (lambda packed: packed[: len(packed) // 2], CUT),
    "cut at the end": (lambda packed: packed[:-9], CUT),
    "cut by one byte": (lambda packed: packed[:-1], CUT),
    "another checksum of gzip": (lambda packed: flipped(packed, len(packed) - 6), "the file is damaged"),
    "another length of gzip": (lambda packed: flipped(packed, len(packed) - 2), "the file is damaged"),
    "a changed byte": (lambda packed: flipped(packed, len(packed) // 2), "damaged|checksum|a table begins"),
    "bytes behind": (lambda packed: packed + b"more", "the file is damaged"),
    "a second file behind": (lambda packed: packed + packed, NO_END),
    "lines behind": (lambda packed: Lines(packed).packed(more=b"[1]\n"), NO_END),
    "no last line": (lambda packed: gzip.compress(b"\n".join(plain(packed).splitlines()[:-1])), NO_END),
    "only the first line": (lambda packed: gzip.compress(plain(packed).splitlines()[0]), NO_END),
    "fewer lines": (
        lambda packed: gzip.compress(
            b"\n".join(line for at, line in enumerate(plain(packed).splitlines()) if at != 3)
        ),
        CHANGED,
    ),
    "another text": (lambda packed: gzip.compress(plain(packed).replace(b"number 0", b"number 7")), CHANGED),
    "another number of rows": (spoilt(lambda lines: lines.end.update(rows=1)), CHANGED),
    "another sum": (spoilt(lambda lines: lines.end.update(sha256="0" * 64)), CHANGED),
    "no sum": (spoilt(lambda lines: lines.end.update(sha256=None)), CHANGED),
    "a newer version": (head(version=2), "a newer version of Touchstone"),
    "a version in words": (head(version="1"), NO_PROJECT),
    "no version": (head(version=None), NO_PROJECT),
    "another product": (head(touchstone="backup"), NO_PROJECT),
    "a short name with blanks": (head(slug="my project"), "short name|slug"),
    "no short name": (head(slug=""), "short name|slug"),
    "a short name that is a list": (head(slug=["there"]), "short name|slug"),
    "a long short name": (head(slug="x" * 300), "short name|slug"),
    "a table twice": (
        spoilt(lambda lines: lines.values.append(lines.table("query"))),
        "a table begins with a line",
    ),
    "a table without a name": (
        spoilt(lambda lines: lines.table("query").update(table=None)),
        "a table begins with",
    ),
    "a table without columns": (
        spoilt(lambda lines: lines.table("query").pop("columns")),
        "a table begins with",
    ),
    "columns in words": (
        spoilt(lambda lines: lines.table("query").update(columns="text")),
        "a table begins with",
    ),
    "an unknown table": (
        spoilt(lambda lines: lines.table("query").update(table="question")),
        "'question' is unknown",
    ),
    "an unknown column": (
        spoilt(lambda lines: lines.table("query")["columns"].__setitem__(1, "words")),
        "'words' is unknown",
    ),
    "a number as a column": (
        spoilt(lambda lines: lines.table("query")["columns"].__setitem__(1, 5)),
        "a table begins with",
    ),
    "a list as a column": (
        spoilt(lambda lines: lines.table("query")["columns"].__setitem__(1, ["text"])),
        "a table begins with",
    ),
    "a column twice": (
        spoilt(lambda lines: lines.table("query")["columns"].__setitem__(1, "external_id")),
        "query.text|query",
    ),
    "a cell too few": (spoilt(lambda lines: lines.row("query").pop()), cannot("query")),
    "an empty row": (spoilt(lambda lines: lines.row("query").clear()), cannot("query")),
    "a number as a text": (cell("query", "text", 5), cannot("query")),
    "half a character": (cell("query", "text", "\ud800"), cannot("query")),
    "NUL": (cell("query", "text", "a\x00b"), r"a text in line \d+ holds NUL"),
    "a deep row": (with_a_deep_row, cannot("query")),
    "a huge place": (cell("candidate", "query_id", 10**30), cannot("candidate")),
    "a place in words": (cell("candidate", "query_id", "1"), cannot("candidate")),
    "no base64": (cell("picture_content", "content", "&&&&"), cannot("picture_content")),
    "a time that is none": (cell("document", "created_at", "2026-13-01"), cannot("document")),
    "no name of a person": (cell("person", "name", None), cannot("person")),
    "an unknown event": (cell("event", "kind", "party"), cannot("event")),
    "an event less": (spoilt(lambda lines: lines.without("event", 2)), "cannot be imported"),
    "no project": (spoilt(lambda lines: lines.without("project")), "does not hold one project"),
    "two projects": (spoilt(lambda lines: lines.again("project")), "does not hold one project"),
    "an unknown role": (cell("membership", "role", "king"), cannot("membership")),
    "a score too few": (spoilt(a_score_less), cannot("ranking")),
}
# Their rows are read when much of the project is written already.
MORE = {
    "a table of the site": (
        spoilt(lambda lines: lines.table("query").update(table="token")),
        "'token' is unknown",
    ),
    "a column less": (spoilt(lambda lines: lines.table("query")["columns"].pop()), cannot("query")),
    "a column that is needed": (
        spoilt(lambda lines: lines.table("query")["columns"].__setitem__(0, "weight")),
        "query.external_id|query",
    ),
    "a cell too many": (spoilt(lambda lines: lines.row("query").append(1)), cannot("query")),
    "nothing as a text": (cell("query", "text", None), "query.text|cannot be right"),
    "a list as a text": (cell("query", "text", ["a"]), cannot("query")),
    "a text as a weight": (cell("query", "weight", "1"), cannot("query")),
    "true as a weight": (cell("query", "weight", True), cannot("query")),
    "an id twice": (cell("query", "external_id", "Kanarienvogel-q0", 1), "cannot be imported"),
    "a place that is not there": (cell("candidate", "query_id", 99), cannot("candidate")),
    "place 0": (cell("candidate", "query_id", 0), "cannot be imported"),
    "half a place": (cell("candidate", "query_id", 1.5), cannot("candidate")),
    "letters beyond base64": (cell("picture_content", "content", "ü"), cannot("picture_content")),
    "a time in words": (cell("query", "added_revision", "now"), cannot("query")),
    "a time that is a number": (cell("document", "created_at", 5), cannot("document")),
    "a kind of person": (cell("person", "kind", "robot"), cannot("person")),
    "a payload that is a text": (cell("event", "payload", "x"), cannot("event")),
    "a revision twice": (cell("event", "revision", 1, 1), "cannot be imported"),
    "a rating less": (spoilt(lambda lines: lines.without("judgment")), "cannot be imported"),
    "a rating twice": (spoilt(lambda lines: lines.again("judgment")), "cannot be imported"),
    "a rating off the scale": (cell("judgment", "grade", 99), "cannot be imported"),
    "a scale that ends before it begins": (cell("project", "scale_high", -5), "cannot be imported"),
    "half a score": (cell("ranking", "scores", "AAAA"), cannot("ranking")),
    "half a document": (cell("ranking", "document_ids", "AAAA"), cannot("ranking")),
    "a document that is not there": (cell("ranking", "document_ids", "////fw=="), cannot("ranking")),
}


@pytest.fixture(scope="module")
def packed(two_projects, tmp_path_factory):
    """Return the bytes of a good file."""
    folder = tmp_path_factory.mktemp("projects")
    database = Database(two_projects.copy_to(folder))
    export_project(database, "there", folder / "good", by_email=True)
    database.dispose()
    return (folder / "good").read_bytes()


def rows_of_all_tables(database):
    with database.read() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table))
            for table in Base.metadata.sorted_tables
        }


@pytest.mark.parametrize("bad", [BAD, pytest.param(MORE, marks=pytest.mark.thorough)], ids=["bad", "more"])
def test_no_bad_file_of_a_project_is_imported_or_leaves_anything(bad, packed, stored, tmp_path, monkeypatch):
    # Nobody else uses the database meanwhile.
    monkeypatch.setattr(steps, "SHORTEST_PAUSE", 0)
    monkeypatch.setattr(steps, "LONGEST_PAUSE", 0)
    path, before = tmp_path / "bad.touchstone", rows_of_all_tables(stored)
    wrong = []

    for label, (make, told) in bad.items():
        path.write_bytes(make(packed))
        began = time.process_time()
        try:
            import_project(stored, path, joins=True)
        except (FormatError, InvalidError, ConflictError) as error:
            if not re.search(told, str(error)):
                wrong.append((label, str(error)))
        except Exception as error:
            wrong.append((label, repr(error)[:300]))
        else:
            wrong.append((label, "accepted"))
        assert time.process_time() - began < SECONDS

    assert wrong == []
    assert rows_of_all_tables(stored) == before


def test_there_are_at_least_sixty_different_files(packed):
    assert len({make(packed) for make, _ in BAD.values()}) == len(BAD) >= 60

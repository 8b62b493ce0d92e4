"""Reads bytes with one reader and returns rows and problems, as most tests want them."""

from app.formats.documents import read_documents
from app.formats.errors import ProblemLog
from app.formats.judgments import read_judgments
from app.formats.queries import read_queries
from app.formats.rows import RunRow
from app.formats.runs import read_run_columns
from app.formats.sniff import guess_of
from app.formats.source import Source
from app.formats.trec import NO_RANK


def read_run(stream, name, log, format=None, columns=None):
    """Yield the columns of a run as rows."""
    run = read_run_columns(stream, name, log, format, columns)
    for at, (query, document) in enumerate(zip(run.query_index, run.document_index, strict=True)):
        yield RunRow(
            query_id=run.query_ids[query],
            document_id=run.document_ids[document],
            rank=None if run.rank[at] == NO_RANK else run.rank[at],
            score=run.score[at] if run.has_scores else None,
            line=run.line[at],
        )


READERS = {"queries": read_queries, "documents": read_documents, "run": read_run, "judgments": read_judgments}


def read(kind, data, format=None, **options):
    log = ProblemLog()
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return list(READERS[kind](data, "file.txt", log, format, **options)), log


def guessed(stream, kind):
    """Return what the beginning of a file looks like."""
    return guess_of(Source(stream, "file.txt", ProblemLog()), kind)


def rows_of(kind, data, format=None, **options):
    rows, log = read(kind, data, format, **options)
    assert not log.problems, list(map(str, log.problems))
    return rows


def found(kind, data, format=None, **options):
    """Return (line, code) of every problem."""
    _, log = read(kind, data, format, **options)
    assert log.total >= len(log.problems)
    for problem in log.problems:
        assert_is_a_clear_sentence(problem)
    return [(problem.line, problem.code) for problem in log.problems]


def assert_is_a_clear_sentence(problem):
    text = str(problem)
    assert text.startswith(f"{problem.member} in file.txt" if problem.member else "file.txt")
    assert problem.reason
    assert problem.remedy.endswith((".", "?"))
    assert len(problem.value) <= 120
    assert "\n" not in text
    assert "\x00" not in text
    assert len(text) < 500

"""Offers bad files as people do: their format is guessed, and their archives are opened.

Rows of the corpora are (file, line of the first problem, how its value begins, how its reason begins). The line
is None where the file as a whole is refused, and the value is empty where there is none to show.
"""

from __future__ import annotations

import time

import pytest
from sqlalchemy import func, select

from app.formats.errors import BadValueError, FormatError, ProblemLog
from app.formats.preview import preview_of
from app.formats.recognise import portions_of
from app.jobs.imports import import_documents, import_judgments, import_queries, import_run
from app.models import Candidate, Document, Event, Judgment, Query, Ranker, Run
from app.services.collection.files import ImportFile, part_for
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.run_files import RunOptions
from tests.formats.reading import READERS, assert_is_a_clear_sentence
from tests.furniture.factories import Make
from tests.furniture.files import corpus

# Of the processor, for one file; where something takes time with the square of its size, it takes minutes.
SECONDS = 10
NAME = "file.txt"
BRING = {
    "queries": import_queries,
    "documents": import_documents,
    "run": lambda *where: import_run(*where, RunOptions(ranker="bm25", unknown_documents="add")),
    "judgments": lambda *where: import_judgments(*where, JudgmentOptions(unknown_documents="add")),
}
STORED = (Query, Document, Ranker, Run, Candidate, Judgment, Event)


def offered(data):
    """Return a file as the services take it."""
    return ImportFile(
        content=data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, name=NAME
    )


def read_as_offered(kind, data):
    """Return the rows of a file and its log; nothing but the application's own errors is raised."""
    file, log, rows, began = offered(data), ProblemLog(), [], time.process_time()
    try:
        portions_of(file.content, NAME)
    except BadValueError as error:
        assert error.remedy
    preview_of(file.part, kind, name=NAME)
    try:
        rows = list(READERS[kind](part_for(kind, file).part, NAME, log))
    except FormatError as error:
        for problem in error.problems:
            log.add(problem)
    assert time.process_time() - began < SECONDS
    return rows, log


def assert_refused(kind, row):
    """Check that a file is refused with its place, its value and a remedy."""
    data, line, value, told = row
    _, log = read_as_offered(kind, data)
    assert log.problems, "it was accepted"
    for problem in log.problems:
        assert_is_a_clear_sentence(problem)
    first = log.problems[0]
    assert (first.line, first.reason[: len(told)]) == (line, told)
    assert first.value.startswith(value), first.value
    assert bool(first.value) == bool(value), first.value


def assert_nothing_is_stored(database, kind, bad):
    """Check that an import of each of some files fails, and leaves nothing."""
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
    with database.read() as session:
        before = counts(session)
    for data, *_ in bad.values():
        with pytest.raises(FormatError) as caught:
            BRING[kind](database, project.id, offered(data))
        assert caught.value.problems[0].file == NAME
    with database.read() as session:
        assert counts(session) == before


def counts(session):
    """Return how many rows the tables of a project have."""
    return [session.scalar(select(func.count()).select_from(model)) for model in STORED]

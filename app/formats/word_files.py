"""TREC files as columns of numbers, for scoring files as fast as they can be read.

Files of plain lines are read block by block without making any text. As soon as one line is odd (blanks at
its end, a long id, a letter beyond ASCII, a repeated line) the readers that go line by line take the whole
file, so both ways accept the same files, give the same columns, and name every problem with its line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.formats.errors import ProblemLog
from app.formats.limits import LARGEST_GRADE
from app.formats.plain_block import plain_block
from app.formats.plain_numbers import decimals, signed_numbers, whole_numbers
from app.formats.source import Source
from app.formats.words import HASH_BITS, Words, joined, words_of

if TYPE_CHECKING:
    from app.formats.plain_block import PlainBlock
    from app.formats.plain_numbers import Floats
    from app.formats.source import Stream
    from app.formats.words import Ints

MOST_QUERIES = 1 << (64 - HASH_BITS)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """The query and the document of every line; each pair stands once.

    Attributes
    ----------
    query_ids
        Each id once, in order of appearance.
    query
        int64 (lines,): into `query_ids`.
    document
        The document id of each line.
    hashes
        uint64 (lines,): `Words.hashes` of the documents.
    """

    query_ids: list[str]
    query: Ints
    document: Words
    hashes: Ints

    def __len__(self) -> int:
        return len(self.query)

    def keys(self, numbers: Ints | None = None) -> Ints:
        """Return one number for each pair, equal for equal pairs, rising with the query: uint64 (lines,).

        Parameters
        ----------
        numbers
            integers (queries,): what to number the queries by instead of their order of appearance.
        """
        number = self.query if numbers is None else numbers.take(self.query)
        return (number.astype(np.uint64) << HASH_BITS) | self.hashes


class RunFile(NamedTuple):
    """The lines of a run in file order: float64 scores, and the ranks it writes beside them."""

    tag: str | None
    pairs: Pairs
    score: Floats
    rank: Ints


class QrelsFile(NamedTuple):
    """The lines of a qrels file: int64 grades as they stand, also negative ones, and the line of each."""

    pairs: Pairs
    grade: Ints
    line: Ints


class PairsBuilder:
    """Takes the queries and documents of plain blocks."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._query: list[Ints] = []
        self._document: list[Words] = []
        self._hashes: list[Ints] = []

    def take(self, block: PlainBlock) -> bool:
        """Take a block; False if an id is too long to be read so."""
        queries, documents = block.ids(0), block.ids(2)
        if queries is None or documents is None:
            return False
        changed = ~Words(queries.rows[1:]).same_as(Words(queries.rows[:-1]))
        first = np.append(0, np.flatnonzero(changed) + 1)
        ids = block.texts(0, first)
        number = np.array([self._numbers.setdefault(one, len(self._numbers)) for one in ids])
        self._query.append(np.repeat(number, np.diff(np.append(first, block.lines))))
        self._document.append(documents)
        self._hashes.append(documents.hashes())
        return True

    def pairs(self) -> Pairs | None:
        """Return what was taken; None if a pair may stand twice, which a slower reader settles."""
        if not self._query or len(self._numbers) >= MOST_QUERIES:
            return None
        query, hashes = np.concatenate(self._query), np.concatenate(self._hashes)
        found = Pairs(list(self._numbers), query, joined(self._document), hashes)
        return None if _stands_twice(found) else found


def read_run_file(stream: Stream, name: str, log: ProblemLog) -> RunFile:
    """Return the lines of a TREC run; problems go to the log, and then it must not be used."""
    return _plain_run(stream, name) or _strict_run(stream, name, log)


def read_qrels_file(stream: Stream, name: str, log: ProblemLog) -> QrelsFile:
    """Return the lines of TREC qrels; problems go to the log, and then it must not be used."""
    return _plain_qrels(stream, name) or _strict_qrels(stream, name, log)


def _plain_run(stream: Stream, name: str) -> RunFile | None:
    source = Source(stream, name, ProblemLog())
    builder, scores, ranks, tags = PairsBuilder(), [], [], set[str | None]()
    for lines in source.whole_lines():
        block = plain_block(lines, 6)
        if block is None or not builder.take(block):
            return None
        score, rank = decimals(block, 4), whole_numbers(block, 3)
        tags.add(block.only_text(5))
        if score is None or rank is None or len(tags) > 1 or None in tags:
            return None
        scores.append(score)
        ranks.append(rank)
    pairs = None if source.has_problems else builder.pairs()
    if pairs is None:
        return None
    return RunFile(tags.pop(), pairs, np.concatenate(scores), np.concatenate(ranks))


def _plain_qrels(stream: Stream, name: str) -> QrelsFile | None:
    source = Source(stream, name, ProblemLog())
    builder, grades = PairsBuilder(), []
    for lines in source.whole_lines():
        block = plain_block(lines, 4)
        grade = signed_numbers(block, 3) if block else None
        if block is None or grade is None or not builder.take(block):
            return None
        if int(np.abs(grade).max()) > LARGEST_GRADE:
            return None
        grades.append(grade)
    pairs = None if source.has_problems else builder.pairs()
    if pairs is None:
        return None
    return QrelsFile(pairs, np.concatenate(grades), np.arange(1, len(pairs) + 1))


def _stands_twice(pairs: Pairs) -> bool:
    """Tell whether a pair stands twice; where hashes leave it open, say so."""
    keys = pairs.keys()
    in_order = np.sort(keys, kind="stable")
    if not np.any(in_order[1:] == in_order[:-1]):
        return False
    order = np.argsort(keys, kind="stable")
    alike = keys[order[1:]] == keys[order[:-1]]
    later, earlier = order[1:][alike], order[:-1][alike]
    if np.any(pairs.document.take(later).same_as(pairs.document.take(earlier))):
        return True
    # Of three with one hash the first and the last may be the same.
    return bool(np.any(alike[1:] & alike[:-1]))


def _strict_run(stream: Stream, name: str, log: ProblemLog) -> RunFile:
    from app.formats.runs import read_trec_run_columns

    found = read_trec_run_columns(stream, name, log)
    query = np.frombuffer(found.query_index, np.intc)
    document = np.frombuffer(found.document_index, np.intc)
    pairs = _pairs_of(found.query_ids, query, found.document_ids, document)
    return RunFile(found.tag, pairs, np.frombuffer(found.score), np.frombuffer(found.rank, np.intc))


def _strict_qrels(stream: Stream, name: str, log: ProblemLog) -> QrelsFile:
    from app.formats.judgments import read_judgments

    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    lines = [
        (
            queries.setdefault(row.query_id, len(queries)),
            documents.setdefault(row.document_id, len(documents)),
            row.grade,
            row.line,
        )
        for row in read_judgments(stream, name, log, "trec", negative="keep")
    ]
    query, document, grade, line = np.array(lines, dtype=np.int64).reshape(-1, 4).T
    return QrelsFile(_pairs_of(list(queries), query, list(documents), document), grade, line)


def _pairs_of(query_ids: list[str], query: Ints, document_ids: list[str], document: Ints) -> Pairs:
    """Return pairs whose documents are given once each."""
    ids = words_of(document_ids)
    words = ids.take(document)
    return Pairs(query_ids, query.astype(np.int64), words, ids.hashes().take(document))

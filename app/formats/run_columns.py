"""A run in memory: numbers in columns and every id once, because a million lines must fit beside the rest."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import compress, count, pairwise
from typing import NamedTuple

import numpy as np

from app.formats.errors import BadValueError, in_pair
from app.formats.ids import Ids
from app.formats.schema import Kind
from app.formats.source import Source
from app.formats.trec import NO_RANK, Numbers, TrecBlock, TrecReader, other_tag
from app.formats.values import id_of
from app.sentences import message

# Says of the queries and documents that a file has named so far whether the rest of it can be left unread.
Enough = Callable[[Collection[str], Collection[str]], bool]
# Says of a query whether its lines are kept; what is left out takes no memory.
Keeps = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The lines of a run, grouped by query in the order in which queries appear, else in file order.

    `query_index` and `document_index` point into `query_ids` and `document_ids`; the lines of query `i` are
    `starts[i]:starts[i + 1]`. Without scores (`has_scores` is off) `score` is all 0 and every line has a
    rank; with scores `rank` is -1 where the file gives none. `line` is the line of the file.
    """

    tag: str | None
    query_ids: list[str]
    document_ids: Ids
    query_index: array[int] = field(repr=False)
    document_index: array[int] = field(repr=False)
    score: array[float] = field(repr=False)
    rank: array[int] = field(repr=False)
    line: array[int] = field(repr=False)
    starts: array[int] = field(repr=False)
    lines: int
    has_scores: bool


class TrecLines(NamedTuple):
    """All lines of a file, in its order query by query; each pair of query and document occurs once.

    The lines of query i are `starts[i]:starts[i + 1]`; `query`, `rank`, `score` and `line` have a value for
    each line. Where the log has problems they must not be used.
    """

    tag: str | None
    query_ids: list[str]
    starts: Numbers
    query: Numbers
    documents: list[bytes]
    rank: Numbers
    score: Numbers
    line: Numbers


class ColumnBuilder:
    """Takes the lines of a run one by one or many at once, and makes columns of them."""

    def __init__(
        self, *, has_scores: bool | None = None, kind: Kind = "run", keeps: Keeps | None = None
    ) -> None:
        self.kind = kind
        self.keeps: Keeps = keeps or (lambda _query: True)
        self.lines_left_out = 0
        self.tag: str | None = None
        self.queries, self.documents = defaultdict[str, int](count().__next__), Ids()
        self.query, self.document, self.rank, self.line = (array("i") for _ in range(4))
        self.score = array("d")
        self.has_scores = has_scores

    def take(self, block: TrecBlock) -> None:
        """Take lines that were checked."""
        kept = list(map(self.keeps, block.queries))
        if not all(kept):
            lines = len(block.lines)
            block = _kept(block, np.array(kept, bool))
            self.lines_left_out += lines - len(block.lines)
        query = np.array([self.queries[one] for one in block.queries], dtype=np.intc)
        self.query.frombytes(query.repeat(block.lengths).tobytes())
        self.document.extend(map(self.documents.add_encoded, block.documents))
        self.rank.frombytes(block.ranks.tobytes())
        self.score.frombytes(block.scores.tobytes())
        self.line.frombytes(block.lines.tobytes())

    def add(self, line: int, query: str, document: str, rank: int | None, score: float | None) -> None:
        """Take one line.

        :raise BadValueError: An id is unfit, or the line gives no place in the list by the means of the lines
            before it.
        """
        # Each id is checked once: most lines hold known ones.
        query = query if query in self.queries else id_of(query, "query id")
        known = self.documents.find(document)
        document = id_of(document, "document id") if known is None else document
        self.check_order(rank, score)
        if self.has_scores is None:
            self.has_scores = score is not None
        if not self.keeps(query):
            self.lines_left_out += 1
            return
        self.query.append(self.queries[query])
        self.document.append(self.documents.add(document) if known is None else known)
        self.rank.append(NO_RANK if rank is None else rank)
        self.score.append(0.0 if score is None else score)
        self.line.append(line)

    def check_order(self, rank: int | None, score: float | None) -> None:
        """Refuse a line that gives no place in the list, or not by the means of the lines before it."""
        if self.has_scores is not None and self.has_scores is (score is None):
            raise _mixed(self.has_scores)
        if score is None and rank is None:
            raise BadValueError("order", "", "the line has neither rank nor score", "Give one of them.")

    def check_tag(self, tag: str | None) -> None:
        """Refuse a line of another run than the lines before it."""
        if tag is not None and self.tag is not None and tag != self.tag:
            raise other_tag(tag, self.tag)

    def add_pair(self, line: int, query: str, document: str) -> None:
        """Take the ids of a line that is refused, so that what else is wrong with them is found too."""
        if not self.keeps(query):
            self.lines_left_out += 1
            return
        self.query.append(self.queries[query])
        self.document.append(self.documents.add(document))
        self.rank.append(NO_RANK)
        self.score.append(0.0)
        self.line.append(line)

    def columns(self, source: Source, *, best: bool = False) -> RunColumns:
        """Return what was taken, grouped by query, repeated lines once; contradictions go to the log.

        `best` keeps the best of the lines that contradict each other, without a problem: that with the
        highest score, without scores that with the first rank.
        """
        source.log.left_out["unknown"] += self.lines_left_out
        _keep(self, _without_repeats(self, source, best=best))
        if not self.has_scores:
            _refuse_shared_ranks(self, source)
        query = np.frombuffer(self.query, np.intc)
        if np.any(query[1:] < query[:-1]):
            _keep(self, np.argsort(query, kind="stable"))
            query = np.frombuffer(self.query, np.intc)
        starts = np.searchsorted(query, np.arange(len(self.queries) + 1)).astype(np.intc)
        return RunColumns(
            tag=self.tag,
            query_ids=list(self.queries),
            document_ids=self.documents,
            query_index=self.query,
            document_index=self.document,
            score=self.score,
            rank=self.rank,
            line=self.line,
            starts=array("i", starts.tobytes()),
            lines=len(query),
            has_scores=bool(self.has_scores),
        )


def _kept(block: TrecBlock, kept: np.ndarray) -> TrecBlock:
    """Return the lines of the queries that are kept."""
    is_kept = np.repeat(kept, block.lengths)
    return TrecBlock(
        block.lines[is_kept],
        list(compress(block.queries, kept.tolist())),
        block.lengths[kept],
        list(compress(block.documents, is_kept.tolist())),
        block.ranks[is_kept],
        block.scores[is_kept],
    )


def trec_lines(source: Source, kind: Kind, *, best: bool = False) -> TrecLines:
    """Return the lines of a run or of qrels, negative grades too; problems go to the log.

    `best` keeps a document that occurs twice in a list at its best place; else that is a problem.
    """
    reader, numbers = TrecReader(source, kind), defaultdict[str, int](count().__next__)
    columns, documents = tuple(array(code) for code in "iidi"), list[bytes]()
    for block in reader.blocks() if source.head.strip() else ():
        query = np.array([numbers[one] for one in block.queries], dtype=np.intc)
        columns[0].frombytes(query.repeat(block.lengths).tobytes())
        columns[1].frombytes(block.ranks.tobytes())
        columns[2].frombytes(block.scores.tobytes())
        columns[3].frombytes(block.lines.tobytes())
        documents += block.documents
    if not documents:
        source.refuse_empty()
    query, *others = (np.frombuffer(column, column.typecode) for column in columns)
    starts = np.append(0, np.cumsum(np.bincount(query, minlength=len(numbers))))
    if np.any(query[1:] < query[:-1]):
        order = np.argsort(query, kind="stable")
        query, others = query[order], [column[order] for column in others]
        documents = [documents[place] for place in order.tolist()]
    found = TrecLines(reader.tag, list(numbers), starts, query, documents, *others)
    lists = (documents[start:end] for start, end in pairwise(starts.tolist()))
    return found if all(len(set(one)) == len(one) for one in lists) else _once(found, source, kind, best=best)


def _once(lines: TrecLines, source: Source, kind: Kind, *, best: bool) -> TrecLines:
    """Return the lines without those that repeat a pair of query and document."""
    builder = ColumnBuilder(has_scores=True, kind=kind)
    builder.tag = lines.tag
    builder.take(TrecBlock(lines.line, lines.query_ids, np.diff(lines.starts), *lines[4:7]))
    return lines_of(builder.columns(source, best=best))


def lines_of(found: RunColumns) -> TrecLines:
    """Return the lines of a run in another form; without scores each place counts as minus its rank."""
    starts, query, *others = (
        np.frombuffer(column, column.typecode)
        for column in (found.starts, found.query_index, found.rank, found.score, found.line)
    )
    if not found.has_scores:
        others[1] = -others[0].astype(np.float64)
    documents = list(map(found.document_ids.encoded, found.document_index))
    return TrecLines(found.tag, found.query_ids, starts.astype(np.int64), query, documents, *others)


def _mixed(has_scores: bool) -> BadValueError:
    reason = (
        message("the line has no score where the lines before have scores")
        if has_scores
        else message("the line has a score where the lines before have none")
    )
    return BadValueError("order", "", reason, "Score every line, or none.")


def _keep(builder: ColumnBuilder, chosen: np.ndarray | None) -> None:
    """Take the chosen lines in their order; one column after the other, so that few copies exist at once."""
    if chosen is None:
        return
    for name in ("query", "document", "rank", "line", "score"):
        column = getattr(builder, name)
        kept = np.frombuffer(column, np.dtype(column.typecode))[chosen]
        setattr(builder, name, array(column.typecode, kept.tobytes()))


def _without_repeats(builder: ColumnBuilder, source: Source, *, best: bool) -> np.ndarray | None:
    # Sorted in place first: that settles the usual case, no repeat at all, with one column of memory.
    pairs = _pairs(builder)
    pairs.sort()
    if not np.any(pairs[1:] == pairs[:-1]):
        return None
    if best:
        pairs = _pairs(builder)
        place = -np.frombuffer(builder.score) if builder.has_scores else np.frombuffer(builder.rank, np.intc)
        order = np.lexsort((place, pairs))
        first = np.append(True, pairs[order[1:]] != pairs[order[:-1]])
        source.log.left_out["repeated"] += int(np.count_nonzero(~first))
        return np.sort(order[first])
    repeats = list(_same_as_before(_pairs(builder)))
    queries, documents = list(builder.queries), builder.documents
    for earlier, later in repeats:
        if (builder.rank[earlier], builder.score[earlier]) == (builder.rank[later], builder.score[later]):
            source.log.left_out["repeated"] += 1
        else:
            pair = f"{queries[builder.query[later]]} {documents[builder.document[later]]}"
            source.refuse(_twice(builder.kind, pair, builder.line[earlier]), builder.line[later])
    keep = np.ones(len(pairs), bool)
    keep[[later for _, later in repeats]] = False
    return np.flatnonzero(keep)


def _pairs(builder: ColumnBuilder) -> np.ndarray:
    """Return one number for each line's query and document."""
    pairs = np.frombuffer(builder.query, np.intc).astype(np.int64)
    pairs *= max(len(builder.documents), 1)
    pairs += np.frombuffer(builder.document, np.intc)
    return pairs


def _same_as_before(keys: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield (first place of a key, each later place of it)."""
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    first = 0
    for at in np.flatnonzero(same).tolist():
        if not (at and same[at - 1]):
            first = int(order[at])
        yield first, int(order[at + 1])


def _twice(kind: Kind, pair: str, first: int) -> BadValueError:
    reason = message("the query has this document already, on %(line)s")
    if kind == "run":
        remedy = message("Keep one of the two lines, or let --best keep the best place.")
        return BadValueError("document-twice", pair, reason, remedy, line=first)
    return BadValueError("contradiction", pair, reason, "Keep one of the two lines.", line=first)


def _refuse_shared_ranks(builder: ColumnBuilder, source: Source) -> None:
    queries, documents = list(builder.queries), builder.documents
    places = np.frombuffer(builder.query, np.intc).astype(np.int64) << 32
    places += np.frombuffer(builder.rank, np.intc)
    for earlier, later in _same_as_before(places):
        if builder.rank[later] == NO_RANK:
            continue  # a refused line: its rank was bad or is not there
        error = BadValueError(
            "rank-twice",
            builder.rank[later],
            "another document of the query has this rank already, on %(line)s",
            "Give each document of a query a different rank, or give scores.",
            line=builder.line[earlier],
        )
        if builder.line[earlier] == builder.line[later]:
            pair = f"{queries[builder.query[later]]} {documents[builder.document[later]]}"
            error.reason = in_pair(error.reason, pair)
        source.refuse(error, builder.line[later])

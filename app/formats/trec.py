"""TREC runs and qrels, with cells separated by blanks: the one strict reader.

Imports and `score-files` read here. A block of lines is split at once and its numbers are read together; a
block that holds anything odd is read line by line, which finds what is wrong and where. Both ways accept the
same lines and give the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from app.formats.encoding import LINE_LIMIT
from app.formats.errors import BadValueError
from app.formats.faults import Faults
from app.formats.limits import LARGEST_GRADE
from app.formats.rows import Record
from app.formats.schema import TREC_COLUMNS, TREC_NUMBERS, Kind, is_known
from app.formats.source import Source
from app.formats.values import DECIMAL, grade_of, id_of, rank_of, score_of
from app.sentences import message, number_message

Numbers = np.ndarray[Any, Any]
NO_RANK = -1
TREC_REMEDIES = {
    "run": message("Write six columns: query id, Q0, document id, rank, score, name of the ranker."),
    "judgments": message("Write four columns: query id, 0, document id, grade."),
}
_REMEDY_OF_PREDICTIONS = message("Write question, answer and score, with or without a confidence.")
_NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")
_WIDEST = 64
"""Bytes of the longest cell of a plain block."""
# Blanks that part no cells in TREC, and what no id may hold.
_ODD = re.compile(r"[^\S \t\r\n]|[\x7f-\x9f\ufeff]")
# Eight digits are one word: the first 8 - n bytes are made '0', for a number of n digits at its end.
_ZEROS, _SIXES, _HALVES, _VALUES = (0x0101010101010101 * byte for byte in (0x30, 0x06, 0xF0, 0x0F))
_FILL = np.array([_ZEROS >> 8 * digits if digits < 8 else 0 for digits in range(9)], dtype=np.uint64)
_MASK = np.array([((1 << 8 * digits) - 1) << 8 * (8 - digits) for digits in range(9)], dtype=np.uint64)
_MOST_DECIMALS = 24
_POWERS = np.array([10 ** min(power, 19) for power in range(_MOST_DECIMALS + 1)], dtype=np.uint64)
# Exact: powers of ten to 10**27 have few enough binary digits.
_TENS = np.cumprod(np.append(np.longdouble(1), np.full(_MOST_DECIMALS, 10, dtype=np.longdouble)))
_IS_WIDE = np.finfo(np.longdouble).nmant >= 63
_EXACT = 1 << 53


class TrecBlock(NamedTuple):
    """Some lines of a file: each query with the number of its lines, and the other columns line by line.

    The scores of qrels are their grades, and their ranks `NO_RANK`. A refused line with sound ids is among
    them, so that contradictions with it are found too.
    """

    lines: Numbers
    queries: list[str]
    lengths: Numbers
    documents: list[bytes]
    ranks: Numbers
    scores: Numbers


class TrecReader:
    """The lines of a run or of qrels, block by block; problems go to the log. `tag` is the run's."""

    def __init__(self, source: Source, kind: Kind) -> None:
        self.tag: str | None = None
        self._source, self._kind, self._columns = source, kind, TREC_COLUMNS[kind]

    def blocks(self) -> Iterator[TrecBlock]:
        """Yield all lines."""
        for first, block in self._source.blocks():
            yield self._plain(first, block) or self._checked(first, block)

    def _plain(self, first: int, lines: bytes) -> TrecBlock | None:
        """Return a block that holds nothing odd, else None."""
        block = _plain_block(lines, self._columns)
        if block is None:
            return None
        ids = block.gathered(0)
        new = np.append(0, np.flatnonzero((ids[1:] != ids[:-1]).any(axis=1)) + 1)
        queries, lengths = [block.text(0, line) for line in new.tolist()], np.diff(np.append(new, len(ids)))
        documents = block.texts(2)
        numbers = np.arange(first, first + len(documents), dtype=np.intc)
        scores = block.decimals(4 if self._kind == "run" else 3)
        if scores is None:
            return None
        if self._kind == "judgments":
            if np.any(scores != np.rint(scores)) or np.abs(scores).max() > LARGEST_GRADE:
                return None
            return TrecBlock(
                numbers, queries, lengths, documents, np.full(len(scores), NO_RANK, np.intc), scores
            )
        ranks, tags = block.whole_numbers(3), block.gathered(5)
        if ranks is None or np.any(tags != tags[0]) or block.text(5, 0) != (self.tag or block.text(5, 0)):
            return None
        self.tag = block.text(5, 0)
        return TrecBlock(numbers, queries, lengths, documents, ranks, scores)

    def _checked(self, first: int, block: bytes) -> TrecBlock:
        """Return the lines of a block, each read by itself."""
        lines, queries, documents = list[int](), list[str](), list[bytes]()
        ranks, scores = list[int](), list[float]()
        for line, cells in _cells_by_line(self._source, first, block, self._kind):
            faults = Faults()
            query = faults.taken(id_of, cells[0], "query id")
            document = faults.taken(id_of, cells[2], "document id")
            if self._kind == "run":
                # Many tools number from 0; the column is only checked, so both ways are fine.
                rank = faults.taken(rank_of, cells[3], remedy=TREC_REMEDIES["run"])
                # A number in the place of the name: the columns have another order.
                remedy = TREC_REMEDIES["run"] if _NUMBER.fullmatch(cells[5]) else DECIMAL
                score = faults.taken(score_of, cells[4], remedy=remedy)
            else:
                rank, score = NO_RANK, faults.taken(grade_of, cells[3], negative=True)
            sound = not faults.found
            if self._kind == "run":
                faults.taken(self._check_tag, cells[5], sound=sound)
            for fault in faults.found:
                self._source.refuse(fault, line)
            if query is not None and document is not None:
                lines.append(line)
                queries.append(query)
                documents.append(document.encode())
                ranks.append(rank if sound and rank is not None else NO_RANK)
                scores.append(score if sound and score is not None else 0.0)
        return TrecBlock(
            np.array(lines, np.intc),
            queries,
            np.ones(len(lines), np.intp),
            documents,
            np.array(ranks, np.intc),
            np.array(scores, np.float64),
        )

    def _check_tag(self, raw: object, *, sound: bool) -> None:
        tag = id_of(raw, "run tag")
        if self.tag is None:
            # The tag of a line that is refused says nothing about the others.
            self.tag = tag if sound else None
        elif tag != self.tag:
            raise other_tag(tag, self.tag)


def other_tag(tag: str, first: str) -> BadValueError:
    """Return the problem of a line of another run than the lines before it."""
    return BadValueError(
        "tag",
        tag,
        "the run tag differs from '%(name)s', the tag of the lines before",
        "Give one file per run.",
        name=first,
    )


def trec_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield (line, our name -> raw text, nothing) for every line; problems go to the log."""
    for first, block in source.blocks():
        for line, cells in _cells_by_line(source, first, block, kind):
            yield line, dict(zip(("query_id", "_", "doc_id", "grade"), cells, strict=True)), {}


def prediction_records(source: Source, _kind: Kind) -> Iterator[Record]:
    """Yield what IBM Retrieve and Rank predicted: question, answer, score, often its confidence."""
    named = ("query_id", "doc_id", "score", "confidence")
    begins = True
    for line, text in source.lines():
        cells = cells_of(text)
        is_header = begins and cells[2:] and _NUMBER.fullmatch(cells[2]) is None
        begins = begins and not cells
        if is_header or not cells:
            continue
        if len(cells) not in {3, 4}:
            reason = partial(
                number_message,
                "the line has %(num)s column, not %(of)s",
                "the line has %(num)s columns, not %(of)s",
                len(cells),
                of=4,
            )
            source.refuse(BadValueError("columns", text.strip(), reason, _REMEDY_OF_PREDICTIONS), line)
            continue
        fields: dict[str, Any] = dict(zip(named, cells, strict=False))
        confidence = fields.pop("confidence", None)
        yield line, fields, {} if confidence is None else {"confidence": confidence}


def cells_of(text: str) -> list[str]:
    """Return the cells of a line, separated by any number of blanks and tabs."""
    # Not str.split(): Unicode has other blanks, at which it would split an id.
    return [cell for cell in text.rstrip("\r\n").replace("\t", " ").split(" ") if cell]


def _cells_by_line(source: Source, first: int, block: bytes, kind: Kind) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each line; a line of another width goes to the log."""
    wanted = TREC_COLUMNS[kind]
    for line, text in source.lines_of(first, block):
        cells = cells_of(text)
        if line == 1 and len(cells) == wanted and _are_names(cells, kind):
            source.refuse(
                BadValueError(
                    "columns",
                    text.strip(),
                    "the first line names the columns",
                    "Remove it: columns of TREC files have no names.",
                ),
                line,
            )
        elif len(cells) == wanted:
            yield line, cells
        elif cells:
            reason = partial(
                number_message,
                "the line has %(num)s column, not %(of)s",
                "the line has %(num)s columns, not %(of)s",
                len(cells),
                of=wanted,
            )
            source.refuse(BadValueError("columns", text.strip(), reason, TREC_REMEDIES[kind]), line)


def _are_names(cells: list[str], kind: Kind) -> bool:
    return is_known(cells[2], kind) and is_known(cells[TREC_NUMBERS[kind]], kind)


class _PlainBlock:
    """The cells of some lines, as places in their bytes; columns are read at once, without making texts."""

    def __init__(self, data: bytes, starts: Numbers, ends: Numbers) -> None:
        self._data, self._starts, self._ends = data, starts, ends
        self._letters = np.frombuffer(data, np.uint8)

    def text(self, column: int, line: int) -> str:
        """Return one cell."""
        return self._data[self._starts[column, line] : self._ends[column, line]].decode()

    def gathered(self, column: int) -> Numbers:
        """Return the bytes of a column, 0 beyond the end of a cell: uint8 (lines, longest)."""
        start, length = self._starts[column], self._ends[column] - self._starts[column]
        width = int(length.max())
        cells = self._windows(width)[start].view(np.uint8).reshape(-1, width)
        return np.asarray(cells * (np.arange(width) < length[:, None]))

    def texts(self, column: int) -> list[bytes]:
        """Return a column."""
        cells = self.gathered(column)
        texts: list[bytes] = cells.view(f"S{cells.shape[1]}").ravel().tolist()
        return texts

    def whole_numbers(self, column: int) -> Numbers | None:
        """Return a column of up to eight digits without a sign; None if a cell is another."""
        length = self._ends[column] - self._starts[column]
        value, good = self._digits(self._ends[column], length)
        return value.astype(np.intc) if good.all() and int(length.max()) <= 8 else None

    def decimals(self, column: int) -> Numbers | None:
        """Return a column of finite numbers, each rounded once as `float` does; None if a cell is another."""
        start, end = self._starts[column], self._ends[column]
        sign = self._letters[start]
        first = start + ((sign == ord("-")) | (sign == ord("+")))
        points = np.append(np.flatnonzero(self._letters == ord(".")), len(self._letters))
        point = np.minimum(points[np.searchsorted(points, first)], end)
        before, after = point - first, np.maximum(end - point - 1, 0)
        whole, good = self._digits(point, before)
        good &= (before <= 8) & (after <= _MOST_DECIMALS) & (before + after > 0)
        digits = whole * _POWERS.take(after, mode="clip")
        for place in range(0, min(int(after.max()), _MOST_DECIMALS), 8):
            more, is_good = self._digits(end - place, np.clip(after - place, 0, 8))
            good &= is_good & ((more < 1000) | (place < 16))
            digits += more * (10**place)
        # Below 10**19 it is a whole number of 64 bits.
        good &= (before + after <= 19) | (whole == 0)
        value, sure = _divided(digits, np.minimum(after, _MOST_DECIMALS))
        value = np.where(sign == ord("-"), -value, value)
        odd = np.flatnonzero(~(good & sure))
        if len(odd):
            texts = [self._data[a:b] for a, b in zip(start[odd].tolist(), end[odd].tolist(), strict=True)]
            if b"".join(texts).translate(None, b"0123456789.+-eE"):
                return None
            try:
                value[odd] = list(map(float, texts))
            except ValueError:
                return None
        return value if np.isfinite(value).all() else None

    def _digits(self, end: Numbers, length: Numbers) -> tuple[Numbers, Numbers]:
        """Return up to eight digits before each end as a number, and where they are digits."""
        word = self._windows(8)[end - 8].view("<u8") & _MASK.take(length, mode="clip")
        word |= _FILL.take(length, mode="clip")
        good = ((word & _HALVES) == _ZEROS) & (((word + _SIXES) & _HALVES) == _ZEROS)
        word = (word & _VALUES) * 2561 >> 8
        word = (word & 0x00FF00FF00FF00FF) * 6553601 >> 16
        return (word & 0x0000FFFF0000FFFF) * 42949672960001 >> 32, good

    def _windows(self, width: int) -> Numbers:
        """Return a view of the raw bytes from every place on: gathering from it copies nothing else."""
        return np.ndarray((len(self._data) - width + 1,), f"V{width}", self._data, strides=(1,))


def _plain_block(block: bytes, columns: int) -> _PlainBlock | None:
    """Return the cells of whole lines; None if there is any doubt."""
    try:
        if not block.isascii() and _ODD.search(block.decode()):
            return None
    except UnicodeDecodeError:
        return None
    # Blanks around the block, so that no window reaches outside.
    data = b"".join((b" " * _WIDEST, block, b"" if block.endswith(b"\n") else b"\n", b" " * _WIDEST))
    letters = np.frombuffer(data, np.uint8)
    blank, line_ends = letters <= ord(" "), np.flatnonzero(letters == ord("\n"))
    known = len(line_ends) + np.count_nonzero(letters == ord("\t"))
    known += data.count(b"\r\n") if b"\r" in data else 0
    if np.count_nonzero(letters < ord(" ")) != known or b"\x7f" in data:
        return None
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if len(edges) != 2 * columns * len(line_ends) or int(np.diff(line_ends, prepend=0).max()) > LINE_LIMIT:
        return None
    starts, ends = (np.ascontiguousarray(edges[side::2].reshape(-1, columns).T) for side in (0, 1))
    # The last cell of each line ends before its end, and the first one of the next begins after it.
    if np.any(ends[-1] > line_ends) or np.any(starts[0, 1:] < line_ends[:-1]):
        return None
    return _PlainBlock(data, starts, ends) if int((ends - starts).max()) <= _WIDEST else None


def _divided(digits: Numbers, power: Numbers) -> tuple[Numbers, Numbers]:
    """Return `digits / 10**power` as the nearest doubles, and where that is sure.

    A quotient of 64 bits lies on the same side of the middle between two doubles as the true one, or in it.
    """
    if int(digits.max()) <= _EXACT and int(power.max()) <= 22:
        return digits / _TENS.astype(np.float64).take(power), digits > 0
    quotient = digits / _TENS.take(power)
    value = quotient.astype(np.float64)
    steps = 4 * np.abs(quotient - value) / np.spacing(value)
    return value, (digits > 0) & _IS_WIDE & ((steps == 0) | (steps != np.rint(steps)))

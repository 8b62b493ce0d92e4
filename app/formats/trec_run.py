"""TREC runs, fast: plain blocks of lines are taken at once, and only the odd ones line by line.

Both ways accept exactly the same files: a block is plain if nothing in it can be wrong, else the slow way
reads it again and names what is wrong with its line.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

import numpy as np

from app.formats.errors import BadValueError
from app.formats.faults import Faults
from app.formats.limits import LARGEST_RANK, NUMBER_LENGTH
from app.formats.run_columns import ColumnBuilder
from app.formats.source import BLOCK
from app.formats.trec import cells_of, wrong_columns
from app.formats.values import id_of, rank_of, score_of

if TYPE_CHECKING:
    from app.formats.source import Source

COLUMNS = 6
_NEWLINE = 10
_BLANK = 32
_RANK_LENGTH = len(str(LARGEST_RANK))
_PLAIN_BYTES = bytes(byte for byte in range(256) if byte >= _BLANK or byte in b"\t\n\r").replace(b"\x7f", b"")
_SCORE_BYTES = b"0123456789.+-eE"
_RANK_BYTES = b"0123456789"
# Blanks that str.split() parts at although the columns of TREC do not part there.
_ODD_BLANK = re.compile(r"[^\S \t\r\n]")


def trec_run_builder(source: Source) -> ColumnBuilder:
    """Return the lines of a TREC run, taken; problems go to the log."""
    reader = _TrecRun(source)
    for first, block in source.blocks():
        if not reader.take_block(first, block):
            reader.take_lines(first, block)
    return reader.builder


class _TrecRun:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.builder = ColumnBuilder()
        self.builder.has_scores = True
        self._tags: set[str] = set()

    def take_block(self, first: int, block: bytes) -> bool:
        """Take all lines of a plain block; False, with nothing taken, if the block is not plain."""
        cells = _plain_cells(block)
        scores = _scores(cells[4::COLUMNS])
        ranks = _ranks(cells[3::COLUMNS])
        if scores is None or ranks is None:
            return False
        builder = self.builder
        try:
            self._check_tags(set(cells[5::COLUMNS]))
            queries = array("i", map(builder.queries.__getitem__, cells[0::COLUMNS]))
            documents = array("i", map(builder.documents.__getitem__, cells[2::COLUMNS]))
        except BadValueError:
            return False
        builder.query.extend(queries)
        builder.document.extend(documents)
        builder.rank.extend(ranks)
        builder.score.extend(scores)
        builder.line.extend(range(first, first + len(ranks)))
        return True

    def take_lines(self, first: int, block: bytes) -> None:
        """Take the lines one by one; those with a problem go to the log."""
        for line, text in self.source.lines_of(first, block):
            cells = cells_of(text)
            try:
                if cells:
                    self._take_line(line, text, cells)
            except BadValueError as error:
                for fault in self._faults_of(line, cells) or [error]:
                    self.source.refuse(fault, line)

    def _take_line(self, line: int, text: str, cells: list[str]) -> None:
        if len(cells) != COLUMNS:
            raise wrong_columns(text, len(cells), "run")
        query, _, document, rank, score, tag = cells
        # Many tools number from 0; the column is only checked, so both ways are fine.
        self.builder.add(line, query, document, rank_of(rank, lowest=0), score_of(score))
        self._check_tags({tag})

    def _faults_of(self, line: int, cells: list[str]) -> list[BadValueError]:
        """Return all that is wrong with the values of a line; its ids are taken if they can be."""
        if len(cells) != COLUMNS:
            return []
        raw_query, _, raw_document, raw_rank, raw_score, tag = cells
        faults = Faults()
        query = faults.taken(id_of, raw_query, "query id")
        document = faults.taken(id_of, raw_document, "document id")
        faults.taken(rank_of, raw_rank, 0)
        faults.taken(score_of, raw_score)
        sound = not faults.found
        if self._tags:
            faults.taken(self._check_tags, {tag})
        else:  # the tag of a line that is refused says nothing about the others
            faults.taken(id_of, tag, "run tag")
        if not sound and query is not None and document is not None:
            self.builder.add_pair(line, query, document)
        return faults.found

    def _check_tags(self, tags: set[str]) -> None:
        if tags <= self._tags:
            return
        tag = id_of(tags.pop(), "run tag")
        if self.builder.tag is None and not tags:
            self.builder.tag = tag
            self._tags.add(tag)
        else:
            raise BadValueError(
                "tag",
                tag,
                f"the run tag differs from the '{self.builder.tag}' of the lines before",
                "Give one file per run.",
            )


def _plain_cells(block: bytes) -> list[str]:
    """Return the cells of a block in which every line has six; nothing if there is any doubt."""
    if len(block) > 2 * BLOCK or block.translate(None, _PLAIN_BYTES):
        return []
    if block.count(b"\r") != block.count(b"\r\n") or not _has_even_lines(block):
        return []
    try:
        text = block.decode()
    except UnicodeDecodeError:
        return []
    return text.split() if text.isascii() or not _ODD_BLANK.search(text) else []


def _has_even_lines(block: bytes) -> bool:
    letters = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(letters))
    blank = letters <= _BLANK
    starts = np.flatnonzero(blank[:-1] & ~blank[1:]) + 1
    if not blank[0]:
        starts = np.insert(starts, 0, 0)
    if len(starts) != COLUMNS * len(ends):
        return False
    # The sixth cell of each line begins before its end, and the next cell after it.
    return bool(
        np.all(starts[COLUMNS - 1 :: COLUMNS] < ends) and np.all(starts[COLUMNS::COLUMNS] > ends[:-1])
    )


def _scores(cells: list[str]) -> array[float] | None:
    if not _are_made_of(cells, _SCORE_BYTES, NUMBER_LENGTH):
        return None
    try:
        scores = array("d", map(float, cells))
    except ValueError:
        return None
    return scores if np.isfinite(np.frombuffer(scores)).all() else None


def _ranks(cells: list[str]) -> array[int] | None:
    if not _are_made_of(cells, _RANK_BYTES, _RANK_LENGTH):
        return None
    try:
        return array("i", map(int, cells))
    except OverflowError:
        return None


def _are_made_of(cells: list[str], letters: bytes, longest: int) -> bool:
    return (
        bool(cells)
        and not "".join(cells).encode().translate(None, letters)
        and max(map(len, cells)) <= longest
    )

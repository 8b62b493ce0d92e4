"""What another program did to a file before it came here: ids changed, letters broken, quotes added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from app.formats.errors import BadValueError, visible
from app.formats.source import Source
from app.formats.spreadsheets import FORMULA
from app.sentences import message

Row = TypeVar("Row")

LOOKED_AT = 10_000
"""Rows, or ids: what a program does to a file it does from the beginning."""
FEW_IDS = 3
SHARE_OF_IDS, SHARE_OF_TEXTS = 10, 50
"""One of so many is no accident."""
LONGEST = 2_000
SHOWN = 40
_MONTH = "(?:Jan|Feb|Mar|Mär|Mrz|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)"
_CHANGED_ID = re.compile(
    rf"[0-9](?:[.,][0-9]+)?E\+[0-9]{{2,3}}|[0-9]{{1,2}}(?:-|\. ?){_MONTH}|{_MONTH}[- ][0-9]{{2}}"
)
# How two bytes of UTF-8 read in Windows-1252, and what stands for a letter that was lost.
_BROKEN = re.compile(
    "[ÃÂ][\x80-\xbf\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00e2\u20ac|\u00ef\u00bb\u00bf|\ufffd"
)
# What exports for spreadsheets write before texts that would run as formulas.
_GUARDED = re.compile("'[=+@＝＋－＠-]")
_IDS = message(
    "A spreadsheet seems to have changed some ids, such as '%(name)s'. Make the file again from its "
    "source: format the column as text before the ids go in, or use no spreadsheet."
)
_CELLS = message(
    "A spreadsheet may have changed some ids: the cell %(cell)s holds %(what)s, read as '%(name)s'. Make "
    "the file again from its source: format the column as text before the ids go in, or use no spreadsheet."
)
_ID_COLUMNS = frozenset({"query_id", "doc_id"})
_TEXTS = message(
    "Some texts look garbled, such as '%(name)s'. The file was probably saved in a wrong encoding: save it "
    "again as UTF-8, from where the texts are still right."
)
_GUARDS = message(
    "Some cells begin with a quote before =, +, - or @, such as %(name)s. CSV exports for spreadsheets have "
    "it: export the file again as exact text (--data), or remove these quotes."
)


def watched(
    rows: Iterator[Row],
    source: Source,
    ids: Callable[[Row], Iterable[str]],
    texts: Callable[[Row], Iterable[str]] = lambda _row: (),
) -> Iterator[Row]:
    """Yield rows; what another program seems to have done to the first of them becomes hints of the file."""
    found = _Damage()
    for row in islice(rows, LOOKED_AT):
        found.look_at(ids(row), texts(row))
        yield row
    found.tell(source)
    yield from rows


def look_at_cells(source: Source, line: int, theirs: Mapping[str, str]) -> None:
    """Look at what the cells of a row of a spreadsheet really hold; `theirs` names the columns that are read.

    :raise BadValueError: The value of a formula was not saved, or digits of an id are lost.
    """
    doubts = source.doubts.taken(line) if source.doubts is not None else {}
    for ours, name in theirs.items() if doubts else ():
        doubt = doubts.get(name)
        if doubt is None:
            continue
        if doubt.holds == FORMULA:
            raise BadValueError(
                "formula",
                doubt.value,
                "the cell %(cell)s holds a formula whose value was not saved",
                "Open the file in the spreadsheet program and save it again.",
                cell=doubt.cell,
            )
        if ours not in _ID_COLUMNS:
            continue
        if doubt.is_lost:
            raise BadValueError(
                "id-digits",
                doubt.value,
                "the id in cell %(cell)s is a number of which a spreadsheet keeps only the first 15 digits",
                "Make the file again from its source: format the column as text before the ids go in, or use "
                "no spreadsheet.",
                cell=doubt.cell,
            )
        source.log.hint_once(
            doubt.holds, message(str(_CELLS), cell=doubt.cell, what=doubt.holds, name=visible(doubt.value))
        )


def look_at_ids(source: Source, *many: Iterable[str]) -> None:
    """Say as hints of a file what another program seems to have done to its ids."""
    for ids in many:
        found = _Damage()
        for each in islice(ids, LOOKED_AT):
            found.look_at((each,), ())
        found.tell(source)


class _Damage:
    """What was found in some rows: changed ids and guarded cells, and rows with broken texts."""

    def __init__(self) -> None:
        self._rows = self._broken_rows = self._changed_rows = 0
        self._changed: dict[str, None] = {}
        self._broken = self._guarded = ""

    def look_at(self, ids: Iterable[str], texts: Iterable[str]) -> None:
        self._rows += 1
        is_changed = is_broken = False
        for each in ids:
            if _CHANGED_ID.fullmatch(each):
                self._changed[each] = None
                is_changed = True
            self._look_for_guard(each)
        for each in texts:
            self._look_for_guard(each)
            match = None if each.isascii() else _BROKEN.search(each, 0, LONGEST)
            if match is not None:
                is_broken = True
                start = each.rfind(" ", 0, match.start()) + 1
                self._broken = self._broken or each[start : start + SHOWN].split()[0]
        self._changed_rows += is_changed
        self._broken_rows += is_broken

    def _look_for_guard(self, text: str) -> None:
        if not self._guarded and text[:1] == "'" and _GUARDED.match(text):
            self._guarded = text[:SHOWN]

    def tell(self, source: Source) -> None:
        """Give the log of a file what was found."""
        if len(self._changed) >= FEW_IDS or self._changed_rows * SHARE_OF_IDS >= self._rows > 0:
            source.log.hint(message(str(_IDS), name=visible(next(iter(self._changed)))))
        if self._broken_rows * SHARE_OF_TEXTS >= self._rows > 0:
            source.log.hint(message(str(_TEXTS), name=visible(self._broken)))
        if self._guarded and source.format == "csv":
            source.log.hint(message(str(_GUARDS), name=visible(self._guarded)))

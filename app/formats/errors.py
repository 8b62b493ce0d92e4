"""What is wrong with a file, said so that its author can fix it: file, line, value, reason, remedy."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from app.formats.limits import MOST_COLUMNS
from app.sentences import Message, counted, message

PROBLEMS_KEPT = 100
VALUE_LENGTH = 120
_SENTENCE = "%(Reason)s. %(remedy)s"
_LINE, _ROW = message("line %(number)s"), message("row %(number)s")
IN_PAIR = message("%(what)s, in '%(name)s'")
IN_QUERY = message("%(what)s, in the query '%(name)s'")
"""What is wrong in one of several pairs, or queries, of a line: JSON is often one long line."""
# Controls, blanks other than the plain one, marks that turn the writing direction, and lone surrogates.
# A text: only a file with problems needs it compiled.
_INVISIBLE = "[\x00-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff]"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that must be fixed before a file can be imported.

    `member` is the name of one of several files in an archive; then the line is its own. It `is_row` where
    the file is a table without lines, such as a spreadsheet: then the line is the number of its row.
    """

    file: str
    line: int | None
    code: str
    value: str
    reason: str
    remedy: str
    member: str = ""
    is_row: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", visible(self.value))

    @property
    def sentence(self) -> Message:
        """The reason and the remedy, for where the file is known."""
        return message(_SENTENCE, Reason=self.reason, remedy=self.remedy)

    def __str__(self) -> str:
        file = f"{self.member} in {self.file}" if self.member else self.file
        place = file if self.line is None else f"{file}, {place_of(self.line, is_row=self.is_row)}"
        value = f": '{self.value}'" if self.value else ""
        return f"{place}: {self.reason}{value}. {self.remedy}"


class Start(NamedTuple):
    """Where a file of an archive begins in the text of all.

    One that `is_headless` is read without its first line, the names of columns.
    """

    line: int
    name: str
    is_headless: bool = False

    def own(self, line: int) -> int:
        """Return which line of the file a line of the text of all is."""
        return line - self.line + 1 + self.is_headless


class FormatError(ValueError):
    """A file was refused; `problems` are the first 100 of its `total` problems.

    `stopped_at` is the line after which the file was not read, where it was not read to its end: then it has
    at least `total` problems. `hints` are those of `ProblemLog`.
    """

    def __init__(
        self,
        problems: list[Problem],
        total: int | None = None,
        stopped_at: int | None = None,
        hints: Sequence[Message] = (),
    ) -> None:
        self.problems = problems[:PROBLEMS_KEPT]
        self.total = len(problems) if total is None else total
        self.stopped_at = stopped_at
        self.hints = tuple(hints)
        least = "" if stopped_at is None else "at least "
        more = f" ({least}{counted(self.total - 1, 'more problem')})" if self.total > 1 else ""
        super().__init__(f"{self.problems[0]}{more}" if self.problems else "The file was refused.")


class BadValueError(Exception):
    """A value that cannot be right, before its file and line are known; `values` are of both sentences.

    The sentences are made when somebody asks for them: of a file of bad lines only the first are kept. A
    reason that is made otherwise than of a pattern is given as what makes it.
    """

    def __init__(
        self, code: str, value: object, reason: str | Callable[[], str], remedy: str, **values: object
    ) -> None:
        super().__init__(code, value)
        self.code = code
        self.line: int | None = None
        """Where it is, if who found it knows better than who reads the file."""
        self._value, self._reason, self._remedy, self._values = value, reason, remedy, values

    def __str__(self) -> str:
        return self.reason

    @property
    def value(self) -> str:
        """What cannot be right."""
        return str(self._value)

    @value.setter
    def value(self, value: object) -> None:
        self._value = value

    @property
    def reason(self) -> str:
        """What is wrong with it."""
        return self._reason() if callable(self._reason) else message(self._reason, **self._said)

    @reason.setter
    def reason(self, reason: str) -> None:
        self._reason = reason

    @property
    def remedy(self) -> str:
        """What to do."""
        return message(self._remedy, **self._said)

    @property
    def _said(self) -> dict[str, object]:
        line = self._values.get("line")
        return self._values | ({"line": place_of(line)} if isinstance(line, int) else {})

    def name_line(self, place_of: Callable[[int], Message]) -> None:
        """Say of another line that the sentences name where it is, in a file that holds several."""
        if isinstance(line := self._values.get("line"), int):
            self._values["line"] = place_of(line)

    def at(self, file: str, line: int | None) -> Problem:
        """Return the problem that this value is in its file."""
        return Problem(file, line, self.code, self.value, self.reason, self.remedy)


class ProblemLog:
    """The problems of one import: all counted, the first 100 kept; and what was left out on purpose.

    `left_out` counts lines that are no problem and give no row: `"repeated"` for lines equal to an earlier
    one, `"negative"` for negative grades that the caller asked to skip, `"unknown"` for lines of queries that
    it asked to leave out, `"unrated"` for lines of a query's text without a grade. `unread_columns` are the
    names of columns that are not read, the first 1,000. `hints` are sentences about what is no problem, but
    may not be what was meant: what was assumed, and what to do if it is wrong.
    `stopped_at` is the last line that was read, where the others can change nothing. `starts` are the places
    of the files in an archive, by its name: problems name these files and their own lines. `tables` are the
    names of files that have rows instead of lines.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.total = 0
        self.left_out: Counter[str] = Counter()
        self.unread_columns: dict[str, None] = {}
        self.hints: list[Message] = []
        self._hinted: set[str] = set()
        self.stopped_at: int | None = None
        self.starts: dict[str, list[Start]] = {}
        self.tables: set[str] = set()

    def __len__(self) -> int:
        return self.total

    @property
    def keeps_more(self) -> bool:
        """Whether the next problem is kept, not only counted."""
        return len(self.problems) < PROBLEMS_KEPT

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it if it is among the first 100."""
        self.total += 1
        if self.keeps_more:
            self.problems.append(self._in_its_member(problem))

    def refuse(self, error: BadValueError, file: str, line: int | None) -> None:
        """Count a bad value as a problem of this file and line."""
        if not self.keeps_more:
            self.total += 1
            return
        if starts := self.starts.get(file):
            error.name_line(partial(_line_in, starts))
        elif file in self.tables:
            error.name_line(partial(place_of, is_row=True))
        self.add(error.at(file, line))

    def _in_its_member(self, problem: Problem) -> Problem:
        if problem.file in self.tables:
            return replace(problem, is_row=True)
        starts = self.starts.get(problem.file)
        if not starts or problem.line is None or problem.member:
            return problem
        start = _start_of(starts, problem.line)
        return replace(problem, member=visible(start.name), line=start.own(problem.line))

    def hint(self, sentence: Message) -> None:
        """Remember what may not be what was meant, once."""
        if sentence and sentence not in self.hints:
            self.hints.append(sentence)

    def hint_once(self, about: str, sentence: Message) -> None:
        """Remember the first hint about something."""
        if about not in self._hinted:
            self._hinted.add(about)
            self.hint(sentence)

    def leave_out(self, others: Iterable[str]) -> None:
        """Remember the names of columns that are not read."""
        for name in others:
            if name not in self.unread_columns and len(self.unread_columns) < MOST_COLUMNS:
                self.unread_columns[name] = None

    @property
    def columns_left_out(self) -> tuple[str, ...]:
        """The names of columns that were not read, as they are shown; some say why."""
        return tuple(name if isinstance(name, Message) else visible(name) for name in self.unread_columns)

    def raise_if_any(self) -> None:
        """Raise `FormatError` with everything found, file by file in order of lines, if anything was."""
        if self.total:
            files = list(dict.fromkeys(each.file for each in self.problems))
            begins = {
                (file, visible(start.name)): start.line
                for file, starts in self.starts.items()
                for start in starts
            }
            in_order = sorted(
                self.problems,
                key=lambda each: (
                    files.index(each.file),
                    begins.get((each.file, each.member), 0),
                    each.line or 0,
                ),
            )
            raise FormatError(in_order, self.total, self.stopped_at, self.hints)


def _start_of(starts: Sequence[Start], line: int) -> Start:
    return starts[max(bisect_right(starts, line, key=attrgetter("line")) - 1, 0)]


def _line_in(starts: Sequence[Start], line: int) -> Message:
    start = _start_of(starts, line)
    return message("%(line)s of %(name)s", line=place_of(start.own(line)), name=visible(start.name))


def place_of(number: int, *, is_row: bool = False) -> Message:
    """Return where something is in a file: on which line, or in which row of a table."""
    return message(str(_ROW if is_row else _LINE), number=number)


def in_pair(reason: str, pair: str) -> Message:
    """Return what is wrong with a pair of ids whose line has several."""
    return message(str(IN_PAIR), what=reason, name=visible(pair))


def visible(text: str) -> str:
    """Return the text with invisible characters spelled out, cut to 120 characters."""
    shown = re.sub(_INVISIBLE, _spell, text[: VALUE_LENGTH + 1])
    return shown if len(shown) <= VALUE_LENGTH else shown[: VALUE_LENGTH - 1] + "…"


def _spell(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"

"""A file's own ratings and what each is on the project's scale: `4=3,3=2`, `Exact=3`, `0..0.5=0`."""

from __future__ import annotations

import csv
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.formats.errors import BadValueError
from app.formats.limits import LARGEST_GRADE
from app.formats.values import number_of

Target = int | None
"""A grade of the project; None: lines with this value are left out."""
SKIP = "skip"
MOST_VALUES = 101
MOST_TOLD = 10
"""Values that an example of a map names one by one."""
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_WHOLE = re.compile(r"\d{1,7}")
_SCALES = ((0, 1), (0, 2), (0, 3), (1, 4), (0, 4), (1, 5), (0, 5), (0, 10), (0, 100))
# Labels that data sets of the field use, and how good each is, from 0 to 1.
_LABELS = {
    **dict.fromkeys(("exact", "perfect", "highly relevant", "e"), 1.0),
    **dict.fromkeys(("relevant", "true", "yes"), 1.0),
    **dict.fromkeys(("excellent", "substitute", "s", "good"), 2 / 3),
    **dict.fromkeys(("partial", "partially", "partly", "partially relevant", "partly relevant"), 1 / 3),
    **dict.fromkeys(("somewhat relevant", "marginally relevant", "complement", "c", "fair"), 1 / 3),
    **dict.fromkeys(
        ("irrelevant", "not relevant", "not", "none", "nonrelevant", "bad", "poor", "false", "no", "i"), 0.0
    ),
}


def value_key(raw: object) -> str:
    """Return how a value of a file is looked up, empty where there is none.

    3, 3.0 and "3" are one value, and so are Exact and exact.
    """
    if raw is None:
        return ""
    text = " ".join(str(raw).split()) if isinstance(raw, (str, bool)) else str(raw)
    number = _number(text)
    if number is None:
        return text.casefold()
    return str(int(number)) if number.is_integer() else repr(number)


def _number(text: str) -> float | None:
    try:
        return number_of(text, "grade", "grade")
    except BadValueError:
        return None


@dataclass(frozen=True)
class GradeMap:
    """What each value of a file is on the project's scale.

    A range `low..high` holds both of its ends; where two meet, the upper one has the value.
    """

    exact: Mapping[str, Target]
    ranges: tuple[tuple[float, float, Target], ...] = field(default=())

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, Target]]) -> GradeMap:
        """Return the map of some values, written as in the file, or as ranges.

        :raise BadValueError: A value is given twice, or a range ends before it begins.
        """
        exact: dict[str, Target] = {}
        ranges: list[tuple[float, float, Target]] = []
        for value, target in pairs:
            if match := _RANGE.fullmatch(value.strip()):
                low, high = float(match[1]), float(match[2])
                if not (math.isfinite(low) and low <= high and math.isfinite(high)):
                    raise BadValueError(
                        "map", value, "the range ends before it begins", "Write it as 0..0.5=0."
                    )
                ranges.append((low, high, target))
                continue
            key = value_key(value)
            if exact.setdefault(key, target) != target:
                raise BadValueError("map", value, "the value is mapped to two grades", "Keep one of them.")
        return cls(exact, tuple(sorted(ranges, key=lambda each: each[:2])))

    @classmethod
    def read(cls, texts: Iterable[str]) -> GradeMap | None:
        """Return the map that is written as `4=3,3=2,Exact=3`; None where nothing is.

        :raise BadValueError: It is not written so.
        """
        pairs = pairs_of(texts)
        return cls.of(pairs) if pairs else None

    @property
    def targets(self) -> list[int]:
        """The grades of the project that it names."""
        named = [*self.exact.values(), *(target for _, _, target in self.ranges)]
        return [target for target in named if target is not None]

    def target(self, raw: object) -> Target:
        """Return the grade of a value, None where its lines are left out.

        :raise BadValueError: The map does not say.
        """
        key = value_key(raw)
        if key in self.exact:
            return self.exact[key]
        number = _number(key)
        fitting = [] if number is None else [each for each in self.ranges if each[0] <= number <= each[1]]
        if fitting:
            return fitting[-1][2]
        value = " ".join(str(raw).split())
        raise BadValueError(
            "not-mapped",
            raw,
            "the map of grades does not say what this value is",
            "Add it to the map, as --map %(pair)s, or leave such lines out with --map %(skipped)s.",
            pair=option_of([(value, "GRADE")]),
            skipped=option_of([(value, SKIP)]),
        )

    def __str__(self) -> str:
        """Return the map in one form, whatever order it was given in."""
        ranges = [(f"{low!r}..{high!r}", target) for low, high, target in self.ranges]
        return ",".join(f"{value}={target}" for value, target in [*sorted(self.exact.items()), *ranges])


def pairs_of(texts: Iterable[str]) -> list[tuple[str, Target]]:
    """Return the values and grades that are written as `4=3,3=2,Exact=3`.

    A value with a comma is in quotation marks, as `"Yes, mostly"=3`, or its pair is a text of its own.

    :raise BadValueError: They are not written so.
    """
    return [_pair(part) for text in texts for part in _parts(text)]


def option_of(pairs: Iterable[tuple[str, object]]) -> str:
    """Return values and grades as they are written in a shell, for `pairs_of`."""
    return shlex.quote(",".join(f"{_in_quotes(value)}={grade}" for value, grade in pairs))


def _in_quotes(value: str) -> str:
    quoted = value.replace('"', '""')
    return f'"{quoted}"' if "," in value or value.startswith('"') else value


def _parts(text: str) -> list[str]:
    if text.count("=") == 1 and not text.lstrip().startswith('"'):
        return [text]
    try:
        return next(csv.reader([text], skipinitialspace=True), [""])
    except csv.Error:
        return [text]


def _pair(part: str) -> tuple[str, Target]:
    value, sign, grade = part.rpartition("=")
    value, grade = value.strip(), grade.strip()
    if sign and value and grade == SKIP:
        return value, None
    if not (sign and value and _WHOLE.fullmatch(grade)) or int(grade) > LARGEST_GRADE:
        raise BadValueError(
            "map",
            part,
            "this is not VALUE=GRADE",
            "Write it as 4=3,3=2,Exact=3 or as 0..0.5=0, and a value with a comma in quotation marks; "
            "%(skip)s leaves out.",
            skip=SKIP,
        )
    return value, int(grade)


@dataclass(frozen=True)
class FoundGrade:
    """One row of the table that maps grades: what the file says, on how many lines, and a proposal."""

    value: str
    lines: int
    proposed: Target


def table_of(values: Mapping[str, int], low: int, high: int) -> list[FoundGrade]:
    """Return the values of a file with a proposal for each, best last; ranges where there are many numbers.

    Parameters
    ----------
    values
        What the file says (the first spelling of each) -> lines.
    low, high
        The project's scale.
    """
    numbers = {value: number for value in values if (number := _number(value_key(value))) is not None}
    if len(values) > MOST_VALUES:
        return _ranges(
            Counter({numbers[value]: count for value, count in values.items() if value in numbers}), low, high
        )
    scale = _scale_of(numbers.values(), low, high)
    rows = [
        FoundGrade(value, count, _proposed(value_key(value), numbers.get(value), scale, low, high))
        for value, count in values.items()
    ]
    return sorted(rows, key=lambda row: (row.value not in numbers, numbers.get(row.value, 0.0), row.value))


def suggested_map(values: Mapping[str, int], low: int, high: int) -> str:
    """Return a map of the values of a file for a shell, of many numbers as ranges; see `table_of`.

    Negative numbers are left out by it, and labels that nobody knows have the word GRADE.
    """
    numbers = {value: number for value in values if (number := _number(value_key(value))) is not None}
    labels = [value for value in values if value not in numbers][:MOST_TOLD]
    if len(numbers) > MOST_TOLD:
        rows = _ranges(Counter({number: values[value] for value, number in numbers.items()}), low, high)
    else:
        rows = table_of({value: values[value] for value in numbers}, low, high)
    pairs: list[tuple[str, object]] = [
        (row.value, SKIP if row.proposed is None else row.proposed) for row in rows
    ]
    named = table_of({value: values[value] for value in labels}, low, high)
    return option_of(
        [*pairs, *((row.value, "GRADE" if row.proposed is None else row.proposed) for row in named)]
    )


def _ranges(values: Mapping[float, int], low: int, high: int) -> list[FoundGrade]:
    """Return equal parts of the numbers, as many as the project has grades."""
    if not values:
        return []
    first, last, parts = min(values), max(values), high - low + 1
    borders = [float(f"{first + (last - first) * part / parts:.6g}") for part in range(parts + 1)]
    borders[0], borders[-1] = first, last
    shares = list(zip(borders, borders[1:], range(low, high + 1), strict=False))
    counts: Counter[int] = Counter()
    for number, count in values.items():
        counts[[grade for start, end, grade in shares if start <= number <= end][-1]] += count
    return [
        FoundGrade(f"{_short(start)}..{_short(end)}", counts[grade], grade) for start, end, grade in shares
    ]


def _short(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


def scale_in(values: Iterable[str], low: int, high: int) -> tuple[float, float] | None:
    """Return the scale that a file's ratings are probably of; None where none is a number from 0 on."""
    numbers = [
        number for value in values if (number := _number(value_key(value))) is not None and number >= 0
    ]
    return _scale_of(numbers, low, high) if numbers else None


def _scale_of(numbers: Iterable[float], low: int, high: int) -> tuple[float, float]:
    """Return the scale that some numbers are probably of: the project's if they fit, else the narrowest.

    Below 0 a file marks what it does not rate, such as spam: that is no end of a scale.
    """
    known = sorted(number for number in numbers if number >= 0)
    if not known:
        return low, high
    fitting = [scale for scale in ((low, high), *_SCALES) if scale[0] <= known[0] and known[-1] <= scale[1]]
    if not fitting:
        return known[0], known[-1]
    is_whole = all(number.is_integer() for number in known)
    return fitting[0] if is_whole else min(fitting, key=lambda scale: scale[1] - scale[0])


def _proposed(key: str, number: float | None, scale: tuple[float, float], low: int, high: int) -> Target:
    share = _LABELS.get(key)
    if number is not None:
        share = (number - scale[0]) / (scale[1] - scale[0]) if scale[1] > scale[0] else 1.0
    return (
        None
        if share is None or (number is not None and number < 0)
        else low + math.floor(share * (high - low) + 0.5)
    )

"""One value at a time: raw text or JSON in, a checked value out, or `BadValueError` with its remedy."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from app.formats.errors import BadValueError
from app.formats.limits import (
    ID_BYTES,
    LARGEST_GRADE,
    LARGEST_RANK,
    LARGEST_WEIGHT,
    NAME_LENGTH,
    NUMBER_LENGTH,
)
from app.formats.query_texts import QueryText
from app.formats.rows import REASONS
from app.sentences import message

# A plain blank may stand inside an id, but not at its ends, where nobody sees it. One class of signs: with
# alternatives the search takes several times as long.
_BAD_IN_ID = re.compile(
    "[\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\ud800-\udfff]"
)
_BAD_IN_NAME = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BAD_IN_TEXT = re.compile("[\x00\ud800-\udfff]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[0-9]{1,10}")
_WHOLE_AS_DECIMAL = re.compile(r"([0-9]{1,10})\.0{1,20}")
_DIGITS = re.compile(r"[0-9]+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
MOST_OF_SCALE = 11
OFF_SCALE = "off-scale"
"""The code of a grade that a map can bring onto the project's scale."""
DECIMAL = message("Give a finite decimal number.")
_WITH_POINT = message("Write it with a point, as %(name)s.")
_PLACES = message("Number the places 1, 2, 3 and so on.")
_WEIGHT = message("Give a number above 0, at most %(n)s.", n=LARGEST_WEIGHT)
_FROM_SCALE = message("Use a whole number from the scale.")


def are_few(different: int, values: int) -> bool:
    """Return whether values are so few different ones as those of a scale are."""
    return different <= MOST_OF_SCALE and 2 * different <= values


def id_of(raw: object, what: str) -> str:
    """Return an id unchanged; `what` is its plain name, such as "query id"."""
    if isinstance(raw, QueryText):
        if not raw:
            raise BadValueError(
                "id-empty", "", "the text of the query is empty", "Every query needs its text, or an id."
            )
        text_of(raw, "query")
        return raw
    text = str(raw) if type(raw) is int else raw
    if text is None or text == "":
        raise BadValueError(
            "id-empty",
            "",
            "the %(what)s is empty",
            "Where a file has ids, every line needs its %(what)s.",
            what=message(what),
        )
    if not isinstance(text, str):
        raise BadValueError(
            "id-type", raw, "the %(what)s is not a text", "Write the %(what)s in quotes.", what=message(what)
        )
    if bad := _BAD_IN_ID.search(text):
        raise _unfit_id(text, bad.group(), what)
    if text[0] == " " or text[-1] == " ":
        raise _unfit_id(text, " ", what)
    if len(text) > ID_BYTES or len(text.encode()) > ID_BYTES:
        raise BadValueError(
            "id-long",
            text,
            "the %(what)s is longer than %(n)s bytes",
            "Give it a shorter id.",
            what=message(what),
            n=ID_BYTES,
        )
    return text


def _unfit_id(text: str, bad: str, what: str) -> BadValueError:
    if "\ud800" <= bad <= "\udfff":
        return BadValueError(
            "id-surrogate",
            text,
            "the %(what)s holds half a character",
            "Write the file as UTF-8 again.",
            what=message(what),
        )
    if bad.isspace():
        return BadValueError(
            "id-space",
            text,
            "the %(what)s begins or ends with a space, or contains one that is not a plain one",
            "Use plain spaces, and only inside it.",
            what=message(what),
        )
    return BadValueError(
        "id-control",
        text,
        "the %(what)s holds a control character",
        "Remove the invisible character.",
        what=message(what),
    )


def number_of(raw: object, code: str, what: str, remedy: str = DECIMAL) -> float:
    """Return a finite number; only plain decimal notation is read, so no nan, no `1_000`."""
    if isinstance(raw, str):
        # The length first: the pattern tries every way to part a long row of digits.
        if len(raw) > NUMBER_LENGTH or not _NUMBER.fullmatch(raw):
            with_point = ""
            if remedy is not _FROM_SCALE and len(raw) <= NUMBER_LENGTH and _DECIMAL_COMMA.fullmatch(raw):
                remedy, with_point = _WITH_POINT, raw.replace(",", ".")
            raise BadValueError(
                code, raw, "the %(what)s is not a number", remedy, what=message(what), name=with_point
            )
    elif isinstance(raw, bool) or not isinstance(raw, (int, float)):
        raise BadValueError(code, raw, "the %(what)s is not a number", remedy, what=message(what))
    try:
        number = float(raw)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadValueError(code, raw, "the %(what)s is too large for a number", remedy, what=message(what))
    return number


def score_of(raw: object, *, remedy: str = DECIMAL) -> float:
    """Return a score."""
    return number_of(raw, "score", "score", remedy)


def weight_of(raw: object) -> float | None:
    """Return the weight of a query; None where none is given."""
    if raw is None or raw == "":
        return None
    weight = number_of(raw, "weight", "weight", _WEIGHT)
    if weight == 0:
        raise BadValueError(
            "weight",
            raw,
            "a question of weight 0 would not count",
            "Leave the question out, or give it a weight above 0.",
        )
    if not 0 < weight <= LARGEST_WEIGHT:
        raise BadValueError(
            "weight", raw, "the weight is not above 0 and at most %(n)s", _WEIGHT, n=LARGEST_WEIGHT
        )
    return weight


def rank_of(raw: object, *, remedy: str = _PLACES) -> int:
    """Return a rank, counted from 0 or 1; tools also write whole numbers as `1.0`.

    `remedy` is that of what is no whole number.
    """
    if isinstance(raw, str) and (match := _WHOLE_AS_DECIMAL.fullmatch(raw)):
        raw = match[1]
    elif isinstance(raw, float) and raw.is_integer() and 0 <= raw <= LARGEST_RANK:
        raw = int(raw)
    text = str(raw) if type(raw) is int else raw
    if isinstance(text, str) and _WHOLE.fullmatch(text) and int(text) <= LARGEST_RANK:
        return int(text)
    reason = message("the rank is not a whole number")
    if isinstance(text, str) and text.startswith("-") and _WHOLE.fullmatch(text[1:]):
        reason, remedy = message("the rank is below 0"), _PLACES
    if isinstance(text, str) and _DIGITS.fullmatch(text) and len(text.lstrip("0")) >= len(str(LARGEST_RANK)):
        reason, remedy = message("the rank is above %(n)s", n=LARGEST_RANK), _PLACES
    raise BadValueError("rank", raw, reason, remedy)


def grade_of(raw: object, *, negative: bool = False) -> int:
    """Return a grade: whole, though it may be written as `3.0`.

    :raise BadValueError: It is none; a negative one is refused with a code of its own, unless they are
        wanted.
    """
    number = number_of(raw, OFF_SCALE, "grade", _FROM_SCALE)
    if not number.is_integer():
        raise BadValueError(OFF_SCALE, raw, "the grade is not a whole number", _FROM_SCALE)
    if abs(number) > LARGEST_GRADE:
        raise BadValueError(OFF_SCALE, raw, "the grade is beyond %(n)s", _FROM_SCALE, n=LARGEST_GRADE)
    if number < 0 and not negative:
        raise BadValueError(
            "negative", raw, "the grade is negative", "Leave such lines out with --negative skip."
        )
    return int(number)


def text_of(raw: object, what: str) -> str:
    """Return a text unchanged; nothing at all is the empty text."""
    if raw is None:
        return ""
    if not isinstance(raw, str):
        raise BadValueError(
            "text", raw, "the %(what)s is not a text", "Write the %(what)s in quotes.", what=message(what)
        )
    if _BAD_IN_TEXT.search(raw):
        raise BadValueError(
            "text",
            raw,
            "the %(what)s holds a character that cannot be stored",
            "Remove it.",
            what=message(what),
        )
    return raw


def name_of(raw: object, what: str) -> str | None:
    """Return a person's or thing's name on one line, without blanks at its ends; None where it is empty."""
    text = text_of(raw, what).strip()
    if len(text) > NAME_LENGTH or _BAD_IN_NAME.search(text):
        raise BadValueError(
            "name",
            text,
            "the %(what)s is too long or holds control characters",
            "Give a name of at most %(n)s characters on one line.",
            what=message(what),
            n=NAME_LENGTH,
        )
    return text or None


def reason_of(raw: object) -> str | None:
    """Return why there is no grade, None where none is given."""
    text = text_of(raw, "reason")
    if text and text not in REASONS:
        raise BadValueError(
            "reason",
            text,
            "this is not a reason for “can’t judge”",
            "Leave the column out, or use one of %(name)s.",
            name=", ".join(REASONS),
        )
    return text or None


def time_of(raw: object) -> datetime | None:
    """Return a moment in UTC, None where it is empty; a time without an offset is read as UTC."""
    if raw is None or raw == "":
        return None
    try:
        if not isinstance(raw, str) or not raw.isascii():
            raise ValueError  # noqa: TRY301 - every way to be wrong has the same answer
        moment = datetime.fromisoformat(raw)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValueError(
            "time", raw, "the time is not a date and time", "Write it as 2026-11-21T09:30:00Z."
        ) from None

"""JSON Lines: one object per line, read strictly."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from app.formats.damage import look_at_cells
from app.formats.errors import BadValueError
from app.formats.inflate import PARQUET, SPREADSHEET
from app.formats.json_depth import refuse_deep
from app.formats.objects import ObjectFields
from app.formats.rows import Record
from app.formats.schema import Kind, NamedBy
from app.formats.source import Source

DEEPEST = 32
_NAMED_BY: dict[str, NamedBy] = {SPREADSHEET: "row", PARQUET: "table"}


def json_records(source: Source, kind: Kind, columns: Mapping[str, str] | None) -> Iterator[Record]:
    """Yield (line, our name -> value, other name -> value) for every object; problems go to the log."""
    named_by = _NAMED_BY.get(source.encoding, "object")
    fields = ObjectFields(kind, columns, named_by)
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            ours, others = fields.parted(object_of(text))
            if source.doubts is not None:
                look_at_cells(source, line, fields.theirs)
        except BadValueError as error:
            if error.code == "header" and named_by != "object":
                # What one row lacks all of them lack.
                source.refuse(error, 1 if named_by == "row" else None)
                return
            source.refuse(error, line)
            continue
        yield line, ours, others
    fields.refuse_missing(source)


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object that a line holds.

    :raise BadValueError: The line is no object; or a key occurs twice, a number is not finite, objects are
        nested more than 32 deep, or a text holds half a character or a NUL.
    """
    try:
        refuse_deep(text)
        value = DECODER.decode(text)
    except RecursionError:
        raise _too_deep(text) from None
    except json.JSONDecodeError as error:
        raise BadValueError(
            "json",
            text.strip(),
            "the line is not JSON (at character %(n)s)",
            "Write one object per line.",
            n=min(error.pos, len(text.rstrip())) + 1,
        ) from None
    except ValueError:
        raise BadValueError(
            "json-number", text.strip(), "a number has too many digits", "Write long numbers in quotes."
        ) from None
    if not isinstance(value, dict):
        raise BadValueError(
            "json", text.strip(), "the line is not a JSON object", "Write one object per line."
        )
    if "\\u" in text or text.count("{") + text.count("[") > DEEPEST:
        check_value(value, text)
    return value


def check_value(value: object, text: str) -> None:
    """Refuse what is nested more than 32 deep, or a text with half a character or a NUL."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.keys()
                inner += each.values()
            elif isinstance(each, list):
                inner += each
            elif isinstance(each, str):
                _check_text(each)
        level = inner
    if level:
        raise _too_deep(text)


def _check_text(text: str) -> None:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadValueError(
            "json-text", text, "a text holds NUL or half a character", "Remove it, or write the file again."
        )


def _too_deep(text: str) -> BadValueError:
    return BadValueError(
        "json-depth",
        text.strip(),
        "the object is nested more than %(n)s deep",
        "Use fewer levels.",
        n=DEEPEST,
    )


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadValueError("json-key", twice, "a key appears twice in one object", "Keep one of them.")
    return value


def _constant(name: str) -> NoReturn:
    raise BadValueError(
        "json-number", name, "the value is not a number that JSON knows", "Give a finite number."
    )


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadValueError("json-number", text, "the number is too large", "Give a finite number.")
    return number


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)

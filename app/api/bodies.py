"""JSON bodies, read strictly: an object with known keys only, and plain values of the expected kinds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NoReturn
from uuid import UUID

from flask import Flask, Response, abort, request

from app.formats.errors import visible
from app.http.errors import problem

WHOLE = 2**31 - 1
NO_JSON = "The body is not JSON."
NO_JSON_BODY: dict[str, Any] = {
    "field": "body",
    "value": None,
    "remedy": "Send JSON in UTF-8, each key once.",
}


class BodyError(ValueError):
    """The body of a request is not what this address takes; the message is one sentence."""

    def __init__(
        self, message: str, *, code: str = "bad_body", field: str, value: str | None, remedy: str
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details = {"field": field, "value": value, "remedy": remedy}


def install(app: Flask) -> None:
    """Answer bodies that cannot be read with a problem document like all other errors."""
    app.register_error_handler(BodyError, _on_body_error)


def _on_body_error(error: BodyError) -> Response:
    return problem(400, error.code, error.message, **error.details)


def read_object(required: set[str], optional: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """Return the body as an object that holds the required keys and, of others, only the optional ones.

    :raise BodyError: It is no such object; the sentence names the key.
    :raise UnsupportedMediaType: It is not declared as JSON.
    """
    refuse_encoding()
    if request.mimetype != "application/json":
        abort(415)
    body = _parsed(request.get_data())
    if not isinstance(body, dict):
        raise BodyError(
            "The body is not a JSON object.",
            field="body",
            value=shown(body),
            remedy='Send a JSON object, such as {"name": "Kettles"}.',
        )
    known = ", ".join(sorted(required | optional))
    if unknown := sorted(body.keys() - required - optional):
        raise BodyError(
            f"The key {unknown[0][:60]!r} is not known here.",
            code="unknown_key",
            field=visible(unknown[0]),
            value=shown(body[unknown[0]]),
            remedy=f"Leave it out, or check its spelling: the keys are {known}.",
        )
    if missing := sorted(required - body.keys()):
        raise BodyError(
            f"The key {missing[0]!r} is missing.",
            code="missing_key",
            field=missing[0],
            value=None,
            remedy="Add it.",
        )
    return body


def refuse_encoding(*known: str) -> None:
    """Refuse a body that is packed in a way that is not read here.

    :raise UnsupportedMediaType: It is.
    """
    if request.headers.get("Content-Encoding", "identity").lower() not in {"identity", *known}:
        abort(415)


def uuid_of(body: dict[str, Any], key: str) -> UUID:
    """Return a UUID of the body, written in its usual form."""
    value = body[key]
    try:
        number = UUID(value) if isinstance(value, str) else None
    except ValueError:
        number = None
    # `UUID` also reads braces and urn:; one spelling is enough to be sure that two ids differ.
    if number is None or str(number) != value.lower():
        _refuse(key, value, "a UUID such as 8f14e45f-ceea-467f-a83d-5b1c1e6a2f10")
    return number


def uuids_of(body: dict[str, Any], key: str, *, most: int) -> frozenset[UUID]:
    """Return a list of UUIDs of the body, up to a limit; none where the key is missing."""
    values = body.get(key, [])
    if not isinstance(values, list) or len(values) > most:
        _refuse(key, values, f"a list of at most {most} UUIDs")
    return frozenset(uuid_of({key: value}, key) for value in values)


def whole_of(body: dict[str, Any], key: str) -> int:
    """Return a whole number of the body; true and false are none."""
    value = body[key]
    if not isinstance(value, int) or isinstance(value, bool) or not -WHOLE <= value <= WHOLE:
        _refuse(key, value, "a whole number")
    return value


def flag_of(body: dict[str, Any], key: str) -> bool:
    """Return true or false of the body."""
    value = body[key]
    if not isinstance(value, bool):
        _refuse(key, value, "true or false")
    return value


def text_of(body: dict[str, Any], key: str) -> str:
    """Return a text of the body; it can be stored everywhere, so NUL and lone surrogates are refused."""
    value = body[key]
    if not isinstance(value, str) or "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
        _refuse(key, value, "a text")
    return value


def texts_of(body: dict[str, Any], key: str) -> dict[str, str]:
    """Return an object of the body that holds texts only."""
    value = body[key]
    if not isinstance(value, dict):
        _refuse(key, value, "an object of texts")
    return {name: text_of(value, name) for name in value}


def moment_of(body: dict[str, Any], key: str) -> datetime:
    """Return a moment of the body, in UTC."""
    value = body[key]
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        moment = moment.astimezone(UTC) if moment is not None and moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        _refuse(key, value, "a time with its zone, such as 2026-03-01T12:00:00Z")
    return moment


def choice_of(body: dict[str, Any], key: str, choices: tuple[str, ...]) -> str:
    """Return one of a few words of the body."""
    value = body[key]
    if value not in choices:
        _refuse(key, value, f"one of {', '.join(choices)}")
    return str(value)


def shown(value: object) -> str:
    """Return a value of a JSON body as refusals show it: one that holds others by its kind alone."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return visible(str(value))


def _refuse(key: str, value: object, wanted: str) -> NoReturn:
    raise BodyError(
        f"{key} is not {wanted}.",
        code="bad_value",
        field=key,
        value=shown(value),
        remedy=f"Give {wanted}.",
    )


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BodyError(NO_JSON, **NO_JSON_BODY) from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")

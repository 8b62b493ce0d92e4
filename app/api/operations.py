"""What an address of the API takes and answers, said once: read by its view, and by `openapi.py`.

`@operation(...)` below `@allow(...)` describes a view; `arguments()` reads what its address may carry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from flask import current_app, request

from app.api.bodies import BodyError, shown
from app.formats.errors import visible
from app.http.limits import DESCRIBED

View = TypeVar("View", bound="Callable[..., Any]")
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
WORDS = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One value of an address, or one key of a JSON body.

    Attributes
    ----------
    several
        It may be given more than once; its value is a list.
    low, high
        The smallest and the largest number.
    longest, shortest
        How many characters a text may and must have.
    example
        A value that works in the project `demo` of the tests.
    """

    name: str
    about: str
    kind: type = str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    longest: int = 500
    shortest: int = 1
    default: Any = None
    required: bool = False
    several: bool = False
    example: Any = None

    @property
    def wanted(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return f"a text of {self.shortest} to {self.longest} characters on one line"
        noun = "a whole number" if self.kind is int else "a number"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        return noun if self.low is None else f"{noun}, {self.low:g} or more"

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        found: dict[str, Any] = {"type": NAMES[self.kind]}
        if self.choices:
            found["enum"] = list(self.choices)
        elif self.kind is str:
            found |= {"minLength": self.shortest, "maxLength": self.longest}
        if self.low is not None:
            found["minimum"] = self.low
        if self.high is not None:
            found["maximum"] = self.high
        if self.several:
            return {"type": "array", "items": found}
        return found if self.default is None else found | {"default": self.default}

    def read(self, text: str) -> Any:
        """Return the value that a text means.

        :raise BodyError: It means none; the sentence names parameter, value and remedy.
        """
        value = self._value_of(text)
        if value is None:
            raise BodyError(
                f"{self.name} is {visible(text)!r}, not {self.wanted}.",
                code="bad_value",
                field=self.name,
                value=visible(text),
                remedy=f"Give {self.wanted}.",
            )
        return value

    def _value_of(self, text: str) -> Any:
        if self.choices:
            return text if text in self.choices else None
        if self.kind is bool:
            return WORDS.get(text)
        if self.kind is str:
            is_storable = text.isprintable() and not any("\ud800" <= sign <= "\udfff" for sign in text)
            fits = len(text.strip()) >= self.shortest and len(text) <= self.longest
            return text if fits and is_storable else None
        return self._number_of(text)

    def _number_of(self, text: str) -> Any:
        if not text.isascii() or len(text) > 25 or "_" in text or text != text.strip():
            return None
        try:
            number = self.kind(text)
        except ValueError:
            return None
        is_low = self.low is not None and number < self.low
        is_high = self.high is not None and number > self.high
        return None if is_low or is_high or not math.isfinite(number) else number


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a view does, takes and answers.

    Attributes
    ----------
    file
        What the file in the body is; empty where the body is none.
    file_example
        Such a file.
    body
        The keys of a JSON body.
    answer
        The shape of the answer's JSON (see `openapi.schema_of`), its media type, or a set of these.
    statuses
        With which the answer comes.
    refusals
        Statuses of problems, beyond those that `openapi.py` knows from the kind of the view.
    """

    summary: str
    about: str = ""
    parameters: tuple[Parameter, ...] = ()
    file: str = ""
    file_example: str = ""
    body: tuple[Parameter, ...] = ()
    answer: Any = field(default_factory=dict)
    statuses: tuple[int, ...] = (200,)
    refusals: tuple[int, ...] = ()


def operation(summary: str, **values: Any) -> Callable[[View], View]:
    """Describe a view; put it below `@allow`."""

    def describe(view: View) -> View:
        setattr(view, DESCRIBED, Operation(summary=summary, **values))
        return view

    return describe


def operation_of(endpoint: str) -> Operation | None:
    """Return what a view says of itself; None for what is no part of the public API."""
    found = getattr(current_app.view_functions[endpoint], DESCRIBED, None)
    return found if isinstance(found, Operation) else None


def arguments() -> dict[str, Any]:
    """Return the values of this request's address, with those that were not given at their defaults.

    :raise BodyError: A value cannot be right, is missing, is given twice, or is not known here.
    """
    described = operation_of(request.endpoint or "")
    assert described is not None
    known = {each.name: each for each in described.parameters}
    for name in request.args:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise BodyError(
                f"{visible(name)!r} is not known here: this address takes {listed}.",
                code="unknown_parameter",
                field=visible(name),
                value=visible(request.args[name]),
                remedy="Leave it out, or check its spelling.",
            )
    return {name: _value_of(each, request.args.getlist(name)) for name, each in known.items()}


def _value_of(parameter: Parameter, given: list[str]) -> Any:
    if parameter.several:
        return [parameter.read(text) for text in given]
    if len(given) > 1:
        raise BodyError(
            f"{parameter.name} is given {len(given)} times.",
            code="repeated_parameter",
            field=parameter.name,
            value=visible(", ".join(given)),
            remedy="Give it once.",
        )
    if given:
        return parameter.read(given[0])
    if parameter.required:
        raise BodyError(
            f"{parameter.name} is missing: {parameter.about}",
            code="missing_parameter",
            field=parameter.name,
            value=None,
            remedy=f"Give {parameter.wanted}.",
        )
    return parameter.default


def chosen_values(body: dict[str, Any], keys: tuple[Parameter, ...]) -> dict[str, Any]:
    """Return the values of the keys that a JSON body holds, each of the very kind that it should be.

    :raise BodyError: One is not; the sentence names key, value and remedy.
    """
    return {each.name: _checked(each, body[each.name]) for each in keys if each.name in body}


def _checked(key: Parameter, value: Any) -> Any:
    if key.several and isinstance(value, list):
        return [_checked(replace(key, several=False), each) for each in value]
    kind = (int, float) if key.kind is float else key.kind
    if key.several or not isinstance(value, kind) or isinstance(value, bool) is not (key.kind is bool):
        wanted = f"a list, each of it {key.wanted}" if key.several else key.wanted
        raise BodyError(
            f"{key.name} is {shown(value)!r}, not {wanted}.",
            code="bad_value",
            field=key.name,
            value=shown(value),
            remedy=f"Give {wanted}.",
        )
    return value if key.kind is bool else key.read(str(value))

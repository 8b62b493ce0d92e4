"""The description of the API (OpenAPI 3.1), made from what its views say of themselves."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, current_app, json, request
from werkzeug.routing import Rule

from app.api.conditional import kept
from app.api.idempotency import ATTRIBUTE as ONCE
from app.api.idempotency import HEADER, LONGEST
from app.api.operations import NAMES, Operation, Parameter
from app.formats.exported import FORMS
from app.http import Access, allow
from app.http.assets import current_build
from app.http.limits import DESCRIBED
from app.http.permissions import access_of, scopes_of
from app.services.accounts.tokens import MEANINGS, Scope
from config import VERSION

blueprint = Blueprint("api_description", __name__)

CLIENT = Path(__file__).with_name("client.py")
ADDRESS = {
    "slug": Parameter(name="slug", about="The short name of the project, as in its address.", example="demo"),
    "run_id": Parameter(name="run_id", about="The number of a version, as `runs` lists it.", kind=int),
    "webhook_id": Parameter(name="webhook_id", about="The number of a webhook, as its list tells.", kind=int),
    "delivery_id": Parameter(
        name="delivery_id", about="The number of a message, as its list tells.", kind=int
    ),
    "name": Parameter(name="name", about="What is written.", choices=tuple(FORMS), example="qrels"),
    "job_id": Parameter(name="job_id", about="The number of the job, as its push has answered it."),
}
KEY = Parameter(
    name=HEADER,
    about="Sent again with the same key, a request is done once, and answered the same for a day.",
    longest=LONGEST,
)
FILES = ("application/octet-stream", "text/plain", "text/csv", "application/x-ndjson", "application/gzip")
ABOUT = """\
Send a token with each request, as `Authorization: Bearer tsk_...`. One made under *Account* can do what its
user can do; one made with `flask --app app token create`, what owners can do. Scopes limit both:

{scopes}

Every error returns a problem document (RFC 9457): `detail` is a sentence, `code` is for
programs, and `field`, `value` and `remedy` say what to change where one value is wrong. What does not exist
and what you may not see both return 404. If a response has an `ETag`, send it as `If-None-Match` next time:
unchanged data is not sent again.
`RateLimit-Remaining` says how many requests may follow at once, and `Retry-After` when to ask again.
"""
PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "value": {"type": ["string", "null"]},
        "remedy": {"type": "string"},
        "total": {"type": "integer", "description": "How many problems a file has."},
        "total_is_exact": {
            "type": "boolean",
            "description": "False if the file was not read to its end: then it has at least `total`.",
        },
    },
}
PROBLEMS = {
    400: "A value or the body cannot be right.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The token lacks a scope.",
    404: "There is nothing here, or not for this token.",
    409: "The present state does not allow it.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "The body is not of a kind that is read here.",
    422: "A value or a file is not acceptable.",
    429: "Too many requests.",
    503: "The database is busy.",
    507: "The server's disk is nearly full.",
}


@blueprint.get("/api/v1/openapi.json")
@allow(Access.PUBLIC)
def get_description() -> Response:
    """Return the description of the API."""
    text = _text(current_app._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001
    response = current_app.response_class(text, mimetype="application/json")
    kept(response, current_build())
    response.make_conditional(request)
    return response


@blueprint.get("/api/client.py")
@allow(Access.PUBLIC)
def get_client() -> Response:
    """Return the client: one file that needs nothing else."""
    response = current_app.response_class(CLIENT.read_text(encoding="utf-8"), mimetype="text/x-python")
    response.headers["Content-Disposition"] = 'attachment; filename="client.py"'
    kept(response, current_build())
    response.make_conditional(request)
    return response


@lru_cache(2)
def _text(app: Flask) -> str:
    return json.dumps(description_of(app))


def description_of(app: Flask) -> dict[str, Any]:
    """Return the description of every view that says what it does."""
    paths: dict[str, dict[str, Any]] = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        described = getattr(app.view_functions[rule.endpoint], DESCRIBED, None)
        if not isinstance(described, Operation):
            continue
        path = rule.rule
        for name in rule.arguments:
            for kind in ("", "int:"):
                path = path.replace(f"<{kind}{name}>", f"{{{name}}}")
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            paths.setdefault(path, {})[method.lower()] = _operation(app, rule, method, described)
    scopes = "\n".join(f"- `{scope}`: {MEANINGS[scope]}" for scope in Scope)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Touchstone", "version": VERSION, "description": ABOUT.format(scopes=scopes)},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": PROBLEM},
            "responses": {
                str(status): {
                    "description": told,
                    "content": {
                        "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                    },
                }
                for status, told in PROBLEMS.items()
            },
        },
    }


def _operation(app: Flask, rule: Rule, method: str, described: Operation) -> dict[str, Any]:
    scopes = [scope for scope in Scope if scope in scopes_of(app, rule.endpoint)]
    access = access_of(app, rule.endpoint)
    needed = f"Scope: {' or '.join(scopes)}. Open to {access.value if access else ''}."
    found: dict[str, Any] = {
        "operationId": rule.endpoint.partition(".")[2],
        "tags": [rule.endpoint.partition(".")[0].removeprefix("api_")],
        "summary": described.summary,
        "description": f"{described.about} {needed}".strip(),
        "parameters": [
            *(_parameter(ADDRESS[name], "path") for name in sorted(rule.arguments, key=rule.rule.index)),
            *(_parameter(each, "query") for each in described.parameters),
            *([_parameter(KEY, "header")] if _is_done_once(app, rule) else []),
        ],
        "responses": _answers(described, method)
        | {
            str(status): {"$ref": f"#/components/responses/{status}"}
            for status in problems_of(app, rule, described)
        },
    }
    if described.file:
        text = {"schema": {"type": "string"}, "example": described.file_example}
        records = {"schema": {"type": "array", "items": {"type": "object"}}}
        found["requestBody"] = {
            "required": True,
            "description": described.file,
            "content": {**dict.fromkeys(FILES, text), "application/json": records},
        }
    elif described.body:
        found["requestBody"] = {"required": True, "content": {"application/json": _body(described.body)}}
    return found


def _parameter(parameter: Parameter, place: str) -> dict[str, Any]:
    found = {
        "name": parameter.name,
        "in": place,
        "description": parameter.about,
        "required": parameter.required or place == "path",
        "schema": parameter.schema(),
    }
    return found if parameter.example is None else found | {"example": parameter.example}


def _body(keys: tuple[Parameter, ...]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": [each.name for each in keys if each.required],
        "properties": {each.name: each.schema() | {"description": each.about} for each in keys},
        "additionalProperties": False,
    }
    return {
        "schema": schema,
        "example": {each.name: each.example for each in keys if each.example is not None},
    }


def _is_done_once(app: Flask, rule: Rule) -> bool:
    return getattr(app.view_functions[rule.endpoint], ONCE, False)


def problems_of(app: Flask, rule: Rule, described: Operation) -> list[int]:
    """Return the statuses with which an address may refuse, by what its view declares."""
    found = {400, 401, 413, 414, 429, 503, *described.refusals}
    if scopes_of(app, rule.endpoint) != {*Scope}:
        found.add(403)
    if rule.arguments or access_of(app, rule.endpoint) is Access.MAKE:
        found.add(404)
    if _is_done_once(app, rule):
        found |= {409, 422}
    if described.file or described.body:
        found.add(415)
    if described.file:
        found.add(507)
    return sorted(found)


def _answers(described: Operation, method: str) -> dict[str, Any]:
    if isinstance(described.answer, str | frozenset):
        kinds = {described.answer} if isinstance(described.answer, str) else described.answer
        text = {"type": "string"}
        content = {kind: {"schema": {} if kind == "application/json" else text} for kind in sorted(kinds)}
    else:
        content = {"application/json": {"schema": schema_of(described.answer)}}
    found: dict[str, Any] = {}
    for status in described.statuses:
        told = {200: "Done.", 201: "Made.", 202: "The work continues: ask for the job."}[status]
        working = {"application/json": {"schema": schema_of({"job": str, "state": ("working",)})}}
        found[str(status)] = {"description": told, "content": working if status == 202 else content}
    if method == "GET":
        found["304"] = {"description": "The caller has it already."}
    return found


def schema_of(shape: Any) -> dict[str, Any]:
    """Return the JSON Schema of a shape written in Python.

    A type stands for itself, `Any` for anything, `{"a": int, "b?": str}` for an object in which b may be
    missing, `{str: float}` for one with any keys, `[shape]` for an array, `[a, b]` for one or the other, a
    tuple of words for one of them, and `(shape, None)` for a shape or null.
    """
    if isinstance(shape, type) and shape in NAMES:
        return {"type": NAMES[shape]}
    if isinstance(shape, dict):
        return _object_of(shape)
    if isinstance(shape, list):
        several = {"anyOf": [schema_of(each) for each in shape]}
        return several if len(shape) > 1 else {"type": "array", "items": schema_of(shape[0])}
    if isinstance(shape, tuple):
        nullable = shape[-1] is None
        words = {"type": "string", "enum": list(shape)}
        return {"anyOf": [schema_of(shape[0]), {"type": "null"}]} if nullable else words
    return {}


def _object_of(shape: dict[Any, Any]) -> dict[str, Any]:
    if str in shape:
        return {"type": "object", "additionalProperties": schema_of(shape[str])}
    return {
        "type": "object",
        "required": [name for name in shape if not name.endswith("?")],
        "properties": {name.removesuffix("?"): schema_of(each) for name, each in shape.items()},
    }

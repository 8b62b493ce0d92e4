"""The description of the API: whole, made from the code, and its examples work."""

import pytest

from app.api.openapi import schema_of
from app.api.operations import operation_of
from app.http.permissions import scopes_of
from tests.api.conftest import WHOLE
from tests.furniture.routes import MAP

OPERATIONS = [(method, path) for path, methods in WHOLE["paths"].items() for method in methods]


def test_everybody_may_read_it_once(client):
    first = client.get("/api/v1/openapi.json")
    again = client.get("/api/v1/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert first.json == WHOLE
    assert first.json["openapi"].startswith("3.1")
    assert again.status_code == 304


def test_whatever_a_token_opens_is_described():
    with MAP.app_context():
        for rule in MAP.url_map.iter_rules():
            is_open = bool(scopes_of(MAP, rule.endpoint))

            assert is_open == (operation_of(rule.endpoint) is not None), rule.rule


def test_every_operation_has_its_own_name():
    names = [WHOLE["paths"][path][method]["operationId"] for method, path in OPERATIONS]

    assert len(set(names)) == len(names)


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS, reverse=True))
def test_every_example_works(demo, program, examples, method, path):
    described = WHOLE["paths"][path][method]
    query = {}
    for parameter in described["parameters"]:
        value = examples.get(parameter["name"], parameter.get("example"))
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(value))
        elif "example" in parameter:
            query[parameter["name"]] = parameter["example"]
    content = described.get("requestBody", {}).get("content", {})
    body = {}
    if "text/plain" in content:
        body = {"data": content["text/plain"]["example"].encode(), "content_type": "text/plain"}
    elif content:
        body = {"json": content["application/json"]["example"]}

    reply = program.open(path, method=method.upper(), query_string=query, **body)

    assert reply.status_code in {200, 201}, reply.text
    answered = described["responses"][str(reply.status_code)]["content"]
    assert reply.mimetype in answered
    if reply.mimetype == "application/json":
        assert faults_of(reply.json, answered["application/json"]["schema"]) == []


def faults_of(value, schema, place="answer"):
    """Return where a value is not what a schema of ours says."""
    if "anyOf" in schema:
        found = [faults_of(value, each, place) for each in schema["anyOf"]]
        return [] if [] in found else min(found, key=len)
    if "enum" in schema:
        return [] if value in schema["enum"] else [place]
    kind = schema.get("type")
    if kind == "object":
        if not isinstance(value, dict):
            return [place]
        missing = [f"{place}.{name}" for name in schema.get("required", []) if name not in value]
        known = schema.get("properties", {})
        more = schema.get("additionalProperties")
        inner = [
            fault
            for name, each in value.items()
            for fault in faults_of(each, known.get(name, more or {}), f"{place}.{name}")
        ]
        unknown = [f"{place}.{name}" for name in value if known and name not in known]
        return missing + inner + unknown
    if kind == "array":
        return (
            [
                fault
                for n, each in enumerate(value)
                for fault in faults_of(each, schema["items"], f"{place}[{n}]")
            ]
            if isinstance(value, list)
            else [place]
        )
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    is_bool = isinstance(value, bool) and kind in {"integer", "number"}
    return [] if kind is None or (isinstance(value, kinds[kind]) and not is_bool) else [place]


@pytest.mark.parametrize(
    ("shape", "schema"),
    [
        (int, {"type": "integer"}),
        ((float, None), {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        (("a", "b"), {"type": "string", "enum": ["a", "b"]}),
        ([str], {"type": "array", "items": {"type": "string"}}),
        ({"a?": bool}, {"type": "object", "required": [], "properties": {"a": {"type": "boolean"}}}),
        ({str: int}, {"type": "object", "additionalProperties": {"type": "integer"}}),
    ],
)
def test_shapes_are_written_as_schemas(shape, schema):
    assert schema_of(shape) == schema

"""Lanes: what streams or hashes says so, so that it has threads of its own."""

import ast
import inspect

import pytest
from flask import request

from app.http import lanes, permissions
from app.http.lanes import Lane, lane_of
from app.web.auth import security, views
from tests.furniture.routes import MAP, ROUTES

HASHING = {"hash_password", "check_password", "matches"}


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.mark.thorough
def test_every_route_that_streams_is_declared(app, two_projects, client_of):
    client = client_of(two_projects.admin)
    streaming = set()

    def look(response):
        if response.is_streamed and not response.direct_passthrough:
            streaming.add(request.endpoint)
        return response

    app.after_request_funcs.setdefault(None, []).append(look)
    for route in ROUTES:
        if route.is_unsafe and "export" not in str(route):
            continue
        route.ask(client, two_projects.here.parts(two_projects.admin)).close()

    assert streaming
    declared = {name for name, view in MAP.view_functions.items() if hasattr(view, lanes.STREAMS)}
    assert streaming <= declared


@pytest.mark.parametrize("module", [views, security])
def test_every_form_that_hashes_a_password_is_declared(module):
    uses = {
        function.name: {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        for function in ast.parse(inspect.getsource(module)).body
        if isinstance(function, ast.FunctionDef)
    }
    hashing = set(HASHING)
    while more := {name for name, used in uses.items() if used & hashing} - hashing:
        hashing |= more

    found = {name for name in hashing & uses.keys() if hasattr(getattr(module, name), permissions.ATTRIBUTE)}
    declared = {name for name in uses if hasattr(getattr(module, name), lanes.HASHES)}
    assert found
    assert found == declared


@pytest.mark.parametrize(
    ("method", "path", "lane"),
    [
        ("PUT", "/api/v1/candidates/1/judgment", Lane.RATINGS),
        ("GET", "/sign-in", Lane.PAGES),
        ("POST", "/sign-in", Lane.PASSWORDS),
        ("POST", "/set-up/x", Lane.PASSWORDS),
        ("POST", "/p/here/rate", Lane.FORMS),
        ("GET", "/api/v1/projects/here/exports/documents", Lane.EXPORTS),
        ("HEAD", "/api/v1/projects/here/exports/documents", Lane.EXPORTS),
        ("POST", "/p/here/export/documents", Lane.EXPORTS),
        ("GET", "/p/here/rate/1", Lane.PAGES),
        ("GET", "/p/here/", Lane.RESULTS),
        ("GET", "/p/here/quality", Lane.RESULTS),
        ("GET", "/api/v1/projects/here/scores", Lane.RESULTS),
        ("GET", "/nowhere", Lane.PAGES),
        ("POST", "/nowhere", Lane.FORMS),
    ],
)
def test_the_head_of_a_request_says_which_threads_answer_it(app, method, path, lane):
    assert lane_of(app, method, path) is lane

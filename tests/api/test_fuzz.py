"""Whatever is sent, as whoever, to every described address: no failure, and only answers that are described."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as tried
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.http.tokens import LIMIT, RequestLimit
from app.services.accounts.tokens import Scope
from tests.furniture.site import plain_settings

CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def settings(request, tmp_path):
    """Return settings over a database of the kind that the test names."""
    return plain_settings(tmp_path, request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def header_of(demo, making, token):
    """Return what gives the header of somebody's token, by their role."""

    def header_of(role):
        if role == "operator":
            return token()
        with making() as make:
            person = make.person("Sam") if role == "stranger" else make.member(demo, role)
        return token(*Scope, person_id=person.id)

    return header_of


def fuzz(app, headers, examples):
    app.extensions[LIMIT] = RequestLimit(1_000_000, 1000.0)
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    for result in schema.get_all_operations():
        operation = result.ok()

        @given(case=operation.as_strategy())
        @tried(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )
        def hold(case):
            # Most addresses are of a project that is there.
            if "slug" in (case.path_parameters or {}):
                case.path_parameters["slug"] = "demo"
            case.call_and_validate(headers={**headers, "Accept-Encoding": "identity"}, checks=CHECKS)

        hold()


# How many of each address: people without rights are stopped before what they send is read; and who may do
# what is decided before the database, so on PostgreSQL the one who reaches everything is enough.
@pytest.mark.parametrize(
    ("role", "settings", "examples"),
    [
        ("operator", "sqlite", 8),
        ("owner", "sqlite", 5),
        *((role, "sqlite", 2) for role in ("viewer", "annotator", "stranger")),
        pytest.param("operator", "postgresql", 4, marks=pytest.mark.postgresql),
    ],
    indirect=["settings"],
)
def test_no_token_gets_an_answer_that_is_not_described(app, header_of, role, examples):
    fuzz(app, header_of(role), examples)

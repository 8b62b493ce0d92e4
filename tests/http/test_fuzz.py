"""Whatever anybody sends to any route, it is answered: no failure of ours, and the promises of every answer."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.furniture.properties import tried
from tests.furniture.routes import ROUTES
from tests.furniture.site import moved
from tests.furniture.two_projects import build_two_projects

SHUNNED = {"projects.purge", "projects.change_role", "auth.sign_out_everywhere", "auth.password"}
odd_text = st.text(max_size=12) | st.sampled_from(
    [
        "",
        "0",
        "-1",
        "1e9",
        "٣",
        "null",
        "true",
        "[]",
        "%00",
        "../..",
        "\ufeff",
        "\u202e",
        "a\0b",
        "'",
        '"',
        "<b>",
        "\r\n",
    ]
)
odd_value = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    odd_text,
    st.lists(st.integers(), max_size=2),
    st.dictionaries(odd_text, st.integers(), max_size=2),
)
names = st.sampled_from(
    sorted({name for route in ROUTES for name in {**(route.row.data or {}), **(route.row.json or {})}})
)
fields = st.dictionaries(names | odd_text, odd_text, max_size=5)
bodies = st.dictionaries(names | odd_text, odd_value, max_size=6)
queries = st.dictionaries(
    st.sampled_from(
        ["q", "page", "sort", "state", "view", "next", "ask", "none", "template", "ranker", "measure"]
    )
    | odd_text,
    odd_text,
    max_size=4,
)
headers = st.dictionaries(
    st.sampled_from(
        [
            "If-None-Match",
            "Accept-Encoding",
            "Range",
            "X-Touchstone-Person",
            "Origin",
            "Referer",
            "Cookie",
            "Content-Encoding",
            "If-Modified-Since",
            "Accept-Language",
        ]
    ),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    max_size=2,
)
kinds = st.sampled_from(["form", "json", "bytes", "multipart", "nothing"])


@pytest.fixture
def place(request, shared_app, tmp_path):
    """Give two projects on one database, and the application over it: they refuse different things."""
    if request.param == "sqlite":
        request.getfixturevalue("in_two_projects")
        yield request.getfixturevalue("two_projects")
        return
    url = request.getfixturevalue("postgresql_url")
    (tmp_path / "uploads").mkdir()
    with moved(shared_app, tmp_path, url) as database:
        yield build_two_projects(database, tmp_path)


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.mark.parametrize(
    ("place", "name", "examples"),
    [
        ("sqlite", "owner", 100),
        *(
            pytest.param("sqlite", name, 40, marks=pytest.mark.thorough)
            for name in ("anonymous", "annotator", "admin")
        ),
        pytest.param("postgresql", "owner", 40, marks=pytest.mark.postgresql),
    ],
    indirect=["place"],
)
def test_no_request_makes_a_failure_of_ours(app, place, client_of, name, examples):
    two_projects = place
    clients = {"anonymous": app.test_client()}
    person = two_projects.people().get(name, two_projects.here.annotator)

    @settings(
        max_examples=tried(examples),
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    @given(st.data())
    def send(data):
        client = clients.setdefault(name, client_of(person))
        route = data.draw(st.sampled_from([route for route in ROUTES if route.endpoint not in SHUNNED]))
        parts = dict(two_projects.here.parts(person))
        for part in data.draw(st.sets(st.sampled_from(sorted(route.rule.arguments) or ["slug"]), max_size=1)):
            is_number = f"<int:{part}>" in route.rule.rule
            parts[part] = data.draw(
                st.integers(0, 2**70) if is_number else odd_text.filter(lambda text: text and "/" not in text)
            )
        kwargs = {"headers": data.draw(headers), "query_string": data.draw(queries)}
        if route.is_unsafe:
            kwargs |= body_of(data, data.draw(kinds))
        reply = route.ask(client, parts, **kwargs)

        assert reply.status_code < 500
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert "Traceback" not in reply.text if reply.mimetype.startswith("text") else True
        if route.is_api and reply.status_code >= 400:
            assert reply.content_type == "application/problem+json"

    send()


def body_of(data, kind):
    if kind == "form":
        return {"data": data.draw(fields), "json": None}
    if kind == "json":
        return {"json": data.draw(bodies), "data": None}
    if kind == "multipart":
        return {"data": data.draw(fields), "json": None, "content_type": "multipart/form-data"}
    if kind == "bytes":
        types = [
            "application/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=b",
            "x/y",
            "",
        ]
        return {
            "data": data.draw(st.binary(max_size=60)),
            "json": None,
            "content_type": data.draw(st.sampled_from(types)),
        }
    return {"data": None, "json": None}

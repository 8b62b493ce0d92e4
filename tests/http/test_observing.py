"""The log has a line for each refusal, and for each request where it is asked for; no line holds a secret."""

import json
import logging
from dataclasses import replace

import pytest

from app import create_app
from app.cli.logs import FOR_PEOPLE, JsonLines
from app.http.assets import current_build
from tests.furniture.site import Visitor

SECRET = "s3cr3t-link-that-works-once"


@pytest.fixture
def start(settings):
    started = []

    def start(**values):
        app = create_app(replace(settings, **values))
        app.test_client_class = Visitor
        started.append(app)
        return app

    yield start
    for app in started:
        app.extensions["touchstone"].database.dispose()


@pytest.fixture
def heard(caplog):
    caplog.set_level(logging.INFO, "touchstone.access")
    return caplog


def lines(heard, formatter=None):
    formatter = formatter or logging.Formatter("%(levelname)s %(name)s: %(message)s")
    return [formatter.format(record) for record in heard.records]


def test_a_refusal_is_one_line_with_its_reason(start, heard):
    client = start().test_client()
    client.get("/sign-in")
    client.get(f"/invitation/{SECRET}?note={SECRET}")
    client.get("/api/v1/session")
    client.post("/sign-in", data={"password": SECRET}, headers={"Sec-Fetch-Site": "cross-site"})

    told = lines(heard)

    assert [line.partition(" ms")[0].rpartition(" ")[0] for line in told] == [
        "WARNING touchstone.refused: 127.0.0.1 GET /invitation/<token> 410",
        "WARNING touchstone.refused: 127.0.0.1 GET /api/v1/session 401",
        "WARNING touchstone.refused: 127.0.0.1 POST /sign-in 400",
    ]
    assert [line.rpartition("code=")[2] for line in told] == ["gone", "unauthorized", "csrf"]
    assert SECRET not in str(told)


def test_with_an_access_log_every_request_is_one_line(start, heard):
    client = start(access_log=True).test_client()
    client.get(f"/static/{current_build()}/css/base.css", buffered=True)
    client.get(f"/static/{current_build()}/css/base.css", buffered=True)
    client.get(f"/p/help-centre/questions?q={SECRET}")
    client.get("/healthz")
    client.get(f"/{SECRET}")
    client.get(f"/invitation/{SECRET}")

    told = [line.partition(" ms")[0].rpartition(" ")[0].partition(": ")[2] for line in lines(heard)]

    assert told == [
        "127.0.0.1 GET /static/<build>/<path:name> 200",
        "127.0.0.1 GET /static/<build>/<path:name> 200",
        "127.0.0.1 GET /p/<slug>/questions 302",
        "127.0.0.1 GET none 302",
        "127.0.0.1 GET /invitation/<token> 410",
    ]
    assert "project=help-centre" in lines(heard)[2]
    assert SECRET not in str(lines(heard))


def test_as_json_each_line_is_an_object_with_its_fields(start, heard):
    client = start(access_log=True, trusted_proxies=1).test_client()
    client.get("/api/v1/nowhere", headers={"X-Forwarded-For": "192.0.2.7"})

    (told,) = [json.loads(line) for line in lines(heard, JsonLines())]

    assert told["address"] == "192.0.2.7"
    assert (told["method"], told["route"], told["status"]) == ("GET", "none", 401)
    assert (told["code"], told["level"], told["logger"]) == ("unauthorized", "info", "touchstone.access")
    assert told["ms"] > 0
    assert told["time"].endswith("+00:00")


@pytest.mark.parametrize(
    "forged", [{"X-Forwarded-For": "192.0.2.7\u2028line"}, {"X-Forwarded-For": "nobody code=admin"}]
)
def test_a_visitor_writes_no_line_and_no_field_of_their_own(start, heard, forged):
    client = start(access_log=True, trusted_proxies=1).test_client()
    client.open("/p/a%0Ab code=x/questions", method="FORGED", headers=forged)

    (line,) = lines(heard)

    assert line.startswith("INFO touchstone.access: unknown other ")
    assert "forged" not in line.lower()
    assert "\n" not in line
    assert "code=x" not in line


def test_a_failure_in_json_holds_its_trace_in_one_line():
    try:
        int("no\nway")
    except ValueError as error:
        record = logging.LogRecord(
            "app", logging.ERROR, "", 0, "request %s failed", ("1",), (type(error), error, None)
        )

    told = JsonLines().format(record)

    assert "\n" not in told
    assert json.loads(told)["message"] == "request 1 failed"
    assert "ValueError: invalid literal" in json.loads(told)["exception"]


def test_lines_for_people_name_time_and_level():
    record = logging.LogRecord("app", logging.ERROR, "", 0, "no way", None, None)

    assert logging.Formatter(FOR_PEOPLE).format(record).endswith(" ERROR app: no way")

"""A site below a path of its host: every address on its pages, every redirect and every cookie stays below it."""

import re
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from flask import Flask

from app import create_app
from app.http.limits import sender_of_file
from app.http.proxies import below
from app.web.navigation import local_target
from tests.furniture.crawler import Crawler, Page
from tests.furniture.routes import ALLOWED, ROUTES
from tests.furniture.site import Visitor, plain_settings

BASE = "/touchstone"
SITE = f"https://example.org{BASE}"
SHUNNED = ("/sign-out", "/account/sign-out-everywhere", "/purge", "/state", "/role")


@pytest.fixture
def app(two_projects, tmp_path):
    settings = plain_settings(tmp_path, two_projects.copy_to(tmp_path))
    app = create_app(replace(settings, public_url=f"http://localhost{BASE}"))
    app.test_client_class = Visitor
    yield app
    app.extensions["touchstone"].database.dispose()


class Strict(Crawler):
    """A crawler that keeps every address it is shown, wherever it leads."""

    def __init__(self, client, **options):
        super().__init__(client, **options)
        self.shown: set[tuple[str, str]] = set()
        open_page = client.open

        def look(address, **more):
            reply = open_page(address, **more)
            self.shown |= {(address, shown) for shown in addresses_in(reply)}
            return reply

        client.open = look


def addresses_in(reply):
    """Return every address of this host that an answer shows or sends on to."""
    found = [reply.location] if reply.location else []
    if reply.mimetype == "text/html":
        page = Page(reply.text)
        found += page.links + [form.action for form in page.forms]
    return [one for one in found if one.startswith("/") or "localhost" in one]


def outside(crawler):
    """Return the addresses that lead out of the site; `data-root` is the path itself."""
    return sorted(
        (page, shown) for page, shown in crawler.shown if shown != BASE and not is_below(urlsplit(shown).path)
    )


def is_below(path):
    return path.startswith(f"{BASE}/")


@pytest.mark.parametrize(
    ("who", "least", "most"),
    [
        pytest.param("annotator", 40, 40, marks=pytest.mark.thorough),
        pytest.param("owner", 60, 60, marks=pytest.mark.thorough),
        ("admin", 60, 60),
        (None, 3, None),
    ],
)
def test_every_address_on_every_page_is_below_the_path(app, two_projects, client_of, who, least, most):
    client = client_of(two_projects.people()[who]) if who else app.test_client()
    crawler = Strict(client, shunned=SHUNNED)

    answers = crawler.crawl(f"{BASE}/", f"{BASE}/help", f"{BASE}/p/here/", f"{BASE}/sign-in", most=most)

    assert len(answers) >= least
    assert len(crawler.shown) > 10
    assert outside(crawler) == []
    assert [answer.asked for answer in answers if answer.status >= 500] == []
    assert [one.asked for one in answers if one.status == 404 and one.asked.startswith("get")] == []


@pytest.mark.thorough
def test_every_route_answers_below_the_path_and_sets_its_cookies_there(app, two_projects, client_of):
    person = two_projects.here.owner
    client = client_of(person)
    for route in ROUTES:
        if route.method != "GET" or "owner" not in ALLOWED[route.row.access]:
            continue
        path = route.address(two_projects.here.parts(person))
        reply = client.get(f"{BASE}{path}", buffered=True)
        assert reply.status_code not in {404, 405}, path
        for cookie in reply.headers.getlist("Set-Cookie"):
            assert f"Path={BASE};" in f"{cookie};", path
        assert [one for one in addresses_in(reply) if one != BASE and not is_below(urlsplit(one).path)] == []


def test_a_proxy_that_takes_the_path_off_is_fine_too(app, two_projects, client_of):
    client = client_of(two_projects.here.owner)

    assert client.get("/p/here/").text.count(f'href="{BASE}/p/here/') > 5


def test_a_visitor_is_sent_back_to_the_page_that_was_asked_for(app):
    reply = app.test_client().get(f"{BASE}/p/here/questions?sort=score")

    assert reply.location == f"{BASE}/sign-in?next=/touchstone/p/here/questions?sort%3Dscore"
    assert app.test_client().get(f"{BASE}/").location == f"{BASE}/sign-in"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        (f"{BASE}/account", f"{BASE}/account"),
        (f"{BASE}/p/here/questions?q=..", f"{BASE}/p/here/questions?q=.."),
        ("/account", f"{BASE}/"),
        (BASE, f"{BASE}/"),
        ("/touchstoned/x", f"{BASE}/"),
        (f"{BASE}/../other", f"{BASE}/"),
        (f"{BASE}/%2e%2e/other", f"{BASE}/"),
        (f"{BASE}//../../other", f"{BASE}/"),
        (None, f"{BASE}/"),
    ],
)
def test_the_way_back_stays_below_the_path(app, wanted, target):
    with app.test_request_context("/", base_url=f"http://localhost{BASE}"):
        assert local_target(wanted) == target


def test_links_to_hand_out_and_cookies_hold_the_path(settings):
    app: Flask = create_app(replace(settings, public_url=SITE))

    reply = app.test_client().get(f"{BASE}/sign-in", base_url="https://example.org")

    (cookie,) = reply.headers.getlist("Set-Cookie")
    # A browser takes a name that begins with __Host- for the path / alone.
    assert cookie.startswith("__Secure-touchstone=")
    assert {"Secure", "HttpOnly", f"Path={BASE}", "SameSite=Lax"} <= set(re.split("; ", cookie))
    app.extensions["touchstone"].database.dispose()


def test_an_invitation_names_the_whole_address(app, two_projects, client_of):
    page = client_of(two_projects.here.owner).post(f"{BASE}/p/here/people", data={"role": "annotator"}).text

    assert re.findall(r"http://[^\"<\s]*/invitation/", page) == [f"http://localhost{BASE}/invitation/"]


def test_the_service_worker_may_serve_the_site_and_nothing_beside_it(app):
    page = app.test_client().get(f"{BASE}/sign-in").text
    (style,) = re.findall(r'href="([^"]*base\.css)"', page)

    reply = app.test_client().get(style.replace("css/base.css", "js/offline.js"), buffered=True)

    assert reply.headers["Service-Worker-Allowed"] == f"{BASE}/"


@pytest.mark.parametrize(
    ("path", "base", "found"),
    [
        ("/touchstone/p/here", BASE, "/p/here"),
        ("/touchstone", BASE, "/"),
        ("/p/here", BASE, "/p/here"),
        ("/touchstoned/x", BASE, "/touchstoned/x"),
        ("/touchstone/x", "", "/touchstone/x"),
    ],
)
def test_the_path_is_taken_off_once(path, base, found):
    assert below(path, base) == found


def test_a_large_file_is_received_below_the_path(app, two_projects, client_of):
    client = client_of(two_projects.here.owner)
    cookie = client.get_cookie("touchstone", path=BASE)
    path = f"{BASE}/p/here/import/queries"

    assert sender_of_file(app, "POST", below(path, BASE), f"touchstone={cookie.value}")

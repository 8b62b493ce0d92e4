"""Who may do what, for every route there is: unknown and forbidden look the same, and nothing leaks next door."""

import pytest
from flask import Flask

from app import create_app
from app.http.permissions import Access, PermissionNotDeclaredError, access_of, allow, check_declarations
from app.models import Project
from tests.furniture.routes import ALLOWED, MAP, ROUTES, ROWS, plain, rows_of
from tests.furniture.thorough import share

# What an address names that belongs to somebody; the others are words, or numbers that every project counts.
OBJECTS = {
    "candidate_id",
    "answer_id",
    "batch",
    "public_id",
    "invitation_id",
    "link_id",
    "note_id",
    "query_id",
    "request_id",
    "ranker_id",
    "run_id",
    "upload_id",
    "job_id",
    "webhook_id",
    "delivery_id",
}
NO_SUCH = {
    "candidate_id": "AAAAAAAAAAAAAAAA",
    "answer_id": "AAAAAAAAAAAAAAAA",
    "batch": 999_999,
    "public_id": "AAAAAAAAAAAAAAAAAAAAAA",
    "invitation_id": 999_999,
    "link_id": 999_999,
    "note_id": 999_999,
    "query_id": 999_999,
    "request_id": 999_999,
    "ranker_id": 999_999,
    "run_id": 999_999,
    "upload_id": "AAAAAAAAAAAAAAAAAAAAAA",
    "job_id": "AAAAAAAAAAAAAAAAAAAAAA",
    "webhook_id": 999_999,
    "delivery_id": 999_999,
}
FOREIGN = [route for route in ROUTES if OBJECTS & route.rule.arguments]


def in_thirds(third):
    """Return the marks of a third of the visitors: every route meets one at every change, the others in `test-all`."""
    return [pytest.mark.thorough] if third else []


def let_in(place, third):
    """Return who of a third of the visitors may use a route."""
    return share(sorted(ALLOWED[ROUTES[place].row.access]), place + third, 3)


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


VISITORS = ALLOWED["PUBLIC"]


@pytest.fixture
def visit(app, two_projects, client_of):
    """Return what gives the browser of somebody, nobody signed in included."""
    people = two_projects.people()
    return lambda name: app.test_client() if name == "anonymous" else client_of(people[name])


def test_every_route_has_a_row_that_agrees_with_what_it_declares():
    declared = {rule.endpoint: access_of(MAP, rule.endpoint).name for rule in MAP.url_map.iter_rules()}

    assert {name: row.access for name, row in ROWS.items()} == declared


def test_every_unsafe_route_has_a_request_that_does_what_it_is_for():
    silent = [
        str(route)
        for route in ROUTES
        if route.is_unsafe and route.row.data is None and route.row.json is None
    ]

    assert silent == []


@pytest.mark.parametrize("third", [pytest.param(third, marks=in_thirds(third)) for third in range(3)])
def test_whoever_may_not_use_a_route_learns_nothing_from_it(two_projects, visit, third):
    for place, route in enumerate(ROUTES):
        for name in share(sorted(VISITORS - ALLOWED[route.row.access]), place + third, 3):
            visitor, who = visit(name), f"{route} by {name}"
            reply = route.ask(visitor, two_projects.here.parts(two_projects.here.annotator))

            if name == "anonymous":
                assert reply.status_code == (401 if route.is_api else 302), who
                assert route.is_api or reply.location.startswith("/sign-in"), who
            else:
                said = plain(reply), headers_of(reply)
                assert reply.status_code == 404, who
                assert said == answer_for_nowhere(visitor, name, route), who


NOWHERE = {}


def answer_for_nowhere(client, name, route):
    """Return what somebody reads at an address that does not exist; asked once, as it is the same in every test."""
    key = name, route.method, route.is_api
    if key not in NOWHERE:
        reply = client.open("/api/v1/nowhere" if route.is_api else "/nowhere/at/all", method=route.method)
        NOWHERE[key] = plain(reply), headers_of(reply)
    return NOWHERE[key]


def headers_of(reply):
    return {name for name, _ in reply.headers if name != "Set-Cookie"}


@pytest.mark.parametrize("third", [pytest.param(third, marks=in_thirds(third)) for third in range(3)])
def test_whoever_may_see_a_page_gets_through(two_projects, visit, third):
    for place, route in enumerate(ROUTES):
        if not route.is_unsafe:
            check_through(place, third, two_projects, visit)


# What changes something begins with fresh projects.
@pytest.mark.parametrize(
    ("place", "third"),
    [
        pytest.param(place, third, id=f"{route}-{third}", marks=in_thirds(third))
        for place, route in enumerate(ROUTES)
        for third in range(3)
        if route.is_unsafe and let_in(place, third)
    ],
)
def test_whoever_may_use_a_route_gets_through(two_projects, visit, place, third):
    check_through(place, third, two_projects, visit)


def check_through(place, third, two_projects, visit):
    route = ROUTES[place]
    for name in let_in(place, third):
        person, who = two_projects.people().get(name, two_projects.here.annotator), f"{route} by {name}"
        reply = route.ask(visit(name), two_projects.here.parts(person))

        assert reply.status_code not in {400, 401, 404, 405, 415}, who
        assert reply.status_code < 500, who
        assert not (reply.location or "").startswith("/sign-in?"), who


@pytest.mark.thorough
def test_head_and_options_say_no_more_than_the_route_itself(two_projects, visit):
    # HEAD is what GET is: where several routes share an address, that one counts.
    addresses = {route.rule.rule: route for route in sorted(ROUTES, key=lambda route: route.method == "GET")}
    for route in addresses.values():
        for place, name in enumerate(sorted(VISITORS - ALLOWED[route.row.access])):
            for method in share(("HEAD", "OPTIONS", "PROPFIND"), place + ROUTES.index(route), 3):
                address = route.address(two_projects.here.parts(two_projects.here.annotator))
                reply = visit(name).open(address, method=method)

                if method in (route.rule.methods or ()):
                    expected = (401 if route.is_api else 302) if name == "anonymous" else 404
                    assert reply.status_code == expected, (address, name, method)
                assert reply.status_code in {302, 401, 404, 405}, (address, name, method)


def test_objects_of_another_project_do_not_exist_in_this_one(two_projects, visit, stored):
    before = rows_of(stored)
    for route in FOREIGN:
        check_foreign(route, two_projects, visit)
    assert rows_of(stored) == before


def check_foreign(route, two_projects, visit):
    for name in sorted(ALLOWED[route.row.access] & {"owner", "annotator", "adjudicator", "viewer", "admin"}):
        person = two_projects.people()[name]
        client = visit(name)
        theirs = two_projects.there.parts(two_projects.there.annotator)
        for part in sorted(OBJECTS & route.rule.arguments):
            if part == "candidate_id" and name == "admin":
                continue  # it names its project itself, and administrators own every one
            foreign = route.ask(client, {**two_projects.here.parts(person), part: theirs[part]})
            unknown = route.ask(client, {**two_projects.here.parts(person), part: NO_SUCH[part]})

            about = str(route), name, part
            assert (foreign.status_code, plain(foreign)) == (unknown.status_code, plain(unknown)), about
            assert foreign.status_code == 404, about


def test_what_was_dealt_to_somebody_else_does_not_exist(two_projects, client_of, stored):
    before = rows_of(stored)
    client, neighbour = client_of(two_projects.here.annotator), two_projects.here.graders[0]
    mine, others = two_projects.here.parts(two_projects.here.annotator), two_projects.here.parts(neighbour)
    not_mine = next(
        iter(
            set(all_answers(stored, two_projects))
            - set(two_projects.here.answers[two_projects.here.annotator.id])
        )
    )
    for route in FOREIGN:
        for part, value in (("batch", others["batch"]), ("answer_id", not_mine), ("candidate_id", not_mine)):
            if route.row.access != "RATE" or part not in route.rule.arguments:
                continue
            reply = route.ask(client, {**mine, part: value})
            unknown = route.ask(client, {**mine, part: NO_SUCH[part]})

            assert reply.status_code == 404, (str(route), part)
            assert plain(reply) == plain(unknown), (str(route), part)
    assert rows_of(stored) == before


def all_answers(stored, two_projects):
    from sqlalchemy import select

    from app.models import Candidate

    with stored.read() as session:
        wanted = select(Candidate.public_id).where(Candidate.project_id == two_projects.here.project.id)
        return session.scalars(wanted).all()


def test_nobody_signed_in_is_sent_to_sign_in_whatever_the_path(app):
    for path in ("/nowhere", "/p/here", "/p/here/", "/p/nowhere/settings", "/static", "/admin", "//x"):
        for method in ("GET", "POST", "DELETE"):
            reply = app.test_client().open(path, method=method)

            assert reply.status_code == 302, (path, method)
            assert reply.location.startswith("/sign-in"), (path, method)


def test_nobody_signed_in_is_told_so_under_api_whatever_the_path(app):
    for path in ("/api/v1/session", "/api/v1/nowhere", "/api/", "/api/v2/projects/here"):
        for method in ("GET", "PUT"):
            reply = app.test_client().open(path, method=method)

            assert reply.status_code == 401, (path, method)
            assert reply.content_type == "application/problem+json", (path, method)
            assert reply.headers["WWW-Authenticate"].startswith("Session"), (path, method)


def test_the_page_that_says_no_shows_nothing_of_the_project(two_projects, client_of):
    reply = client_of(two_projects.here.annotator).get("/p/here/settings")

    assert reply.status_code == 404
    assert two_projects.here.project.name not in reply.text
    assert "/p/here" not in reply.text.replace('value="/p/here/settings"', "")


def test_only_owners_put_a_project_away(two_projects, client_of, stored):
    for name in ("annotator", "viewer", "owner next door", "stranger"):
        for turn in ("archive", "restore"):
            reply = client_of(two_projects.people()[name]).post("/p/here/settings/state", data={"turn": turn})

            assert reply.status_code == 404, (name, turn)
            with stored.read() as session:
                assert session.get_one(Project, two_projects.here.project.id).state == "open", (name, turn)


def test_an_archived_project_is_purged_by_an_administrator_only(two_projects, client_of, stored):
    client_of(two_projects.here.owner).post("/p/here/settings/state", data={"turn": "archive"})

    by_owner = client_of(two_projects.here.owner).post("/p/here/settings/purge", data={"typed": "here"})
    mistyped = client_of(two_projects.admin).post("/p/here/settings/purge", data={"typed": "there"})
    with stored.read() as session:
        assert session.get(Project, two_projects.here.project.id) is not None
    done = client_of(two_projects.admin).post("/p/here/settings/purge", data={"typed": "here"})

    assert (by_owner.status_code, mistyped.status_code, done.status_code) == (404, 200, 302)
    assert "To delete this project, type its short name: here." in mistyped.text
    with stored.read() as session:
        assert session.get(Project, two_projects.here.project.id) is None
        assert session.get(Project, two_projects.there.project.id) is not None


def test_an_open_project_cannot_be_purged(two_projects, client_of, stored):
    reply = client_of(two_projects.admin).post("/p/here/settings/purge", data={"typed": "here"})

    assert reply.status_code == 409
    with stored.read() as session:
        assert session.get(Project, two_projects.here.project.id) is not None


def silent():
    return "hello"


def test_a_route_that_declares_nothing_stops_the_start():
    app = Flask("silent", static_folder=None)
    app.add_url_rule("/secret", "secret", silent)

    with pytest.raises(PermissionNotDeclaredError, match="/secret"):
        check_declarations(app)


def test_a_declaration_in_other_words_counts_as_none():
    app = Flask("wrong", static_folder=None)
    view = allow("everybody")(lambda: "hello")
    app.add_url_rule("/secret", "secret", view)

    with pytest.raises(PermissionNotDeclaredError, match="/secret"):
        check_declarations(app)


def test_a_role_without_a_project_stops_the_start():
    app = Flask("nowhere", static_folder=None)
    app.add_url_rule("/scores", "scores", allow(Access.READ)(lambda: "hello"))

    with pytest.raises(PermissionNotDeclaredError, match=r"a role in no project: /scores"):
        check_declarations(app)


def test_the_start_checks_the_declarations(settings, monkeypatch):
    from app import web

    register = web.register

    def register_one_more(app):
        register(app)
        app.add_url_rule("/secret", "secret", silent)

    monkeypatch.setattr(web, "register", register_one_more)

    with pytest.raises(PermissionNotDeclaredError, match="/secret"):
        create_app(settings)

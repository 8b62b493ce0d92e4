"""Projects in the browser: made, changed, shared, put away."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from app.http.sessions import KEY as STATE
from app.models import AuditEntry, Candidate, Event, Guideline, Invitation, Membership, Project, ProjectCopy
from app.sentences import message
from app.services.projects.projects import contents_of
from app.services.projects.settings import archive_project
from app.services.scoring_settings import get_ruler
from tests.furniture.rating import make_workshop
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.factories import Make
    from tests.web.conftest import Rated

NEW = {
    "name": "Parts search",
    "scale": "0-3",
    "k": "10",
    "gain": "linear",
    "discount": "log2",
    "overlap": "1",
}


@pytest.fixture
def ada(making: Callable[[], AbstractContextManager[Make]]) -> Person:
    with making() as make:
        return make.member(make.project(), "owner", name="Ada Byron")


def test_a_project_is_made_with_its_maker_as_owner(
    ada: Person, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    answer = client_of(ada).post("/projects/new", data=NEW)

    assert answer.status_code == 302
    with stored.read() as session:
        project = session.scalars(select(Project).where(Project.slug == "parts-search")).one()
        membership = session.get_one(Membership, (ada.id, project.id))
    assert (membership.role, membership.saw_rankers) == ("owner", True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("makers", "allowed"),
    [("admins", {"admin"}), ("owners", {"admin", "owner"}), ("everybody", {"admin", "owner", "other"})],
)
def test_who_may_make_projects_is_a_setting_of_the_site(app, making, client_of, makers, allowed):
    with making() as make:
        people = {
            "admin": make.person(is_admin=True),
            "owner": make.member(make.project(), "owner"),
            "other": make.member(make.project(), "annotator"),
        }
    app.extensions[STATE].settings = replace(app.extensions[STATE].settings, project_makers=makers)

    for name, person in people.items():
        browser, may = client_of(person), name in allowed
        answer = browser.post("/projects/new", data=NEW | {"slug": f"of-{name}"})
        assert answer.status_code == (302 if may else 404)
        assert ('href="/projects/new"' in browser.get("/").text) is may


@pytest.mark.thorough
def test_a_template_brings_its_scale_words_and_depth(
    ada: Person, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    template = "/projects/new?template=papers"
    page = client_of(ada).get(template).text
    assert 'value="8"' in page
    assert f'href="{template}"' not in page
    assert f'href="{template}"' in client_of(ada).get("/projects/new").text

    data = NEW | {"scale": "1-5", "k": "8", "depth": "8", "slug": "papers"}
    client_of(ada).post("/projects/new?template=papers", data=data)

    with stored.read() as session:
        project = session.scalars(select(Project).where(Project.slug == "papers")).one()
    assert project.grade_words[-1]["word"] == "Must read"
    assert project.wording["query"] == "target paper"
    assert "Off topic, Weak, Fair, Good, Must read (1 to 5 stars)" in page
    introduction = client_of(ada).get("/p/papers/rate/start").text
    assert "How long do swifts stay in the air?" in introduction
    assert "How well does recommended paper A help?" in introduction


@pytest.mark.parametrize("template", ["", "?template=papers"])
def test_the_form_says_that_answers_are_rated_twice_only_where_they_are(
    ada: Person, client_of: Callable[[Person], FlaskClient], stored: Database, template: str
) -> None:
    page = client_of(ada).get(f"/projects/new{template}").text
    client_of(ada).post(f"/projects/new{template}", data=NEW | {"scale": "1-5", "k": "8"})

    with stored.read() as session:
        wanted = select(Project.share_twice).where(Project.slug == "parts-search")
        share = session.scalars(wanted).one()
    assert ("With 1, about a fifth is still rated by two people." in page) is (share > 0)


def test_a_template_on_another_scale_keeps_neither_its_words_nor_its_practice_question(
    ada: Person, client_of: Callable[[Person], FlaskClient]
) -> None:
    browser = client_of(ada)
    data = NEW | {"scale": "0-3", "k": "8", "depth": "8", "slug": "papers"}
    browser.post("/projects/new?template=papers", data=data)
    introduction = browser.get("/p/papers/rate/start").text

    assert "candle wax" in introduction
    assert "How well does answer A help?" in introduction


@pytest.mark.thorough
def test_one_tick_brings_the_sample_of_a_template(
    ada: Person, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    data = NEW | {"scale": "1-5", "k": "8", "depth": "8", "slug": "papers", "sample": "y"}
    browser = client_of(ada)
    blank = browser.post("/projects/new", data=NEW | {"slug": "blank", "sample": "y"})
    answer = browser.post("/projects/new?template=papers", data=data)

    assert (answer.status_code, blank.status_code) == (302, 302)
    page = browser.get(answer.location).text
    assert "6 invented target papers" in page
    assert "targets.csv" in page
    assert "queries.csv" not in page
    overview = browser.get("/p/papers/").text
    assert all(f"{name}<small>v1</small>" in overview for name in ("Words", "Topics", "Both"))
    with stored.read() as session:
        found = {
            project.slug: contents_of(session, project.id)
            for project in session.scalars(select(Project).where(Project.slug.in_(["papers", "blank"])))
        }
        pooled = session.scalar(select(func.count()).where(Candidate.in_pool.is_(True))) or 0
    assert (found["papers"].queries, found["papers"].runs, found["papers"].judgments) == (6, 3, 0)
    assert 48 < pooled < 3 * 6 * 8
    assert found["blank"].queries == 0


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": ""}, "Give the project a name."),
        ({"slug": "No Good"}, "Use lowercase letters, digits and single hyphens."),
        ({"k": "0"}, "Choose 1 to 100."),
        ({"k": "ten"}, "Enter a whole number."),
        ({"k": "10", "depth": "5"}, "the pool depth is 5"),
        ({"scale": "0-9"}, "Not a valid choice"),
    ],
)
def test_what_cannot_be_right_is_said_beside_its_field(
    ada: Person, client_of: Callable[[Person], FlaskClient], change: dict[str, str], message: str
) -> None:
    answer = client_of(ada).post("/projects/new", data=NEW | change)

    assert answer.status_code == 200
    assert message in answer.text
    assert "<title>Error: " in answer.text


def test_words_and_threshold_are_set_at_once(
    ada: Person, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    words = "Bad\nSo so\n\nGood\nPerfect\n"

    answer = client_of(ada).post("/projects/new", data=NEW | {"words": words, "threshold": "2"})

    assert answer.status_code == 302
    with stored.read() as session:
        project = session.scalars(select(Project).where(Project.slug == "parts-search")).one()
        assert get_ruler(session, project.id).threshold == 2
    assert [one["word"] for one in project.grade_words] == ["Bad", "So so", "Good", "Perfect"]


def test_a_word_too_few_is_said(ada: Person, client_of: Callable[[Person], FlaskClient]) -> None:
    answer = client_of(ada).post("/projects/new", data=NEW | {"words": "Bad\nGood"})

    assert "Write 4 words, one per line; there are 2." in answer.text


def test_a_taken_short_name_is_said(
    rated: Rated, ada: Person, client_of: Callable[[Person], FlaskClient]
) -> None:
    answer = client_of(ada).post("/projects/new", data=NEW | {"slug": "help-centre"})

    assert "already a project with the short name" in answer.text


def test_another_gain_is_a_new_ruler_and_an_event(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    data = {"k": "3", "gain": "exponential", "discount": "log2", "threshold": "1", "consensus": "median"}
    data |= {"unjudged": "open", "depth": "10", "overlap": "2"}

    answer = client_of(rated.owner).post("/p/help-centre/settings", data=data)

    assert answer.status_code == 302
    with stored.read() as session:
        assert get_ruler(session, rated.project.id).gain == "exponential"
        kinds = session.scalars(select(Event.kind).where(Event.project_id == rated.project.id)).all()
    assert kinds.count("ruler_set") == 2
    assert "overlap_changed" in kinds


def test_a_cutoff_below_the_pool_is_refused_beside_its_field(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    data = {"k": "20", "gain": "linear", "discount": "log2", "threshold": "1", "consensus": "median"}
    data |= {"unjudged": "open", "depth": "10", "overlap": "1"}

    answer = client_of(rated.owner).post("/p/help-centre/settings", data=data)

    assert answer.status_code == 200
    assert "Error" in answer.text
    with stored.read() as session:
        assert get_ruler(session, rated.project.id).k == 3


def test_words_change_and_move_no_revision_of_the_ruler(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    data = {"name": "Help", "headline": "How good?", "word-0": "Useless", "meaning-0": "Nothing in it."}

    client_of(rated.owner).post("/p/help-centre/settings/words", data=data)

    with stored.read() as session:
        project = session.get_one(Project, rated.project.id)
    assert project.grade_words[0] == {"word": "Useless", "meaning": "Nothing in it."}
    assert project.grade_words[1]["word"] == "A little"


@pytest.mark.thorough
def test_an_owner_writes_the_words_for_questions_and_answers(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    client = client_of(rated.owner)
    data = {"name": "Help", "headline": "", "query": "Vorlage", "queries": "Vorlagen", "document": " hit "}

    client.post("/p/help-centre/settings/words", data=data)
    listed = client.get("/p/help-centre/questions").text
    refused = client.post("/p/help-centre/settings/words", data=data | {"query": "two\nlines"})
    client.post("/p/help-centre/settings/words", data={"name": "Help", "document": ""})

    assert "<h1>Vorlagen</h1>" in listed
    assert refused.status_code == 422
    with stored.read() as session:
        assert session.get_one(Project, rated.project.id).wording == {
            "query": "Vorlage",
            "queries": "Vorlagen",
        }


def test_guidelines_are_versioned(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    client = client_of(rated.owner)
    for text in ("Be fair.", "Be fair.", "Be fair and kind."):
        client.post("/p/help-centre/guidelines/edit", data={"markdown": text})

    with stored.read() as session:
        versions = session.scalars(select(Guideline.version).where(Guideline.project_id == rated.project.id))
        assert sorted(versions) == [1, 2]


def test_an_invitation_link_is_shown_once(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    client = client_of(rated.owner)

    answer = client.post("/p/help-centre/people", data={"role": "annotator", "whom": ""})

    link = re.search(r"/invitation/([\w-]+)", answer.text)
    assert link is not None
    assert link[0] not in client.get("/p/help-centre/people").text
    assert client.get(link[0]).status_code == 200


def test_several_people_get_a_link_each_and_are_listed(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    client = client_of(rated.owner)
    whom = "Ada\n bo@example.org \n\nCy Example <cy@example.org>\nAda"

    answer = client.post("/p/help-centre/people", data={"role": "viewer", "whom": whom})

    links = set(re.findall(r"/invitation/[\w-]{43}", answer.text))
    assert len(links) == 3
    assert "Copy these 3 links now" in answer.text
    page = client.get("/p/help-centre/people").text
    listed = re.findall(r'<b dir="auto">([^<]*)</b>\s*<br>\s*<span class="muted">\s*(\w+), until', page)
    assert sorted(listed) == [
        ("Ada", "Viewer"),
        ("Cy Example &lt;cy@example.org&gt;", "Viewer"),
        ("bo@example.org", "Viewer"),
    ]
    with stored.read() as session:
        bound = {
            row.note: row.email for row in session.scalars(select(Invitation).where(Invitation.note != ""))
        }
    assert bound["Ada"] is None
    assert bound["Cy Example <cy@example.org>"] == "cy@example.org"


def test_the_last_owner_stays(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    address = f"/p/help-centre/people/{rated.owner.public_id}/role"

    answer = client_of(rated.owner).post(address, data={"role": "none"})

    assert answer.status_code == 409
    assert "make someone else an owner first" in answer.text
    assert "changed" not in answer.text, "nobody changed anything, and loading the page again changes nothing"


def test_a_role_that_is_taken_ends_the_sessions(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    annotator = client_of(rated.annotator)
    assert annotator.get("/").status_code == 200

    client_of(rated.owner).post(
        f"/p/help-centre/people/{rated.annotator.public_id}/role", data={"role": "none"}
    )

    assert annotator.get("/").status_code == 302


def test_an_archived_project_comes_back(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    client = client_of(rated.owner)

    client.post("/p/help-centre/settings/state", data={"turn": "archive"})
    with stored.read() as session:
        assert session.get_one(Project, rated.project.id).state == "archived"
    client.post("/p/help-centre/settings/state", data={"turn": "restore"})
    with stored.read() as session:
        assert session.get_one(Project, rated.project.id).state == "open"


def test_only_an_administrator_purges(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    client = client_of(rated.owner)
    client.post("/p/help-centre/settings/state", data={"turn": "archive"})

    assert client.post("/p/help-centre/settings/purge", data={"typed": "help-centre"}).status_code == 404


@pytest.mark.thorough
@pytest.mark.parametrize("typed", ["", "something-else"])
def test_a_wrong_short_name_is_said_beside_the_field(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient], typed: str
) -> None:
    with making() as make:
        project = make.project(slug="copy-one")
        archive_project(make.session, project)
        admin = make.person(is_admin=True)
    client = client_of(admin)
    page = client.post("/p/copy-one/settings/purge", data={"typed": typed})

    assert page.status_code == 200
    assert "To delete this project, type its short name: copy-one." in text_of(page.text)
    assert "Something has changed" not in page.text
    assert 'aria-invalid="true"' in page.text
    assert client.post("/p/copy-one/settings/purge", data={"typed": "copy-one"}).location == "/"


def test_home_shows_owners_a_number_and_annotators_none(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    owner = client_of(rated.owner).get("/").text
    annotator = client_of(rated.annotator).get("/").text

    assert "Forward v1" in owner
    assert "Help centre" in annotator
    assert "Forward" not in annotator


def test_the_stars_are_changed_until_somebody_has_rated(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        shop = make_workshop(make, queries=2, answers=2, slug="shop")
    owner = client_of(shop.owner)
    for page in ("", "?view=then", "?view=growth", "questions", "next"):
        assert owner.get(f"/p/shop/{page}").status_code == 200
    assert '<option selected value="0-3">' in owner.get("/p/shop/settings").text

    data = {"scale": "1-5", "k": "5", "gain": "linear", "discount": "log2", "threshold": "1"}
    data |= {"consensus": "median", "unjudged": "open", "depth": "100", "overlap": "1"}
    assert owner.post("/p/shop/settings", data=data).status_code == 302
    with making() as make:
        candidates = make.session.scalars(select(Candidate).where(Candidate.project_id == shop.project.id))
        for grade, candidate in zip((5, 1, 4, 2), candidates, strict=True):
            make.judgment(candidate, shop.ada, grade)

    # The ruler before had other grades; what looked back at it still opens.
    for page in ("", "?view=then", "?view=growth", "questions", "next"):
        assert owner.get(f"/p/shop/{page}").status_code == 200
    assert "Stars changed to 1-5" in owner.get("/").text
    settings = owner.get("/p/shop/settings").text
    assert "fixed since the first rating" in settings
    assert 'name="scale"' not in settings
    owner.post("/p/shop/settings", data=data | {"scale": "0-3"})
    assert "1 to 5 stars" in owner.get("/p/shop/settings").text


@pytest.mark.thorough
@pytest.mark.parametrize("ratings", [True, False])
def test_an_owner_copies_a_project_with_or_without_its_ratings(
    making: Callable[[], AbstractContextManager[Make]],
    client_of: Callable[[Person], FlaskClient],
    stored: Database,
    ratings: bool,
) -> None:
    with making() as make:
        workshop = make_workshop(make)
        project, owner = workshop.project, make.member(workshop.project, "owner")
        make.judgment(make.session.scalars(select(Candidate)).first(), owner, 3)
    client, settings = client_of(owner), f"/p/{project.slug}/settings"

    data = {"name": "Second one", **({"ratings": "y"} if ratings else {})}
    answer = client.post(f"{settings}/copy", data=data, follow_redirects=True)

    assert answer.request.path == f"{settings}/copy"
    assert 'href="/p/second-one/settings"' in answer.text
    with stored.read() as session:
        copied = session.scalars(select(Project).where(Project.slug == "second-one")).one()
        assert session.get_one(Membership, (owner.id, copied.id)).role == "owner"
        before, after = contents_of(session, project.id), contents_of(session, copied.id)
        actors = session.scalars(select(AuditEntry.actor_id).where(AuditEntry.project_number == copied.id))
        assert set(actors) == {owner.id}
    assert before.judgments
    assert after == replace(before, judgments=before.judgments if ratings else 0)
    assert client.post(f"{settings}/copy", data=data).status_code == 409


@pytest.mark.parametrize(
    ("state", "done", "told"),
    [
        ("waiting", 0, "The copy waits for its turn"),
        ("copying", 20, "Reading the project: 20 of 100 rows"),
        ("copying", 50, "Writing the copy: 50 of 100 rows"),
        ("failed", 0, "The copy was not made. There is already a project"),
    ],
)
def test_the_page_of_a_copy_says_how_far_it_is(making, client_of, state, done, told):
    with making() as make:
        project = make.project()
        owner = make.member(project, "owner")
        refusal = message("There is already a project with the short name %(slug)s.", slug="second")
        make.session.add(
            ProjectCopy(
                project_id=project.id,
                slug="second",
                name="Second",
                with_ratings=True,
                state=state,
                done=done,
                total=100 if state == "copying" else 0,
                report={"refusal": refusal} if state == "failed" else {},
            )
        )
    client, path = client_of(owner), f"/p/{project.slug}/settings/copy"

    page, part = client.get(path), client.get(f"{path}/part")

    for shown in (page, part):
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown.text)).split())
        assert told in text.replace(" :", ":")
    assert ("data-refresh-url" in page.text) == (state != "failed")
    assert client.get(f"{path}/part", headers={"If-None-Match": part.headers["ETag"]}).status_code == 304


def test_without_a_copy_there_is_no_page_of_it(making, client_of):
    with making() as make:
        project = make.project()
        owner = make.member(project, "owner")

    assert client_of(owner).get(f"/p/{project.slug}/settings/copy").status_code == 404


def test_an_emptied_word_of_a_grade_is_refused_at_its_field(
    rated: Rated, client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    data = {"name": "Help", "word-0": " ", "meaning-0": "Nothing in it.", "word-1": "Some"}

    answer = client_of(rated.owner).post("/p/help-centre/settings/words", data=data)

    assert answer.status_code == 422
    assert re.search(r'id="word-0-error"><span class="vh">Error:\s*</span>Enter a word\.', answer.text)
    assert 'value="Nothing in it."' in answer.text
    assert 'value="Some"' in answer.text
    with stored.read() as session:
        assert session.get_one(Project, rated.project.id).grade_words == rated.project.grade_words


def test_too_long_a_word_is_refused_in_words_of_ours(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    data = {"name": "Help", "marked": "x" * 2_001}

    answer = client_of(rated.owner).post("/p/help-centre/settings/words", data=data)

    assert "Use at most 2,000 characters." in answer.text

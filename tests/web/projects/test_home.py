"""The home page of those who see scores: next steps, the checklist, what happened lately, and the search."""

import pytest
from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, EventKind, Project, Role
from app.services.accounts.memberships import give_role
from app.services.assignment.query_assignments import assign_queries
from app.services.ledger import record_event
from tests.furniture.rating import make_workshop
from tests.furniture.words import text_of


def test_a_project_says_what_to_do_next(client_of, rated):
    page = client_of(rated.owner).get("/").text

    assert "3 answers" in page
    assert "/p/help-centre/rate" in page


def test_an_owner_is_told_how_many_of_the_answers_have_no_rating(client_of, making, rated):
    with making() as make:
        make.session.get(Project, rated.project.id).overlap = 2
        other = make.member(rated.project, "annotator", name="Ben")

    owner, annotator = client_of(rated.owner).get("/").text, client_of(other).get("/").text

    assert "36 answers are waiting for you in Help centre" in owner
    assert "3 of them have no rating yet." in owner
    assert "36 answers are waiting for you in Help centre" in annotator
    assert "no rating yet" not in annotator

    # What the owner has begun counts as well.
    client_of(rated.owner).post(f"/p/{rated.project.slug}/rate")
    assert "3 of them have no rating yet." in client_of(rated.owner).get("/").text


def test_an_owner_is_told_when_only_further_ratings_are_missing(client_of, making, rated):
    with making() as make:
        make.session.get(Project, rated.project.id).overlap = 2
        for candidate in rated.candidates[-3:]:
            make.judgment(candidate, rated.annotator, 1)

    assert "36 answers in Help centre need another rating" in client_of(rated.owner).get("/").text


def test_an_owner_is_told_what_others_are_rating(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=3)
    owner = client_of(shop.owner)
    assert "6 answers are waiting for you" in owner.get("/").text
    assert "other people’s page" not in owner.get("/").text

    client_of(shop.ada).post(f"/p/{shop.project.slug}/rate")

    told = owner.get("/").text
    assert "3 answers are waiting for you" in told
    assert "3 unrated answers are on other people’s pages now." in told
    assert "other people’s page" not in client_of(shop.bo).get("/").text


def test_what_home_and_what_next_say_of_unrated_answers_adds_up(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=3)
        make.session.get(Project, shop.project.id).overlap = 2
    owner, slug = client_of(shop.owner), shop.project.slug
    client_of(shop.ada).post(f"/p/{slug}/rate")

    def told():
        return text_of(owner.get("/").text), text_of(owner.get(f"/p/{slug}/next").text)

    home, coming = told()
    assert "6 answers are waiting for you" in home
    assert "3 of them have no rating yet." in home
    assert "6 answers wait for a first rating." in coming
    for page in (home, coming):
        assert "3 unrated answers are on other people’s pages now." in page

    # One that the owner was given for a first rating has one since.
    owner.post(f"/p/{slug}/rate")
    with making() as make:
        held = (
            select(AssignmentCandidate.candidate_id)
            .join(Assignment)
            .where(Assignment.person_id == shop.owner.id)
        )
        candidate = make.session.scalars(select(Candidate).where(Candidate.id.in_(held))).first()
        make.judgment(candidate, shop.bo, 1)
    home, coming = told()
    assert "2 of them have no rating yet." in home
    assert "5 answers wait for a first rating." in coming


def test_a_target_explains_why_fewer_answers_wait(client_of, making, rated):
    with making() as make:
        make.session.get(Project, rated.project.id).overlap = 2
        other = make.member(rated.project, "annotator", name="Ben")
    reached = "Then your target is reached. The last page may hold more."
    assert reached not in client_of(other).get("/").text
    with making() as make:
        assign_queries(make.session, make.session.get(Project, rated.project.id), other.id, target=2)

    told = client_of(other).get("/").text

    assert "2 answers are waiting for you in Help centre" in told
    assert reached in told


def test_other_projects_with_answers_and_left_out_demo_data_are_told(client_of, making, rated):
    with making() as make:
        record_event(
            make.session, rated.project.id, EventKind.QUERIES_ADDED, {"count": 7}, actor_id=rated.owner.id
        )
    owner = client_of(rated.owner)
    alone = owner.get("/").text
    assert "other project" not in alone
    assert "Demo data is left out." not in alone
    with making() as make:
        demo = make.project(slug="demo", name="Demo", is_demo=True)
        give_role(make.session, demo.id, rated.owner.id, Role.OWNER)
        make.run(make.ranker(demo), {make.query(demo): [make.document(demo)]})

    both = owner.get("/").text

    assert "3 answers are waiting for you in Help centre" in both
    assert "Answers wait in 1 other project as well." in both
    assert "Demo data is left out." in both


def test_answers_without_a_text_are_told_from_those_that_wait(client_of, making, rated):
    with making() as make:
        silent = make.document(rated.project, title="", text="")
        make.run(make.ranker(rated.project, "Third"), {query: [silent] for query in rated.queries[:2]})

    page = client_of(rated.owner).get("/").text

    assert "3 answers are waiting for you in Help centre" in page
    assert "33 of 38 answers rated" in page
    assert (
        "1 text is missing, so 2 answers cannot be rated yet (one text can answer several questions)." in page
    )


def test_the_checklist_counts_people_and_not_imported_files(client_of, making):
    with making() as make:
        project = make.project(slug="new", name="New")
        owner = make.member(project, "owner")
        make.member(project, "annotator", kind="imported")

    assert "Invite annotators" in client_of(owner).get("/").text

    with making() as make:
        make.member(make.session.get(Project, project.id), "annotator")
    assert "Annotators invited" in client_of(owner).get("/").text


def test_one_ranker_alone_has_a_number_and_needs_another(making, client_of):
    with making() as make:
        project = make.project(k=1, slug="alone", name="Alone")
        owner, annotator = make.member(project, "owner"), make.member(project, "annotator")
        queries = [make.query(project, f"q{number}") for number in range(10)]
        lists = {query: [make.document(project)] for query in queries}
        make.run(make.ranker(project, "Only"), lists)
        for candidate in make.session.scalars(select(Candidate).where(Candidate.project_id == project.id)):
            make.judgment(candidate, annotator, 3)

    page = client_of(owner).get("/")

    assert page.status_code == 200
    assert "Only is the only ranker: nothing to compare it with yet." in page.text


def test_a_card_draws_the_line_of_the_best_ranker_once_it_has_two_versions(making, client_of):
    with making() as make:
        project = make.project(k=1, slug="alone", name="Alone")
        owner, annotator = make.member(project, "owner"), make.member(project, "annotator")
        lists = {make.query(project, f"q{number}"): [make.document(project)] for number in range(10)}
        ranker = make.ranker(project, "Only")
        make.run(ranker, lists)
        make.run(ranker, lists, version="v2")
        for candidate in make.session.scalars(select(Candidate).where(Candidate.project_id == project.id)):
            make.judgment(candidate, annotator, 3)

    assert '<svg class="spark"' in client_of(owner).get("/").text


def test_a_project_without_a_score_shows_its_checklist(making, client_of):
    with making() as make:
        project = make.project(slug="young", name="Young", guidelines="# Rate")
        owner, viewer = make.member(project, "owner"), make.member(project, "viewer")
        make.query(project)

    for person, link in ((owner, True), (viewer, False)):
        page = client_of(person).get("/").text
        assert "2 of 5 steps done" in page
        assert "Questions: 1 imported" in page
        assert "Invite annotators" in page
        assert ("Next: invite annotators" in page) == link
        assert ('href="/p/young/people"' in page) == link


def test_the_checklist_says_how_many_questions_are_missing(making, client_of):
    with making() as make:
        project = make.project(slug="young", name="Young")
        owner = make.member(project, "owner")
        for number in range(9):
            make.query(project, f"q{number}")
    client = client_of(owner)

    for path in ("/", "/p/young/"):
        assert "Rate until 10 questions are scored (add at least 1 question)" in client.get(path).text
    with making() as make:
        make.query(project, "q9")
    for path in ("/", "/p/young/"):
        assert "Rate until 10 questions are scored</" in client.get(path).text


def test_what_happened_is_told_to_those_who_see_scores_only(making, client_of, rated):
    with making() as make:
        record_event(
            make.session, rated.project.id, EventKind.QUERIES_ADDED, {"count": 7}, actor_id=rated.owner.id
        )

    owners, annotators = client_of(rated.owner).get("/").text, client_of(rated.annotator).get("/").text

    assert "7 questions added" in owners
    assert "Forward v1 imported" in owners
    assert "by 1 person in the last 24 hours" in owners
    for told in ("7 questions added", "Forward", "last 24 hours", "Lately"):
        assert told not in annotators


@pytest.mark.thorough
@pytest.mark.parametrize(("search", "found"), [("beta", ["Beta two"]), ("BETA two", ["Beta two"]), ("x", [])])
def test_projects_are_searched(making, client_of, search, found):
    with making() as make:
        owner = make.person()
        for name in ("Alpha", "Beta two", "Gamma", "Delta"):
            project = make.project(slug=name.lower().replace(" ", "-"), name=name)
            give_role(make.session, project.id, owner.id, Role.OWNER)

    page = client_of(owner).get("/", query_string={"q": search}).text

    shown = [name for name in ("Alpha", "Beta two", "Gamma", "Delta") if f">{name}</a>" in page]
    assert shown == found
    assert ("No project matches" in page) == (not found)


def test_of_very_many_projects_those_that_moved_last_have_their_numbers_and_come_first(
    making, client_of, rated, monkeypatch
):
    monkeypatch.setattr("app.web.projects.home.MOST_SCORED", 1)
    with making() as make:
        quiet = make.project(slug="quiet", name="AAA quiet")
        give_role(make.session, quiet.id, rated.owner.id, Role.OWNER)
        make.judgment(rated.candidates[0], make.person(), 2)

    page = client_of(rated.owner).get("/").text

    assert "answers rated" in page
    assert "Being set up" not in page
    assert page.index(f">{rated.project.name}</a>") < page.index(">AAA quiet</a>")


def test_a_blank_project_begins_with_questions_of_any_format(making, client_of):
    with making() as make:
        admin = make.person("Root", is_admin=True)

    assert "<p>Start with your own questions.</p>" in client_of(admin).get("/").text


def test_a_failed_backup_is_told_to_administrators_alone(making, client_of, rated, monkeypatch):
    monkeypatch.setattr("app.web.projects.home.backup_notice", lambda _settings: "The disk is full.")
    with making() as make:
        admin = make.person("Root", is_admin=True)

    assert "The disk is full." in client_of(admin).get("/").text
    assert "The disk is full." not in client_of(rated.owner).get("/").text

"""Shared pages: the scores, nobody's name, and no way on; and the report."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from app.models import Candidate, SharedLink, now_utc
from app.services.accounts.sharing import share
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.verdict_text import printed_score, signed_gap, verdict_word
from app.web.dashboard.score_rows import _provisional


@pytest.fixture
def olga(client_of, rated):
    return client_of(rated.owner)


@pytest.fixture
def token(olga):
    page = olga.post("/p/help-centre/share", data={"days": "30", "note": "The board"})
    return re.search(r'value="[^"]+/shared/([\w-]+)"', page.text)[1]


def test_a_link_is_shown_once_and_listed_with_who_made_it(olga, token):
    page = olga.get("/p/help-centre/share").text

    assert token not in page
    assert "The board" in page
    assert "Olga Owner" in page


def test_whoever_has_the_link_sees_the_scores_of_the_engine(app, token, rated, stored):
    reply = app.test_client().get(f"/shared/{token}")

    standing = leaderboard_of(evidence_of(stored, rated.project.id))
    assert reply.status_code == 200
    assert standing.sentence in reply.text
    for ranker in standing.rankers:
        assert f"<b>{printed_score(ranker.score, 1)}</b>" in reply.text
        assert f"{ranker.score:.3f}" in reply.text
        assert " to ".join(dict.fromkeys(f"{end:.3f}" for end in ranker.bounds)) in reply.text
    assert f"revision {evidence_of(stored, rated.project.id).revision}" in reply.text
    assert standing.board.ruler.fingerprint[:12] in reply.text


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["", "/report", "?view=then", "?view=growth"])
def test_nothing_of_it_names_people_or_leads_on(app, token, ending):
    reply = app.test_client().get(f"/shared/{token}{ending}")

    assert reply.status_code == 200
    assert "Anna" not in reply.text
    assert "Olga" not in reply.text
    assert "The board" not in reply.text
    leads = set(re.findall(r'(?:href|action|src)="([^"]+)"', reply.text))
    assert {
        one for one in leads if not re.match(rf"/shared/{token}(/report)?(\?|#|$)|/static/|#", one)
    } == set()
    assert "<form" not in reply.text
    assert "Set-Cookie" not in reply.headers


@pytest.mark.parametrize(
    "path", ["/p/help-centre/", "/p/help-centre/questions", "/p/help-centre/export/qrels"]
)
def test_the_link_opens_no_other_door(app, token, path):
    visitor = app.test_client()
    visitor.get(f"/shared/{token}")

    reply = visitor.get(path, query_string={"token": token}, headers={"Authorization": f"Bearer {token}"})

    assert reply.status_code == 302
    assert reply.location.startswith("/sign-in")


@pytest.mark.parametrize("ending", ["", "/report"])
def test_search_engines_forget_it_and_browsers_pass_it_on_to_nobody(app, token, ending):
    for known in (token, token[::-1]):
        headers = app.test_client().get(f"/shared/{known}{ending}").headers

        assert headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in headers["X-Robots-Tag"]
        assert headers["Cache-Control"] == "no-store"


def test_a_link_that_was_taken_back_shows_nothing(app, olga, token, stored):
    with stored.read() as session:
        number = session.scalars(select(SharedLink.id)).one()

    done = olga.post(f"/p/help-centre/share/{number}/revoke", follow_redirects=True)
    again = olga.post(f"/p/help-centre/share/{number}/revoke")
    gone = app.test_client().get(f"/shared/{token}")

    assert "Revoked" in done.text
    assert again.status_code == 409
    assert gone.status_code == 410
    assert "Help centre" not in gone.text
    assert "Forward" not in gone.text


def test_annotators_are_turned_away_while_they_are_signed_in(client_of, rated, token):
    for ending in ("", "/report"):
        reply = client_of(rated.annotator).get(f"/shared/{token}{ending}")

        assert reply.status_code == 404
        assert "Forward" not in reply.text
        assert "Help centre" not in reply.text


def test_reading_a_shared_page_writes_nothing(app, token, stored):
    from tests.furniture.routes import rows_of

    before = rows_of(stored)
    app.test_client().get(f"/shared/{token}")

    assert rows_of(stored) == before


@pytest.mark.parametrize("data", [{"days": "9"}, {"days": "7", "note": "x" * 121}, {}])
def test_a_form_that_cannot_be_right_makes_no_link(olga, rated, stored, data):
    if data:
        reply = olga.post("/p/help-centre/share", data=data)
        assert "Please check" in reply.text
    with stored.read() as session:
        assert session.scalars(select(SharedLink)).all() == []


def test_the_report_says_where_its_numbers_come_from(olga, rated, stored):
    page = olga.get("/p/help-centre/report").text

    evidence = evidence_of(stored, rated.project.id)
    standing = leaderboard_of(evidence)
    assert standing.sentence in page
    for ranker in standing.rankers:
        assert f'strong">{ranker.score * 100:.1f}</td>' in page
    assert f"revision {evidence.revision}" in page
    assert standing.board.ruler.fingerprint[:12] in page
    assert re.search(r'<time datetime="20\d\d-', page)
    assert "Anna" not in page


def make_begun(make):
    """Return a project of two rankers with twelve questions of three answers, its owner, an annotator and the lists."""
    project = make.project(k=3, slug="begun", name="Begun")
    owner, annotator = make.member(project, "owner"), make.member(project, "annotator")
    lists = {make.query(project, f"q{n}"): [make.document(project) for _ in range(3)] for n in range(12)}
    make.run(make.ranker(project, "Forward"), lists)
    make.run(make.ranker(project, "Backward"), {query: found[::-1] for query, found in lists.items()})
    return project, owner, annotator, lists


def test_scores_that_unrated_answers_can_only_lower_are_said_to_be_so(making, client_of):
    with making() as make:
        project, owner, annotator, lists = make_begun(make)
        for one in make.session.scalars(select(Candidate)).all():
            make.judgment(one, annotator, 1)
        known = {query: [make.document(project) for _ in range(3)] for query in lists}
        make.run(make.ranker(project, "Known", kind="manual"), known)

    page = client_of(owner).get("/p/begun/").text

    assert page.count("All scores are provisional: answers outside the top 3 could lower them.") == 1


def test_provisional_scores_are_called_so_once(making, client_of):
    with making() as make:
        _, owner, annotator, lists = make_begun(make)
        firsts = [found[0].id for found in lists.values()]
        for one in make.session.scalars(select(Candidate).where(Candidate.document_id.in_(firsts))):
            make.judgment(one, annotator, 3)
    client = client_of(owner)

    overview, report = (client.get(f"/p/begun/{page}").text for page in ("", "report"))

    assert overview.count("All scores are provisional: unrated answers count as 0 for now.") == 1
    assert report.count("All scores are provisional: unrated answers count as 0 for now.") == 1
    assert "NDCG@3 (linear, log2)</th>" not in report
    assert re.findall(r'<th scope="col"[^>]*>\s*(Bounds|judged)', report) == []
    assert "Of several ratings, the middle one counts." in report
    # A score and its bounds have the same decimals: rounded alone, one would lie outside the other.
    bounds = report[report.index("Bounds and judged@3 on today’s scored questions:") :]
    ends = re.findall(r'</bdi>\s*<span class="nowrap">([\d.]+) to ([\d.]+)</span>,', bounds)
    scores = re.findall(r'strong">([\d.]+)</td>', report)
    told = [(score, *both) for score, both in zip(scores, ends, strict=True)]
    assert len(told) == 2
    assert all(float(low) <= float(score) <= float(high) for score, low, high in told)
    assert len({number.count(".") for numbers in told for number in numbers}) == 1


def test_which_scores_are_provisional_is_said_by_name(app):
    def told(*provisional: bool) -> str:
        entries = [
            SimpleNamespace(name=name, provisional=one, judged=0.5, gap=object() if name == "B" else None)
            for name, one in zip("AB", provisional, strict=False)
        ]
        with app.test_request_context():
            return _provisional(SimpleNamespace(rankers=entries))

    assert told(False, True) == "Score provisional, as ratings are missing: B."
    assert told(True, False) == "Score provisional, as ratings are missing: A."
    assert told(True) == "Score provisional, as ratings are missing: A."
    assert told(False, False) == ""
    assert told(True, True) == "All scores are provisional: unrated answers count as 0 for now."


def test_a_link_to_a_project_without_anything_says_so(app, making):
    with making() as make:
        token = share(make.session, make.project(slug="bare", name="Bare").id, days=1)

    page, report = (app.test_client().get(f"/shared/{token}{ending}") for ending in ("", "/report"))

    assert "No ranker has been imported yet." in page.text
    assert "nothing to report" in report.text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "query", ["?ranker=1&ranker=x&band=2", "?from=2026-13-99&until=x", "?point=1-1&view=then"]
)
def test_an_address_that_means_nothing_still_shows_the_scores(app, token, query):
    assert "Forward" in app.test_client().get(f"/shared/{token}{query}").text


@pytest.mark.parametrize("path", ["/p/bare/report", "/p/bare/share"])
def test_a_project_without_anything_has_its_pages_too(making, client_of, path):
    with making() as make:
        owner = make.member(make.project(slug="bare", name="Bare"), "owner")

    assert client_of(owner).get(path).status_code == 200


@pytest.mark.parametrize("ending", ["", "/report", "?view=then"])
def test_a_link_that_has_expired_shows_nothing(app, token, stored, ending):
    with stored.write() as session:
        session.execute(update(SharedLink).values(expires_at=now_utc() - timedelta(seconds=1)))

    gone = app.test_client().get(f"/shared/{token}{ending}")

    assert gone.status_code == 410
    for told in ("Help centre", "Forward", "Anna"):
        assert told not in gone.text


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("ending", ["", "/report"])
def test_a_shared_page_can_only_be_read(app, token, stored, method, ending):
    from tests.furniture.routes import rows_of

    before = rows_of(stored)
    reply = getattr(app.test_client(), method)(f"/shared/{token}{ending}", data={"ranker": "1"})

    assert reply.status_code == 302
    assert reply.location.startswith("/sign-in")
    assert "Forward" not in reply.text
    assert rows_of(stored) == before


def test_an_annotator_who_is_sent_a_link_is_told_why_it_shows_nothing(client_of, rated, token):
    reply = client_of(rated.annotator).get(f"/shared/{token}")

    assert reply.status_code == 404
    assert "<h1>You cannot see these scores</h1>" in reply.text
    assert "ask one of its owners for an invitation" not in reply.text


def verdicts_in(page):
    """Return the column of verdicts of the table of scores, by ranker."""
    rows = re.findall(
        r'<tr><th scope="row" class="t-ans" dir="auto">(.*?) <span.*?</th>\s*<td>(.*?)</td>', page, re.DOTALL
    )
    return {name: word.split("<br>")[0].strip() for name, word in rows}


def test_the_report_and_the_link_say_the_sentence_and_the_words_of_the_overview(
    olga, app, token, rated, stored
):
    standing = leaderboard_of(evidence_of(stored, rated.project.id))
    words = {one.run.ranker: verdict_word(one.gap) if one.gap else "–" for one in standing.rankers}
    visitor = app.test_client()

    assert words == {"Forward": "–", "Backward": "Not sure yet"}
    overview, shared = olga.get("/p/help-centre/").text, visitor.get(f"/shared/{token}").text
    for page in (olga.get("/p/help-centre/report").text, visitor.get(f"/shared/{token}/report").text):
        assert verdicts_in(page) == words
        assert standing.sentence in page
    for page in (overview, shared):
        assert standing.sentence in page
        assert "Not sure yet</span>" in page
        assert signed_gap(standing.rankers[1].gap.mean) in page

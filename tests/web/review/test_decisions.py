"""Review of disputed answers, without scripts: blind, decided, reopened, sent, and for whom it is."""

import re
import uuid

import pytest
from sqlalchemy import select

from app.models import AdjudicationView, Document, Judgment, Membership, Origin, Project
from app.services.projects.projects import change_guidelines
from tests.furniture.words import text_of

URL = "/p/help-centre/review"


@pytest.fixture
def dispute(making, rated):
    """Let two more people rate the first two answers of the first question quite differently."""
    with making() as make:
        others = [make.member(rated.project, "annotator", name=f"Rater {number}") for number in (1, 2)]
        for candidate, grades in zip(rated.candidates[:2], ((0, 1), (3, 0)), strict=True):
            for other, grade in zip(others, grades, strict=True):
                make.judgment(candidate, other, grade)
    return rated.candidates[:2]


@pytest.fixture
def owner(client_of, rated):
    return client_of(rated.owner)


def decisions(stored):
    with stored.read() as session:
        wanted = select(Judgment).where(Judgment.role == Origin.ADJUDICATION).order_by(Judgment.revision)
        return [(row.candidate_id, row.grade, row.blind) for row in session.scalars(wanted)]


def decide(client, page, candidate, **says):
    card = re.search(rf'<article id="answer-{candidate.public_id}".*?</article>', page, re.DOTALL)[0]
    base = re.search(r'name="base" value="([^"]*)"', card)[1]
    data = {"id": str(uuid.uuid4()), "base": base, "place": "1", "of": "2", **says}
    return client.post(f"{URL}/answers/{candidate.public_id}", data=data, follow_redirects=True)


def test_an_empty_queue_says_what_will_be_there(owner, rated):
    page = owner.get(URL).text

    assert "Nothing waits for you." in page
    assert "No answers of this kind are waiting." in page
    assert "Nothing resolved yet" in owner.get(f"{URL}?state=resolved").text
    assert "Start deciding" not in page


def test_guidelines_are_offered_only_where_there_are_some(owner, rated, dispute, making):
    address = f"{URL}/{dispute[0].query_id}"
    bare = owner.get(address).text
    with making() as make:
        change_guidelines(make.session, make.session.get(Project, rated.project.id), "Half an answer: one.")
    full = owner.get(address).text

    assert 'popovertarget="guide">' not in bare
    assert full.count("Guidelines</button>") == 2


def test_an_archived_project_offers_no_decision(owner, rated, dispute, making):
    with making() as make:
        make.session.get(Project, rated.project.id).state = "archived"

    page = owner.get(URL).text

    assert "Nothing can be decided while the project is archived." in page
    assert "wait for your decision" not in page
    assert "Start deciding" not in page


@pytest.mark.thorough
def test_the_question_is_shown_blind_and_decided_without_scripts(owner, rated, dispute, stored):
    question = f"{URL}/{rated.queries[0].id}"
    listed = owner.get(URL).text
    assert "2 answers wait for your decision." in listed
    assert listed.count(">Ratings disagree</span>") == 2
    assert f'href="{question}"' in listed
    assert f'href="{question}#answer-{dispute[0].public_id}"' in listed

    page = owner.get(question).text
    shown = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    for hidden in ("Anna Annotator", "Rater 1", "Forward", "Backward", "checked"):
        assert hidden not in shown
    again = decide(owner, page, dispute[0], grade="2")

    assert decisions(stored) == [(dispute[0].id, 2, False)]
    assert "1 of 2 answers decided" in again.text
    assert again.text.count("What others rated") == 1
    for said in ("Anna Annotator", "Rater 1", "Rater 2"):
        assert said in again.text
    undone = decide(owner, again.text, dispute[0], reason="cleared")
    assert decisions(stored)[-1] == (dispute[0].id, None, False)
    assert "0 of 2 answers decided" in undone.text


def test_ratings_are_shown_on_request_which_is_kept(owner, rated, dispute, stored):
    shown = owner.post(f"{URL}/answers/{dispute[1].public_id}/show", follow_redirects=True).text

    assert shown.count("What others rated") == 1
    assert "Rater 2" in shown
    with stored.read() as session:
        view = session.scalars(select(AdjudicationView)).one()
    assert (view.candidate_id, view.person_id) == (dispute[1].id, rated.owner.id)
    assert view.shown_at is not None
    decide(owner, shown, dispute[1], grade="1")
    assert "had looked at the ratings" in owner.get(f"{URL}?state=resolved").text


def test_what_does_not_wait_shows_nothing_on_request(owner, rated, dispute, stored):
    owner.post(f"{URL}/answers/{rated.candidates[5].public_id}/show")

    with stored.read() as session:
        assert session.scalars(select(AdjudicationView)).all() == []


@pytest.mark.thorough
def test_a_decision_is_noted_and_taken_back_from_the_queue(owner, rated, dispute, stored):
    page = owner.get(f"{URL}/{rated.queries[0].id}").text
    decide(owner, page, dispute[0], grade="3")
    owner.post(f"{URL}/answers/{dispute[0].public_id}/note", data={"text": "It names the part."})

    listed = owner.get(f"{URL}?state=resolved").text
    assert "It names the part." in listed
    assert "Olga Owner" in listed
    back = owner.post(f"{URL}/answers/{dispute[0].public_id}/reopen", follow_redirects=True).text
    assert "The decision is undone." in back
    assert "2 answers wait for your decision." in back
    twice = owner.post(f"{URL}/answers/{dispute[0].public_id}/reopen", follow_redirects=True).text
    assert "Nothing is decided about this answer any more." in twice


def test_two_windows_do_not_overwrite_each_other(owner, rated, dispute, stored):
    page = owner.get(f"{URL}/{rated.queries[0].id}").text
    decide(owner, page, dispute[0], grade="3")

    late = decide(owner, page, dispute[0], grade="0")

    assert "Someone else has decided on this answer." in late.text
    assert [grade for _, grade, _ in decisions(stored)] == [3]


@pytest.mark.thorough
@pytest.mark.parametrize("says", [{}, {"grade": "x"}, {"grade": "9"}, {"grade": "1", "id": "no"}])
def test_what_is_no_decision_is_refused_in_a_sentence(owner, rated, dispute, stored, says):
    page = owner.get(f"{URL}/{rated.queries[0].id}").text

    reply = decide(owner, page, dispute[0], **says)

    assert reply.status_code == 200
    assert "note--warn" in reply.text
    assert decisions(stored) == []


def test_an_owner_sends_any_answer_from_its_question(owner, client_of, rated):
    sent = rated.candidates[7].public_id
    question = f"/p/help-centre/questions/{rated.queries[2].id}"
    assert f"/review/answers/{sent}/send" in owner.get(question).text

    reply = owner.post(f"{URL}/answers/{sent}/send", data={"turn": "send"}, follow_redirects=True).text
    assert "The answer now waits in Review." in reply
    # Where the browser goes, below the message, it is said as well.
    assert '<details class="more" id="send" open>' in reply
    assert "sent Take back" in text_of(reply)
    assert "Send again" in reply
    assert "1 answer waits for your decision" in owner.get(URL).text
    owner.post(f"{URL}/answers/{sent}/send", data={"turn": "back"})
    assert "Nothing waits" in owner.get(URL).text


@pytest.mark.thorough
def test_whom_an_owner_names_decides_without_learning_names(owner, client_of, rated, dispute, stored, making):
    with making() as make:
        eve = make.member(rated.project, "annotator", name="Eve Even")
    # She could give the one more rating that a dispute opens.
    sent = owner.post(f"{URL}/answers/{dispute[0].public_id}/send", data={"turn": "send"})
    assert sent.status_code == 302
    client = client_of(eve)
    assert client.get(URL).status_code == 404

    people = "/p/help-centre/people"
    assert "Let them decide disputed answers" in owner.get(people).text
    said = owner.post(f"{people}/{eve.public_id}/adjudicates", data={"named": "y"}, follow_redirects=True)
    assert "No longer let them decide disputed answers" in said.text
    assert "Eve Even can now decide on answers under Review." in said.text
    page = client.get(f"{URL}/{rated.queries[0].id}").text
    shown = decide(client, page, dispute[0], grade="1").text + client.get(f"{URL}?state=resolved").text

    assert decisions(stored) == [(dispute[0].id, 1, True)]
    assert "Annotator 3" in shown
    for hidden in ("Anna Annotator", "Rater 1", "Olga Owner", "Forward"):
        assert hidden not in shown
    owner.post(f"{people}/{eve.public_id}/adjudicates", data={"named": ""})
    assert client.get(URL).status_code == 404
    with stored.read() as session:
        assert not session.get_one(Membership, (eve.id, rated.project.id)).adjudicates


def test_over_http_a_decision_is_stored_once(owner, rated, dispute):
    path = f"/api/v1/candidates/{dispute[0].public_id}/adjudication"
    body = {
        "id": str(uuid.uuid4()),
        "grade": 2,
        "at": "2026-03-01T12:00:00Z",
        "input": "key",
        "active_ms": 900,
    }

    first, again = owner.put(path, json=body), owner.put(path, json=body)
    other = owner.put(path, json={**body, "id": str(uuid.uuid4()), "grade": 0})
    declined = owner.put(path, json={**body, "id": str(uuid.uuid4()), "grade": None, "reason": "harmful"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json["grade"] == again.json["grade"] == 2
    assert (other.status_code, other.json["code"], other.json["current"]["grade"]) == (
        409,
        "changed_elsewhere",
        2,
    )
    assert (declined.status_code, declined.json["code"]) == (422, "reason")


def test_the_question_tells_a_decision_from_what_its_adjudicator_rated(owner, rated, dispute, making):
    question = f"/p/help-centre/questions/{rated.queries[0].id}"
    with making() as make:
        make.judgment(dispute[0], rated.owner, 1, blind=False)
        answer = rated.candidates[2]
        title = make.session.get_one(Document, answer.document_id).title
    owner.post(f"{URL}/answers/{answer.public_id}/send", data={"turn": "send"})
    assert ">decided" not in owner.get(question).text

    page = owner.get(f"{URL}/{rated.queries[0].id}").text
    decide(owner, page, answer, grade="2")

    found = re.findall(
        r'<summary class="sum" dir="auto">([^<]*)</summary>.*?<p class="small muted">(.*?)</p></div>',
        owner.get(question).text,
        re.DOTALL,
    )
    (said,) = [said for name, said in found if ">decided: 2<" in said and name == title]
    # The annotator's 0 is listed; the owner, who decided but never rated, is not.
    assert "Anna Annotator</span>: 0" in said
    assert "Olga Owner" not in said


def test_an_answer_reads_as_it_did_on_the_rating_page(owner, rated, dispute, making):
    with making() as make:
        document = make.session.get_one(Document, dispute[0].document_id)
        document.title, document.source, document.url = "Wheel", "Manual", "https://example.org/wheel"
        document.text = "**Loosen** the nut.\n\n- <script>alert(1)</script>\n" + "And turn it on. " * 100
        document.extra = {"format": "markdown", "language": "en-GB"}

    page = owner.get(f"{URL}/{rated.queries[0].id}").text

    card = re.search(rf'<article id="answer-{dispute[0].public_id}".*?</article>', page, re.DOTALL)[0]
    assert (
        '<div class="ans__text prose" dir="auto" lang="en-GB"><p><strong>Loosen</strong> the nut.</p>' in card
    )
    assert "<script" not in card
    assert "<li>&lt;script&gt;" in card
    assert '<span class="ans__title" dir="auto" lang="en-GB">Wheel</span>' in card
    assert "<bdi>Manual</bdi>" in card
    assert 'href="https://example.org/wheel" target="_blank" rel="noreferrer noopener"' in card
    assert "Full text" in card

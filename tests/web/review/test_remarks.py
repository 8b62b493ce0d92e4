"""Remarks under Review: filters, one form for many, and the reply on the annotator's home page."""

import re

import pytest
from sqlalchemy import select

from app.models import Flag, Judgment, JudgmentNote, Origin, Person, PersonKind, Reason
from tests.furniture.assigning import assign_best_batch

URL = "/p/help-centre/review"


@pytest.fixture
def asked(making, rated):
    """Let the annotator flag one answer, note another, and pass on a third, which was assigned to them."""
    first, second, third = rated.candidates[-3:]
    with making() as make:
        batch = assign_best_batch(make.session, rated.project.id, rated.annotator.id).batch
        make.judgment(third, rated.annotator, None, reason=Reason.EXPERTISE, batch=batch)
        mine = {"project_id": rated.project.id, "candidate_id": first.id}
        make._added(Flag(**mine, person_id=rated.annotator.id, query_id=first.query_id))
        note = {**mine, "candidate_id": second.id}
        make._added(JudgmentNote(**note, annotator_id=rated.annotator.id, text="Is <b>this</b> enough?"))
    return first, second, third


def keys_of(page):
    return re.findall(r'name="remark" value="([^"]+)"', page)


def test_without_remarks_the_list_says_so(client_of, rated):
    page = client_of(rated.owner).get(URL).text

    assert "Nothing waits here" in page
    assert "No answers of this kind are waiting." in page


@pytest.mark.thorough
def test_a_reply_reaches_its_annotator_and_names_nobody(client_of, rated, asked):
    owner, anna = client_of(rated.owner), client_of(rated.annotator)
    page = owner.get(URL).text
    assert len(keys_of(page)) == 3
    assert "Is &lt;b&gt;this&lt;/b&gt; enough?" in page
    assert "“I lack the knowledge”" in page
    (note,) = [key for key in keys_of(page) if key.startswith("note")]

    done = owner.post(
        f"{URL}/remarks",
        data={"remark": note, "turn": "reply", "reply": "Yes, it is."},
        follow_redirects=True,
    ).text

    assert "1 remark replied to." in done
    assert note not in keys_of(done)
    assert "not read yet" in owner.get(f"{URL}?state=resolved").text
    home = anna.get("/").text
    assert "1 reply to you" in home
    assert "Yes, it is." in home
    assert "Olga" not in home
    link = re.search(r'href="(/p/help-centre/rate/\d+#answer-[^"]+)"', home)[1]
    assert anna.get(link.partition("#")[0]).status_code == 200
    assert "1 reply to you" not in owner.get("/").text
    anna.post("/p/help-centre/review/replies/seen")
    assert "1 reply to you" not in anna.get("/").text
    assert "Reply, read" in owner.get(f"{URL}?state=resolved").text


@pytest.mark.thorough
def test_a_whole_filter_is_released_at_once(client_of, rated, asked, stored):
    owner = client_of(rated.owner)

    done = owner.post(
        f"{URL}/remarks",
        data={"scope": "all", "kind": "pass", "state": "open", "turn": "release"},
        follow_redirects=True,
    )

    assert "1 annotator is asked again about 1 answer." in done.text
    with stored.read() as session:
        last = session.scalars(select(Judgment).order_by(Judgment.revision.desc())).first()
    assert (last.candidate_id, last.reason) == (asked[2].id, Reason.CLEARED)


def test_a_decision_resolves_that_its_answer_could_not_be_judged(client_of, rated, asked, making):
    owner = client_of(rated.owner)
    open_before = keys_of(owner.get(URL).text)
    with making() as make:
        make.judgment(asked[2], rated.owner, 1, role=Origin.ADJUDICATION)

    waiting, done = owner.get(URL).text, owner.get(f"{URL}?state=resolved").text
    assert set(open_before) - set(keys_of(waiting)) == set(keys_of(done)) != set()
    assert "2 annotator remarks are waiting for you." in waiting
    assert "waiting for you" not in done

    owner.post(f"{URL}/remarks", data={"remark": keys_of(done), "turn": "reopen"})
    assert set(keys_of(owner.get(URL).text)) == set(open_before)


def test_what_is_decided_is_not_asked_again_and_the_page_says_why(client_of, rated, asked, making):
    with making() as make:
        make.judgment(asked[2], rated.owner, 1, role=Origin.ADJUDICATION)
    owner = client_of(rated.owner)

    done = owner.post(
        f"{URL}/remarks",
        data={"scope": "all", "state": "resolved", "kind": "pass", "turn": "release"},
        follow_redirects=True,
    ).text

    assert "1 answer was not asked again: it is decided. Undo the decision first." in done
    assert len(keys_of(done)) == 1


@pytest.mark.thorough
def test_nobody_is_asked_again_who_cannot_sign_in(client_of, rated, asked, making):
    with making() as make:
        annotator = make.session.get_one(Person, rated.annotator.id)
        annotator.kind, annotator.password_hash = PersonKind.SIMULATED.value, None
    owner = client_of(rated.owner)

    done = owner.post(
        f"{URL}/remarks",
        data={"scope": "all", "kind": "pass", "state": "open", "turn": "release"},
        follow_redirects=True,
    )

    assert "People without an account here are not asked again." in done.text
    assert (
        "Nobody with an account here can be asked again." in owner.get("/p/help-centre/settings/quality").text
    )


def test_a_reply_to_somebody_without_an_account_does_not_wait_to_be_read(client_of, rated, asked, making):
    with making() as make:
        annotator = make.session.get_one(Person, rated.annotator.id)
        annotator.kind, annotator.password_hash = PersonKind.SIMULATED.value, None
    owner = client_of(rated.owner)

    owner.post(f"{URL}/remarks", data={"scope": "all", "turn": "reply", "reply": "Yes, it is."})

    done = owner.get(f"{URL}?state=resolved").text
    assert "Reply (not read, they have no account):" in done
    assert "not read yet" not in done


def test_notes_are_erased_for_good(client_of, rated, asked, stored):
    client_of(rated.owner).post(f"{URL}/remarks", data={"scope": "all", "turn": "erase"})

    with stored.read() as session:
        assert session.scalars(select(JudgmentNote)).all() == []
        assert len(session.scalars(select(Flag)).all()) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"turn": "resolve"}, "Choose at least one remark."),
        ({"turn": "reply", "scope": "all", "reply": " "}, "A reply has 1 to 2000 characters"),
        ({"turn": "explode", "scope": "all"}, "cannot be done"),
        ({"turn": "resolve", "remark": "flag-0"}, "Choose at least one remark."),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(client_of, rated, asked, stored, sent, says):
    owner = client_of(rated.owner)

    assert says in owner.post(f"{URL}/remarks", data=sent, follow_redirects=True).text
    assert len(keys_of(owner.get(URL).text)) == 3


@pytest.mark.thorough
@pytest.mark.parametrize("query", ["?state=x&kind=y&person=z&page=-1", "?page=999999999999", "?page=x"])
def test_addresses_that_nobody_linked_show_something_sensible(client_of, rated, asked, query):
    assert client_of(rated.owner).get(f"{URL}{query}").status_code == 200


@pytest.mark.thorough
def test_answers_to_decide_and_remarks_are_one_list(client_of, making, rated, asked):
    with making() as make:
        others = [make.member(rated.project, "annotator", name=f"Rater {number}") for number in (1, 2)]
        for other, grade in zip(others, (0, 3), strict=True):
            make.judgment(rated.candidates[0], other, grade)
    owner = client_of(rated.owner)
    owner.post(f"{URL}/answers/{rated.candidates[0].public_id}/send", data={"turn": "send"})

    page = owner.get(URL).text
    assert "1 answer and 3 remarks wait for you." in page
    assert page.index("Sent by an owner") < page.index('name="remark"')
    assert "All 3 that the filter shows" in page

    only_answers = owner.get(f"{URL}?kind=decide").text
    assert keys_of(only_answers) == []
    assert f"#answer-{rated.candidates[0].public_id}" in only_answers
    only_notes = owner.get(f"{URL}?kind=note").text
    assert len(keys_of(only_notes)) == 1
    assert f"#answer-{rated.candidates[0].public_id}" not in only_notes


@pytest.mark.thorough
def test_a_long_list_is_paged_without_gaps(client_of, making, rated, monkeypatch):
    monkeypatch.setattr("app.web.review.views.EACH", 2)
    with making() as make:
        for candidate in rated.candidates[:3]:
            mine = {"project_id": rated.project.id, "candidate_id": candidate.id}
            make._added(Flag(**mine, person_id=rated.annotator.id, query_id=candidate.query_id))
    owner = client_of(rated.owner)
    owner.post(f"{URL}/answers/{rated.candidates[5].public_id}/send", data={"turn": "send"})

    first, second, beyond = (owner.get(f"{URL}?page={page}").text for page in (1, 2, 9))

    assert (first.count(">Decide<"), len(keys_of(first))) == (1, 1)
    assert (second.count(">Decide<"), len(keys_of(second))) == (0, 2)
    assert not set(keys_of(first)) & set(keys_of(second))
    assert keys_of(beyond) == keys_of(second)

"""What the page says comes next is what is dealt: answer by answer, whatever the rule."""

import pytest
from sqlalchemy import select

from app.jobs.dealing import deal_question, find_next_batch
from app.models import Assignment, AssignmentCandidate, Project, now_utc
from app.services.assignment import FRESH, race_of
from app.services.evidence import evidence_of
from app.services.next_answers import begun_batch, coming_questions, first_questions, pace_of
from app.services.next_answers.reasons import reasons_of
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.factories import making_in


@pytest.fixture
def contest(database):
    def make(**values):
        with making_in(database)() as maker:
            return make_contest(maker, **values)

    return make


def coming(database, shop, person, most=6):
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        return coming_questions(session, evidence, project, person.id, now_utc(), most=most)


def dealt(database, shop, batch):
    with database.read() as session:
        assignment = session.scalars(
            select(Assignment).where(Assignment.project_id == shop.project.id, Assignment.batch == batch)
        ).one()
        held = select(AssignmentCandidate).where(AssignmentCandidate.assignment_id == assignment.id)
        arms = {one.candidate_id: one.arm for one in session.scalars(held)}
        return assignment.query_id, assignment.kind, arms


def arms_of(one):
    return {answer.candidate_id: answer.arm for answer in one.answers}


@pytest.mark.parametrize("dealing", ["race", "depth"])
def test_the_first_is_what_is_dealt_until_nothing_is_left(database, contest, dealing):
    shop = contest(queries=8, answers=14, dealing=dealing)
    kinds = set()

    while shown := coming(database, shop, shop.owner):
        batch = rate_next(database, shop, shop.owner, lambda card: card.place % 4)
        query_id, kind, arms = dealt(database, shop, batch)
        kinds.add(kind)
        assert shown[0].kind == kind
        if kind == "drawn":
            assert (shown[0].query_id, shown[0].answers) == (0, ()), "nobody can evade a draw"
        else:
            assert (shown[0].query_id, arms_of(shown[0])) == (query_id, arms)

    assert find_next_batch(database, shop.project.id, shop.owner.id) is None
    assert kinds == ({"milestone", "race", "drawn"} if dealing == "race" else {"depth"})


@pytest.mark.parametrize("dealing", ["race", "depth"])
def test_a_question_further_down_is_dealt_as_shown_to_whoever_asks_for_it(database, contest, dealing):
    shop = contest(queries=8, answers=14, dealing=dealing)
    rate_next(database, shop, shop.ada, lambda card: card.place % 4)

    shown = coming(database, shop, shop.owner)
    wanted = [one for one in shown[1:] if one.query_id][1]
    batch = deal_question(database, shop.project.id, shop.owner.id, wanted.query_id)

    assert len({one.query_id for one in shown}) == len(shown) == 6
    assert dealt(database, shop, batch) == (wanted.query_id, "chosen", arms_of(wanted))
    with database.read() as session:
        begun = begun_batch(session, shop.project.id, shop.owner.id, now_utc())
    assert (begun.batch, begun.query_id, begun.left) == (batch, wanted.query_id, len(wanted.answers))


def test_whoever_asks_again_for_a_question_gets_its_rest_and_then_the_batch_at_hand(database, contest):
    shop = contest(queries=1, answers=14)
    query = shop.queries[0].id

    first = deal_question(database, shop.project.id, shop.owner.id, query)
    second = deal_question(database, shop.project.id, shop.owner.id, query)

    assert second == first + 1
    assert deal_question(database, shop.project.id, shop.owner.id, query) == first
    assert deal_question(database, shop.project.id, shop.owner.id, 10**9) is None


def test_checks_are_not_told_to_those_they_measure(database, contest):
    shop = contest(queries=12, answers=10)
    with database.write() as session:
        project = session.get_one(Project, shop.project.id)
        project.options = {**project.options, "repeats": 0.5}
    while (batch := rate_next(database, shop, shop.owner, lambda card: 1)) is not None:
        arms = dealt(database, shop, batch)[2]
        shown = coming(database, shop, shop.owner)
        assert all(answer.arm not in {"gold", "repeat"} for one in shown for answer in one.answers)
        if "repeat" in arms.values():
            return
    pytest.fail("no check was dealt")


def test_nothing_comes_while_rating_is_paused(database, contest):
    shop = contest()
    with database.write() as session:
        session.get_one(Project, shop.project.id).state = "paused"

    assert coming(database, shop, shop.owner) == []
    assert deal_question(database, shop.project.id, shop.owner.id, shop.queries[0].id) is None


@pytest.fixture
def duel(database):
    """Return two rankers over one question: `Up` lists a, b, c, d; `Down` lists d, a, e, each to k = 3."""
    with making_in(database)() as make:
        project = make.project(k=3, pool_depth=4, dealing="race", slug="duel")
        query = make.query(project, "q")
        docs = {name: make.document(project, name, title=name) for name in "abcde"}
        make.run(make.ranker(project, "Up"), {query: [docs[name] for name in "abcd"]})
        make.run(make.ranker(project, "Down"), {query: [docs[name] for name in "dae"]})
        ada = make.member(project, "owner")
    return project, docs, ada


def said(database, duel, *, arm="priority", openness=None, days=0.0):
    project, docs, _ = duel
    evidence, now = evidence_of(database, project.id), now_utc() + days * FRESH / 7
    race = race_of(evidence, now)
    if openness is not None:
        race.openness[:] = openness
    reasons = reasons_of(evidence, race, now)
    cell = {int(number): place for place, number in enumerate(evidence.structure.document)}
    return {name: reasons.why(arm, cell[one.id]) for name, one in docs.items()}


def test_each_answer_says_which_race_it_can_move(database, duel):
    said_first = said(database, duel, days=8)

    assert said_first == {
        "a": "Up puts it first, Down second; which of the two is better is still open.",
        "b": "Up puts it second, Down not in its first 3; which of the two is better is still open.",
        "c": "Up puts it third, Down not in its first 3; which of the two is better is still open.",
        "d": "Down puts it first, Up not in its first 3; which of the two is better is still open.",
        "e": "Down puts it third, Up not in its first 3; which of the two is better is still open.",
    }


def test_new_versions_decided_races_and_other_arms_are_said(database, duel):
    assert said(database, duel, openness=0.11)["b"].endswith("; Up is new and should become readable soon.")
    assert said(database, duel, openness=0.05, days=8)["b"].endswith(
        "; one of the two is well ahead by now, but their lists differ most here."
    )
    assert said(database, duel, arm="uniform")["a"].startswith("Picked at random, as one answer in five is")
    assert said(database, duel, arm="waiting", days=15)["a"] == "It has waited longest for a rating: 15 days."
    assert said(database, duel, arm="opened", days=8)["a"].startswith(
        "Begun already: 0 of 1 rating given. Up"
    )


def test_the_questions_of_the_overview_follow_the_rule(database, contest):
    shop = contest(queries=30, answers=10)
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        race = race_of(evidence, now_utc())
        block = set(evidence.structure.query_id[race.block].tolist())
        found = first_questions(evidence, project, now_utc(), most=30)
        shown = coming(database, shop, shop.owner)

    assert 0 < len(block) < 30
    assert set(found[: len(block)]) == block
    assert shown[0].query_id == found[0]
    assert len(set(found)) == 30


def test_a_rating_not_timed_is_no_pace_and_fifty_are(database, contest):
    shop = contest(queries=10, answers=10)
    for _ in range(5):
        rate_next(database, shop, shop.ada, lambda card: 1)
    with database.read() as session:
        assert (pace_of(session, shop.project.id).seconds, pace_of(session, shop.project.id).timed) == (20, 0)
    with making_in(database)() as make:
        query = make.query(shop.project, "timed")
        for number in range(50):
            make.judgment(make.candidate(query), shop.bo, 1, active_ms=5_000 + 2_000 * (number % 2))

    with database.read() as session:
        pace = pace_of(session, shop.project.id)
    assert (pace.seconds, pace.timed) == (6.0, 50)
    assert pace.time(50) == "about 5 minutes"
    assert (pace.time(0), pace.time(1), pace.time(1_800)) == ("no time", "about 1 minute", "about 3 hours")

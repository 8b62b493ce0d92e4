"""The replay of a project's own ratings, against the simulation of the engine."""

from collections import OrderedDict

import numpy as np
import pytest
from sqlalchemy import select

from app.models import Candidate
from app.scoring.discounts import discounts
from app.scoring.priority import candidates_of
from app.scoring.seeds import seed_of
from app.scoring.simulation import Truth, needed_of, replay
from app.services.comparison import basis_of
from app.services.evidence import evidence_of
from app.services.next_answers import Savings, TooLittle, complete, kept_savings, savings, savings_of
from tests.furniture.factories import making_in

GRADES = (3, 1, 0, 2)
ORDERS = {"Best": (0, 3, 1, 2), "Middle": (1, 0, 2, 3), "Worst": (2, 1, 3, 0)}


@pytest.fixture
def rated(database, monkeypatch):
    """Return what makes a project of three rankers over four answers, rated wholly but for the last two."""

    monkeypatch.setattr(savings, "_shelf", OrderedDict())

    def make(questions=14, rankers=3, grades=GRADES):
        with making_in(database)() as maker:
            project = maker.project(k=2, pool_depth=3)
            ada = maker.member(project, "annotator")
            queries = [maker.query(project, f"q{number:02}") for number in range(questions)]
            answers = {query: [maker.document(project) for _ in GRADES] for query in queries}
            for name, order in list(ORDERS.items())[:rankers]:
                lists = {query: [answers[query][place] for place in order] for query in queries}
                maker.run(maker.ranker(project, name), lists)
            for query in queries[:-2]:
                for document, grade in zip(answers[query], grades, strict=True):
                    maker.judgment(_candidate(maker, query, document), ada, grade)
        return basis_of(evidence_of(database, project.id))

    return make


def _candidate(make, query, document):
    return make.session.scalars(
        select(Candidate).where(Candidate.query_id == query.id, Candidate.document_id == document.id)
    ).one()


def test_the_shares_are_those_of_the_simulation_on_the_complete_questions(rated, monkeypatch):
    monkeypatch.setattr(savings, "DRAWS", 4)
    basis = rated()

    found = savings_of(basis, "race")

    assert isinstance(found, Savings)
    assert (found.rankers, found.questions, found.drawn, found.draws, found.answers) == (3, 12, 12, 4, 48)
    # The same complete questions, put together by hand: places of the four answers in each list.
    ranks = np.array([[order.index(place) + 1 for place in range(4)] for order in ORDERS.values()])
    truth = Truth(
        candidates_of(
            np.repeat(np.arange(12), 4),
            np.tile(ranks, 12),
            discounts(depth=2),
            current=np.ones(3, bool),
            depth=3,
        ),
        np.tile(np.array(GRADES, dtype=float), 12),
        discounts(depth=2),
        12,
        3.0,
    )
    key, _ = complete.complete_questions(basis, "race")
    shares = {
        rule: [
            needed_of(replay(truth, rule, seed=seed_of("savings", key.hex(), draw), grid=0.02)).zero_fill
            for draw in range(4)
        ]
        for rule in ("random", "depth", "open race")
    }
    assert {one.rule: one.share for one in found.measured} == {
        rule: pytest.approx(np.mean(values)) for rule, values in shares.items()
    }
    gaps = 48 * (np.array(shares["random"]) - np.array(shares["open race"]))
    assert (found.rule, found.saved) == ("open race", pytest.approx(gaps.mean()))
    assert found.error == pytest.approx(gaps.std(ddof=1) / 2)


def test_what_was_worked_out_is_kept_until_a_complete_question_changes(rated, monkeypatch):
    monkeypatch.setattr(savings, "DRAWS", 2)
    basis = rated()

    assert kept_savings(basis, "depth") == (False, None)
    found = savings_of(basis, "depth")
    assert kept_savings(basis, "depth") == (True, found)
    assert kept_savings(basis, "race") == (False, None)
    assert found.rule == "depth"
    assert (found.depth_saves, found.is_depth_better) == (0.0, False)


def test_below_the_sample_rule_nothing_is_shown(rated):
    assert savings_of(rated(questions=11), "race") == TooLittle(3, 9)
    assert savings_of(rated(rankers=2), "race") == TooLittle(2, 12)
    assert kept_savings(rated(rankers=2), "race") == (True, TooLittle(2, 12))


def test_rankers_that_are_equal_have_no_order_to_find(rated, monkeypatch):
    monkeypatch.setattr(savings, "DRAWS", 2)

    assert savings_of(rated(grades=(2, 2, 2, 2)), "race") is None


def test_of_many_rankers_the_best_are_put_in_order(rated, monkeypatch):
    monkeypatch.setattr(complete, "MOST_RANKERS", 2)
    monkeypatch.setattr(complete, "LEAST_RANKERS", 2)
    monkeypatch.setattr(savings, "LARGE", 0)
    basis = rated()

    found = savings_of(basis, "race")

    assert (found.rankers, found.all_rankers, found.draws) == (2, 3, savings.FEW_DRAWS)
    means = {row.place: row.measures[basis.board.headline] for row in basis.board.runs}
    assert set(complete._best_runs(basis)) == set(sorted(means, key=means.get)[1:])

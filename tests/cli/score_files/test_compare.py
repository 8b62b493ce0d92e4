"""What is said about two run files: every word for the right reason, with its numbers."""

import numpy as np
import pytest

from app.cli.score_files_scores import ChoiceError
from app.scoring.seeds import seed_of
from tests.scoring.paired import compare_rankers

GOOD, BAD = {"a": 3.0, "b": 2.0, "c": 1.0}, {"c": 3.0, "b": 2.0, "a": 1.0}


@pytest.fixture
def compared(files):
    def compared(grades, first, second, **choices):
        paths = [files.run("one", first), files.run("two", second)]
        found = files.score(
            files.qrels(grades), *paths, compare=[("one", "two")], measures="nDCG@3", **choices
        )
        return found.comparisons[0]

    return compared


@pytest.fixture
def compared_by(files):
    def compared_by(grades, *, other=False, **choices):
        queries = len(grades)
        first = lists(queries, BAD, GOOD, 2 if other else 0)
        second = lists(queries, GOOD, BAD, 2 if other else 0)
        paths = [files.run("one", first), files.run("two", second)]
        return files.score(files.qrels(grades), *paths, compare=[("one", "two")], **choices).comparisons[0]

    return compared_by


def judged(queries, *, grades=(2, 1, 0)):
    return {f"q{n:02}": dict(zip("abc", grades, strict=True)) for n in range(queries)}


def lists(queries, of, other=None, every=0):
    """Return the same list for all queries, another one for every so many."""
    return {f"q{n:02}": other if every and n % every == 0 else of for n in range(queries)}


def test_a_run_that_is_better_on_every_judged_query_is_surely_ahead(compared):
    found = compared(judged(20), lists(20, BAD, {"b": 1.0}, 5), lists(20, GOOD))

    assert (found["verdict"], found["ahead"]) == ("sure", "two")
    # With nothing unjudged there is nothing that could change the order.
    assert (found["unjudged_documents"], found["stays_ahead_whatever_is_unjudged"]) == (0, None)
    assert (found["b_wins"], found["ties"], found["b_losses"]) == (20, 0, 0)
    assert found["p_adjusted"] == found["p"] == 1 / 10_000
    assert found["sentence"].startswith("two is surely better than one in nDCG@3: two minus one is +0.")


def test_the_run_that_is_behind_is_named_second_in_either_order(compared):
    forth = compared(judged(20), lists(20, BAD), lists(20, GOOD))
    back = compared(judged(20), lists(20, GOOD), lists(20, BAD))

    assert (back["ahead"], back["b_losses"]) == ("one", 20)
    assert back["difference"] == -forth["difference"]
    assert (back["p"], back["bounds"]) == (forth["p"], (-forth["bounds"][1], -forth["bounds"][0]))
    assert back["sentence"].startswith("one is surely better than two")


def test_below_ten_queries_it_is_too_early(compared):
    found = compared(judged(9), lists(9, BAD), lists(9, GOOD))

    assert found["verdict"] == "too early"
    assert found["sentence"] == (
        "Too early to compare one and two: a verdict needs 10 queries that count for both; there are 9 so far."
    )


def test_equal_runs_are_no_evidence(compared):
    found = compared(judged(20), lists(20, GOOD), lists(20, GOOD))

    assert (found["verdict"], found["p"], found["difference"]) == ("too close to call", 1.0, 0.0)
    assert (found["b_wins"], found["ties"], found["b_losses"]) == (0, 20, 0)
    assert found["sentence"].startswith("one and two are too close to call in nDCG@3: two")


def test_what_unjudged_documents_could_turn_round_is_not_sure_and_says_so(compared):
    # Both return two documents that nobody has judged.
    found = compared(
        judged(20), lists(20, {"x": 3.0, "y": 2.0, "b": 1.0}), lists(20, {"z": 3.0, "w": 2.0, "a": 1.0})
    )

    assert found["p_adjusted"] <= 0.05
    assert found["bounds"][0] < 0 < found["bounds"][1]
    assert (found["verdict"], found["sample"]["queries"], found["final_p"]) == ("not sure yet", 0, None)
    assert (found["unjudged_documents"], found["provisional"]) == (80, True)
    assert found["sentence"].endswith(
        "; no query counts yet: the first in a random order is not judged in full."
    )


def test_a_lead_that_nothing_unjudged_can_reverse_is_no_verdict_of_its_own(compared):
    # On every tenth query the order is the other way round: too noisy to be sure, and nearly all is judged.
    first = lists(12, BAD, GOOD, 3) | {"q11": {"x": 1.0}}
    found = compared(judged(12), first, lists(12, GOOD, BAD, 3))

    assert found["unjudged_documents"] == 1
    assert found["certificate"][0] > 0
    assert (found["stays_ahead_whatever_is_unjudged"], found["verdict"]) == ("two", "not sure yet")


def test_queries_decide_in_the_order_of_a_hash_up_to_the_first_with_an_unjudged_document(compared):
    order = sorted((f"q{n:02}" for n in range(30)), key=seed_of)
    strange = {order[14]: {"x": 1.0, "a": 0.5}, order[20]: {"x": 1.0}}
    found = compared(judged(30), lists(30, BAD) | strange, lists(30, GOOD))

    sample = found["sample"]
    assert (sample["queries"], sample["all_judged"], found["final_p"], found["queries"]) == (
        14,
        False,
        None,
        30,
    )
    assert sample["mean"] == pytest.approx(1 - ndcg_of_bad())
    assert sample["mean"] != pytest.approx(found["difference"])
    # The final test waits; fourteen wins of fourteen are enough for the early one.
    assert found["verdict"] == "sure"


def ndcg_of_bad():
    """Return nDCG@3 of the list c b a, whose grades are 0, 1 and 2."""
    return (1 / np.log2(3) + 2 / 2) / (2 + 1 / np.log2(3))


def test_queries_that_the_qrels_say_nothing_about_keep_no_pair_open(compared):
    more = {f"r{n}": GOOD for n in range(5)}
    found = compared(judged(20), lists(20, BAD) | more, lists(20, GOOD) | more)

    assert (found["sample"]["queries"], found["sample"]["all_judged"]) == (20, True)
    assert (found["verdict"], found["ahead"]) == ("sure", "two")


def test_a_word_is_harder_to_earn_where_more_comparisons_are_asked_for(files):
    close = lists(12, GOOD, BAD, 12)
    paths = [files.run(name, lists(12, BAD)) for name in "abcdef"] + [files.run("good", close)]
    told = {}
    for count in (1, 6):
        asked = [(name, "good") for name in "abcdef"[:count]]
        told[count] = files.score(files.qrels(judged(12)), *paths, compare=asked, measures="RR").comparisons

    assert told[1][0]["test"]["adjusted_for"] == 1
    assert told[6][0]["test"]["adjusted_for"] == 6
    assert told[6][0]["final_p"] == min(1.0, 6 * told[1][0]["p"])


def test_the_numbers_are_those_of_the_test_itself(files):
    rng = np.random.default_rng(2)
    qrels = {f"q{n}": {f"d{m}": int(rng.integers(0, 4)) for m in range(12)} for n in range(30)}
    runs = [{q: {d: float(rng.random()) for d in of} for q, of in qrels.items()} for _ in range(3)]
    paths = [files.run(f"run{n}", run) for n, run in enumerate(runs)]

    found = files.score(
        files.qrels(qrels), *paths, measures="P@5 nDCG@5", compare=[("run0", "run1"), ("run0", "run2")]
    )

    assert [one["measure"] for one in found.comparisons] == ["nDCG@5", "nDCG@5"]
    values = found.values["nDCG@5"][:, found.counted[0]]
    for one, row in zip(found.comparisons, (1, 2), strict=True):
        difference = values[row] - values[0]
        assert one["difference"] == pytest.approx(difference.mean())
        assert one["means"] == pytest.approx({"a": values[0].mean(), "b": values[row].mean()})
        # Another seed draws other patterns; the P is the same within their error.
        assert one["p"] == pytest.approx(compare_rankers(values[[0, row]], seed=99).raw[0], abs=0.02)
        assert one["bounds"] == pytest.approx((difference.mean(), difference.mean()))
    least, most = sorted(one["p"] for one in found.comparisons)
    assert sorted(one["p_adjusted"] for one in found.comparisons) == [
        min(1.0, 2 * least),
        max(min(1.0, 2 * least), most),
    ]


def test_the_same_files_give_the_same_p_again(compared):
    first, second = lists(25, BAD, GOOD, 4), lists(25, GOOD, BAD, 3)

    assert compared(judged(25), first, second) == compared(judged(25), first, second)


def test_a_measure_without_bounds_is_compared_by_its_test_alone(files):
    qrels = files.qrels(judged(20))
    paths = [files.run("one", lists(20, {"x": 1.0})), files.run("two", lists(20, GOOD))]

    found = files.score(qrels, *paths, measures="P@1 AP", compare=[("one", "two")]).comparisons[0]

    assert (found["measure"], found["bounds"], found["certificate"]) == ("P@1", None, None)
    # Nobody has judged x, and nothing says what it could still become.
    assert found["verdict"] == "not sure yet"


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (("one", "three"), "none of the runs has the name 'three'; use two of one, two, two"),
        (("one", "two"), "several runs have the name 'two'; rename one of the files"),
        (("one", "one"), "with itself: name two runs"),
    ],
)
def test_runs_that_cannot_be_told_are_refused(files, pair, told):
    run = files.run("one", {"q1": GOOD})
    (files.folder / "other").mkdir()
    paths = [run, files.run("two", {"q1": GOOD}), files.text("other/two.run", run.read_text())]

    with pytest.raises(ChoiceError, match=told):
        files.score(files.qrels({"q1": {"a": 1}}), *paths, compare=[pair])


@pytest.mark.parametrize("measures", ["AP", "nDCG@3"])
def test_all_judged_a_lead_that_luck_gives_one_time_in_ten_is_probably_one_by_any_measure(files, measures):
    better = {f"q{n:02}": GOOD if n % 2 else BAD for n in range(12)}
    better |= dict.fromkeys(["q00", "q02", "q04", "q06", "q08"], GOOD)
    worse = {f"q{n:02}": BAD if n % 2 else GOOD for n in range(12)}
    paths = [files.run("one", worse), files.run("two", better)]

    (found,) = files.score(
        files.qrels(judged(12)), *paths, compare=[("one", "two")], measures=measures
    ).comparisons

    assert found["unjudged_documents"] == 0
    assert found["final_p"] > 0.04
    assert found["sample"]["t_test_p"] <= 0.1
    assert (found["verdict"], found["ahead"]) == ("probably better", "two")
    assert found["sentence"].startswith(f"two is probably better than one in {found['measure']}: ")


@pytest.mark.parametrize("choices", [{"measures": "AP"}, {"measures": "nDCG@3", "ideal": "returned"}])
def test_what_a_measure_reads_below_the_usual_pool_keeps_it_from_being_sure(files, choices):
    # Judged down to rank 10, and forty documents below, of which the runs share twenty.
    ranked = {name: [name, *(f"n{n}" for n in range(9))] for name in ("t", "other")}
    qrels = files.qrels({f"q{n:02}": {"t": 1} | dict.fromkeys(ranked["other"], 0) for n in range(20)})
    below = {"t": range(40), "other": range(20, 60)}
    paths = [
        files.run(
            run,
            lists(
                20, {d: -float(rank) for rank, d in enumerate(ranked[name] + [f"u{n}" for n in below[name]])}
            ),
        )
        for run, name in (("one", "other"), ("two", "t"))
    ]

    (found,) = files.score(qrels, *paths, compare=[("one", "two")], **choices).comparisons

    assert (found["b_wins"], found["p"]) == (20, 1 / 10_000)
    assert found["unjudged_documents"] == 20 * 60
    assert (found["verdict"], found["provisional"]) == ("not sure yet", True)
    assert not found["sample"]["all_judged"]


@pytest.mark.parametrize(
    ("lowest_of", "choices"),
    [
        (600, {"measures": "DCG@3", "gain": "exponential"}),
        (900, {"measures": "DCG@3 AP", "gain": "exponential"}),
        (3, {"measures": "RBP", "gain": "exponential", "highest": 100}),
        (3, {"measures": "DCG@3", "gain": "exponential"}),
    ],
)
def test_differences_of_any_size_are_tested_and_written_alike(compared_by, lowest_of, choices):
    found = compared_by(judged(12, grades=(lowest_of, 1, 0)), **choices)

    assert (found["b_wins"], found["ties"], found["b_losses"], found["p"]) == (12, 0, 0, 2 / 4096)
    assert (found["verdict"], found["ahead"]) == ("sure", "two")
    sentence = found["sentence"]
    assert "+0.0000" not in sentence
    assert len(sentence) < 200


def test_scores_too_far_apart_to_square_leave_a_word_and_no_wild_number(compared_by):
    grades = judged(11, grades=(900, 1, 0)) | {"q11": {"a": 1}}
    found = compared_by(grades, measures="DCG@1", gain="exponential", other=True)

    assert found["verdict"] == "not sure yet"
    assert len(found["sentence"]) < 200

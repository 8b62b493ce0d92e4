"""Files against the engine fed with dictionaries: the same values, bounds, counts and coverage."""

import numpy as np
import pytest

from app.cli.score_files_scores import ChoiceError, Choices
from app.formats.errors import FormatError
from app.scoring.bounds import ndcg_bounds
from app.scoring.measures import UnknownMeasureError, parse_measure
from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

MEASURES = "nDCG@3 nDCG@5 DCG@5 MNDCG@3 ERR@5 RBP(0.8) P@3 RR AP nDCG judged@5"


def drawn(seed, *, silent=0.1, queries=30, lowest=0):
    """Return judgments from the lowest grade to 3 and three runs; some queries are silent or unjudged."""
    rng = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(40)]
    qrels, runs = {}, [{}, {}, {}]
    for query in (f"q{n}" for n in range(queries)):
        if rng.random() < 0.9:
            chosen = rng.choice(documents, size=rng.integers(1, 15), replace=False).tolist()
            highest = 4 if rng.random() < 0.9 else lowest + 1
            qrels[query] = {d: int(rng.integers(lowest, highest)) for d in chosen}
        for run in runs:
            if rng.random() >= silent:
                listed = rng.choice(documents, size=rng.integers(1, 25), replace=False).tolist()
                run[query] = {
                    d: float(x) for d, x in zip(listed, rng.integers(0, 30, len(listed)), strict=True)
                }
    return qrels, runs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"gain": "exponential", "discount": "reciprocal", "threshold": 2},
        {"discount": "original-2002", "ideal": "maximum"},
        {"unjudged": "condensed"},
        {"ideal": "returned"},
        {"gain": "raw", "lowest": 1},
    ],
)
def test_files_have_the_values_of_the_engine(files, seed, choices):
    qrels, runs = drawn(seed, lowest=choices.get("lowest", 0))
    paths = [files.run(f"run{n}", run) for n, run in enumerate(runs)]
    made = collection(qrels, runs, ScoringRuler(highest=3, **choices), pool_depth=5)

    labels = [one for one in MEASURES.split() if not parse_measure(one).is_endless(made.judged.ruler)]
    found = files.score(files.qrels(qrels), *paths, measures=" ".join(labels), highest=3, **choices)

    scored = made.judged.scored
    for label in labels:
        values = made.values(label)
        for row, run in enumerate(found.runs):
            per_query = found.per_query(row, [label])
            expected = {query: values[row, n] for n, query in enumerate(made.queries) if scored[n]}
            assert {query: of[label] for query, of in per_query.items()} == expected, label
            assert run.measures[label] == pytest.approx(np.mean(list(expected.values())), abs=1e-14)
    assert [run.scored for run in found.runs] == [scored.sum()] * 3
    assert found.runs[0].excluded == {
        "no_relevant": made.judged.no_relevant.sum(),
        "unjudged": made.judged.undecided.sum(),
    }


def test_inf_ap_counts_what_another_run_has_pooled_wherever_it_stands(files):
    qrels = files.qrels({"1": {"x": 1, "z": 0}})
    a = files.run("A", {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "x": 6.0}})
    b = files.run("B", {"1": {"c": 9.0, "b": 8.0}})

    first, _ = files.score(qrels, a, b, measures="nDCG@2 infAP").runs

    # x stands fourth, below a, b and c: all three are pooled, c by the other run.
    assert first.measures["infAP"] == pytest.approx(0.625, abs=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6))
def test_inf_ap_of_files_is_that_of_the_engine(files, seed):
    qrels, runs = drawn(seed)
    paths = [files.run(f"run{n}", run) for n, run in enumerate(runs)]
    made = collection(qrels, runs, ScoringRuler(highest=3), pool_depth=4)

    found = files.score(files.qrels(qrels), *paths, measures="infAP nDCG@4", highest=3)

    values = made.values("infAP")
    for row in range(3):
        per_query = found.per_query(row, ["infAP"])
        for query, of in per_query.items():
            assert of["infAP"] == values[row, made.queries.index(query)]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ideal", ["judged", "maximum"])
def test_the_pool_behind_the_bounds_is_the_union_of_the_runs_top_k(files, seed, ideal):
    qrels, runs = drawn(seed)
    paths = [files.run(f"run{n}", run) for n, run in enumerate(runs)]

    found = files.score(files.qrels(qrels), *paths, measures="nDCG@5 nDCG@2 P@7", highest=3, ideal=ideal)

    assert set(found.runs[0].bounds) == {"nDCG@5", "nDCG@2"}
    for cutoff in (2, 5):
        made = collection(qrels, runs, ScoringRuler(ideal=ideal), pool_depth=cutoff)
        expected = ndcg_bounds(made.lists, made.judged, cutoff)
        for row in range(3):
            per_query = found.bounds_per_query(row)
            ends = {q: of[f"nDCG@{cutoff}"] for q, of in per_query.items()}
            assert ends == {
                query: (expected.low[row, n], expected.high[row, n])
                for n, query in enumerate(made.queries)
                if made.judged.scored[n]
            }


def test_a_run_that_is_silent_about_a_scored_query_gets_0_there(files):
    qrels = files.qrels({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}})
    run = files.run("run", {"q1": {"a": 1.0}, "q4": {"a": 1.0}})

    found = files.score(qrels, run)

    assert found.per_query(0, ["nDCG@10"]) == {"q1": {"nDCG@10": 1.0}, "q2": {"nDCG@10": 0.0}}
    assert found.runs[0].measures == {"nDCG@10": 0.5, "AP": 0.5}
    # Nobody returns anything for q3: the qrels alone say what it holds.
    assert found.runs[0].excluded == {"no_relevant": 1, "unjudged": 1}


def test_in_trec_evals_way_a_query_that_is_not_listed_is_left_out_and_counted(files):
    qrels = files.qrels({"q1": {"a": 1}, "q2": {"b": 1}})
    run = files.run("run", {"q1": {"a": 1.0}, "q4": {"a": 1.0}})

    found = files.score(qrels, run, trec=True)

    assert found.runs[0].measures == {"nDCG@10": 1.0, "AP": 1.0}
    assert found.runs[0].excluded == {"no_relevant": 0, "unjudged": 1, "not_listed": 1}


def test_without_a_scored_query_there_is_no_number(files):
    found = files.score(files.qrels({"q1": {"a": 0}}), files.run("run", {"q1": {"a": 1.0}}))

    run = found.runs[0]
    assert (run.measures, run.bounds, run.judged) == (
        {"nDCG@10": None, "AP": None},
        {"nDCG@10": None},
        {"judged@10": None},
    )
    assert run.excluded == {"no_relevant": 1, "unjudged": 0}


def test_ties_and_rank_columns_that_contradict_the_scores_are_counted(files):
    run = files.text(
        "run.run", "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 2.5 t\nq1 Q0 c 3 1.0 t\nq2 Q0 a 1 2.0 t\nq2 Q0 b 2 1.0 t\n"
    )

    found = files.score(files.qrels({"q1": {"a": 1}}), run).runs[0]

    # b stands before a: of equal scores the greater document id comes first.
    assert (found.tied_lines, found.disagreeing, found.lines, found.lists) == (1, 1, 5, 2)


def test_lists_of_very_different_lengths_are_scored_in_parts(files, monkeypatch):
    monkeypatch.setattr("app.cli.score_files_scores.ROOMY", 100)
    lists = {
        f"q{n}": {f"d{m}": 1.0 - m / 4000 for m in range(3000 if n == 7 else 1 + n % 5)} for n in range(40)
    }
    qrels = {f"q{n}": {"d0": 1, "d2": 2, "d2500": 3} for n in range(42)}
    made = collection(qrels, [lists], pool_depth=10)
    expected = {
        label: dict(zip(made.queries, made.values(label)[0], strict=True)) for label in ("AP", "nDCG")
    }

    found = files.score(files.qrels(qrels), files.run("run", lists), measures="AP nDCG P@10", highest=3)

    per_query = found.per_query(0, ["AP", "nDCG"])
    assert {q: of["AP"] for q, of in per_query.items()} == expected["AP"]
    assert {q: of["nDCG"] for q, of in per_query.items()} == expected["nDCG"]


def test_packed_files_score_like_plain_ones_and_keep_their_names(files):
    qrels, runs = drawn(1)
    plain = files.run("bm25", runs[0])
    packed = files.text("packed.run.gz", plain.read_text())

    found = files.score(files.qrels(qrels, "qrels.gz.gz"), plain, packed)

    assert [run.name for run in found.runs] == ["bm25", "packed"]
    assert found.runs[0].measures == found.runs[1].measures


def test_a_grade_off_the_scale_in_a_file_on_one_line_is_named_with_its_pair(files, tmp_path):
    qrels = tmp_path / "qrels.json"
    qrels.write_text('{"q1": {"a": 1, "b": 7}}')

    with pytest.raises(FormatError, match="off the scale 0 to 3, in 'q1 b': '7'"):
        files.score(qrels, files.run("run", {"q1": {"a": 1.0}}), highest=3)


@pytest.mark.parametrize(
    ("grades", "choices", "told"),
    [
        ({"a": 1, "b": 7}, {"highest": 3}, "qrels.txt, line 2: the grade is off the scale 0 to 3: '7'. Correct it, or give --highest 7."),
        ({"a": 1, "b": 0}, {"lowest": 1}, "line 2: the grade is off the scale 1 to 2: '0'. Correct it, or give --lowest 0."),
        ({"a": -1}, {}, "line 1: the grade is off the scale 0 to 1: '-1'. Correct it, or give --trec"),
        ({f"d{n}": 9 * n for n in range(1002)}, {}, "qrels.txt: the file holds 1,002 different grades, more than"),
        ({"a": 3}, {"lowest": -1_000_000}, "qrels.txt: a scale from -1000000 to 3 has more than 1,000,000 steps"),
        ({"a": 9999999999}, {}, "line 1: the grade is beyond 1,000,000: '9999999999'. Say what each grade of the file is"),
        ({"a": "abc"}, {}, "line 1: the grade is not a number: 'abc'. Write four columns: query id, 0, doc"),
        ({"a": 1.5}, {}, "line 1: the grade is not a whole number: '1.5'. Say what each grade of the file is"),
        ({"a": 4}, {"trec": True, "highest": 3}, "line 1: the grade is off the scale 0 to 3: '4'"),
    ],
)  # fmt: skip
def test_a_grade_off_the_scale_is_named_with_its_line(files, grades, choices, told):
    with pytest.raises(FormatError) as caught:
        files.score(files.qrels({"q1": grades}), files.run("run", {"q1": {"a": 1.0}}), **choices)

    assert told in str(caught.value)


def test_problems_of_all_files_are_counted_together(files):
    qrels, run = files.text("q.txt", "q1 0 a x\n"), files.text("r.run", "q1 Q0 a 1 nan t\nq1 Q0 b\n")

    with pytest.raises(FormatError) as caught:
        files.score(qrels, run, files.folder / "none.run")

    assert [str(problem).partition(".")[0] for problem in caught.value.problems] == ["q", "r", "r", "none"]
    assert "(3 more problems)" in str(caught.value)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"lowest": 2, "highest": 2}, "--highest must be above the lowest grade, 2"),
        ({"trec": True, "lowest": 1}, "leave out --lowest or --trec"),
        ({"gain": "raw", "lowest": -1}, "Raw gains need a lowest grade of 0 or more"),
    ],
)
def test_choices_that_contradict_each_other_are_refused(choices, told):
    with pytest.raises(ChoiceError, match=told):
        Choices(**choices).check()


def test_an_unknown_measure_is_refused_with_the_nearest():
    with pytest.raises(UnknownMeasureError, match="nDCG@10"):
        Choices(measures="nDGC@10").check()


def test_a_pipe_that_can_be_read_only_once_is_scored(files, tmp_path):
    import os
    import threading

    run = files.run("run", {"q1": {"é": 2.0, "a": 1.0}})
    pipe = tmp_path / "pipe.run"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(run.read_bytes()))
    writer.start()

    found = files.score(files.qrels({"q1": {"a": 1}}), pipe, measures="RR")

    writer.join()
    assert found.runs[0].measures == {"RR": 0.5}

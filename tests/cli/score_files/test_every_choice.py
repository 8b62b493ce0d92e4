"""Every choice goes with every other: each is scored, compared and said, whatever the measure compared."""

import itertools
import math
import random

import pytest

from app.cli.score_files import as_object, as_text
from app.scoring.choices import DISCOUNTS, GAINS, IDEALS, UNJUDGED

MEASURES = (
    "nDCG@3", "nDCG@40 P@2", "nDCG", "CG@3", "CG", "DCG@3", "DCG", "IDCG@3", "MNDCG@3", "MNG@3", "F1@3", "P@3", "Recall@30", "Success@1",
    "RR", "RR@2", "AP", "AP@3", "Rprec", "ERR@3", "RBP", "RBP-residual", "bpref", "infAP", "condensed-nDCG@3",
    "judged@3", "weight-judged@2",
)  # fmt: skip


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Write lists longer than most cutoffs, some of them silent, and grades for about half of them."""
    folder, rng = tmp_path_factory.mktemp("grid"), random.Random(5)
    documents = [f"d{n}" for n in range(14)]
    grades = [f"q{q} 0 {d} {rng.randint(0, 3)}" for q in range(12) for d in documents if rng.random() < 0.6]
    (folder / "qrels").write_text("\n".join(grades))
    for name in ("one", "two"):
        lines = [
            f"q{q} Q0 {d} {rank} {-rank} {name}"
            for q in range(12)
            if rng.random() < 0.9
            for rank, d in enumerate(rng.sample(documents, rng.randint(1, 14)), 1)
        ]
        (folder / f"{name}.run").write_text("\n".join(lines))
    return folder / "qrels", folder / "one.run", folder / "two.run"


# The defaults of trec_eval at every change, the others where everything is tested.
IDEAL = [
    "judged",
    *(pytest.param(one, marks=pytest.mark.thorough) for one in IDEALS if one not in {"judged", "pool"}),
]


@pytest.mark.parametrize("ideal", IDEAL)
@pytest.mark.thorough
def test_every_choice_can_be_compared_by_every_measure(files, paths, ideal):
    rng = random.Random(ideal)
    for measures, gain, trec in itertools.product(MEASURES, GAINS, (False, True)):
        discount = rng.choice([*DISCOUNTS])
        unjudged = rng.choice([one for one in UNJUDGED if one != "complete"])
        if (ideal, measures) == ("maximum", "nDCG"):
            continue
        found = files.score(
            *paths, compare=[("one", "two")], measures=measures, gain=gain, discount=discount, ideal=ideal,
            unjudged=unjudged, trec=trec,
        )  # fmt: skip
        (compared,) = found.comparisons
        said = f"{measures} {gain} {discount} {ideal} {unjudged} {trec}"
        assert 0 < compared["p"] <= compared["p_adjusted"] <= 1, said
        assert math.isfinite(compared["difference"]), said
        assert max(map(len, as_text(found, "qrels", width=80).splitlines())) <= 80, said
        assert as_object(found), said


@pytest.mark.thorough
@pytest.mark.parametrize("unjudged", [one for one in UNJUDGED if one != "complete"])
@pytest.mark.parametrize("ideal", [one for one in IDEALS if one != "pool"])
def test_no_score_depends_on_the_runs_beside_it(files, paths, ideal, unjudged):
    # Only bounds and infAP read the pool, which is the union of all runs.
    asked = {"ideal": ideal, "unjudged": unjudged}
    measures = " ".join(one for one in MEASURES if one != "infAP" and (ideal, one) != ("maximum", "nDCG"))
    qrels, *runs = paths
    deep = files.text("deep.run", "".join(f"q1 Q0 d{n} {n} {-n} deep\n" for n in range(60)))

    beside = files.score(qrels, deep, *runs, measures=measures, **asked)

    labels = measures.split()
    for row, path in enumerate(runs):
        alone = files.score(qrels, path, measures=measures, **asked)
        assert alone.per_query(0, labels) == beside.per_query(row + 1, labels)
        assert alone.runs[0].measures == beside.runs[row + 1].measures


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal_whatever_is_asked(files, paths, width):
    measures = "nDCG@10 nDCG@5 AP P@10 RBP ERR@20 bpref weight-judged@10 RR"
    found = files.score(*paths, compare=[("one", "two"), ("two", "one")], measures=measures)

    text = as_text(found, "qrels", width=width, per_query=True)

    assert max(map(len, text.splitlines())) <= width
    assert all(one.title(found.ruler) in " ".join(text.split()) for one in found.asked)

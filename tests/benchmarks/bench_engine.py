"""Print how quickly scores come out of memory, ours and other tools': `make bench-engine`.

Every tool starts from its own structures, built beforehand: integers here, dictionaries for pytrec_eval and
ir_measures, typed lists (compiled and warmed up) for ranx. All give the same means, which is checked.
"""

import argparse
import sys
from collections.abc import Callable

import ir_measures
import numpy as np
import pytrec_eval
import ranx

from app.scoring.evaluate import evaluate
from app.scoring.means import means_of
from app.scoring.measures import parse_measures
from tests.benchmarks.sets import MadeSet, made_set
from tests.benchmarks.timing import in_turns, machine, shown, table, times

# Ours, pytrec_eval's, what its results are called, ranx's, ir_measures'.
MEASURES = [
    ("nDCG@10", "ndcg_cut.10", "ndcg_cut_10", "ndcg@10", "nDCG@10"),
    ("nDCG", "ndcg", "ndcg", "ndcg", "nDCG"),
    ("AP", "map", "map", "map", "AP"),
    ("AP@10", "map_cut.10", "map_cut_10", "map@10", "AP@10"),
    ("RR", "recip_rank", "recip_rank", "mrr", "RR"),
    ("P@10", "P.10", "P_10", "precision@10", "P@10"),
    ("Recall@100", "recall.100", "recall_100", "recall@100", "R@100"),
    ("Success@1", "success.1", "success_1", "hit_rate@1", "Success@1"),
    ("Rprec", "Rprec", "Rprec", "r-precision", "Rprec"),
    ("bpref", "bpref", "bpref", "bpref", "Bpref"),
]
Means = list[list[float]]
Prepared = Callable[[], Means]


def ours(made: MadeSet, count: int) -> Prepared:
    """Return our engine, ready: one row of means for each run."""
    asked = parse_measures(" ".join(row[0] for row in MEASURES[:count]))
    lists, judged = made.arrays()
    counted = judged.scored

    def task() -> Means:
        # The ideals are kept between scores; here each time pays for them, as the other tools do.
        judged.known_ideals.clear()
        values = evaluate(asked, lists, judged)
        rows = np.concatenate([values[one.label] for one in asked])
        return np.reshape(means_of(rows, counted), (len(asked), -1)).T.tolist()

    return task


def pytrec(made: MadeSet, count: int) -> Prepared:
    """Return pytrec_eval with its evaluator built."""
    evaluator = pytrec_eval.RelevanceEvaluator(made.qrels, {row[1] for row in MEASURES[:count]})
    names = [row[2] for row in MEASURES[:count]]

    def task() -> Means:
        found = [evaluator.evaluate(run).values() for run in made.runs]
        return [[sum(query[name] for query in of) / len(of) for name in names] for of in found]

    return task


def typed_ranx(made: MadeSet, count: int) -> Prepared:
    """Return ranx with its typed lists built, its strongest form."""
    qrels = ranx.Qrels(made.qrels).to_typed_list()
    runs = [ranx.Run(run).to_typed_list() for run in made.runs]
    names = [row[3] for row in MEASURES[:count]]

    def task() -> Means:
        found = [ranx.evaluate(qrels, run, names) for run in runs]
        return [[of[name] for name in names] if count > 1 else [of] for of in found]

    return task


def measured_by_ir(made: MadeSet, count: int) -> Prepared:
    """Return ir_measures with its evaluator built."""
    measures = [ir_measures.parse_measure(row[4]) for row in MEASURES[:count]]
    evaluator = ir_measures.evaluator(measures, made.qrels)

    def task() -> Means:
        found = [evaluator.calc_aggregate(run) for run in made.runs]
        return [[of[measure] for measure in measures] for of in found]

    return task


PEERS = {"pytrec_eval": pytrec, "ranx (typed lists)": typed_ranx, "ir_measures": measured_by_ir}


def compare(name: str, count: int, rounds: int) -> list[str]:
    """Return one row of the table, after checking that all tools agree."""
    made = made_set(name)
    tasks = {"ours": ours(made, count)} | {peer: build(made, count) for peer, build in PEERS.items()}
    truth = tasks["ours"]()
    for peer in PEERS:
        agree = np.allclose(tasks[peer](), truth, rtol=1e-12, atol=0)
        print(f"{name}, {count} measures: {peer} {'agrees' if agree else 'DOES NOT AGREE'}", file=sys.stderr)
    taken = in_turns(tasks, rounds)
    what = "nDCG@10" if count == 1 else f"{count} measures"
    own = taken["ours"]
    return [f"{name}, {what}", shown(own.clock), shown(own.cpu), *(times(taken[peer], own) for peer in PEERS)]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sets", nargs="+", default=["A", "B", "C"])
    options = parser.parse_args()
    print(
        "How many times as long the others take by the clock (processor time in brackets; ranx uses all cores)."
    )
    print(f"Medians of {options.rounds} rounds in turn. {machine()}.")
    rows = [compare(name, count, options.rounds) for name in options.sets for count in (1, len(MEASURES))]
    table(["set, measures", "Touchstone", "its processor time", *PEERS], rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Small collections for tests, written as dictionaries and turned into the engine's arrays."""

from dataclasses import dataclass

import numpy as np

from app.scoring.evaluate import evaluate
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.measures import parse_measure
from app.scoring.ranking import order_by_score
from app.scoring.ruler import ScoringRuler
from tests.scoring.collected import collected

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


@dataclass
class Made:
    """A coded collection: lists, judged items, and the query ids in byte order."""

    lists: Lists
    judged: Judged
    queries: list[str]

    def values(self, name):
        return evaluate([parse_measure(name)], self.lists, self.judged)[name]


def collection(qrels: Qrels, runs: list[Run], ruler: ScoringRuler | None = None, *, pool_depth=0) -> Made:
    """Return the arrays of some judgments and runs; grades below the lowest are unjudged but pooled."""
    ruler = ruler or ScoringRuler()
    queries = sorted({*qrels, *(query for run in runs for query in run)})
    names = sorted({d for q in qrels.values() for d in q} | {d for r in runs for q in r.values() for d in q})
    code = {name: number for number, name in enumerate(names)}
    coded = [_coded(run, queries, code, ruler) for run in runs]
    lines = [(n, code[d], g) for n, q in enumerate(queries) for d, g in qrels.get(q, {}).items()]
    judgments = tuple(np.array(lines, dtype=np.int64).reshape(-1, 3).T)
    held = collected(judgments, coded, ruler, queries=len(queries), pool_depth=pool_depth)
    return Made(held.lists, held.judged, queries)


def _coded(run: Run, queries, code, ruler):
    lines = [(n, d, s) for n, q in enumerate(queries) for d, s in run.get(q, {}).items()]
    query = np.array([line[0] for line in lines], dtype=np.int64)
    score = np.array([line[2] for line in lines], dtype=np.float64)
    ids = [line[1] for line in lines]
    order = order_by_score(query, score, ids, single_precision=ruler.trec).lines
    return query[order], np.array([code[name] for name in ids], dtype=np.int64)[order]

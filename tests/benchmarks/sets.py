"""The made sets that engines are timed on: judgments and runs as dictionaries, arrays and files.

A: 1,000 queries, 100 documents each, 8 runs. B: 10,000 queries, 1 run. C: 100 queries of 10 documents, 1 run.
50 documents of each query are judged from 0 to 3, and about 13 of a list of 100 are among them.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.ruler import ScoringRuler
from tests.scoring.collected import judged_grades

SHAPES = {"A": (1_000, 100, 8), "B": (10_000, 100, 1), "C": (100, 10, 1)}
JUDGED = 50
AROUND = 400
SEED = 7


@dataclass(frozen=True)
class MadeSet:
    """One set, from which every program gets what it wants.

    Attributes
    ----------
    judged_documents, grades
        integers (queries, judged): document numbers, and a grade from 0 to 3 for each.
    listed
        integers (runs, queries, ranks): document numbers, best first.
    scores
        float64 (runs, queries, ranks), falling.
    """

    name: str
    judged_documents: Ints
    grades: Ints
    listed: Ints
    scores: Floats

    @property
    def shape(self) -> tuple[int, int, int]:
        """Runs, queries and ranks."""
        runs, queries, ranks = self.listed.shape
        return runs, queries, ranks

    @cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The judgments as most tools take them."""
        return {
            f"q{query}": {
                f"d{document:06d}": grade for document, grade in zip(documents, grades, strict=True)
            }
            for query, (documents, grades) in enumerate(
                zip(self.judged_documents.tolist(), self.grades.tolist(), strict=True)
            )
        }

    @cached_property
    def runs(self) -> list[dict[str, dict[str, float]]]:
        """The runs as most tools take them."""
        return [
            {
                f"q{query}": {
                    f"d{document:06d}": score for document, score in zip(documents, scores, strict=True)
                }
                for query, (documents, scores) in enumerate(zip(listed, scored, strict=True))
            }
            for listed, scored in zip(self.listed.tolist(), self.scores.tolist(), strict=True)
        ]

    def arrays(self) -> tuple[Lists, Judged]:
        """Return what the engine takes."""
        runs, queries, ranks = self.shape
        order = np.argsort(self.judged_documents, axis=1)
        known = np.take_along_axis(self.judged_documents, order, axis=1)
        positions = np.full((runs, queries, ranks), queries * JUDGED, dtype=np.intp)
        for query in range(queries):
            place = np.minimum(np.searchsorted(known[query], self.listed[:, query]), JUDGED - 1)
            found = known[query].take(place) == self.listed[:, query]
            positions[:, query][found] = query * JUDGED + order[query].take(place[found])
        lists = Lists(
            np.ascontiguousarray(positions.transpose(2, 0, 1)),
            np.full((runs, queries), ranks, dtype=np.int64),
        )
        numbers = np.repeat(np.arange(queries), JUDGED)
        return lists, judged_grades(self.grades.ravel(), numbers, ScoringRuler(), queries=queries)

    def write(self, folder: Path) -> tuple[Path, list[Path]]:
        """Write TREC files and return the qrels and the runs."""
        qrels = folder / f"{self.name}.qrels"
        with qrels.open("w") as file:
            for query, of in self.qrels.items():
                file.writelines(f"{query} 0 {document} {grade}\n" for document, grade in of.items())
        paths = [folder / f"{self.name}{number}.run" for number in range(len(self.runs))]
        for number, (path, run) in enumerate(zip(paths, self.runs, strict=True)):
            with path.open("w") as file:
                for query, of in run.items():
                    file.writelines(
                        f"{query} Q0 {document} {rank} {score:.6f} system{number}\n"
                        for rank, (document, score) in enumerate(of.items(), 1)
                    )
        return qrels, paths


def made_set(name: str) -> MadeSet:
    """Return one of the sets; the same one each time."""
    queries, ranks, runs = SHAPES[name]
    rng = np.random.default_rng(SEED)
    around = np.stack([rng.choice(1_000_000, AROUND, replace=False) for _ in range(queries)])
    listed = np.stack([rng.permuted(around, axis=1)[:, :ranks] for _ in range(runs)])
    scores = np.arange(ranks, 0, -1) + np.round(rng.random((runs, queries, ranks)) * 0.9, 6)
    judged = rng.permuted(around, axis=1)[:, :JUDGED]
    return MadeSet(name, judged, rng.integers(0, 4, judged.shape), listed, scores)


def write_long_files(folder: Path) -> tuple[Path, list[Path]]:
    """Write set D and return the qrels and the runs: files as evaluation campaigns have them.

    63 runs of 50 queries to 1,000 ranks, ids as of newspapers; scores in full precision, with two decimals
    and many ties, or as float32 from a few values.
    """
    rng = np.random.default_rng(SEED)
    papers = rng.choice(["LA", "FT", "FBIS", "FR"], 300_000).tolist()
    names = [f"{paper}{number * 7919 % 999_983:06d}-{number}" for number, paper in enumerate(papers)]
    around = [rng.choice(len(names), 3_000, replace=False) for _ in range(50)]
    qrels = folder / "D.qrels"
    with qrels.open("w") as file:
        for query, documents in enumerate(around):
            judged = zip(documents[:1_500].tolist(), rng.choice(3, 1_500, p=[0.9, 0.07, 0.03]), strict=True)
            file.writelines(f"{401 + query} 0 {names[document]} {grade}\n" for document, grade in judged)
    paths = [folder / f"D{number}.run" for number in range(63)]
    for number, path in enumerate(paths):
        with path.open("w") as file:
            for query, documents in enumerate(around):
                scores = np.sort(rng.gamma(2.0, 3.0, 1_000))[::-1]
                texts = [
                    map(repr, scores.tolist()),
                    map("{:.2f}".format, scores),
                    map(repr, (np.round(scores, 2).astype(np.float32).astype(float) / 1_000).tolist()),
                ][number % 3]
                listed = rng.choice(documents, 1_000, replace=False).tolist()
                file.writelines(
                    f"{401 + query}\tQ0\t{names[document]}\t{rank}\t{score}\tsystem{number}\n"
                    for rank, (document, score) in enumerate(zip(listed, texts, strict=True), 1)
                )
    return qrels, paths

"""Print how often verdicts name a winner where there is none, and how often they find one: `make trial-verdicts`.

Everything goes through the services: files are imported, batches are assigned and rated one after another as
they come, and the leaderboard is read after every batch, as an owner would who looks all day.

Equal rankers: five of them, a sixth imported late among answers that are rated already, and questions added
four times, each time with new versions of all. Better ranker: two rankers, one better by a known gap, read
once everything is rated, beside one sign-flip test at 5 % on the same scores.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.database import Database
from app.jobs.assignment import find_next_batch
from app.jobs.imports import import_documents, import_queries, import_run
from app.migrating import upgrade_schema
from app.models import Assignment, AssignmentCandidate, Candidate, Document, Project, Query
from app.services.collection.files import ImportFile
from app.services.collection.run_files import RunOptions
from app.services.collection.simulated_judgments import (
    SimulatedJudgment,
    add_simulated_annotator,
    record_simulated_judgments,
)
from app.services.evidence.store import evidence_of
from app.services.projects.projects import NewProject, create_project
from app.services.scores.context import scoring_context
from app.services.scores.leaderboard import leaderboard_of
from tests.furniture.evidence import differences_of, forget_evidence
from tests.scoring.paired import compare_rankers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.services.scores.leaderboard import Leaderboard
    from app.services.scores.verdicts import PairVerdict

K, RETURNED, DOCUMENTS = 10, 10, 25
GRADES, SHARES = (0, 1, 2, 3), (0.60, 0.20, 0.12, 0.08)
SKILL = 0.6
FIRST, ADDED, TIMES = 24, 12, 4
STRONG = {"sure", "probably better"}


@dataclass
class World:
    """The truth behind one project: what each answer deserves, and how rankers order answers."""

    generator: np.random.Generator
    grades: dict[str, np.ndarray] = field(default_factory=dict)
    lists: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def add_questions(self, count: int) -> list[str]:
        """Make questions, each with answers of its own."""
        names = [f"q{len(self.grades) + number:03}" for number in range(count)]
        for name in names:
            self.grades[name] = self.generator.choice(GRADES, DOCUMENTS, p=SHARES)
        return names

    def order(self, ranker: str, skill: float) -> None:
        """Let a ranker order the answers of the questions that it does not list yet."""
        listed = self.lists.setdefault(ranker, {})
        for name, grades in self.grades.items():
            if name not in listed:
                scores = skill * grades + self.generator.normal(size=DOCUMENTS)
                listed[name] = np.argsort(-scores)[:RETURNED].tolist()


@dataclass
class Site:
    """One project in a database, and whoever rates in it."""

    database: Database
    project_id: int
    annotator_id: int
    world: World
    candidates: dict[int, tuple[str, int]] = field(default_factory=dict)
    version: int = 1

    def bring(self, names: list[str]) -> None:
        """Import questions and their answers."""
        questions = "query_id,text\n" + "".join(f"{name},Question {name}\n" for name in names)
        answers = "doc_id,text\n" + "".join(
            f"{name}-{number},Answer {number} to {name}\n" for name in names for number in range(DOCUMENTS)
        )
        import_queries(
            self.database, self.project_id, ImportFile(content=questions.encode(), name="queries.csv")
        )
        import_documents(
            self.database, self.project_id, ImportFile(content=answers.encode(), name="answers.csv")
        )

    def publish(self, ranker: str) -> None:
        """Import the lists of a ranker as its next version."""
        lines = [
            f"{name} Q0 {name}-{answer} {rank} {RETURNED - rank} {ranker}\n"
            for name, answers in self.world.lists[ranker].items()
            for rank, answer in enumerate(answers, start=1)
        ]
        file = ImportFile(content="".join(lines).encode(), name=f"{ranker}.run")
        import_run(self.database, self.project_id, file, RunOptions(ranker=ranker))

    def rate_batch(self) -> bool:
        """Rate the next batch; tell whether there was one."""
        batch = find_next_batch(self.database, self.project_id, self.annotator_id)
        if batch is None:
            return False
        with self.database.write() as session:
            held = session.scalars(
                select(AssignmentCandidate.candidate_id)
                .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
                .where(Assignment.project_id == self.project_id, Assignment.batch == batch)
            ).all()
            self._learn(session, list(held))
            self._record(session, list(held), batch=batch)
        return True

    def rate_everything(self) -> None:
        """Rate every candidate at once."""
        with self.database.write() as session:
            held = session.scalars(select(Candidate.id).where(Candidate.project_id == self.project_id)).all()
            self._learn(session, list(held))
            self._record(session, list(held), batch=1)

    def read(self) -> Leaderboard:
        """Return what the overview shows now."""
        return leaderboard_of(evidence_of(self.database, self.project_id))

    def _record(self, session: Session, held: list[int], *, batch: int) -> None:
        truth = [self.world.grades[name][answer] for name, answer in map(self.candidates.__getitem__, held)]
        record_simulated_judgments(
            session,
            session.get_one(Project, self.project_id),
            [
                SimulatedJudgment(
                    annotator_id=self.annotator_id,
                    candidate_id=number,
                    grade=int(grade),
                    reason=None,
                    batch=batch,
                    place=place,
                    length=len(held),
                    guideline_version=1,
                )
                for place, (number, grade) in enumerate(zip(held, truth, strict=True), start=1)
            ],
        )

    def _learn(self, session: Session, numbers: list[int]) -> None:
        unknown = [number for number in numbers if number not in self.candidates]
        rows = session.execute(
            select(Candidate.id, Query.external_id, Document.external_id)
            .join(Query, Query.id == Candidate.query_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(unknown))
        )
        for number, name, document in rows:
            self.candidates[number] = name, int(document.rsplit("-", 1)[1])


def site_in(folder: Path, number: int, generator: np.random.Generator) -> Site:
    """Return an empty project in a database of its own."""
    database = Database(f"sqlite:///{folder / f'{number}.db'}")
    upgrade_schema(database)
    with database.write() as session:
        new = NewProject(slug="trial", name="Trial", pool_depth=K, guidelines="# Rate")
        project = create_project(session, new)
        annotator = add_simulated_annotator(session, project, "Annotator")
        return Site(database, project.id, annotator.id, World(generator))


def pairs_of(board: Leaderboard) -> Iterator[PairVerdict]:
    """Yield every verdict that the overview shows: against the reference, and against the version before."""
    for entry in board.rankers:
        if entry.gap is not None:
            yield entry.gap


def equal_project(folder: Path, number: int, seed: int) -> Counter[str]:
    """Return what was ever said in one project of equal rankers, 1 each."""
    site = site_in(folder, number, np.random.default_rng([seed, number]))
    rankers = [f"R{place}" for place in range(5)]
    seen: set[str] = set()
    batches = 0
    for stage in range(1 + TIMES):
        site.bring(site.world.add_questions(FIRST if not stage else ADDED))
        for ranker in rankers:
            site.world.order(ranker, SKILL)
            site.publish(ranker)
        late = 0
        while site.rate_batch():
            batches += 1
            late += 1
            if not stage and late == 40:
                rankers.append("Late")
                site.world.order("Late", SKILL)
                site.publish("Late")
            seen |= _said(site.read())
    forget_evidence(site.database, site.project_id)
    site.database.dispose()
    return Counter(seen) + Counter({"batches": batches})


def _said(board: Leaderboard) -> set[str]:
    said = set()
    for pair in pairs_of(board):
        said |= {pair.verdict.word} & STRONG
    for entry in board.rankers:
        if entry.since is not None and entry.since.verdict.word in STRONG:
            said.add(f"{entry.since.verdict.word}, since the version before")
    if board.main is not None and board.main.verdict.word in STRONG:
        said.add(f"{board.main.verdict.word}, in the sentence on top")
    return said


def skill_for(gap: float) -> tuple[float, float]:
    """Return the skill whose mean nDCG lies a gap above that of `SKILL`, and the gap that it has."""
    generator = np.random.default_rng(7)
    grades = generator.choice(GRADES, (20_000, DOCUMENTS), p=SHARES)
    noise = generator.normal(size=grades.shape)
    discounts = 1 / np.log2(np.arange(2, K + 2))

    def mean(skill: float) -> float:
        order = np.argsort(-(skill * grades + noise), axis=1)[:, :K]
        reached = (np.take_along_axis(grades, order, axis=1) * discounts).sum(axis=1)
        ideal = (-np.sort(-grades, axis=1)[:, :K] * discounts).sum(axis=1)
        return float((reached[ideal > 0] / ideal[ideal > 0]).mean())

    base, low, high = mean(SKILL), SKILL, 3.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) - base < gap else (low, middle)
    return low, mean(low) - base


def better_project(folder: Path, number: int, skill: float, questions: int, seed: int) -> Counter[str]:
    """Return what is said once everything is rated of a ranker that is truly better; 1 each."""
    site = site_in(folder, number, np.random.default_rng([seed, number, questions]))
    site.bring(site.world.add_questions(questions))
    for ranker, ability in (("Old", SKILL), ("New", skill)):
        site.world.order(ranker, ability)
        site.publish(ranker)
    site.rate_everything()
    board = site.read()
    assert board.main is not None
    pair = board.main
    d = differences_of_both(site, board)
    plain = compare_rankers(np.stack([np.zeros_like(d), d]), seed=number).adjusted[0] <= 0.05
    right = pair.first.ranker == "New"
    said = Counter(
        {"one test at 5 %": int(plain and right), "early alone": int(right and pair.verdict.early)}
    )
    for word in STRONG:
        said[word] = int(right and pair.verdict.word == word)
    site.database.dispose()
    return said


def differences_of_both(site: Site, board: Leaderboard) -> np.ndarray:
    """Return the differences of the two rankers on every scored query."""
    assert board.main is not None
    return differences_of(scoring_context(evidence_of(site.database, site.project_id)), board.main)


def main() -> int:
    """Run both trials, and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=100, help="of equal rankers (default: %(default)s)")
    parser.add_argument("--better", type=int, default=60, help="for each gap and size (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=2026)
    asked = parser.parse_args()
    started = time.monotonic()
    room = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=room) as passing:
        folder = Path(passing)
        if asked.projects:
            print_equal(folder, asked.projects, asked.seed)
        if asked.better:
            print_better(folder, asked.better, asked.seed)
    print(f"{time.monotonic() - started:.0f} s")
    return 0


def print_equal(folder: Path, projects: int, seed: int) -> None:
    """Print how often anything was ever said of equal rankers."""
    ever: Counter[str] = Counter()
    for number in range(projects):
        ever += equal_project(folder, number, seed)
        (folder / f"{number}.db").unlink()
    batches = ever.pop("batches") / projects
    print(
        f"{projects} projects of equal rankers, {FIRST + TIMES * ADDED} questions, read after each of "
        f"{batches:.0f} batches. Share in which it was ever said (standard error):"
    )
    for name in sorted(ever):
        print(f"  {name:<48} {_share(ever[name], projects)}", flush=True)


def print_better(folder: Path, projects: int, seed: int) -> None:
    """Print how often a ranker that is truly better is found."""
    print(f"\nA ranker that is better, read once everything is rated ({projects} projects each):")
    for gap in (0.03, 0.05, 0.10):
        skill, real = skill_for(gap)
        for questions in (24, 50, 100):
            found: Counter[str] = Counter()
            for number in range(projects):
                found += better_project(folder, 10_000 + number, skill, questions, seed)
                (folder / f"{10_000 + number}.db").unlink()
            names = ("sure", "early alone", "probably better", "one test at 5 %")
            told = ", ".join(f"{name} {_share(found[name], projects)}" for name in names)
            print(f"  gap {real * 100:.1f} points, {questions} questions: {told}", flush=True)


def _share(count: int, of: int) -> str:
    share = count / max(1, of)
    return f"{share:.3f} ({math.sqrt(share * (1 - share) / max(1, of)):.3f})"


if __name__ == "__main__":
    sys.exit(main())

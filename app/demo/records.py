"""The demo as plain data: what `plan.build_plan` returns and a loader writes down."""

from __future__ import annotations

from dataclasses import dataclass

from app.demo.annotators import DemoAnnotator
from app.demo.corpus import Article, Question
from app.demo.rankers.lists import ScoredList


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRun:
    """One ranker run over the articles of one week.

    `version` is the label it is registered under, unique per ranker; `algorithm` is the version of the
    ranker itself. `note` says what is new about the algorithm and is empty when only the corpus grew.
    """

    ranker: str
    version: str
    algorithm: str
    note: str
    lists: dict[str, ScoredList]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoJudgment:
    """One rating of a simulated annotator: a grade, or a reason why there is none.

    `place` counts from 1 within the `of` answers of the batch; batches are numbered through the whole
    project.
    """

    annotator: str
    query_id: str
    doc_id: str
    grade: int | None
    reason: str | None
    batch: int
    place: int
    of: int
    guideline_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWeek:
    """What happens in one week, in this order: articles, questions, guidelines, runs, ratings."""

    number: int
    label: str
    documents: tuple[Article, ...]
    queries: tuple[Question, ...]
    guideline_version: int
    runs: tuple[DemoRun, ...]
    judgments: tuple[DemoJudgment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPlan:
    """The whole demo project: everything there is at the end, and the eight weeks that lead there."""

    documents: tuple[Article, ...]
    queries: tuple[Question, ...]
    guidelines: tuple[str, ...]
    annotators: tuple[DemoAnnotator, ...]
    weeks: tuple[DemoWeek, ...]

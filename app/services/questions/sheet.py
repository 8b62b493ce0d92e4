"""One question: what each ranker puts on top, with the grade of every answer, and who gave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.models import Query
from app.services.errors import NotFoundError
from app.services.evidence.full_lists import list_of_run
from app.services.questions.answers import answers_of
from app.services.questions.grades import Grades
from app.services.questions.lists import list_rows, ranked_list, titles_of, top_documents
from app.services.questions.ratings import annotators_of, ratings_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.questions.answers import QuestionAnswer
    from app.services.questions.lists import ListRow, RankedList
    from app.services.questions.ratings import Rating


@dataclass(frozen=True)
class QuestionSheet:
    """Everything about one question."""

    query: Query
    place: int
    lists: list[RankedList]
    answers: list[QuestionAnswer]
    ratings: list[Rating]
    annotators: list[tuple[int, str]]
    pooled: int
    rated: int
    active: bool


def question_sheet(session: Session, evidence: Evidence, board: Scoreboard, query_id: int) -> QuestionSheet:
    """Return one question of a project.

    Raises
    ------
    NotFoundError
        The project has no such question.
    """
    structure = evidence.structure
    found = np.flatnonzero(structure.query_id == query_id)
    query = session.get(Query, query_id)
    if not len(found) or query is None or query.project_id != evidence.project_id:
        raise NotFoundError("There is no such question.")
    place = int(found[0])
    cells = np.flatnonzero(structure.query == place)
    grades = Grades(evidence, board, place)
    lists = [top_documents(session, evidence, board, row, place) for row in range(len(board.runs))]
    wanted = {number for numbers in lists for number in numbers} | set(structure.document[cells].tolist())
    titles = titles_of(session, wanted)
    judged, ratings = board.judged, ratings_of(evidence, grades, titles)
    return QuestionSheet(
        query=query,
        place=place,
        lists=[ranked_list(board, row, numbers, grades, titles) for row, numbers in enumerate(lists)],
        answers=answers_of(session, query_id, wanted, grades, ratings),
        ratings=ratings,
        annotators=annotators_of(session, evidence, cells),
        pooled=int(judged.pooled[cells].sum()),
        rated=int((judged.pooled[cells] & judged.judged[cells]).sum()),
        active=bool(evidence.active_queries()[place]),
    )


def list_of_version(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet
) -> RankedList:
    """Return the list of another version: of the one run that a board of its own holds."""
    grades = Grades(evidence, board, sheet.place)
    numbers = top_documents(session, evidence, board, 0, sheet.place)
    return ranked_list(board, 0, numbers, grades, titles_of(session, set(numbers)))


def whole_list(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet, ranked: RankedList
) -> list[ListRow]:
    """Return every row of a list, down to its end; what is not rated has no title."""
    grades = Grades(evidence, board, sheet.place)
    numbers = list_of_run(session, evidence, ranked.run.id, sheet.place)
    titles = titles_of(session, {number for number in numbers if grades.head_of(number) in grades.middle})
    return list_rows(numbers, grades, titles)

"""One question at a time: every ranker's list side by side, the working of a score, and who rated what."""

from app.services.questions.beyond import gain_beyond
from app.services.questions.overview import STATES, QuestionRow, questions_of
from app.services.questions.sheet import (
    ListRow,
    QuestionSheet,
    RankedList,
    list_of_version,
    question_sheet,
)
from app.services.questions.working import SheetWorking, worked_for, working_for

__all__ = [
    "STATES",
    "ListRow",
    "QuestionRow",
    "QuestionSheet",
    "RankedList",
    "SheetWorking",
    "gain_beyond",
    "list_of_version",
    "question_sheet",
    "questions_of",
    "worked_for",
    "working_for",
]

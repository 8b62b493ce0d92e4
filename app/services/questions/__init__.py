"""One question at a time: every ranker's list side by side, the working of a score, and who rated what."""

from app.services.questions.answers import QuestionAnswer
from app.services.questions.beyond import gain_beyond
from app.services.questions.known import FoundDocument, add_known_answer, search_documents
from app.services.questions.lists import ListRow, RankedList
from app.services.questions.overview import STATES, QuestionRow, missed_names, questions_of, state_of
from app.services.questions.sheet import QuestionSheet, list_of_version, question_sheet, whole_list
from app.services.questions.working import SheetWorking, worked_for, working_for

__all__ = [
    "STATES",
    "FoundDocument",
    "ListRow",
    "QuestionAnswer",
    "QuestionRow",
    "QuestionSheet",
    "RankedList",
    "SheetWorking",
    "add_known_answer",
    "gain_beyond",
    "list_of_version",
    "missed_names",
    "question_sheet",
    "questions_of",
    "search_documents",
    "state_of",
    "whole_list",
    "worked_for",
    "working_for",
]

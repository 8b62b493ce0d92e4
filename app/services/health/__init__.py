"""How healthy the ground truth is: what its questions, texts and rankers leave unknown, and the next step."""

from app.services.health.alike import Alike, AlikeGroup, alike_documents, count_alike
from app.services.health.left_out import LeftOut, left_out
from app.services.health.likeness import SearchState, request_search, search_state
from app.services.health.probes import LEAST, MOST, USUAL, Probe, draw_probe, probes_of
from app.services.health.questions import QuestionHealth, question_health
from app.services.health.rankers import RankerHealth, can_be_rated, ranker_health
from app.services.health.texts import (
    EditedAnswer,
    TextHealth,
    TextlessDocument,
    edited_answers,
    text_health,
    textless_documents,
)

__all__ = [
    "LEAST",
    "MOST",
    "USUAL",
    "Alike",
    "AlikeGroup",
    "EditedAnswer",
    "LeftOut",
    "Probe",
    "QuestionHealth",
    "RankerHealth",
    "SearchState",
    "TextHealth",
    "TextlessDocument",
    "alike_documents",
    "can_be_rated",
    "count_alike",
    "draw_probe",
    "edited_answers",
    "left_out",
    "probes_of",
    "question_health",
    "ranker_health",
    "request_search",
    "search_state",
    "text_health",
    "textless_documents",
]

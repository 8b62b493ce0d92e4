"""The answers on the page of a question: their texts folded, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.showing import showing_of
from app.web.answers import ShownText, shown_text
from app.web.queries.listing import page_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.models import Project
    from app.services.questions import QuestionAnswer, QuestionSheet

EACH = 50


@dataclass(frozen=True)
class AnswersPage:
    """Some answers, each with its text as it is shown; `total` and `open` count all and the unrated ones."""

    shown: list[tuple[QuestionAnswer, ShownText]]
    total: int
    open: int
    page: int
    pages: int


def answers_page(sheet: QuestionSheet, project: Project, arguments: Mapping[str, str]) -> AnswersPage:
    """Return the page of answers that an address asks for."""
    usual = showing_of(project.options)["answer_format"]
    pages = max(1, -(-len(sheet.answers) // EACH))
    page = page_of(arguments.get("answers", "1"), pages)
    return AnswersPage(
        [
            (answer, shown_text(answer.text, is_markdown=(answer.format or usual) == "markdown"))
            for answer in sheet.answers[(page - 1) * EACH : page * EACH]
        ],
        len(sheet.answers),
        sum(answer.pooled and answer.low is None and answer.has_text for answer in sheet.answers),
        page,
        pages,
    )

"""One question as a JSON object."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models import Project
    from app.services.evaluation import Scoreboard
    from app.services.questions import QuestionSheet


def sheet_as_object(project: Project, board: Scoreboard, sheet: QuestionSheet) -> str:
    """Return one question, its lists and its ratings, in full precision."""
    names = dict(sheet.annotators)
    return json.dumps(
        {
            "project": project.slug,
            "demo": project.is_demo,
            "revision": board.revision,
            "scoring_settings": asdict(board.ruler) | {"fingerprint": board.ruler.fingerprint},
            "query": {"id": sheet.query.external_id, "text": sheet.query.text, "intent": sheet.query.intent},
            "lists": [
                {
                    "ranker": ranked.run.ranker,
                    "version": ranked.run.version,
                    board.headline: ranked.score,
                    "documents": [
                        {"rank": row.rank, "doc_id": row.external_id, "grades": [row.low, row.high]}
                        for row in ranked.rows
                    ],
                }
                for ranked in sheet.lists
            ],
            "ratings": [
                {
                    "title": rating.title,
                    "consensus": [rating.low, rating.high],
                    "grades": {names[number]: grade for number, grade in rating.grades.items()},
                }
                for rating in sheet.ratings
            ],
        },
        ensure_ascii=False,
        indent=1,
    )

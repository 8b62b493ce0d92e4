"""What the page shows, as plain values for its template."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.models import now_utc
from app.services.next_answers import (
    AskedFirst,
    Begun,
    Coming,
    Finishing,
    FinishPrice,
    Pace,
    asked_first,
    begun_batch,
    coming_questions,
    finishing_of,
    pace_of,
)
from app.services.quality import quality_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.evidence import Evidence

USUAL_DEPTHS = (3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Asked:
    """What the address asks for: a depth and an overlap."""

    depth: int
    overlap: int


@dataclass(frozen=True)
class NextPage:
    """Everything the template needs; it asks nobody anything."""

    asked: list[AskedFirst]
    begun: Begun | None
    coming: list[Coming]
    pace: Pace
    finishing: Finishing
    price: FinishPrice
    now: FinishPrice
    prices: list[FinishPrice]
    is_random: bool
    k: int

    @property
    def is_other(self) -> bool:
        """Whether the price shown is of another choice than today's."""
        return (self.price.depth, self.price.overlap) != (self.now.depth, self.now.overlap)

    @property
    def table(self) -> str:
        """The prices as JSON: what the script reads while a slider moves."""
        found = self.finishing
        return json.dumps(
            {
                "answers": found.answers.tolist(),
                "unrated": found.unrated.tolist(),
                "ratings": found.ratings.round(1).tolist(),
                "seconds": round(self.pace.seconds, 2),
            },
            separators=(",", ":"),
        )


def asked_from(given: Mapping[str, str], project: Project) -> Asked:
    """Return what an address asks for; what is no number is as it is in force."""
    return Asked(
        depth=_number(given.get("depth"), project.pool_depth),
        overlap=_number(given.get("overlap"), project.overlap),
    )


def next_page(
    session: Session, project: Project, evidence: Evidence, person_id: int, asked: Asked
) -> NextPage:
    """Return what the page shows to a person."""
    now = now_utc()
    finishing = finishing_of(session, evidence, project)
    depths = sorted({*(one for one in USUAL_DEPTHS if one <= finishing.deepest), project.pool_depth})
    price = finishing.at(asked.depth, asked.overlap)
    return NextPage(
        asked=asked_first(session, evidence),
        begun=begun_batch(session, project.id, person_id, now),
        coming=coming_questions(session, evidence, project, person_id, now),
        pace=pace_of(session, project.id),
        finishing=finishing,
        price=price,
        now=finishing.at(project.pool_depth, project.overlap),
        prices=[finishing.at(depth, price.overlap) for depth in depths],
        is_random=quality_of(project).dealing == "random",
        k=evidence.ruler_at().k,
    )


def _number(text: str | None, usual: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else usual

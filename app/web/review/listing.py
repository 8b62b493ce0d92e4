"""The one list of the Review page: answers to decide first, then remarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.services.adjudication import (
    Decided,
    Queue,
    WaitingAnswer,
    decided_of,
    question_order,
    waiting_of,
)
from app.services.inbox import KINDS, STATES, Remark, Wanted, count_remarks, people_of, remarks_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from app.services.judging import Annotator

DECIDE = "decide"
EACH = 30


@dataclass(frozen=True)
class Filter:
    """What the list shows: `kind` is empty for everything, `DECIDE`, or a kind of remark."""

    state: str
    kind: str
    person: str

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filter:
        """Return what an address or a form asks for; words it does not know are ignored."""
        state, kind = given.get("state", ""), given.get("kind", "")
        return cls(
            state=state if state in STATES else "open",
            kind=kind if kind in {*KINDS, DECIDE} else "",
            person=given.get("person", "")[:64],
        )

    @property
    def has_decisions(self) -> bool:
        """Whether answers to decide are listed: those of nobody in particular."""
        return self.kind in {"", DECIDE} and not self.person

    @property
    def remarks(self) -> Wanted | None:
        """The remarks that are listed; None for none of them."""
        if self.kind == DECIDE:
            return None
        return Wanted(state=self.state, kind=self.kind, person=self.person)

    @property
    def address(self) -> dict[str, Any]:
        """What an address of this list holds."""
        return {"state": self.state, "kind": self.kind or None, "person": self.person or None}


@dataclass(frozen=True)
class ReviewPage:
    """One page of the list; `remarked` counts all remarks that the filter lets through."""

    waiting: list[WaitingAnswer]
    decided: list[Decided]
    remarks: list[Remark]
    total: int
    remarked: int
    people: list[tuple[str, str, int]]
    page: int
    pages: int


def review_page(
    session: Session, adjudicator: Annotator, queue: Queue, chosen: Filter, page: int, *, owner: bool
) -> ReviewPage:
    """Return one page of the list; a page beyond the last is the last. Remarks are for owners."""
    project = adjudicator.project
    wanted = chosen.remarks if owner else None
    answers = queue.waiting if chosen.state == "open" else queue.decided
    listed = len(answers) if chosen.has_decisions else 0
    remarked = count_remarks(session, project.id, wanted) if wanted else 0
    pages = max(1, -(-(listed + remarked) // EACH))
    page = min(max(page, 1), pages)
    first = (page - 1) * EACH
    most = min(max(listed - first, 0), EACH)
    order = question_order(queue, project, adjudicator.person_id)
    return ReviewPage(
        waiting=waiting_of(session, queue, order, first=first, most=most)
        if most and chosen.state == "open"
        else [],
        decided=decided_of(session, queue, with_names=owner, first=first, most=most)
        if most and chosen.state != "open"
        else [],
        remarks=remarks_of(session, project.id, wanted, first=max(first - listed, 0), most=EACH - most)
        if wanted and most < EACH
        else [],
        total=listed + remarked,
        remarked=remarked,
        people=people_of(session, project.id, wanted) if wanted else [],
        page=page,
        pages=pages,
    )

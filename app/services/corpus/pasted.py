"""Questions pasted into a page, as a file."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Query
from app.services.errors import InvalidError
from app.services.import_file import ImportFile

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def pasted_file(session: Session, project: Project, text: str) -> ImportFile:
    """Return pasted questions as a file to import: one a line, or an id, a tab and the question.

    A question that the project holds word by word keeps its id; the others get the next free q1, q2, ...

    Raises
    ------
    InvalidError
        There is no question in the text.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise InvalidError("Paste at least one question, one per line.", code="empty")
    rows = session.execute(select(Query.text, Query.external_id).where(Query.project_id == project.id))
    known: dict[str, str] = dict(rows.all())
    taken = {*known.values(), *(line.partition("\t")[0] for line in lines if "\t" in line)}
    free = (f"q{number}" for number in count(1) if f"q{number}" not in taken)
    table = [
        line if "\t" in line else f"{known.get(line) or next(free)}\t{line}" for line in dict.fromkeys(lines)
    ]
    content = "query_id\ttext\n" + "\n".join(table) + "\n"
    return ImportFile(content=content.encode(), name="pasted questions", format="tsv")

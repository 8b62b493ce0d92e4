"""Questions in files that know them by their texts alone."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.models.query import Query
from app.sentences import message
from app.services.bulk import stream_plain
from app.services.errors import InvalidError

TEXTS_AT_ONCE = 500


def refuse_equal_texts(session: Session, project_id: int) -> None:
    """Refuse to write a file, before its first line, in which two active questions would look the same.

    :raise InvalidError: Two have the same text, blanks at its ends aside, which no import tells apart.
    """
    wanted = select(Query.text).where(Query.project_id == project_id, Query.retired_revision.is_(None))
    texts = Counter(text.strip() for (text,) in stream_plain(session, wanted))
    text, times = texts.most_common(1)[0] if texts else ("", 0)
    if times > 1:
        raise InvalidError(
            message(
                "%(num)s questions have the text “%(text)s”, and this format tells questions apart by their "
                "texts: choose another format.",
                num=times,
                text=visible(text),
            ),
            code="cannot_hold",
            field="format",
            remedy="Choose a format that names questions by their ids.",
        )

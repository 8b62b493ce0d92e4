"""What somebody reads on a page: its words without the marks around them."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

UNSEEN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)


def text_of(page: str) -> str:
    """Return the words of a page with single blanks between them."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", UNSEEN.sub(" ", page))).split())


def heading_of(page: str) -> str:
    """Return the words of the first heading of a page."""
    return text_of(page[page.index("<h1") : page.index("</h1>")])


def shown_by(answer: TestResponse) -> str:
    """Return the words of a page that came without an error."""
    assert answer.status_code == 200
    return text_of(answer.text)

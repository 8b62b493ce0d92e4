"""What somebody reads on a page: its words without the marks around them."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

UNSEEN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)

VOID = "area|base|br|col|hr|img|input|link|meta|source|track|wbr"
LINES = (
    "article|aside|blockquote|body|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|"
    "head|header|html|legend|li|link|main|meta|nav|ol|optgroup|option|p|script|section|summary|table|tbody|td|"
    "tfoot|th|thead|title|tr|ul"
)
AFTER = re.compile(rf"(<(?!(?:{VOID})\b)[a-z][^<>]*>|</?(?:{LINES})\b[^<>]*>)\s+")
BEFORE = re.compile(rf"\s+(</|/?>|<(?:{LINES})\b)")


def closed_up(page: str) -> str:
    """Return a page without the blanks that only lay it out: a test may ask for what stands together."""
    return BEFORE.sub(r"\1", AFTER.sub(r"\1", re.sub(r"\s+", " ", page)))


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

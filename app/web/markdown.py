"""Markdown that people write, as HTML that can do no harm: no HTML of their own, no images, no scripts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.token import Token

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
DEEPEST_HEADING = 6

_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


@lru_cache(maxsize=512)
def render_markdown(text: str, *, top: int = 3) -> Markup:
    """Return Markdown as safe HTML, its headings starting at level `top` of the page it goes into.

    Links leave without a referrer and never to a script. Whatever is not on the list of tags is
    dropped, so a mistake of the parser cannot become a script.
    """
    tokens = _parser.parse(text)
    _lower_headings(tokens, top)
    html = _parser.renderer.render(tokens, _parser.options, {})
    cleaned = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="noreferrer noopener"
    )
    return Markup(cleaned)  # noqa: S704 - cleaned by an allowlist in the line above


def _lower_headings(tokens: list[Token], top: int) -> None:
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    shift = top - min(levels, default=top)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(DEEPEST_HEADING, int(token.tag[1]) + shift)}"

"""Markdown that people wrote, as HTML that can do no harm: no scripts, no images, no raw HTML."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from app.web.marking import marked

if TYPE_CHECKING:
    from collections.abc import Sequence

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td", "mark"),
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
    return render_tokens(parse_markdown(text, top=top))


def parse_markdown(text: str, *, top: int = 3) -> list[Token]:
    """Return the tokens of a Markdown text, its headings starting at level `top`."""
    tokens = _parser.parse(text)
    _lower_headings(tokens, top)
    return tokens


def render_tokens(tokens: Sequence[Token], *, words: tuple[str, ...] = (), apart: bool = False) -> Markup:
    """Return tokens as safe HTML.

    Parameters
    ----------
    words
        Words to be marked wherever the text holds them.
    apart
        Open links in a window of their own.
    """
    if words:
        tokens = [_with_marks(token, words) for token in tokens]
    html = _parser.renderer.render(tokens, _parser.options, {})
    cleaned = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noreferrer noopener",
        set_tag_attribute_values={"a": {"target": "_blank"}} if apart else {},
    )
    return Markup(cleaned)  # noqa: S704 - cleaned by an allowlist in the line above


def _lower_headings(tokens: list[Token], top: int) -> None:
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    shift = top - min(levels, default=top)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(DEEPEST_HEADING, int(token.tag[1]) + shift)}"


def _with_marks(token: Token, words: tuple[str, ...]) -> Token:
    """Return an inline token whose texts carry marks; everything else as it is."""
    if token.type != "inline" or not token.children:
        return token
    children = [
        Token("html_inline", "", 0, content=str(marked(child.content, words)))
        if child.type == "text"
        else child
        for child in token.children
    ]
    return token.copy(children=children)

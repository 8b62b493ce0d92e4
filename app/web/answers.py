"""An answer's text as it stands on the page: plain or Markdown, folded where long, marked on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from app.services.showing import showing_of
from app.web.markdown import parse_markdown, render_tokens
from app.web.marking import marked, words_to_mark
from app.web.texts import END_OF_SENTENCE, SHOWN_AT_ONCE, WORTH_FOLDING, folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.token import Token

    from app.models import Project
    from app.services.showing import ShownAnswer

TOP_HEADING = 3  # the answer's title is a level 2


class ShownText(NamedTuple):
    """A text as HTML in two parts: the first is read at once, the rest (maybe empty) on demand."""

    shown: Markup
    rest: Markup
    is_markdown: bool


def shown_texts(
    answers: Iterable[ShownAnswer], project: Project, query: str, *, marks: bool
) -> dict[str, ShownText]:
    """Return the text of each answer by its public id, in the format that it or its project is written in.

    Parameters
    ----------
    marks
        Mark the words of the query.
    """
    usual = showing_of(project.options)["answer_format"]
    words = words_to_mark(query) if marks else ()
    return {
        answer.public_id: shown_text(
            answer.text, is_markdown=(answer.format or usual) == "markdown", words=words
        )
        for answer in answers
    }


def shown_text(text: str, *, is_markdown: bool, words: tuple[str, ...] = ()) -> ShownText:
    """Return an answer's text as safe HTML, folded where it is long, with some words marked."""
    if not is_markdown:
        parts = folded(text)
        return ShownText(marked(parts.shown, words), marked(parts.rest, words), is_markdown=False)
    first, rest = fold_blocks(parse_markdown(text, top=TOP_HEADING))
    return ShownText(
        render_tokens(first, words=words, apart=True),
        render_tokens(rest, words=words, apart=True) if rest else Markup(""),
        is_markdown=True,
    )


def fold_blocks(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return the tokens in two parts: whole blocks, or a long paragraph cut between two sentences."""
    sizes = [len(token.content) for token in tokens]
    if sum(sizes) <= SHOWN_AT_ONCE + WORTH_FOLDING:
        return tokens, []
    size, begun = 0, 0
    for number, token in enumerate(tokens):
        if token.nesting >= 0 and token.level == 0:
            begun = number
        size += sizes[number]
        if size > SHOWN_AT_ONCE:
            break
    if begun:
        return tokens[:begun], tokens[begun:]
    return _cut_first(tokens)


def _cut_first(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return the tokens cut inside their first block, or after it where it is no paragraph."""
    end = next(number for number, token in enumerate(tokens) if token.level == 0 and token.nesting <= 0) + 1
    if tokens[0].type != "paragraph_open" or tokens[1].children is None:
        return tokens[:end], tokens[end:]
    inline = tokens[1]
    before, after = _cut_line(tokens[1].children)
    first = [tokens[0], inline.copy(children=before), tokens[2]]
    rest = [tokens[0], inline.copy(children=after), tokens[2]] if after else []
    return first, [*rest, *tokens[end:]]


def _cut_line(children: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return what stands in a paragraph in two parts, cut in a text that no emphasis or link encloses."""
    size, depth = 0, 0
    for number, child in enumerate(children):
        depth += child.nesting
        size += len(child.content)
        if size <= SHOWN_AT_ONCE or depth or child.type not in {"text", "softbreak"}:
            continue
        room = max(0, len(child.content) - (size - SHOWN_AT_ONCE))
        ends = [match.end() for match in END_OF_SENTENCE.finditer(child.content, 0, room)]
        cut = ends[-1] if ends else child.content.rfind(" ", 0, room) + 1
        before, after = child.copy(content=child.content[:cut]), child.copy(content=child.content[cut:])
        return [*children[:number], before], [after, *children[number + 1 :]]
    return children, []

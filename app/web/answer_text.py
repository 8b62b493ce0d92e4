"""Texts of answers and guidelines as safe HTML, with the question's words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from app.models.project import Project
from app.services.projects.words import ShownAnswer, showing_of, terms_of
from app.web.passages import END_OF_SENTENCE, Piece, chosen_pieces, passages, pattern_of

SHOWN_AT_ONCE = 900
# A fold that would hide less than this hides nothing.
WORTH_FOLDING = 300
WORDS_PER_MINUTE = 220
GAP = " … "
BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
# Of lines that are moved in, or set in columns with spaces, a text has some.
ALIGNED = re.compile(r"^(?:\t| {2,})\S|\S(?:\t| {3,})\S", re.MULTILINE)
SOME = 2


class SplitText(NamedTuple):
    """A text in two parts: the first is read at once, the rest on demand."""

    shown: str
    rest: str


def folded(text: str) -> SplitText:
    """Return a text folded after a sentence, or after a word where no sentence ends in time.

    Lines keep their indentation: it belongs to code and tables.
    """
    text = BLANK_LINES.sub("", text.rstrip())
    if len(text) <= SHOWN_AT_ONCE + WORTH_FOLDING:
        return SplitText(text, "")
    ends = [match.end() for match in END_OF_SENTENCE.finditer(text, 0, SHOWN_AT_ONCE)]
    cut = ends[-1] if ends and ends[-1] > SHOWN_AT_ONCE // 2 else text.rfind(" ", 0, SHOWN_AT_ONCE) + 1
    cut = cut or SHOWN_AT_ONCE
    return SplitText(text[:cut].rstrip(), text[cut:].lstrip("\n"))


def minutes_to_read(text: str) -> int:
    """Return how many minutes a text takes to read; 0 for one that is read at a glance."""
    return round(len(text.split()) / WORDS_PER_MINUTE)


SHORTEST = 3
# Words that nearly every text holds say nothing about a text.
COMMON = frozenset(
    word
    for line in (
        "about and any are but can cannot did does for from had has have how into its not off our",
        "out should than that the their them then there these they this was were what when where which who",
        "why will with would you your",
        "aber als auch auf aus bei bin bis das dem den der des die ein eine einem einen einer für hat ich",
        "ihr ist kann man mein mit nach nicht oder sich sie sind und vom von vor wann war warum was wenn wer",
        "wie wir wird zum zur",
        "avec ces cette comme dans des elle est ils les leur mais par pas plus pour quand que quel quelle",
        "qui sans ses son sont sur une vous votre",
        "como con cual cuando del desde donde ella ellos entre esta este esto las los más para pero por",
        "porque qué quien sin sobre son sus una uno unos",
    )
    for word in line.split()
)


def words_to_highlight(query: str, *, more: Iterable[str] = (), never: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words of a question that are worth finding in an answer, each once.

    Parameters
    ----------
    more, never
        The owner's own terms: found in every answer, and never marked.
    """
    found = (word.casefold() for word in re.findall(r"\w+", query))
    left_out = COMMON | {term.casefold() for term in never}
    worth = [word for word in found if len(word) >= SHORTEST and word not in left_out]
    return tuple(dict.fromkeys([*(term.casefold() for term in more), *worth]))


ADDRESS = re.compile(r"(https?://[^\s<>\"“”]*[^\s<>\"“”.,;:!?'’)\]}…])", re.IGNORECASE)


def plain_text(text: str, words: tuple[str, ...] = ()) -> Markup:
    """Return a plain text escaped, its words marked; the addresses in it are links that open apart."""
    link = Markup('<a href="{0}" target="_blank" rel="noreferrer noopener">{0}</a>')
    return Markup("").join(
        # Every second part is an address.
        link.format(part) if number % 2 else highlighted(part, words)
        for number, part in enumerate(ADDRESS.split(text))
    )


def highlighted(text: str, words: tuple[str, ...]) -> Markup:
    """Return a text escaped, with a mark around each of the words, whatever their case."""
    if not words:
        return escape(text)
    parts = pattern_of(words).split(text)
    # Every second part is a word that was looked for.
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


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
        tokens = [_with_highlights(token, words) for token in tokens]
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


def _with_highlights(token: Token, words: tuple[str, ...]) -> Token:
    """Return an inline token whose texts carry marks; everything else as it is."""
    if token.type != "inline" or not token.children:
        return token
    children = [
        Token("html_inline", "", 0, content=str(highlighted(child.content, words)))
        if child.type == "text"
        else child
        for child in token.children
    ]
    return token.copy(children=children)


TOP_HEADING = 3  # the answer's title is a level 2


class ShownText(NamedTuple):
    """A text as HTML in two parts: the first is read at once, the rest (maybe empty) on demand.

    Passages from here and there give way to the whole text; a beginning is followed by the rest.
    """

    shown: Markup
    rest: Markup
    is_markdown: bool
    has_passages: bool = False
    is_aligned: bool = False
    title: Markup = Markup()


def shown_texts(answers: Iterable[ShownAnswer], project: Project, query: str) -> dict[str, ShownText]:
    """Return the text of each answer by its public id, in the format that it or its project is written in.

    The words of the query are in marks; the page says whether these are seen.
    """
    usual, terms = showing_of(project.options)["answer_format"], terms_of(project.options)
    words = words_to_highlight(query, more=terms.marked, never=terms.unmarked)
    return {
        answer.public_id: shown_text(
            answer.text, is_markdown=(answer.format or usual) == "markdown", words=words
        )._replace(title=highlighted(answer.title, words))
        for answer in answers
    }


def shown_text(text: str, *, is_markdown: bool, words: tuple[str, ...] = ()) -> ShownText:
    """Return an answer's text as safe HTML, with some words marked.

    Of a long one the passages that hold them are shown at once, or its beginning if that holds them as well.
    """
    if not is_markdown:
        parts = folded(text)
        if parts.rest and (found := passages(text, words, SHOWN_AT_ONCE)):
            excerpt = plain_text(GAP.join(found), words)
            shown = ShownText(excerpt, plain_text(text, words), is_markdown=False, has_passages=True)
        else:
            shown = ShownText(
                plain_text(parts.shown, words), plain_text(parts.rest, words), is_markdown=False
            )
        return shown._replace(is_aligned=len(ALIGNED.findall(text)) >= SOME)
    tokens = parse_markdown(text, top=TOP_HEADING)
    first, rest = fold_blocks(tokens)
    if rest and (blocks := _blocks_with(tokens, words)):
        return ShownText(
            render_tokens(blocks, words=words, apart=True),
            render_tokens(tokens, words=words, apart=True),
            is_markdown=True,
            has_passages=True,
        )
    return ShownText(
        render_tokens(first, words=words, apart=True),
        render_tokens(rest, words=words, apart=True) if rest else Markup(""),
        is_markdown=True,
    )


def _blocks_with(tokens: list[Token], words: tuple[str, ...]) -> list[Token]:
    """Return the blocks that hold some words, dots between them; none where the first ones do as well."""
    blocks: list[list[Token]] = []
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            blocks.append([])
        blocks[-1].append(token)
    if not words:
        return []
    texts = ["\n".join(token.content for token in block) for block in blocks]
    found = [frozenset(map(str.casefold, pattern_of(words).findall(text))) for text in texts]
    chosen = chosen_pieces(list(map(Piece, map(len, texts), found)), SHOWN_AT_ONCE)
    shown: list[Token] = []
    for before, place in zip([-1, *chosen], chosen, strict=False):
        gap = _parser.parse(GAP.strip()) if before >= 0 and place > before + 1 else []
        shown += [*gap, *blocks[place]]
    return shown


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
    """Return the content of a paragraph in two parts, cut in a text that no emphasis or link encloses."""
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

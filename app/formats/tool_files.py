"""JSON that other tools write: which tool it was, and its queries with their documents as records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from app.formats import elasticsearch, label_studio, quepid, rre, solr, watson
from app.formats.errors import IN_PAIR, BadValueError
from app.formats.groups import Group, Place, refuse_shape
from app.formats.json_files import ids_in, read_whole
from app.formats.json_text import JsonText
from app.formats.rows import Record
from app.formats.schema import FORMATS, Format, Kind, ToolFormat, fields_of
from app.formats.source import Source

ANY = "?"
ITEM = "*"
# Also a text that is cut off: each sign is looked at once.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]:]')
DEEPEST = 6
HEAD = 1 << 17


class Shape(NamedTuple):
    """A file that some tool writes.

    Attributes
    ----------
    mark
        Names of members, one inside the other, by which it is known; `*` is an item of an array, `?` any
        member.
    path
        Where its groups are, in the same way; empty for the file as a whole.
    only
        What it holds, where other files of its format hold more.
    beside
        A member of the file as a whole, and what refuses its value.
    """

    format: ToolFormat
    told: str
    mark: tuple[str, ...]
    path: tuple[str, ...]
    read: Callable[[Any, Place], Iterator[Group]]
    only: tuple[Kind, ...] = ()
    beside: tuple[str, Callable[[Any], None] | None] = ("", None)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Of which kinds it is."""
        return tuple(
            kind for kind in FORMATS if self.format in FORMATS[kind] and kind in (self.only or FORMATS)
        )


_HITS = ("hits", "hits")
# The first that fits counts.
SHAPES = (
    Shape("quepid", "a Quepid book", ("query_doc_pairs",), ("query_doc_pairs", ITEM), quepid.book),
    Shape(
        "quepid",
        "a Quepid case",
        ("queries", ITEM, "ratings"),
        ("queries", ITEM),
        quepid.case,
        ("queries", "judgments"),
    ),
    Shape(
        "workbench",
        "judgments of the search relevance workbench",
        ("judgmentRatings",),
        ("judgmentRatings", ITEM),
        elasticsearch.workbench,
    ),
    Shape(
        "workbench",
        "judgments of the search relevance workbench",
        (*_HITS, ITEM, "_source", "judgmentRatings"),
        (*_HITS, ITEM, "_source", "judgmentRatings", ITEM),
        elasticsearch.workbench,
    ),
    Shape(
        "workbench",
        "a query set of the search relevance workbench",
        ("querySetQueries",),
        ("querySetQueries", ITEM),
        elasticsearch.query_set,
        ("queries",),
    ),
    Shape(
        "rank-eval",
        "a _rank_eval request",
        ("requests", ITEM, "ratings"),
        ("requests", ITEM),
        elasticsearch.request,
        ("queries", "judgments"),
    ),
    Shape(
        "rank-eval",
        "a _rank_eval response",
        ("details", ANY, "hits"),
        ("details", ITEM),
        elasticsearch.response,
        ("run", "judgments"),
        beside=("failures", elasticsearch.failures),
    ),
    Shape("search", "a _search response", _HITS, (), elasticsearch.search),
    Shape(
        "search",
        "an _msearch response",
        ("responses", ITEM, *_HITS),
        ("responses", ITEM),
        elasticsearch.msearch,
    ),
    Shape(
        "search",
        "an _msearch response",
        ("responses", ITEM, "error"),
        ("responses", ITEM),
        elasticsearch.msearch,
    ),
    Shape("search", "a _search response", ("error", "root_cause"), (), elasticsearch.search),
    Shape("solr", "a Solr response", ("response", "docs"), (), solr.response),
    Shape("rre", "ratings of the Rated Ranking Evaluator", ("topics",), (), rre.ratings),
    Shape("rre", "ratings of the Rated Ranking Evaluator", ("query_groups",), (), rre.ratings),
    Shape(
        "rre",
        "ratings of the Rated Ranking Evaluator",
        ("queries", ITEM, "relevant_documents"),
        (),
        rre.ratings,
    ),
    *(
        Shape("watson", "training queries of Watson Discovery", (*path, "examples"), path, watson.training)
        for path in (("queries", ITEM), (ITEM,), ())
    ),
    Shape(
        "label-studio",
        "an export of Label Studio",
        (ITEM, "annotations", ITEM, "result"),
        (ITEM,),
        label_studio.task,
    ),
    Shape("watson", "questions of Watson", (ITEM, "cluster", "answers"), (ITEM,), watson.questions),
)


def shape_of(head: str) -> Shape | None:
    """Return what the beginning of a file looks like, None where no tool is known that writes it."""
    found = {at for path in _paths(head[:HEAD]) for at in _BY_NAME.get(path[-1], ()) if _fits(path, at)}
    return SHAPES[min(found)] if found else None


_BY_NAME: dict[str, list[int]] = {}
for _at, _shape in enumerate(SHAPES):
    _BY_NAME.setdefault(_shape.mark[-1], []).append(_at)


def _fits(path: tuple[str, ...], at: int) -> bool:
    mark = SHAPES[at].mark
    return len(path) == len(mark) and all(
        wanted in {name, ANY} for name, wanted in zip(path, mark, strict=True)
    )


def _paths(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the path of each member of a JSON text that may be cut off."""
    path: list[str] = []
    before = ""
    for match in _TOKEN.finditer(text):
        sign = match.group()
        if sign in "{[":
            path.append(ITEM if sign == "[" else "")
        elif sign in "}]":
            if not path:
                return
            path.pop()
        elif sign == ":" and before and path:
            path[-1] = before
            if len(path) <= DEEPEST:
                yield tuple(path)
        before = sign[1:-1] if sign[0] == '"' else ""


def tool_records(
    source: Source, kind: Kind, format: Format, columns: Mapping[str, str] | None
) -> Iterator[Record]:
    """Yield what a file of a tool says as records of this kind; problems go to the log."""
    shape = shape_of(source.head.decode("utf-8", "replace"))
    if shape is None or shape.format != format:
        error = BadValueError(
            "json-shape",
            format,
            "the file does not look like one of this format",
            "Leave its format to be guessed.",
        )
        source.refuse(error, None)
        return

    def read(text: JsonText) -> Iterator[Record]:
        # An archive of answers to searches has one in each file.
        names = iter(source.members if len(source.members) > 1 else ())
        while text.begins():
            name = next(names, source.name)
            for line, key, value in _walk(text, shape.path, "", shape.beside):
                try:
                    for group in shape.read(value, Place(name, key, kind)):
                        for record in _records_of(line, group, kind, columns):
                            named = ids_in(record[1])
                            source.place = (IN_PAIR, {"name": named}) if named else None
                            yield record
                            source.place = None
                except BadValueError as error:
                    source.refuse(error, line)

    yield from read_whole(source, read)


def _walk(
    text: JsonText,
    path: tuple[str, ...],
    key: str,
    beside: tuple[str, Callable[[Any], None] | None] = ("", None),
) -> Iterator[tuple[int, str, Any]]:
    """Yield (line, the name of its member or its number, value) of everything at a path."""
    opens = text.begins()
    if not path:
        yield text.line, key, text.value()
    elif path[0] == ITEM and opens == "[":
        for number, _ in enumerate(text.items(), 1):
            yield from _walk(text, path[1:], str(number))
    elif opens != "{":
        refuse_shape(text.value(), "object")
    else:
        for name in text.members():
            if path[0] in {ITEM, name}:
                yield from _walk(text, path[1:], name if path[0] == ITEM else key)
            else:
                value = text.value()
                if name == beside[0] and beside[1] is not None:
                    beside[1](value)


def _records_of(line: int, group: Group, kind: Kind, columns: Mapping[str, str] | None) -> Iterator[Record]:
    if kind == "queries":
        yield line, {"text": group.query.get("query"), **group.query}, {}
        return
    for pair in group.pairs:
        document = pair.pop("document", None)
        if kind == "documents":
            value = {**(document or {}), "doc_id": pair["doc_id"]}
            found = fields_of(tuple(value), kind, columns, exact=False)
            yield line, {name: value.pop(theirs) for name, theirs in found.items()}, value
        else:
            yield line, {**group.query, **pair}, {}

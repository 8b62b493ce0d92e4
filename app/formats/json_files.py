"""Files that are one JSON value: an array of objects, or {query: {document: value}}."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from app.formats.errors import IN_PAIR, IN_QUERY, BadValueError
from app.formats.json_text import JsonText
from app.formats.limits import ID_BYTES
from app.formats.objects import ObjectFields
from app.formats.query_texts import QueryName
from app.formats.rows import Record
from app.formats.schema import Kind
from app.formats.source import Source
from app.sentences import message

_IN_OBJECT = message("%(what)s, in object %(n)s")
_IN_OBJECT_OF = message("%(what)s, in object %(n)s (%(name)s)")
# What a file of MTEB's predictions says first; then {subset: {split: {query: {document: score}}}}.
MTEB = "mteb_model_meta"
_VALUES = {"run": "score", "judgments": "grade"}


def pair_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield a record for every document of every query; problems go to the log."""

    def of_query(text: JsonText, query: str) -> Iterator[Record]:
        in_query: tuple[str, dict[str, object]] = (IN_QUERY, {"name": query})
        source.place = in_query
        # What is too long for an id is the text of the query.
        key = {"query": query} if len(query.encode()) > ID_BYTES else {"query_id": QueryName(query)}
        if text.begins() != "{":
            _refuse_shape(text.value())
        for document in text.members():
            source.place = (IN_PAIR, {"name": f"{query} {document}"}) if document else in_query
            yield text.line, {**key, "doc_id": document, _VALUES[kind]: text.value()}, {}
            source.place = in_query
        source.place = None

    def read(text: JsonText) -> Iterator[Record]:
        is_mteb = False
        for number, member in enumerate(text.members()):
            if member == MTEB:
                is_mteb = bool(text.value())
            elif is_mteb:
                for query in _queries_of_mteb(text, number):
                    yield from of_query(text, query)
            else:
                yield from of_query(text, member)

    return read_whole(source, read)


def _queries_of_mteb(text: JsonText, number: int) -> Iterator[str]:
    """Yield the queries of the one subset and split that a file of predictions holds.

    :raise BadValueError: There is another: their queries may have the same ids.
    """
    for split, name in enumerate(text.members()):
        if number > 1 or split:
            raise BadValueError(
                "json-shape",
                name,
                "the file has predictions for several subsets or splits of a task",
                "Keep one of them in the file.",
            )
        yield from text.members()


def array_records(source: Source, kind: Kind, columns: Mapping[str, str] | None) -> Iterator[Record]:
    """Yield a record for every object of an array; problems go to the log."""
    fields = ObjectFields(kind, columns)

    def read(text: JsonText) -> Iterator[Record]:
        for number, _ in enumerate(text.items(), 1):
            text.begins()
            line, value = text.line, text.value()
            source.place = _IN_OBJECT, {"n": number}
            try:
                if not isinstance(value, dict):
                    _refuse_item(value)
                ours, others = fields.parted(value)
            except BadValueError as error:
                source.refuse(error, line)
            else:
                if name := ids_in(ours):
                    source.place = _IN_OBJECT_OF, {"n": number, "name": name}
                yield line, ours, others
            source.place = None
        fields.refuse_missing(source)

    return read_whole(source, read)


def ids_in(fields: Mapping[str, Any]) -> str:
    """Return the ids of a record, as far as they are texts or numbers."""
    query = fields.get("query_id", fields.get("query"))
    ids = (each for each in (query, fields.get("doc_id")) if type(each) in {int, str} and each != "")
    return " ".join(map(str, ids))


def read_whole(source: Source, read: Callable[[JsonText], Iterator[Record]]) -> Iterator[Record]:
    """Yield what a file holds up to the first place where it is no JSON."""
    text = None
    try:
        text = JsonText(source)
        yield from read(text)
        text.end()
    except BadValueError as error:
        source.refuse(error, source.line if text is None else text.line)
    finally:
        source.place = None


def _refuse_shape(value: object) -> None:
    raise BadValueError(
        "json-shape", value, "the query has no object of documents", 'Write it as {"document": 1}.'
    )


def _refuse_item(value: object) -> None:
    raise BadValueError("json", value, "the item of the array is not an object", "Write an array of objects.")

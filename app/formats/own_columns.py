"""What the columns of tables are whose names tell nothing, guessed from their values.

The tables are read together: a column whose values are ids of another table's lines names these lines. Where
two readings are alike nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise

from app.formats.errors import BadValueError, ProblemLog, visible
from app.formats.preview import named_rows, shown_rows
from app.formats.recognise import is_named
from app.formats.schema import NAMES, Kind, matched_fields, plain_name
from app.formats.sniff import HIGHEST_RATING, guess_of
from app.formats.source import Source, Stream
from app.formats.values import MOST_OF_SCALE
from app.sentences import Message, message

LINES = 20_000
"""So many of each file are looked at: of a larger one not all ids are known."""
MOST_COLUMNS = 40
"""Columns of a table that are compared with each other."""
TESTED = 500
"""Lines of a table whose values are compared with the ids."""
NEARLY_ALL = 0.95
LONGEST_ID = 60
LONGEST_VALUE = 400
_NUMBER = re.compile(r"[-+]?[0-9]{1,20}(?:[.,][0-9]{1,20})?(?:[eE][-+]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[0-9]{1,9}")
_ID = re.compile(r"\S*\d\S*")
# How much each thing that speaks for a reading counts.
_SAME_NAME, _KNOWN_IDS, _RANK, _SCORE, _GRADE, _TOGETHER = 4, 2, 3, 2, 1, 1
_LISTS: tuple[Kind, ...] = ("queries", "documents")
Columns = dict[str, str]
"""Our name -> the file's."""


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids that a column of a table, or a project, has; `kind` says of what, None where that is open."""

    kind: Kind | None
    values: AbstractSet[str]
    column: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The first lines of a file, column by column: each name -> a value for each line.

    `kind` is that of a file whose names tell it, with its `fields`.
    """

    name: str
    columns: dict[str, list[str]]
    kind: Kind | None = None
    fields: Columns = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a table probably is: its kind, None where that is open, its columns for each kind, and why."""

    kind: Kind | None
    columns: dict[Kind, Columns]
    reason: Message


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A reading of a table as pairs of a query and a document; `kinds` has its other columns for each kind.

    It `is_certain` where both ids are known and the documents are in an order.
    """

    query: str
    document: str
    kinds: dict[Kind, Columns]
    points: int
    is_certain: bool


def readings_of(tables: Sequence[Table], known: Sequence[Ids] = ()) -> list[Reading | None]:
    """Return what each table is whose kind is not known, None where nothing is clear.

    `known` are the ids that a project has already.
    """
    lists = {at: found for at, table in enumerate(tables) if (found := _list_of(table)) is not None}
    ids = [_ids_of(tables[at], columns) for at, columns in lists.items()]
    pairs: dict[int, _Pairs] = {}
    for at, table in enumerate(tables):
        if table.kind is None:
            others = [each for place, each in zip(lists, ids, strict=True) if place != at]
            pair = _pairs_of(table, [*others, *known])
            if pair is not None and (at not in lists or pair.is_certain):
                pairs[at] = pair
    for at in pairs:
        lists.pop(at, None)
    kinds = _kinds_of(tables, lists, pairs)
    return [
        _of_pairs(pairs[at])
        if at in pairs
        else _of_list(lists[at], kinds.get(at))
        if at in lists and table.kind is None
        else None
        for at, table in enumerate(tables)
    ]


def table_of(stream: Stream, name: str, kind: Kind | None, columns: Columns | None = None) -> Table:
    """Return the first lines of a file; of one whose kind is known only its ids, column by column."""
    source = Source(stream, name, ProblemLog())
    guess = guess_of(source, kind or "documents", None, columns)
    if guess.format is None or source.has_problems:
        return Table(name, {}, kind)
    if kind is None:
        is_named = guess.has_header or guess.format in {"jsonl", "json"}
        rows = named_rows(source, guess, "documents") if is_named else None
        found = {each: list[str]() for each in guess.columns[:MOST_COLUMNS] if each} if rows else {}
        for row in islice(rows or (), LINES):
            for each, values in found.items():
                values.append(_text_of(row.get(each)))
        return Table(name, found)
    fields = {}
    with suppress(BadValueError):
        fields = matched_fields(guess.columns, kind, columns, exact=False)
    fields = {ours: fields.get(ours, ours) for ours in ("query_id", "doc_id")}
    found = {theirs: list[str]() for theirs in fields.values()}
    for _, ids in islice(shown_rows(source, guess, kind, columns), LINES):
        for ours, theirs in fields.items():
            if ours in ids:
                found[theirs].append(ids[ours])
    return Table(name, found, kind, {ours: theirs for ours, theirs in fields.items() if found[theirs]})


def _text_of(value: object) -> str:
    return "" if value is None else str(value).strip()[:LONGEST_VALUE]


def _ids_of(table: Table, columns: Columns) -> Ids:
    return Ids(table.kind, frozenset(table.columns[columns["id"]]), columns["id"])


def _of_pairs(pair: _Pairs) -> Reading:
    ids = {"query_id": pair.query, "doc_id": pair.document}
    words = {"first": visible(pair.query), "last": visible(pair.document)}
    roles = {ours: theirs for columns in pair.kinds.values() for ours, theirs in columns.items()}
    if "rank" in roles:
        reason = message(
            "Guessed from the values: “%(first)s” holds ids of questions, “%(last)s” ids of answers, and "
            "“%(name)s” counts the places of each question.",
            name=visible(roles["rank"]),
            **words,
        )
    elif "score" in roles:
        reason = message(
            "Guessed from the values: “%(first)s” holds ids of questions, “%(last)s” ids of answers, and "
            "“%(name)s” scores.",
            name=visible(roles["score"]),
            **words,
        )
    else:
        reason = message(
            "Guessed from the values: “%(first)s” holds ids of questions, “%(last)s” ids of answers, and "
            "“%(name)s” ratings.",
            name=visible(roles["grade"]),
            **words,
        )
    kind = next(iter(pair.kinds)) if len(pair.kinds) == 1 else None
    return Reading(kind, {each: ids | columns for each, columns in pair.kinds.items()}, reason)


def _of_list(columns: Columns, kind: Kind | None) -> Reading:
    reason = message(
        "Guessed from the values: “%(first)s” is different on each line, and “%(last)s” holds texts.",
        first=visible(columns["id"]),
        last=visible(columns["text"]),
    )
    others = {name: theirs for name, theirs in columns.items() if name != "id"}
    return Reading(
        kind,
        {
            "queries": {"query_id": columns["id"], "text": columns["text"]},
            "documents": {"doc_id": columns["id"], **others},
        },
        reason,
    )


def _list_of(table: Table) -> Columns | None:
    """Return which columns are the id, the text and perhaps the title of a list of texts."""
    if table.kind is not None:
        own = table.fields.get("query_id" if table.kind == "queries" else "doc_id")
        return {"id": own} if table.kind in {"queries", "documents"} and own else None
    named = _named(table, "queries") | _named(table, "documents")
    texts = [name for name, values in table.columns.items() if _are_texts(values)]
    ids = [name for name, values in table.columns.items() if name != named.get("title") and _are_ids(values)]
    ids.sort(key=lambda name: name not in {named.get("query_id"), named.get("doc_id")})
    for name in ids:
        others = [other for other in texts if other != name]
        if not others:
            continue
        text = named.get("text")
        text = text if text in others else max(others, key=lambda other: _length(table.columns[other]))
        titles = [other for other in others if other != text and len({*table.columns[other]}) > 1]
        title = named.get("title") or next(iter(titles), "")
        return {"id": name, "text": text} | ({"title": title} if title not in {"", text} else {})
    return None


def _named(table: Table, kind: Kind) -> Columns:
    with suppress(BadValueError):
        return matched_fields(list(table.columns), kind, exact=False)
    return {}


def _are_ids(values: Sequence[str]) -> bool:
    """Return whether values are short and each is another one."""
    return (
        len(values) > 1
        and len(set(values)) == len(values)
        and all(value and len(value) <= LONGEST_ID for value in values)
        and _share(" " in value for value in values) <= 1 - NEARLY_ALL
        and _share(_is_fraction(value) for value in values) <= 1 - NEARLY_ALL
    )


def _are_texts(values: Sequence[str]) -> bool:
    """Return whether values are rather words than ids, numbers, links or the few names of a class."""
    filled = [value for value in values if value]
    return (
        len(filled) > len(values) / 2
        and 2 * len(set(filled)) > len(filled)
        and _share(bool(_ID.fullmatch(value)) for value in filled) < 0.2
    )


def _pairs_of(table: Table, lists: Sequence[Ids]) -> _Pairs | None:
    """Return the one reading of a table as pairs for which most speaks; None where there is none."""
    head = {name: values[:TESTED] for name, values in table.columns.items()}
    found = sorted(_pair_readings(table, head, lists), key=lambda each: -each.points)
    if not found or (len(found) > 1 and found[0].points == found[1].points):
        return None
    return found[0]


def _pair_readings(table: Table, head: dict[str, list[str]], lists: Sequence[Ids]) -> Iterator[_Pairs]:
    named = _named(table, "run") | _named(table, "judgments")
    for query, of_query in head.items():
        asked = [each for each in lists if each.kind != "documents" and _are_in(of_query, each)]
        if not asked:
            continue
        # Nobody knows the answers where no list can be theirs: then their ids are of any kind.
        others = [each for each in lists if each.kind != "queries" and [each] != asked]
        for document, of_document in head.items():
            answered = [each for each in others if _are_in(of_document, each)]
            is_other = any(one is not other for one in asked for other in answered)
            if query == document or not (is_other if others else _may_be_ids(of_document)):
                continue
            if len({*zip(of_query, of_document, strict=True)}) < NEARLY_ALL * len(of_query):
                continue
            kinds, points = _roles(head, query, document)
            if kinds:
                names = [each.column for each in asked], [each.column for each in answered]
                points += _SAME_NAME * (query in [*names[0], named.get("query_id")])
                points += _SAME_NAME * (document in [*names[1], named.get("doc_id")])
                points += _KNOWN_IDS * bool(answered) + _TOGETHER * _stand_together(of_query)
                yield _Pairs(query, document, kinds, points, bool(answered) and "run" in kinds)


def _roles(head: dict[str, list[str]], query: str, document: str) -> tuple[dict[Kind, Columns], int]:
    """Return which columns hold rank, score and grade, for each kind, and how much speaks for it."""
    groups: dict[str, list[int]] = {}
    for line, value in enumerate(head[query]):
        groups.setdefault(value, []).append(line)
    several = [lines for lines in groups.values() if len(lines) > 1]
    roles: dict[str, list[str]] = {"rank": [], "score": [], "grade": []}
    for name, values in head.items():
        if name not in {query, document} and (role := _role_of(name, values, several)):
            roles[role].append(name)
    one: Columns = {role: names[0] for role, names in roles.items() if len(names) == 1}
    run: Columns = {role: one[role] for role in ("rank", "score") if role in one}
    points = _RANK * ("rank" in one) + _SCORE * ("score" in one) + _GRADE * ("grade" in one and not run)
    kinds: dict[Kind, Columns] = {"run": run} if run else {}
    # Grades beside places may be what is meant, but not beside scores: these are of a ranker.
    if "grade" in one and "score" not in one:
        kinds["judgments"] = {"grade": one["grade"]}
    return kinds, points


def _role_of(name: str, values: list[str], several: list[list[int]]) -> str:
    """Return what a column of numbers holds, empty where that is not clear."""
    plain = plain_name(name)
    if plain in NAMES["run"]["rank"] or plain in NAMES["judgments"]["grade"][:-1]:
        return "rank" if plain in NAMES["run"]["rank"] else "grade"
    if not all(map(_NUMBER.fullmatch, values)):
        return ""
    if any(len(lines) > 2 for lines in several) and all(map(_WHOLE.fullmatch, values)):
        given = [[int(values[line]) for line in lines] for lines in several]
        first = min(map(min, given))
        counts = [sorted(each) == [*range(first, first + len(each))] for each in given]
        if first < 2 and _share(counts) >= NEARLY_ALL:
            # Counted down they may be scores as well, and so few in no order grades.
            is_up = _share(each == sorted(each) for each in given) >= NEARLY_ALL
            is_down = _share(each == sorted(each, reverse=True) for each in given) >= NEARLY_ALL
            is_long = max(map(max, given)) > HIGHEST_RATING
            return "rank" if is_up or (is_long and not is_down) else ""
    numbers = [_number_of(value) for value in values]
    is_whole = all(number.is_integer() and 0 <= number <= HIGHEST_RATING for number in numbers)
    if is_whole and len(set(numbers)) <= MOST_OF_SCALE:
        return "grade" if set(numbers) != {0} else ""
    falls = [all(numbers[one] >= numbers[next_] for one, next_ in pairwise(lines)) for lines in several]
    is_scattered = 2 * len(set(numbers)) > len(numbers) and any(map(_is_fraction, values))
    return "score" if several and (is_scattered or _share(falls) >= NEARLY_ALL) else ""


def _kinds_of(
    tables: Sequence[Table], lists: dict[int, Columns], pairs: dict[int, _Pairs]
) -> dict[int, Kind]:
    """Return which lists are of queries and which of documents, as far as something tells."""
    kinds: dict[int, Kind] = {}
    named: dict[Kind, list[tuple[str, list[str]]]] = {"queries": [], "documents": []}
    for at, table in enumerate(tables):
        query = pairs[at].query if at in pairs else table.fields.get("query_id", "")
        document = pairs[at].document if at in pairs else table.fields.get("doc_id", "")
        if at in pairs or table.kind in {"run", "judgments"}:
            for kind, name in (("queries", query), ("documents", document)):
                if values := table.columns.get(name, [])[:TESTED]:
                    named[kind].append((name, values))  # type: ignore[index]
    may_be: dict[int, list[Kind]] = {}
    for at, columns in lists.items():
        own = _ids_of(tables[at], columns)
        fitting = [
            (name == own.column, kind)
            for kind, found in named.items()
            for name, values in found
            if _are_in(values, own)
        ]
        same = {kind for is_same, kind in fitting if is_same}
        may_be[at] = sorted(same or {kind for _, kind in fitting})
    kinds |= {at: found[0] for at, found in may_be.items() if len(found) == 1}
    certain = set(kinds.values()) | {table.kind for table in tables}
    for at, found in may_be.items():
        left = [kind for kind in found or _LISTS if kind not in certain]
        if not found or len(left) != 1:
            left = [kind for kind in _LISTS if is_named(tables[at].name, kind)]
        if at not in kinds and len(left) == 1:
            kinds[at] = left[0]
    return kinds


def _are_in(values: Sequence[str], ids: Ids) -> bool:
    return bool(values) and _share(value in ids.values for value in values) >= NEARLY_ALL


def _stand_together(values: Sequence[str]) -> bool:
    return len(list(groupby(values))) == len(set(values))


def _may_be_ids(values: Sequence[str]) -> bool:
    return all(value and len(value) <= LONGEST_ID and not _is_fraction(value) for value in values) and (
        _share(" " in value for value in values) <= 1 - NEARLY_ALL
    )


def _is_fraction(value: str) -> bool:
    return bool(_NUMBER.fullmatch(value)) and not value.strip("+-").isdigit()


def _number_of(value: str) -> float:
    return float(value.replace(",", "."))


def _length(values: Sequence[str]) -> float:
    return sum(map(len, values)) / len(values)


def _share(facts: Sequence[bool] | Iterator[bool]) -> float:
    found = list(facts)
    return sum(found) / len(found) if found else 0.0

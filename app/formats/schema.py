"""The column names of the product's own tables, and how the names of a file map onto them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Literal, get_args

from app.formats.errors import BadValueError, visible
from app.formats.limits import MOST_COLUMNS
from app.sentences import either, message, together

Kind = Literal["queries", "documents", "run", "judgments"]
Table = Literal["csv", "tsv", "jsonl"]
ToolFormat = Literal["quepid", "workbench", "rank-eval", "search", "solr", "rre", "watson", "label-studio"]
"""JSON that other tools write."""
TextFormat = Literal["book-csv", "relevance-csv", "predictions", "letor", "sgml"]
"""Texts that other tools write, line by line."""
Format = Literal["trec", Table, "json", "json-pairs", "pandas", ToolFormat, TextFormat]
TABLES: tuple[Table, ...] = get_args(Table)
WRITTEN_FORMATS: tuple[Format, ...] = ("trec", *TABLES)
"""What exports offer; the others are only read."""
TOOL_FORMATS: tuple[ToolFormat, ...] = get_args(ToolFormat)
ALL_FORMATS: tuple[Format, ...] = (
    *WRITTEN_FORMATS,
    "json",
    "json-pairs",
    "pandas",
    *TOOL_FORMATS,
    *get_args(TextFormat),
)
MEDIA_TYPES: dict[Format, str] = {
    "trec": "text/plain",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/x-ndjson",
    "json": "application/json",
    "json-pairs": "application/json",
    "pandas": "application/json",
    **dict.fromkeys(TOOL_FORMATS, "application/json"),
    "book-csv": "text/csv",
    "relevance-csv": "text/csv",
    "predictions": "text/plain",
    "letor": "text/plain",
    "sgml": "text/plain",
}
_QUERY_ID = ("query_id", "qid", "q_id", "topic_id", "question_id", "frage_id")
# Other tools know queries by their texts alone.
_QUERY_TEXT = ("query", "query_text", "querytext", "question")
# PyTerrier counts documents in docid and names them in docno.
_GRADES = (
    "grade",
    "rating",
    "relevance",
    "rel",
    "label",
    "judgment",
    "judgement",
    "esci_label",
    "ground_truth",
    "stars",
    "bewertung",
    "sterne",
)
_DOC_ID = ("doc_id", "document_id", "docno", "docid", "corpus_id")
# Beside results and ratings these name ids; in files of questions or documents they may hold the texts.
_QUERY_POINTED = (*_QUERY_ID, "topic")
_ITEM_ID = ("pid", "passage_id", "answer_id", "aid", "item_id", "product_id", "antwort_id")
_DOC_POINTED = (*_DOC_ID, "document", "doc", *_ITEM_ID, "answer", "antwort")
# Without the column of the person, ratings by several people of one answer contradict each other.
_PERSON = (
    "annotator",
    "assessor",
    "judge",
    "rater",
    "worker",
    "worker_id",
    "user",
    "user_email",
    "user_id",
    "created_by",
    "judged_by",
    "rated_by",
    "annotated_by",
)
# For each kind: our name, then the other names under which the same thing is found. The first match counts.
NAMES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "queries": {
        "query_id": (*_QUERY_ID, "id", "_id"),
        "text": ("text", *_QUERY_TEXT),
        "intent": ("intent", "information_need"),
        "tags": ("tags",),
        "weight": ("weight", "traffic", "gewicht"),
    },
    "documents": {
        "doc_id": (*_DOC_ID, "id", "_id", *_ITEM_ID),
        "title": ("title", "product_title", "titel"),
        "text": ("text", "passage", "product_description", "answer", "antwort"),
        "url": ("url",),
        "source": ("source",),
    },
    "run": {
        "query_id": _QUERY_POINTED,
        "query": (*_QUERY_TEXT, "frage"),
        "doc_id": _DOC_POINTED,
        "tag": (
            "tag",
            "run_tag",
            "run",
            "run_id",
            "run_name",
            "system",
            "ranker",
            "snapshot_name",
            "model",
            "model_name",
        ),
        "rank": ("rank", "position", "doc_position", "platz"),
        "score": ("score", "rank_score", "punkte"),
    },
    "judgments": {
        "query_id": _QUERY_POINTED,
        "query": (*_QUERY_TEXT, "frage"),
        "doc_id": _DOC_POINTED,
        "annotator": _PERSON,
        "grade": (*_GRADES, "score"),
        "reason": ("reason",),
        "judged_at": ("judged_at",),
    },
}
REQUIRED: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "queries": (("query_id",), ("text",)),
    "documents": (("doc_id",), ("text", "title")),
    "run": (("query_id", "query"), ("doc_id",), ("rank", "score")),
    "judgments": (("query_id", "query"), ("doc_id",), ("grade", "reason")),
}
_RATINGS: tuple[Format, ...] = ("quepid", "workbench", "rre", "watson", "book-csv", "relevance-csv", "letor")
FORMATS: dict[Kind, tuple[Format, ...]] = {
    "queries": (*TABLES, "json", "pandas", *_RATINGS, "rank-eval", "sgml"),
    "documents": (*TABLES, "json", "pandas", "quepid", "search", "solr", "label-studio", "sgml"),
    "run": (*WRITTEN_FORMATS, "json", "json-pairs", "pandas", "rank-eval", "search", "solr", "predictions"),
    "judgments": (
        *WRITTEN_FORMATS,
        "json",
        "json-pairs",
        "pandas",
        "rank-eval",
        "label-studio",
        *_RATINGS,
    ),
}
TREC_COLUMNS: dict[Kind, int] = {"run": 6, "judgments": 4}
"""Cells of a line of TREC."""
TREC_NUMBERS: dict[Kind, int] = {"run": 4, "judgments": 3}
"""Which of these cells holds a number: the score, and the rating."""
NamedBy = Literal["line", "row", "table", "object"]
"""What names the columns: the first line, the first row of a sheet, a table by itself, or each object."""
SHOWN = 20
"""Names of columns that a problem lists."""
NOUNS: dict[Kind, str] = {
    "queries": message("queries"),
    "documents": message("documents"),
    "run": message("run"),
    "judgments": message("judgments"),
}
# Kept exactly as they stand; everything else in a table loses the blanks at its ends.
KEPT_WHOLE = frozenset({"text", "title", "intent"})


def fields_of(
    names: Sequence[str],
    kind: Kind,
    columns: Mapping[str, str] | None = None,
    *,
    exact: bool = True,
    named_by: NamedBy | None = None,
    called: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return our name -> the file's name for every column of the file that means something for this kind.

    `columns` says which names the file uses, such as `{"query_id": "Anfrage"}`; it wins over the known names.
    With nothing for a name, no column is taken for it.
    Every name that it asks for must be there, unless `exact` is off, as for objects. `named_by` is what names
    the columns: that depends on `exact` if it is not given. `called` is our name -> the file's name of other
    objects of the file: one that lacks a field is told of it by that name.

    :raise BadValueError: There are too many columns, a name occurs twice, one that was asked for is missing,
        or one that is needed was not found.
    """
    found = matched_fields(names, kind, columns, exact=exact)
    _refuse_other(found, kind, names, columns or {})
    _require(found, kind, names, named_by or ("line" if exact else "object"), called or {})
    return found


def matched_fields(
    names: Sequence[str], kind: Kind, columns: Mapping[str, str] | None = None, *, exact: bool = True
) -> dict[str, str]:
    """Return what `fields_of` does, also where a column that is needed was not found.

    :raise BadValueError: There are too many columns, a name occurs twice, or one that was asked for is
        missing.
    """
    refuse_many(names)
    _refuse_twice(names)
    asked = columns or {}
    found = _chosen(names, kind, asked if exact else {k: v for k, v in asked.items() if v in names})
    plain: dict[str, str] = {}
    for name in names:
        if name not in found.values():
            plain.setdefault(plain_name(name), name)
    for ours, known in NAMES[kind].items():
        match = next((plain[name] for name in known if name in plain), None)
        if match is not None and ours not in found and asked.get(ours, match):
            found[ours] = match
    return found


def is_known(name: str, kind: Kind) -> bool:
    """Return whether a cell reads like the name of a column of this kind."""
    plain = plain_name(name)
    return any(plain in known for known in NAMES[kind].values())


def is_in_order(names: Sequence[str]) -> bool:
    """Return whether columns are those of MS MARCO's top1000, where the order of the lines is the rank."""
    plain = tuple(plain_name(name) for name in names[:5])
    return (
        len(plain) == 4
        and plain[0] in _QUERY_ID
        and plain[1] in _DOC_POINTED
        and plain[2:] == ("query", "passage")
    )


def plain_name(name: str) -> str:
    """Return the name of a column without what is easily written otherwise."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def refuse_many(names: Sequence[str]) -> None:
    """Refuse more columns than a file may have.

    :raise BadValueError: There are too many.
    """
    if len(names) > MOST_COLUMNS:
        raise BadValueError(
            "header",
            ", ".join(names[:SHOWN]),
            "there are more than %(n)s columns",
            "Remove the columns that are not needed, and check that the first line ends where it should.",
            n=MOST_COLUMNS,
        )


def columns_named(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return our name -> the file's column from pairs of these.

    :raise BadValueError: Two columns are chosen for one name.
    """
    named: dict[str, str] = {}
    for ours, theirs in pairs:
        if ours in named:
            raise BadValueError(
                "column",
                theirs,
                "two columns are chosen as %(ours)s",
                "Choose %(first)s or %(second)s.",
                ours=ours,
                first=named[ours],
                second=theirs,
            )
        named[ours] = theirs
    return named


def _refuse_twice(names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice == [""]:
        raise BadValueError(
            "header", listed(names), "several columns have no name", "Name them, or remove them."
        )
    if twice:
        raise BadValueError(
            "header", listed(twice), "two columns have the same name", "Give each column a different name."
        )


def _chosen(names: Sequence[str], kind: Kind, columns: Mapping[str, str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for asked, theirs in columns.items():
        ours = "doc_id" if asked == "document_id" else asked
        if ours not in NAMES[kind]:
            known = ", ".join(NAMES[kind])
            raise BadValueError(
                "column",
                asked,
                "%(kind)s have no column of this name",
                "Use one of %(name)s.",
                kind=NOUNS[kind],
                name=known,
            )
        if not theirs:
            continue
        if theirs not in names:
            raise BadValueError(
                "column",
                theirs,
                "the file has no column of this name",
                "It has %(names)s.",
                names=listed(names),
            )
        if theirs in chosen.values():
            first = next(name for name, taken in chosen.items() if taken == theirs)
            raise BadValueError(
                "column",
                theirs,
                "the column is chosen twice, as %(name)s and as %(ours)s",
                "Choose another column for one of them.",
                name=first,
                ours=ours,
            )
        chosen[ours] = theirs
    return chosen


def _refuse_other(
    found: Mapping[str, str], kind: Kind, names: Sequence[str], asked: Mapping[str, str]
) -> None:
    """Refuse ratings that are offered as a run, and a run that is offered as ratings."""
    plain = {plain_name(name) for name in names}
    if kind == "run" and not {"rank", "score"} & found.keys() and plain.intersection(_GRADES):
        raise BadValueError(
            "header",
            listed(names),
            "these are the columns of ratings, without rank or score",
            "Import the file as ratings (import judgments), or say which column is which (--column "
            "OURS=THEIRS on the command line).",
        )
    if (
        kind == "judgments"
        and not asked
        and len(names) == 3
        and all(name.strip().isdigit() for name in names)
    ):
        raise BadValueError(
            "header",
            listed(names),
            "the first line names no columns, and three columns of numbers are a run of MS MARCO",
            "Import the file as results of a ranker (import run), or give ratings a first line with the "
            "names query_id, doc_id and grade.",
        )
    if kind == "judgments" and "grade" not in asked and _are_of_run(found, plain):
        number = next((name for name in names if plain_name(name) in NAMES["run"]["score"]), "")
        others = [each for each in _lacking(found, kind) if "grade" not in each]
        if number and plain.isdisjoint(NAMES["run"]["rank"]):
            raise BadValueError(
                "header",
                listed(names),
                "there is no column %(names)s",
                "If %(name)s holds the grades, say which column is which (--column grade=%(name)s on the "
                "command line). If it holds scores, import the file as results of a ranker (import run).",
                names=_missing([*others, ("grade",)], _AND_NO_COLUMN),
                name=number,
            )
        raise BadValueError(
            "header",
            listed(names),
            "these are the columns of a run, without grade",
            "Import the file as results of a ranker (import run), or say which column is which (--column "
            "OURS=THEIRS on the command line).",
        )


def _are_of_run(found: Mapping[str, str], plain: set[str]) -> bool:
    """Return whether columns that are read as ratings have ranks or scores, and no grade."""
    has_rank = not plain.isdisjoint(NAMES["run"]["rank"])
    if "grade" in found:
        return has_rank and plain_name(found["grade"]) == "score"
    return "reason" not in found and (has_rank or not plain.isdisjoint(NAMES["run"]["score"]))


_AND_NO_COLUMN = message("%(before)s, and no column %(after)s")
_AND_NO_FIELD = message("%(before)s, and no field %(after)s")


def _lacking(found: Mapping[str, str], kind: Kind) -> list[tuple[str, ...]]:
    """Return which columns a file lacks, each with those that would do instead."""
    return [choices for choices in REQUIRED[kind] if not any(ours in found for ours in choices)]


def _require(
    found: Mapping[str, str],
    kind: Kind,
    names: Sequence[str],
    named_by: NamedBy,
    called: Mapping[str, str],
) -> None:
    missing = _lacking(found, kind)
    if missing == [("query_id",)] and _holds_questions(found, names, named_by):
        return
    if missing == [("rank", "score")] and is_in_order(names):
        return
    # Where no column is left that could be the missing one; of ids of queries the texts can take the place.
    has_all_read = (
        bool(names) and len(found) == len(names) and (kind, missing) != ("queries", [("query_id",)])
    )
    if missing and named_by == "object":
        theirs = [[called.get(name, name) for name in choices] for choices in missing]
        has_all_read = has_all_read or not called.keys().isdisjoint(chain.from_iterable(missing))
    if missing and named_by == "object" and has_all_read:
        raise BadValueError(
            "header",
            listed(names),
            "the object has no field %(names)s",
            "Add what is missing.",
            names=_missing(theirs, _AND_NO_FIELD),
        )
    if missing and named_by == "object":
        raise BadValueError(
            "header",
            listed(names, "no fields"),
            "the object has no field %(names)s",
            _name_them(kind, named_by),
            names=_missing(theirs, _AND_NO_FIELD),
        )
    if missing:
        raise BadValueError(
            "header",
            listed(names),
            "there is no column %(names)s",
            _ADD_IT if has_all_read else _name_them(kind, named_by),
            names=_missing(missing, _AND_NO_COLUMN),
        )


def _holds_questions(found: Mapping[str, str], names: Sequence[str], named_by: NamedBy) -> bool:
    """Return whether texts stand for the ids of queries: by the name of their column, or as the only one."""
    is_alone = "text" in found and len(names) == 1 and named_by != "object"
    return is_alone or plain_name(found.get("text", "")) in _QUERY_TEXT


_ADD_IT = message(
    "Add what is missing, or say which column is which (--column OURS=THEIRS on the command line)."
)
_NEEDED: dict[NamedBy, str] = {
    "line": message("The first line must name %(needed)s."),
    "row": message("The first row must hold the names of the columns, %(needed)s."),
    "table": message("The table needs the columns %(needed)s."),
    "object": message("Every object needs the fields %(needed)s."),
}
_RENAME: dict[NamedBy, str] = {
    "line": message(
        "Rename the columns, or say which column is which (--column OURS=THEIRS on the command line)."
    ),
    "row": message(
        "Remove the rows above the names, rename the columns, or say which column is which "
        "(--column OURS=THEIRS on the command line)."
    ),
    "table": message(
        "Rename its columns, or say which column is which (--column OURS=THEIRS on the command line)."
    ),
    "object": message("Rename its fields, or choose which field is which."),
}


def _name_them(kind: Kind, named_by: NamedBy) -> str:
    without_ids = ""
    if kind == "queries":
        without_ids = (
            message("Without ids, one field named question is enough.")
            if named_by == "object"
            else message("Without ids, one column named question is enough.")
        )
    return together(message(_NEEDED[named_by], needed=_needs(kind)), without_ids, _RENAME[named_by])


def _missing(missing: Sequence[Sequence[str]], more: str) -> str:
    return reduce(lambda before, after: message(str(more), before=before, after=after), map(_named, missing))


def _needs(kind: Kind) -> str:
    *first, last = map(_with_others, REQUIRED[kind])
    return message("%(first)s and %(last)s", first=first, last=last)


def _with_others(choices: Sequence[str]) -> str:
    name, *others = [name for name in choices if name != "reason"]
    return message("%(name)s (or %(other)s)", name=name, other=either(others)) if others else name


def _named(choices: Sequence[str]) -> str:
    """Return one of which columns is needed; nobody has a column of reasons without one of grades."""
    return either([name for name in choices if name != "reason"])


def listed(names: Sequence[str], none: str = "no columns") -> str:
    """Return names of columns as a sentence lists them: the first, and how many more there are."""
    if not names:
        return none
    shown, more = ", ".join(map(visible, names[:SHOWN])), len(names) - SHOWN
    return message("%(name)s and %(n)s more", name=shown, n=more) if more > 0 else shown

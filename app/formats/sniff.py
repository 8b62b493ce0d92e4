"""Which format a file is in, guessed from its beginning, and why."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from app.formats import letor, sgml
from app.formats.data_frames import layout_of
from app.formats.errors import BadValueError
from app.formats.inflate import TABLES
from app.formats.json_depth import refuse_deep
from app.formats.json_files import MTEB
from app.formats.limits import MOST_COLUMNS
from app.formats.schema import (
    FORMATS,
    NAMES,
    NOUNS,
    TOOL_FORMATS,
    TREC_COLUMNS,
    TREC_NUMBERS,
    WRITTEN_FORMATS,
    Format,
    Kind,
    fields_of,
    is_in_order,
    is_known,
    matched_fields,
    plain_name,
)
from app.formats.source import Source
from app.formats.tool_files import shape_of
from app.formats.values import are_few
from app.sentences import Message, either, message, together

SAMPLE_BYTES = 1 << 16
SAMPLE_LINES = 50
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?')
_TEXT = r'"(?:[^"\\]|\\.)*"'
_PAIRS = re.compile(rf"\s*\{{\s*{_TEXT}\s*:\s*\{{\s*(?:\}}|{_TEXT}\s*:\s*[-0-9\"])")
# The files of MS MARCO have no names: (what it holds, columns) -> their names, and which are ids.
_UNNAMED: dict[tuple[Kind, int], tuple[tuple[str, ...], tuple[int, ...]]] = {
    ("queries", 2): (("query_id", "text"), ()),
    ("queries", 4): (("query_id", "doc_id", "text", "passage"), (0, 1)),
    ("documents", 2): (("doc_id", "text"), (0,)),
    ("documents", 4): (("query_id", "doc_id", "query", "text"), (0, 1)),
    ("run", 3): (("query_id", "doc_id", "rank"), ()),
    ("run", 4): (("query_id", "doc_id", "query", "passage"), (0, 1)),
}
_OF_PAGES = ("doc_id", "url", "title", "text")
# What is no word: names of columns rarely hold a digit.
_ID = re.compile(r"\S*\d\S*")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")
_MEASURE = re.compile(
    r"runid|num_\w+|(gm_)?(map|bpref)|[Rr]prec|recip_rank|11pt_avg|infAP|ndcg(_rel)?"
    r"|(P|recall|success|ndcg_cut|map_cut|iprec_at_recall|set)_[\w.]+"
)
_PAIR_VALUE = re.compile(r":\s*(-?[0-9]{1,20}(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)\s*[,}]")
HIGHEST_RATING = 10
MOST_ABOVE = 5
"""Lines that may stand above the names of columns, for a refusal that says so."""
LFS_POINTER = "version https://git-lfs.github.com/spec/"
# Grades; scores are written with a point.
_FEW = frozenset(map(str, range(HIGHEST_RATING + 1)))
# Not written as a literal: a catalogue has no empty sentence.
_NOTHING = ""
NO_HINT = message(_NOTHING)
_AS_RATINGS = message(
    "The numbers above 10 are read as ratings. If they are scores, import the file as results of a ranker "
    "(import run)."
)
_DELIMITERS: dict[str, Format] = {"\t": "tsv", ",": "csv", ";": "csv", "|": "csv"}
_MARK_NAMES = {
    "\t": message("tabs"),
    ",": message("commas"),
    ";": message("semicolons"),
    "|": message("vertical bars"),
}


@dataclass(frozen=True, slots=True)
class Guess:
    """What a file looks like; `reason` is the sentence for the page, `format` is None if nothing fits.

    A file with `has_separator_line` begins with `sep=;`, which spreadsheets write and read. `refusal` is that
    of a file that fits nothing, or, beside a format, of one that is rather of another kind. `hint` is what
    was assumed where nothing tells of which kind a file is.
    """

    format: Format | None
    reason: str
    columns: tuple[str, ...] = ()
    delimiter: str | None = None
    has_header: bool = False
    has_separator_line: bool = False
    encoding: str = ""
    refusal: BadValueError | None = None
    hint: Message = NO_HINT


@dataclass(frozen=True, slots=True)
class Sample:
    """The first lines of a file, what it is wanted for, and the names that the caller expects in it."""

    lines: list[str]
    kind: Kind
    expected: frozenset[str] = frozenset()


def guess_of(
    source: Source, kind: Kind, format: Format | None = None, columns: Mapping[str, str] | None = None
) -> Guess:
    """Return what the beginning of a source looks like, or how it reads as the given format.

    `columns` are names that the caller expects in the file, as in `schema.fields_of`.
    """
    lines = _sample(source.head)
    encoding = message("Some lines are not UTF-8.")
    if _is_utf8(source.head):
        encoding = message("Read as %(name)s.", name=source.encoding)
    if not lines:
        return Guess(format, "The file is empty.", encoding=encoding)
    separator = _SEPARATOR_LINE.fullmatch(lines[0].strip(" "))
    sample = Sample(
        lines[1:] if separator else lines, kind, frozenset(filter(None, (columns or {}).values()))
    )
    if separator and sample.lines and format in {None, "csv", "tsv"}:
        mark = separator[1]
        guess = replace(_table(sample, mark, "csv"), has_separator_line=True)
    else:
        sample = replace(sample, lines=lines)
        guess = (
            (format == "pandas" and _of_frame(source, sample)) or _as_format(sample, format)
            if format
            else _of_tool(source, kind)
            or _of_frame(source, sample)
            or _of_text(sample)
            or _below_others(source, sample)
            or _best(sample)
        )
    if format is None and guess.refusal is None:
        guess = _of_other_numbers(sample, guess) or _of_asked_ids(sample, guess) or guess
    if guess.refusal is not None and not guess.refusal.value:
        guess.refusal.value = lines[0]
    if source.encoding in TABLES:
        # Its first row is whole in the head, however long its texts are.
        names = guess.columns or tuple(_object(source.head.decode("utf-8", "replace").strip()))
        told = message(
            "Looks like %(what)s: %(n)s columns, names in the first row.", what=source.encoding, n=len(names)
        )
        if guess.format and guess.refusal is None:
            guess = replace(guess, reason=told, columns=names)
    return replace(guess, encoding=encoding)


_NAMES = NOUNS | {"run": message("results of a ranker"), "judgments": message("ratings")}


def _unfit(found: str, remedy: str, **values: object) -> Guess:
    """Return that a file fits nothing, and what to do with it."""
    found, remedy = message(found, **values), message(remedy, **values)
    return Guess(
        None,
        message("%(Found)s: %(remedy)s.", Found=found, remedy=remedy),
        refusal=BadValueError("format", "", found, message("%(Remedy)s.", Remedy=remedy)),
    )


def _of_tool(source: Source, kind: Kind) -> Guess | None:
    """Return what to do with a file of another tool, None where it is none."""
    if source.head.lstrip()[:1] not in {b"{", b"["}:
        return None
    shape = shape_of(source.head.decode("utf-8", "replace"))
    if shape is None:
        return None
    if kind in shape.kinds:
        mark = ".".join(name for name in shape.mark if name not in {"*", "?"})
        told = message(
            "Looks like %(what)s: it has the member %(name)s.", what=message(shape.told), name=mark
        )
        return Guess(shape.format, told)
    return _elsewhere(shape.kinds, shape.told, kind)


def _of_frame(source: Source, sample: Sample) -> Guess | None:
    """Return what to do with a table of pandas that is no array of objects, None where it is none."""
    if source.head.lstrip()[:1] != b"{":
        return None
    layout = layout_of(source.head.decode("utf-8", "replace"), sample.kind, sample.expected)
    if layout is None:
        return None
    told = message("Looks like a table of pandas, written with orient='%(name)s'.", name=layout.orient)
    return Guess("pandas", told, layout.columns)


def _below_others(source: Source, sample: Sample) -> Guess | None:
    """Return what to do with a table whose names of columns have other lines above them; None for others."""
    first, *others = sample.lines
    if source.encoding in TABLES or _has_all_names(sample.kind, first):
        return None
    if not any(_has_all_names(sample.kind, line) for line in others[:MOST_ABOVE]):
        return None
    return _unfit("the names of the columns are not on the first line", "remove what is above them")


def _has_all_names(kind: Kind, line: str) -> bool:
    """Return whether a line names every column that is needed."""
    for mark in _DELIMITERS:
        with suppress(BadValueError):
            if mark in line and fields_of([cell.strip() for cell in _cells(line, mark)], kind):
                return True
    return False


def _elsewhere(kinds: Iterable[Kind], what: str, kind: Kind) -> Guess:
    """Return what to do with a file that holds other kinds than the one that is wanted."""
    return _unfit(
        "this is %(what)s, which does not hold %(kind)s",
        "import it as %(kinds)s",
        what=message(what),
        kind=_NAMES[kind],
        kinds=either([_NAMES[each] for each in kinds]),
    )


def _of_text(sample: Sample) -> Guess | None:
    """Return what to do with a text of another tool, None where it is none."""
    found = next((name for name, (_, is_one) in _TEXTS.items() if is_one(sample)), None)
    if found is None:
        return None
    what = _TEXTS[found][0]
    return (
        Guess(found, message("Looks like %(what)s.", what=what))
        if found in FORMATS[sample.kind]
        else _elsewhere([each for each in FORMATS if found in FORMATS[each]], what, sample.kind)
    )


def _is_book(sample: Sample) -> bool:
    cells = _cells(sample.lines[0], ",")[:MOST_COLUMNS]
    names = [plain_name(cell) for cell in cells]
    # A column whose name says something else is nobody's.
    known = any(is_known(name, kind) for name in names[2:] for kind in FORMATS)
    known = known or sample.kind == "run" or not sample.expected.isdisjoint(cells)
    return len(names) > 2 and names[0] == "query" and names[1] in {"docid", "doc_id"} and not known


def _is_relevance(sample: Sample) -> bool:
    """Return whether lines are questions and pairs of answer and label, and name nothing."""
    if sample.kind not in {"queries", "judgments"}:
        return False
    try:
        rows = [next(csv.reader([line], skipinitialspace=True), []) for line in sample.lines]
    except csv.Error:
        return False
    labelled = [cells for cells in rows if len(cells) > 1]
    # Also where the last answer lacks its label: the reader of the file says so.
    good = [cells for cells in labelled if cells[2:] and all(cell.strip().isdigit() for cell in cells[2::2])]
    if 2 * len(good) <= len(labelled):
        return False
    begins = rows[0] in good or (len(rows[0]) < 3 and not _has_header(sample, ","))
    # Lines of one even length are rather a table without names, if they do not begin with questions.
    is_table = len(set(map(len, labelled))) == 1 and not len(good[0]) % 2
    return begins and (not is_table or all(" " in cells[0].strip() for cells in good))


_TEXTS: dict[Format, tuple[str, Callable[[Sample], bool]]] = {
    "sgml": (
        message("TREC topics or documents in SGML or XML"),
        lambda sample: sgml.looks_like("\n".join(sample.lines), sample.kind),
    ),
    "letor": (
        message("LETOR or SVMlight: grade, qid and document on each line"),
        lambda sample: letor.looks_like(sample.lines[0]),
    ),
    "book-csv": (message("a Quepid book: a column of ratings for each person"), _is_book),
    "relevance-csv": (
        message("ratings without names of columns: on each line a question, then each answer and its rating"),
        _is_relevance,
    ),
}


def _sample(head: bytes) -> list[str]:
    sample = head[:SAMPLE_BYTES]
    if len(head) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]
    lines = sample.decode("utf-8", "replace").split("\n")
    return [line.rstrip("\r") for line in lines if line.strip()][:SAMPLE_LINES]


def _is_utf8(head: bytes) -> bool:
    try:
        head[: head.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        return False
    return True


def _best(sample: Sample) -> Guess:
    first, kind = sample.lines[0], sample.kind
    if first.startswith(LFS_POINTER):
        return _unfit("this is a pointer of Git LFS, not the file itself", "get the file with git lfs pull")
    if first.lstrip()[:1] in {"{", "["}:
        return _json(sample)
    if are_measured(sample.lines):
        return _unfit(
            "these are the scores that trec_eval printed, not the answers that a ranker returned",
            "import the run that was scored",
        )
    marks = [mark for mark in _DELIMITERS if mark in first]
    named = [mark for mark in marks if _has_header(sample, mark)]
    if named:
        return _table(sample, named[0])
    if first.lstrip().startswith("<") and not (kind in TREC_COLUMNS and _trec_lines(sample)):
        text = "\n".join(sample.lines)
        held = [other for other in FORMATS if sgml.looks_like(text, other)]
        what = message("TREC topics") if held == ["queries"] else message("TREC documents")
        return (
            _elsewhere(held, what, kind)
            if held
            else _unfit(
                "this is HTML or XML without %(kind)s", "export it as CSV or JSON Lines", kind=_NAMES[kind]
            )
        )
    # Without names, vertical bars are rather part of a text.
    marks = [mark for mark in marks if mark != "|"]
    return _one_column(sample) or _with_marks(sample, marks) or _nameless(sample, marks)


def _with_marks(sample: Sample, marks: list[str]) -> Guess | None:
    """Return what a file without names is by what is between its marks, None where that does not tell."""
    if sample.kind in TREC_COLUMNS and marks and (other := _named_trec(sample)):
        return other
    is_unnamed = "\t" in marks and _unnamed(sample, _cells(sample.lines[0], "\t"))
    return _table(sample, "\t") if is_unnamed and trec_kind(sample.lines) is None else None


def _nameless(sample: Sample, marks: list[str]) -> Guess:
    kind = sample.kind
    if kind in TREC_COLUMNS and (not marks or _trec_lines(sample)):
        return _other_trec(sample) or _trec(sample)
    if marks and marks[0] != "\t" and _begins_with_values(sample, marks[0]):
        return _unfit(
            "the first line holds values, not names of columns",
            "add a line with the names of the columns above it",
        )
    if marks:
        return _table(sample, marks[0])
    formats = either([name.upper() for name in FORMATS[kind] if name in WRITTEN_FORMATS])
    unknown = _unfit(
        "this does not look like any format for %(kind)s",
        "give %(formats)s",
        kind=NOUNS[kind],
        formats=formats,
    )
    # The refusal says the rest.
    return _other_trec(sample) or replace(unknown, reason=message("No format was recognised."))


def _one_column(sample: Sample) -> Guess | None:
    """Return how to read a list of questions under its name, None where a file is none."""
    name = sample.lines[0].strip().strip('"')
    is_name = plain_name(name) in NAMES["queries"]["text"] or name in sample.expected
    if sample.kind != "queries" or not is_name:
        return None
    is_quoted = any(line.startswith('"') and line.rstrip().endswith('"') for line in sample.lines[1:])
    told = message("Looks like a list of questions: one column, its name in the first line.")
    return Guess("csv" if is_quoted else "tsv", told, (name,), "," if is_quoted else "\t", has_header=True)


def _named_trec(sample: Sample) -> Guess | None:
    """Return what to do with a file of another kind whose cells also have other marks between them."""
    kind = trec_kind(sample.lines)
    is_other = kind is not None and kind != sample.kind
    return _other_trec(sample) if is_other or are_predictions(sample.lines) else None


def _as_format(sample: Sample, format: Format) -> Guess:
    if format not in FORMATS[sample.kind]:
        return _unfit(
            "there is no %(name)s format for %(kind)s",
            "give %(formats)s",
            name=format.upper(),
            kind=NOUNS[sample.kind],
            formats=either([name.upper() for name in FORMATS[sample.kind]]),
        )
    if format in TOOL_FORMATS or format in _TEXTS or format in {"pandas", "predictions"}:
        return Guess(format, message("Read as %(name)s.", name=format))
    if format in _BY_FORMAT:
        return _BY_FORMAT[format](sample)
    if format == "tsv":
        return _table(sample, "\t")
    widths = {mark: len(_cells(sample.lines[0], mark)) for mark in _MARK_NAMES}
    return _table(sample, max(widths, key=lambda mark: widths[mark]), "csv")


def _json(sample: Sample) -> Guess:
    if sample.lines[0].lstrip().startswith("["):
        return _array(sample)
    # Of questions and answers a column may be a field inside another one.
    may_be = sample.kind in TREC_COLUMNS or not sample.expected
    return (_other_pairs(sample) or _pairs(sample)) if may_be and _is_pairs(sample) else _jsonl(sample)


def _jsonl(sample: Sample) -> Guess:
    try:
        columns = tuple(_parsed(sample.lines[0]))[:MOST_COLUMNS]
    except (ValueError, RecursionError, TypeError):
        columns = ()
    return Guess("jsonl", "Looks like JSON Lines: one object per line.", columns)


def _is_pairs(sample: Sample) -> bool:
    """Return whether a file begins as {"query": {"document": number."""
    if not _PAIRS.match("\n".join(sample.lines)):
        return False
    with suppress(ValueError, RecursionError):
        # A line that is an object of its own may have fields that are objects.
        values = _parsed(sample.lines[0]).values()
        return all(isinstance(value, (dict, list)) for value in values)
    return True


def _other_pairs(sample: Sample) -> Guess | None:
    """Return what to do with ratings that are offered as a run, or a run as ratings, or both as another."""
    text, kind = "\n".join(sample.lines), sample.kind
    values = _PAIR_VALUE.findall(text)
    if kind not in TREC_COLUMNS:
        what = message("a JSON object of numbers by query and document")
        return _elsewhere(["run", "judgments"], what, kind)
    if kind == "run" and values and set(values) <= _FEW and MTEB not in text:
        return _unfit(
            "these are ratings as ranx and pytrec_eval take them, in whole numbers, not a run",
            "import them as ratings (import qrels). If they are scores, name the format (--format json-pairs "
            "on the command line)",
        )
    if kind == "judgments" and (MTEB in text or _are_scores(values)):
        refused = _unfit(
            "these are scores of a run, as ranx writes them, not ratings",
            "import them as results of a ranker (import run). If they are ratings, name the format (--format "
            "json-pairs on the command line)",
        )
        return replace(_pairs(sample), reason=refused.reason, refusal=refused.refusal)
    return replace(_pairs(sample), hint=_hint_of_scores(values)) if kind == "judgments" else None


def _are_scores(values: Sequence[str]) -> bool:
    """Return whether values are rather scores than ratings: most are fractions or above 10.

    Few different values above 10 may be ratings of a wide scale as well.
    """
    fractions = sum(map(_is_fraction, values))
    others = sum(_is_fraction(value) or _is_high(value) for value in values)
    return 2 * fractions > len(values) or (
        2 * others > len(values) and not are_few(len(set(values)), len(values))
    )


def _hint_of_scores(values: Sequence[str]) -> Message:
    """Return what is assumed of values that may be scores as well as ratings; empty of all others."""
    return _AS_RATINGS if any(map(_is_high, values)) else NO_HINT


def _of_other_numbers(sample: Sample, guess: Guess) -> Guess | None:
    """Return what to do with a table whose scores are ratings, or whose ratings are scores of a run."""
    if guess.format not in {"csv", "tsv", "jsonl", "json"} or sample.kind not in TREC_COLUMNS:
        return None
    try:
        found = matched_fields(guess.columns, sample.kind, exact=False)
    except BadValueError:
        return None
    name = found.get("score" if sample.kind == "run" else "grade", "")
    # Of a table with ranks, or with people, its columns tell.
    has_rank = any(plain_name(column) in NAMES["run"]["rank"] for column in guess.columns)
    is_plain = found.keys().isdisjoint({"annotator", "reason", "judged_at"}) and not has_rank
    if plain_name(name) != "score" or name in sample.expected or not is_plain:
        return None
    values = _values(sample, guess, name)
    if sample.kind == "judgments":
        refused = _unfit(
            "these are scores of a run, not ratings",
            "import them as results of a ranker (import run). If they are ratings, say which column is which "
            "(--column grade=%(name)s on the command line)",
            name=name,
        )
        is_other = _are_scores(values)
        guess = replace(guess, hint=_hint_of_scores(values))
    else:
        refused = _unfit(
            "these are ratings as BEIR has them, in whole numbers, not a run",
            "import them as ratings (import qrels). If they are scores, name the format (--format %(name)s "
            "on the command line)",
            name=guess.format,
        )
        is_named = "corpus" in found.get("doc_id", "").casefold() and "tag" not in found
        is_other = is_named and bool(values) and set(values) <= _FEW
    return replace(guess, reason=refused.reason, refusal=refused.refusal) if is_other else guess


def _of_asked_ids(sample: Sample, guess: Guess) -> Guess | None:
    """Return what to do with results or ratings that are offered as questions, and name them by their ids.

    A column `query` may hold texts, also beside a position: its values tell.
    """
    if guess.format not in {"csv", "tsv", "jsonl", "json"} or sample.kind != "queries":
        return None
    try:
        found = matched_fields(guess.columns, "queries", exact=False)
    except BadValueError:
        return None
    name, plain = found.get("text", ""), {plain_name(column) for column in guess.columns}
    is_text = plain_name(name) not in NAMES["run"]["query"] or name in sample.expected
    if is_text or "query_id" in found or len(plain) < 3:
        return None
    values = _values(sample, guess, name)
    other = next((told for names, *told in _NAMING_IDS if not plain.isdisjoint(names)), None)
    if other is None or not values or not all(map(_ID.fullmatch, values)):
        return None
    refused = _unfit(*other, name=name)
    return replace(guess, reason=refused.reason, refusal=refused.refusal)


# Columns of results and of ratings; what is said of them where they are offered as questions, and the remedy.
_NAMING_IDS = (
    (
        {*NAMES["run"]["rank"], *NAMES["run"]["score"]},
        message("“%(name)s” holds ids, not texts, so these look like results of a ranker"),
        message(
            "import them as results of a ranker (import run). If they are texts, say which column is which "
            "(--column text=%(name)s on the command line)"
        ),
    ),
    (
        {*NAMES["judgments"]["grade"]},
        message("“%(name)s” holds ids, not texts, so these look like ratings"),
        message(
            "import them as ratings (import judgments). If they are texts, say which column is which "
            "(--column text=%(name)s on the command line)"
        ),
    ),
)


def _values(sample: Sample, guess: Guess, name: str) -> list[str]:
    """Return the first values of a column, as far as they are there."""
    if guess.format == "json":
        rows = _first_objects("\n".join(sample.lines))
    elif guess.format == "jsonl":
        rows = [_object(line) for line in sample.lines]
    else:
        lines = sample.lines[int(guess.has_header) :]
        mark = guess.delimiter or ","
        rows = [dict(zip(guess.columns, _cells(line, mark), strict=False)) for line in lines]
    values = (row.get(name) for row in rows)
    return [str(value).strip().replace(",", ".") for value in values if value not in {None, ""}]


def _parsed(line: str) -> Any:
    refuse_deep(line)
    return json.loads(line)


def _object(line: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        value = _parsed(line)
        return _plain(value) if isinstance(value, dict) else {}
    return {}


def _first_objects(text: str) -> list[dict[str, Any]]:
    """Return the objects at the beginning of an array that may be cut off."""
    found: list[dict[str, Any]] = []
    at = text.find("{")
    with suppress(ValueError, RecursionError):
        refuse_deep(text)
        while at >= 0 and len(found) < SAMPLE_LINES:
            value, end = json.JSONDecoder().raw_decode(text, at)
            found.append(_plain(value))
            at = text.find("{", end)
    return found


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if not isinstance(each, (dict, list))}


def _is_fraction(value: str) -> bool:
    return not _number(value).is_integer()


def _is_high(value: str) -> bool:
    return _number(value) > HIGHEST_RATING


def _number(value: str) -> float:
    """Return a number, 0 where a text is none."""
    with suppress(ValueError):
        return float(value) if _NUMBER.fullmatch(value) else 0.0
    return 0.0


def _pairs(sample: Sample) -> Guess:
    value = message("score") if sample.kind == "run" else message("grade")
    reason = message(
        "Looks like one JSON object that has the documents of each query, each with its %(value)s.",
        value=value,
    )
    return Guess("json-pairs", reason)


def _array(sample: Sample) -> Guess:
    columns: tuple[str, ...] = ()
    text = "\n".join(sample.lines).lstrip().removeprefix("[").lstrip()
    with suppress(ValueError, RecursionError):
        refuse_deep(text)
        first, _ = json.JSONDecoder().raw_decode(text)
        if isinstance(first, list):
            return _unfit(
                "this is a JSON array of rows without names of columns",
                "write it as an array of objects, in pandas with orient='records'",
            )
        columns = tuple(first)[:MOST_COLUMNS] if isinstance(first, dict) else ()
    return Guess("json", "Looks like one JSON array of objects.", columns)


def _trec(sample: Sample) -> Guess:
    wanted, total, fitting = TREC_COLUMNS[sample.kind], len(sample.lines), _trec_lines(sample)
    run = sample.kind == "run"
    what = message("TREC run") if run else message("TREC qrels file")
    reason = message(
        "Looks like a %(what)s: %(n)s columns on %(num)s of the first %(of)s lines.",
        what=what,
        n=wanted,
        num=fitting,
        of=total,
    )
    if fitting == total:
        reason = message(
            "Looks like a %(what)s: %(n)s columns on each of the first %(of)s lines.",
            what=what,
            n=wanted,
            of=total,
        )
    if not fitting:
        reason = message(
            "Neither a line of column names nor the %(n)s columns of a %(what)s were found.",
            n=wanted,
            what=what,
        )
    run_names = ("query", "Q0", "document", "rank", "score", "tag")
    return Guess("trec", reason, run_names if run else ("query", "iteration", "document", "grade"))


def trec_kind(lines: Sequence[str]) -> Kind | None:
    """Return of which kind the lines of a TREC file are, None where they are of none."""
    cells = [line.split() for line in lines]
    for kind, at in TREC_NUMBERS.items():
        if cells and all(len(each) == TREC_COLUMNS[kind] and _NUMBER.fullmatch(each[at]) for each in cells):
            return kind
    return None


def are_measured(lines: Sequence[str]) -> bool:
    """Return whether lines are what trec_eval prints: measure, question or "all", value."""
    cells = [line.split() for line in lines]
    return all(len(each) == 3 and _MEASURE.fullmatch(each[0]) for each in cells)


def are_predictions(lines: Sequence[str]) -> bool:
    """Return whether lines are what IBM Retrieve and Rank predicts: question, answer, score, confidence."""
    if are_measured(lines):
        return False
    cells = [line.split() for line in lines]
    if len(cells) > 1 and cells[0][2:] and not _NUMBER.fullmatch(cells[0][2]):
        cells = cells[1:]  # their names
    return (
        all(len(each) in {3, 4} and all(map(_NUMBER.fullmatch, each[2:])) for each in cells)
        # Third in qrels is the document, behind a number that is always the same.
        and any("." in each[2] for each in cells)
        and not all(each[1] in {"0", "Q0"} for each in cells)
    )


def _other_trec(sample: Sample) -> Guess | None:
    """Return what to do with a run, with ratings or with predictions that are offered as another kind."""
    kind, lines = sample.kind, sample.lines
    if are_predictions(lines):
        what = message("predictions of IBM Retrieve and Rank: question, answer and score")
        return (
            Guess("predictions", message("Looks like %(what)s.", what=what))
            if kind == "run"
            else _unfit(
                "these are predictions of IBM Retrieve and Rank: question, answer and score",
                "import them as results of a ranker (import run)",
            )
        )
    if kind not in TREC_COLUMNS:
        found = trec_kind(lines)
        what = message("a TREC run") if found == "run" else message("a file of ratings (TREC qrels)")
        return _elsewhere([found], what, kind) if found else None
    other: Kind = "judgments" if kind == "run" else "run"
    if _trec_lines(sample) or _trec_lines(replace(sample, kind=other)) < len(lines):
        return None
    if other == "judgments" and all(each[1] == "Q0" and "." in each[3] for each in map(str.split, lines)):
        return None  # results without ranks and a name
    if other == "judgments":
        return _unfit(
            "this is a file of ratings (TREC qrels), not a run", "import it as ratings (import qrels)"
        )
    return _unfit(
        "this is a TREC run, not a file of ratings", "import it as results of a ranker (import run)"
    )


def _trec_lines(sample: Sample) -> int:
    return sum(len(line.split()) == TREC_COLUMNS[sample.kind] for line in sample.lines)


def _table(sample: Sample, mark: str, format: Format | None = None) -> Guess:
    name = format or _DELIMITERS[mark]
    cells = _cells(sample.lines[0], mark)
    unnamed = _unnamed(sample, cells) if name == "tsv" and not _has_header(sample, mark) else ()
    has_header = not unnamed
    columns = unnamed or tuple(cell.strip() for cell in cells[:MOST_COLUMNS])
    looks = {"name": name.upper(), "n": _counted(len(cells)), "what": _MARK_NAMES[mark]}
    reason = message(
        "Looks like %(name)s: %(n)s columns separated by %(what)s, names in the first line.", **looks
    )
    if unnamed:
        *first, last = [each.removeprefix("query_") for each in unnamed if each in NAMES[sample.kind]]
        reason = message(
            "Looks like %(name)s: %(n)s columns separated by %(what)s, no names, so they are read as "
            "%(names)s.",
            names=message("%(first)s and %(last)s", first=first, last=last),
            **looks,
        )
    if sample.kind == "run" and is_in_order(columns):
        reason = together(reason, message("The order of the lines is the order of the results."))
    if has_header and not columns[0] and len(columns) > 1:
        reason = together(reason, message("The first column has no name and is left out."))
    if name == "tsv":
        reason = together(reason, message("Quotation marks are part of the text."))
    return Guess(name, reason, columns, mark, has_header)


def _counted(number: int) -> object:
    """Return how many columns there are: of a wide file only the beginning of a line was read."""
    return number if number <= MOST_COLUMNS else message("more than %(n)s", n=MOST_COLUMNS)


def _unnamed(sample: Sample, cells: list[str]) -> tuple[str, ...]:
    """Return what the columns of a table without names are, nothing where that is not known."""
    kind, width = sample.kind, len(cells)
    below = [line.split("\t", 1)[0].strip() for line in sample.lines[1:]]
    if len(below) > 1 and not _ID.fullmatch(cells[0].strip()) and all(map(_ID.fullmatch, below)):
        return ()  # the first line is no id, but the name of the ids below it
    if width == len(_OF_PAGES) and "://" in cells[1]:
        return _OF_PAGES if kind == "documents" else ()
    if kind == "run" and not _is_unnamed_run(sample, cells):
        return ()
    columns, ids = _UNNAMED.get((kind, width), ((), ()))
    if all(cells[at].strip().isdigit() for at in ids):
        return columns
    rows = [cells for cells in (line.split("\t") for line in sample.lines) if len(cells) == width]
    return columns if all(_ID.fullmatch(row[at].strip()) for row in rows for at in ids) else ()


def _is_unnamed_run(sample: Sample, cells: list[str]) -> bool:
    """Return whether lines end with ranks, or with texts of questions and passages."""
    if len(cells) != len(_OF_PAGES):
        return cells[-1].strip().isdigit()
    rows = [line.split("\t") for line in sample.lines]
    return not all(row[1] in {"0", "Q0"} for row in rows if row[1:]) and not all(
        _NUMBER.fullmatch(row[-1].strip()) for row in rows
    )


def _has_header(sample: Sample, mark: str) -> bool:
    cells = _cells(sample.lines[0], mark)[:MOST_COLUMNS]
    known = [is_known(cell, sample.kind) or cell in sample.expected for cell in cells]
    return len(cells) > 1 and (known[0] or sum(known) > 1)


def _begins_with_values(sample: Sample, mark: str) -> bool:
    """Return whether the first line begins as all others do, with an id: as names it would be lost."""
    first, *below = (
        _DIGITS.sub("0", cells[0].strip())
        for cells in (_cells(line, mark) for line in sample.lines if line.strip())
        if cells
    )
    return "0" in first and " " not in first and bool(below) and all(one == first for one in below)


def _cells(line: str, mark: str) -> list[str]:
    if mark == "\t":
        return line.split(mark)
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return line.split(mark)


_BY_FORMAT: dict[Format, Callable[[Sample], Guess]] = {
    "trec": _trec,
    "jsonl": _jsonl,
    "json": _array,
    "json-pairs": _pairs,
}

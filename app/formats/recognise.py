"""Of which kind a file is, guessed from its beginning: queries, documents, a run, or ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import get_args

from app.formats.archives import Head, heads_in
from app.formats.errors import BadValueError, ProblemLog
from app.formats.inflate import CHOOSE
from app.formats.schema import NAMES, REQUIRED, Kind, TextFormat, matched_fields, plain_name
from app.formats.sniff import SAMPLE_BYTES, Guess, are_predictions, guess_of, trec_kind
from app.formats.source import Plain, Source, Stream
from app.formats.tool_files import shape_of

# Where a file fits several, the first of these is meant.
ORDER: tuple[Kind, ...] = ("judgments", "run", "documents", "queries")
_NAMES: dict[Kind, str] = {
    "judgments": "qrel|judg|rating|grade",
    "run": r"run|result|ranking|score",
    "documents": "doc|answer|corpus|passage|collection|antwort|artikel|dokument",
    "queries": "quer|question|topic|frage",
}
LINES = 50
MOST_PORTIONS = 20
# Each of their files holds what was found for one query.
_OF_ONE_QUERY = {"search", "solr"}
# What they hold is known without names of columns.
_KNOWN_BY_SHAPE = set(get_args(TextFormat))


def is_opaque(path: Path) -> bool:
    """Return whether a file is an archive, or a workbook or a table in one: opening it takes long."""
    with path.open("rb") as file:
        return file.read(4) in {b"PK\x03\x04", b"PAR1"}


@dataclass(frozen=True, slots=True)
class Portion:
    """What belongs together in a file: the names of its members, all if empty, and of which kind they are.

    `size` is how many bytes of the file they take, 0 where nothing tells.
    """

    members: tuple[str, ...]
    kind: Kind | None
    size: int = 0


def portions_of(stream: Plain, name: str) -> list[Portion]:
    """Return what a file holds: several portions for an archive, or a workbook, of several kinds.

    Files of one kind and one ending belong together, but each run is one by itself.

    :raise BadValueError: It is an archive that cannot be opened.
    """
    heads = heads_in(stream)
    together: dict[tuple[Kind | None, str], list[Head]] = {}
    for head in heads:
        kind = kind_of(head.text, head.name if len(heads) > 1 else f"{name} {head.name}")
        ending = head.name if _is_alone(head, kind) else PurePath(head.name).suffix.casefold()
        together.setdefault((kind, ending), []).append(head)
    if not 1 < len(together) <= MOST_PORTIONS:
        kinds = {kind for kind, _ in together}
        return [Portion((), kinds.pop() if len(kinds) == 1 else kind_of(stream, name))]
    return [
        Portion(tuple(head.name for head in heads), kind, sum(head.size for head in heads))
        for (kind, _), heads in together.items()
    ]


def members_for(stream: Plain, name: str, kind: Kind) -> tuple[str, ...]:
    """Return which members of a file of several kinds are of this kind; none where all are meant.

    :raise BadValueError: It is an archive that cannot be opened, or holds several such files that do not
        belong together.
    """
    portions = portions_of(stream, name)
    fitting = [portion.members for portion in portions if portion.kind == kind]
    if len(portions) == 1 or not fitting:
        return ()
    if len(fitting) > 1:
        names = ", ".join(members[0] for members in fitting)
        raise BadValueError("archive", names, "this holds %(n)s files of this kind", CHOOSE, n=len(fitting))
    return fitting[0]


def _is_alone(head: Head, kind: Kind | None) -> bool:
    if kind != "run":
        return kind is None or head.is_sheet
    shape = shape_of(head.text[:SAMPLE_BYTES].decode("utf-8", "replace"))
    return shape is None or shape.format not in _OF_ONE_QUERY


def kind_of(stream: Stream, name: str) -> Kind | None:
    """Return of which kind a file is; None where nothing tells.

    Its columns tell first, and its name where they leave a choice.
    """
    source = Source(stream, name, ProblemLog())
    if source.has_problems:
        return None
    text = source.head[:SAMPLE_BYTES].decode("utf-8", "replace")
    found = _of_tool(text) or _of_trec(text) or [kind for kind in ORDER if _fits(source, kind)]
    named = [kind for kind in found if is_named(name, kind)]
    return next(iter(named or found), None)


def is_named(name: str, kind: Kind) -> bool:
    """Return whether the name of a file says that it is of this kind."""
    return bool(re.search(_NAMES[kind], name.casefold()))


def _of_tool(text: str) -> list[Kind]:
    shape = shape_of(text) if text.lstrip()[:1] in {"{", "["} else None
    return [kind for kind in ORDER if shape is not None and kind in shape.kinds]


def _of_trec(text: str) -> list[Kind]:
    # The last line may have been cut.
    lines = text.rstrip("\n").split("\n")[:LINES]
    lines = [line for line in (lines[:-1] or lines) if line.strip()]
    found: Kind | None = "run" if lines and are_predictions(lines) else trec_kind(lines)
    return [] if found is None else [found]


def _fits(source: Source, kind: Kind) -> bool:
    guess = guess_of(source, kind)
    if guess.format in {None, "trec", "json-pairs"} or guess.refusal is not None:
        return guess.format == "json-pairs"
    if guess.format in _KNOWN_BY_SHAPE:
        return True
    try:
        fields = matched_fields(guess.columns, kind, exact=False)
    except BadValueError:
        return False
    if kind == "queries" and "query_id" not in fields:
        # Texts of questions alone; beside answers they are part of ratings or results.
        others = matched_fields(guess.columns, "run", exact=False)
        return plain_name(fields.get("text", "")) in NAMES["run"]["query"] and "doc_id" not in others
    is_certain = _certainty(guess, kind, fields, source.head)
    if is_certain is not None:
        return is_certain or is_named(source.name, kind)
    return all(any(ours in fields for ours in choices) for choices in REQUIRED[kind])


def _certainty(guess: Guess, kind: Kind, fields: dict[str, str], head: bytes) -> bool | None:
    """Return whether doubtful columns tell what they are without the name of the file, None for others."""
    if kind == "judgments" and fields.get("grade", "").casefold() == "score":
        # A run has that, too; only BEIR's ratings name a corpus.
        return "corpus" in fields.get("doc_id", "").casefold()
    if kind == "documents" and not fields.keys() & {"title", "url", "source"}:
        # An id and a text are a question as well as an answer, unless the id is named.
        is_named = guess.has_header or guess.delimiter is None or head.split(b"\t", 1)[0].isdigit()
        return is_named and "doc" in fields.get("doc_id", "").casefold()
    return None

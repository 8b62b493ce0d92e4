"""TREC's topics and documents in SGML or XML: `<top>`, `<topic number=...>` and `<DOC>`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.rows import Record
from app.formats.schema import Kind
from app.formats.source import Source
from app.sentences import message

LARGEST = 4_000_000
_BEGINS = {
    "queries": re.compile(r"<top(?:ic)?(?:\s[^<>]*)?>", re.IGNORECASE),
    "documents": re.compile(r"<doc(?:\s[^<>]*)?>", re.IGNORECASE),
}
_ENDS = {
    "queries": re.compile(r"</top(?:ic)?>", re.IGNORECASE),
    "documents": re.compile(r"</doc>", re.IGNORECASE),
}
# Older topics do not close their parts: each ends where the next begins.
_PART = re.compile(r"<([a-z][\w.-]*)[^<>]*>([^<]*)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][\w.-]*)[^<>]*>", re.IGNORECASE)
MOST_OPEN = 20
"""Tags that a document may leave open, as old ones do."""
_NUMBER = re.compile(r"number\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
# Topics repeat the name of a part in its text.
_LABEL = re.compile(r"\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)
_TITLES = ("title", "headline", "head", "hl")


def looks_like(head: str, kind: Kind) -> bool:
    """Return whether a file begins as one of these."""
    return kind in _BEGINS and head.lstrip().startswith("<") and bool(_BEGINS[kind].search(head))


def sgml_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield the topics or the documents of a file; problems go to the log."""
    read = _topic if kind == "queries" else _document
    for line, block in _blocks(source, kind):
        yield line, *read(block)


def _blocks(source: Source, kind: Kind) -> Iterator[tuple[int, str]]:
    """Yield (first line, text) of everything between a begin and its end."""
    first, kept, size = 0, list[str](), 0
    for line, text in source.lines():
        if not first:
            if not _BEGINS[kind].search(text):
                continue
            first, kept, size = line, [], 0
        kept.append(text)
        size += len(text)
        if size > LARGEST:
            break
        if _ENDS[kind].search(text):
            yield first, "".join(kept)
            first = 0
    if first:
        reason = (
            message("what begins here is never closed")
            if size <= LARGEST
            else message("what begins here is longer than 4 MB")
        )
        source.refuse(BadValueError("sgml", kept[0].strip(), reason, "Close it with its tag."), first)


def _topic(block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = _parts(block)
    number = _NUMBER.search(block)
    text = next((parts[name] for name in ("title", "query", "question") if parts.get(name)), "")
    told = [parts[name] for name in ("question", "desc", "narr", "narrative") if name in parts]
    fields = {"query_id": parts.get("num") or (number[1] if number else ""), "text": text}
    if told:
        fields["intent"] = "\n\n".join(part for part in told if part not in {"", text})
    return fields, {}


def _document(block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    begin = _BEGINS["documents"].search(block)
    text, parts = block[begin.end() if begin else 0 :], dict[str, str]()
    for name, part in _closed(text):
        parts[name] = f"{parts[name]}\n\n{_plain(part)}" if name in parts else _plain(part)
    fields = {"doc_id": parts.pop("docno", "")}
    if title := next((name for name in _TITLES if name in parts), ""):
        fields["title"] = parts.pop(title)
    if "text" in parts:
        fields["text"] = parts.pop("text")
    return fields, {name: text for name, text in parts.items() if text}


def _closed(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, what is inside) of every outer tag that is closed."""
    at, name, start, never_closed = 0, "", 0, set[str]()
    while len(never_closed) <= MOST_OPEN:
        for match in _TAG.finditer(text, at):
            tag = match[2].casefold()
            if not name and not match[1] and tag not in never_closed:
                name, start = tag, match.end()
            elif match[1] and tag == name:
                yield name, text[start : match.start()]
                name, at = "", match.end()
        if not name:
            return
        # What stands behind a tag that is never closed is looked at again without it.
        never_closed.add(name)
        name = ""


def _parts(block: str) -> dict[str, str]:
    return {name.casefold(): _plain(_without_label(text)) for name, text in _PART.findall(block)}


def _without_label(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.end() :] if label else text


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub(" ", text)).strip()

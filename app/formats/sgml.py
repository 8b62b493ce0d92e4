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

LARGEST = 4_000_000
_BEGINS = {
    "queries": re.compile(r"<top(?:ic)?(?:\s[^>]*)?>", re.IGNORECASE),
    "documents": re.compile(r"<doc(?:\s[^>]*)?>", re.IGNORECASE),
}
_ENDS = {
    "queries": re.compile(r"</top(?:ic)?>", re.IGNORECASE),
    "documents": re.compile(r"</doc>", re.IGNORECASE),
}
# Older topics do not close their parts: each ends where the next begins.
_PART = re.compile(r"<([a-z][\w.-]*)[^>]*>([^<]*)", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"number\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
# Topics repeat the name of a part in its text.
_LABEL = re.compile(r"(?:number|topic|description|narrative)\s*:", re.IGNORECASE)
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
        reason = f"what begins here is {'never closed' if size <= LARGEST else 'longer than 4 MB'}"
        source.refuse(BadValueError("sgml", kept[0].strip(), reason, "Close it with its tag."), first)


def _topic(block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = _parts(block)
    number = _NUMBER.search(block)
    text = next((parts[name] for name in ("title", "query", "question") if parts.get(name)), "")
    intent = "\n\n".join(
        parts[name]
        for name in ("question", "desc", "narr", "narrative")
        if parts.get(name) not in {None, "", text}
    )
    return {"query_id": parts.get("num") or (number[1] if number else ""), "text": text, "intent": intent}, {}


def _document(block: str) -> tuple[dict[str, Any], dict[str, Any]]:
    parts: dict[str, str] = {}
    for match in re.finditer(r"<([a-z][\w.-]*)[^>]*>(.*?)</\1>", _inside(block), re.IGNORECASE | re.DOTALL):
        name, text = match[1].casefold(), _plain(match[2])
        parts[name] = f"{parts[name]}\n\n{text}" if name in parts else text
    title = next((parts.pop(name) for name in _TITLES if name in parts), "")
    fields = {"doc_id": parts.pop("docno", ""), "title": title, "text": parts.pop("text", "")}
    return fields, {name: text for name, text in parts.items() if text}


def _inside(block: str) -> str:
    begin = _BEGINS["documents"].search(block)
    return block[begin.end() if begin else 0 :]


def _parts(block: str) -> dict[str, str]:
    return {name.casefold(): _plain(_LABEL.sub("", text, count=1)) for name, text in _PART.findall(block)}


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub(" ", text)).strip()

"""A crawler: follows every link and submits every form that a person can reach, and keeps what came back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

ADDRESSES = {"href", "src", "action", "poster", "data", "formaction", "srcset"}


@dataclass
class Form:
    """A form as a browser without scripts would send it: one of its buttons, and every field's value."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def sendings(self) -> list[dict[str, list[str]]]:
        """Return what each of its buttons would send."""
        found = []
        for button in self.buttons or [("", "")]:
            sent: dict[str, list[str]] = {}
            for name, value in [*self.fields, button]:
                if name:
                    sent.setdefault(name, []).append(value)
            found.append(sent)
        return found


class Page(HTMLParser):
    """The addresses and forms of one page; attributes that hold an address of ours count as links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what leads somewhere, and the fields of the form that is open."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("action", ""), given.get("method", "get").lower()))
            if self.forms[-1].method == "post":
                return
        for name, value in given.items():
            if name in ADDRESSES or (name.startswith("data-") and value.startswith("/")):
                self.links.append(value)
        if self.forms:
            self._take_field(tag, given)

    def _take_field(self, tag: str, given: dict[str, str]) -> None:
        form, name, value = self.forms[-1], given.get("name", ""), given.get("value", "")
        if tag == "button" or (tag == "input" and given.get("type") == "submit"):
            form.buttons.append((name, value))
        elif tag == "textarea" or (tag == "input" and given.get("type") not in {"radio", "checkbox"}):
            form.fields.append((name, value))
        elif tag == "input":
            # The last of several choices: the first one is often "nothing".
            form.fields = [pair for pair in form.fields if pair[0] != name]
            form.fields.append((name, value or "on"))


@dataclass
class Answer:
    """What came back for one request, whole: status, headers and body."""

    asked: str
    status: int
    everything: bytes

    @classmethod
    def of(cls, asked: str, reply: TestResponse) -> Answer:
        """Return an answer with its headers in front, as they go over the wire."""
        headers = "".join(f"{name}: {value}\n" for name, value in reply.headers)
        return cls(asked, reply.status_code, headers.encode() + reply.data)


class Crawler:
    """Walks through the site as one person."""

    def __init__(self, client: FlaskClient, *, shunned: tuple[str, ...] = ()) -> None:
        self.client = client
        self.answers: list[Answer] = []
        self._shunned = shunned
        self._seen: set[tuple[Any, ...]] = set()
        self._waiting: deque[tuple[str, str, dict[str, list[str]]]] = deque()

    def crawl(self, *starts: str, most: int | None = None) -> list[Answer]:
        """Return every answer that can be reached from some addresses, or the nearest ones."""
        for start in starts:
            self._plan("get", start, {})
        while self._waiting and (most is None or len(self.answers) < most):
            self._visit(*self._waiting.popleft())
        return self.answers

    def _plan(self, method: str, address: str, sent: dict[str, list[str]]) -> None:
        address = urldefrag(address).url
        changing = {"csrf_token", "id", "base"}  # new on every page, or from page to page
        same = tuple(sorted((name, *values) for name, values in sent.items() if name not in changing))
        key = (method, address, same)
        if urlsplit(address).netloc not in {"", "localhost"} or key in self._seen:
            return
        if any(word in address for word in self._shunned):
            return
        self._seen.add(key)
        self._waiting.append((method, address, sent))

    def _visit(self, method: str, address: str, sent: dict[str, list[str]]) -> None:
        if method == "get" and sent:
            # A form that asks replaces whatever the address asked for.
            address, sent = f"{address.partition('?')[0]}?{urlencode(sent, doseq=True)}", {}
        body = {"data": sent} if method == "post" else {}
        reply = self.client.open(address, method=method.upper(), buffered=True, **body)
        self.answers.append(Answer.of(f"{method} {address} {sorted(sent)}", reply))
        if reply.location:
            self._plan("get", urljoin(address, reply.location), {})
        if reply.mimetype != "text/html":
            return
        page = Page(reply.text)
        for link in page.links:
            self._plan("get", urljoin(address, link), {})
        for form in page.forms:
            for sending in form.sendings():
                self._plan(form.method, urljoin(address, form.action or address), sending)

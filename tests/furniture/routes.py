"""Every route of the site, who may use it, and a request that does what it is for.

This is the second, independent word on who may use what: a route without a row here fails a test.
"""

from __future__ import annotations

import io
import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import create_app
from app.formats.samples import SAMPLES
from app.http.assets import current_build
from app.models import Base
from config import Settings

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.routing import Rule
    from werkzeug.test import TestResponse

    from app.database import Database

UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
NOON = "2026-03-01T12:00:00Z"
TOKEN = "no-such-token-no-such-token-no-such-token-0"
SETTINGS = {
    "k": "5",
    "gain": "linear",
    "discount": "log2",
    "threshold": "1",
    "consensus": "median",
    "unjudged": "open",
    "depth": "10",
    "overlap": "9",
}
NEW_PROJECT = {
    "name": "One more",
    "scale": "0-3",
    "k": "10",
    "gain": "linear",
    "discount": "log2",
    "overlap": "1",
}


@dataclass
class Row:
    """Who may use a route, in the words of `Access`, and what its unsafe requests carry."""

    access: str
    data: dict[str, Any] | None = None
    json: dict[str, Any] | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    query: str = ""

    def body(self) -> dict[str, Any]:
        """Return a new body: ids made by a device, and open files, are used once."""
        if self.json is not None:
            return {"json": {name: _fresh(value) for name, value in self.json.items()}}
        return {"data": {name: _fresh(value) for name, value in (self.data or {}).items()}}


def _fresh(value: Any) -> Any:
    return value() if callable(value) else value


def new_id() -> str:
    return str(uuid.uuid4())


def new_file() -> tuple[io.BytesIO, str]:
    return io.BytesIO(b"query_id,text\nnew-3,Where is the lamp?\n"), "questions.csv"


def new_picture() -> tuple[io.BytesIO, str]:
    return io.BytesIO(PICTURE), "mug.gif"


def new_run() -> tuple[io.BytesIO, str]:
    return io.BytesIO(b"query_id,doc_id,rank\nKanarienvogel-q0,Kanarienvogel-1-d0,1\n"), "new.csv"


def new_documents() -> tuple[io.BytesIO, str]:
    return io.BytesIO(b"doc_id,title,text\nnew-1,A lamp,It is there.\n"), "answers.csv"


def new_judgments() -> tuple[io.BytesIO, str]:
    return io.BytesIO(b"Kanarienvogel-q0 0 Kanarienvogel-1-d0 2\n"), "qrels.txt"


def new_slug() -> str:
    return f"new-{uuid.uuid4().hex[:8]}"


RATING = {"id": new_id, "grade": 2, "at": NOON, "input": "key"}
# A GIF of one pixel.
PICTURE = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
STEP = {"id": new_id, "at": NOON, "input": "key"}
PASSWORDS = {"password": "a long enough one", "again": "a long enough one"}
ROWS: dict[str, Row] = {
    # Everybody.
    "auth.sign_in": Row("PUBLIC", {"email": "ada@example.org", "password": "wrong"}),
    "auth.sign_out": Row("PUBLIC", {}),
    "auth.switch_language": Row("PUBLIC", {"language": "de", "next": "/help"}),
    "auth.switch_theme": Row("PUBLIC", {"theme": "dark", "next": "/help"}),
    "auth.organisation": Row("PUBLIC"),
    "auth.organisation_back": Row("PUBLIC"),
    "auth.proxy": Row("PUBLIC", {"next": "/help"}),
    "auth.set_up": Row(
        "PUBLIC", {"name": "Eve", "email": "eve@example.org", **PASSWORDS}, parts={"token": TOKEN}
    ),
    "auth.invitation": Row(
        "PUBLIC", {"name": "Eve", "email": "eve@example.org", **PASSWORDS}, parts={"token": TOKEN}
    ),
    "auth.reset": Row("PUBLIC", PASSWORDS, parts={"token": TOKEN}),
    "favicon": Row("PUBLIC"),
    "healthz": Row("PUBLIC"),
    "readyz": Row("PUBLIC"),
    "help.api": Row("PUBLIC"),
    "help.index": Row("SIGNED_IN"),
    "help.measures": Row("SIGNED_IN"),
    "help.scores": Row("SIGNED_IN"),
    "dashboard.shared": Row("PUBLIC", parts={"token": TOKEN}),
    "dashboard.shared_report": Row("PUBLIC", parts={"token": TOKEN}),
    "static": Row("PUBLIC", parts={"build": current_build(), "name": "css/base.css"}),
    # Everybody who is signed in.
    "api_description.get_client": Row("PUBLIC"),
    "api_description.get_description": Row("PUBLIC"),
    "api_session.get_session": Row("SIGNED_IN"),
    "api_session.patch_preferences": Row("SIGNED_IN", json={"keys": False}),
    "auth.account": Row("SIGNED_IN", {"name": "Another Name", "keys": "y"}),
    "auth.password": Row("SIGNED_IN", {"present": "wrong", **PASSWORDS}),
    "auth.sign_out_everywhere": Row("SIGNED_IN", {}),
    "auth.tokens": Row("SIGNED_IN", {"name": "Weekly run", "project": "", "scopes": "scores", "days": "30"}),
    "auth.revoke_one_token": Row("SIGNED_IN", {}),
    "auth.devices": Row("SIGNED_IN"),
    "auth.sign_out_device": Row("SIGNED_IN", {}),
    "auth.confirm": Row("SIGNED_IN", {"earlier": "wrong", **PASSWORDS}),
    "projects.home": Row("SIGNED_IN"),
    "api_projects.get_projects": Row("SIGNED_IN"),
    "api_projects.post_project": Row("MAKE", json={"slug": new_slug, "name": "One more", "scale": "0-3"}),
    "projects.new": Row("MAKE", NEW_PROJECT),
    # Everybody with a role; annotators are sent on to rating.
    "dashboard.overview": Row("MEMBER"),
    "projects.picture": Row("MEMBER"),
    # Those who rate.
    "api_batches.get_left": Row("RATE"),
    "api_batches.post_ahead": Row("RATE", json={"after": 0}),
    "api_batches.put_declined": Row("RATE", json={"reason": "expertise"}),
    "api_batches.put_flag": Row("RATE", json={"flagged": True}),
    "api_batches.put_no_good_answer": Row("RATE", json=STEP),
    "api_batches.put_state": Row("RATE", json={"state": "parked"}),
    "api_judgments.put_flag": Row("RATE", json={"flagged": True}),
    "api_judgments.put_judgment": Row("RATE", json=RATING),
    "api_judgments.put_note": Row("RATE", json={"text": "It helps."}),
    "review.seen": Row("RATE", {}),
    "judging.batch": Row("RATE"),
    "judging.decline": Row("RATE", {"reason": "expertise"}),
    "judging.done": Row("RATE"),
    "judging.flag": Row("RATE", {"flagged": "y"}),
    "judging.flag_question": Row("RATE", {"flagged": "y"}),
    "judging.guidelines": Row("RATE"),
    "judging.introduced": Row("RATE", {}),
    "judging.introduction": Row("RATE", {"grade-A": "2"}),
    "judging.later": Row("RATE", {}),
    "judging.next_question": Row("RATE", {}),
    "judging.no_good_answer": Row("RATE", {"id": new_id}),
    "judging.note": Row("RATE", {"text": "It helps."}),
    "judging.rate": Row("RATE"),
    "judging.ratings": Row("RATE"),
    "judging.take": Row("RATE", {}),
    "judging.undo": Row("RATE", {}),
    "judging.save": Row("RATE", {"id": new_id, "grade": "2", "place": "1", "of": "4"}),
    # Those who adjudicate.
    "review.index": Row("ADJUDICATE"),
    "review.note": Row("ADJUDICATE", {"text": "Both are half right."}),
    "review.question": Row("ADJUDICATE"),
    "review.reopen": Row("ADJUDICATE", {}),
    "review.save": Row("ADJUDICATE", {"id": new_id, "grade": "2", "place": "1", "of": "4"}),
    "review.show": Row("ADJUDICATE", {}),
    "api_adjudications.put_adjudication": Row("ADJUDICATE", json=RATING),
    "api_adjudications.put_note": Row("ADJUDICATE", json={"text": "Both are half right."}),
    # Those who see scores.
    "api_scores.get_scores": Row("READ"),
    "api_scores.get_comparison": Row("READ", query="first=production&second=Kanarienvogel+Forward"),
    "api_scores.get_comparisons": Row("READ"),
    "api_scores.get_gate": Row("READ", query="version=Kanarienvogel+Forward"),
    "api_scores.get_history": Row("READ"),
    "api_contents.get_documents": Row("READ"),
    "api_contents.get_events": Row("READ"),
    "api_contents.get_judgments": Row("READ"),
    "api_contents.get_pool": Row("READ"),
    "api_contents.get_project": Row("READ"),
    "api_contents.get_qrels": Row("READ"),
    "api_contents.get_queries": Row("READ"),
    "api_contents.get_rankers": Row("READ"),
    "api_contents.get_run_file": Row("READ"),
    "api_exports.get_export": Row("READ", parts={"name": "qrels"}),
    "api_contents.get_runs": Row("READ"),
    "compare.changes": Row("READ"),
    "compare.index": Row("READ"),
    "dashboard.export_file": Row("READ", {"middle": "lower"}, parts={"what": "qrels"}),
    "dashboard.exports": Row("READ"),
    "dashboard.history_csv": Row("READ"),
    "dashboard.history_svg": Row("READ"),
    "dashboard.part": Row("READ"),
    "dashboard.report": Row("READ"),
    "next_answers.index": Row("READ"),
    "quality.index": Row("READ"),
    "quality.listed": Row("READ", parts={"what": "one-level"}),
    "quality.pool": Row("READ"),
    "queries.download": Row("READ"),
    "queries.index": Row("READ"),
    "queries.show": Row("READ"),
    # Owners.
    "api_projects.patch_project": Row("OWN", json={"name": "Another name"}),
    "api_contents.post_documents": Row("OWN", {"file": new_documents}),
    "api_contents.post_judgments": Row("OWN", {"file": new_judgments}),
    "api_contents.post_queries": Row("OWN", {"file": new_file}),
    "api_jobs.get_job": Row("OWN"),
    "api_jobs.delete_job": Row("OWN", {}),
    "api_jobs.get_jobs": Row("OWN"),
    "api_webhooks.delete_one_webhook": Row("OWN", {}),
    "api_webhooks.get_deliveries": Row("OWN"),
    "api_webhooks.get_webhooks": Row("OWN"),
    "api_webhooks.patch_webhook": Row("OWN", json={"points": 3}),
    "api_webhooks.post_again": Row("OWN", {}),
    "api_webhooks.post_webhook": Row(
        "OWN", json={"address": "https://hooks.example.org/1", "events": ["run.imported"]}
    ),
    "api_runs.post_run": Row("OWN", {"file": new_run}, query="ranker=New"),
    "review.send": Row("OWN", {"turn": "send"}),
    "rankers.delete": Row("OWN", {}),
    "rankers.index": Row("OWN"),
    "rankers.move": Row("OWN", {"new": "Sideways"}),
    "rankers.production": Row("OWN", {"marked": "y"}),
    "rankers.rename": Row("OWN", {"name": "Sideways"}),
    "rankers.rename_one": Row("OWN", {"version": "v9"}),
    "rankers.restore": Row("OWN", {}),
    "rankers.version": Row("OWN"),
    "rankers.withdraw": Row("OWN", {}),
    "quality.draw": Row("OWN", {"query": "", "size": "5"}),
    "quality.duplicates": Row("OWN"),
    "quality.apart": Row("OWN", {"shown": "1"}),
    "quality.merge": Row("OWN", {"document": "1"}),
    "quality.not_apart": Row("OWN", {}),
    "quality.part": Row("OWN"),
    "quality.part_again": Row("OWN", {}),
    "quality.probes": Row("OWN"),
    "quality.change_probe": Row("OWN", {"turn": "withdraw"}, parts={"number": 1}),
    "quality.search": Row("OWN", {}),
    "review.act": Row("OWN", {"turn": "resolve", "scope": "all"}),
    "imports.cancel": Row("OWN", {}),
    "imports.check_again": Row("OWN", {}),
    "imports.choose": Row("OWN", {"file": new_file, "format": ""}, parts={"kind": "queries"}),
    "imports.confirm": Row("OWN", {}),
    "imports.discard_all": Row("OWN", {}),
    "imports.index": Row("OWN"),
    "imports.name": Row("OWN", {"ranker": "", "name": "Newcomer"}),
    "imports.part": Row("OWN"),
    "imports.paste": Row("OWN", {"text": "Where is the lamp?"}),
    "imports.problems": Row("OWN"),
    "imports.sample": Row("OWN", parts={"name": SAMPLES[0].name}),
    "imports.several": Row("OWN", {"files": new_file}),
    "imports.show": Row("OWN"),
    "imports.together": Row("OWN", {}),
    "imports.together_part": Row("OWN"),
    "imports.undo": Row("OWN"),
    "imports.undo_now": Row("OWN", {}),
    "judging.preview": Row("OWN"),
    "queries.edit": Row("OWN", {"text": "Where is the lamp?"}),
    "queries.gold": Row("OWN", {"grade": "0"}),
    "queries.turn": Row("OWN", {"turn": "retire"}),
    "quality.annotator": Row("OWN"),
    "quality.effects": Row("OWN"),
    "quality.annotators": Row("OWN"),
    "quality.order": Row("OWN"),
    "quality.count_machines": Row("OWN", {"count": "y"}),
    "quality.sources": Row("OWN"),
    "quality.give": Row("OWN", {"who": "nobody", "tags": "", "queries": "", "target": "5"}),
    "quality.turn": Row("OWN", {"state": "paused"}),
    "quality.work": Row("OWN"),
    "next_answers.ask": Row("OWN", {"query": "1"}),
    "next_answers.withdraw": Row("OWN", {}),
    "next_answers.apply": Row("OWN", {"depth": "12", "overlap": "8"}),
    "next_answers.rate": Row("OWN", {"query": "1"}),
    "projects.adjudicates": Row("OWN", {"named": "y"}),
    "projects.change_role": Row("OWN", {"role": "viewer"}),
    "projects.edit_guidelines": Row("OWN", {"markdown": "# Rate anew"}),
    "accounts.project_trail": Row("OWN"),
    "accounts.export_project_trail": Row("OWN", {"format": "jsonl"}),
    "projects.people": Row("OWN", {"role": "annotator"}),
    "projects.quality": Row("OWN", {"dealing": "front", "share_twice": "20", "repeats": "3", "gold": "5"}),
    "projects.release": Row("OWN", {"reason": "expertise"}),
    "projects.revoke": Row("OWN", {}),
    "projects.settings": Row("OWN", SETTINGS),
    "projects.copy": Row("OWN", {"name": "A second one"}),
    "projects.copying": Row("OWN"),
    "projects.copy_part": Row("OWN"),
    "projects.state": Row("OWN", {"turn": "archive"}),
    "queries.known": Row("OWN"),
    "queries.add_known": Row("OWN", {"document": "1"}),
    "dashboard.sharing": Row("OWN", {"days": "7", "note": "The board"}),
    "dashboard.revoke_shared": Row("OWN", {}),
    "dashboard.write_note": Row("OWN", {"text": "Reindexed"}),
    "dashboard.edit_note": Row("OWN", {"text": "Reindexed"}),
    "dashboard.target": Row("OWN", {"target": "85"}),
    "projects.edit_practice": Row("OWN", {"query": ""}),
    "projects.notes": Row("OWN", {"reasons": "Off topic"}),
    "projects.answers": Row("OWN", {"title": ""}),
    "projects.fetch_pictures": Row("OWN", {}),
    "projects.remove_all_pictures": Row("OWN", {}),
    "projects.upload_pictures": Row("OWN", {"images": new_picture}),
    "projects.webhooks": Row(
        "OWN", {"address": "https://hooks.example.org/1", "events": "run.imported", "points": "2"}
    ),
    "projects.webhook": Row(
        "OWN", {"address": "https://hooks.example.org/1", "events": "run.imported", "points": "2"}
    ),
    "projects.test_webhook": Row("OWN", {}),
    "projects.renew_webhook_secret": Row("OWN", {}),
    "projects.send_webhook_again": Row("OWN", {}),
    "projects.remove_webhook": Row("OWN", {}),
    "projects.words": Row(
        "OWN", {"name": "New name", "headline": "", "answer_format": "text", "language": ""}
    ),
    # Administrators.
    "projects.purge": Row("ADMIN", {"typed": "here"}),
    "accounts.index": Row("ADMIN"),
    "accounts.confirm": Row("ADMIN", {}),
    "accounts.disable": Row("ADMIN", {}),
    "accounts.enable": Row("ADMIN", {}),
    "accounts.erase": Row("ADMIN", {"typed": "nobody@example.org"}),
    "accounts.export_trail": Row("ADMIN", {"format": "csv"}),
    "accounts.password_link": Row("ADMIN", {}),
    "accounts.sign_out": Row("ADMIN", {}),
    "accounts.trail": Row("ADMIN"),
}


@dataclass(frozen=True)
class Route:
    """One method of one route."""

    endpoint: str
    method: str
    rule: Rule

    @property
    def row(self) -> Row:
        return ROWS[self.endpoint]

    @property
    def is_unsafe(self) -> bool:
        return self.method in UNSAFE

    @property
    def is_api(self) -> bool:
        return self.rule.rule.startswith("/api/")

    def address(self, parts: dict[str, Any]) -> str:
        """Return the path with its parts filled in; a part that nothing stands for fails."""
        found = {**parts, **(self.row.parts if self.endpoint in ROWS else {})}
        built = self.rule.build({name: found[name] for name in self.rule.arguments})
        assert built is not None
        return str(built[1])

    def ask(self, client: FlaskClient, parts: dict[str, Any], **changes: Any) -> TestResponse:
        """Make the request that this route is for."""
        body = self.row.body() if self.is_unsafe else {}
        body |= {"query_string": self.row.query} if self.row.query else {}
        # Buffered, or a static file would stay open.
        return client.open(self.address(parts), method=self.method, **{"buffered": True, **body, **changes})

    def __str__(self) -> str:
        return f"{self.method} {self.rule.rule}"


def routes_of(app: Flask, methods: set[str] | None = None) -> list[Route]:
    """Return every method of every route; automatic HEAD and OPTIONS only where they are asked for."""
    return [
        Route(rule.endpoint, method, rule)
        for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule)
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        if methods is None or method in methods
    ]


VOLATILE = re.compile(
    r'(name="csrf-token" content="|name="csrf_token"[^>]*value="|"csrf": ?"|name="next" value=")[^"]*'
)


def plain(response: TestResponse) -> str:
    """Return a page without what differs from request to request: tokens, and the path that was asked for."""
    return VOLATILE.sub(r"\1", response.text)


# Only the map of routes is read from it; no database is opened.
MAP = create_app(
    Settings(instance_path=Path("nowhere"), database_url="sqlite:///nowhere", secret_key="-" * 32)
)
ALLOWED = {
    "PUBLIC": {
        "anonymous",
        "owner",
        "annotator",
        "adjudicator",
        "viewer",
        "owner next door",
        "stranger",
        "admin",
    },
    "SIGNED_IN": {"owner", "annotator", "adjudicator", "viewer", "owner next door", "stranger", "admin"},
    "MEMBER": {"owner", "annotator", "adjudicator", "viewer", "admin"},
    "RATE": {"owner", "annotator", "adjudicator", "admin"},
    "READ": {"owner", "viewer", "admin"},
    "ADJUDICATE": {"owner", "adjudicator", "admin"},
    "OWN": {"owner", "admin"},
    "MAKE": {"owner", "owner next door", "admin"},
    "ADMIN": {"admin"},
}
ROUTES = routes_of(MAP)


def rows_of(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row there is as it is stored, but for counted tries at a password."""
    with database.read() as session:
        cursor = session.connection().connection.cursor()
        return {
            name: cursor.execute(f'SELECT * FROM "{name}"').fetchall()
            for name in Base.metadata.tables
            if name not in {"sign_in_failure", "ended_session"}
        }

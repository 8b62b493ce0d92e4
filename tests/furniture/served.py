"""The product as people run it: `flask serve` in a process of its own, and annotators who rate over HTTP."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import uuid
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.database import Database
from app.migrating import upgrade_schema
from app.models import Assignment, AssignmentCandidate, Candidate, Person
from app.services.accounts.sign_in import hash_password
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import Make

if TYPE_CHECKING:
    from app.models import Project

ROOT = Path(__file__).parents[2]
PASSWORD = "a long enough password"
HEADERS = {"Content-Type": "application/json"}
TOKEN = re.compile(r'name="csrf-token" content="([^"]+)"')


class Served:
    """One server on a port of its own; it can be killed, with all its processes, and started again."""

    def __init__(
        self, instance: Path, url: str | None = None, *, command: str | None = None, **environment: str
    ) -> None:
        self.url = url or f"sqlite:///{instance / 'touchstone.sqlite3'}"
        self.port = _free_port()
        self.environment = {
            **os.environ,
            "INSTANCE_PATH": str(instance),
            "DATABASE_URL": self.url,
            "PORT": str(self.port),
            "PUBLIC_URL": "",
            **environment,
        }
        self._command = [sys.executable, "-m", "flask", "--app", "app", "serve"]
        if command is not None:
            self._command = shlex.split(command.replace("PORT", str(self.port)))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        """Wait until a page is answered; raises RuntimeError where the server has ended, or takes a minute."""
        assert self._process is not None
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server stopped with status {self._process.returncode}")
            with suppress(OSError, HTTPException):
                with closing(HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
                    connection.request("GET", "/sign-in")
                    answer = connection.getresponse()
                    answer.read()
                if answer.status == 200:
                    return
            time.sleep(0.05)
        raise RuntimeError("the server did not answer within a minute")

    @property
    def pid(self) -> int:
        """The process that started the others."""
        assert self._process is not None
        return self._process.pid

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End the server and all its processes at once."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, how)
            self._process.wait(timeout=30)
            self._process = None

    def wait(self) -> None:
        """Take note that the first process has ended."""
        if self._process is not None:
            self._process.wait(timeout=30)
            self._process = None

    def stop(self) -> None:
        """End the server as an operator would."""
        self.kill(signal.SIGTERM)


@dataclass(frozen=True)
class Work:
    """What there is to rate: a project, its annotators, and the answers leased to each of them."""

    project: Project
    people: list[Person]
    leased: dict[int, list[tuple[str, int]]]


def prepare_work(
    url: str, *, people: int, queries: int, answers: int = 12, batches: int = 1, overlap: int | None = None
) -> Work:
    """Make a project with a pool, annotators with a password, and batches leased to each of them.

    Everybody can rate everything, unless `overlap` says how many ratings each answer wants.
    """
    database = Database(url)
    upgrade_schema(database)
    password_hash = hash_password(PASSWORD)
    with database.write() as session:
        make = Make(session)
        project = make.project(overlap=overlap or min(people, 50), k=answers, pool_depth=answers, slug="load")
        annotators = [
            make.member(project, "annotator", email=f"rater{number}@example.org", password_hash=password_hash)
            for number in range(people)
        ]
        documents = [make.document(project) for _ in range(answers)]
        asked = [make.query(project) for _ in range(queries)]
        make.run(make.ranker(project), dict.fromkeys(asked, documents))
    leased = {}
    for annotator in annotators:
        with database.write() as session:
            assigned = [assign_best_batch(session, project.id, annotator.id) for _ in range(batches)]
            numbers = [one.id for one in assigned if one is not None]
            rows = session.execute(
                select(Candidate.public_id, Assignment.batch)
                .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
                .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
                .where(Assignment.id.in_(numbers))
                .order_by(Assignment.batch, AssignmentCandidate.place)
            )
            leased[annotator.id] = [(row.public_id, row.batch) for row in rows]
    database.dispose()
    return Work(project, annotators, leased)


class Rater:
    """One annotator over HTTP, with one connection kept alive, retrying with the same id as the page does."""

    def __init__(self, port: int, email: str) -> None:
        self.port, self.email = port, email
        self._connection: HTTPConnection | None = None
        self.cookie = ""
        self.token = ""
        self.patience = 30.0

    def sign_in(self) -> None:
        """Sign in through the form, as somebody whom the site does not know yet."""
        self.cookie = ""
        status, body = self._ask("GET", "/sign-in")
        token = TOKEN.search(body.decode())
        assert status == 200
        assert token is not None
        form = f"csrf_token={token[1]}&email={self.email.replace('@', '%40')}&password={PASSWORD.replace(' ', '+')}"
        status, _ = self._ask(
            "POST", "/sign-in", form.encode(), {"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert status == 302, status
        status, body = self._ask("GET", "/api/v1/session")
        assert status == 200, status
        self.token = json.loads(body)["csrf"]

    def rate(
        self, candidate: str, batch: int, grade: int, *, number: str | None = None, base: str | None = None
    ) -> tuple[int, str]:
        """Send one rating once, and return the status and the rating's id; raises OSError when cut off.

        `base` is the id of their last rating of this answer, which it changes.
        """
        rating = {
            "id": number or str(uuid.uuid4()),
            "grade": grade,
            "reason": None,
            "base": base,
            "place": 1,
            "of": 12,
            "batch": batch,
            "active_ms": 1500,
            "input": "key",
            "at": "2026-03-01T12:00:00Z",
        }
        status, _ = self._ask(
            "PUT",
            f"/api/v1/candidates/{candidate}/judgment",
            json.dumps(rating).encode(),
            {**HEADERS, "X-CSRFToken": self.token},
        )
        return status, rating["id"]

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str) -> tuple[int, bytes]:
        """Fetch a page."""
        return self._ask("GET", path)

    def _ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
        sent: dict[str, Any] = {**(headers or {})}
        if self.cookie:
            sent["Cookie"] = self.cookie
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, HTTPException) as error:
            self._connection.close()
            self._connection = None
            raise OSError(str(error)) from error
        for name, value in response.getheaders():
            if name.lower() == "set-cookie" and value.startswith("touchstone="):
                self.cookie = value.partition(";")[0]
        return response.status, content


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

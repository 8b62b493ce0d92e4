"""Simulated annotators: a page, its answers, one idempotent PUT for each, the next page, with or without a pause.

They do what the rating page does, over real connections, and remember everything that they were told.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
import time
import uuid
from collections import defaultdict
from dataclasses import dataclass, field

PROJECT = "load"
ANSWER = re.compile(rb'data-answer="([^"]+)"\s+data-letter="."\s+data-place="(\d+)"\s+data-base="([^"]*)"')
# Of a hundred ratings: thought over and changed, sent twice, and cut off before the answer came.
CHANGED, SENT_TWICE, CUT_OFF = 5, 3, 2


@dataclass
class Told:
    """What one annotator was told: ratings in the order of their acknowledgement, and what went wrong."""

    ratings: list[tuple[bytes, str, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    # The one on its way when time was up: it may be stored or not.
    unanswered: bytes | None = None


@dataclass
class Crowd:
    """All annotators of a trial, when they stop, and how long everything took, in seconds."""

    port: int
    until: float
    # Seconds between two ratings of one annotator.
    pause: float = 0.0
    # Ends them as well, each after the page that is open.
    stopped: threading.Event = field(default_factory=threading.Event)
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    told: dict[int, Told] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether they stop now."""
        return self.stopped.is_set() or time.perf_counter() >= self.until


class Connection:
    """One connection that is kept alive, and opened again after it was cut."""

    def __init__(self, port: int, cookie: str) -> None:
        self._port, self._cookie = port, cookie
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, body: bytes = b"", token: str = "", *, cut: bool = False
    ) -> tuple[int, str, bytes]:
        """Send a request and return its status, where it leads, and its body.

        With `cut` hang up before the answer can arrive.
        """
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nCookie: {self._cookie}\r\n"
        if body:
            head += (
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nX-CSRFToken: {token}\r\n"
            )
        self._writer.write(head.encode() + b"\r\n" + body)
        await self._writer.drain()
        if cut:
            self.close()
            return 0, "", b""
        return await self._answer()

    async def _answer(self) -> tuple[int, str, bytes]:
        assert self._reader is not None
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await self._reader.readexactly(int(fields.get("content-length", 0)))
        if fields.get("connection") == "close":
            self.close()
        location = next((line[10:] for line in head if line.lower().startswith("location: ")), "")
        return int(head[0].split()[1]), location, body

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


class Annotator:
    """Somebody who rates until time is up."""

    def __init__(self, crowd: Crowd, person: int, cookie: str, token: str) -> None:
        self.crowd, self.token = crowd, token
        self.told = crowd.told.setdefault(person, Told())
        self.chance = random.Random(person)
        self.connection = Connection(crowd.port, cookie)

    async def work(self) -> None:
        """Rate page after page."""
        try:
            while not self.crowd.is_over:
                if not await self._rate_page():
                    break
        except (OSError, asyncio.IncompleteReadError) as error:
            self.told.errors.append(f"{type(error).__name__}: {error}")
        finally:
            self.connection.close()

    async def _rate_page(self) -> bool:
        status, location, page = await self._timed("next page", "POST", f"/p/{PROJECT}/rate", b"{}")
        if status == 302:
            status, _, page = await self._timed("page", "GET", location)
        answers = ANSWER.findall(page)
        if status != 200:
            self.told.errors.append(f"a page was answered {status}")
        if not answers:
            return False
        batch = int(location.rpartition("/")[2])
        for settled, (candidate, place, base) in enumerate(answers, start=1):
            if time.perf_counter() >= self.crowd.until:
                return False
            if self.crowd.pause:
                await asyncio.sleep(self.chance.uniform(0.5, 1.5) * self.crowd.pause)
            shown = (batch, int(place), len(answers))
            last = await self._rate(candidate.decode(), shown, base.decode() or None, settled)
            if self.chance.randrange(100) < CHANGED:
                await self._rate(candidate.decode(), shown, last, settled)
        url = f"/api/v1/projects/{PROJECT}/batches/{batch}/state"
        status, _, _ = await self._timed("done", "PUT", url, b'{"state": "done"}')
        if status != 200:
            self.told.errors.append(f"a finished batch was answered {status}")
        return True

    async def _rate(self, candidate: str, shown: tuple[int, int, int], base: str | None, settled: int) -> str:
        number, grade = uuid.uuid4(), self.chance.randrange(4)
        batch, place, of = shown
        body = json.dumps(
            {
                "id": str(number),
                "grade": grade,
                "reason": None,
                "base": base,
                "place": place,
                "of": of,
                "batch": batch,
                "active_ms": 1500,
                "input": "key",
                "at": "2026-03-01T12:00:00Z",
            }
        ).encode()
        url = f"/api/v1/candidates/{candidate}/judgment"
        self.told.unanswered = number.bytes
        luck = self.chance.randrange(100)
        expected = {201}
        if luck < CUT_OFF:
            await self.connection.ask("PUT", url, body, self.token, cut=True)
            # What was cut off may be stored already, or be on its way beside this one.
            expected = {200, 201}
        status, _, answer = await self._timed("rating", "PUT", url, body)
        if status not in expected:
            self.told.errors.append(
                f"a rating was answered {status}: {answer[:200].decode(errors='replace')}"
            )
            return str(number)
        self.told.ratings.append((number.bytes, candidate, grade))
        self.told.unanswered = None
        said = json.loads(answer)
        if (said["id"], said["grade"], said["progress"]["settled"]) != (str(number), grade, settled):
            self.told.errors.append(f"a rating was answered with {answer[:200].decode()}")
        if luck >= 100 - SENT_TWICE:
            status, _, again = await self.connection.ask("PUT", url, body, self.token)
            if status != 200 or json.loads(again)["saved_at"] != said["saved_at"]:
                self.told.errors.append(f"the same rating sent again was answered {status}")
        return str(number)

    async def _timed(self, kind: str, method: str, url: str, body: bytes = b"") -> tuple[int, str, bytes]:
        started = time.perf_counter()
        answer = await self.connection.ask(method, url, body, self.token)
        self.crowd.times[kind].append(time.perf_counter() - started)
        return answer


def run_crowd(
    port: int,
    seconds: float,
    people: dict[int, tuple[str, str]],
    *,
    pause: float = 0.0,
    until: threading.Event | None = None,
) -> Crowd:
    """Let people, each with a cookie and a token, rate at the same time for some seconds, or until an event."""
    crowd = Crowd(port, time.perf_counter() + seconds, pause, until or threading.Event())

    async def all_at_once() -> None:
        annotators = [Annotator(crowd, person, *signed_in) for person, signed_in in people.items()]
        await asyncio.gather(*(annotator.work() for annotator in annotators))

    asyncio.run(all_at_once())
    return crowd

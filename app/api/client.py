"""A client for Touchstone: one file that needs Python 3.9 and nothing else, offered at /api/client.py.

from client import Touchstone
site = Touchstone("https://rate.example.org", project="cranfield", token="tsk_...")
site.push_run("new.run", ranker="BM25", version="2026-11-22")
print(site.scores("nDCG@10 P@5"))
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TRIES = 6
BUSY = {429, 502, 503, 504}
TIMEOUT = 120.0
"""Seconds that one request may take."""
LONGEST_WAIT = 3600.0
"""Seconds that the work on one file may take."""
AT_WORK = 180.0
"""Seconds after which a request whose answer was lost is done, or was given up."""
QUERY_NAMES = ("query_id", "q_id", "qid", "query")
DOCUMENT_NAMES = ("doc_id", "docno", "docid", "document_id")


class TouchstoneError(Exception):
    """The site refused a request: `problem` is its answer, with `code`, `detail` and perhaps `remedy`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"status {status}")
        self.status = status
        self.problem = problem


class Scores(dict[str, Any]):
    """The scores of a project as the site answers them."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row for each mean, and for each value of a query where they were asked for."""
        for ranker in self["rankers"]:
            name = {"ranker": ranker["ranker"], "version": ranker["version"]}
            for measure, value in ranker["measures"].items():
                yield {**name, "query_id": "all", "measure": measure, "value": value}
            for query_id, values in ranker.get("per_query", {}).items():
                for measure, value in values.items():
                    yield {**name, "query_id": query_id, "measure": measure, "value": value}


class Qrels(dict[str, dict[str, int]]):
    """Grades by query and document: what ranx and ir_measures take as it is."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row for each grade."""
        for query_id, grades in self.items():
            for doc_id, grade in grades.items():
                yield {"query_id": query_id, "doc_id": doc_id, "relevance": grade}


class Touchstone:
    """A project of a site, reached with a token.

    Parameters
    ----------
    address
        Of the site, such as https://rate.example.org.
    project
        Its short name.
    token
        The environment variable TOUCHSTONE_TOKEN if not given.
    """

    def __init__(self, address: str, project: str, token: str | None = None) -> None:
        self.address = address.rstrip("/")
        self.project = project
        self._token = token or os.environ.get("TOUCHSTONE_TOKEN", "")

    def scores(self, measures: str = "", **options: Any) -> Scores:
        """Return the scores: `per_query=True`, `all_versions=True`, `revision=700` ask for more or others."""
        return Scores(self._json("GET", "scores", {"measures": measures or None, **options}))

    def qrels(self, middle: str = "lower") -> Qrels:
        """Return the consensus grades."""
        found = Qrels()
        for line in self._ask("GET", "qrels", {"middle": middle}).decode().splitlines():
            query_id, _, doc_id, grade = line.split()
            found.setdefault(query_id, {})[doc_id] = int(grade)
        return found

    def push_run(self, run: Any, ranker: str, version: str | None = None, **options: Any) -> dict[str, Any]:
        """Register a run, and return what was done.

        Parameters
        ----------
        run
            The path of a file; a data frame or rows with query_id, doc_id and score or rank;
            {query: {document: score}} or {query: [document, ...]}; or a run of ranx.
        options
            Of the API, such as dry_run=True, note="Reindexed" or unknown_documents="add".
        """
        return self._push("runs", run, {"ranker": ranker, "version": version, **options})

    def gate(self, run: Any = None, ranker: str | None = None, **options: Any) -> dict[str, Any]:
        """Return whether a run may replace another version; nothing is registered.

        Parameters
        ----------
        run
            As for `push_run`; None for a registered version, which `ranker` names.
        options
            against="production", max_drop=0.03, min_coverage=0.9
        """
        if run is None:
            return self._json("GET", "gate", {"version": ranker, **options})
        tried = self._push("runs", run, {"ranker": ranker, "trial": True, **options})
        if tried["gate"] is None:
            problem = {"code": "version", "field": "against", "value": None, "detail": tried["no_gate"]}
            raise TouchstoneError(422, problem | {"remedy": "Name a version to compare with."})
        return dict(tried["gate"])

    def push_judgments(self, judgments: Any, annotator: str, **options: Any) -> dict[str, Any]:
        """Add judgments: a file, or rows with query_id, doc_id and grade; kind="machine" for a machine's."""
        return self._push("judgments", judgments, {"annotator": annotator, **options})

    def pages(self, what: str, **options: Any) -> Iterator[dict[str, Any]]:
        """Yield every item of a list: queries, documents, rankers, runs, pool, judgments or events."""
        cursor = 0
        while cursor is not None:
            page = self._json("GET", what, {"limit": 1000, **options, "cursor": cursor or None})
            yield from page["items"]
            cursor = page["next"]

    def _push(self, what: str, content: Any, options: dict[str, Any]) -> dict[str, Any]:
        name = Path(content).name if _is_path(content) else None
        with _file_of(content) as file:
            answer = self._json("POST", what, {"file_name": name, **options}, file)
        until = time.monotonic() + LONGEST_WAIT
        while answer.get("state") == "working" and time.monotonic() < until:
            time.sleep(1)
            answer = self._json("GET", f"jobs/{answer['job']}", {})
        return dict(answer.get("result") or answer)

    def _json(
        self, method: str, what: str, query: Mapping[str, Any], body: IO[bytes] | None = None
    ) -> dict[str, Any]:
        return dict(json.loads(self._ask(method, what, query, body)))

    def _ask(self, method: str, what: str, query: Mapping[str, Any], body: IO[bytes] | None = None) -> bytes:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        path = f"{self.address}/api/v1/projects/{quote(self.project, safe='')}/{what}"
        headers = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            # Sent again after a lost answer, nothing is done twice.
            headers["Idempotency-Key"] = str(uuid.uuid4())
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
        address = f"{path}?{urlencode(given)}" if given else path
        tried, began = 0, time.monotonic()
        while True:
            tried += 1
            if body is not None:
                body.seek(0)
            asked = Request(address, body, headers, method=method)  # noqa: S310 - the caller's own address
            try:
                with urlopen(asked, timeout=TIMEOUT) as reply:  # noqa: S310 - see above
                    return bytes(reply.read())
            except HTTPError as error:
                with error:
                    problem = _problem(error.read())
                # The first try may still be at work where its answer was lost.
                is_at_work = problem.get("code") == "at_work" and time.monotonic() < began + AT_WORK
                if not is_at_work and (error.code not in BUSY or tried >= TRIES):
                    raise TouchstoneError(error.code, problem) from None
                pause = _seconds_of(error.headers.get("Retry-After"))
            except (OSError, HTTPException) as error:
                if not _is_passing(error) or tried >= TRIES:
                    raise
                pause = None
            time.sleep(2.0 ** (tried - 1) if pause is None else min(pause, LONGEST_WAIT))


def _is_passing(error: Exception) -> bool:
    """Return whether a site that could not be reached may be there a moment later."""
    reason = getattr(error, "reason", error)
    return isinstance(reason, (ConnectionError, TimeoutError, HTTPException))


def _seconds_of(retry_after: str | None) -> float | None:
    """Return how long a header asks to wait: it holds seconds or a date."""
    try:
        return max(0.0, float(retry_after or ""))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after or "").timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _problem(answered: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(answered))
    except ValueError:
        return {"detail": answered[:200].decode(errors="replace")}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_path(content: Any) -> bool:
    return isinstance(content, (str, os.PathLike))


def _file_of(content: Any) -> IO[bytes]:
    """Return an open file: the one that is named, or a packed one of rows."""
    if _is_path(content):
        return Path(content).open("rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with gzip.open(file, "wt", compresslevel=1, encoding="utf-8") as packed:
            packed.writelines(json.dumps(row) + "\n" for row in _rows_of(content))
    except Exception:
        file.close()
        raise
    file.flush()
    return file


def _rows_of(content: Any) -> Iterator[dict[str, Any]]:
    """Yield rows of a data frame, of a run of ranx, of nested dictionaries, or of rows of any kind."""
    if hasattr(content, "columns") and hasattr(content, "itertuples"):
        names = [str(name) for name in content.columns]
        rows: Iterable[Any] = content.itertuples(index=False, name=None)
        yield from (_row(dict(zip(names, row))) for row in rows)  # noqa: B905
        return
    if hasattr(content, "to_dict"):
        content = content.to_dict()
    if not isinstance(content, Mapping):
        for row in content:
            yield _row(row._asdict() if hasattr(row, "_asdict") else dict(row))
        return
    for query_id, listed in content.items():
        if isinstance(listed, Mapping):
            for doc_id, score in listed.items():
                yield {"query_id": str(query_id), "doc_id": str(doc_id), "score": float(score)}
        else:
            for rank, doc_id in enumerate(listed, 1):
                yield {"query_id": str(query_id), "doc_id": str(doc_id), "rank": rank}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the names of the columns that the site knows, and plain numbers."""
    found: dict[str, Any] = {
        "query_id": str(_named(row, QUERY_NAMES)),
        "doc_id": str(_named(row, DOCUMENT_NAMES)),
    }
    numbers: dict[str, Any] = {"score": float, "rank": _whole, "grade": _whole}
    for name, kind in numbers.items():
        if name in row:
            found[name] = kind(row[name])
    found.update({name: row[name] for name in ("annotator", "reason", "judged_at") if row.get(name)})
    return found


def _whole(value: Any) -> int:
    """Return a whole number; a data frame may hold it as 2.0."""
    if float(value) != int(value):
        raise ValueError(f"{value!r} is not a whole number")
    return int(value)


def _named(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    for name in names:
        if name in row:
            return row[name]
    raise ValueError(f"a row has no column {', '.join(names)}: it has {', '.join(map(str, row))}")


STATUS = {"passed": 0, "failed": 1, "cannot tell": 3}


def main() -> int:
    """Push a run, or only test it (gate): exit status 0 passed, 1 failed, 3 cannot tell, 2 an error."""
    parser = argparse.ArgumentParser(description="Push a run to Touchstone, or only test it (gate).")
    parser.add_argument("command", choices=["push-run", "gate"])
    parser.add_argument("run", help="the file")
    parser.add_argument("--address", required=True, help="of the site, such as https://rate.example.org")
    parser.add_argument("--project", required=True, help="its short name")
    parser.add_argument("--ranker", required=True, help="the system that made the run")
    parser.add_argument("--version", help="the label of this version (push-run)")
    parser.add_argument("--against", help="RANKER@VERSION, or production (gate)")
    parser.add_argument("--max-drop", help="the drop to rule out, 0.03 if not given (gate)")
    parser.add_argument(
        "--best", action="store_true", help="if a list repeats a document, keep its best place"
    )
    parser.add_argument("--format", choices=["text", "json", "markdown"], default="text", help="(gate)")
    given = parser.parse_args()
    site = Touchstone(given.address, given.project)
    try:
        if given.command == "push-run":
            done = site.push_run(given.run, given.ranker, given.version, best=given.best)
            told = "has these results already: nothing changed" if done.get("already") else "is registered"
            print(f"{done['ranker']} {done['version']} {told}.")  # noqa: T201
            return 0
        asked = {"against": given.against, "max_drop": given.max_drop, "best": given.best}
        found = site.gate(given.run, given.ranker, **asked)
    except (TouchstoneError, OSError, ValueError) as error:
        # 1 would read as a run that failed.
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    texts = {"text": found["sentence"], "json": json.dumps(found), "markdown": found["markdown"]}
    print(texts[given.format])  # noqa: T201
    return STATUS[found["answer"]]


if __name__ == "__main__":
    sys.exit(main())

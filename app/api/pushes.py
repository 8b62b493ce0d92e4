"""Files that programs push: received like those of the browser, checked and imported by the same worker."""

from __future__ import annotations

import json
import threading
import time
from functools import partial
from itertools import chain
from typing import Any

from flask import Response, g, jsonify, request, url_for

from app.api.bodies import NO_JSON, NO_JSON_BODY, BodyError, refuse_encoding
from app.api.operations import Parameter
from app.formats.encoding import ENCODINGS
from app.formats.errors import BadValueError, place_of, visible
from app.formats.inflate import GZIP_MAGIC, PACKED, inflated
from app.formats.schema import ALL_FORMATS, Kind, columns_named
from app.http.background import worker
from app.http.errors import STATUS, in_parameters, problem
from app.http.limits import MEGABYTE
from app.http.permissions import current_access, current_actor_id
from app.http.receiving import BLOCK, ReceivedFile, has_arrived, received_body, written
from app.http.sessions import close_read_session, database, settings, write_session
from app.models import Upload
from app.sentences import capitalised, counted
from app.services.uploads import NewUpload, get_upload, record_upload, turn_upload

# So many requests may wait for their file at the same time; the other threads are for everybody else.
MOST_WAITING = 4
_waiting = threading.Semaphore(MOST_WAITING)
FIRST_LOOK, LONGEST_PAUSE = 0.01, 0.25
AT_WORK = {"waiting", "checking", "importing"}
REFUSALS = {kind.__name__: status for kind, status in STATUS.items()}
NOTHING = "The body is empty: send the file as the body of the request, or the records as a JSON array."

FORMAT = Parameter(
    name="format", about="How to read the file; guessed from its beginning if not given.", choices=ALL_FORMATS
)
COLUMNS = Parameter(
    name="column",
    about="The file's name for one of our columns, as OURS=THEIRS, such as query_id=Question. Can be "
    "repeated.",
    several=True,
)
ENCODING = Parameter(
    name="encoding",
    about="The file's encoding, if it is neither UTF-8 nor UTF-16 with a byte order mark.",
    choices=ENCODINGS,
)
MEMBERS = Parameter(
    name="member",
    about="Which file of an archive, or sheet of a workbook, is meant; if not given, those recognised as "
    "of this kind. Can be repeated for an archive.",
    several=True,
)
FILE_NAME = Parameter(
    name="file_name", about="What the file is called in messages about it.", longest=200, example="new.run"
)
DRY_RUN = Parameter(
    name="dry_run",
    about="Only say what would happen and what is wrong; write nothing.",
    kind=bool,
    default=False,
)
WAIT = Parameter(
    name="wait",
    about="How many seconds to wait for the end of the work. After that the answer is 202, with a job to "
    "ask.",
    kind=float,
    low=0,
    high=60,
    default=25.0,
)
UNKNOWN_DOCUMENTS = Parameter(
    name="unknown_documents",
    about="Document ids that the project does not have: refuse the file, or add them without text.",
    choices=("reject", "add"),
    default="reject",
)
UNKNOWN_QUERIES = Parameter(
    name="unknown_queries",
    about="Query ids that the project does not have: refuse the file, or skip their lines.",
    choices=("reject", "skip"),
    default="reject",
)
FILE = (FORMAT, ENCODING, MEMBERS, COLUMNS, FILE_NAME, DRY_RUN, WAIT)
COUNTS = {str: Any}
PUSHED = {"job": str, "state": ("done",), "result": COUNTS}
CHECKED = {
    "dry_run": bool,
    "counts": (COUNTS, None),
    "warnings": [str],
    "price": (str, None),
    "already": (COUNTS, None),
}


def push(kind: Kind, given: dict[str, Any], options: dict[str, Any], *, state: str = "importing") -> str:
    """Return the number of a file that has arrived, as the body of this request; work on it has begun.

    :raise BodyError: There is no file, or a column is not named as it should be.
    """
    file: ReceivedFile = g.pop("arrived", None) or arrived()
    if not file.size:
        raise BodyError(NOTHING, code="empty_body", field="body", value="", remedy="Send a file.")
    packed = file.head.startswith(PACKED)
    told = {"lines": None if packed else file.lines, "packed": packed}
    own = {
        "format": given["format"],
        "encoding": given["encoding"],
        "members": given["member"],
        "columns": _columns(given["column"]),
    }
    new = NewUpload(
        kind=kind,
        name=given["file_name"] or kind,
        size=file.size,
        sha256=file.sha256,
        options={**{name: value for name, value in own.items() if value}, **options, **told},
    )
    with write_session() as session:
        upload_id = record_upload(session, current_access().project.id, current_actor_id(), new).id
    has_arrived()
    file.keep_as(upload_id)
    with write_session() as session:
        turn_upload(session, upload_id, ["waiting"], "checking" if given["dry_run"] else state)
    worker().start()
    worker().take(upload_id, "checking" if given["dry_run"] else state)
    return upload_id


def outcome(upload_id: str, wait: float) -> Response:
    """Return what became of a file, as soon as the work on it has ended or the caller waits no longer."""
    upload = _ended(upload_id, wait)
    if upload is None:
        answer = jsonify({"job": upload_id, "state": "working"})
        answer.status_code = 202
        answer.headers["Retry-After"] = "1"
    elif upload.state == "done":
        done = _result(upload)
        answer = jsonify({"job": upload_id, "state": "done", "result": done})
        # A file that was here already has made no revision.
        is_known = done.get("already") or done.get("revision") is None
        answer.status_code = 200 if is_known else 201
    else:
        # Nobody confirms what a program has sent: what was found is said now.
        with write_session() as session:
            turn_upload(session, upload_id, ["checked", "failed"], "cancelled")
        (settings().uploads_path / upload_id).unlink(missing_ok=True)
        answer = checked(upload)
    answer.headers["Location"] = url_for(
        "api_jobs.get_job", slug=current_access().project.slug, job_id=upload_id
    )
    return answer


def checked(upload: Upload) -> Response:
    """Return what was found in a file that was not imported: problems, a refusal, or what it would do."""
    report = upload.report
    if "problems" in report:
        total = report["total"]
        stopped = report.get("stopped", "")
        count = ("At least " if stopped else "") + counted(total, "problem")
        first = report["problems"][0]
        is_row = "is_row" in first
        line = "" if first["line"] is None else f", {place_of(first['line'], is_row=is_row)}"
        file = f"{first['member']} in {upload.file_name}" if "member" in first else upload.file_name
        sentence = (
            f"{count}; nothing was saved. {file}{line}: {first['reason']}. {first['remedy']} {stopped}"
        ).rstrip()
        listed = [found | {"remedy": in_parameters(found["remedy"])} for found in report["problems"]]
        return problem(422, "file", sentence, total=total, total_is_exact=not stopped, problems=listed)
    if "refusal" in report:
        status = REFUSALS.get(report.get("kind", ""), 422)
        told = report.get("details", {})
        return problem(
            422 if status == 404 else status, report.get("code", "failed"), report["refusal"], **told
        )
    if "trial" in report:
        found = dict(report["trial"])
        if found["no_gate"]:
            found["no_gate"] = in_parameters(found["no_gate"])
        return jsonify({"trial": True, **found})
    return jsonify(
        {
            "dry_run": True,
            "counts": report.get("counts"),
            "warnings": [in_parameters(warning) for warning in report.get("warnings", ())],
            "price": report.get("price"),
            "already": report.get("known"),
        }
    )


def arrived() -> ReceivedFile:
    """Return the body: a file as it is, or a JSON array of records as JSON Lines."""
    refuse_encoding("gzip", "x-gzip")
    if request.mimetype != "application/json":
        return received_body(settings().uploads_path)
    data = _array()
    try:
        records = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BodyError(NO_JSON, **NO_JSON_BODY) from error
    if isinstance(records, dict):
        records = records.get("records")
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise BodyError(
            "The body is not a JSON array of objects.",
            field="body",
            value=visible(data[:60].decode(errors="replace")),
            remedy='Send records such as [{"query_id": "q1", "doc_id": "d1", "rank": 1}].',
        )
    # Surrogates and all else that no text holds are refused by whoever reads the lines.
    lines = "".join(json.dumps(record) + "\n" for record in records)
    return written(settings().uploads_path, lines.encode())


def _array() -> bytes:
    """Return the JSON of the body, unpacked where it is gzipped, and read no further than it may go."""
    first = request.stream.read(BLOCK)
    blocks = chain([first], iter(partial(request.stream.read, BLOCK), b""))
    found = bytearray()
    try:
        for block in inflated(blocks) if first.startswith(GZIP_MAGIC) else blocks:
            found += block
            if len(found) > MEGABYTE:
                raise BodyError(
                    "A JSON array may have 1 MB, unpacked.",
                    code="too_long",
                    field="body",
                    value=f"more than {MEGABYTE} bytes",
                    remedy="Send the records as JSON Lines, with the type application/x-ndjson.",
                )
    except BadValueError as error:
        raise BodyError(
            f"The body cannot be read: {error.reason}.", field="body", value=None, remedy=error.remedy
        ) from error
    return bytes(found)


def _columns(pairs: list[str]) -> dict[str, str]:
    named: list[tuple[str, str]] = []
    for pair in pairs:
        ours, sign, theirs = pair.partition("=")
        if not (ours and sign and theirs):
            raise BodyError(
                f"column is {visible(pair)!r}, not OURS=THEIRS.",
                code="bad_value",
                field="column",
                value=visible(pair),
                remedy="Give our name, =, and the file's, such as query_id=Question.",
            )
        named.append((ours, theirs))
    try:
        return columns_named(named)
    except BadValueError as error:
        raise BodyError(
            f"{capitalised(str(error.reason))}.",
            code="bad_value",
            field="column",
            value=error.value,
            remedy=error.remedy,
        ) from error


def _ended(upload_id: str, wait: float) -> Upload | None:
    """Return a file on which the work has ended, waiting for a while; None if it goes on."""
    project_id, person_id = current_access().project.id, current_actor_id()
    close_read_session()
    until, pause = time.monotonic() + wait, FIRST_LOOK
    may_wait = _waiting.acquire(blocking=False)
    try:
        while True:
            with database().read() as session:
                upload = get_upload(session, project_id, person_id, upload_id)
            if upload.state not in AT_WORK:
                return upload
            if not may_wait or time.monotonic() + pause > until:
                return None
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
    finally:
        if may_wait:
            _waiting.release()


def _result(upload: Upload) -> dict[str, Any]:
    """Return what an import did, with what should be known about a run as sentences."""
    done: dict[str, Any] = upload.report["done"]
    if "warnings" not in done:
        return done
    return done | {"warnings": [in_parameters(warning) for warning in done["warnings"]]}


def job_object(upload: Upload) -> dict[str, Any]:
    """Return how far the work on a file is."""
    done, total = upload.progress_done, upload.progress_total
    return {
        "job": upload.id,
        "kind": upload.kind,
        "file": upload.file_name,
        "state": "working" if upload.state in AT_WORK else upload.state,
        "progress": 1.0 if upload.state == "done" else min(1.0, done / total) if total else 0.0,
        "created_at": upload.created_at.isoformat(),
        "result": _result(upload) if "done" in upload.report else None,
    }

"""A process that checks and imports files, so that none can stop the site: `python -m app.jobs.child`.

It is started by `app.jobs.children`, reads orders as lines of JSON, and answers each with two lines: that the
work has begun, and that it is done. It lives no longer than the process that started it: its input ends then.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from app.database import Database
from app.jobs.fetching import fetch_pictures
from app.jobs.near_duplicates import find_near_duplicates
from app.jobs.project_copies import make_copy
from app.jobs.uploads import check_upload, import_upload
from app.jobs.webhooks import look_at_scores, send_webhooks

log = logging.getLogger(__name__)
BEGAN, DONE = "began", "done"
# After so long without an order its memory is given back.
IDLE_SECONDS = 30
# What it may have grown to and still be kept for the next order.
KEPT_MEGABYTES = 200

Work = Callable[[Database, Path, str], None]


def _send_mail(database: Database, _folder: Path, _number: str) -> None:
    # Loaded when needed: what imports files has no use for what e-mails say.
    from app.jobs.mail import send_mail

    send_mail(database)


WORKS: dict[str, Work] = {
    "checking": check_upload,
    "importing": import_upload,
    "comparing": lambda database, _folder, number: find_near_duplicates(database, int(number)),
    "fetching": lambda database, _folder, number: fetch_pictures(database, int(number)),
    "copying": lambda database, folder, number: make_copy(database, folder, int(number)),
    "sending": lambda database, _folder, number: send_webhooks(database, int(number)),
    "mailing": _send_mail,
    "looking": lambda database, _folder, number: look_at_scores(database, int(number)),
}


def main() -> None:
    """Do the work that is ordered, until nobody orders any more."""
    answers = os.fdopen(os.dup(1), "w")
    # Whatever prints something prints it to the log: the answers have their own way.
    os.dup2(2, 1)
    # Ctrl+C is meant for the server, which ends this process with itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Its priority is that of the server: at a lower one it would hold the writer's place for longer.
    settings = json.loads(sys.stdin.readline())
    limit(resource.RLIMIT_DATA, settings["megabytes"] << 20)
    database, folder = Database(settings["url"], pool_size=1), Path(settings["folder"])
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while peak_megabytes() < KEPT_MEGABYTES:
        try:
            order = orders.get(timeout=IDLE_SECONDS)
        except Empty:
            break
        print(BEGAN, file=answers, flush=True)
        limit(resource.RLIMIT_CPU, int(sum(os.times()[:2]) + order["seconds"]) + 1)
        do(database, folder, order)
        print(DONE, file=answers, flush=True)


def do(database: Database, folder: Path, order: dict[str, Any]) -> None:
    """Do one piece of work; what goes wrong stays in it."""
    try:
        WORKS[order["work"]](database, folder, order["number"])
    except Exception:
        log.exception("%s %s failed", order["work"], order["number"])


def limit(what: int, most: int) -> None:
    """Set how much of something this process may use; a stricter limit of the system stays."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def peak_megabytes() -> float:
    """Return the most memory that this process has had resident; 0 where the system does not say.

    Not `ru_maxrss`: Linux counts there what the process had that started this one.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def _listen(orders: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        orders.put(json.loads(line))
    # Whoever gave the orders is gone: what was begun is begun again by the next one.
    os._exit(0)


if __name__ == "__main__":
    main()

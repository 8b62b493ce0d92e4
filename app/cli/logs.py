"""How a server writes its log: lines for people, or one JSON object a line (LOG_FORMAT)."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

import click

from config import Settings

FOR_PEOPLE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonLines(logging.Formatter):
    """Writes each record as one JSON object; what is told of a request has fields of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure_logs(settings: Settings) -> None:
    """Write what is worth a look to the error output; each request as well with ACCESS_LOG=on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if settings.log_format == "json" else logging.Formatter(FOR_PEOPLE))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    if settings.access_log:
        logging.getLogger("touchstone.access").setLevel(logging.INFO)


def say(settings: Settings, line: str) -> None:
    """Print a line of the start, in the format of the log."""
    if settings.log_format == "json":
        record = logging.LogRecord("touchstone", logging.INFO, "", 0, line, None, None)
        line = JsonLines().format(record)
    click.echo(line)
    sys.stdout.flush()

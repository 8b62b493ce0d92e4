"""The web server: gunicorn with threads, quiet, run from our command so that it can say when it is ready."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

import click
from gunicorn.app.base import BaseApplication

if TYPE_CHECKING:
    from flask import Flask

    from config import Settings

# Where a worker says that it lives: in memory, because a slow disk must not look like a dead worker.
MEMORY = "/dev/shm"  # noqa: S108 - gunicorn makes a nameless file there
STOP_SECONDS = 10
# Python's own 5 ms would be waited for again and again by the thread that holds the writer's place.
SWITCH_SECONDS = 0.0005


class WebServer(BaseApplication):
    """Serves an application; its workers are forked from this process and share its memory."""

    def __init__(self, application: Flask, settings: Settings, greeting: str) -> None:
        self.application = application
        self.settings = settings
        self.greeting = greeting
        super().__init__()

    def load_config(self) -> None:
        """Hand our settings to gunicorn; it reads no file and no variable of its own."""
        for name, value in gunicorn_settings(self.settings).items():
            self.cfg.set(name, value)
        self.cfg.set("when_ready", self.greet)

    def greet(self, _arbiter: object) -> None:
        """Print the one line: from here on a browser that connects is served."""
        click.echo(self.greeting)

    def load(self) -> Flask:
        """Return the application with its background worker; each worker asks for it after the fork."""
        from app.http.background import worker

        sys.setswitchinterval(SWITCH_SECONDS)
        # What is loaded by now stays: looking through it for garbage would hold up requests.
        gc.collect()
        gc.freeze()
        with self.application.app_context():
            worker().start()
        return self.application


def gunicorn_settings(settings: Settings) -> dict[str, Any]:
    """Return gunicorn's settings, by its own names."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "worker_class": "gthread",
        "workers": settings.web_workers,
        "threads": settings.web_threads,
        "graceful_timeout": STOP_SECONDS,
        # Longer than the pause between two ratings, so that most of them need no new connection.
        "keepalive": 30,
        "worker_tmp_dir": MEMORY if os.path.isdir(MEMORY) else None,  # noqa: PTH112
        "loglevel": "warning",
        "accesslog": None,
        "control_socket_disable": True,
        # Proxies are trusted by TRUSTED_PROXIES, in the application, and by nothing else.
        "forwarded_allow_ips": "",
        "proc_name": "touchstone",
    }

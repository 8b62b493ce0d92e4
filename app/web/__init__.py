"""HTML pages: one package for each area of the site."""

from __future__ import annotations

from importlib import import_module

from flask import Flask

from app.web.navigation import install

ROOMS: tuple[str, ...] = (
    "auth",
    "accounts",
    "projects",
    "imports",
    "rankers",
    "judging",
    "dashboard",
    "queries",
    "compare",
    "review",
    "quality",
    "next_answers",
    "help",
)


def register(app: Flask) -> None:
    """Add every room's blueprint."""
    install(app)
    for room in ROOMS:
        app.register_blueprint(import_module(f"app.web.{room}").blueprint)

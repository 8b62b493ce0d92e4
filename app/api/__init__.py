"""JSON: everything under /api/v1."""

from __future__ import annotations

from importlib import import_module

from flask import Flask

from app.api.bodies import install

ROOMS: tuple[str, ...] = (
    "judgments",
    "batches",
    "adjudications",
    "session",
    "projects",
    "contents",
    "exports",
    "scores",
    "runs",
    "jobs",
    "webhooks",
    "openapi",
)


def register(app: Flask) -> None:
    """Add every room's blueprint."""
    install(app)
    for room in ROOMS:
        app.register_blueprint(import_module(f"app.api.{room}").blueprint)

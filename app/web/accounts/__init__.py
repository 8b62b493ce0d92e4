"""Accounts and the audit trail: for administrators, and for owners what concerns their project."""

from flask import Blueprint

blueprint = Blueprint("accounts", __name__)

from app.web.accounts import trail, views  # noqa: E402, F401 - they add their routes to the blueprint

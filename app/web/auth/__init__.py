"""Who you are: sign-in and out, the links that work once, the account, the theme."""

from flask import Blueprint

blueprint = Blueprint("auth", __name__)

from app.web.auth import organisation, security, tokens, views  # noqa: E402, F401 - they add their routes to the blueprint

"""Why somebody cannot judge an answer or a question, in the words of the buttons that say so."""

from __future__ import annotations

from app.http.languages import later as _
from app.models import Reason

WHY = {
    Reason.UNCLEAR: _("Question is unclear"),
    Reason.EXPERTISE: _("I lack the knowledge"),
    Reason.LANGUAGE: _("Wrong language"),
    Reason.HARMFUL: _("Harmful: I don’t want to rate it"),
    Reason.OTHER: _("Something else"),
    # Last: it is no reason about a question, and the digits of the others are the same for both.
    Reason.UNREADABLE: _("Answer is unreadable or missing"),
}
REASONS = [(reason.name.lower(), words) for reason, words in WHY.items()]
QUERY_REASONS = [(code, words) for code, words in REASONS if code != "unreadable"]

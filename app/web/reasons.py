"""Why somebody cannot judge an answer or a question, in the words of the buttons that say so."""

from __future__ import annotations

from app.http.languages import later as _
from app.models import Reason

WHY = {
    Reason.UNCLEAR: _("Question is unclear"),
    Reason.UNREADABLE: _("Answer is unreadable or missing"),
    Reason.EXPERTISE: _("I lack the knowledge"),
    Reason.LANGUAGE: _("Wrong language"),
    Reason.HARMFUL: _("Harmful: I don’t want to rate it"),
    Reason.OTHER: _("Something else"),
}
REASONS = [(reason.name.lower(), words) for reason, words in WHY.items()]
# An answer that is missing is no reason about the question.
QUERY_REASONS = [(code, words) for code, words in REASONS if code != "unreadable"]

"""What each right of a token lets a program do, in the words of every page that names rights."""

from __future__ import annotations

from app.http.languages import later as _l
from app.services.accounts.tokens import Scope

MEANINGS = {
    Scope.SCORES: _l("Read scores, ratings, questions and answers"),
    Scope.RUNS: _l("Upload a ranker’s results, and test whether the new version is good enough"),
    Scope.CONTENT: _l("Upload questions and answers"),
    Scope.JUDGMENTS: _l("Upload ratings"),
    Scope.MANAGE: _l(
        "Everything: also settings and webhooks (and new projects, if the token is for all projects)"
    ),
}


def rights_in_words(scopes: str) -> str:
    """Return what some scopes, stored with blanks between them, let a program do."""
    return "; ".join(str(MEANINGS[Scope(one)]) if one in {*Scope} else one for one in scopes.split())

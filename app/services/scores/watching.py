"""What webhooks are told of scores, which only computing shows: what is so now, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.project import Project
from app.models.query import Query
from app.models.webhook import Webhook, WebhookWatch
from app.services.evidence.state import Evidence
from app.services.scores.coverage import finished_queries
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.verdicts import PairVerdict
from app.services.webhooks import (
    QUESTION_FINISHED,
    SCORE_DROPPED,
    VERDICT_CHANGED,
    active_webhooks,
    announce,
    announce_to,
)

# A message names at most so many of each.
NAMED = 20


@dataclass(frozen=True)
class ScoreFacts:
    """What is so at a revision.

    Attributes
    ----------
    finished
        Numbers of the questions whose answers are all rated.
    verdicts
        The words of the overview by their pair: what they say, and the names of the two versions.
    production
        Ranker, version and score, 0 to 100, of what is in production; None without a score.
    ruler
        The fingerprint of the scoring settings: scores of different ones are not compared.
    """

    revision: int
    finished: frozenset[int]
    verdicts: dict[str, tuple[str, str]]
    production: tuple[str, str, float] | None
    ruler: str

    def kept(self, highest: dict[str, float]) -> dict[str, Any]:
        """Return what is stored of it; `highest` is the score that each webhook compares with."""
        return {
            "finished": sorted(self.finished),
            "verdicts": {pair: word for pair, (word, _) in self.verdicts.items()},
            "ruler": self.ruler,
            "highest": highest,
        }


def facts_of(evidence: Evidence) -> ScoreFacts:
    """Return what is so now."""
    board = leaderboard_of(evidence)
    judged = evidence.judged()
    production = None
    if board.production is not None and board.production.score is not None:
        run = board.production.run
        production = run.ranker, run.version, board.production.score * 100
    return ScoreFacts(
        revision=evidence.revision,
        finished=frozenset(
            evidence.structure.query_id[np.flatnonzero(finished_queries(evidence, judged))].tolist()
        ),
        verdicts={
            _key(each.gap): (_word(each.gap), _names(each.gap))
            for each in board.rankers
            if each.gap is not None
        },
        production=production,
        ruler=evidence.ruler_at().fingerprint,
    )


def _key(pair: PairVerdict) -> str:
    first, second = sorted((pair.first.id, pair.second.id))
    return f"{first}-{second}"


def _word(pair: PairVerdict) -> str:
    """Return what a verdict says: its word, and who is better where it names somebody."""
    word, ahead = pair.verdict.word, pair.verdict.ahead
    if not ahead:
        return word
    better = pair.second if ahead > 0 else pair.first
    return f"{word}: {better.ranker} {better.version}"


def _names(pair: PairVerdict) -> str:
    first, second = sorted((pair.first, pair.second), key=lambda run: run.id)
    return f"{first.ranker} {first.version} against {second.ranker} {second.version}"


def tell_changes(session: Session, project: Project, watch: WebhookWatch, facts: ScoreFacts) -> None:
    """Write messages about what has changed since the last look, and keep what is so now.

    The first look tells nothing: it is what later ones are compared with.
    """
    if watch.facts:
        _tell_finished(session, project, facts.finished - {*watch.facts["finished"]})
        _tell_verdicts(session, project, list(_changed(watch.facts["verdicts"], facts)))
    before = watch.facts if watch.facts.get("ruler") == facts.ruler else {}
    highest = {
        str(webhook.id): _told_of_drop(
            session, webhook, before.get("highest", {}).get(str(webhook.id)), facts
        )
        for webhook in active_webhooks(session, project.id)
        if SCORE_DROPPED in webhook.events.split()
    }
    watch.facts = facts.kept({number: score for number, score in highest.items() if score is not None})
    watch.revision = facts.revision
    session.flush()


def _tell_finished(session: Session, project: Project, finished: frozenset[int]) -> None:
    if not finished:
        return
    some = sorted(finished)[:NAMED]
    names = list(session.scalars(select(Query.external_id).where(Query.id.in_(some)).order_by(Query.id)))
    count = len(finished)
    announce(
        session,
        project,
        QUESTION_FINISHED,
        message=(
            f"All answers to question {names[0]} are rated."
            if count == 1
            else f"All answers to {count:,} more questions are rated."
        ),
        path=f"/p/{project.slug}/questions",
        question=", ".join(names),
        count=count,
    )


def _changed(before: dict[str, str], facts: ScoreFacts) -> Iterator[dict[str, str]]:
    for pair, (word, names) in facts.verdicts.items():
        if pair in before and before[pair] != word:
            yield {"pair": names, "before": before[pair], "after": word}


def _tell_verdicts(session: Session, project: Project, changes: list[dict[str, str]]) -> None:
    if not changes:
        return
    first, more = changes[0], len(changes) - 1
    announce(
        session,
        project,
        VERDICT_CHANGED,
        message=f"{first['pair']}: {first['after']} (before: {first['before']})"
        + (f", and {more} more verdicts changed." if more else "."),
        path=f"/p/{project.slug}/compare",
        verdicts=changes[:NAMED],
    )


def _told_of_drop(
    session: Session, webhook: Webhook, highest: float | None, facts: ScoreFacts
) -> float | None:
    """Return the score that the next one is compared with: the highest since the webhook was last told."""
    if facts.production is None:
        return highest
    ranker, version, score = facts.production
    if highest is None or highest - score <= webhook.points:
        return score if highest is None else max(highest, score)
    announce_to(
        session,
        webhook,
        SCORE_DROPPED,
        message=f"The score in production dropped from {highest:.1f} to {score:.1f} ({ranker} {version}).",
        path="",
        ranker=ranker,
        version=version,
        score=round(score, 2),
        before=round(highest, 2),
    )
    return score

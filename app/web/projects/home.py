"""The home page: what to go on with, then the projects, each with one number or what is left to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import render_template, request

from app.http.identity import Identity
from app.http.permissions import Access, allow, current_identity_or_404, may_make_projects
from app.http.sessions import close_read_session, database, read_session, settings
from app.jobs.backups import backup_notice
from app.models import Project, Role, now_utc
from app.services.accounts.confirming import find_unconfirmed
from app.services.accounts.people import get_person, projects_of
from app.services.assignment.batch_lifecycle import unfinished_questions
from app.services.assignment.coming import count_reserved
from app.services.assignment.progress import AnnotatorProgress, progress_of
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of
from app.services.judging.inbox import replies_to
from app.services.judging.own_ratings import flagged_by, last_ratings
from app.services.projects.activity import activity_of, moved_last
from app.services.projects.projects import SetUpStep, set_up_steps
from app.services.scores.coverage import Coverage, coverage_of
from app.services.scores.leaderboard import Entry, Leaderboard, leaderboard_of
from app.services.scores.timeline import history_with_current_ratings
from app.web.charts.lines import Sparkline, sparkline
from app.web.grades import words_of
from app.web.numbers import shown_score
from app.web.projects import blueprint
from app.web.ranker_colours import ranker_colours
from app.web.today import Today, today_of_visitor

MOST_SCORED = 12
SEARCHED_FROM = 4
# A paused project assigns nothing new, but what it has assigned may be finished.
RATED_IN = {"open", "paused"}


@dataclass(frozen=True)
class ProjectCard:
    """One project on the home page; annotators' cards hold nothing of its scores.

    `tone` is the colour of the best ranker. `set_up` is what is left to do until the first score.
    `is_finished` says that unrated answers count as not relevant, and so wait for no owner.
    """

    project: Project
    role: Role
    progress: AnnotatorProgress | None
    leaderboard: Leaderboard | None = None
    coverage: Coverage | None = None
    tone: int = 0
    sparkline: Sparkline | None = None
    questions: int = 0
    set_up: list[SetUpStep] | None = None
    is_finished: bool = False

    @property
    def unrated(self) -> int:
        """Return how many of the answers that wait for an owner have no rating, where the others have one."""
        progress = self.progress
        if progress is None or self.role is not Role.OWNER or progress.first == progress.waiting:
            return 0
        return progress.first

    @property
    def is_again(self) -> bool:
        """Return whether every answer that waits for an owner has a rating, and needs another."""
        progress = self.progress
        return self.role is Role.OWNER and progress is not None and not progress.first

    @property
    def is_shared(self) -> bool:
        """Return whether an annotator is told their share, because others rate here as well."""
        shared = self.progress is not None and self.progress.share < self.progress.waiting
        return shared and self.role is Role.ANNOTATOR

    @property
    def leader(self) -> Entry | None:
        """Return the best ranker, if there is one."""
        return self.leaderboard.rankers[0] if self.leaderboard and self.leaderboard.rankers else None

    @property
    def score(self) -> str:
        """Return the best ranker's score as its overview prints it."""
        if self.leaderboard is None or self.leader is None:
            return ""
        return shown_score(self.leader.score)


@blueprint.get("/")
@allow(Access.SIGNED_IN)
def home() -> str:
    """Show the projects of the person who is signed in."""
    identity = current_identity_or_404()
    everything = projects_of(read_session(), get_person(read_session(), identity.id))
    search = request.args.get("q", "").strip()[:200]
    found = [(project, role) for project, role in everything if _is_found(project, search)]
    rating = {
        project.id: progress_of(
            read_session(),
            project.id,
            identity.id,
            evidence=evidence_of(database(), project.id),
            decides=role is Role.OWNER,
        )
        for project, role in found
        if role is not Role.VIEWER and project.state in RATED_IN
    }
    seen = [project.id for project, role in found if role is not Role.ANNOTATOR]
    scored = moved_last(read_session(), seen, MOST_SCORED)
    close_read_session()
    cards = [
        _card(project, role, rating.get(project.id), scored=project.id in scored) for project, role in found
    ]
    # Of very many projects those without a number come last.
    cards.sort(key=lambda card: card.role is not Role.ANNOTATOR and card.leaderboard is None)
    waiting = [card for card in cards if card.progress and card.progress.waiting and not card.is_finished]
    waiting.sort(
        key=lambda card: (card.role is not Role.ANNOTATOR, -card.progress.waiting if card.progress else 0)
    )
    resume = waiting[0] if waiting else None
    followed = _followed(found, scored)
    return render_template(
        "projects/home.html",
        cards=cards,
        resume=resume,
        reserved=_reserved(resume, identity),
        elsewhere=len(waiting) - 1,
        search=search,
        searchable=len(everything) >= SEARCHED_FROM,
        activity=activity_of(read_session(), followed),
        has_demo=len(followed) < len(scored),
        slugs={project.id: (project.slug, project.name) for project, _ in found},
        several=len(found) > 1,
        today=_today(cards),
        replies=replies_to(read_session(), identity.id, [project.id for project, _ in everything]),
        **_own_work(resume, identity),
        may_create=may_make_projects(identity),
        is_unconfirmed=find_unconfirmed(read_session(), identity.id) is not None,
        backup_notice=backup_notice(settings()) if identity.is_admin else "",
    )


def _today(cards: list[ProjectCard]) -> Today | None:
    """Return what is told of today to annotators, and to others who rate."""
    if not any(card.progress for card in cards):
        return None
    today = today_of_visitor()
    rates = any(card.role is Role.ANNOTATOR for card in cards) or today.goal or today.is_begun
    return today if rates else None


def _reserved(resume: ProjectCard | None, identity: Identity) -> int:
    """Return how many unrated answers of the project an owner goes on with are on other people's pages."""
    if resume is None or resume.role is not Role.OWNER:
        return 0
    project = resume.project
    return count_reserved(read_session(), evidence_of(database(), project.id), project, identity.id)


def _own_work(resume: ProjectCard | None, identity: Identity) -> dict[str, Any]:
    """Return an annotator's last ratings and flags in the project they go on with."""
    if resume is None or resume.role is not Role.ANNOTATOR:
        return {"is_new": False, "last": [], "flagged": [], "unfinished": [], "words": {}}
    project = resume.project
    last = last_ratings(read_session(), project.id, identity.id)
    return {
        "is_new": not last and str(project.id) not in identity.preferences.get("introduced", {}),
        "last": last,
        "unfinished": unfinished_questions(read_session(), project.id, identity.id, now_utc()),
        "flagged": flagged_by(read_session(), project.id, identity.id),
        "words": words_of(project.grade_words, project.grades),
    }


def _is_found(project: Project, search: str) -> bool:
    return all(word in f"{project.name} {project.slug}".casefold() for word in search.casefold().split())


def _followed(found: list[tuple[Project, Role]], scored: set[int]) -> list[int]:
    """Return the projects whose activity is told: where one sees scores, and no demo, which has no dates."""
    return [project.id for project, _ in found if project.id in scored and not project.is_demo]


def _card(project: Project, role: Role, progress: AnnotatorProgress | None, *, scored: bool) -> ProjectCard:
    if role is Role.ANNOTATOR or (progress is None and not scored):
        return ProjectCard(project, role, progress)
    evidence = evidence_of(database(), project.id)
    if not scored:
        is_finished = evidence.ruler_at().unjudged == "complete"
        return ProjectCard(project, role, progress, is_finished=is_finished)
    leaderboard = leaderboard_of(evidence)
    tone = _tone(evidence, leaderboard)
    coverage, questions = (
        coverage_of(evidence, leaderboard.board.judged),
        int(evidence.active_queries().sum()),
    )
    has_score = bool(leaderboard.rankers) and leaderboard.rankers[0].score is not None
    return ProjectCard(
        project,
        role,
        progress,
        leaderboard,
        coverage,
        tone,
        _spark(evidence, leaderboard, tone),
        questions,
        set_up=None
        if has_score
        else set_up_steps(read_session(), project.id, questions, has_ranker=bool(leaderboard.rankers)),
        is_finished=role is Role.OWNER and not leaderboard.waits_for_ratings,
    )


def _tone(evidence: Evidence, leaderboard: Leaderboard) -> int:
    """Return the colour of the best ranker, 0 without any."""
    tones = ranker_colours(evidence, leaderboard.board)
    return tones[leaderboard.rankers[0].run.ranker_id] if leaderboard.rankers else 0


def _spark(evidence: Evidence, leaderboard: Leaderboard, tone: int) -> Sparkline | None:
    if not leaderboard.rankers or leaderboard.early:
        return None
    leader = leaderboard.rankers[0].run
    points = history_with_current_ratings(evidence).points.get(leader.ranker_id, [])
    return sparkline([None if point.score is None else point.score * 100 for point in points], tone)

"""What e-mails say, in the language of whoever gets them; the week's summary in English, as owners' pages.

It is written when it is sent: what was read, taken back or refused meanwhile is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_date
from babel.support import NullTranslations
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database import Database
from app.models import Invitation, Judgment, MailMessage, Membership, Person, PersonKind, Project, Role, Run
from app.sentences import counted
from app.services.accounts.invitations import get_invitation
from app.services.accounts.people import find_person
from app.services.assignment.progress import progress_of
from app.services.errors import GoneError
from app.services.evidence.store import evidence_of
from app.services.judging.inbox import count_open, replies_to
from app.services.mail import INVITATION, REPLIES, WORK_SETTLED, token_of, wants
from app.services.projects.words import USUAL, ProjectWords
from app.services.scores.coverage import coverage_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.translations import LANGUAGES, SOURCE, locale_of, worded_translations

WEEK = timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class Letter:
    """An e-mail as it is sent."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True)
class Writer:
    """Writes the e-mails of a site; `secret_key` returns what the tokens of invitations are made with."""

    database: Database
    site: str
    secret_key: Callable[[], str]

    def write(self, sent: MailMessage) -> Letter | None:
        """Return what an e-mail says; None where there is nothing to say any more."""
        with self.database.read() as session:
            if sent.kind == INVITATION:
                return self._invitation(session, sent)
            person = session.get_one(Person, sent.person_id)
            if not wants(person, sent.kind):
                return None
            if sent.project_id is None:
                return self._week(session, person, sent.created_at - WEEK)
            project = session.get_one(Project, sent.project_id)
            membership = session.get(Membership, (person.id, project.id))
            if membership is None or membership.role is None or project.state == "archived":
                return None
            if sent.kind == REPLIES:
                return self._replies(session, person, project)
            return self._work(session, person, project, sent.created_at)

    def _invitation(self, session: Session, sent: MailMessage) -> Letter | None:
        token = token_of(self.secret_key(), sent)
        try:
            link: Invitation = get_invitation(session, token, "invite")
        except GoneError:
            return None
        email = str(link.email)
        person = find_person(session, email)
        if person is not None and not wants(person, INVITATION):
            return None
        inviter = session.get(Person, link.created_by) if link.created_by else None
        project = session.get(Project, link.project_id) if link.project_id else None
        says = _translations(person or inviter, project)
        if project is None:
            subject = says.ugettext("You are invited")
        elif link.role == Role.OWNER:
            subject = says.ugettext("You are invited to manage %(name)s") % {"name": project.name}
        elif link.role == Role.ANNOTATOR:
            subject = says.ugettext("You are invited to rate answers in %(name)s") % {"name": project.name}
        else:
            subject = says.ugettext("You are invited to see the scores of %(name)s") % {"name": project.name}
        language = _language_of(person or inviter)
        until = format_date(link.expires_at, "long", locale_of(language))
        parts = [
            f"{subject}.",
            says.ugettext("Invited by %(name)s.") % {"name": inviter.name} if inviter else "",
            says.ugettext("Open this link to accept. It works once, until %(date)s, and only for %(email)s:")
            % {"date": until, "email": email},
            f"{self.site}/invitation/{token}",
            says.ugettext("If you did not expect this, you can ignore it."),
        ]
        return self._letter(email, subject, parts, says, person)

    def _replies(self, session: Session, person: Person, project: Project) -> Letter | None:
        replies = replies_to(session, person.id, [project.id])
        if not replies:
            return None
        says = _translations(person, project)
        subject = says.ungettext(
            "A reply to you in %(name)s", "%(num)s replies to you in %(name)s", len(replies)
        )
        parts = [
            "\n".join([reply.query, *([reply.title] if reply.title else []), *_quoted(reply.reply)])
            for reply in replies
        ]
        parts += [says.ugettext("You can mark replies as read on your home page:"), f"{self.site}/"]
        values = {"name": project.name, "num": len(replies)}
        return self._letter(str(person.email), subject % values, parts, says, person)

    def _work(self, session: Session, person: Person, project: Project, told_at: datetime) -> Letter | None:
        newest = (
            select(Judgment.received_at)
            .where(Judgment.project_id == project.id, Judgment.annotator_id == person.id)
            .order_by(Judgment.revision.desc())
            .limit(1)
        )
        rated_at = session.scalar(newest)
        if project.state != "open" or (rated_at is not None and rated_at > told_at - WORK_SETTLED):
            return None  # nothing is assigned, or they have seen it
        evidence = evidence_of(self.database, project.id)
        count = progress_of(session, project.id, person.id, evidence=evidence).waiting
        if not count:
            return None
        says = _translations(person, project)
        subject = says.ungettext(
            "%(num)s answer to rate in %(name)s", "%(num)s answers to rate in %(name)s", count
        )
        parts = [
            says.ugettext("Answers wait for your ratings in %(name)s:") % {"name": project.name},
            f"{self.site}/p/{project.slug}/rate",
        ]
        values = {"name": project.name, "num": count}
        return self._letter(str(person.email), subject % values, parts, says, person)

    def _week(self, session: Session, person: Person, since: datetime) -> Letter | None:
        owned = session.scalars(
            select(Project)
            .join(Membership, Membership.project_id == Project.id)
            .where(Membership.person_id == person.id, Membership.role == Role.OWNER)
            .where(Project.state != "archived", Project.is_demo.is_(False))
            .order_by(Project.name)
        ).all()
        told = [(project, found) for project in owned if (found := self._week_of(session, project, since))]
        if not told:
            return None
        first, more = told[0][0].name, len(told) - 1
        subject = f"The week in {first}" + (f" and {counted(more, 'other project')}" if more else "")
        parts = [found for _, found in told]
        return self._letter(str(person.email), subject, parts, worded_translations(SOURCE, USUAL), person)

    def _week_of(self, session: Session, project: Project, since: datetime) -> str:
        """Return what happened in a project since a moment; nothing where nothing did."""
        ratings, people = session.execute(
            select(func.count(), func.count(Judgment.annotator_id.distinct()))
            .join(Person, Person.id == Judgment.annotator_id)
            .where(Judgment.project_id == project.id, Judgment.received_at > since)
            .where(Judgment.grade.is_not(None), Person.kind == PersonKind.PERSON)
        ).one()
        versions = session.scalar(
            select(func.count()).where(
                Run.project_id == project.id, Run.state == "published", Run.registered_at > since
            )
        )
        remarks = count_open(session, project.id)
        if not (ratings or versions or remarks):
            return ""
        evidence = evidence_of(self.database, project.id)
        board = leaderboard_of(evidence)
        coverage = coverage_of(evidence, board.board.judged)
        rated = f"{coverage.rated:,} of {counted(coverage.pooled, 'answer')} in the pool rated."
        lines = [
            project.name,
            board.answer.sentence,
            f"{counted(ratings, 'rating')} by {counted(people, 'person', 'people')} in the last 7 days.",
            ProjectWords.of(project.wording).reworded(rated),
            f"{counted(versions, 'new version')} of rankers." if versions else "",
            f"{counted(remarks, 'note or report', 'notes and reports')} not resolved." if remarks else "",
            f"{self.site}/p/{project.slug}/",
        ]
        return "\n".join(line for line in lines if line)

    def _letter(
        self, to: str, subject: str, parts: list[str], says: NullTranslations, person: Person | None
    ) -> Letter:
        if person is not None:
            parts = [says.ugettext("Hello, %(name)s") % {"name": person.name}, *parts]
            choose = says.ugettext("In your account you choose which e-mails you get, or stop all of them:")
            parts.append(f"{choose}\n{self.site}/account")
        text = "\n\n".join(part for part in parts if part)
        return Letter(to=to, subject=" ".join(subject.split()), text=f"{text}\n")


def _language_of(person: Person | None) -> str:
    chosen = person.preferences.get("language") if person else None
    return chosen if chosen in LANGUAGES else SOURCE


def _translations(person: Person | None, project: Project | None) -> NullTranslations:
    words = ProjectWords.of(project.wording) if project else USUAL
    return worded_translations(_language_of(person), words)


def _quoted(text: str) -> list[str]:
    return [f"> {line}" for line in text.splitlines()]

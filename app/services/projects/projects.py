"""Projects: create, find and change them; what one holds; and the checklist of a new one.

The scale freezes at the first judgment; words and guidelines never do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Integer, Select, bindparam, distinct, exists, func, select
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.models.audit import AuditKind
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import EventKind
from app.models.judgment import CurrentJudgment, Judgment, Origin
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import BatchHead, Guideline, LedgerHead, Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Run
from app.models.token import Invitation
from app.scoring.choices import SCALES
from app.scoring.ruler import usual_threshold
from app.scoring.verdict import LEAST_QUERIES
from app.sentences import message, number_message
from app.services.accounts.audit import record
from app.services.accounts.people import is_open
from app.services.collection.pool import check_depth
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event
from app.services.prepared import Prepared
from app.services.projects.assignment_settings import (
    AssignmentOrder,
    Quality,
    check_quality,
    default_share_twice,
)
from app.services.scoring_settings import ScoringSettings, check_ruler, set_ruler

LARGEST_OVERLAP = 50
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
GRADE_WORDS: dict[str, list[dict[str, str]]] = {
    "0-3": [
        {"word": "No help", "meaning": "The person asking would be annoyed."},
        {"word": "A little", "meaning": "Related, but not this problem."},
        {"word": "Mostly", "meaning": "The right subject, with one step missing."},
        {"word": "Solves it", "meaning": "The person asking could stop looking."},
    ],
    "1-5": [
        {"word": "Off topic", "meaning": "Nothing to do with the question."},
        {"word": "Weak", "meaning": "Touches the subject, of little use."},
        {"word": "Fair", "meaning": "Useful in part."},
        {"word": "Good", "meaning": "Useful, with something missing."},
        {"word": "Excellent", "meaning": "Exactly what was asked for."},
    ],
}


@dataclass(frozen=True, kw_only=True)
class NewProject:
    """What a new project is made from; unset values take the product's defaults.

    `share_twice`: the share of answers that two people rate, by default 20 % unless all of them are.
    """

    slug: str
    name: str
    scale: str = "0-3"
    k: int = 10
    gain: str = "linear"
    discount: str = "log2"
    threshold: int | None = None
    pool_depth: int | None = None
    overlap: int = 1
    dealing: AssignmentOrder = "front"
    share_twice: float | None = None
    headline: str = ""
    grade_words: list[dict[str, str]] | None = None
    wording: dict[str, str] = field(default_factory=dict)
    guidelines: str = ""
    is_demo: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def create_project(session: Session, new: NewProject, *, actor_id: int | None = None) -> Project:
    """Create a project with its ledger and its first ruler, and return it.

    :raise InvalidError: A value cannot be right; nothing is created.
    :raise ConflictError: The slug is taken.
    """
    low, high = _check_new(session, new)
    depth = new.k if new.pool_depth is None else new.pool_depth
    project = Project(
        slug=new.slug,
        name=new.name.strip(),
        headline=new.headline.strip(),
        scale_low=low,
        scale_high=high,
        grade_words=new.grade_words or GRADE_WORDS[new.scale],
        wording=new.wording,
        pool_depth=depth,
        overlap=new.overlap,
        share_twice=_share_twice(new),
        is_demo=new.is_demo,
        options={"dealing": new.dealing, **new.options},
    )
    values = ScoringSettings(
        scale_low=low,
        scale_high=high,
        gain=new.gain,
        discount=new.discount,
        k=new.k,
        threshold=usual_threshold(low, high) if new.threshold is None else new.threshold,
    )
    check_ruler(values, project)
    session.add(project)
    session.flush()
    session.add_all([LedgerHead(project_id=project.id, revision=0), BatchHead(project_id=project.id)])
    session.flush()
    set_ruler(session, project, values, actor_id=actor_id)
    if new.guidelines.strip():
        change_guidelines(session, project, new.guidelines, actor_id=actor_id)
    return project


def check_slug(session: Session, slug: str) -> None:
    """Refuse a short name that no new project can have.

    :raise InvalidError: It cannot be part of an address.
    :raise ConflictError: It is taken.
    """
    if not SLUG.fullmatch(slug) or len(slug) > 80:
        raise InvalidError(
            message(
                "The short name %(slug)s cannot be part of an address: use small letters, digits and single "
                "hyphens, such as workshop-help.",
                slug=repr(slug),
            ),
            code="slug",
            field="slug",
            value=slug,
            remedy="Use small letters, digits and single hyphens, such as workshop-help.",
        )
    if session.scalar(select(exists().where(Project.slug == slug))):
        raise ConflictError(
            message("There is already a project with the short name %(slug)s.", slug=repr(slug)),
            code="slug_taken",
            field="slug",
            value=slug,
            remedy="Choose another short name.",
        )


def _check_new(session: Session, new: NewProject) -> tuple[int, int]:
    check_slug(session, new.slug)
    if not new.name.strip() or len(new.name) > 200:
        raise InvalidError(
            "A project needs a name of at most 200 characters.",
            code="name",
            field="name",
            value=visible(new.name),
            remedy="Give a name of 1 to 200 characters.",
        )
    low_high = range_of_scale(new.scale)
    check_quality(Quality(dealing=new.dealing, share_twice=_share_twice(new)))
    check_overlap(new.overlap)
    check_depth(new.k if new.pool_depth is None else new.pool_depth)
    return low_high


def _share_twice(new: NewProject) -> float:
    return default_share_twice(new.overlap) if new.share_twice is None else new.share_twice


def check_overlap(overlap: int) -> None:
    """Refuse a number of ratings per answer that cannot be met.

    :raise InvalidError: It is below 1 or above 50.
    """
    if not 1 <= overlap <= LARGEST_OVERLAP:
        raise InvalidError(
            message(
                "An overlap of %(overlap)s is not possible: choose 1 to %(most)s.",
                overlap=overlap,
                most=LARGEST_OVERLAP,
            ),
            code="overlap",
            field="overlap",
            value=str(overlap),
            remedy=f"Choose 1 to {LARGEST_OVERLAP}.",
        )


def range_of_scale(scale: str) -> tuple[int, int]:
    """Return the lowest and the highest grade of a scale.

    :raise InvalidError: There is no such scale.
    """
    if scale not in SCALES:
        known = " or ".join(SCALES)
        raise InvalidError(
            message("The scale %(scale)s is not known: choose %(scales)s.", scale=repr(scale), scales=known),
            code="scale",
            field="scale",
            value=scale,
            remedy=f"Choose {known}.",
        )
    return SCALES[scale]


def find_project(session: Session, slug: str) -> Project | None:
    """Return the project with this short name, or None."""
    return session.scalar(select(Project).where(Project.slug == slug, Project.is_complete()))


def get_project(session: Session, slug: str) -> Project:
    """Return the project with this short name.

    :raise NotFoundError: There is none.
    """
    project = find_project(session, slug)
    if project is None:
        raise NotFoundError(message("There is no project %(slug)s.", slug=repr(slug)))
    return project


def is_scale_frozen(session: Session, project_id: int) -> bool:
    """Return whether the project ever had a judgment: the ledger keeps its grade, so the scale stays."""
    return bool(session.scalar(select(exists().where(Judgment.project_id == project_id))))


def change_guidelines(
    session: Session, project: Project, markdown: str, *, actor_id: int | None = None
) -> int:
    """Store a new version of the guidelines and return its number; equal text changes nothing."""
    latest = find_guideline(session, project.id)
    if latest is not None and latest.markdown == markdown:
        return latest.version
    guideline = Guideline(
        project_id=project.id,
        version=1 if latest is None else latest.version + 1,
        markdown=markdown,
        author_id=actor_id,
    )
    session.add(guideline)
    record_event(
        session,
        project.id,
        EventKind.GUIDELINES_CHANGED,
        {"version": guideline.version},
        actor_id=actor_id,
    )
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["guidelines"])
    return guideline.version


class FoundGuideline(NamedTuple):
    """One version of the guidelines."""

    version: int
    created_at: datetime
    markdown: str


def find_guideline(session: Session, project_id: int, *, version: int | None = None) -> FoundGuideline | None:
    """Return the newest guidelines, or one version of them; None where there are none."""
    row = _guideline.row(session, {"project": project_id, "version": version})
    return None if row is None else FoundGuideline(*row)


@Prepared
def _guideline() -> Select[int, datetime, str]:
    version = bindparam("version", type_=Integer)
    return (
        select(Guideline.version, Guideline.created_at, Guideline.markdown)
        .where(
            Guideline.project_id == bindparam("project"),
            Guideline.version == func.coalesce(version, Guideline.version),
        )
        .order_by(Guideline.version.desc())
        .limit(1)
    )


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Counts of one project.

    Attributes
    ----------
    queries
        Active ones.
    runs, rankers
        Published versions of rankers, and how many rankers they are of.
    pooled
        Pairs in the pool.
    judgments, imported
        Current grades, without checks of annotators; and the grades that came from files.
    """

    queries: int
    documents: int
    rankers: int
    runs: int
    pooled: int
    judgments: int
    imported: int


def contents_of(session: Session, project_id: int) -> Contents:
    """Return what a project holds."""

    def count(column: ColumnElement[int], *where: ColumnElement[bool]) -> int:
        return session.scalar(select(column).where(*where)) or 0

    # Random choices and answers that people knew of are stored as runs, too.
    rankers = select(Ranker.id).where(Ranker.project_id == project_id, Ranker.kind == "system")
    published = (Run.project_id == project_id, Run.state == "published", Run.ranker_id.in_(rankers))
    return Contents(
        queries=count(func.count(), Query.project_id == project_id, Query.retired_revision.is_(None)),
        documents=count(func.count(), Document.project_id == project_id),
        rankers=count(func.count(distinct(Run.ranker_id)), *published),
        runs=count(func.count(), *published),
        pooled=count(func.count(), Candidate.project_id == project_id, Candidate.in_pool.is_(True)),
        judgments=count(
            func.count(),
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.kind.not_in((Origin.REPEAT, Origin.GOLD)),
            CurrentJudgment.grade.is_not(None),
        ),
        imported=count(
            func.count(),
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.grade.is_not(None),
            CurrentJudgment.annotator_id.in_(
                select(Person.id).where(Person.kind.in_((PersonKind.IMPORTED, PersonKind.MACHINE)))
            ),
        ),
    )


@dataclass(frozen=True)
class SetUpStep:
    """One line of the checklist; `place` is ``import``, ``guidelines``, ``people`` or ``rate``."""

    text: str
    done: bool
    place: str


def set_up_steps(session: Session, project_id: int, questions: int, *, has_ranker: bool) -> list[SetUpStep]:
    """Return the checklist of a project until its first score."""
    has_answers = session.scalar(select(exists(select(Document.id).where(Document.project_id == project_id))))
    guidelines = find_guideline(session, project_id) is not None
    invited = _are_annotators_invited(session, project_id)
    return [
        SetUpStep(
            message("Questions: %(num)s imported", num=questions)
            if questions
            else message("Import the questions"),
            questions > 0,
            "import",
        ),
        SetUpStep(
            message("Guidelines written") if guidelines else message("Write the guidelines"),
            guidelines,
            "guidelines",
        ),
        SetUpStep(
            message("Annotators invited") if invited else message("Invite annotators"),
            invited,
            "people",
        ),
        SetUpStep(
            message("Results of a ranker imported")
            if has_ranker
            else message("Import the results of a ranker")
            if has_answers
            else message("Import the results of a ranker, and the texts of its answers"),
            has_ranker,
            "import",
        ),
        SetUpStep(_until_enough(questions), False, "rate"),
    ]


def _until_enough(questions: int) -> str:
    """Return the last step; where the questions are too few for a comparison, rating alone is not enough."""
    if 0 < questions < LEAST_QUERIES:
        lacking = LEAST_QUERIES - questions
        return message(
            "Rate until %(num)s questions are scored (%(add)s)",
            num=LEAST_QUERIES,
            add=number_message("add at least %(num)s question", "add at least %(num)s questions", lacking),
        )
    return message("Rate until %(num)s questions are scored", num=LEAST_QUERIES)


def _are_annotators_invited(session: Session, project_id: int) -> bool:
    """Return whether anybody annotates, or holds an invitation to."""
    members = (
        select(Membership.person_id)
        .join(Person, Person.id == Membership.person_id)
        .where(
            Membership.project_id == project_id,
            Membership.role == Role.ANNOTATOR.value,
            # Those that imported files are counted as are no people.
            Person.kind == PersonKind.PERSON.value,
        )
    )
    invited = select(Invitation.id).where(
        Invitation.project_id == project_id,
        Invitation.role == Role.ANNOTATOR.value,
        is_open(),
    )
    return bool(session.scalar(select(members.exists() | invited.exists())))

"""Projects: create, find, change. The scale freezes at the first judgment; words and guidelines never do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import exists, select

from app.models import BatchHead, EventKind, Guideline, Judgment, LedgerHead, Project
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event
from app.services.pooling.depth import check_depth
from app.services.quality import Dealing, Quality, check_quality, default_share_twice
from app.services.rulers import RulerValues, check_ruler, default_threshold, set_ruler

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SCALES = {"0-3": (0, 3), "1-5": (1, 5)}
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
    dealing: Dealing = "front"
    share_twice: float | None = None
    headline: str = ""
    grade_words: list[dict[str, str]] | None = None
    wording: dict[str, str] = field(default_factory=dict)
    guidelines: str = ""
    is_demo: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def create_project(session: Session, new: NewProject, *, actor_id: int | None = None) -> Project:
    """Create a project with its ledger and its first ruler, and return it.

    Raises
    ------
    InvalidError
        A value cannot be right; nothing is created.
    ConflictError
        The slug is taken.
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
    values = RulerValues(
        scale_low=low,
        scale_high=high,
        gain=new.gain,
        discount=new.discount,
        k=new.k,
        threshold=default_threshold(low) if new.threshold is None else new.threshold,
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


def _check_new(session: Session, new: NewProject) -> tuple[int, int]:
    if not SLUG.fullmatch(new.slug) or len(new.slug) > 80:
        raise InvalidError(
            f"The short name {new.slug!r} cannot be part of an address: use small letters, digits and single "
            "hyphens, such as workshop-help.",
            code="slug",
        )
    if not new.name.strip() or len(new.name) > 200:
        raise InvalidError("A project needs a name of at most 200 characters.", code="name")
    if new.scale not in SCALES:
        raise InvalidError(f"The scale {new.scale!r} is not known: choose 0-3 or 1-5.", code="scale")
    check_quality(Quality(dealing=new.dealing, share_twice=_share_twice(new)))
    if not 1 <= new.overlap <= 50:
        raise InvalidError(f"An overlap of {new.overlap} is not possible: choose 1 to 50.", code="overlap")
    check_depth(new.k if new.pool_depth is None else new.pool_depth)
    if session.scalar(select(exists().where(Project.slug == new.slug))):
        raise ConflictError(
            f"There is already a project with the short name {new.slug!r}.", code="slug_taken"
        )
    return SCALES[new.scale]


def _share_twice(new: NewProject) -> float:
    return default_share_twice(new.overlap) if new.share_twice is None else new.share_twice


def find_project(session: Session, slug: str) -> Project | None:
    """Return the project with this short name, or None."""
    return session.scalar(select(Project).where(Project.slug == slug))


def get_project(session: Session, slug: str) -> Project:
    """Return the project with this short name.

    Raises
    ------
    NotFoundError
        There is none.
    """
    project = find_project(session, slug)
    if project is None:
        raise NotFoundError(f"There is no project {slug!r}.")
    return project


def is_scale_frozen(session: Session, project_id: int) -> bool:
    """Tell whether the project has a judgment, after which its scale can never change."""
    return bool(session.scalar(select(exists().where(Judgment.project_id == project_id))))


def change_guidelines(
    session: Session, project: Project, markdown: str, *, actor_id: int | None = None
) -> Guideline:
    """Store a new version of the guidelines and return it; equal text changes nothing."""
    latest = find_guideline(session, project.id)
    if latest is not None and latest.markdown == markdown:
        return latest
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
    return guideline


def find_guideline(session: Session, project_id: int, *, version: int | None = None) -> Guideline | None:
    """Return the newest guidelines, or one version of them; None where there are none."""
    wanted = select(Guideline).where(Guideline.project_id == project_id)
    if version is not None:
        wanted = wanted.where(Guideline.version == version)
    return session.scalar(wanted.order_by(Guideline.version.desc()).limit(1))

"""The tables, one subject a file; importing this module makes all of them known."""

from app.models.adjudication import AdjudicationRequest, AdjudicationView
from app.models.assignment import Assignment, AssignmentCandidate
from app.models.audit import AuditEntry, AuditKind
from app.models.base import Base, now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Bookmark, Event, EventKind
from app.models.gold import Gold
from app.models.judgment import (
    CurrentJudgment,
    Disclosure,
    Flag,
    Input,
    Judgment,
    JudgmentNote,
    Origin,
    Reason,
)
from app.models.mail import MailMessage
from app.models.near_duplicate import NearDuplicate, NearDuplicateSearch
from app.models.person import (
    EndedSession,
    Erasure,
    Membership,
    OpenSession,
    OrganisationIdentity,
    Person,
    PersonKind,
    Role,
    SignInFailure,
    UnconfirmedPassword,
)
from app.models.picture import Picture, PictureContent
from app.models.project import BatchHead, Guideline, LedgerHead, Project, Purge
from app.models.project_copy import ProjectCopy
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.remark_resolution import RemarkResolution
from app.models.request import Request
from app.models.ruler import Ruler
from app.models.run import Ranking, Run
from app.models.token import ApiReply, ApiToken, Invitation, SharedLink
from app.models.upload import Upload
from app.models.webhook import Webhook, WebhookDelivery, WebhookWatch

__all__ = [
    "AdjudicationRequest",
    "AdjudicationView",
    "ApiReply",
    "ApiToken",
    "Assignment",
    "AssignmentCandidate",
    "AuditEntry",
    "AuditKind",
    "Base",
    "BatchHead",
    "Bookmark",
    "Candidate",
    "CurrentJudgment",
    "Disclosure",
    "Document",
    "EndedSession",
    "Erasure",
    "Event",
    "EventKind",
    "Flag",
    "Gold",
    "Guideline",
    "Input",
    "Invitation",
    "Judgment",
    "JudgmentNote",
    "LedgerHead",
    "MailMessage",
    "Membership",
    "NearDuplicate",
    "NearDuplicateSearch",
    "OpenSession",
    "OrganisationIdentity",
    "Origin",
    "Person",
    "PersonKind",
    "Picture",
    "PictureContent",
    "Project",
    "ProjectCopy",
    "Purge",
    "Query",
    "Ranker",
    "Ranking",
    "Reason",
    "RemarkResolution",
    "Request",
    "Role",
    "Ruler",
    "Run",
    "SharedLink",
    "SignInFailure",
    "UnconfirmedPassword",
    "Upload",
    "Webhook",
    "WebhookDelivery",
    "WebhookWatch",
    "now_utc",
]

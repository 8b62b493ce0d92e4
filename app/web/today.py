"""Today, as its own person is told of it: how many answers, how long, and how far to the goal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flask import request

from app.http.permissions import current_identity_or_404
from app.http.sessions import read_session
from app.models import now_utc
from app.services.accounts.preferences import preferences_of
from app.services.judging.today import DAYS, RatedDay, rated_days
from app.web.dates import day_in_words

# Written by js/controllers/times.js.
COOKIE = "zone"
LONGEST = 64


@dataclass(frozen=True)
class Today:
    """What was rated today, the person's own goal (0: none), and the days before."""

    now: RatedDay
    goal: int
    days: tuple[RatedDay, ...]
    zone: tzinfo
    in_utc: bool

    @property
    def most(self) -> int:
        """The most answers of one of the days, at least one."""
        return max(1, *(one.answers for one in self.days))

    @property
    def is_begun(self) -> bool:
        """Return whether anything was rated on one of the days."""
        return any(one.answers for one in self.days)

    def is_before(self, moment: datetime | None) -> bool:
        """Return whether a rating of this moment counts on an earlier day."""
        return moment is not None and moment.astimezone(self.zone).date() < self.now.day

    def name_of(self, one: RatedDay) -> str:
        """Return the date of a day as the page's language writes it."""
        return day_in_words(one.day)


def today_of_visitor(*, days: int = DAYS) -> Today:
    """Return what the person who asks has rated today and before."""
    identity, zone = current_identity_or_404(), visitor_zone()
    found = rated_days(read_session(), identity.id, now_utc(), zone or UTC, days=days)
    last = max((ago for ago, one in enumerate(found) if one.answers), default=0)
    goal = int(preferences_of(identity.preferences)["goal"])
    return Today(found[0], goal, tuple(found[: last + 1]), zone or UTC, in_utc=zone is None)


def visitor_zone() -> tzinfo | None:
    """Return the time zone that the visitor's browser has told, or None."""
    name = request.cookies.get(COOKIE, "")
    try:
        return ZoneInfo(name) if 0 < len(name) <= LONGEST else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None

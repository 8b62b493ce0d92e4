"""What a use case can refuse. Each caller maps these to a page, a problem document or one line."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """A use case refused; the message is one sentence for the person who asked, with its remedy.

    Parameters
    ----------
    message
        The sentence.
    code
        A short stable name for programs, such as ``off_scale``.
    details
        Further members of the problem document.
    """

    code = "refused"

    def __init__(self, message: str, *, code: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.details = details


class NotFoundError(ServiceError):
    """There is no such thing, or it is not for this person: the two look the same."""

    code = "not_found"


class InvalidError(ServiceError):
    """A value is not acceptable."""

    code = "invalid"


class ConflictError(ServiceError):
    """The present state does not allow it."""

    code = "conflict"


class GoneError(ServiceError):
    """A link that worked once works no more."""

    code = "gone"


class TooManyError(ServiceError):
    """Too many tries; `retry_after` says after how many seconds to try again."""

    code = "too_many"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

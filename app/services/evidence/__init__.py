"""A project's ledger as NumPy arrays, kept per process and caught up by revision.

`evidence_of` is the door: it returns an immutable `Evidence` at the newest revision. Everything the
product shows is a pure function of it.
"""

from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of, forget_evidence

__all__ = ["Evidence", "evidence_of", "forget_evidence"]

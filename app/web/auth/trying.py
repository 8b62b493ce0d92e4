"""A try at a password: counted, compared, and forgotten when it was right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from app.http.sessions import read_session, write_session
from app.services.people import find_person
from app.services.signing_in import check_password, check_throttle, forget_tries, record_try

if TYPE_CHECKING:
    from app.models import Person


def person_behind(email: str, password: str) -> Person | None:
    """Return the person whom an address and a password belong to, or None.

    Raises
    ------
    TooManyError
        Of this account or from this network address, too many tries have failed.
    """
    address = request.remote_addr or ""
    check_throttle(read_session(), email, address)
    with write_session() as session:
        record_try(session, email, address)
    # Once more with this try counted: of many at the same moment only the first ones go on.
    check_throttle(read_session(), email, address, counted=True)
    person = find_person(read_session(), email)
    # Hashing takes long on purpose: outside every write session, or all ratings would wait for it.
    if not check_password(person, password):
        return None
    with write_session() as session:
        forget_tries(session, email)
    return person

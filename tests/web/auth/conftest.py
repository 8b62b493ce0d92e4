"""An account that signs in with a real password, hashed once for all tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from app.services.accounts.sign_in import hash_password

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from app.models import Person
    from tests.furniture.factories import Make

PASSWORD = "correct horse battery"
EMAIL = "ada@example.org"


@dataclass
class Account:
    """A person and what they sign in with."""

    person: Person
    email: str = EMAIL
    password: str = PASSWORD


@pytest.fixture(scope="session")
def password_hash() -> str:
    """Return the hash of `PASSWORD`."""
    return hash_password(PASSWORD)


@pytest.fixture
def ada(making: Callable[[], AbstractContextManager[Make]], password_hash: str) -> Account:
    """Return the account of Ada."""
    with making() as make:
        return Account(make.person("Ada Byron", email=EMAIL, password_hash=password_hash))


@pytest.fixture
def sign_in() -> Callable[..., TestResponse]:
    """Return what tries to sign in: `sign_in(client, email, password)`."""

    def sign_in(
        client: FlaskClient,
        email: str = EMAIL,
        password: str = PASSWORD,
        path: str = "/sign-in",
        **more: object,
    ) -> TestResponse:
        return client.post(path, data={"email": email, "password": password}, **more)

    return sign_in

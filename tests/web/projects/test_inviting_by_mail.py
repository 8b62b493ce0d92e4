"""Inviting by e-mail: links for addresses are sent as well where the operator has named a server."""

import dataclasses
import re

import pytest
from sqlalchemy import select

from app.models import MailMessage, Person
from config import MailSettings

PAGE = "/p/help-centre/people"
SERVER = MailSettings(host="127.0.0.1", port=1, is_tls=False, sender="ratings@example.org")


@pytest.fixture
def mail(app, monkeypatch):
    # What is sent in a test goes nowhere.
    monkeypatch.setenv("SMTP_URL", "")
    state = app.extensions["touchstone"]
    state.settings = dataclasses.replace(state.settings, mail=SERVER)


def test_without_a_server_nothing_is_sent_and_nothing_is_offered(app, rated, client_of, stored):
    owner = client_of(rated.owner)

    page = owner.post(PAGE, data={"whom": "eve@example.org", "role": "annotator"}).text

    assert "e-mail to" not in page
    assert "weekly summary" not in owner.get("/account").text
    with stored.read() as session:
        assert session.scalars(select(MailMessage)).all() == []


@pytest.mark.usefixtures("mail")
def test_links_for_addresses_are_sent_and_shown(rated, client_of, stored):
    owner = client_of(rated.owner)

    page = owner.post(PAGE, data={"whom": "eve@example.org\nBob\nJo <jo@example.org>", "role": "viewer"}).text

    assert page.count("/invitation/") == 3
    assert "They are also sent by e-mail to 2 addresses" in " ".join(page.split())
    assert owner.get(PAGE).text.count("E-mail not sent yet") == 2
    with stored.read() as session:
        assert [row.kind for row in session.scalars(select(MailMessage))] == ["invitation"] * 2


@pytest.mark.usefixtures("mail")
def test_each_person_chooses_their_e_mails(rated, client_of, stored):
    client = client_of(rated.annotator)
    assert len(re.findall(r'<input checked[^>]*name="mails"', client.get("/account").text)) == 4

    client.post("/account", data={"name": "Ada", "mails": ["replies"], "language": "en", "tap": "never"})

    with stored.read() as session:
        assert session.get_one(Person, rated.annotator.id).preferences["mails"] == ["replies"]

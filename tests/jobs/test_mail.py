"""E-mails: to whom, when, in which language, and what becomes of those that a server does not take."""

import re
import ssl
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sqlalchemy import func, select, update

from app.database import Database
from app.jobs.mail import send_mail
from app.jobs.turns import work_items_of
from app.models import (
    Candidate,
    Event,
    Invitation,
    JudgmentNote,
    MailMessage,
    Person,
    Project,
    RemarkResolution,
    Role,
    now_utc,
)
from app.services import mail
from app.services.accounts.erasing import erase_person
from app.services.accounts.invitations import get_invitation, revoke_invitation
from app.services.accounts.preferences import change_preferences
from app.services.judging.inbox import RemarkFilter, handle_remarks
from app.services.mail import MOST_INVITED, invite_by_mail, may_invite_by_mail, queue_mail
from tests.furniture.databases import made_in
from tests.furniture.factories import making_in

SECRET = "a key of this test alone, long enough"
MONDAY = datetime(2026, 11, 23, 6, 5, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch):
    """Give a clock that only goes when it is told to."""

    class Clock:
        now = MONDAY + timedelta(days=3)

    monkeypatch.setattr(mail, "now_utc", lambda: Clock.now)
    return Clock


@pytest.fixture
def rated(stored):
    return made_in(stored, make_rated)


def make_rated(make):
    """Make a project with two answers to rate; return it, its owner, and an annotator who reads French."""
    project = make.project(slug="kettles", name="Kettles")
    # Of the week she is told on Mondays, and this may be one.
    owner = make.member(
        project, "owner", name="Olive Owner", email="olive@example.org", preferences={"mails": []}
    )
    annotator = make.member(
        project, "annotator", name="Ada Example", email="ada@example.org", preferences={"language": "fr"}
    )
    documents = [make.document(project, name) for name in ("d1", "d2")]
    make.run(make.ranker(project, "SECRET ranker"), {make.query(project, "q1"): documents})
    return project.id, owner.id, annotator.id


def look(stored):
    """Look for what is to be told, and send it."""
    with stored.write() as session:
        queue_mail(session)
    send_mail(stored, lambda: SECRET)


def text_of(sent):
    return sent.get_content().replace("\r\n", "\n")


def states(stored):
    with stored.read() as session:
        return [
            (row.kind, row.state) for row in session.scalars(select(MailMessage).order_by(MailMessage.id))
        ]


def invite(stored, project_id, person_id, address="eve@example.org"):
    with stored.write() as session:
        return invite_by_mail(
            session,
            SECRET,
            project_id=project_id,
            role=Role.ANNOTATOR,
            email=address,
            note="Eve",
            created_by=person_id,
        )


@pytest.mark.thorough
def test_an_invitation_is_sent_to_its_address_and_its_token_is_stored_nowhere(stored, rated, post):
    project_id, owner_id, _ = rated
    token = invite(stored, project_id, owner_id)

    send_mail(stored, lambda: SECRET)

    (sent,) = post.taken
    assert (sent["From"], sent["To"]) == ("Ratings <ratings@example.org>", "eve@example.org")
    assert sent["Subject"] == "You are invited to rate answers in Kettles"
    text = text_of(sent)
    assert f"https://rate.example.org/invitation/{token}\n" in text
    assert "Invited by Olive Owner." in text
    with stored.read() as session:
        until = session.scalar(select(Invitation.expires_at))
    assert f"until {until:%-d %B %Y}, and only for eve@example.org" in text
    assert "your account" not in text  # there is none yet
    with stored.read() as session:
        assert get_invitation(session, token, "invite").email == "eve@example.org"
        (row,) = session.scalars(select(MailMessage))
        assert token not in f"{row.message_id} {row.answer}"
    assert states(stored) == [("invitation", "delivered")]


def test_an_invitation_that_was_revoked_or_is_not_wanted_is_not_sent(stored, rated, post):
    project_id, owner_id, annotator_id = rated
    invite(stored, project_id, owner_id)
    invite(stored, project_id, owner_id, "ada@example.org")
    with stored.write() as session:
        first = session.scalar(select(Invitation.id).where(Invitation.email == "eve@example.org"))
        revoke_invitation(session, project_id, first)
        change_preferences(session, annotator_id, {"mails": ["replies"]})

    send_mail(stored, lambda: SECRET)

    assert post.taken == []
    assert states(stored) == [("invitation", "unneeded")] * 2


def test_what_a_server_takes_later_is_tried_again_and_what_it_refuses_is_given_up(stored, rated, post):
    project_id, owner_id, _ = rated
    post.answers[:] = ["451 try later", "550 nobody <eve@example.org> here"]
    invite(stored, project_id, owner_id)

    send_mail(stored, lambda: SECRET)
    with stored.write() as session:
        (row,) = session.scalars(select(MailMessage))
        assert (row.state, row.status, row.answer, row.attempts) == ("waiting", 451, "try later", 1)
        assert row.next_at > now_utc()
        session.execute(update(MailMessage).values(next_at=now_utc()))
    send_mail(stored, lambda: SECRET)

    assert post.taken == []
    assert states(stored) == [("invitation", "failed")]


def test_an_address_that_cannot_be_written_is_given_up(stored, rated, post):
    project_id, owner_id, _ = rated
    invite(stored, project_id, owner_id, "(>):b@é.org")
    invite(stored, project_id, owner_id, "two,people@example.org")

    send_mail(stored, lambda: SECRET)

    assert states(stored) == [("invitation", "failed")] * 2
    assert post.taken == []


def test_a_server_that_cannot_be_reached_is_tried_again(stored, rated, monkeypatch, post):
    project_id, owner_id, _ = rated
    monkeypatch.setenv("SMTP_URL", "smtp://127.0.0.1:1")
    invite(stored, project_id, owner_id)

    send_mail(stored, lambda: SECRET)

    with stored.read() as session:
        (row,) = session.scalars(select(MailMessage))
        assert (row.state, row.status) == ("waiting", 0)
        assert "refused" in row.answer


def test_a_password_is_never_sent_without_tls(stored, rated, monkeypatch, post):
    project_id, owner_id, _ = rated
    monkeypatch.setenv("SMTP_URL", f"smtp://ada:secret@127.0.0.1:{post.server_address[1]}")
    invite(stored, project_id, owner_id)

    send_mail(stored, lambda: SECRET)

    with stored.read() as session:
        (row,) = session.scalars(select(MailMessage))
        assert "STARTTLS" in row.answer
    assert post.taken == []


@pytest.fixture
def issuer(tmp_path, monkeypatch):
    """Return what makes a server's context for a name, by an issuer that this process trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Issuer of a test")])

    def signed(names, own, *, is_issuer=False):
        made = x509.CertificateBuilder(
            name, name if is_issuer else x509.Name([]), own.public_key(), 1 + len(names)
        )
        made = made.not_valid_before(MONDAY - timedelta(days=9000)).not_valid_after(
            MONDAY + timedelta(days=9000)
        )
        made = made.add_extension(x509.BasicConstraints(ca=is_issuer, path_length=None), critical=True)
        if names:
            made = made.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(each) for each in names]), True
            )
        return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    (tmp_path / "issuer.pem").write_bytes(signed([], key, is_issuer=True))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "issuer.pem"))

    def issuer(host):
        own = ec.generate_private_key(ec.SECP256R1())
        private = own.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (tmp_path / "server.pem").write_bytes(signed([host], own) + private)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "server.pem")
        return context

    return issuer


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_password_goes_to_a_server_whose_certificate_fits_and_to_no_other(
    stored, rated, monkeypatch, post, issuer, scheme
):
    project_id, owner_id, _ = rated
    post.is_tls = scheme == "smtps"
    monkeypatch.setenv("SMTP_URL", f"{scheme}://ada:secret@localhost:{post.server_address[1]}")
    invite(stored, project_id, owner_id)

    post.tls = issuer("mail.example.org")
    send_mail(stored, lambda: SECRET)

    with stored.write() as session:
        (row,) = session.scalars(select(MailMessage))
        assert "The certificate of localhost does not fit: " in row.answer
        assert "not valid for 'localhost'" in row.answer
        assert "SMTP_URL" in row.answer
        assert (row.state, post.passwords) == ("waiting", [])
        row.next_at = now_utc()

    post.tls = issuer("localhost")
    send_mail(stored, lambda: SECRET)

    assert states(stored) == [("invitation", "delivered")]
    ((_, kind),) = post.passwords
    assert kind is ssl.SSLSocket


def test_nothing_is_done_without_a_server_for_e_mails(stored, rated, tmp_path):
    project_id, owner_id, _ = rated
    invite(stored, project_id, owner_id)

    send_mail(stored, lambda: SECRET)

    assert states(stored) == [("invitation", "waiting")]
    assert [item for item in work_items_of(stored, tmp_path) if item.work == "mailing"] == []


def reply(making, rated, text="Grade it as it is."):
    project_id, owner_id, annotator_id = rated
    with making() as make:
        candidate = make.session.scalars(select(Candidate)).first()
        make.session.add(
            JudgmentNote(
                project_id=project_id, candidate_id=candidate.id, annotator_id=annotator_id, text="Hm?"
            )
        )
        make.session.flush()
        project = make.session.get_one(Project, project_id)
        handle_remarks(make.session, project, RemarkFilter(), "reply", actor_id=owner_id, reply=text)
        return make.session.scalar(select(RemarkResolution.replied_at))


@pytest.mark.thorough
def test_replies_are_told_together_once_and_in_the_language_of_their_reader(
    stored, making, rated, post, clock
):
    clock.now = reply(making, rated) + timedelta(minutes=9)
    look(stored)
    assert post.taken == []  # more may follow

    clock.now += timedelta(minutes=2)
    look(stored)
    look(stored)

    (sent,) = post.taken
    assert sent["To"] == "ada@example.org"
    assert sent["Subject"] == "Une réponse pour vous dans Kettles"
    text = text_of(sent)
    assert text.startswith("Bonjour Ada Example\n\nHow do I mend q1?\nAnswer d1\n> Grade it as it is.\n")
    assert "SECRET" not in text
    assert "https://rate.example.org/account\n" in text
    assert sent["List-Unsubscribe"] == "<https://rate.example.org/account>"


def test_a_reply_that_was_read_is_not_told(stored, making, rated, post, clock):
    clock.now = reply(making, rated) + timedelta(minutes=11)
    with stored.write() as session:
        queue_mail(session)
        session.execute(update(RemarkResolution).values(seen_at=now_utc()))

    send_mail(stored, lambda: SECRET)

    assert (post.taken, states(stored)) == ([], [("replies", "unneeded")])


def test_annotators_are_told_of_work_at_most_once_a_day_and_not_while_they_rate(
    stored, making, rated, post, clock
):
    project_id, _, annotator_id = rated
    with stored.read() as session:
        clock.now = session.scalar(select(func.max(Event.at))) + timedelta(minutes=29)
    look(stored)
    assert post.taken == []

    clock.now += timedelta(minutes=2)
    look(stored)
    (sent,) = post.taken
    assert (sent["To"], sent["Subject"]) == ("ada@example.org", "2 réponses à noter dans Kettles")
    assert "https://rate.example.org/p/kettles/rate\n" in text_of(sent)
    assert "SECRET" not in text_of(sent)

    with stored.write() as session:
        # More came on the same day, and again a day later, when they rate already.
        session.execute(update(MailMessage).values(created_at=clock.now))
        session.add(Event(project_id=project_id, revision=1000, kind="run_restored", at=clock.now))
    clock.now += timedelta(hours=23)
    look(stored)
    assert len(post.taken) == 1
    with making() as make:
        candidate = make.session.scalars(select(Candidate)).first()
        make.judgment(candidate, make.session.get_one(Person, annotator_id), 2)
    clock.now += timedelta(hours=2)
    look(stored)
    assert (len(post.taken), states(stored)[-1]) == (1, ("work", "unneeded"))


def test_owners_are_told_of_their_week_on_monday(stored, making, rated, post, clock):
    _, owner_id, annotator_id = rated
    with making() as make:
        candidate = make.session.scalars(select(Candidate)).first()
        make.judgment(candidate, make.session.get_one(Person, annotator_id), 2)
    with stored.write() as session:
        change_preferences(session, annotator_id, {"mails": []})
        change_preferences(session, owner_id, {"mails": ["weekly"]})
    clock.now = MONDAY - timedelta(minutes=6)
    look(stored)
    assert post.taken == []

    clock.now = MONDAY
    look(stored)
    clock.now += timedelta(hours=3)
    look(stored)

    (sent,) = post.taken
    assert (sent["To"], sent["Subject"]) == ("olive@example.org", "The week in Kettles")
    text = text_of(sent)
    assert (
        "1 rating by 1 person in the last 7 days.\n1 of 2 answers in the pool rated.\n1 new version" in text
    )
    assert re.search(r"^https://rate\.example\.org/p/kettles/$", text, re.MULTILINE)
    with stored.write() as session:
        change_preferences(session, owner_id, {"mails": []})
    clock.now = MONDAY + timedelta(days=7)
    look(stored)
    assert len(post.taken) == 1


def test_an_erased_person_leaves_no_e_mail_behind(stored, rated):
    project_id, owner_id, annotator_id = rated
    invite(stored, project_id, owner_id, "ada@example.org")

    with stored.write() as session:
        erase_person(session, session.get_one(Person, annotator_id))

    assert states(stored) == []


def test_a_person_has_only_so_many_invitations_sent_in_a_day(stored, rated):
    project_id, owner_id, _ = rated
    invite(stored, project_id, owner_id)

    with stored.read() as session:
        assert may_invite_by_mail(session, owner_id, MOST_INVITED - 1)
        assert not may_invite_by_mail(session, owner_id, MOST_INVITED)


@pytest.mark.postgresql
def test_on_postgresql_everything_is_told_once(postgresql_url, post, clock):
    stored = Database(postgresql_url)
    with making_in(stored)() as make:
        rated = make_rated(make)
    clock.now = reply(making_in(stored), rated) + timedelta(hours=1)
    look(stored)
    look(stored)
    assert {sent["To"] for sent in post.taken} == {"ada@example.org"}
    assert sorted(states(stored)) == [("replies", "delivered"), ("work", "delivered")]

    with stored.write() as session:
        change_preferences(session, rated[1], {"mails": ["weekly"]})
    clock.now = MONDAY
    look(stored)
    look(stored)

    assert (len(post.taken), post.taken[-1]["Subject"]) == (3, "The week in Kettles")
    stored.dispose()

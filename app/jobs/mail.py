"""Send the e-mails that wait, through the server that the operator has named."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr

from app.database import Database
from app.jobs.mail_texts import Letter, Writer
from app.models import MailMessage
from app.services.mail import claim_mail, note_mail, note_unneeded
from config import MailSettings, read_mail, read_public_url, read_settings

log = logging.getLogger(__name__)
SECONDS = 10.0


def send_mail(database: Database, secret_key: Callable[[], str] = lambda: read_settings().secret_key) -> None:
    """Send the e-mails that are due, one after the other."""
    settings, writer = read_mail(), Writer(database, read_public_url(), secret_key)
    server: smtplib.SMTP | None = None
    while settings is not None:
        with database.write() as session:
            sent = claim_mail(session)
        if sent is None:
            break
        letter = writer.write(sent)
        if letter is None:
            with database.write() as session:
                note_unneeded(session, sent)
            continue
        status, answer, is_final = 250, "", False
        try:
            server = server or connect(settings)
            server.send_message(message_of(letter, sent, settings, writer.site))
        except (OSError, ValueError, smtplib.SMTPException) as error:
            status, answer, is_final = _answer_of(error)
            log.warning("e-mail %s was not sent: %s", sent.id, status or type(error).__name__)
            _close(server)
            server = None
        with database.write() as session:
            note_mail(session, sent, status, answer, is_final=is_final)
    _close(server)


class UntrustedError(OSError):
    """The server is not the one that the operator has named, as far as its certificate tells."""


def connect(settings: MailSettings) -> smtplib.SMTP:
    """Return a connection to the server, signed in; a password is never sent without TLS.

    :raise OSError: It cannot be reached, or its certificate is not one of its name.
    :raise smtplib.SMTPException: It refuses.
    """
    try:
        return _connected(settings, ssl.create_default_context())
    except ssl.SSLCertVerificationError as error:
        raise UntrustedError(
            f"The certificate of {settings.host} does not fit: {error.verify_message.rstrip('.')}. Name the "
            "host in SMTP_URL as its certificate does, or the file of its issuer in SSL_CERT_FILE"
        ) from error


def _connected(settings: MailSettings, tls: ssl.SSLContext) -> smtplib.SMTP:
    if settings.is_tls:
        server: smtplib.SMTP = smtplib.SMTP_SSL(settings.host, settings.port, timeout=SECONDS, context=tls)
    else:
        server = smtplib.SMTP(settings.host, settings.port, timeout=SECONDS)
    try:
        server.ehlo()
        if not settings.is_tls and (settings.user or server.has_extn("starttls")):
            server.starttls(context=tls)
        if settings.user:
            server.login(settings.user, settings.password)
    except BaseException:
        server.close()
        raise
    return server


def message_of(letter: Letter, sent: MailMessage, settings: MailSettings, site: str) -> EmailMessage:
    """Return a letter as it goes through the net; sent again, it has the same id.

    :raise ValueError: Its address cannot be written.
    """
    message = EmailMessage(policy=SMTP)
    # What an account may have as its address, mail may read as several, or as a name.
    if parseaddr(letter.to) != ("", letter.to):
        raise ValueError("This address cannot be written to.")
    message["From"], message["To"], message["Subject"] = settings.sender, letter.to, letter.subject
    message["Date"] = sent.created_at
    domain = parseaddr(settings.sender)[1].partition("@")[2]
    message["Message-ID"] = f"<{sent.message_id}@{domain}>"
    # Nobody's absence note answers it.
    message["Auto-Submitted"] = "auto-generated"
    message["List-Unsubscribe"] = f"<{site}/account>"
    message.set_content(letter.text)
    return message


def _answer_of(error: Exception) -> tuple[int, str, bool]:
    """Return status and words of a refusal, and whether trying again is of no use."""
    is_final = isinstance(error, (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, ValueError))
    words: bytes | str
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        status, words = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        status, words = error.smtp_code, error.smtp_error
    elif isinstance(error, UntrustedError):
        return 0, f"{error}.", False
    else:
        return 0, f"{type(error).__name__}: {error}", isinstance(error, ValueError)
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
    return status, text, is_final and 500 <= status < 600


def _close(server: smtplib.SMTP | None) -> None:
    if server is not None:
        with suppress(OSError, smtplib.SMTPException):
            server.quit()

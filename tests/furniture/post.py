"""A server for e-mails on this machine, which keeps what it takes."""

import email
import socketserver
import ssl
import threading
from email.policy import default

import pytest


class Handler(socketserver.StreamRequestHandler):
    """One conversation with a server for e-mails, as small as one can be."""

    def say(self, line):
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self):
        try:
            if self.server.is_tls:
                self.secure()
            self.talk()
        except (ssl.SSLError, ConnectionError):
            pass  # whoever does not trust us hangs up
        finally:
            self.connection.close()

    def secure(self):
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def talk(self):
        self.say("220 here")
        while line := self.rfile.readline().decode().strip():
            word = line.partition(" ")[0].upper()
            if word == "EHLO" and self.server.tls:
                self.say("250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN")
            elif word == "STARTTLS":
                self.say("220 go on")
                self.secure()
            elif word == "AUTH":
                self.server.passwords.append((line, type(self.connection)))
                self.say("235 yes")
            elif word == "RCPT":
                self.say(self.server.answers.pop(0) if self.server.answers else "250 yes")
            elif word == "DATA":
                self.say("354 go on")
                lines = []
                while (part := self.rfile.readline()) != b".\r\n":
                    lines.append(part.removeprefix(b".") if part.startswith(b"..") else part)
                self.server.taken.append(email.message_from_bytes(b"".join(lines), policy=default))
                self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 yes")


@pytest.fixture
def post(monkeypatch):
    """Give a server on this machine that takes e-mails; `answers` is what it says to the next recipients.

    With a context in `tls` it speaks TLS, from the beginning where `is_tls`.
    """
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.taken, server.answers, server.passwords = True, [], [], []
    server.tls, server.is_tls = None, False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("MAIL_FROM", "Ratings <ratings@example.org>")
    monkeypatch.setenv("PUBLIC_URL", "https://rate.example.org")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()

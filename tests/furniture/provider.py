"""A small OpenID Connect provider in a process of its own, on loopback: it says what a test tells it to say.

Its tokens are signed with a real key. PKCE, client secret, and that a code works once are checked as providers do.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT_ID, CLIENT_SECRET = "touchstone", "a secret that only both of them know"
ADA = {"sub": "ada-1", "email": "ada@example.org", "email_verified": True, "name": "Ada Byron"}


class Provider:
    """The provider as a test sees it."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def say(self, **answers: Any) -> None:
        """Fix what it answers from now on; what is not named is as usual.

        claims: of the token, over the usual ones; without: which are left out; userinfo: the claims beside it;
        key: "other" for one that it does not publish; alg: "none" or "HS256"; metadata: of its discovery.
        """
        body = json.dumps(answers).encode()
        self._open(Request(f"{self.issuer}/say", body, method="POST"))

    def authorize(self, address: str) -> str:
        """Return where the provider sends a browser that asks at this address: the person always agrees."""
        found: str = self._open(Request(address))
        return found

    def _open(self, request: Request) -> Any:
        with build_opener(_NoRedirects).open(request, timeout=10) as reply:
            return reply.headers.get("Location")


class _NoRedirects(HTTPRedirectHandler):
    def http_error_302(self, _request: Any, reply: Any, *_more: Any) -> Any:
        return reply


@pytest.fixture(scope="session")
def provider_process() -> Iterator[Provider]:
    """Start the provider once."""
    with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Provider(process.stdout.readline().strip())
        process.terminate()


@pytest.fixture
def provider(provider_process: Provider) -> Provider:
    """Return the provider, as it usually answers."""
    provider_process.say()
    return provider_process


class _Handler(BaseHTTPRequestHandler):
    answers: dict[str, Any] = {}
    codes: dict[str, dict[str, str]] = {}
    issuer = ""
    keys: dict[str, Any] = {}

    def log_message(self, *_words: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self._json(self._metadata())
        elif parts.path == "/jwks":
            self._json({"keys": [self.keys["own"].as_dict(private=False)]})
        elif parts.path == "/authorize":
            code = secrets.token_urlsafe(16)
            self.codes[code] = asked
            back = {"code": code, "state": asked["state"], "iss": self.answers.get("iss", self.issuer)}
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(back)}")
            self.end_headers()
        elif parts.path == "/userinfo":
            self._json(self.answers.get("userinfo", {"sub": ADA["sub"]}))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/say":
            type(self).answers = json.loads(body)
            self._json({})
        elif self.path == "/token":
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            self._json(*self._token(sent))

    def _metadata(self) -> dict[str, Any]:
        usual = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "code_challenge_methods_supported": ["S256"],
        }
        return usual | self.answers.get("metadata", {})

    def _token(self, sent: dict[str, str]) -> tuple[dict[str, Any], int]:
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        asked = self.codes.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_client = self.headers.get("Authorization") in {f"Basic {basic}", _quoted_basic()}
        if asked is None or not is_client or challenge != asked.get("code_challenge"):
            return {"error": "invalid_grant"}, 400
        now = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {**ADA, **usual, **self.answers.get("claims", {})}
        for name in self.answers.get("without", ()):
            claims.pop(name, None)
        return {
            "access_token": "at",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": self._signed(claims),
        }, 200

    def _signed(self, claims: dict[str, Any]) -> str:
        from joserfc import jwt
        from joserfc.jwk import OctKey

        algorithm = self.answers.get("alg", "RS256")
        if algorithm == "none":
            return ".".join(_base64(json.dumps(part)) for part in ({"alg": "none"}, claims)) + "."
        key = self.keys[self.answers.get("key", "own")]
        if algorithm == "HS256":  # with the public key as the secret, an old trick
            key = OctKey.import_key(key.as_pem(private=False))
        header = {"alg": algorithm, "kid": self.keys["own"].kid}
        return jwt.encode(header, claims, key, algorithms=[algorithm])

    def _json(self, value: Any, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _quoted_basic() -> str:
    from urllib.parse import quote

    pair = f"{quote(CLIENT_ID)}:{quote(CLIENT_SECRET)}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _base64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def serve() -> None:
    """Serve until the process ends; the first line of output is the issuer."""
    from joserfc.jwk import RSAKey

    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        _Handler.keys = {
            name: RSAKey.generate_key(2048, {"kid": name, "use": "sig"}) for name in ("own", "other")
        }
        _Handler.issuer = f"http://127.0.0.1:{server.server_address[1]}"
        print(_Handler.issuer, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    serve()

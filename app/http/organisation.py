"""What the organisation says of a visitor: its OpenID Connect provider, or a trusted proxy in its headers.

Authlib does the protocol: authorization code with PKCE, state and nonce in the signed cookie of the session.
"""

from __future__ import annotations

import logging
import threading
from hashlib import sha256
from ipaddress import ip_address
from typing import Any

from flask import current_app, request
from werkzeug.wrappers import Response

from app.http.proxies import public_link
from app.http.sessions import settings
from app.sentences import message
from app.services.accounts.organisation import OrganisationProfile
from app.services.errors import ServiceError

log = logging.getLogger(__name__)
KEY = "organisation"
TIMEOUT_SECONDS = 10
LEEWAY_SECONDS = 60
# Signatures by keys that the provider alone has, none that are made with a shared secret or not at all.
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_making = threading.Lock()


class SignInRefusedError(ServiceError):
    """The provider cannot be reached, or what it says cannot be believed."""

    code = "sign_in_refused"


def lead_to_provider() -> Response:
    """Send the visitor to the provider.

    :raise SignInRefusedError: It cannot be reached.
    """
    try:
        answer: Response = _client().authorize_redirect(public_link("auth.organisation_back"))
    except Exception as error:
        raise _refused(error) from error
    return answer


def profile_of_answer() -> OrganisationProfile:
    """Return whom the provider sends back; its token is checked: issuer, audience, times, nonce, signature.

    :raise SignInRefusedError: Something of it is wrong, or the visitor did not begin here.
    """
    wanted = settings().sign_in
    try:
        client = _client()
        issuer = client.load_server_metadata()["issuer"]
        _check_answering_issuer(issuer)
        claims_options = {
            "iss": {"essential": True, "value": issuer},
            "aud": {"essential": True, "value": wanted.client_id},
            "nonce": {"essential": True},
        }
        token = client.authorize_access_token(claims_options=claims_options, leeway=LEEWAY_SECONDS)
        # Without a signed token, or without the nonce of this visit, Authlib says nothing of the person.
        claims = dict(token["userinfo"])
        needed = {"email", "email_verified", *([wanted.groups_claim] if wanted.group_roles else [])}
        more = {} if needed <= claims.keys() else _more_claims(client, token, claims)
    # Whatever goes wrong, nobody is signed in.
    except Exception as error:
        raise _refused(error) from error
    return _profile(wanted.issuer or "", {**more, **claims}, wanted.groups_claim)


def profile_of_proxy() -> OrganisationProfile | None:
    """Return whom the trusted proxy names in its headers; None where it names nobody, or is not the proxy."""
    wanted = settings().sign_in
    email = _header(wanted.email_header)
    if not email or not settings().trusted_proxies or not _is_from_proxy():
        return None
    groups = _header(wanted.groups_header).replace(";", ",").split(",")
    return OrganisationProfile(
        issuer="proxy",
        subject=email.lower(),
        email=email,
        is_verified=True,
        name=_header(wanted.name_header),
        groups=frozenset(group.strip() for group in groups if group.strip()),
        by="proxy",
    )


def mark_of_proxy() -> str | None:
    """Return what a session lives by that the proxy began: whom it names, and with which groups."""
    profile = profile_of_proxy()
    if profile is None:
        return None
    return sha256("\n".join([profile.subject, *sorted(profile.groups)]).encode()).hexdigest()


def _is_from_proxy() -> bool:
    """Return whether the connection itself comes from the proxy, whatever its headers say of the visitor."""
    own: dict[str, Any] = request.environ.get("werkzeug.proxy_fix.orig", request.environ)
    try:
        address = ip_address(own.get("REMOTE_ADDR") or "")
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in network for network in settings().sign_in.proxy_networks)


def _header(name: str | None) -> str:
    return (request.headers.get(name) or "").strip() if name else ""


def _profile(issuer: str, claims: dict[str, Any], groups_claim: str) -> OrganisationProfile:
    groups = claims.get(groups_claim)
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    return OrganisationProfile(
        issuer=issuer,
        subject=str(claims["sub"])[:255],
        email=str(claims.get("email") or "").strip(),
        # Some providers send a text; "false" is one, too.
        is_verified=claims.get("email_verified") in (True, "true"),
        name=str(claims.get("name") or claims.get("preferred_username") or ""),
        groups=frozenset(str(group) for group in listed),
        by="organisation",
    )


def _check_answering_issuer(issuer: str) -> None:
    """Refuse an answer that names another issuer (RFC 9207)."""
    if request.args.get("iss", issuer) != issuer:
        raise ValueError("another issuer has answered")


def _more_claims(client: Any, token: Any, claims: dict[str, Any]) -> dict[str, Any]:
    """Return what the provider tells of the person beside the token, if it does."""
    if "userinfo_endpoint" not in client.load_server_metadata():
        return {}
    more = dict(client.userinfo(token=token))
    if more.get("sub") != claims["sub"]:
        raise ValueError("the provider told of another person")
    return more


def _client() -> Any:
    """Return the client of the provider, made when first needed; discovery is asked for once."""
    with _making:
        if KEY not in current_app.extensions:
            from authlib.integrations.flask_client import OAuth

            wanted = settings().sign_in
            oauth = OAuth(current_app)
            current_app.extensions[KEY] = oauth.register(
                KEY,
                client_id=wanted.client_id,
                client_secret=wanted.client_secret,
                server_metadata_url=f"{wanted.issuer}/.well-known/openid-configuration",
                client_kwargs={
                    "scope": "openid email profile",
                    "code_challenge_method": "S256",
                    "default_timeout": TIMEOUT_SECONDS,
                },
            )
        client: Any = current_app.extensions[KEY]
    metadata = client.load_server_metadata()
    # Whoever answers at that address must call themselves so (a slash at the end is easily lost).
    if str(metadata.get("issuer")).rstrip("/") != settings().sign_in.issuer:
        raise SignInRefusedError(_sentence())
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    metadata["id_token_signing_alg_values_supported"] = [name for name in SIGNATURES if name in offered]
    return client


def _refused(error: Exception) -> SignInRefusedError:
    if isinstance(error, SignInRefusedError):
        return error
    # Its text may hold a token: the kind alone is logged.
    log.warning("sign-in by the organisation failed: %s", type(error).__name__)
    return SignInRefusedError(_sentence())


def _sentence() -> str:
    return message("Signing in through your organisation did not work. Try again, or ask an administrator.")

"""Sign in through a real OpenID Connect provider, npm's oidc-provider, in a real Chromium; roles from its groups.

`make trial-organisation` needs node, npm and its registry (or NODE_FOLDER with oidc-provider installed). The
provider and the site run on loopback. Exit status 1 where something is not as it should be.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright
from sqlalchemy import select

from app.database import Database
from app.migrating import upgrade_schema
from app.models import AuditEntry, Person
from app.services.accounts.people import create_person
from tests.furniture.factories import Make
from tests.furniture.served import Served, _free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
CLIENT = {"client_id": "touchstone", "client_secret": "a secret that only both of them know"}
GROUPS = {"ada": ["leads"], "bo": ["raters"], "cy": [], "ola": ["ops"]}
PROVIDER = """
import Provider from 'oidc-provider';
const { issuer, port, client, groups, back } = JSON.parse(process.env.TRIAL);
const provider = new Provider(issuer, {
  clients: [{ ...client, redirect_uris: [back], response_types: ['code'], grant_types: ['authorization_code'] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  pkce: { required: () => true },
  findAccount: async (_, sub) => ({
    accountId: sub,
    claims: async () => ({
      sub, name: `${sub} of the organisation`, groups: groups[sub.replace(/-.*/, '')] ?? [],
      email: `${sub}@example.org`, email_verified: !sub.endsWith('-unverified'),
    }),
  }),
});
provider.listen(port, '127.0.0.1', () => console.log('ready'));
"""
problems: list[str] = []


def check(is_so: object, what: str) -> None:
    """Say whether something is as it should be, and remember where it is not."""
    print(("ok      " if is_so else "WRONG   ") + what, flush=True)
    if not is_so:
        problems.append(what)


def node_folder(folder: Path) -> Path:
    """Return a folder with oidc-provider in it."""
    if "NODE_FOLDER" in os.environ:
        return Path(os.environ["NODE_FOLDER"])
    subprocess.run(["npm", "init", "-y"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["npm", "install", "oidc-provider"], cwd=folder, check=True, capture_output=True)
    return folder


def sign_in(browser: Browser, site: str, name: str, target: str = "/sign-in") -> Page:
    """Sign in as somebody in a browser of their own, and return the page that comes of it."""
    page = browser.new_context().new_page()
    page.goto(site + target)
    page.get_by_role("link", name="Sign in through your organisation").click()
    page.fill("input[name=login]", name)
    page.fill("input[name=password]", "whatever")
    page.get_by_role("button", name=re.compile("sign-in", re.IGNORECASE)).click()
    page.get_by_role("button", name=re.compile("continue", re.IGNORECASE)).click()
    page.wait_for_url(f"{site}/**")
    return page


def try_it(browser: Browser, site: str, url: str) -> None:
    """Sign in as people of several groups, and look at what they may do."""
    page = sign_in(browser, site, "ada", target="/p/shop/settings")
    check(
        page.url == f"{site}/p/shop/settings", "an owner comes back to the page they wanted, and may see it"
    )
    page.goto(f"{site}/account/devices")
    check("This device" in page.inner_text("main"), "their device is listed")

    page = sign_in(browser, site, "bo")
    page.goto(f"{site}/p/shop/settings")
    check("does not exist" in page.inner_text("main"), "an annotator does not see the settings")
    page.goto(f"{site}/p/shop/rate")
    check(page.url.startswith(f"{site}/p/shop/rate"), "and may rate")

    page = sign_in(browser, site, "cy")
    check(
        "in no group that may use this site" in page.inner_text("body"),
        "in no group: refused, with the reason",
    )

    page = sign_in(browser, site, "ola")
    page.goto(f"{site}/trail")
    check("Account created" in page.inner_text("main"), "an administrator by group reads who did what")

    page = sign_in(browser, site, "ola-unverified")
    check("has not verified your e-mail address" in page.inner_text("body"), "an unverified address: refused")

    page = browser.new_context().new_page()
    page.goto(f"{site}/sign-in")
    check(page.locator("input[type=password]").count() == 0, "no password is asked for")

    database = Database(url)
    with database.read() as session:
        people = {person.email: person for person in session.scalars(select(Person))}
        kinds = session.scalars(select(AuditEntry.kind)).all()
    database.dispose()
    check("ola-unverified@example.org" in people, "the account with the unverified address is still there")
    check(people["ola-unverified@example.org"].last_sign_in_at is None, "and nobody has signed in to it")
    check(people["ada@example.org"].name == "ada of the organisation", "the name is the provider's")
    check(kinds.count("signed_in") == 3, "three people have signed in")
    check(kinds.count("sign_in_failed") == 2, "and two refusals are in the trail")


def main() -> int:
    """Run the provider, the site and the browser."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        issuer_port = _free_port()
        issuer = f"http://127.0.0.1:{issuer_port}"
        environment = {
            "OIDC_ISSUER": issuer,
            "OIDC_CLIENT_ID": CLIENT["client_id"],
            "OIDC_CLIENT_SECRET": CLIENT["client_secret"],
            "GROUP_ROLES": "leads=owner@shop, raters=annotator@shop, ops=admin",
            "PASSWORD_SIGN_IN": "off",
        }
        served = Served(folder, **environment)
        site = f"http://127.0.0.1:{served.port}"
        database = Database(served.url)
        upgrade_schema(database)
        with database.write() as session:
            make = Make(session)
            make.member(make.project(slug="shop"), "owner", name="First owner")
            create_person(session, email="ola-unverified@example.org", name="Ola")
        database.dispose()
        nodes = node_folder(folder)
        script = nodes / "trial_provider.mjs"
        script.write_text(PROVIDER)
        told = {
            "issuer": issuer,
            "port": issuer_port,
            "client": CLIENT,
            "groups": GROUPS,
            "back": f"{site}/sign-in/organisation/back",
        }
        with subprocess.Popen(
            ["node", str(script)],
            cwd=nodes,
            env={**os.environ, "TRIAL": json.dumps(told)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as provider:
            try:
                assert provider.stdout is not None
                provider.stdout.readline()
                served.start()
                with sync_playwright() as play:
                    browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                    try_it(browser, site, served.url)
                    browser.close()
            finally:
                served.stop()
                provider.terminate()
                script.unlink()
    print(f"{len(problems)} wrong" if problems else "all as it should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

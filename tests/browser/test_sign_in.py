"""Signing in through the form, in a browser."""

import re

import pytest
from playwright.sync_api import expect

from app.services.accounts.sign_in import hash_password

PASSWORD = "correct horse battery"


@pytest.mark.everyday
def test_somebody_signs_in_after_a_wrong_password_and_out_again(live_site, axe):
    with live_site.making() as make:
        make.person(name="Ada Example", email="ada@example.org", password_hash=hash_password(PASSWORD))
    page = live_site.page_of(None)
    page.goto("/")

    for password in ("wrong horse battery", PASSWORD):
        expect(page).to_have_url(re.compile("/sign-in"))
        axe(page)
        page.locator("#email").fill("ada@example.org")
        page.locator("#password").fill(password)
        page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{live_site.url}/")
    page.locator(".menu__face").click()
    page.get_by_role("button", name="Sign out").click()

    expect(page).to_have_url(re.compile("/sign-in"))

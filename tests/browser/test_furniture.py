"""The furniture of browser tests: it complains when it should, or every other test here proves nothing."""

import pytest
from flask import Blueprint

from app.http import Access, allow
from tests.furniture.live import NARROWEST, overflow_of

GOOD = '<!doctype html><html lang="en"><title>Good</title><main><h1>Good</h1></main></html>'
BAD = {
    "script": "<script>1</script>",
    "style": '<p style="color: red">x</p>',
    "image": '<img alt="" src="http://example.org/x.png">',
    "missing": '<img alt="" src="/static/none/none.png">',
}


@pytest.fixture
def app(fresh_app):
    pages = Blueprint("pages", "pages")

    @pages.get("/test-page/<name>")
    @allow(Access.PUBLIC)
    def page(name):
        return GOOD.replace("</main>", BAD.get(name, "") + "</main>")

    @pages.get("/test-failure")
    @allow(Access.PUBLIC)
    def failure():
        raise RuntimeError("on purpose")

    fresh_app.register_blueprint(pages)
    return fresh_app


def test_what_the_policy_refuses_or_is_not_there_is_a_complaint_and_a_good_page_brings_none(live_site):
    page = live_site.open("/test-page/good")
    assert live_site.complaints == []
    for name in BAD:
        page.goto(f"/test-page/{name}")
        page.wait_for_load_state("networkidle")

        assert live_site.complaints, name
        live_site.complaints.clear()


def test_a_failure_of_the_server_or_of_a_script_is_a_complaint(live_site):
    page = live_site.open("/test-failure")
    assert any("server: " in message and "on purpose" in message for message in live_site.complaints)
    live_site.complaints.clear()
    page.goto("/test-page/good")
    with page.context.expect_event("weberror"):
        page.evaluate("setTimeout(() => { throw new Error('on purpose') })")

    assert any("script: " in message and "on purpose" in message for message in live_site.complaints)
    live_site.forgive("on purpose")


def test_a_complaint_that_nobody_forgives_fails_the_test(live_site):
    live_site.complaints.append("error: on purpose")

    with pytest.raises(AssertionError, match="complained"):
        live_site.stop()

    live_site.complaints.clear()
    live_site.stop = lambda: None


def test_a_page_that_not_everybody_can_use_fails_and_one_wider_than_its_window_is_measured(live_site, axe):
    page = live_site.open("/test-page/good", viewport=NARROWEST)
    axe(page)
    assert overflow_of(page) == 0
    page.evaluate("document.querySelector('h1').textContent = 'wide'.repeat(200)")
    assert overflow_of(page) > 0
    page.evaluate("document.querySelector('main').innerHTML = '<img src=\"data:,\"><input>'")

    with pytest.raises(AssertionError, match="image-alt"):
        axe(page)

    live_site.forgive("data:")


def test_a_person_is_signed_in_by_a_cookie(live_site):
    with live_site.making() as make:
        person = make.person("Ada Example")

    page = live_site.open("/account", person)

    assert page.url.endswith("/account")
    assert "Ada Example" in page.content()

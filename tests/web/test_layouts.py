"""The frame of every page, drawn without the application: what it must hold whoever asks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader, StrictUndefined

from tests.furniture.words import closed_up

ROOT = Path(__file__).parents[2]
PAGE = '{{% extends "layouts/{layout}.html" %}}{{% block title %}}Overview{{% endblock %}}{{% block {block} %}}<h1>Hello</h1>{{% endblock %}}'
AMARA = SimpleNamespace(name="Amara <b>", initials="AB", is_admin=False, public_id="amara")
PROJECT = SimpleNamespace(name="Help & centre", slug="help", is_demo=True, state="open")
LAYOUTS = {"bare": "main", "base": "main", "project": "main"}


def draw(layout, template=None, **context):
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.add_extension("jinja2.ext.i18n")
    environment.install_null_translations(newstyle=True)
    environment.globals.update(
        url_for=lambda endpoint: f"/{endpoint}",
        asset=lambda name: f"/static/1/{name}",
        csrf_token=lambda: "the-token",
        get_flashed_messages=lambda **_: context.pop("flashed", []),
        here=lambda: "/here?",
        request=SimpleNamespace(full_path="/here?", path="/here", script_root="", endpoint="here"),
    )
    ours = {"identity": None, "project": None, "role": None, "theme": None, "nav": [], **context}
    if template is None:
        made = DictLoader({"page.html": PAGE.format(layout=layout, block=LAYOUTS[layout])})
        template = made.get_source(environment, "page.html")[0]
        return closed_up(environment.from_string(template).render(ours))
    return closed_up(environment.get_template(template).render(ours))


@pytest.mark.thorough
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_can_be_skipped_to_its_main_content(layout):
    page = draw(layout)

    assert '<a class="skip" href="#main">' in page
    assert page.count('<main id="main"') == 1
    assert page.count("<h1") == 1
    assert "<title>Overview · Touchstone</title>" in page
    assert '<html lang="en" dir="ltr">' in page


def test_the_bare_layout_asks_nothing_about_the_person():
    page = draw("bare", identity=AMARA)

    assert "Amara" not in page
    assert "csrf" not in page


def test_the_account_menu_works_by_forms_that_carry_the_token():
    page = draw("base", identity=AMARA)

    assert "Amara &lt;b&gt;" in page
    for action in ("/auth.sign_out", "/auth.switch_theme"):
        form = page[page.index(f'action="{action}"') :]
        assert 'name="csrf_token" value="the-token"' in form[: form.index("</form>")]


def test_a_visitor_is_offered_to_sign_in_and_nothing_else():
    page = draw("base")

    assert 'href="/auth.sign_in"' in page
    assert "/auth.sign_out" not in page


def test_the_tabs_are_those_the_application_gives():
    page = draw("project", identity=AMARA, project=PROJECT, nav=[("Rate", "/p/help/rate", True)])

    tabs = page[page.index('<nav class="wrap tabs"') : page.index("</nav>")]
    assert tabs.count("<a ") == 1
    assert '<a href="/p/help/rate" aria-current="page">Rate</a>' in tabs
    assert "Help &amp; centre" in page


@pytest.mark.thorough
def test_the_demo_is_labelled_in_the_header():
    assert "Demo data" in draw("project", identity=AMARA, project=PROJECT)
    assert "Demo data" not in draw(
        "project", project=SimpleNamespace(name="Real", slug="r", is_demo=False, state="open")
    )


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "attribute"), [("dark", ' data-theme="dark"'), (None, "")])
def test_a_chosen_look_is_on_the_page_from_the_first_paint(theme, attribute):
    assert f'<html lang="en" dir="ltr"{attribute}>' in draw("base", theme=theme)


def test_a_form_that_failed_says_so_in_the_title():
    page = draw("base", form=SimpleNamespace(errors={"name": ["Enter a name"]}))

    assert "<title>Error: Overview · Touchstone</title>" in page


def test_what_happened_is_said_above_the_page():
    page = draw("base", flashed=[("success", "Saved")])

    assert page.index("Saved") < page.index('<main id="main"')


@pytest.mark.thorough
@pytest.mark.parametrize("status", [400, 401, 404, 405, 409, 410, 413, 418, 422, 429, 500, 503])
def test_every_refusal_has_a_heading_its_sentence_and_a_way_on(status):
    page = draw(None, "errors/error.html", status=status, code="x", detail="Because <of this>.", members={})

    assert page.count("<h1>") == 1
    assert "Because &lt;of this&gt;." in page
    assert 'class="btn btn--main" href="' in page


def test_a_failure_names_the_number_to_look_for():
    page = draw(None, "errors/error.html", status=500, code="x", detail="d", members={"request_id": "ab12"})

    assert "<code>ab12</code>" in page
    assert "csrf" not in page

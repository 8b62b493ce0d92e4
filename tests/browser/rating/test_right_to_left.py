"""Every page of an annotator in a language that is written from right to left: nothing sticks out, axe finds nothing."""

import pytest
from sqlalchemy import select

from app.models import Document, Person, Project
from app.services.collection.answer_fields import AnswerFields, change_fields
from app.services.projects.notes import change_note_rule
from tests.furniture.live import overflow_of, start_rating
from tests.furniture.made_up import in_made_up
from tests.furniture.rating import make_workshop

SIZES = {"desk": (1280, 900, "light"), "narrow": (320, 640, "dark")}


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_an_annotator_from_right_to_left(live_site, made_up, axe, size):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=3)
        project = make.session.get_one(Project, shop.project.id)
        for document in make.session.scalars(select(Document)):
            document.title, document.text = in_made_up(document.title), in_made_up(document.text)
            document.extra = {in_made_up("price"): "12,50"}
        change_fields(make.session, project, AnswerFields(lines=(in_made_up("price"),)))
        change_note_rule(make.session, project, [0], [in_made_up("Off topic")])
        make.session.get_one(Person, shop.ada.id).preferences = {"language": made_up, "goal": 40}
    width, height, scheme = SIZES[size]
    page = live_site.page_of(shop.ada, viewport={"width": width, "height": height}, color_scheme=scheme)
    address = f"/p/{shop.project.slug}/rate"
    start_rating(page, address)
    page.locator('[data-ref="status"]:not(:empty)').wait_for()
    page.locator('.stars input[value="0"]').first.click(force=True)
    page.locator(".ans--why").wait_for()

    for path in (None, "/", "/account", f"{address}/done", f"{address}/start", f"{address}/ratings"):
        if path:
            page.goto(path)
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        assert overflow_of(page) == 0, path
        axe(page)

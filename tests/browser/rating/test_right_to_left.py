"""Every page of an annotator in a language that is written from right to left: nothing sticks out, axe finds nothing."""

from itertools import cycle

from sqlalchemy import select

from app.models import Document, Person, Project
from app.services.collection.answer_fields import AnswerFields, change_fields
from app.services.projects.notes import change_note_rule
from tests.furniture.live import DESK, NARROWEST, THEMES, overflow_of, start_rating
from tests.furniture.made_up import in_made_up
from tests.furniture.rating import make_workshop


def test_the_pages_of_an_annotator_from_right_to_left(live_site, made_up, axe):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=3)
        project = make.session.get_one(Project, shop.project.id)
        for document in make.session.scalars(select(Document)):
            document.title, document.text = in_made_up(document.title), in_made_up(document.text)
            document.extra = {in_made_up("price"): "12,50"}
        change_fields(make.session, project, AnswerFields(lines=(in_made_up("price"),)))
        change_note_rule(make.session, project, [0], [in_made_up("Off topic")])
        make.session.get_one(Person, shop.ada.id).preferences = {"language": made_up, "goal": 40}
    page = live_site.page_of(shop.ada, viewport=NARROWEST)
    address = f"/p/{shop.project.slug}/rate"
    start_rating(page, address)
    page.locator('[data-ref="status"]:not(:empty)').wait_for()
    page.locator('.stars input[value="0"]').first.click(force=True)
    page.locator(".ans--why").wait_for()

    themes = cycle(THEMES)
    for path in (None, "/", "/account", f"{address}/done", f"{address}/start", f"{address}/ratings"):
        if path:
            page.goto(path)
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        page.emulate_media(color_scheme=next(themes), reduced_motion="reduce")
        axe(page)
        for screen in (DESK, NARROWEST):
            page.set_viewport_size(screen)
            assert overflow_of(page) == 0, (path, screen)

"""The rating page without scripts: every press is a small form that posts and comes back."""

import re
from html.parser import HTMLParser

import pytest
from sqlalchemy import select

from app.models import Assignment, Candidate, Document, Flag, Judgment, Person, Query
from app.services.projects.projects import change_guidelines
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, open_batch
from tests.furniture.words import text_of


class Forms(HTMLParser):
    """Collects the forms of a page: where they go, and what their fields hold."""

    def __init__(self, html):
        super().__init__()
        self.found, self.ids = [], {}
        self._form = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self._form = {"action": values.get("action", ""), "fields": {}}
            self.found.append(self._form)
        if tag == "input" and self._form and values.get("type") == "hidden":
            self._form["fields"][values["name"]] = values.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None

    def to(self, end):
        return [form for form in self.found if form["action"].endswith(end)]


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=2, answers=3)


@pytest.fixture
def ada(client_of, shop):
    return client_of(shop.ada)


@pytest.fixture
def home(shop):
    return f"/p/{shop.project.slug}/rate"


def answers_of(html):
    return re.findall(r'data-answer="([^"]+)"', html)


def press(client, html, end, number=0, **values):
    form = Forms(html).to(end)[number]
    return client.post(form["action"], data=form["fields"] | values)


def test_each_untouched_answer_has_forms_of_its_own(ada, home):
    html = open_batch(ada, home).text
    forms = Forms(html)

    for place, public_id in enumerate(answers_of(html), start=1):
        saving, passing, clearing = forms.to(f"/answers/{public_id}")
        assert saving["fields"]["place"] == str(place)
        assert saving["fields"]["base"] == ""
        assert saving["fields"] == passing["fields"] == clearing["fields"]
        assert len(forms.to(f"/answers/{public_id}/note") + forms.to(f"/answers/{public_id}/flag")) == 2
    assert len({form["fields"]["id"] for form in forms.found if "base" in form["fields"]}) == 3


def marked_in(html):
    """Return what is shown: that the question is marked, and what rates the rest of it."""
    return [" hidden" not in one for one in re.findall(r'<[^>]* data-marked="o[nf]+"[^>]*>', html)]


def judgments(stored):
    with stored.read() as session:
        return session.scalars(select(Judgment).order_by(Judgment.revision)).all()


def test_the_page_shows_a_question_and_its_answers_under_letters(ada, home, shop):
    html = open_batch(ada, home).text

    assert "Question number 0?" in html
    assert len(answers_of(html)) == 3
    assert re.findall(r'class="ans__letter" aria-hidden="true">(\w)<', html) == ["A", "B", "C"]
    assert re.findall(r"Save answer (\w)", html) == ["A", "B", "C"]
    assert "checked" not in html


def test_the_order_is_the_same_after_a_reload(ada, home):
    first = answers_of(open_batch(ada, home).text)

    assert answers_of(open_batch(ada, home).text) == first


def test_a_star_is_saved_and_shown_again(ada, home, stored):
    html = open_batch(ada, home).text
    answer = answers_of(html)[0]

    reply = press(ada, html, f"answers/{answer}", grade="0")

    assert reply.status_code == 302
    assert reply.location.endswith(f"#answer-{answer}")
    shown = ada.get(reply.location).text
    assert re.search(r'value="0" checked', shown)
    assert "1 of 3 answers done" in shown
    assert [row.grade for row in judgments(stored)] == [0]


def test_a_rating_is_changed_cleared_and_passed_on(ada, home, stored):
    answer = answers_of(open_batch(ada, home).text)[0]

    for values in ({"grade": "3"}, {"grade": "1"}, {"reason": "cleared"}, {"reason": "language"}):
        html = open_batch(ada, home).text
        press(ada, html, f"answers/{answer}", **values)

    html = open_batch(ada, home).text
    assert [(row.grade, row.reason and row.reason.name) for row in judgments(stored)] == [
        (3, None),
        (1, None),
        (None, "CLEARED"),
        (None, "LANGUAGE"),
    ]
    assert "Marked “can’t judge”" in html
    assert "checked" not in html


def test_saving_without_a_choice_clears_nothing(ada, home, stored):
    html = open_batch(ada, home).text
    answer = answers_of(html)[0]
    press(ada, html, f"answers/{answer}", grade="2")

    reply = press(ada, open_batch(ada, home).text, f"answers/{answer}")

    assert "Choose one of the stars" in ada.get(reply.location).text
    assert [row.grade for row in judgments(stored)] == [2]


def test_a_form_from_an_old_page_overwrites_nothing(ada, home, stored):
    old = open_batch(ada, home).text
    answer = answers_of(old)[0]
    press(ada, old, f"answers/{answer}", grade="2")

    reply = press(ada, old, f"answers/{answer}", grade="0")

    assert "You rated this answer in another window" in ada.get(reply.location).text
    assert [row.grade for row in judgments(stored)] == [2]


@pytest.mark.parametrize(
    "values",
    [
        {"grade": "9"},
        {"grade": "x"},
        {"reason": "gold"},
        {"id": "x", "grade": "1"},
        {"grade": "1", "guidelines": "9"},
    ],
)
def test_a_forged_form_is_refused_without_a_failure(ada, home, stored, values):
    html = open_batch(ada, home).text

    reply = press(ada, html, f"answers/{answers_of(html)[0]}", **values)

    assert reply.status_code == 302
    assert judgments(stored) == []


@pytest.mark.thorough
def test_a_note_and_flags_are_kept(ada, home, stored):
    html = open_batch(ada, home).text
    answer = answers_of(html)[0]

    press(ada, html, f"answers/{answer}/note", text="Old price <b>")
    press(ada, html, f"answers/{answer}/flag", flagged="y")
    press(ada, html, "/1/flag", flagged="y")

    html = open_batch(ada, home).text
    assert "Old price &lt;b&gt;" in html
    assert len(re.findall(r'data-act="flag[^>]*aria-pressed="true"', html)) == 2
    press(ada, html, f"answers/{answer}/flag", flagged="")
    with stored.read() as session:
        assert sorted(session.scalars(select(Flag.state))) == ["open", "withdrawn"]


@pytest.mark.thorough
def test_what_was_flagged_is_listed_where_rating_ends(ada, home):
    html = open_batch(ada, home).text
    press(ada, html, f"answers/{answers_of(html)[0]}/flag", flagged="y")
    press(ada, html, "/1/flag", flagged="y")

    end = ada.get(f"{home}/done").text

    assert "Reported by you" in end
    assert "The whole question" in end
    assert f"/1#answer-{answers_of(html)[0]}" in end


def test_next_asks_before_it_leaves_answers_behind(ada, home, stored):
    html = open_batch(ada, home).text

    asked = press(ada, html, "/1/next")
    page = ada.get(asked.location).text
    left = press(ada, page, "/1/later")

    assert asked.location.endswith("ask=later")
    assert re.search(r'data-ref="ask-later" tabindex="-1">', page)
    assert left.location.endswith("/rate/2")
    with stored.read() as session:
        assert session.scalars(select(Assignment.state).order_by(Assignment.batch)).all() == [
            "parked",
            "open",
        ]


@pytest.mark.thorough
def test_next_goes_on_when_all_is_rated_and_ends_where_nothing_is_left(ada, home):
    for _ in range(2):
        html = open_batch(ada, home).text
        for answer in answers_of(html):
            press(ada, open_batch(ada, home).text, f"answers/{answer}", grade="1")
            html = ada.get(Forms(html).to("/next")[0]["action"].removesuffix("/next")).text
        press(ada, html, "/next")

    end = open_batch(ada, home).text

    assert "Nothing left to rate" in end
    assert "You rated 6 answers" in end
    assert "You can close this page" in end
    assert end.count('<li class="pair">') == 6


@pytest.mark.thorough
def test_no_good_answer_grades_the_rest_and_is_undone(ada, home, stored):
    html = open_batch(ada, home).text
    press(ada, html, f"answers/{answers_of(html)[0]}", grade="2")

    done = press(ada, html, "/no-good-answer", number=-1)
    page = ada.get(done.location).text
    press(ada, page, "/no-good-answer", number=1)

    assert "You gave the rest 0 stars" in page and "no good answer" not in page
    assert [(row.grade, row.reason and row.reason.name) for row in judgments(stored)] == [
        (2, None),
        (0, None),
        (0, None),
        (None, "CLEARED"),
        (None, "CLEARED"),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("grade", "said", "undone", "redone"),
    [
        (
            "2",
            "You gave the rest 0 stars",
            "Undone: those answers are unrated again",
            "Redone: those answers have the lowest grade again",
        ),
        (
            "0",
            "Marked as “no good answer”",
            "Undone: “no good answer”",
            "Redone: “no good answer”",
        ),
    ],
)
def test_without_scripts_a_step_is_named_as_its_button_was(ada, home, grade, said, undone, redone):
    html = open_batch(ada, home).text
    press(ada, html, f"answers/{answers_of(html)[0]}", grade=grade)
    html = ada.get(press(ada, html, "/no-good-answer", number=-1).location).text
    assert said in html

    html = ada.get(press(ada, html, "/undo", number=0).location).text
    assert undone in html
    html = ada.get(press(ada, html, "/undo", again="y").location).text
    assert redone in html


@pytest.mark.thorough
def test_without_scripts_what_is_on_another_page_is_asked_about_before_it_changes(ada, home, stored):
    html = open_batch(ada, home).text
    first = answers_of(html)[0]
    press(ada, html, f"answers/{first}", grade="3")
    press(ada, html, "/later")
    here = open_batch(ada, home)
    question, other = (re.search(r"<h1[^>]*>([^<]+)", page).group(1) for page in (html, here.text))
    assert question != other
    title = re.search(r'class="ans__title"[^>]*>([^<]+)', html).group(1)

    for again, asked, said in (
        (
            {},
            f"Take back 3 stars for “{title}” (question “{question}”)?",
            "Undone. Now answer A is not rated",
        ),
        (
            {"again": "y"},
            f"Bring back 3 stars for “{title}” (question “{question}”)?",
            "Redone. Now answer A is 3 stars",
        ),
    ):
        before = len(judgments(stored))
        answer = press(ada, here.text, "/undo", **again)
        page = ada.get(answer.location).text
        assert answer.location.startswith(here.request.path) and asked in page
        assert len(judgments(stored)) == before, "nothing has changed yet"
        done = press(ada, page, "/undo")
        assert f"#answer-{first}" in done.location
        assert said in ada.get(done.location).text
        assert len(judgments(stored)) == before + 1


def rest_button(html):
    """Return what the button says that rates everything left."""
    return re.search(r'data-ref="none"[^>]*>([^<]*)<', html)[1]


def test_beside_a_better_one_the_button_says_what_the_rest_get(ada, home, stored):
    html = open_batch(ada, home).text
    assert rest_button(html) == "No good answer"
    press(ada, html, f"answers/{answers_of(html)[0]}", grade="1")

    opened = open_batch(ada, home)
    page = opened.text
    assert rest_button(page) == "Give the rest 0 stars"
    press(ada, page, "/no-good-answer", number=-1)

    assert [row.grade for row in judgments(stored)] == [1, 0, 0]
    assert "All done on this page" in ada.get(opened.request.path).text


@pytest.mark.thorough
def test_a_better_answer_on_another_page_of_the_question_names_the_button_too(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    first = open_batch(ada, home)
    press(ada, first.text, f"answers/{answers_of(first.text)[0]}", grade="1")
    press(ada, first.text, "/later")

    second = open_batch(ada, home)

    assert second.request.path != first.request.path
    assert rest_button(first.text) == "No good answer"
    assert rest_button(second.text) == "Give the rest of the question 0 stars"
    assert 'data-better="on"' in second.text
    again = ada.get(first.request.path).text
    assert 'data-better="off"' in again, "its own answers are seen on the page"
    for answer in answers_of(second.text):
        press(ada, second.text, f"answers/{answer}", grade="1")
    assert rest_button(ada.get(second.request.path).text) == "Give the other parts 0 stars"


@pytest.mark.thorough
def test_without_scripts_an_answer_of_another_part_is_named_by_its_title(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    first = open_batch(ada, home)
    title = re.search(r'class="ans__title"[^>]*>([^<]+)', first.text).group(1)
    press(ada, first.text, f"answers/{answers_of(first.text)[0]}", grade="2")
    press(ada, first.text, "/later")

    asked = press(ada, open_batch(ada, home).text, "/undo")

    assert f"Take back 2 stars for “{title}” (another part of this question)?" in ada.get(asked.location).text


def test_a_question_of_several_pages_has_one_number_and_is_settled_as_a_whole(client_of, making, stored):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    html = open_batch(ada, home).text

    assert re.search(r"<b>Question 1, part 1</b>\s*<span", html)
    asked = press(ada, html, "/no-good-answer", number=-1)
    page = ada.get(asked.location).text
    assert "12 answers left on this page" in html
    assert "Give 0 stars to all 30 unrated answers of this question?" in page
    assert "On this page: 12. In other parts, which you may not have seen: 18." in page
    done = press(ada, page, "/no-good-answer", number=0, sure="y")
    assert "30 unrated answers got 0 stars" in ada.get(done.location).text
    assert [row.grade for row in judgments(stored)] == [0] * 30
    press(ada, ada.get(f"{home}/1").text, "/next")
    assert "Nothing left to rate" in open_batch(ada, home).text


@pytest.mark.thorough
def test_the_end_says_how_many_were_rated_and_what_was_left_for_later(ada, home):
    for _ in range(2):
        html = open_batch(ada, home).text
        for number, answer in enumerate(answers_of(html)):
            press(ada, html, f"answers/{answer}", **({"grade": "1"} if number else {"reason": "expertise"}))
        path = Forms(html).to("/next")[0]["action"].removesuffix("/next")
        assert "Not finished" not in ada.get(f"{home}/done").text
        press(ada, ada.get(path).text, "/next")

    end = text_of(open_batch(ada, home).text)

    assert "You did 6 answers: 4 rated, 2 “can’t judge”. Thank you." in end


def test_pages_with_unrated_answers_are_listed_left_for_later_or_not(ada, home):
    press(ada, open_batch(ada, home).text, "/later")
    open_batch(ada, home)

    for address in (f"{home}/done", "/"):
        listed = text_of(ada.get(address).text).partition("Not finished")[2]
        assert listed.count("3 answers left") == 2


def test_a_reason_has_one_digit_for_an_answer_and_for_the_whole_question(ada, home):
    html = open_batch(ada, home).text
    digits = re.findall(r'name="reason" value="(\w+)"\s*>\s*<kbd aria-hidden="true">(\d)</kbd>', html)

    assert len(digits) == 5 + 6 * len(answers_of(html))
    assert len(set(digits)) == 6


@pytest.mark.thorough
@pytest.mark.parametrize(("state", "words"), [("closed", "Rating is closed"), ("archived", "is archived")])
def test_where_nobody_can_rate_no_page_that_was_left_for_later_is_offered(
    ada, home, making, shop, state, words
):
    press(ada, open_batch(ada, home).text, "/later")
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = state

    end = ada.get(f"{home}/done").text

    assert words in end
    assert "Not finished" not in end
    assert "Open one to change it." not in end


@pytest.mark.thorough
def test_a_question_that_comes_again_keeps_its_number_and_says_which_part_it_is(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=20)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    # The parts of the first question follow one another, then comes the second one.
    parked = "You left 12 more answers to this question for later."
    for batch, said in ((1, False), (3, True), (2, False)):
        page = open_batch(ada, home)
        assert page.request.path == f"{home}/{batch}"
        assert (parked in page.text) is said
        press(ada, ada.get(f"{home}/{batch}").text, "/later")

    said = [re.search(r"Question (\d.*?)</b>", ada.get(f"{home}/{batch}").text) for batch in (1, 3, 2)]
    assert [one[1] for one in said] == ["1, part 1", "1, part 2", "2, part 1"]


def test_a_question_with_several_parts_left_says_how_many_answers_are_in_them(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=40)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    page = open_batch(ada, home).text
    # Its parts follow one another, then comes the second question.
    while "<b>Question 1" in page:
        press(ada, page, "/later")
        page = open_batch(ada, home).text

    assert "In other parts, which you may not have seen: 28." in page
    assert "Question 2, part 1 Other parts may come later." in text_of(page)


def test_the_last_answers_of_a_question_are_no_part_where_nothing_else_of_it_is_to_come(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=14)
        for one in make.session.scalars(select(Candidate).order_by(Candidate.id)).all()[:12]:
            make.judgment(one, shop.bo, 2)

    page = open_batch(client_of(shop.ada), f"/p/{shop.project.slug}/rate").text

    assert "0 of 2 answers done" in text_of(page)
    assert re.search(r"<b>Question 1</b>", page)


def test_a_question_is_passed_on_and_taken_back(ada, home, shop):
    html = open_batch(ada, home).text

    gone = press(ada, html, "/decline", reason="expertise")
    assert gone.location.endswith("/rate/2")
    page = ada.get(f"{home}/1").text
    press(ada, page, "/decline", number=0)

    assert "This question goes to other annotators" in page
    assert marked_in(page) == [True, False, False, False]
    assert marked_in(ada.get(f"{home}/1").text) == [False, True, True, True]
    # Whoever leaves it now finds it again, here and at home.
    for listing in (f"{home}/done", "/"):
        assert re.search(rf'"unfinished-h".*<a href="{home}/1"', ada.get(listing).text, re.DOTALL)


def test_a_question_whose_answers_are_all_rated_after_all_is_passed_on_no_more(ada, home, client_of, shop):
    """The page, one's own list and Review agree; said after the ratings, it stays."""
    olga, review = client_of(shop.owner), f"/p/{shop.project.slug}/review"

    def is_marked():
        return [
            marked_in(ada.get(f"{home}/1").text)[0],
            "The whole question" in ada.get(f"{home}/ratings?show=pass").text,
            "About the whole question" in olga.get(review).text,
        ]

    html = open_batch(ada, home).text
    press(ada, html, "/decline", reason="expertise")
    *most, last = answers_of(html)
    for answer in most:
        press(ada, ada.get(f"{home}/1").text, f"/answers/{answer}", grade="1")
    assert is_marked() == [True] * 3

    press(ada, ada.get(f"{home}/1").text, f"/answers/{last}", grade="1")
    assert is_marked() == [False] * 3

    press(ada, ada.get(f"{home}/1").text, f"/answers/{last}", reason="cleared")
    assert is_marked() == [True] * 3
    press(ada, ada.get(f"{home}/1").text, f"/answers/{last}", grade="1")
    press(ada, ada.get(f"{home}/1").text, "/decline", reason="expertise")
    assert is_marked() == [True] * 3


def test_each_part_says_that_the_question_was_passed_on_and_next_goes_on(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=2, answers=20)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"
    for batch in (1, 3):
        press(ada, open_batch(ada, home).text if batch == 1 else ada.get(f"{home}/{batch}").text, "/later")
    press(ada, ada.get(f"{home}/3").text, "/decline", reason="expertise")

    part = ada.get(f"{home}/1").text

    def parts():
        return [re.search(r"<b>(.*?)</b>", ada.get(f"{home}/{batch}").text)[1] for batch in (1, 3)]

    assert parts() == ["Question 1, part 1", "Question 1, part 2"]
    assert marked_in(part) == [True, False, False, False]
    assert press(ada, part, "/next").location.endswith("/rate/2")
    press(ada, part, "/decline", number=0)
    assert not any(marked_in(ada.get(f"{home}/{batch}").text)[0] for batch in (1, 3))
    assert parts() == ["Question 1, part 1", "Question 1, part 2"]


def test_a_part_is_called_one_while_its_question_is_passed_on(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=20)
    ada, home = client_of(shop.ada), f"/p/{shop.project.slug}/rate"

    press(ada, open_batch(ada, home).text, "/decline", reason="expertise")

    assert "<b>Question 1, part 1</b>" in ada.get(f"{home}/1").text


def test_somebody_else_s_batch_is_not_there(ada, home, client_of, shop):
    open_batch(ada, home)

    assert client_of(shop.bo).get(f"{home}/1").status_code == 404
    assert client_of(shop.bo).post(f"{home}/1/next").status_code == 404
    assert ada.get(f"{home}/99").status_code == 404


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("paused", "Rating is paused"),
        ("closed", "Rating is closed"),
        ("archived", "An owner has archived this project."),
    ],
)
def test_a_resting_project_says_why_there_is_nothing_to_rate(ada, home, making, shop, state, words):
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = state

    assert words in open_batch(ada, home).text


@pytest.mark.thorough
def test_a_paused_project_leads_back_to_what_it_has_dealt(ada, home, making, shop, client_of):
    open_batch(ada, home)
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = "paused"

    page, start = open_batch(ada, home).text, ada.get("/").text
    unbegun = open_batch(client_of(shop.bo), home).text

    assert "You can still finish the answers you have." in page
    assert "3 answers are left for you" in page
    assert "You can still finish the answers you have." in start
    for text in (page, start):
        assert re.search(rf'class="btn [^"]+" href="{home}/1">Start rating', text)
    assert f"{home}/1" not in unbegun
    assert f"{home}/1" not in client_of(shop.bo).get("/").text

    batch = ada.get(f"{home}/1").text
    for answer in answers_of(batch):
        press(ada, ada.get(f"{home}/1").text, f"answers/{answer}", grade="1")
    done = ada.get(home).text
    assert "You can still finish" not in done
    assert "Continue rating" not in ada.get("/").text


def test_texts_of_people_are_text_and_never_markup(ada, home, making, shop):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    with making() as make:
        for query in make.session.scalars(select(Query)):
            query.text = query.intent = evil
        for document in make.session.scalars(select(Document)):
            document.title = document.text = document.source = evil
            document.url = "javascript:alert(1)"

    html = open_batch(ada, home).text

    assert "<script>alert" not in html
    assert "<img" not in html
    assert "javascript:" not in html


def test_a_long_answer_is_folded_after_a_sentence(ada, home, making):
    with making() as make:
        document = make.session.scalars(select(Document)).first()
        document.text = "One sentence of words. " * 80

    html = open_batch(ada, home).text

    assert html.count('<summary class="sum">Full text') == 1
    assert re.search(r'<div class="ans__text" dir="auto" lang="">(One sentence of words\. ?)+</div>', html)


def test_an_answer_is_shown_in_its_own_format_and_language(ada, home, making, shop):
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).options = {"language": "en"}
        plain, other, hebrew = make.session.scalars(select(Document).order_by(Document.id)).all()[:3]
        plain.text = other.text = "**Loosen** the nut"
        other.extra = {"format": "Markdown", "language": "de"}
        hebrew.extra = {"format": "<b>", "language": '"><b>'}
        make.session.get_one(Person, shop.ada.id).preferences = {"marks": True}
        for query in make.session.scalars(select(Query)):
            query.text = "Loosen what?"

    html = open_batch(ada, home).text

    assert 'lang="en"><mark>' not in html
    assert '<div class="ans__text" dir="auto" lang="en">**<mark>Loosen</mark>** the nut</div>' in html
    assert '<div class="ans__text prose" dir="auto" lang="de"><p><strong><mark>Loosen</mark></strong>' in html
    assert re.search(r'<h1[^>]* lang="en">Loosen what', html)


@pytest.mark.thorough
def test_new_guidelines_are_announced_once_with_what_changed(ada, home, making, shop, stored):
    before = open_batch(ada, home).text
    with making() as make:
        project = make.session.get_one(type(shop.project), shop.project.id)
        change_guidelines(make.session, project, "# Rate the answer\n\nNot its length.")
    # Rated on the page that shows the first version.
    press(ada, before, "answers/" + answers_of(before)[0], grade="1")

    changed, again = open_batch(ada, home).text, open_batch(ada, home).text

    assert "The guidelines have changed" in changed
    assert "<ins>Not its length.</ins>" in changed
    assert "<del>Not its style.</del>" in changed
    assert "The guidelines have changed" not in again
    with stored.read() as session:
        assert session.get_one(Person, shop.ada.id).preferences["guidelines"] == {str(shop.project.id): 2}
    press(ada, again, "answers/" + answers_of(again)[1], grade="1")
    assert [row.guideline_version for row in judgments(stored)] == [1, 2]


def test_the_guidelines_have_a_page_of_their_own_that_leads_there_from_home(ada, home, making, shop, stored):
    open_batch(ada, home)
    with making() as make:
        project = make.session.get_one(type(shop.project), shop.project.id)
        change_guidelines(make.session, project, "# Rate the answer\n\nNot its length.")

    assert f'href="{home}/guidelines"' in ada.get("/").text
    page = ada.get(f"{home}/guidelines").text

    for said in ("Not its length.", "<ins>Not its length.</ins>", "Version 2", "Solves it."):
        assert said in page
    assert re.search(r'class="btn btn--main"[^>]*>\s*Rate answers<', page), (
        "before the first rating, and after the last"
    )
    assert f'<a href="{home}/start">How rating works</a>' in page
    assert "<ins>" not in ada.get(f"{home}/guidelines").text
    assert "The guidelines have changed" not in open_batch(ada, home).text


def test_an_owner_sees_the_page_as_an_annotator_and_nothing_is_leased(client_of, home, shop, stored):
    reply = client_of(shop.owner).get(f"{home}/preview")

    assert "Nothing is stored" in reply.text
    assert len(answers_of(reply.text)) == 3
    assert "Save answer" not in reply.text
    with stored.read() as session:
        assert session.scalars(select(Assignment)).all() == []
    assert client_of(shop.ada).get(f"{home}/preview").status_code == 404


def test_an_owner_who_only_looks_holds_nothing_and_takes_a_question_by_a_button(
    client_of, home, shop, stored
):
    client = client_of(shop.owner)

    page = client.get(home, follow_redirects=True).text

    assert "<h1>Rate answers</h1>" in page
    with stored.read() as session:
        assert session.scalars(select(Assignment)).all() == []
    taken = press(client, page, "/rate")
    assert taken.location == f"{home}/1"
    assert client.get(home).location == taken.location, "what is begun goes on"


def test_an_owner_who_rates_is_told_that_it_is_counted_apart(client_of, home, shop, stored):
    client = client_of(shop.owner)
    html = client.post(home, follow_redirects=True).text
    press(client, html, f"answers/{answers_of(html)[0]}", grade="1")

    assert "marked as not blind" in html
    assert [row.blind for row in judgments(stored)] == [False]


def test_a_page_fetched_ahead_takes_nothing_up(ada, home, stored):
    open_batch(ada, home)
    with stored.write() as session:
        session.scalars(select(Assignment)).one().state = "parked"

    ada.get(f"{home}/1?ahead=1")

    with stored.read() as session:
        assert session.scalars(select(Assignment.state)).one() == "parked"
        assert session.scalars(select(Candidate)).first().public_id


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "words"), [("en", "0 of 1 answer done"), ("de", "0 von 1 Antwort erledigt")]
)
def test_a_single_answer_is_counted_in_the_singular(making, client_of, language, words):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=1)
    client = client_of(shop.ada)
    client.post("/language", data={"language": language})

    html = open_batch(client, f"/p/{shop.project.slug}/rate").text

    assert html.count(words) == 2


@pytest.mark.thorough
def test_who_finds_all_answers_with_others_is_told_so(client_of, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=2)
        third = make.member(shop.project, "annotator", name="Cy Third")
    address = f"/p/{shop.project.slug}/rate"
    assert open_batch(client_of(shop.ada), address).status_code == 200

    page = open_batch(client_of(third), address).text

    assert "Others are rating the last answers" in page
    assert "Nothing left to rate" not in page
    assert f'action="{address}"' in page
    assert "Look again" in page
    with making() as make:
        for candidate in make.session.scalars(
            select(Candidate).where(Candidate.project_id == shop.project.id)
        ):
            make.judgment(candidate, shop.ada, 2)
    assert "Nothing left to rate" in open_batch(client_of(third), address).text


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("owner", "Import questions, answers and results first."),
        ("annotator", "The owners have not added questions and answers yet."),
    ],
)
def test_an_empty_project_is_not_called_done(client_of, making, role, told):
    with making() as make:
        project = make.project(slug="bare")
        person = make.member(project, role)
    page = client_of(person).get("/p/bare/rate", follow_redirects=True).text

    assert "<h1>Nothing to rate yet</h1>" in page
    assert told in page
    assert "Nothing left to rate" not in page


def test_a_page_of_a_retired_question_says_so_and_leads_on(ada, home, shop, client_of, stored):
    first = re.search(r"Question number \d\?", open_batch(ada, home).text)[0]
    batch = "/1"
    with stored.read() as session:
        query = session.scalars(select(Query).where(Query.text == first)).one()
    client_of(shop.owner).post(f"/p/{shop.project.slug}/questions/{query.id}/state", data={"turn": "retire"})

    page = ada.get(home + batch).text

    assert "This question was retired. Ratings of it are kept but do not count." in text_of(page)
    assert first in text_of(page)
    assert ada.get(home).status_code == 200, "nobody is led back to it"
    press(ada, page, f"answers/{answers_of(page)[0]}", grade="2")
    assert [row.grade for row in judgments(stored)] == [2]
    onward = ada.post(f"{home}{batch}/next", follow_redirects=True).text
    assert first not in text_of(onward)
    assert "Question number" in text_of(onward)

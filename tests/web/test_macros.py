"""What the shared macros write, read back as a tree of tags."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from wtforms import BooleanField, Form, RadioField, SelectChoice, StringField
from wtforms.validators import DataRequired

from app.web.charts.axes import gap_axis
from app.web.charts.bars import coverage_grid
from app.web.charts.intervals import gap_bar, reference_ring
from app.web.charts.lines import ChartNote, Point, Series, sparkline
from app.web.charts.timeline import time_chart
from app.web.dates import moment_in_words
from tests.furniture.words import closed_up

ROOT = Path(__file__).parents[2]
GRADES = [(0, "No help"), (1, "A little"), (2, "Mostly"), (3, "Solves it")]


@pytest.fixture(scope="module")
def write():
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.add_extension("jinja2.ext.i18n")
    environment.install_null_translations(newstyle=True)
    environment.filters["moment_in_words"] = moment_in_words
    environment.globals["decimal"] = str

    def write(file, name, *args, **kwargs):
        return closed_up(
            getattr(environment.get_template(f"macros/{file}.html").module, name)(*args, **kwargs)
        )

    return write


class Tags(HTMLParser):
    """All start tags of a text, in order, as (name, attributes)."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, name):
        return [attrs for tag, attrs in self.found if tag == name]


class ProjectForm(Form):
    name = StringField("Name", validators=[DataRequired("Enter a name for the project")])
    scale = RadioField(
        "Scale",
        choices=[SelectChoice("a", "0 to 3"), SelectChoice("b", "1 to 5")],
        validators=[DataRequired("Choose one")],
    )
    blind = BooleanField("Count them")


@pytest.fixture
def wrong():
    form = ProjectForm()
    form.validate()
    return form


class TestForms:
    def test_a_wrong_field_names_its_error_and_its_hint(self, write, wrong):
        text = write("forms", "field", wrong.name, hint="Shown on every page.")

        control = Tags(text).named("input")[0]
        assert control["aria-invalid"] == "true"
        assert control["aria-describedby"] == "name-hint name-error"
        assert 'id="name-error"' in text
        assert "Enter a name for the project" in text

    def test_a_right_field_is_not_described_by_anything(self, write):
        control = Tags(write("forms", "field", ProjectForm().name)).named("input")[0]

        assert "aria-invalid" not in control
        assert "aria-describedby" not in control

    def test_the_summary_leads_to_each_field_in_the_same_words(self, write, wrong):
        tags = Tags(write("forms", "error_summary", wrong, "The project could not be created"))

        assert [link["href"] for link in tags.named("a")] == ["#name", "#scale-0"]
        assert tags.found[0][1]["role"] == "alert"
        assert "autofocus" in tags.found[0][1]

    def test_a_form_without_errors_has_no_summary(self, write):
        assert write("forms", "error_summary", ProjectForm()) == ""

    def test_radios_stand_in_a_fieldset_with_their_error(self, write, wrong):
        tags = Tags(write("forms", "choices", wrong.scale, hint="Frozen at the first rating."))

        assert tags.named("fieldset")[0]["aria-describedby"] == "scale-hint scale-error"
        assert [radio["id"] for radio in tags.named("input")] == ["scale-0", "scale-1"]
        assert [label["for"] for label in tags.named("label")] == ["scale-0", "scale-1"]

    def test_what_people_typed_is_escaped(self, write):
        form = ProjectForm(data={"name": '"><script>'})

        assert "<script>" not in write("forms", "field", form.name)


class TestGrades:
    def test_nothing_is_chosen_before_somebody_chooses(self, write):
        radios = Tags(write("grades", "stars", "r", GRADES)).named("input")

        assert [radio["value"] for radio in radios] == ["0", "1", "2", "3"]
        assert all("checked" not in radio for radio in radios)

    def test_zero_is_a_grade_that_can_be_chosen(self, write):
        radios = Tags(write("grades", "stars", "r", GRADES, 0)).named("input")

        assert ["checked" in radio for radio in radios] == [True, False, False, False]

    def test_zero_has_its_own_symbol(self, write):
        symbols = [use["href"] for use in Tags(write("grades", "stars", "r", GRADES)).named("use")]

        assert symbols == ["#i-zero", "#i-star", "#i-star", "#i-star"]

    def test_not_rated_and_zero_look_and_read_differently(self, write):
        assert "not rated yet" in write("grades", "grade", None)
        assert "not rated yet" not in write("grades", "grade", 0, "No help")
        assert 'class="grade gq"' in write("grades", "grade", None)
        assert 'class="grade g0"' in write("grades", "grade", 0)

    @pytest.mark.parametrize(
        ("value", "css"), [(1, "g0"), (2, "g1"), (3, "g1"), (4, "g2"), (5, "g3"), (4.5, "g2")]
    )
    def test_five_stars_share_four_tones(self, write, value, css):
        assert f'class="grade {css}"' in write("grades", "grade", value, top=5)

    def test_a_midpoint_is_written_out(self, write):
        assert ">1.5" in write("grades", "grade", 1.5)

    def test_edges_say_not_rated_too(self, write):
        assert [write("grades", "edge", value) for value in (None, 0, 3)] == ["eq", "e0", "e3"]


class TestVerdict:
    @pytest.mark.parametrize(
        ("word", "ahead", "shown"),
        [
            ("too early", 0, "Too early"),
            ("not sure yet", 0, "Not sure yet"),
            ("too close to call", 0, "Too close to call"),
            ("probably better", 1, "Probably better"),
            ("probably better", -1, "Probably worse"),
            ("sure", 1, "Sure"),
            ("sure", -1, "Surely worse"),
        ],
    )
    def test_each_verdict_has_its_word_and_an_icon(self, write, word, ahead, shown):
        pair = SimpleNamespace(verdict=SimpleNamespace(word=word, ahead=ahead))

        text = write("verdict", "verdict", pair)

        assert f"</svg>{shown}</span>" in text
        assert "<use href=" in text


class TestTables:
    def test_nothing_to_count_is_an_empty_bar_and_no_share(self, write):
        text = write("tables", "progress", 0, 0, "No answers yet")

        assert Tags(text).named("progress") == [{"max": "1", "value": "0", "aria-label": "No answers yet"}]
        assert "%" not in text

    def test_the_first_page_has_no_previous(self, write):
        links = Tags(write("tables", "pager", 1, 3, "?page={}".format)).named("a")

        assert [link["rel"] for link in links] == ["next"]
        assert links[0]["href"] == "?page=2"

    def test_one_page_needs_no_pager(self, write):
        assert write("tables", "pager", 1, 1, str) == ""


class TestCharts:
    def test_the_drawing_has_the_sentence_and_the_table_the_values(self, write):
        blend = Series("<Blend>", 1, [Point(1, 80, "Week 1", 75, 85), Point(2, 81, "Week 2")], focused=True)

        chart = time_chart([blend], [ChartNote(1, 2, "v2 & more")])
        text = write("charts", "line_chart", chart, "table") + write("charts", "events", chart.events)

        tags = Tags(text)
        drawings = [svg for svg in tags.named("svg") if "data-columns" in svg]
        assert [svg["viewbox"] for svg in drawings] == ["0 0 760 330", "0 0 340 270"]
        assert all(svg["aria-label"].startswith("Score over time. <Blend> from 80") for svg in drawings)
        assert "80.0 (75.0 to 85.0)" in text
        assert "v2 &amp; more" in text
        assert "<Blend>" not in text

    def test_an_empty_chart_offers_nothing_to_walk_along(self, write):
        text = write("charts", "line_chart", time_chart([]), "table")

        assert all("data-controller" not in attrs for _, attrs in Tags(text).found)

    def test_the_reference_is_a_ring_and_every_other_ranker_has_a_bar(self, write):
        axis = gap_axis([-20, 10])

        ring = write("charts", "gap_bar", reference_ring(axis, "Full text"), 1)
        bar = write("charts", "gap_bar", gap_bar(-4, -10, 2, axis, "Blend"), 1)
        assert ("<rect" in ring, "dot--ref" in ring) == (False, True)
        assert ("<rect" in bar, "dot--ref" in bar) == (True, False)
        assert ring.count('class="zero"') == bar.count('class="zero"') == 1

    def test_coverage_squares_are_links_with_words(self, write):
        grid = coverage_grid([4], [8], [("my brakes scream", "/q/1")])

        link = Tags(write("charts", "coverage_squares", grid)).named("a")[0]

        assert link == {"href": "/q/1", "aria-label": "my brakes scream: 50 % rated"}

    def test_no_spark_is_no_drawing(self, write):
        assert write("charts", "spark", sparkline([70], 1)) == ""


def test_a_moment_is_written_in_utc_for_people_and_for_scripts(write):
    moment = dt.datetime(2026, 11, 3, 9, 5, tzinfo=dt.UTC)

    assert write("times", "when", moment) == (
        '<time datetime="2026-11-03T09:05:00Z" data-show="both">3 Nov 2026, 09:05 UTC</time>'
    )
    # As browsers shorten it.
    assert moment_in_words(moment.replace(month=9), "seconds") == "3 Sept 2026, 09:05:00 UTC"


@pytest.mark.parametrize("number", [0, 9, 30])
def test_rankers_beyond_eight_are_grey(write, number):
    assert 'class="mk mk-0"' in write("icons", "mark", number)


@pytest.mark.parametrize(
    ("category", "role"),
    [("message", "status"), ("success", "status"), ("warning", "status"), ("error", "alert")],
)
def test_only_failures_interrupt(write, category, role):
    text = write("notes", "flashes", [(category, "Done")])

    assert f'role="{role}"' in text

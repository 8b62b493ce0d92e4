"""The rules that every template, stylesheet and script keeps, read from the files themselves."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))


def name_of(path):
    return str(path.relative_to(ROOT))


def text_of(path):
    return path.read_text(encoding="utf-8")


def all_of(paths):
    return "\n".join(text_of(path) for path in paths)


def test_no_template_holds_what_the_policy_refuses():
    for template in TEMPLATES:
        text = re.sub(r"\{#.*?#\}", "", text_of(template), flags=re.DOTALL)

        assert not re.search(r"<[^>]*\sstyle\s*=", text), template
        assert not re.search(r"<[a-z][^>]*\son[a-z]+\s*=", text), template
        assert "<style" not in text, template
        assert "javascript:" not in text, template
        assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", text)), template


def test_no_template_asks_another_site_for_anything():
    asking = [name_of(one) for one in TEMPLATES if re.search(r"(src|action)=\"https?:", text_of(one))]

    assert asking == []


def test_every_icon_that_is_asked_for_is_in_the_sprite():
    environment = Environment(loader=FileSystemLoader(ROOT / "templates"), autoescape=True)
    icons = environment.get_template("macros/icons.html").module
    written = icons.sprite() + icons.other_sprite()
    sprite = set(re.findall(r'<symbol id="i-([a-z0-9-]+)" viewBox="[0-9 ]+"><', written))
    asked = set(re.findall(r"\bicon\(\s*['\"]([a-z-]+)['\"]", all_of(TEMPLATES)))
    asked |= set(re.findall(r'href="#i-([a-z0-9-]+)"', all_of(TEMPLATES)))

    assert asked
    assert asked | {f"m{number}" for number in range(9)} <= sprite


def test_every_controller_that_a_template_names_can_be_loaded():
    listed = set(
        re.findall(r"import\(\"\./controllers/([a-z-]+)\.js\"\)", text_of(ROOT / "static/js/main.js"))
    )
    named = {
        name
        for value in re.findall(r'data-controller="([a-z -]+)"', all_of(TEMPLATES))
        for name in value.split()
    }

    assert named
    assert named <= listed
    assert listed == {path.stem for path in (ROOT / "static/js/controllers").glob("*.js")}


def test_scripts_say_where_they_are_used():
    assert [name_of(script) for script in SCRIPTS if not text_of(script).startswith("// Used ")] == []


def test_no_text_of_a_script_spans_lines():
    # Comments and indentation are left out where scripts are served (app/http/assets.py), line by line.
    for script in SCRIPTS:
        assert all(line.count("`") % 2 == 0 for line in text_of(script).splitlines()), script


def test_scripts_set_no_inline_style_and_make_no_code_from_text():
    refused = re.compile(r"\.style\b|setAttribute\(\"style\"|\beval\(|new Function\(")

    assert [name_of(script) for script in SCRIPTS if refused.search(text_of(script))] == []


def test_every_custom_property_that_is_used_is_defined():
    css = all_of(STYLES)

    used = set(re.findall(r"var\((--[a-z0-9-]+)", css))
    assert used <= set(re.findall(r"(--[a-z0-9-]+)\s*:", css))


def test_stylesheets_ask_for_nothing_and_know_no_left_or_right():
    for style in STYLES:
        text = re.sub(r"/\*.*?\*/", "", text_of(style), flags=re.DOTALL)

        assert "@import" not in text, style
        assert all(address.startswith("#") for address in re.findall(r"url\(([^)]*)\)", text)), style
        assert not re.search(r"(margin|padding|border)-(left|right)\b", text), style


def tokens(theme):
    """Return the hexadecimal tokens of one theme."""
    text = text_of(ROOT / "static/css/tokens.css")
    pairs = re.findall(r"(--[a-z0-9-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", text)
    plain = dict(re.findall(r"(--[a-z0-9-]+):\s*(#[0-9a-f]{6});", text))
    return plain | {name: light if theme == "light" else dark for name, light, dark in pairs}


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT_ON_GROUND = [
    *(
        (ink, ground)
        for ink in ("--ink", "--ink-2", "--ink-3", "--accent")
        for ground in ("--paper", "--surface")
    ),
    *((f"--r{number}", "--surface") for number in range(1, 5)),
    *((f"--r{number}s", "--stone") for number in range(1, 5)),
    *((f"--g{number}-ink", f"--g{number}") for number in range(4)),
    ("--on-accent", "--accent"),
    ("--accent-deep", "--accent-wash"),
    ("--warn", "--warn-wash"),
    ("--bad", "--bad-wash"),
    ("--bad", "--surface"),
    ("--ink-2", "--sunken"),
    ("--stone-ink", "--stone"),
    ("--stone-ink-2", "--stone"),
    ("--stone-ink", "--stone-2"),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_its_ground(theme):
    colours = tokens(theme)

    assert [pair for pair in TEXT_ON_GROUND if contrast(*map(colours.get, pair)) < 4.5] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["--surface", "--paper"])
def test_outlines_of_controls_and_stars_can_be_seen(theme, ground):
    colours = tokens(theme)

    assert contrast(colours["--line-strong"], colours[ground]) >= 3
    assert contrast(colours["--gold-edge"], colours[ground]) >= 3

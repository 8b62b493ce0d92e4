"""Markdown becomes HTML that can do no harm."""

from html.parser import HTMLParser

import pytest

from app.web.answer_text import render_markdown


class Tags(HTMLParser):
    """Collects the tags of a text, as a browser reads them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_ordinary_markdown_is_rendered_below_the_page_s_own_headings():
    html = render_markdown(
        "# Stars\n\n## Doubt\n\n- **one**\n- [two](https://example.org)\n\n| a |\n|---|\n| b |"
    )

    assert "<h3>Stars</h3>" in html
    assert "<h4>Doubt</h4>" in html
    assert "<strong>one</strong>" in html
    assert '<a href="https://example.org" rel="noreferrer noopener">two</a>' in html
    assert "<td>b</td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://example.org/x.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>1</script>)",
        "<a href='vbscript:x' onclick=alert(1)>x</a>",
        "<style>*{display:none}</style>",
        "<iframe src=//example.org></iframe>",
        "[x](https://example.org 'x\" onmouseover=\"alert(1)')",
        "```\n</code></pre><script>alert(1)</script>\n```",
    ],
)
def test_nothing_of_it_runs_or_loads(text):
    tags = Tags(render_markdown(text)).found

    assert {name for name, _ in tags} <= {"p", "a", "pre", "code"}
    for _, attributes in tags:
        assert set(attributes) <= {"href", "title", "rel"}
        assert attributes.get("href", "https:").startswith("https:")


def test_the_deepest_heading_stays_one():
    assert "<h6>" in render_markdown("# a\n\n###### b")

"""No template says a word that the translations were never given: texts, attributes and values of expressions."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import nodes

ROOT = Path(__file__).parents[2] / "templates"
SPOKEN = {"aria-label", "alt", "title", "placeholder", "aria-description", "label", "data-label"}
SILENT = {"script", "style", "kbd", "code"}
# Calls whose arguments are translated, or are names that no person reads.
TRANSLATING = {"_", "ngettext", "plainly"}
NAMES = re.compile(
    r"Touchstone|Markdown|JSONL?|CSV|TSV|TREC|qrels|BEIR|API|URL|UTC|N?DCG|MNG|Ctrl|Alt|Shift|Enter|Esc|UTF-8|x|P@5 RR AP"
)
WORD = re.compile(r"[A-Za-z]{2,}")
PHRASE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}|^[A-Z][a-z]+$")
# Names of keys, of classes, of findings and of verdicts.
LEFT = {
    *("Enter", "English", "ev lab", "not enough ratings", "effect found", "too few", "Relevant"),
    *("too early", "not sure yet", "too close to call", "probably better", "num nowrap"),
}
# Folders and files whose sentences are English alone so far.
ENGLISH = ("help/api.html",)


class Texts(HTMLParser):
    """Collects the texts and spoken attributes of a template in which expressions left no word."""

    def __init__(self, html):
        super().__init__()
        self.found, self._silent = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self._silent += tag in SILENT
        self.found += [value for name, value in attributes if name in SPOKEN and value]

    def handle_endtag(self, tag):
        self._silent -= tag in SILENT

    def handle_data(self, text):
        if not self._silent:
            self.found.append(text)


def phrases(node):
    """Yield strings of an expression that read like a sentence or a label, translated ones left out."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in TRANSLATING:
        return
    said = node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""
    if PHRASE.search(said) and not {"<", "="} & set(said) and said not in LEFT:
        yield said
    for child in node.iter_child_nodes():
        yield from phrases(child)


def bare_words(environment, source):
    """Return what a template says and no translation knows."""
    tree = environment.parse(source)
    html = "".join(
        one.data if isinstance(one, nodes.TemplateData) else "\N{ZERO WIDTH SPACE}"
        for output in tree.find_all(nodes.Output)
        for one in output.nodes
    )
    # A layout's block of attributes stands outside of its tag here.
    texts = [text for text in Texts(html).found if WORD.search(NAMES.sub("", text)) and " data-" not in text]
    return [" ".join(text.split()) for text in texts] + list(phrases(tree))


def test_words_are_found_wherever_they_are_written(app):
    source = """<p>Save {{ _("Send") }}<a title="Go" class="btn big">{{ "an end" if x else _("none") }}</a><kbd>Up</kbd>"""

    assert bare_words(app.jinja_env, source) == ["Save \N{ZERO WIDTH SPACE}", "Go", "an end"]


@pytest.mark.thorough
def test_every_word_of_a_template_can_be_translated(app):
    found = {
        name: words
        for path in sorted(ROOT.rglob("*.html"))
        if not (name := path.relative_to(ROOT).as_posix()).startswith(ENGLISH)
        and (words := bare_words(app.jinja_env, path.read_text()))
    }

    assert found == {}

"""Words that do not come back: on pages, in errors, in the help of commands, in README and in CHANGELOG."""

import re

import pytest

from tests.plain_words import ROOT, all_lines, python_lines, template_lines

INSTEAD = {
    r"\b(put|puts|come|comes) into force\b": "save",
    r"\bin force\b": "used, or current",
    r"\bdealt\b|\bdealing\b|\bdeals\b|\b(be|to|will) deal\b": "assign, or get",
    r"\banew\b": "again",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bheld against\b|\bhold all against\b": "compared with",
    r"\bso many\b": "the number",
    r"\bof (theirs|yours|hers)\b": "their, your",
    r"\bstands? (in the way|alone|beside|between|in for|any more|still)\b|\bstands? (twice|inside|outside)\b": "is",
    r"\bstands? (above|below|in the top|side by side|next to)\b": "is",
    r"\bby declaration\b": "you said that",
    r"\bHow seldom\b": "how rarely",
    r"\bparted (by|at)\b": "separated by",
    r"(?<!\*)\brulers?\b": "scoring settings",  # README names the word of the code once, in italics
    r"\bput(s|ting)? [^.]{0,30}\baway\b": "archive, or delete",
    r"^\s*answered\b": "scored",
    r"\bplanned (test|look)s?\b|\b(first|next|last) look\b": "test, or leave out",
    r"\b(open|the) race\b": "the order of rating",
    r"\bsettled?\b(?! for)": "decided, sure",
    r"\bleaning\b": "probably better",
    r"\bbaselines?\b": "the ranker to compare with",
    r"\bshel(f|ves)\b": "cache",
    r"\bfloors of the house\b|\bthe house\b": "layers, the code",
    r"\bwork(s|ed|ing)? (it )?out\b": "compute",
    r"\bwho(so)?ever\b": "the person who, anyone who",
    r"\bsomebody\b": "someone, or people",
    r"\bat hand\b": "current, or available",
    r"\bso far as\b": "as far as",
    r"\bgone on with\b|\bgo(es)? on with\b": "continue",
    r"\bcounts? no more\b": "no longer counts",
    r"\bfor ever\b": "for good",
    r"\btak(e|es|ing) (it|that|them) out again\b": "remove",
    r"\bnothing of (it|that|this|them)\b": "nothing",
    r"\bsmoothed\b": "leave out",
    r"\bmilestones?\b": "leave out",
    r"\bthrow(n|s)? (it |the file )?away\b": "discard",
    r"\bby names? only\b": "without text",
    r"\bpass(ed|es)? on by\b|\b(rated (n?or) )passed on\b|^\W*passed on\b": "marked “can’t judge”",
}
"""What not to write, as patterns, and what to write instead."""
BAD = {re.compile(pattern, re.IGNORECASE): word for pattern, word in INSTEAD.items()}

# Words of other people and of mathematics: they are quoted, not said.
QUOTES = {"app/formats/samples.py", "app/services/projects/templates.py", "app/web/judging/introduction.py"}
QUOTED_FOLDERS = ("app/demo/",)


def problems_of(lines):
    """Return every word of the list that occurs, with its file, its line and what to write instead."""
    found = []
    for path, number, text in lines:
        place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        if place in QUOTES or place.startswith(QUOTED_FOLDERS):
            continue
        for pattern, instead in BAD.items():
            if match := pattern.search(text):
                found.append(f"{place}:{number}: “{match[0].strip()}”: write {instead}")
    return found


@pytest.mark.thorough
def test_nobody_reads_a_word_of_the_list():
    assert problems_of(all_lines()) == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("page.html", "<p>Fine</p>\n<p>It is in force</p>", 2),
        ("page.html", '<p>Fine</p>\n{{ button("Rate anew", "main") }}', 2),
        ("page.html", '<a\n aria-label="Put it away">x</a>', 1),
        ("page.html", "{# dealt #}<p id='ruler'>{{ ruler.k }} {% if dealt %}x{% endif %}</p>", None),
        ("code.py", 'def f():\n    """Return what is dealt."""\n    return "This is dealt to you."', 3),
        ("code.py", 'def f(n):\n    return f"Mend {n} lines."', 2),
        ("code.py", 'dealt = {"ruler": "race"}', None),
    ],
)
def test_a_word_is_found_where_people_read_it_and_nowhere_else(tmp_path, name, text, line):
    path = tmp_path / name
    path.write_text(text)

    found = problems_of((template_lines if name.endswith(".html") else python_lines)(path))

    assert [problem.split(":")[1] for problem in found] == ([str(line)] if line else [])

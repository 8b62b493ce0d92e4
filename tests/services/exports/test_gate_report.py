"""The gate's answer as Markdown and JUnit: nothing in a name can become markup."""

from xml.etree import ElementTree as ET

import pytest

from app.services.exports.gate_report import junit_of, markdown_of

GATE = {
    "project": "demo",
    "revision": 7,
    "scoring_settings": {"name": "NDCG@10 (linear, log2)", "fingerprint": "f"},
    "answer": "passed",
    "sentence": "Passed: a|b <script> leads.",
    "judged": {
        "ranker": "a|b",
        "version": None,
        "file": "<img src=x>\n.run",
        "score": 0.5,
        "judged_at_k": None,
        "unrated": 2,
        "returned": 30,
    },
    "against": {
        "ranker": "B*",
        "version": "v1",
        "score": 0.25,
        "judged_at_k": 1.0,
        "unrated": 0,
        "returned": 30,
    },
    "queries": 3,
    "max_drop": 0.03,
}


def test_markdown_has_the_sentence_and_a_table():
    text = markdown_of(GATE)

    assert text.startswith("### ✅ Passed: ")
    assert (
        "| version | NDCG@10 (linear, log2) | judged@10, scored questions | answers not rated, all questions |"
        in text
    )
    assert "| B\\* v1 | 0.250 | 1.000 | 0 of 30 |" in text
    assert "| 0.500 | - | 2 of 30 |" in text
    assert "3 questions, revision 7 of demo, drop to rule out 0.03." in text
    assert "\\<script\\>" in text
    assert "\\<img src=x\\> .run" in text


@pytest.mark.parametrize(("status", "inner"), [(0, None), (1, "failure"), (3, "skipped")])
def test_junit_says_what_the_exit_status_says(status, inner):
    suite = ET.fromstring(junit_of(GATE, status))
    (case,) = suite

    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        "1",
        str(int(status == 1)),
        str(int(status == 3)),
    )
    assert [child.tag for child in case if child.tag != "system-out"] == ([inner] if inner else [])
    assert case.find("system-out").text == GATE["sentence"]
    if inner:
        assert case.find(inner).get("message") == GATE["sentence"]

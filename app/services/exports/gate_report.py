"""The gate's answer for build pipelines: Markdown for a comment or a summary, JUnit for a list of tests."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

MARKS = {"passed": "✅", "failed": "❌", "cannot tell": "❔"}


def markdown_of(gate: dict[str, Any]) -> str:
    """Return the sentence and a table of both versions; `gate` is what `gate_object` returns."""
    measure = gate["scoring_settings"]["name"]
    k = measure.partition("@")[2].partition(" ")[0]
    names = [_cell(_name(gate[side])) for side in ("judged", "against")]
    title = f"### {MARKS[gate['answer']]} {gate['answer'].capitalize()}: {names[0]} against {names[1]}"
    basis = f"{gate['queries']} questions, revision {gate['revision']} of {gate['project']}"
    lines = [
        title,
        "",
        _cell(gate["sentence"]),
        "",
        f"| version | {measure} | judged@{k}, scored questions | answers not rated, all questions |",
        "| --- | ---: | ---: | ---: |",
        *(_row(gate[side]) for side in ("judged", "against")),
        "",
        f"{basis}, drop to rule out {gate['max_drop']:g}.",
    ]
    return "\n".join(lines) + "\n"


def junit_of(gate: dict[str, Any], status: int) -> str:
    """Return one test case: failed where the command's exit status is not 0, skipped where it cannot tell."""
    told = quoteattr(gate["sentence"])
    name = quoteattr(f"{_name(gate['judged'])} against {_name(gate['against'])}")
    inner = {0: "", 1: f"<failure message={told}/>", 3: f"<skipped message={told}/>"}[status]
    failures, skipped = int(status == 1), int(status == 3)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuite name="touchstone" tests="1" failures="{failures}" errors="0" skipped="{skipped}">\n'
        f"  <testcase classname={quoteattr(gate['project'])} name={name}>{inner}"
        f"<system-out>{escape(gate['sentence'])}</system-out></testcase>\n"
        "</testsuite>\n"
    )


def _name(half: dict[str, Any]) -> str:
    return half.get("file") or f"{half['ranker']} {half['version']}"


def _row(half: dict[str, Any]) -> str:
    numbers = ["-" if value is None else f"{value:.3f}" for value in (half["score"], half["judged_at_k"])]
    return f"| {_cell(_name(half))} | {' | '.join(numbers)} | {half['unrated']} of {half['returned']} |"


def _cell(text: str) -> str:
    """Return a text that is no Markdown and no HTML, on one line."""
    for sign in "\\`*_[]<>|#~":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())

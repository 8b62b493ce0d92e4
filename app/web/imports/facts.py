"""What an import will do or has done, as numbers with their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.services.pooling.price import DepthPrice, ratings_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models import Project

Fact = tuple[str, str]
Counts = dict[str, Any]
TIED_SHARE = 0.01
# (name in the report, words, whether it is told even when it is 0)
CORPUS = {
    "queries": (
        ("added", "New questions", True),
        ("replaced", "Text taken over", False),
        ("unchanged", "Here already, the same", False),
        ("repeated", "Repeated lines, left out", False),
    ),
    "documents": (
        ("added", "New answers", True),
        ("filled", "Answers that get their text", False),
        ("replaced", "Content taken over", False),
        ("unchanged", "Here already, the same", False),
        ("without_text", "Without a text", False),
        ("repeated", "Repeated lines, left out", False),
    ),
    "judgments": (
        ("added", "New ratings", True),
        ("replaced", "Ratings that count instead", False),
        ("unchanged", "Here already, the same", False),
        ("skipped_lines", "Lines left out, unknown question", False),
        ("negative_lines", "Lines left out, negative", False),
        ("repeated", "Repeated lines, left out", False),
        ("new_documents", "New answers, by name only", False),
        ("outside_pool", "Of answers outside the pool", False),
    ),
}


def facts_of(kind: str, counts: Counts, project: Project) -> list[Fact]:
    """Return the counts of a report as (words, number)."""
    if kind == "run":
        return _run_facts(counts, project)
    facts = [(words, f"{counts[name]:,}") for name, words, always in CORPUS[kind] if counts[name] or always]
    if annotators := counts.get("annotators"):
        facts.append(("By", annotators[0] if len(annotators) == 1 else f"{len(annotators):,} annotators"))
    return facts


def _run_facts(counts: Counts, project: Project) -> list[Fact]:
    new = DepthPrice(project.pool_depth, counts["new_candidates"], ratings_each(project))
    facts = [
        ("Lines", f"{counts['lines']:,}"),
        ("Questions covered", f"{counts['queries']:,} of {counts['queries'] + counts['missing_queries']:,}"),
        (
            f"New answers to rate, top {new.depth}",
            f"{new.answers:,}" + (f", {new.time}" if new.answers else ""),
        ),
    ]
    more = (
        ("new_documents", "Answers added by name only"),
        ("skipped_queries", "Questions left out, unknown here"),
        ("repeated_lines", "Repeated lines, left out"),
        ("tied_lines", "Lines tied with the one before"),
    )
    return facts + [(words, f"{counts[name]:,}") for name, words in more if counts[name]]


def remarks_of(kind: str, counts: Counts) -> list[str]:
    """Return what should be known about a file, as sentences."""
    return [sentence for sentence, holds in REMARKS[kind](counts).items() if holds]


def _run_remarks(counts: Counts) -> dict[str, bool]:
    share = counts["tied_lines"] / counts["lines"] if counts["lines"] else 0
    missing, wrong, named = counts["missing_queries"], counts["rank_disagreements"], counts["new_documents"]
    own, gapped, odd = (counts.get(name, 0) for name in ("own_targets", "gapped_lists", "other_lengths"))
    return {
        f"{share:.0%} of the lines have the score of the line before them. The ids of the answers "
        "decide their order, highest first.": share > TIED_SHARE,
        f"In {wrong:,} of {counts['queries']:,} lists the places contradict the scores. "
        "The scores count.": bool(wrong),
        f"{_count(missing, 'question')} without results here: {_each(missing)} counts 0 "
        "for this ranker once it is scored.": bool(missing),
        f"{_count(named, 'answer')} by name only: nobody can rate {_them(named)} until the text comes.": bool(
            named
        ),
        f"{_count(own, 'line')} recommending a question to itself, by its id or its title. Leave such lines "
        "out of the file.": bool(own),
        f"In {gapped:,} of {counts['queries']:,} lists the places are not 1, 2, 3 and so on without a "
        "gap.": bool(gapped),
        f"{odd:,} of {counts['queries']:,} lists do not hold exactly {counts.get('usual_length', 0)} "
        "answers.": bool(odd),
    }


def _document_remarks(counts: Counts) -> dict[str, bool]:
    silent, replaced = counts["without_text"], counts["replaced"]
    return {
        f"{_count(silent, 'answer')} without title and text: nobody can rate {_them(silent)} until it "
        "comes.": bool(silent),
        f"{_count(replaced, 'answer')} with other content than before. Where title or text say something "
        "else, earlier ratings count no more.": bool(replaced),
    }


def _rating_remarks(counts: Counts) -> dict[str, bool]:
    outside, pooled, rated = counts["outside_pool"], counts.get("pooled"), counts.get("rated") or 0
    return {
        "There are ratings but no results of a ranker yet. No NDCG can be computed from ratings alone: "
        "import what each ranker returns, in its order.": pooled == 0,
        f"{rated:,} of the {pooled or 0:,} answers in the pool are rated; the others count 0 until they "
        "are.": bool(pooled) and rated != pooled,
        f"All {pooled or 0:,} answers in the pool are rated.": bool(pooled) and rated == pooled,
        f"{_count(outside, 'rating')} of answers that no ranker returns near the top: still part of the best "
        "possible order.": bool(outside),
    }


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _each(number: int) -> str:
    return "it" if number == 1 else "each"


REMARKS: dict[str, Callable[[Counts], dict[str, bool]]] = {
    "queries": lambda _: {},
    "documents": _document_remarks,
    "run": _run_remarks,
    "judgments": _rating_remarks,
}

"""Coded lines that cannot be right: each is refused with its place, before anything is made of it."""

import numpy as np

from app.scoring.arrays import Ints


def refuse_contradictions(query: Ints, document: Ints, grade: Ints, *, queries: int) -> None:
    """Raise ValueError at the first pair of judgments that give one document of a query two grades.

    A line repeated with the same grade says nothing new and is let pass.

    Parameters
    ----------
    query, document, grade
        integers (lines,).
    queries
        Their number: a line of any other query is refused too.
    """
    _refuse_strangers("judgment", query, document, queries)
    order, again = _repeats(query, document)
    other = again[grade[order[again]] != grade[order[again - 1]]]
    if len(other):
        one, two = sorted(order[other[0] - 1 : other[0] + 1].tolist())
        raise ValueError(
            f"judgments {one} and {two}: document {document[one]} of query {query[one]} has the grades "
            f"{grade[one]} and {grade[two]}"
        )


def refuse_repeats(run: int, query: Ints, document: Ints, *, queries: int) -> None:
    """Raise ValueError at the first document that is twice in a list, or where queries fall.

    Parameters
    ----------
    run
        Its number, for what is said.
    query, document, queries
        As for :func:`refuse_contradictions`, in the order that counts.
    """
    _refuse_strangers(f"run {run}, line", query, document, queries)
    falling = np.flatnonzero(query[1:] < query[:-1])
    if len(falling):
        raise ValueError(f"run {run}, line {falling[0] + 1}: query {query[falling[0] + 1]} comes too late")
    order, again = _repeats(query, document)
    if len(again):
        one, two = sorted(order[again[0] - 1 : again[0] + 1].tolist())
        raise ValueError(
            f"run {run}, lines {one} and {two}: document {document[one]} is twice in the list of query "
            f"{query[one]}"
        )


def _refuse_strangers(what: str, query: Ints, document: Ints, queries: int) -> None:
    """Refuse numbers that no query or document has."""
    wrong = np.flatnonzero((query < 0) | (query >= queries) | (document < 0))
    if len(wrong):
        line = int(wrong[0])
        raise ValueError(
            f"{what} {line}: there is no document {document[line]} of a query {query[line]} among {queries}"
        )


def _repeats(query: Ints, document: Ints) -> tuple[Ints, Ints]:
    """Return an order that brings equal pairs together, and the places in it that repeat the one before."""
    keys = query.astype(np.int64) * (int(document.max(initial=0)) + 1) + document
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    return order, np.flatnonzero(same) + 1

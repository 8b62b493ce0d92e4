"""The verdicts against a declared baseline in words; each sentence follows from the data of a pair alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.overview.wording import CERTAIN, KINDS, gap_of, listed, points, shown_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.comparison import PairVerdict

DIRECTIONS = {1: "ahead", -1: "behind"}


def said_of_baseline() -> tuple[str | None, str | None, str]:
    """Return the kind, the word and the sentence of the baseline's own row: it has no verdict."""
    return None, None, "The baseline: the others are held against it."


def said_against(pair: PairVerdict) -> tuple[str, str, str]:
    """Return the kind, the word and the sentence of a ranker, the first of the pair, against the baseline."""
    kind = KINDS[pair.verdict.word]
    word = shown_word(kind, DIRECTIONS.get(pair.verdict.ahead, ""))
    gap, name = gap_of(pair.mean), pair.second.ranker
    side = "below" if (pair.mean or 0.0) < 0 else "above"
    level = not gap and kind not in CERTAIN
    where = f"level with {name}" if level else f"{points(abs(gap))} {side} {name}"
    return kind, word, f"{where[0].upper()}{where[1:]}{_doubt(pair, kind)}."


def headline_against(pairs: Sequence[PairVerdict]) -> str:
    """Return the one sentence over all rankers, held against the baseline."""
    told = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {words}"
        for words, names in (
            ("surely ahead", _names(pairs, "sure", 1)),
            ("ahead on these questions, whatever is still unjudged", _names(pairs, "settled", 1)),
            ("surely behind", _names(pairs, "sure", -1)),
            ("behind on these questions, whatever is still unjudged", _names(pairs, "settled", -1)),
        )
        if names
    ]
    open_ones = [pair.first.ranker for pair in pairs if KINDS[pair.verdict.word] in {"leaning", "not_sure"}]
    if open_ones:
        told.append(f"about {listed(open_ones)} it could still be luck")
    return f"Against {pairs[0].second.ranker}, the baseline: {'; '.join(told)}."


def _names(pairs: Sequence[PairVerdict], kind: str, ahead: int) -> list[str]:
    return [
        pair.first.ranker
        for pair in pairs
        if KINDS[pair.verdict.word] == kind and pair.verdict.ahead == ahead
    ]


def _doubt(pair: PairVerdict, kind: str) -> str:
    if kind in {"sure", "settled"}:
        return ""
    return "; too much is unrated to say more" if "provisional" in pair.verdict.tags else "; could be luck"

"""From a name as people write it (``nDCG@10``, ``mrr``, ``RBP(.8)``) to a measure with its parameter."""

import re

from app.scoring.measures.measure import Asked, Measure
from app.scoring.measures.registry import MEASURES

WRITTEN = re.compile(r"(?P<name>[^@()\s]+)(?:@(?P<cutoff>[^@()\s]+)|\((?P<patience>[^()]+)\))?")
# A comma within brackets is part of the number: what is refused is then the number, as it was written.
PARTED = re.compile(r"(?:\([^()\s]*\)|[^\s,])+")
CUTOFF = re.compile(r"[1-9][0-9]*")
DEEPEST = 1_000_000
"""The largest cutoff: nobody reads further, and C(k) is added up rank by rank."""

BY_NAME: dict[str, Measure] = {
    written.lower(): measure for measure in MEASURES for written in (measure.name, *measure.aliases)
}

ENDS_IN_NUMBER = re.compile(r"(?P<stem>[^@()]*?[^@()\d._])[._]?(?P<number>[1-9][0-9]*)")
TREC_EVAL_NAMES = {
    "recip_rank": "rr",
    "ndcg_cut": "ndcg",
    "map_cut": "ap",
    "gm_map": "ap",
}
"""Names that only trec_eval uses, for the message that names the nearest measure."""


class UnknownMeasureError(ValueError):
    """A measure nobody knows, or one with a parameter it does not take. The message names a remedy."""


def parse_measures(text: str) -> list[Asked]:
    """Return the measures named in a text, separated by blanks or commas, in the order asked.

    Parameters
    ----------
    text
        As people write them: ``nDCG@10, AP``.

    Raises
    ------
    UnknownMeasureError
        Some of them are not known, each of which is named, or the text names none.
    """
    names = PARTED.findall(text)
    if not names:
        raise UnknownMeasureError("no measure is named: try nDCG@10")
    asked, problems = [], []
    for name in dict.fromkeys(names):
        try:
            asked.append(parse_measure(name))
        except UnknownMeasureError as error:
            problems.append(str(error))
    if problems:
        raise UnknownMeasureError("; ".join(problems))
    return asked


def parse_measure(name: str) -> Asked:
    """Return one measure with its parameter, under the name as it was written.

    Case is ignored: ``ndcg@10`` and ``NDCG@10`` are the same measure, each echoed as asked.

    Parameters
    ----------
    name
        One name with its cutoff or patience: ``P@5``, ``RBP(0.8)``.

    Raises
    ------
    UnknownMeasureError
        The name is unknown (the nearest known one is named), or its parameter is missing or impossible.
    """
    parts = WRITTEN.fullmatch(name)
    measure = BY_NAME.get(parts["name"].lower()) if parts else None
    if parts is None or measure is None:
        raise UnknownMeasureError(f"unknown measure {name!r}: the nearest known one is {nearest_to(name)}")
    if measure.takes == "patience":
        return Asked(name, measure, _patience(name, measure, parts["cutoff"], parts["patience"]))
    if parts["patience"] is not None:
        raise UnknownMeasureError(f"{name!r} takes no number in brackets: write {measure.pattern}")
    return Asked(name, measure, _cutoff(name, measure, parts["cutoff"]))


def on_screen(label: str) -> str:
    """Return a measure's name as pages write it: ``NDCG@10``; files and commands keep ``nDCG@10``."""
    return label.replace("nDCG", "NDCG")


def nearest_to(name: str) -> str:
    """Return the known measure whose name is most like this one, with the cutoff kept where it takes one.

    A number at the end is read as a cutoff: ``ndcg10`` and trec_eval's ``ndcg_cut_10`` are nDCG@10.
    """
    import difflib  # only needed for a message

    stem, _, rest = name.partition("@")
    ends = ENDS_IN_NUMBER.fullmatch(name)
    if ends:
        stem, rest = ends["stem"], ends["number"]
    known = BY_NAME | {theirs: BY_NAME[ours] for theirs, ours in TREC_EVAL_NAMES.items()}
    measure = known[difflib.get_close_matches(stem.lower(), known, n=1, cutoff=0.0)[0]]
    kept = rest and CUTOFF.fullmatch(rest) and measure.takes.startswith("cutoff")
    return f"{measure.name}@{rest}" if kept else measure.pattern


def _cutoff(name: str, measure: Measure, written: str | None) -> int | None:
    """Return the cutoff, or ``None`` for the whole list where the measure allows it."""
    if written is None and measure.takes == "cutoff":
        raise UnknownMeasureError(f"{name!r} needs a cutoff, as in {measure.name}@10")
    if written is not None and measure.takes == "nothing":
        raise UnknownMeasureError(f"{name!r} takes no cutoff: write {measure.name}")
    if written is not None and not CUTOFF.fullmatch(written):
        raise UnknownMeasureError(f"{name!r}: the cutoff {written!r} is not a whole number above 0")
    if written is not None and (len(written) > len(str(DEEPEST)) or int(written) > DEEPEST):
        raise UnknownMeasureError(f"{name!r}: a cutoff may be at most {DEEPEST}")
    return None if written is None else int(written)


def _patience(name: str, measure: Measure, cutoff: str | None, written: str | None) -> float:
    """Return the probability of going on, the usual one where none is written."""
    if cutoff is not None:
        raise UnknownMeasureError(f"{name!r} takes no cutoff: write {measure.name}({measure.usual})")
    if written is None:
        return float(measure.usual or 0.0)
    try:
        patience = float(written)
    except ValueError:
        patience = -1.0
    if not 0.0 < patience < 1.0:
        raise UnknownMeasureError(
            f"{name!r}: the patience {written!r} is not a number between 0 and 1, as in 0.8"
        )
    return patience

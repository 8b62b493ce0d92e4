"""Templates of projects: settings, words and guidelines to start from. No data comes with them."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.models.project import PAPER_TEMPLATE

PAPER_GUIDELINES = """\
Picture the author of the target paper, who has an hour to read. Is the recommended paper worth it?

- **5, must read.** The author would be embarrassed not to know it.
- **4, good.** Same question or same method; the author would read it.
- **3, fair.** One part of it is of use.
- **2, weak.** Same field, hardly of use.
- **1, off topic.** The author would wonder why it was recommended.

## Rate the fit, not the paper

A fine paper about something else is off topic. A plain one that answers the author’s question is a must read.
Names, places and citations are hidden for that reason: please don’t look them up.

## How much to read

Title and abstract are enough. If they are not, choose “Can’t judge”: the pair goes to someone else.

## If the abstract is missing

Rate by the title when it settles the matter, else choose “Can’t judge”.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectTemplate:
    """What a project of one kind starts from; everything but the scale can be changed later.

    The column mappings say which of the product's fields each column of the field's usual files becomes;
    `hidden_columns` are kept with a document and never shown to annotators.
    """

    key: str
    name: str
    description: str
    headline: str
    scale: str
    k: int
    pool_depth: int
    share_twice: float
    gain: str = "linear"
    discount: str = "log2"
    grade_words: list[dict[str, str]]
    wording: dict[str, str]
    guidelines: str
    query_columns: dict[str, str] = field(default_factory=dict)
    document_columns: dict[str, str] = field(default_factory=dict)
    run_columns: dict[str, str] = field(default_factory=dict)
    judgment_columns: dict[str, str] = field(default_factory=dict)
    hidden_columns: tuple[str, ...] = ()


PAPERS = ProjectTemplate(
    key=PAPER_TEMPLATE,
    name="Paper recommender",
    description="Target papers, papers recommended for each by several models, 1 to 5 stars.",
    headline="How good are the papers that each model recommends?",
    scale="1-5",
    k=8,
    pool_depth=8,
    # One rating for each pair, as such evaluations do; the settings offer to have a share rated twice.
    share_twice=0.0,
    grade_words=[
        {"word": "Off topic", "meaning": "The author would wonder why it was recommended."},
        {"word": "Weak", "meaning": "Same field, hardly of use."},
        {"word": "Fair", "meaning": "One part of it is of use."},
        {"word": "Good", "meaning": "Same question or same method; worth reading."},
        {"word": "Must read", "meaning": "The author would be embarrassed not to know it."},
    ],
    wording={
        "query": "target paper",
        "queries": "target papers",
        "document": "recommended paper",
        "documents": "recommended papers",
    },
    guidelines=PAPER_GUIDELINES,
    query_columns={"paper_id": "query_id", "title": "text", "abstract": "intent"},
    document_columns={"paper_id": "doc_id", "title": "title", "abstract": "text"},
    run_columns={"target_id": "query_id", "paper_id": "doc_id"},
    judgment_columns={"target_id": "query_id", "paper_id": "doc_id", "stars": "grade", "rater": "annotator"},
    hidden_columns=("authors", "venue", "year", "citations"),
)

TEMPLATES = {template.key: template for template in (PAPERS,)}

"""How the demo project is set up: scale, words, cut-off, names."""

from __future__ import annotations

SLUG = "kettle-lane"
NAME = "Workshop help centre"
HEADLINE = "How well are riders’ questions answered?"

LANGUAGE = "en"

SCALE = (0, 3)
GAIN = "linear"
DISCOUNT = "log2"
CUTOFF = 5
POOL_DEPTH = 5
THRESHOLD = 1
OVERLAP = 1
SHARE_TWICE = 0.0

GRADE_WORDS = (
    {"word": "No help", "meaning": "The person asking would be annoyed."},
    {"word": "A little", "meaning": "Related, but not this problem."},
    {"word": "Mostly", "meaning": "It helps, but one step is missing."},
    {"word": "Solves it", "meaning": "The person asking could stop looking."},
)

# The version that riders get, chosen before anything was scored: the plainest that reads whole texts.
PRODUCTION = ("Full text", "v2")

# What the owner of the help centre wrote on the chart, by week.
NOTES = {
    4: "Word stems in Full text",
    6: "Guidelines explain “Mostly”",
    7: "Blend weighs text more",
}

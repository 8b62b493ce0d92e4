"""Use cases: one verb-named function each; they take a session first, flush, and never commit."""

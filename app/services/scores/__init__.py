"""Scores, verdicts, history and the overview: everything that owners read about rankers."""

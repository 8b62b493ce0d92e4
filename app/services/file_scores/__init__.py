"""Scores of TREC files, without a database: read, join, score, compare.

Nothing here imports the database layer: the command that uses it has a budget for its start.
"""

from app.services.file_scores.choices import ChoiceError, Choices
from app.services.file_scores.scoring import FileScores, RunScores, score_files

__all__ = ["ChoiceError", "Choices", "FileScores", "RunScores", "score_files"]

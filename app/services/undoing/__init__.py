"""Every import can be undone, with what would be lost said first."""

from app.services.undoing.imports import ImportFact, list_imports, preview_undo, undo_import
from app.services.undoing.preview import UndoPreview

__all__ = ["ImportFact", "UndoPreview", "list_imports", "preview_undo", "undo_import"]

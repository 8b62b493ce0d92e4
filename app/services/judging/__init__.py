"""Rating: recording, undo, notes, own ratings, and adjudication."""

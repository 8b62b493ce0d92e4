"""What is rated and scored: queries, documents, rankers and their runs, the pool, imports and their undo."""

"""Projects themselves: set-up, settings, words, templates, sharing, archive and deletion."""

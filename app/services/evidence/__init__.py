"""A project's ledger as arrays, at any revision: what scores, verdicts and assignment are computed from."""

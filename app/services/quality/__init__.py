"""How far ratings can be trusted: annotators, agreement, checks and probes."""

"""Who is given which answers to rate, in which order, and why."""

"""DCG and nDCG of one list in plain Python: what the engine's arrays have to agree with."""

import numpy as np


def dcg_of(gains, discounts):
    """Return the sum of gain times discount over the ranks of one list of gains, added in rank order."""
    total = 0.0
    for paid in discounts.contributions(np.array(gains[: discounts.depth], dtype=np.float64)).tolist():
        total += paid
    return total


def ideal_dcg_of(gains, discounts):
    """Return the DCG of the best order of these gains: of all judged documents of the query."""
    return dcg_of(sorted(gains, reverse=True), discounts)


def ndcg_of(gains, judged, discounts):
    """Return the nDCG of one list, or None where no judged document has gain."""
    ideal = ideal_dcg_of(judged, discounts)
    return dcg_of(gains, discounts) / ideal if ideal > 0 else None

"""How surprising a random outcome is, for properties that hold only on average.

A property may call chance wrong only below ``STRICT``: a true one fails once in millions of runs of all tests,
and each is given so many draws that a bias worth knowing falls below it all the same; a test beside plants one.
"""

import numpy as np
from scipy import stats

STRICT = 1e-9


def chance_of_count(count, trials, share):
    """Return the chance of a count at least so far from what is expected, on its side."""
    drawn = stats.binom(trials, share)
    return float(min(drawn.cdf(count), drawn.sf(count - 1)))


def chance_of_slots(orders):
    """Return the chance that random orders fill slots so unevenly: integers (orders, slots), items by slot.

    Formula: chi-square of the table (slot, item) times (n - 1) / n has (n - 1)^2 degrees of freedom, since every
    order fills each slot and places each item once.
    """
    orders = np.asarray(orders)
    number, n = orders.shape
    table = np.zeros((n, n))
    np.add.at(table, (np.arange(n), orders), 1)
    uneven = ((table - number / n) ** 2).sum() / (number / n)
    return float(stats.chi2.sf(uneven * (n - 1) / n, (n - 1) ** 2))


def chance_of_mean(values):
    """Return the chance of a mean so far from 0, of independent values about as normal as means are (t test)."""
    return float(stats.ttest_1samp(values, 0.0).pvalue)

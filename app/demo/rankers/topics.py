"""Topic match: documents and queries compared in a space of fewer dimensions than words.

Words that keep the same company end up close together there, so a document can be found by words it
does not hold (Deerwester and others 1990, "Indexing by latent semantic analysis").
"""

from __future__ import annotations

import numpy as np

from app.demo.rankers.terms import Matrix, TermCounts

_NOTHING = 1e-12


def rarity_weights(documents: Matrix) -> Matrix:
    """Return ln(N / n) for each word: the more documents hold it, the less it says. Shape (words,)."""
    holding = (documents > 0).sum(axis=0)
    weights: Matrix = np.log(len(documents) / holding)
    return weights


def entropy_weights(documents: Matrix) -> Matrix:
    """Return 1 minus the normalised entropy of each word over the documents. Shape (words,).

    1 for a word that occurs in one document only, 0 for one spread evenly over all (Dumais 1991,
    "Improving the retrieval of information from external sources").
    """
    share = documents / documents.sum(axis=0)
    surprise = share * np.log(np.where(share > 0, share, 1.0))
    weights: Matrix = 1 + surprise.sum(axis=0) / np.log(len(documents))
    return weights


def tfidf_topics(counts: TermCounts, dimensions: int) -> Matrix:
    """Return cosines from counts times rarity, shape (queries, documents)."""
    weights = rarity_weights(counts.documents)
    return _cosines(counts.documents * weights, counts.queries * weights, dimensions)


def entropy_topics(counts: TermCounts, dimensions: int) -> Matrix:
    """Return cosines from log counts times entropy weights, shape (queries, documents)."""
    weights = entropy_weights(counts.documents)
    return _cosines(np.log1p(counts.documents) * weights, np.log1p(counts.queries) * weights, dimensions)


def _cosines(documents: Matrix, queries: Matrix, dimensions: int) -> Matrix:
    """Return the cosines of all pairs after a singular value decomposition, cut to the given dimensions.

    With far fewer documents than words, the left singular vectors are cheapest found as eigenvectors of
    the documents' inner products. No more dimensions than documents exist; the signs of the vectors
    cancel out.
    """
    squares, vectors = np.linalg.eigh(documents @ documents.T)
    kept = np.flatnonzero(squares > _NOTHING * squares[-1])[::-1][:dimensions]
    axes = vectors[:, kept]
    lengths = np.sqrt(squares[kept])
    asked = queries.any(axis=0)
    products = queries[:, asked] @ documents[:, asked].T
    return _unit(products @ axes / lengths) @ _unit(axes * lengths).T


def _unit(rows: Matrix) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = rows / np.maximum(lengths, _NOTHING)
    return unit

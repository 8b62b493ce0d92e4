"""What each judgment changed about the grades that count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.models.judgment import Origin
from app.scoring.arrays import Ints
from app.services.evidence.columns import Ledger, roles_that_count


@dataclass(frozen=True)
class GradeChanges:
    """What each ledger row changed about the grades that count, in revision order.

    Attributes
    ----------
    revision
        int64 (changes,).
    candidate_index
        int32 (changes,): the candidate's place in `Structure`.
    new, old
        int8 (changes,): the column of the grade that came and of the one that went; -1 for none.
    """

    revision: Ints
    candidate_index: Ints
    new: Ints
    old: Ints

    def until(self, revision: int) -> int:
        """Return how many changes happened up to a revision."""
        return int(np.searchsorted(self.revision, revision, side="right"))

    def added_to(self, counts: Ints, first: int) -> Ints:
        """Return counts with the changes from number `first` on, which are few."""
        candidate_index, new, old = self.candidate_index[first:], self.new[first:], self.old[first:]
        added = counts.copy()
        np.add.at(added, (candidate_index[new >= 0], new[new >= 0]), 1)
        np.subtract.at(added, (candidate_index[old >= 0], old[old >= 0]), 1)
        return added

    def counts(self, candidate_count: int, grades: int, *, last: int | None = None) -> Ints:
        """Return what the first `last` changes did to the counts: int32 (candidates, grades)."""
        size = candidate_count * grades
        candidate_index, new, old = self.candidate_index[:last], self.new[:last], self.old[:last]
        start = candidate_index * np.int64(grades)
        came = np.bincount((start + new)[new >= 0], minlength=size)
        went = np.bincount((start + old)[old >= 0], minlength=size)
        return (came - went).astype(np.int32).reshape(candidate_count, grades)


@dataclass(frozen=True)
class Void:
    """At this revision grades of these candidates' own texts stopped counting: their document was edited."""

    revision: int
    indexes: Ints


def grade_changes(
    ledger: Ledger,
    candidate_index: Ints,
    own: Ints,
    *,
    lowest: int,
    only_blind: bool,
    voids: Sequence[Void],
    machines: bool = False,
) -> GradeChanges:
    """Return the changes of all rows that count.

    Parameters
    ----------
    ledger
        Rows in revision order.
    candidate_index
        integers (rows,): the place of each row's candidate, -1 where it has none.
    own
        The same, of merged documents each its own place: a rating is bound to the text it saw.
    lowest
        The lowest grade of the scale, which becomes column 0.
    only_blind
        Leave out ratings by people who could see rankers.
    voids
        Edits of documents.
    machines
        Count what machines say.
    """
    kept = np.isin(ledger.role, roles_that_count(machines=machines)) & (candidate_index >= 0)
    if only_blind:
        kept &= ledger.blind
    revision, annotator = ledger.revision[kept], ledger.annotator[kept]
    grade = ledger.grade[kept]
    column: Ints = np.where(grade >= 0, grade - lowest, -1).astype(np.int8)
    span = int(annotator.max(initial=0)) + 1
    key: Ints = candidate_index[kept].astype(np.int64) * span + annotator
    if voids:
        revision, key, column = with_voids(revision, key, own[kept], column, voids)
    # Rows of one key stand together, oldest first; the one before is the grade that went.
    order = _grouped(key)
    before = np.full(len(key), -1, dtype=np.int8)
    same = key[order][1:] == key[order][:-1]
    before[order[1:][same]] = column[order[:-1][same]]
    moved = column != before
    return GradeChanges(
        revision=revision[moved],
        candidate_index=(key[moved] // span).astype(np.int32),
        new=column[moved],
        old=before[moved],
    )


def _grouped(key: Ints) -> Ints:
    """Return the order that brings equal keys together and keeps the order of time among them.

    One number made of key and place sorts several times quicker than a stable sort of the keys, as long as
    there is room for both in it.
    """
    rows = max(len(key), 1)
    if int(key.max(initial=0)) >= np.iinfo(np.int64).max // rows:
        return np.argsort(key, kind="stable")
    return np.sort(key * rows + np.arange(len(key))) % rows


def extended_changes(
    changes: GradeChanges,
    ledger: Ledger,
    candidate_index: Ints,
    own: Ints,
    *,
    known: int,
    lowest: int,
    only_blind: bool,
    voids: Sequence[Void],
    machines: bool = False,
) -> GradeChanges:
    """Return the changes with those of the rows from number `known` on, without folding the others again.

    Parameters
    ----------
    changes
        Of the first `known` rows.
    ledger, candidate_index, own
        All rows.
    """
    added: list[tuple[int, int, int, int]] = []
    roles = roles_that_count(machines=machines)
    for row in range(known, len(ledger)):
        if not _counts(ledger, candidate_index, row, roles, only_blind=only_blind):
            continue
        grade = int(ledger.grade[row])
        new = grade - lowest if grade >= 0 else -1
        old = _column_before(
            ledger, candidate_index, own, row, roles, lowest=lowest, only_blind=only_blind, voids=voids
        )
        if new != old:
            added.append((int(ledger.revision[row]), int(candidate_index[row]), new, old))
    if not added:
        return changes
    more = np.array(added, dtype=np.int64)
    return GradeChanges(
        revision=np.append(changes.revision, more[:, 0]),
        candidate_index=np.append(changes.candidate_index, more[:, 1].astype(np.int32)),
        new=np.append(changes.new, more[:, 2].astype(np.int8)),
        old=np.append(changes.old, more[:, 3].astype(np.int8)),
    )


def _counts(
    ledger: Ledger, candidate_index: Ints, row: int, roles: tuple[Origin, ...], *, only_blind: bool
) -> bool:
    counted = int(ledger.role[row]) in roles and candidate_index[row] >= 0
    return bool(counted and (not only_blind or ledger.blind[row]))


def _column_before(
    ledger: Ledger,
    candidate_index: Ints,
    own: Ints,
    row: int,
    roles: tuple[Origin, ...],
    *,
    lowest: int,
    only_blind: bool,
    voids: Sequence[Void],
) -> int:
    """Return the column that the same annotator's grade of the same candidate had before a row."""
    earlier = np.flatnonzero(
        (candidate_index[:row] == candidate_index[row]) & (ledger.annotator[:row] == ledger.annotator[row])
    )
    for before in earlier[::-1]:
        if _counts(ledger, candidate_index, int(before), roles, only_blind=only_blind):
            grade = int(ledger.grade[before])
            edited = any(
                ledger.revision[before] < void.revision < ledger.revision[row] and own[before] in void.indexes
                for void in voids
            )
            if not edited:
                return -1 if grade < 0 else grade - lowest
    return -1


def with_voids(
    revision: Ints, key: Ints, own: Ints, column: Ints, voids: Sequence[Void]
) -> tuple[Ints, Ints, Ints]:
    """Return rows with one more for each key of which an edit made ratings void, in order of time.

    It says what is left: the newest rating of the key whose text is current (only merged documents have
    several texts), or -1.

    Parameters
    ----------
    revision, key, own, column
        integers (rows,), in order of time: what identifies one annotator's rating of one answer, the place
        of the candidate that was rated, and the grade.
    """
    gone = np.zeros(len(key), dtype=np.bool_)
    times, keys, columns = [revision], [key], [column]
    for void in voids:
        ended = np.isin(own, void.indexes) & (revision < void.revision)
        gone |= ended
        hit = np.unique(key[ended])
        left = np.full(len(hit), -1, dtype=column.dtype)
        staying = np.flatnonzero(np.isin(key, hit) & ~gone & (revision < void.revision))
        # Rows stand in order of time, so the last one of each key wins.
        left[np.searchsorted(hit, key[staying])] = column[staying]
        times.append(np.full(len(hit), void.revision))
        keys.append(hit)
        columns.append(left)
    when: Ints = np.concatenate(times)
    by_time = np.argsort(when, kind="stable")
    return when[by_time], np.concatenate(keys)[by_time], np.concatenate(columns)[by_time]


@dataclass(frozen=True)
class Decisions:
    """All adjudications in revision order, and where edits of a document ended them.

    Attributes
    ----------
    revision, candidate_index
        integers (decisions,): when, and the place of the candidate.
    column
        int8 (decisions,): the grade that was chosen, as a column; -1 where it was taken back or ended.
    """

    revision: Ints
    candidate_index: Ints
    column: Ints


def decisions_of(
    ledger: Ledger,
    candidate_index: Ints,
    own: Ints,
    *,
    lowest: int,
    voids: Sequence[Void] = (),
    only_blind: bool = False,
) -> Decisions:
    """Return the adjudications of a ledger.

    Parameters
    ----------
    candidate_index, own
        integers (rows,): the place of each row's candidate; of merged documents each its own.
    voids
        Edits of documents: what was decided about an older text decides no more.
    only_blind
        Leave out adjudications by people who could see rankers.
    """
    kept = (ledger.role == Origin.ADJUDICATION) & (candidate_index >= 0)
    rows = np.flatnonzero(kept & ledger.blind if only_blind else kept)
    revision, indexes, grade = ledger.revision[rows], candidate_index[rows], ledger.grade[rows]
    column = np.where(grade >= 0, grade - lowest, -1).astype(np.int8)
    return Decisions(*with_voids(revision, indexes, own[rows], column, voids))


def adjudicated_until(decisions: Decisions, candidate_count: int, revision: int) -> Ints | None:
    """Return the column an adjudicator chose for each candidate (-1 for none), or None without any."""
    until = int(np.searchsorted(decisions.revision, revision, side="right"))
    if not until:
        return None
    chosen: Ints = np.full(candidate_count, -1, dtype=np.int64)
    # The newest decision of each candidate: the first of it when read backwards.
    newest, index = np.unique(decisions.candidate_index[:until][::-1], return_index=True)
    chosen[newest] = decisions.column[:until][::-1][index]
    return chosen

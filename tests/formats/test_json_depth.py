"""JSON that is nested too deep is refused before a parser goes down to the interpreter's limit."""

from __future__ import annotations

import gc
import sys

import pytest

from app.formats.errors import BadValueError
from app.formats.json_depth import DEEPEST_PARSED, refuse_deep
from app.formats.jsonl import object_of


class Garbage:
    """What only the garbage collector ends; its end takes a few calls."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        self.end(3)

    def end(self, calls):
        return calls and self.end(calls - 1)


@pytest.mark.thorough
def test_what_the_garbage_collector_ends_meanwhile_does_not_fail(monkeypatch):
    failed = []
    monkeypatch.setattr(sys, "unraisablehook", failed.append)
    usual = gc.get_threshold()
    try:
        # Each time the collector begins at another depth.
        for threshold in range(300, 1_200):
            gc.collect(0)
            gc.disable()
            Garbage()
            gc.set_threshold(threshold, 1_000, 1_000)
            gc.enable()
            with pytest.raises(BadValueError, match="nested more than 32 deep"):
                object_of('{"a":' * 5_000)
    finally:
        gc.set_threshold(*usual)
        gc.enable()

    assert [each.exc_type for each in failed] == []


@pytest.mark.parametrize(
    ("text", "is_deep"),
    [
        ("[" * DEEPEST_PARSED + "]" * DEEPEST_PARSED, False),
        ("[" * (DEEPEST_PARSED + 1), True),
        ("[{}," * 150 + '{"a": [' * 60, True),
        ('["' + "[" * 1_000 + '"]', False),
        ('["\\"' + "[" * 1_000 + '"]', False),
        ('{"a": ["\\\\"], "b": ' + "[" * 300, True),
        ("[]" * 1_000, False),
    ],
)
def test_only_what_is_nested_counts(text, is_deep):
    if is_deep:
        with pytest.raises(RecursionError):
            refuse_deep(text)
    else:
        refuse_deep(text)

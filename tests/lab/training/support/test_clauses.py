"""Additions and causes come from elsewhere."""

from __future__ import annotations

import random

from nlgauge.lab.training.support import clauses
from nlgauge.lab.training.support.edit import Place
from tests.lab.training.support.places import CONTEXT, ELSEWHERE


def test_what_is_added_comes_from_elsewhere():
    for kind in (clauses.addition, clauses.tail, clauses.cause):
        for seed in range(20):
            edit = kind(Place("The yard closed.", CONTEXT, ELSEWHERE), random.Random(seed))
            if edit is not None:
                begin, end = edit.spans[0]
                new = edit.text[begin:end].rstrip(".").lower()
                assert any(part in f"{ELSEWHERE} {CONTEXT}".lower() for part in (new, new.partition(" ")[2]))
                assert edit.contradicts is False

"""Kinds of answers that people write, right and wrong: which a rule finds, and which the embedded model then passes.

`kinds.jsonl` has for each source and question: `right` answers; `wrong` ones that are found without a model; wrong ones
that only a model can find (`read`); and right ones with a slip of the pen, which are doubted at most (`slips`).
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.engine.aligners import Direction
from nlgauge.faithfulness.aligner import Answer, differences
from nlgauge.gate import check

GROUPS = [json.loads(line) for line in (Path(__file__).parent / "kinds.jsonl").read_text(encoding="utf-8").splitlines()]
KINDS = sorted({group["kind"] for group in GROUPS})
CAUGHT, PASSED = 0.95, 0.95
"""The share of the wrong answers of all kinds that do not pass, and of the right ones that do"""


def answers(kind: str | None, *names: str) -> list[tuple[dict[str, Any], str]]:
    """The answers of a kind, or of all."""
    groups = [group for group in GROUPS if kind in (None, group["kind"])]
    return [(group, answer) for group in groups for name in names for answer in group.get(name, ())]


def read(group: dict[str, Any], answer: str) -> Answer:
    """Return an answer as the metric reads it: once for all tests."""
    return _read(answer, group["source"], group.get("question", ""))


@cache
def _read(answer: str, source: str, question: str) -> Answer:
    return Answer(Direction("candidate", answer, "source", (source,), question=question))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_in_right_answers(kind: str) -> None:
    assert answers(kind, "right")
    for group, answer in answers(kind, "right"):
        assert differences(read(group, answer).whole) == (), answer
        assert not read(group, answer).said.failed, answer


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_rule_excludes_is_found(kind: str) -> None:
    for group, answer in answers(kind, "wrong"):
        assert read(group, answer).said.failed or differences(read(group, answer).whole), answer


@pytest.mark.parametrize("kind", KINDS)
def test_what_follows_is_of_a_right_answer(kind: str) -> None:
    for group, answer in answers(kind, "wrong", "read"):
        said = read(group, answer).said
        whole = [one for one in said.given if answer[one.begin : one.end].strip(" .\n") == answer.strip(" .\n")]
        assert not whole, answer


def test_a_slip_of_the_pen_is_doubted_and_never_sure() -> None:
    assert answers(None, "slips")
    for group, answer in answers(None, "slips"):
        found = differences(read(group, answer).whole)
        assert found, answer
        assert not any(one.sure for one in found), answer


def test_the_gate_passes_right_answers_and_no_wrong_ones() -> None:
    """All wrong answers, and every second right one of each kind: the rules are tried on the others above."""
    rows = [(group, answer, "right") for kind in KINDS for group, answer in answers(kind, "right")[::2]]
    rows += [(group, answer, name) for name in ("wrong", "read") for group, answer in answers(None, name)]
    corpus = nlgauge.Corpus.from_records(
        [
            {"candidate": answer, "source": group["source"], "question": group.get("question") or None}
            for group, answer, _ in rows
        ]
    )
    table = nlgauge.evaluate(corpus, metrics="Faithfulness", evidence=True)
    outcomes = check(table, grounded=True, allow_missing=True).outcomes
    fits: Counter[bool] = Counter()
    for (_, _, name), outcome in zip(rows, outcomes, strict=True):
        fits[name == "right"] += (outcome.state == "passed") == (name == "right")
    sizes = Counter(name == "right" for _, _, name in rows)
    assert fits[True] >= PASSED * sizes[True]
    assert fits[False] >= CAUGHT * sizes[False]

"""Forty questions about twenty sources, each with a right answer and its wrong twin, as a word and as a sentence.

Most of the wrong answers are for a model (`read`). The rules find some (`wrong`), and nothing in right answers.
"""

from __future__ import annotations

import json
from pathlib import Path

from nlgauge.engine.aligners import Direction
from nlgauge.faithfulness.aligner import Answer, differences

PLACE = Path(__file__).parent / "questions.jsonl"
QUESTIONS = [json.loads(line) for line in PLACE.read_text(encoding="utf-8").splitlines()]


def answers(*names: str) -> list[Direction]:
    """The answers of some names, each beside its source and its question."""
    return [
        Direction("candidate", answer, "source", (group["source"],), question=group["question"])
        for group in QUESTIONS
        for name in names
        for answer in group.get(name, ())
    ]


def test_nothing_is_found_in_right_answers() -> None:
    assert len(answers("right")) == 80 == len(answers("wrong", "read"))
    for answer in answers("right"):
        assert differences(answer) == () and not Answer(answer).said.failed, answer.text


def test_a_rule_finds_what_it_found() -> None:
    for answer in answers("wrong"):
        assert differences(answer), answer.text


def test_no_wrong_answer_follows() -> None:
    for answer in answers("wrong", "read"):
        assert not Answer(answer).said.given, answer.text

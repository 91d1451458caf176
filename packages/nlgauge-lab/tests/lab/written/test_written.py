"""The written rows are as their card says, and a row that does not fit is refused by its place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge_lab.written import HERE, answers

ROW = {
    "style": "sign",
    "source": ["Open 9 to 5.", "Closed on Mondays."],
    "question": "When is it open?",
    "right": ["From nine to five.", "Open 9 to 5."],
    "wrong": [{"text": f"Open 9 to {hour}.", "kind": "number", "words": [str(hour)]} for hour in (6, 7, 8)],
    "turn": {"edits": [["to 5", "to 6"]], "right": ["w0"], "wrong": ["r0", "r1"]},
}


def test_the_card_counts_what_is_there() -> None:
    every = list(answers())
    card = (HERE / "README.md").read_text(encoding="utf-8")
    counts = [int(count.replace(",", "")) for count in re.findall(r"^\|.*\| ([\d,]+) \|$", card, re.MULTILINE)]
    found = [
        len({one.row for one in every}),
        len(every),
        sum(one.edited for one in every),
        len({one.style for one in every}),
    ]
    assert counts == found


def test_an_answer_is_right_for_a_source_and_wrong_for_its_twin(tmp_path: Path) -> None:
    (tmp_path / "w.jsonl").write_text(json.dumps(ROW), encoding="utf-8")
    every = list(answers(tmp_path))
    assert [(one.text, one.supported) for one in every if one.edited] == [
        ("Open 9 to 6.", True),
        ("From nine to five.", False),
        ("Open 9 to 5.", False),
    ]
    assert every[-1].source == ("Open 9 to 6.", "Closed on Mondays.")
    assert [one.words for one in every[:5]] == [(), (), ("6",), ("7",), ("8",)]


@pytest.mark.parametrize(
    ("change", "say"),
    [
        ({"turn": {**ROW["turn"], "edits": [["9", "8"], ["noon", "ten"]]}}, "w.jsonl:1: 'noon' does not stand once"),
        (
            {"wrong": [{**ROW["wrong"][0], "words": ["no"]}, *ROW["wrong"][1:]]},
            "w.jsonl:1: the words .* not in the answer w0",
        ),
    ],
)
def test_a_row_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, object], say: str) -> None:
    (tmp_path / "w.jsonl").write_text(json.dumps({**ROW, **change}), encoding="utf-8")
    with pytest.raises(InputError, match=say):
        list(answers(tmp_path))

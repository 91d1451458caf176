"""What is found of what people marked: rows of our own, by hand and on the embedded model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from nlgauge import InputError, SpecError
from nlgauge_lab.reproduce import detecting
from nlgauge_lab.reproduce.detecting import Found, detect

pytestmark = pytest.mark.usefixtures("one_model")

SOURCE = "The bridge was closed in May."
ROWS: list[dict[str, Any]] = [
    {"source": SOURCE, "candidate": "The bridge was closed.", "spans": []},
    {"source": SOURCE, "candidate": "The bridge opened again.", "spans": [[11, 23, "x"]], "quality": "good"},
    {"source": SOURCE, "question": "Who pays?", "candidate": "Nobody pays.", "spans": [[0, 6]]},
    {"source": SOURCE, "candidate": "Cut off here", "spans": [], "quality": "truncated"},
    {"source": SOURCE, "candidate": "...", "spans": [[0, 3]]},
    {"source": "A red car.", "candidate": "A red car.", "spans": None, "supported": True},
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A folder with two sets, one of them deeper."""
    (tmp_path / "grounding").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (tmp_path / "grounding" / "quintd_human.test.jsonl").write_text(lines, encoding="utf-8")
    whole = [
        {"source": SOURCE, "candidate": text, "supported": text in SOURCE} for text in ("closed", "open", "in May")
    ]
    lines = "".join(json.dumps(row) + "\n" for row in whole)
    (tmp_path / "fever_symmetric.test.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def by_part(found: tuple[Found, ...]) -> dict[tuple[str, str], Found]:
    return {(one.metric, one.part): one for one in found}


def test_strings_by_hand(labelled: Path) -> None:
    """Copied: all, 2 of 4, 0 of 2 (the question is no source), no number, all."""
    (one,), absent = detect(labelled, ["quintd_human.test", "x"], [None], ["CopyRate", "Length"], replicates=20)
    assert absent == ["x"] and (one.rows, one.unsupported, dict(one.reasons)) == (5, 3, {})
    found = by_part(one.found)
    copied = found["CopyRate", "score"]
    assert (copied.model, copied.undefined, copied.words) == ("", 1, None)
    assert copied.texts["auc"] == 1.0 == copied.texts["best_f1"] and math.isnan(copied.texts["f1"])
    assert found["Length", "score"].texts["auc"] == 0.25  # 4 words, 4, 2, 0, 3; fewer is better
    assert all(part.low <= part.texts["auc"] <= part.high for part in found.values())


def test_aligners_judge_texts_and_words_at_their_threshold(labelled: Path) -> None:
    tried, _ = detect(
        labelled, ["quintd_human.test", "fever_symmetric.test"], [None], ["Consistency", "Faithfulness"], replicates=5
    )
    marked, whole = (by_part(one.found) for one in tried)
    assert {metric for metric, _ in marked} == {"Consistency", "Faithfulness", "Consistency(aligner='R')"}
    for one in (marked["Consistency", "score"], marked["Faithfulness", "score"]):
        assert one.words is not None and not math.isnan(one.words["f1"])
        assert one.model.startswith("pocket@") and one.undefined == 1
    assert whole["Consistency", "score"].words is None  # no words were marked
    aggregate = marked["Consistency(aligner='R')", "score"]
    assert aggregate.words is None  # it shows none
    judged = {part for (_, part), one in marked.items() if not math.isnan(one.texts["f1"])}
    assert judged == {"probability", "unsupported"}, "of the other parts no threshold of texts ships"


def test_what_cannot_be_had_is_said_and_spoils_no_other(labelled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detecting, "METRICS", ("Consistency", "Consistency(layer=40)", "CopyRate"))
    (one,), _ = detect(labelled, ["fever_symmetric.test"], [None], replicates=0)
    assert list(one.reasons) == ["Consistency(layer=40)"] and "has layers 0 to 6" in next(iter(one.reasons.values()))
    assert [found.metric for found in one.found] == ["Consistency", "CopyRate"]


def test_refusals(labelled: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of the labelled sets is there.*put x.jsonl there"):
        detect(labelled, ["x"], [None])
    with pytest.raises(SpecError, match="--metrics BLEU: not one of Faithfulness"):
        detect(labelled, ["quintd_human.test"], [None], ["BLEU"])

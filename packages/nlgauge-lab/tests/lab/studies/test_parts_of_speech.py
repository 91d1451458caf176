"""Weights by part of speech: by hand, and with a tagger that splits words elsewhere than the metric."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.data.table import Column
from nlgauge_lab.studies.parts_of_speech import parts_of_speech
from tests.extras import english_pipeline
from tests.printed import printed


def text(name: str, *words: tuple[str, float, float | None]) -> dict:
    whole, found = " ".join(word for word, _, _ in words), []
    begin = 0
    for word, alignment, weight in words:
        entry = {"text": word, "begin": begin, "end": begin + len(word), "alignment": alignment}
        found.append(entry if weight is None else {**entry, "weight": weight})
        begin += len(word) + 1
    return {"name": name, "text": whole, "words": found}


def table(**evidence: list[list[dict]]) -> ScoreTable:
    columns = {
        spec: Column(("score",), np.zeros((2, 1)), True, evidence={i: {"texts": row} for i, row in enumerate(rows)})
        for spec, rows in evidence.items()
    }
    return ScoreTable([("a", "1"), ("a", "2")], columns, {}, {}, "9.9")


def tagger(whole: str) -> list[tuple[int, str]]:
    """Verbs end in s; "can't" is two tokens."""
    out, at = [], 0
    for word in whole.split():
        out.append((at, "VERB" if word.endswith("s") else "NOUN"))
        if word == "can't":
            out.append((at + 2, "PART"))
        at += len(word) + 1
    return out


WEIGHED = [
    [text("candidate", ("cat", 1, 0.1), ("sits", 0, 0.3)), text("source", ("dog", 1, 0.6))],
    [text("candidate", ("cats", 1, 0.2), ("dog", 0, 0.1), ("eats", 0, 0.1)), text("source", ("runs", 0, 0.6))],
]


def test_by_hand() -> None:
    found = parts_of_speech(table(M=WEIGHED), tagger)
    got = {(one.text, one.tag): (one.words, one.weight, one.alignment) for one in found.records}
    assert got["candidate", "VERB"] == pytest.approx(((1 / 2 + 2 / 3) / 2, (0.3 + 0.3) / 2, 1 / 3))
    assert got["candidate", "NOUN"] == pytest.approx(((1 / 2 + 1 / 3) / 2, (0.1 + 0.1) / 2, 1 / 2))
    assert got["source", "NOUN"] == pytest.approx((0.5, 0.3, 1)) and got["source", "VERB"] == (0.5, 0.3, 0)
    assert sum(one.weight for one in found.records) == pytest.approx(1)
    assert [one.tag for one in found.records][:2] == ["VERB", "NOUN"], "the heaviest first"
    assert printed(found)[0][0][0] == "M, candidate" and len(found.tables()) == 2


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no metric shows its words"):
        parts_of_speech(table(M=[]), tagger)
    with pytest.raises(InputError, match="there is no N"):
        parts_of_speech(table(M=WEIGHED), tagger, metrics=["N"])
    pytest.importorskip("spacy", reason="needs nlgauge[maskeval]")
    with pytest.raises(SpecError, match="no spaCy pipeline 'missing'"):
        parts_of_speech(table(M=WEIGHED), "missing")


def test_a_real_pipeline_and_a_figure(tmp_path: Path) -> None:
    pipeline = english_pipeline()
    rows = [[text("candidate", ("The", 1, 0.2), ("river", 1, 0.5), ("rose", 0, 0.3))]]
    found = parts_of_speech(table(M=rows), pipeline)
    assert {one.tag: one.weight for one in found.records} == {"DET": 0.2, "NOUN": 0.5, "VERB": 0.3}
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "weights.png")
    assert (tmp_path / "weights.png").stat().st_size > 1000

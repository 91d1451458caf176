"""Families on each layer, judged by several data sets."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from nlgauge import Corpus, SpecError, correlate, evaluate
from nlgauge_lab.reproduce import layers
from nlgauge_lab.reproduce.layers import DEFAULT, FAMILIES, Family, Judge, families, page
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.suites import SUITES, Source, Suite

ONE, OTHER, THIRD = Judge("One", "x"), Judge("One", "y"), Judge("Two", "x")
MADE = Family(
    "BERTScore",
    {
        DEFAULT: {ONE: 0.1, OTHER: 0.1, THIRD: 0.1},
        0: {ONE: 0.2, OTHER: 0.4, THIRD: 0.5},
        1: {ONE: 0.6, OTHER: 0.8, THIRD: 0.2},
        2: {ONE: 0.9, OTHER: math.nan, THIRD: 0.9},
    },
)


def test_the_table_says_what_other_data_choose() -> None:
    text = page([MADE], ["pocket@1"], ["huge"], 3)
    assert "# Layers of pocket@1\n" in text and "on the first 3 items" in text and "Not here: huge" in text
    assert "| layer | One: x | One: y | Two: x | mean |" in text
    assert "| as it is | .100 | .100 | .100 | .100 |" in text
    assert "| **1** | .600 | .800 | .200 | .450 |" in text and "| 2 | .900 | - | .900 | - |" in text
    assert "| left out | .900 (2) | - (2) | .200 (1) | |" in text
    assert text.endswith('For the card: `"layers": {"BERTScore": 1}`\n')


@pytest.mark.usefixtures("one_model")
def test_every_layer_of_a_family_and_windows_that_end_at_it(
    outputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tiny.jsonl").write_text(outputs.read_text(encoding="utf-8"), encoding="utf-8")
    suite = Suite("tiny", "Tiny", (Source("tiny"),), ("adequacy",), (("pooled", "pearson"), ("system", "kendall")), ())
    judged = {
        "Consistency": {"tiny": ("adequacy",)},
        "MoverScore": {"tiny": ("adequacy",)},
        "Relevance": {"no": ("x",)},
    }
    monkeypatch.setattr(layers, "SUITES", (suite,))
    monkeypatch.setattr(layers, "FAMILIES", judged)
    data, scores = Data(tmp_path / "data"), Scores(tmp_path / "scores")
    found, models, absent = families(data, scores)
    assert [one.name for one in found] == ["Consistency", "MoverScore"] and absent == []
    assert [name.partition("@")[0] for name in models] == ["pocket"]
    assert all(list(one.values) == [DEFAULT, *range(7)] for one in found)
    corpus = Corpus.read(outputs)
    for one, spec in zip(found, ("Consistency(layer=2)", "MoverScore(layers=(0, 1, 2))"), strict=True):
        expected = correlate(evaluate(corpus, metrics=spec), corpus, level="pooled", replicates=0).get(spec)
        assert one.values[2] == {Judge("Tiny", "adequacy"): pytest.approx(expected.value)}
    (only,), _, _ = families(data, scores, names=["MoverScore"])
    assert only == found[1]
    with pytest.raises(SpecError, match="--metrics BLEU: not one of Consistency, MoverScore"):
        families(data, scores, names=["BLEU"])


def test_families_are_judged_by_ratings_that_are_there() -> None:
    aspects = {suite.name: suite.aspects for suite in SUITES}
    assert all(set(asked) <= set(aspects[name]) for by_suite in FAMILIES.values() for name, asked in by_suite.items())

"""CTC's ablations: every variant is what the metric that it belongs to says it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError, evaluate
from nlgauge.studies.ablation import EngagingnessVariants, PreservationVariants, RelevanceVariants, ablation


def test_variants_are_what_the_metrics_say(corpus: Corpus, one_model: None) -> None:
    variants = [RelevanceVariants(), PreservationVariants(), EngagingnessVariants()]
    others = [
        "Relevance", "Consistency", "Preservation", "Engagingness(stopwords=True)", "MeanAlignment(stopwords=True)",
        "Engagingness", "MeanAlignment",
    ]  # fmt: skip
    table = evaluate(corpus, metrics=[*variants, *others])

    def of(spec: str, part: str | None = None) -> np.ndarray:
        return np.asarray(table.values(spec, part))

    assert_allclose(of("RelevanceVariants", "product"), of("Relevance"), rtol=1e-12)
    assert_allclose(of("RelevanceVariants", "y→x"), of("Consistency"), rtol=1e-12)
    covered = of("RelevanceVariants", "r→y")
    assert_allclose(covered * of("Consistency"), of("Relevance"), rtol=1e-12)
    assert_allclose(of("RelevanceVariants", "sum"), covered + of("Consistency"), rtol=1e-12)
    assert_allclose(of("PreservationVariants", "y→x"), of("Consistency"), rtol=1e-12)
    assert_allclose(of("PreservationVariants", "both"), of("Preservation"), rtol=1e-12)
    there, back = of("PreservationVariants", "y→x"), of("PreservationVariants", "x→y")
    assert_allclose(2 * there * back / (there + back), of("Preservation"), rtol=1e-12)
    assert_allclose(of("EngagingnessVariants", "sum"), of("Engagingness"), rtol=1e-12)
    assert_allclose(of("EngagingnessVariants", "mean"), of("MeanAlignment"), rtol=1e-12)


def test_all_that_the_rows_have_texts_for(corpus: Corpus, runs: list[ScoreTable], tmp_path: Path) -> None:
    found = ablation(corpus, replicates=0)
    assert found.level == "pooled" and found.axes == ("variant", "stop-words")
    assert found.lines == ["Relevance E", "Preservation E", "Engagingness E"]
    assert len(found.points) == 2 * (4 + 3 + 2)
    (table,) = runs
    ledger = table.run["models"]["pocket"]
    assert ledger["encoded"] == ledger["texts"]
    point = found.of("Engagingness E", "adequacy", "pearson")[-1]
    assert point.setting == {"variant": "sum", "stop-words": "left out"}
    assert point.agreement.metric == "EngagingnessVariants", "without stop-words, as by default"
    pytest.importorskip("matplotlib")
    found.draw(tmp_path / "ablation.png")
    assert (tmp_path / "ablation.png").stat().st_size > 1000


def test_chosen_metrics_keep_their_parameters(corpus: Corpus, runs: list[ScoreTable]) -> None:
    found = ablation(corpus, ["Preservation(layer=2, harmonic_factor=1)"], items=2, replicates=0)
    assert found.lines == ["Preservation(layer=2, harmonic_factor=1) E"]
    assert "PreservationVariants(layer=2, harmonic_factor=1)" in runs[0].metrics


def test_rows_without_a_text_have_their_reason(runs: list[ScoreTable]) -> None:
    rows = tuple(Row("a cat", ("a dog",), "a" if n else None, system=str(n), scores={"x": float(n)}) for n in range(4))
    found = ablation(Corpus(rows), replicates=0, level="pooled")
    assert found.lines == ["Relevance E", "Preservation E"]
    assert runs[0].column("RelevanceVariants").reasons[0] == "no source"
    assert {point.agreement.rows for point in found.points if point.setting["stop-words"] == "count"} == {3}


def test_refusals(corpus: Corpus) -> None:
    with pytest.raises(SpecError, match="Consistency has no ablation; there are Relevance"):
        ablation(corpus, ["Consistency"])
    with pytest.raises(SpecError, match="scales of their own"):
        ablation(corpus, ["Preservation(rescale='score')"])
    with pytest.raises(InputError, match="no row has a source"):
        ablation(Corpus((Row("a", ("b",), scores={"x": 1.0}),)))

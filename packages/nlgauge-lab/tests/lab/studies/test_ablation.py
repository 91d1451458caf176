"""CTC's ablations: every variant is what the metric that it belongs to says it is."""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError, evaluate
from nlgauge_lab.studies.ablation import (
    PublishedEngagingnessVariants,
    PublishedRelevanceVariants,
    RelevanceVariants,
    ablation,
)


def test_published_variants_are_what_the_published_metrics_say(corpus: Corpus, one_model: None) -> None:
    variants = [PublishedRelevanceVariants(), PublishedEngagingnessVariants()]
    table = evaluate(corpus, metrics=[*variants, "published/Relevance", "published/Engagingness"], cache=False)
    assert_allclose(table.values(variants[0], "product"), table.values("published/Relevance"), rtol=1e-12)
    assert_allclose(table.values(variants[1], "sum"), table.values("published/Engagingness"), rtol=1e-12)


def test_rows_without_a_text_have_their_reason(runs: list[ScoreTable]) -> None:
    rows = tuple(Row("a cat", ("a dog",), "a" if n else None, system=str(n), scores={"x": float(n)}) for n in range(4))
    found = ablation(Corpus(rows), replicates=0, level="pooled")
    assert found.lines == ["Relevance E", "Preservation E"]
    assert runs[0].column(RelevanceVariants()).reasons[0] == "no source"
    assert {point.agreement.rows for point in found.points if point.setting["stop-words"] == "count"} == {3}


def test_refusals(corpus: Corpus) -> None:
    with pytest.raises(SpecError, match="Consistency has no ablation; there are Relevance"):
        ablation(corpus, ["Consistency"])
    with pytest.raises(SpecError, match="scales of their own"):
        ablation(corpus, ["published/Preservation(rescale='score')"])
    with pytest.raises(InputError, match="no row has a source"):
        ablation(Corpus((Row("a", ("b",), scores={"x": 1.0}),)))

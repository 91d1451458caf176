from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.errors import SpecError
from nlgauge.metrics.bertscore import BERTScore
from tests.engine.fake import WORDS, FakeModel, answers
from tests.metrics.pieces import prepared, row, scored, shown

X, Y = [[1.0, 0], [0, 2.0]], [[3.0, 0], [0.6, 0.8], [-5.0, 0]]
TEXTS = [("w1 w2 w3", "w2 w4"), ("w5", "w1 w9 w9 w7"), ("w8 w2 w2 w6 w3", "w3 w2 w10 w8")]
ROWS = [row(*texts) for texts in TEXTS]


def counted() -> FakeModel:
    return FakeModel(card=ModelCard(document_frequencies=DocumentFrequencies(np.arange(len(WORDS)) % 7, 10)))


def compared(metric: BERTScore, *pairs):
    return metric.compare(pairs, prepared(metric))


def literal(metric: BERTScore, candidate: str, reference: str, model) -> tuple[float, float, float]:
    """The paper's formula, a token at a time."""
    layer = model.layers - 1 if metric.layer is None else metric.layer
    requests = [VectorsRequest(text, (layer,)) for text in (candidate, reference)]
    sides = answers(model, *requests)
    table = model.card.document_frequencies

    def weight(side, i):
        if side.special[i]:
            return 0.0
        return np.log((table.documents + 1) / (table.counts[side.ids[i]] + 1)) if metric.idf == "general" else 1.0

    def direction(one, other):
        total = weighed = 0.0
        for i in range(len(one.ids)):
            best = -2.0
            for j in range(len(other.ids)):
                if metric.special or not other.special[j]:
                    x, y = one.vectors[0, i].astype(float), other.vectors[0, j].astype(float)
                    best = max(best, sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)))
            weighed += weight(one, i) * best
            total += weight(one, i)
        return weighed / total

    precision, recall = direction(*sides), direction(*sides[::-1])
    return 2 * precision * recall / (precision + recall), precision, recall


@pytest.mark.parametrize(
    "metric", [BERTScore(), BERTScore(layer=0, idf="general"), BERTScore(layer=3, special=True, idf="general")], ids=str
)
def test_it_is_the_papers_formula(metric):
    model = counted()
    for value, texts in zip(scored(metric, ROWS, model), TEXTS, strict=True):
        np.testing.assert_allclose(value.parts, literal(metric, *texts, model), rtol=1e-6)


@pytest.mark.parametrize("known", [{}, {5: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    with pytest.raises(SpecError, match="no baseline for layer 2: choose rescale=False"):
        prepared(BERTScore(rescale=True), model=FakeModel(card=ModelCard(bertscore_baseline=known)))


def test_a_layer_that_the_model_does_not_have_is_refused():
    with pytest.raises(SpecError, match="layers 0 to 3"):
        scored(BERTScore(layer=4), [row("w1", "w2")])


def test_evidence_explains_precision_and_recall():
    one = row("w1 w2 w3", "", "w9", "w2 w3 w4")
    evidence = shown(BERTScore(), one)
    (value,) = scored(BERTScore(), [one])
    assert evidence["reference"] == 2, "counted among all of the row's references"
    for part, side, words in zip(
        value.parts[1:], ("candidate", "reference"), (["w1", "w2", "w3"], ["w2", "w3", "w4"]), strict=True
    ):
        matches = [match for match in evidence["matches"] if match["side"] == side]
        assert sum(m["weight"] * m["similarity"] for m in matches) == pytest.approx(part)
        assert [m["token"]["text"] for m in matches] == words
        texts = (one.candidate, one.references[2]) if side == "candidate" else (one.references[2], one.candidate)
        for match in matches:
            for place, text in zip((match["token"], match["match"]), texts, strict=True):
                assert text[place["begin"] : place["end"]] == place["text"]
    assert shown(BERTScore(), replace(one, references=())) == {}

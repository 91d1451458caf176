from dataclasses import replace

import pytest

from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge.metrics.bertscore import BERTScore
from tests.engine.fake import FakeModel
from tests.metrics.pieces import prepared, row, scored, shown


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

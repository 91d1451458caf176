import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features import VectorsRequest
from nlgauge.engine.folder import DocumentFrequencies
from nlgauge.errors import SpecError
from nlgauge.metrics.bertscore import BERTScore
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import pieces, scored, scorer, shown

X, Y = [[1.0, 0], [0, 2.0]], [[3.0, 0], [0.6, 0.8], [-5.0, 0]]
TEXTS = [("w1 w2 w3", "w2 w4"), ("w5", "w1 w9 w9 w7"), ("w8 w2 w2 w6 w3", "w3 w2 w10 w8")]


def counted() -> FakeModel:
    model = FakeModel()
    model.document_frequencies = DocumentFrequencies(np.arange(len(WORDS)) % 7, 10)
    return model


def literal(metric: BERTScore, candidate: str, reference: str, model) -> tuple[float, float, float]:
    """The paper's formula, a token at a time."""
    layer = model.layers - 1 if metric.layer is None else metric.layer
    sides = Engine(model).features([(text, VectorsRequest((layer,))) for text in (candidate, reference)])
    table = model.document_frequencies

    def weight(side, i):
        if side.special[i]:
            return 0.0
        return np.log((table.documents + 1) / (table.counts[side.ids[i]] + 1)) if metric.idf == "general" else 1.0

    def direction(one, other):
        total = found = 0.0
        for i in range(len(one.ids)):
            best = -2.0
            for j in range(len(other.ids)):
                if metric.special or not other.special[j]:
                    x, y = one.vectors[0, i].astype(float), other.vectors[0, j].astype(float)
                    best = max(best, sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)))
            found += weight(one, i) * best
            total += weight(one, i)
        return found / total

    precision, recall = direction(*sides), direction(*sides[::-1])
    return 2 * precision * recall / (precision + recall), precision, recall


@pytest.mark.parametrize(
    "metric", [BERTScore(), BERTScore(layer=0, idf="general"), BERTScore(layer=3, special=True, idf="general")], ids=str
)
def test_it_is_the_papers_formula(metric):
    model = counted()
    values = scored(metric, [c for c, _ in TEXTS], [r for _, r in TEXTS], model)
    for value, (candidate, reference) in zip(values, TEXTS, strict=True):
        np.testing.assert_allclose(value.parts, literal(metric, candidate, reference, model), rtol=1e-6)


def test_a_pair_by_hand():
    ((f1, precision, recall),) = scorer(BERTScore()).compare([(pieces("a b", X), pieces("c d e", Y))])
    assert (precision, recall) == (pytest.approx((1 + 0.8) / 2), pytest.approx((1 + 0.8 + 0) / 3))
    assert f1 == pytest.approx(2 * 0.9 * 0.6 / 1.5)


def test_special_tokens_weigh_nothing_and_match_only_on_request():
    framed = (
        pieces("a b", [[-1, 0.1], *X, [0.6, 0.8]], frame=True),
        pieces("c", [[-1, 0], [0.6, 0.8], [0, 1]], frame=True),
    )
    ((_, precision, recall),) = scorer(BERTScore()).compare([framed])
    assert (precision, recall) == (pytest.approx((0.6 + 0.8) / 2), pytest.approx(0.8))
    ((_, precision, recall),) = scorer(BERTScore(special=True)).compare([framed])
    assert (precision, recall) == (pytest.approx((0.6 + 1) / 2), pytest.approx(1))


def test_swapping_the_texts_swaps_precision_and_recall():
    pair = pieces("a b", X), pieces("c d e", Y)
    (one, other) = scorer(BERTScore()).compare([pair, pair[::-1]])
    assert one == pytest.approx((other[0], other[2], other[1]))


@pytest.mark.parametrize("idf", ["none", "references"])
def test_an_equal_text_has_1_in_all_parts(idf):
    for value in scored(BERTScore(idf=idf), [c for c, _ in TEXTS], [c for c, _ in TEXTS]):
        assert value.parts == pytest.approx((1, 1, 1))


def test_rescaling_takes_the_models_baseline_from_each_part():
    model = FakeModel()
    model.bertscore_baseline = {2: (0.5, 0.25, 0.4)}
    plain, rescaled = (scored(BERTScore(rescale=on), ["w1 w2"], ["w2 w5"], model)[0].parts for on in (False, True))
    for value, raw, base in zip(rescaled, plain, (0.4, 0.5, 0.25), strict=True):
        assert value == pytest.approx((raw - base) / (1 - base))
    assert "0.5" in scorer(BERTScore(rescale=True), model=model).signature["baseline"]


@pytest.mark.parametrize("known", [None, {5: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    model = FakeModel()
    model.bertscore_baseline = known
    with pytest.raises(SpecError, match="no baseline for layer 2: choose rescale=False"):
        scorer(BERTScore(rescale=True), model=model)


@pytest.mark.parametrize("wrong", [{"layer": True}, {"layer": "last"}, {"idf": "union"}, {"special": "yes"}])
def test_parameters_outside_their_domain_are_refused(wrong):
    with pytest.raises(SpecError, match="BERTScore: "):
        BERTScore(**wrong)


def test_a_layer_that_the_model_does_not_have_is_refused():
    with pytest.raises(SpecError, match="layers 0 to 3"):
        scored(BERTScore(layer=4), ["w1"], ["w2"])


def test_all_zero_idf_falls_back_to_equal_weights_with_a_note():
    (lone,) = scored(BERTScore(idf="references"), ["w1 w2"], ["w2 w1"])
    assert lone.notes == ("all idf weights of a text are 0: its tokens weighed alike",)
    assert lone.parts == scored(BERTScore(), ["w1 w2"], ["w2 w1"])[0].parts


def test_vectors_that_point_away_have_no_f1_but_a_reason():
    bound = scorer(BERTScore())
    ((f1, precision, recall),) = bound.compare([(pieces("a", [[1.0, 0]]), pieces("b", [[-1.0, 0.1]]))])
    assert np.isnan(f1) and precision == recall < 0 and "F1 is not defined" in bound.undefined


def test_evidence_explains_precision_and_recall():
    references = ["w9", "w2 w3 w4"]
    evidence = shown(BERTScore(), "w1 w2 w3", references)
    (value,) = scored(BERTScore(), ["w1 w2 w3"], [references])
    assert evidence["reference"] == 1
    for part, side in zip(value.parts[1:], ("precision", "recall"), strict=True):
        assert sum(m["weight"] * m["similarity"] for m in evidence[side]) == pytest.approx(part)
    assert [m["token"] for m in evidence["precision"]] == ["w1", "w2", "w3"]
    assert [m["token"] for m in evidence["recall"]] == ["w2", "w3", "w4"]
    for match in evidence["precision"]:
        assert references[1][slice(*match["match_offsets"])] == match["match"]
        assert "w1 w2 w3"[slice(*match["offsets"])] == match["token"]

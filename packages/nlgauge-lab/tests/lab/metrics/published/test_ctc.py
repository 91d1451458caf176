"""CTC's aspects as the published code computes them: pieces, special tokens, negative cosines, zeros."""

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge.metrics import registry
from nlgauge_lab.metrics.published.ctc import (
    Consistency,
    Engagingness,
    Groundedness,
    MeanAlignment,
    Preservation,
    Relevance,
)
from tests.engine.fake import FakeModel
from tests.metrics.pieces import pieces, prepared, scored, shown

ALL = (Consistency, Relevance, Preservation, Groundedness, Engagingness, MeanAlignment)
ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")


def value(metric, row, model=None):
    """The value of a row, which has one."""
    (one,) = scored(metric, [row], model)
    assert one.reason is None
    return one.parts[0]


def literal(text, other):
    """Definition 3.1 by embedding matching, a token at a time, special tokens of the other text included."""
    requests = [VectorsRequest(one, (3,)) for one in (text, other)]
    features = Engine(FakeModel()).features(requests)
    own, theirs = (features[request] for request in requests)
    out = []
    for x in own.vectors[0, ~own.special].astype(float):
        out.append(max(sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)) for y in theirs.vectors[0].astype(float)))
    return np.array(out)


def by_hand(metric, candidate, source):
    """Value and reason of a row whose texts have tokens by hand; context and source are the same."""
    row = Row(candidate.text, (), source.text, source.text)
    features = Features({VectorsRequest(one.text, (3,)): one for one in (candidate, source)})
    (one,) = metric.score_rows([row], prepared(metric, [row]), features)
    return one.parts[0], one.reason


def test_special_tokens_are_matched_and_the_texts_of_a_dialogue_joined():
    y, x, c = ROW.candidate, ROW.source, ROW.context
    joined = literal(y, f"{c}\n\n\n{x}")
    there, back = literal(y, x).mean(), literal(x, y).mean()
    assert value(Consistency(), ROW) == pytest.approx(there)
    assert value(Relevance(), ROW) == pytest.approx(np.mean([literal(r, y).mean() for r in ROW.references]) * there)
    assert value(Preservation(), ROW) == pytest.approx(2 * there * back / (there + back))
    assert value(Preservation(harmonic_factor=1), ROW) == pytest.approx(there * back / (there + back))
    assert value(Groundedness(stopwords=True), ROW) == pytest.approx(literal(y, c).sum())
    assert value(Engagingness(), ROW) == pytest.approx(joined.sum())
    assert value(MeanAlignment(), ROW) == pytest.approx(joined.mean())


X = [[1.0, 0], [0.6, 0.8], [0, 2.0], [-1, 0]]
SOURCE_TOKENS = pieces("w1", [[0, 1.0], [3.0, 0], [0, 1.0]], frame=True)


def test_a_piece_is_a_word_and_a_cosine_may_be_negative():
    candidate = pieces("lib|rary opens .", X)
    # The special tokens around the source point along the second axis.
    assert by_hand(Groundedness(), candidate, SOURCE_TOKENS)[0] == pytest.approx(1 + 0.8 + 1 + 0)
    assert by_hand(Groundedness(), candidate, pieces("w1", [[3.0, 0]]))[0] == pytest.approx(1 + 0.6 + 0 - 1)


def test_inside_a_word_a_piece_is_no_stop_word():
    candidate = pieces("The library op|the of", [[1.0, 0], [0.6, 0.8], [0.8, 0.6], [0, 1.0], [1, 0]])
    assert by_hand(Groundedness(), candidate, pieces("w1", [[3.0, 0]]))[0] == pytest.approx(0.6 + 0.8 + 0)


def test_rescaling_is_of_each_alignment_or_of_the_harmonic_mean():
    model = FakeModel(card=ModelCard(bertscore_baseline={3: (0.1, 0.2, 0.4)}))
    plain = literal(ROW.candidate, ROW.source)
    assert value(Consistency(rescale="token"), ROW, model) == pytest.approx(((plain - 0.4) / 0.6).mean())
    whole = value(Preservation(), ROW, model)
    assert value(Preservation(rescale="score"), ROW, model) == pytest.approx((whole - 0.4) / 0.6)
    assert prepared(Preservation(rescale="score"), model=model).facts["baseline"] == "0.400000"


@pytest.mark.parametrize("text", ["", "of the"])
def test_nothing_is_0_where_no_other_direction_needs_the_text(text):
    for kind in (Consistency, Groundedness, Engagingness, MeanAlignment):
        assert value(kind(stopwords=False), replace(ROW, candidate=text)) == 0
    for kind in (Relevance, Preservation):
        (one,) = scored(kind(), [replace(ROW, candidate="")])
        assert np.isnan(one.parts[0]) and one.reason == "no words in the candidate"


def test_directions_that_cancel_each_other_have_no_value():
    # Cosines of exactly 1/4 and -3/4: P is 1/4 and R their mean, -1/4.
    texts = (
        pieces("w1", [[1, 0, 0, 0, 0, 0, 0]]),
        pieces("w2 w3", [[1, 1, 1, 1, 2, 2, 2], [-3, 1, 1, 1, 2, 0, 0]]),
    )
    number, reason = by_hand(Preservation(), *texts)
    assert np.isnan(number) and reason == "the two directions cancel out"


def test_evidence_shows_pieces():
    (text,) = shown(Consistency(), ROW)["texts"]
    assert [word["text"] for word in text["words"]] == ["w1", "w2", "w3"]
    assert np.mean([word["alignment"] for word in text["words"]]) == pytest.approx(value(Consistency(), ROW))


@pytest.mark.parametrize("kind", ALL)
def test_they_are_registered_beside_ours_and_know_one_aligner(kind):
    metric = kind(layer=2)
    assert str(metric) == f"published/{kind.__name__}(layer=2)"
    assert registry.metric(str(metric)) == metric
    assert registry.metric(f"{kind.__name__}(layer=2)") != metric
    with pytest.raises(SpecError, match=f"published/{kind.__name__}: aligner='D' is not one of 'E'"):
        kind(aligner="D")
    assert metric.columns == registry.metric(kind.__name__).columns
    assert metric.stopwords == registry.metric(kind.__name__).stopwords

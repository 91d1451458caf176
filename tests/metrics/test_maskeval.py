"""MaskEval on models that answer by rule: which words are asked for, and what becomes of the answers."""

import json
import sys

import numpy as np
import pytest

from nlgauge import registry
from nlgauge.contract.base import Setup
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.pair_states import states_digest
from nlgauge.engine.models import loading
from nlgauge.engine.segmentation import segmenter
from nlgauge.engine.weighter import Weighter, write_weighter
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.metrics.maskeval import MaskEval, word_weights
from tests.engine.fake import WORDS, PairsModel
from tests.metrics import pieces
from tests.metrics.pieces import prepared


class Copies(PairsModel):
    """Says at a mask the word of the other text that stands at the same place, counted from the row's beginning."""

    def other_text(self, ids):
        super().other_text(ids)
        return ids

    def pair_logits(self, ids, attend, at, other):
        logits = np.zeros((len(at), len(WORDS)), np.float32)
        places = np.minimum(at % ids.shape[1], len(other) - 1)
        logits[np.arange(len(at)), other[places]] = np.log(len(WORDS) - 1) + np.log(3)  # a probability of 3/4
        return logits

    def pair_states(self, ids, attend, other):
        """Dimension 0 is the number of the word, from 0 to 39."""
        states = np.zeros((*ids.shape, self.width), np.float32)
        states[..., 0] = ids - 5
        return states


def scored(metric, *pairs, model=None):
    """Values of (candidate, source) rows."""
    return pieces.scored(metric, [Row(a, source=b) for a, b in pairs], model or Copies(40))


def shown(metric, pair, model=None):
    """Evidence of a (candidate, source) row."""
    return pieces.shown(metric, Row(pair[0], source=pair[1]), model or Copies(40))


PAIR = ("w1 w2 w3 w4", "w1 w9 w3 w8 w7")  # two of four and two of five words are at their place


def test_uniform_candidate_and_probability_by_hand():
    ((uniform,), (alone,), (chance,)) = (
        scored(metric, PAIR)
        for metric in (MaskEval(), MaskEval(weights="candidate"), MaskEval(scoring="probability", weights="candidate"))
    )
    assert uniform.parts[0] == pytest.approx((2 / 4 + 2 / 5) / 2)
    assert alone.parts[0] == pytest.approx(2 / 4)
    hit, miss = 0.75, 0.25 / (len(WORDS) - 1)
    assert chance.parts[0] == pytest.approx((2 * hit + 2 * miss) / 4, rel=1e-5)
    (value,) = scored(MaskEval(scoring="log_probability", weights="candidate"), ("w1", "w1 w5"))
    assert value.parts[0] == pytest.approx(np.log(0.75), rel=1e-5)


@pytest.fixture
def heavy(tmp_path):
    """Learned token weights that grow with the number of the word: each is e times that of the one before."""
    weight = np.eye(8, dtype=np.float32)[0]
    write_weighter(tmp_path / "weighter.safetensors", Weighter(weight, 0.6, states_digest(Copies()), "size"))
    return str(tmp_path)


OWN = word_weights(np.array([1.0, 2, 3, 4]), np.arange(4))
OTHER = word_weights(np.array([1.0, 9, 3, 8, 7]), np.arange(5))


@pytest.mark.parametrize("per_text", [False, True])
def test_only_kept_words_are_masked(heavy, per_text):
    metric = MaskEval(weights=heavy, keep=0.7, per_text=per_text)
    (value,) = scored(metric, PAIR)
    words = {text["name"]: [word["text"] for word in text["words"]] for text in shown(metric, PAIR)["texts"]}
    if per_text:  # of the source .665 and .245
        assert words == {"candidate": ["w3", "w4"], "source": ["w9", "w8"]}
        expected = 0.6 * OWN[2] / (OWN[2] + OWN[3])
    else:  # .6 * .644 + .4 * .663 = .651; then .6 * .237 = .142
        assert words == {"candidate": ["w3", "w4"], "source": ["w9"]}
        expected = 0.6 * OWN[2] / (0.6 * (OWN[2] + OWN[3]) + 0.4 * OTHER[1])
    assert value.parts[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("weights", ["uniform", "candidate", None])
def test_rows_without_something_to_compare_say_why(heavy, weights):
    metric = MaskEval(weights=weights or heavy)
    pairs = (("", "w1"), ("w1", ""), ("", ""), ("w1", None), PAIR)
    values = scored(metric, *pairs)
    assert [value.reason for value in values] == [
        "the candidate has no words",
        "the source has no words",
        "the candidate has no words",
        "no source",
        None,
    ]
    assert [np.isnan(value.parts[0]) for value in values] == [True, True, True, True, False]
    assert shown(metric, ("", "w1")) == shown(metric, ("w1", None)) == {}


def test_what_cannot_be_asked_for():
    for spec, say in (
        ("MaskEval(keep=0)", "keep=0 is not a number above 0"),
        ("MaskEval(keep=True)", "keep=True is not a number"),
        ("MaskEval(keep=1.5, weights='x')", "keep=1.5"),
        ("MaskEval(keep=0.5)", "has no learned weights"),
        ("MaskEval(weights='x', per_text=True)", "per_text is about keep"),
        ("MaskEval(weights='')", "weights=''"),
        ("MaskEval(stride=0)", "stride must be at least 1, not 0"),
        ("MaskEval(scoring='luck')", "scoring='luck'"),
        ("MaskEval(segmentation=3)", "segmentation=3"),
    ):
        with pytest.raises(SpecError) as error:
            registry.metric(spec)
        assert say in str(error.value)
    with pytest.raises(SpecError, match="no learned token weights 'mood'"):
        prepared(MaskEval(weights="mood"))
    with pytest.raises(SpecError, match="is not 'plain', 'spacy'"):
        prepared(MaskEval(segmentation="nltk"))


def test_spacy_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    segmenter.cache_clear()
    with pytest.raises(MissingExtraError, match=r"nlgauge\[maskeval\]"):
        prepared(MaskEval(segmentation="spacy"))
    segmenter.cache_clear()


@pytest.mark.usefixtures("one_model")
def test_the_shipped_token_weights_work_and_their_cards_say_how_they_were_made():
    source = "The mill by the river was sold in March. Its new owner wants to grind flour there again."
    rows = [Row("The mill was sold in March.", source=source), Row("Its owner grinds flour.", source=source)]
    folder, model = loading.pocket_folder() / "weighters", loading.load("pocket")
    shipped = sorted(path.stem for path in folder.glob("*.safetensors"))
    assert shipped == ["coherence", "consistency", "fluency", "relevance"]
    metrics = [MaskEval(weights=name, scoring="log_probability", stride=8) for name in ["uniform", *shipped]]
    engine = Engine(model)
    known = [metric.prepare(Setup(Corpus(tuple(rows)), engine)) for metric in metrics]
    read = [[metric.read_row(row, one) for row in rows] for metric, one in zip(metrics, known, strict=True)]
    every = [reading for readings in read for reading in readings]
    features = engine.features([request for one in every for request in one.requests])
    further = {request for one in every for request in one.followup(features)}
    # All words are kept, so what uniform weights ask for answers every weighter.
    assert all(request in features for request in further)
    scored = [[one.score(features) for one in readings] for readings in read]
    columns = [[one.value.parts[0] for one in of_metric] for of_metric in scored]
    assert np.isfinite(columns).all() and len({tuple(np.round(column, 6)) for column in columns}) == len(metrics)
    for name, (first, _) in zip(shipped, scored[1:], strict=True):
        record = first.evidence().record()
        assert sum(w["weight"] for text in record["texts"] for w in text["words"]) == pytest.approx(1)
        card = json.loads((folder / f"{name}.json").read_text())
        assert (card["aspect"], card["trained_on"]["items"]) == (name, 44)
        assert card["candidate_share"] == pytest.approx(record["items"][0]["share"], abs=1e-4)
        assert card["states"] == states_digest(model)

"""MaskEval on models that answer by rule: which words are asked for, and what becomes of the answers."""

import json

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import MaskedWordsRequest
from nlgauge.engine.weighter import Weighter, states_digest, write_weighter
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.maths.masked_words import word_weights
from nlgauge.metrics.maskeval import MaskEval
from tests.engine.fake import WORDS, FakeModel, PairsModel


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


def scored(metric, *pairs, model=None, evidence=False):
    """Values of (candidate, source) rows, and what evidence there is."""
    corpus = Corpus(tuple(Row(a, source=b, item=str(i)) for i, (a, b) in enumerate(pairs)))
    engine = Engine(model or Copies(40))
    scorer = metric.scorer(corpus, engine)
    out = {}
    for indices, features in engine.stream([scorer.needs(row) for row in corpus]):
        for index, value in zip(indices, scorer.score([corpus[i] for i in indices], features), strict=True):
            out[index] = (value, scorer.evidence(corpus[index], features)) if evidence else value
    return [out[i] for i in range(len(corpus))]


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


def test_log_probability_is_the_mean_logarithm():
    (value,) = scored(MaskEval(scoring="log_probability", weights="candidate"), ("w1", "w1 w5"))
    assert value.parts[0] == pytest.approx(np.log(0.75), rel=1e-5)


@pytest.fixture
def heavy(tmp_path):
    """Weights that grow with the number of the word: each is e times that of the one before."""
    weight = np.eye(8, dtype=np.float32)[0]
    write_weighter(tmp_path / "weighter.safetensors", Weighter(weight, 0.6, states_digest(Copies()), "size"))
    return str(tmp_path)


def test_learned_weights_weigh_the_words(heavy):
    (value,) = scored(MaskEval(weights=heavy), PAIR)
    own = word_weights(np.array([1.0, 2, 3, 4]), np.arange(4))
    other = word_weights(np.array([1.0, 9, 3, 8, 7]), np.arange(5))
    assert value.parts[0] == pytest.approx(0.6 * (own[0] + own[2]) + 0.4 * (other[0] + other[2]), rel=1e-5)


@pytest.mark.parametrize("per_text", [False, True])
def test_only_kept_words_are_masked(heavy, per_text):
    model = Copies(40)
    metric = MaskEval(weights=heavy, keep=0.7, per_text=per_text)
    ((value, evidence),) = scored(metric, PAIR, model=model, evidence=True)
    own = word_weights(np.array([1.0, 2, 3, 4]), np.arange(4))
    other = word_weights(np.array([1.0, 9, 3, 8, 7]), np.arange(5))
    words = {text["name"]: [word["text"] for word in text["words"]] for text in evidence["texts"]}
    if per_text:  # of the source .665 and .245
        assert words == {"candidate": ["w3", "w4"], "source": ["w9", "w8"]}
        expected = 0.6 * own[2] / (own[2] + own[3])
    else:  # .6 * .644 + .4 * .663 = .651; then .6 * .237 = .142
        assert words == {"candidate": ["w3", "w4"], "source": ["w9"]}
        expected = 0.6 * own[2] / (0.6 * (own[2] + own[3]) + 0.4 * other[1])
    assert value.parts[0] == pytest.approx(expected, rel=1e-5)


def test_kept_words_save_passes(heavy):
    texts = " ".join(f"w{i}" for i in range(30)), " ".join(f"w{i}" for i in range(9, 39))
    corpus = Corpus((Row(texts[0], source=texts[1]),))
    passes = []
    for keep in (1.0, 0.7):
        engine = Engine(Copies(40))
        scorer = MaskEval(weights=heavy, keep=keep).scorer(corpus, engine)
        list(engine.stream([scorer.needs(corpus[0])]))
        passes.append(engine.ledger.passes)
    assert passes[1] < passes[0] / 4


def test_evidence_names_hits_misses_predictions_and_weights():
    ((value, evidence),) = scored(MaskEval(), PAIR, evidence=True)
    candidate, source = evidence["texts"]
    assert (candidate["name"], candidate["against"]) == ("candidate", "source")
    assert [(w["text"], w["predicted"], w["alignment"]) for w in candidate["words"]] == [
        ("w1", "w1", 1), ("w2", "w9", 0), ("w3", "w3", 1), ("w4", "w8", 0),
    ]  # fmt: skip
    words = [*candidate["words"], *source["words"]]
    assert sum(w["weight"] for w in words) == pytest.approx(1) and evidence["candidate_share"] == 0.5
    assert sum(w["weight"] * w["alignment"] for w in words) == pytest.approx(value.parts[0])
    assert all(candidate["text"][w["begin"] : w["end"]] == w["text"] for w in candidate["words"])


def test_rows_without_something_to_compare_say_why():
    found = scored(MaskEval(), ("", "w1"), ("w1", ""), ("w1", None), PAIR)
    assert [value.reason for value in found] == [
        "the candidate has no words",
        "the source has no words",
        "no source",
        None,
    ]
    assert [np.isnan(value.parts[0]) for value in found] == [True, True, True, False]


def test_a_text_longer_than_the_window_is_noted():
    long = " ".join(WORDS[5 + i % 40] for i in range(60))
    (value,) = scored(MaskEval(), ("w1 w2", long))
    assert value.notes == ("source longer than the window: only its beginning is seen",)


def test_rows_that_share_a_source_have_it_read_once():
    model = Copies(40)
    scored(MaskEval(weights="candidate"), *((f"w{i} w2", PAIR[1]) for i in range(6)), model=model)
    assert model.others_seen == [7]


def test_the_signature_names_what_answers_and_who_weighs(heavy):
    corpus = Corpus((Row("w1", source="w2"),))
    assert MaskEval().scorer(corpus, Engine(FakeModel())).signature == {"words": "masks"}
    facts = MaskEval(weights=heavy).scorer(corpus, Engine(Copies())).signature
    assert facts["words"] == "pairs@cdcdcdcd" and len(facts["weighter"]) == 8


def test_the_signature_names_the_rules_of_words_and_their_version():
    spacy = pytest.importorskip("spacy", reason="needs nlgauge[maskeval]")
    corpus = Corpus((Row("w1", source="w2"),))
    facts = MaskEval(segmentation="spacy-de").scorer(corpus, Engine(FakeModel())).signature
    assert facts == {"words": "masks", "segmentation": f"spacy-{spacy.__version__}"}


def test_what_cannot_be_asked_for():
    for spec, say in (
        ("MaskEval(keep=0)", "keep=0 is not a number above 0"),
        ("MaskEval(keep=1.5, weights='x')", "keep=1.5"),
        ("MaskEval(keep=0.5)", "has no heaviest words"),
        ("MaskEval(weights='x', per_text=True)", "per_text is about keep"),
        ("MaskEval(weights='')", "weights=''"),
        ("MaskEval(stride=0)", "stride=0"),
        ("MaskEval(scoring='luck')", "scoring='luck'"),
        ("MaskEval(segmentation=3)", "segmentation=3"),
    ):
        with pytest.raises(SpecError) as error:
            registry.metric(spec)
        assert say in str(error.value)
    corpus = Corpus((Row("w1", source="w2"),))
    with pytest.raises(SpecError, match="no weights 'mood'"):
        MaskEval(weights="mood").scorer(corpus, Engine(FakeModel()))
    with pytest.raises(SpecError, match="is not 'plain', 'spacy'"):
        MaskEval(segmentation="nltk").scorer(corpus, Engine(FakeModel()))


def test_requests_carry_the_parameters():
    corpus = Corpus((Row("w1 w2", source="w3"),))
    metric = MaskEval(decoding="single", stride=4)
    needs = metric.scorer(corpus, Engine(FakeModel())).needs(corpus[0])
    assert needs == [
        ("w1 w2", MaskedWordsRequest("w3", True, "plain", "single", 4, (0, 1))),
        ("w3", MaskedWordsRequest("w1 w2", False, "plain", "single", 4, (0,))),
    ]


def test_spacy_is_asked_for_by_name(monkeypatch):
    import sys

    from nlgauge.engine.segmentation import segmenter

    monkeypatch.setitem(sys.modules, "spacy", None)
    segmenter.cache_clear()
    with pytest.raises(MissingExtraError, match=r"nlgauge\[maskeval\]"):
        MaskEval(segmentation="spacy").scorer(Corpus((Row("w1", source="w2"),)), Engine(FakeModel()))
    segmenter.cache_clear()


@pytest.mark.usefixtures("one_model")
def test_the_shipped_weighters_weigh_and_their_cards_say_how_they_were_made():
    source = "The mill by the river was sold in March. Its new owner wants to grind flour there again."
    rows = [Row("The mill was sold in March.", source=source), Row("Its owner grinds flour.", source=source)]
    shipped = sorted(path.stem for path in (registry.pocket_folder() / "weighters").glob("*.safetensors"))
    assert shipped == ["coherence", "consistency", "fluency", "relevance"]
    specs = [f"MaskEval(weights={name!r}, scoring='log_probability', stride=8)" for name in ["uniform", *shipped]]
    table = nlgauge.evaluate(Corpus(tuple(rows)), metrics=specs, evidence=True)
    found = np.array([table.values(spec) for spec in specs])
    assert np.isfinite(found).all() and len({tuple(row) for row in found.round(6).tolist()}) == len(specs)
    for name, spec in zip(shipped, specs[1:], strict=True):
        evidence = table.columns[spec].evidence[0]
        assert sum(w["weight"] for text in evidence["texts"] for w in text["words"]) == pytest.approx(1)
        card = json.loads((registry.pocket_folder() / "weighters" / f"{name}.json").read_text())
        assert (card["aspect"], card["trained_on"]["items"]) == (name, 44)
        assert card["candidate_share"] == pytest.approx(evidence["candidate_share"], abs=1e-4)
        assert card["states"] == states_digest(registry.model("pocket"))

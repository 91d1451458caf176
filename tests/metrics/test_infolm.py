import math
from types import SimpleNamespace

import numpy as np
import pytest

from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import Bag, BagRequest, TokenWeights
from nlgauge.engine.folder import DocumentFrequencies
from nlgauge.engine.tokens import Tokens
from nlgauge.errors import SpecError
from nlgauge.maths.divergences import MEASURES, Measure
from nlgauge.maths.weighting import document_frequencies, inverse_document_frequencies
from nlgauge.metrics.infolm import PRESETS, InfoLM
from tests.engine.fake import WORDS, FakeModel

P, Q = np.log([0.40, 0.30, 0.15, 0.10, 0.05]), np.log([0.25, 0.25, 0.25, 0.15, 0.10])
PARAMETERS = {
    "alpha": {"alpha": 0.25},
    "gamma": {"beta": 0.25},
    "ab": {"alpha": 0.5, "beta": 0.25},
    "renyi": {"alpha": 0.25},
}

DOCUMENTS = [[101, 7, 8, 9, 102], [101, 7, 7, 10, 102], [101, 8, 11, 102]]
MASKED_LOGITS = np.array(
    [[2.0, 0.5, -1.0, 0.0, 1.0], [0.0, 3.0, 0.2, -0.5, 0.1], [1.0, 1.0, 1.0, 0.0, -2.0]], np.float32
)


def scored(metric: InfoLM, candidates, references, model=None):
    """Values, reasons and notes of rows scored on a small deterministic model."""
    corpus = Corpus.from_texts(candidates, references)
    engine = Engine(model or FakeModel())
    scorer = metric.scorer(corpus, engine)
    found = {}
    for indices, features in engine.stream([scorer.needs(row) for row in corpus]):
        found.update(zip(indices, scorer.score([corpus[i] for i in indices], features), strict=True))
    return [found[i] for i in range(len(corpus))]


def pair_value(metric: InfoLM, reference=P, candidate=Q) -> float:
    scorer = metric.scorer(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel()))
    return scorer.compare([(Bag(candidate, False), Bag(reference, False))])[0][0]


@pytest.mark.parametrize(
    ("temperature", "idf", "expected"),
    [
        (1.0, False, [0.2990842875, 0.4181573873, 0.1238269208, 0.0696965555, 0.0892348490]),
        (1.0, True, [0.2970107969, 0.3780235449, 0.1777724390, 0.0818249128, 0.0653683063]),
        (0.25, True, [0.4031306517, 0.4083671672, 0.1810407277, 0.0033904873, 0.0040709661]),
    ],
)
def test_the_bag_is_the_golden_weighted_mean(temperature, idf, expected):
    """Logits and weights of the reference specification, through the engine's own accumulation."""
    table = inverse_document_frequencies(*document_frequencies([np.array(ids) for ids in DOCUMENTS], 103))
    tokens = Tokens(np.array([7, 8, 9], np.int32), np.zeros((3, 2), np.int32))
    tokenizer = SimpleNamespace(
        encode=lambda texts: [tokens] * len(texts), prefix=[0], suffix=[0], frame=2, mask_id=4, pad_id=0, vocabulary=103
    )

    def masked_logits(ids, attend, at):
        return MASKED_LOGITS[at % ids.shape[1] - 1]

    model = SimpleNamespace(tokenizer=tokenizer, window=16, masked_logits=masked_logits, name="golden")
    weights = TokenWeights("golden", table) if idf else None
    (bag,) = Engine(model).features([("text", BagRequest(temperature, weights))])
    np.testing.assert_allclose(np.exp(bag.log_probabilities), expected, atol=2e-7)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_pair_is_the_measure_reference_first(measure):
    parameters = PARAMETERS.get(measure, {})
    forward = pair_value(InfoLM(measure=measure, idf="none", direction="forward", **parameters))
    reverse = pair_value(InfoLM(measure=measure, idf="none", direction="reverse", **parameters))
    mean = pair_value(InfoLM(measure=measure, idf="none", **parameters))
    assert forward == pytest.approx(Measure(measure, **parameters)(P, Q), abs=1e-12)
    assert reverse == pytest.approx(Measure(measure, **parameters)(Q, P), abs=1e-12)
    assert mean == pytest.approx((forward + reverse) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "m", "r_m", "sim_m"),
    [
        # keys m, r_m and sim_m of the authors' code for reference p and candidate q
        ("kl", -0.0947595937, -0.0908702053, -0.0928148995),
        ("alpha", -0.0914657447, -0.0934009402, -0.0924333438),
        ("gamma", 0.0908491524, 0.0867096880, 0.0887794202),
        ("ab", 0.0970397623, 0.0965612751, 0.0968005187),
        ("renyi", 0.0230647856, 0.0235571165, 0.0233109511),
        ("fisher_rao", 0.4304967179, 0.4304967179, 0.4304967179),
        ("l1", 0.4, 0.4, 0.4),
    ],
)
def test_the_published_preset_gives_the_published_codes_numbers(measure, m, r_m, sim_m):
    for direction, expected in (("forward", m), ("reverse", r_m), ("jeffreys", sim_m)):
        metric = InfoLM(measure=measure, direction=direction, preset="published-code", **PARAMETERS.get(measure, {}))
        assert metric.temperature == 0.25 and metric.idf == "separate"
        assert pair_value(metric) == pytest.approx(expected, abs=1e-8)
    assert metric.larger_is_better == (measure in ("kl", "alpha"))


def test_presets_fill_what_is_not_given_and_vanish_from_the_spec():
    metric = InfoLM(measure="ab", preset="summarisation")
    assert metric == InfoLM(measure="ab", alpha=3, beta=0.25, temperature=1, idf="references")
    assert str(metric) == "InfoLM(measure='ab', alpha=3, beta=0.25, temperature=1, idf='references')"
    assert InfoLM(measure="ab", alpha=2, preset="data-to-text").alpha == 2
    assert InfoLM(preset="data-to-text", temperature=1.5).temperature == 1.5
    assert InfoLM(preset="published-code", undefined="nan", idf="general").undefined == "nan"
    assert InfoLM("ab", preset="data-to-text", temperature=None, idf="general").idf == "general"
    for name in PRESETS:
        for measure in ("alpha", "gamma", "ab") if name != "published-code" else ():
            InfoLM(measure=measure, preset=name)
    with pytest.raises(SpecError, match="preset='summarization' is not one of 'summarisation'"):
        InfoLM(preset="summarization")


@pytest.mark.parametrize(
    "wrong",
    [
        {"measure": "cosine"}, {"measure": "ab"}, {"measure": "ab", "alpha": 1}, {"measure": "l1", "alpha": 2},
        {"temperature": 0}, {"temperature": -1}, {"temperature": float("nan")}, {"stride": 0}, {"stride": True},
        {"stride": 1.5}, {"idf": "reference"}, {"direction": "both"}, {"references": "worst"}, {"undefined": "skip"},
        {"measure": "renyi", "alpha": 0},
    ],
)  # fmt: skip
def test_parameters_outside_their_domain_are_refused(wrong):
    with pytest.raises(SpecError, match="InfoLM: "):
        InfoLM(**wrong)


def test_limits_of_the_parameters_are_accepted():
    """alpha -> 1 is KL(reference || candidate), alpha -> 0 the other way, gamma -> 0 KL again."""
    kl = pair_value(InfoLM(measure="kl", idf="none", direction="forward"))
    assert pair_value(InfoLM(measure="alpha", alpha=1, idf="none", direction="forward")) == pytest.approx(kl, abs=1e-8)
    assert pair_value(InfoLM(measure="alpha", alpha=0, idf="none", direction="reverse")) == pytest.approx(kl, abs=1e-8)
    assert pair_value(InfoLM(measure="gamma", beta=0, idf="none", direction="forward")) == pytest.approx(kl, abs=1e-8)


@pytest.mark.parametrize("idf", ["none", "references", "candidates", "union"])
def test_a_text_is_at_distance_0_from_itself_with_one_shared_table(idf):
    candidates = ["w1 w2 w3", "w4 w5", "w6 w1 w9 w9"]
    for value in scored(InfoLM(idf=idf), candidates, candidates):
        assert value.parts == (0.0,)


def test_separate_tables_break_identity_as_the_published_code_does():
    candidates, references = ["w1 w2 w3", "w1 w4", "w6 w2"], ["w1 w2 w3", "w3 w5", "w3 w9 w2"]
    assert scored(InfoLM(idf="separate"), candidates, references)[0].parts[0] > 1e-6


def test_idf_counts_each_distinct_reference_once():
    candidates, references = ["w1 w2", "w3 w2", "w4 w5"], ["w1 w3", "w2 w4", "w1 w9 w9"]
    once = scored(InfoLM(idf="references"), candidates, references)
    more = scored(InfoLM(idf="references"), candidates * 3, references * 3)
    assert [v.parts for v in once] == [v.parts for v in more[:3]]


def test_references_best_is_the_smallest_distance_and_mean_the_mean():
    one, two = (scored(InfoLM(idf="none"), ["w1 w2 w3"], [[text]])[0].parts[0] for text in ("w1 w2 w4", "w7 w8"))
    both = [["w1 w2 w4", "w7 w8"]]
    assert scored(InfoLM(idf="none"), ["w1 w2 w3"], both)[0].parts[0] == min(one, two)
    assert scored(InfoLM(idf="none", references="mean"), ["w1 w2 w3"], both)[0].parts[0] == pytest.approx(
        (one + two) / 2
    )


def test_what_cannot_be_compared_is_nan_with_the_reason():
    values = scored(InfoLM(idf="none"), ["", "w1", "w1", "w1 w2"], ["w1", "", [], ["", "w3"]])
    reasons = ["the candidate has no words", "no reference has words", "no reference", None]
    assert [value.reason for value in values] == reasons
    assert [math.isnan(value.parts[0]) for value in values] == [True, True, True, False]
    assert values[3].notes == ("references without words left out",)
    assert values[3].parts == scored(InfoLM(idf="none"), ["w1 w2"], ["w3"])[0].parts


def test_undefined_zero_calls_an_empty_candidate_perfect_and_says_so():
    (value,) = scored(InfoLM(idf="none", undefined="zero"), [""], ["w1"])
    assert value.parts == (0.0,) and "published code" in value.notes[0]


def test_all_zero_idf_falls_back_to_equal_weights_with_a_note():
    (lone,) = scored(InfoLM(idf="references"), ["w1 w2"], ["w2 w1"])
    assert lone.notes == ("all idf weights of a text are 0: its tokens weighed alike",)
    assert lone.parts == scored(InfoLM(idf="none"), ["w1 w2"], ["w2 w1"])[0].parts


def test_general_idf_needs_a_table_and_uses_it():
    with pytest.raises(SpecError, match="no general idf table; choose idf='references'"):
        scored(InfoLM(), ["w1"], ["w2"])
    model = FakeModel()
    counts = np.arange(len(WORDS)) % 7
    model.document_frequencies = DocumentFrequencies(counts, 10)
    together = scored(InfoLM(), ["w1 w2", "w3"], ["w2 w5", "w4"], model)
    alone = scored(InfoLM(), ["w1 w2"], ["w2 w5"], model)
    assert together[0].parts == alone[0].parts != scored(InfoLM(idf="none"), ["w1 w2"], ["w2 w5"], model)[0].parts


def test_the_temperature_is_the_models_unless_given():
    model = FakeModel()
    model.temperature = 2.0
    own = scored(InfoLM(idf="none"), ["w1 w2"], ["w3"], model)[0].parts
    assert own == scored(InfoLM(idf="none", temperature=2), ["w1 w2"], ["w3"])[0].parts
    assert own != scored(InfoLM(idf="none"), ["w1 w2"], ["w3"])[0].parts


@pytest.mark.parametrize("measure", MEASURES)
def test_evidence_names_what_drives_the_distance(measure):
    corpus = Corpus.from_texts(["w1 w2 w3"], [["w7 w8", "w1 w2 w4"]])
    engine = Engine(FakeModel())
    scorer = InfoLM(measure=measure, idf="none", **PARAMETERS.get(measure, {})).scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    evidence = scorer.evidence(corpus[0], features)
    bags = [features[text, BagRequest(1.0)] for text in ("w7 w8", "w1 w2 w4")]
    own = features["w1 w2 w3", BagRequest(1.0)]
    distances = [value for (value,) in scorer.compare([(own, bag) for bag in bags])]
    assert evidence["reference"] == int(np.argmin(distances))
    shares = [item["share"] for item in evidence["items"]]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1 + 1e-9
    assert all(item["token"] in WORDS and item["reference"] != item["candidate"] for item in evidence["items"])


@pytest.mark.parametrize(("measure", "parameters"), [("gamma", {"beta": -1.5}), ("ab", {"alpha": -1.0, "beta": 0.5})])
def test_a_probability_of_zero_is_undefined_where_the_measure_needs_them_above(measure, parameters):
    metric = InfoLM(measure=measure, idf="none", **parameters)
    zero = np.array([0.0, -np.inf])
    half = np.log(np.array([0.5, 0.5]))
    assert np.isnan(pair_value(metric, zero, half)) and np.isnan(pair_value(metric, half, zero))
    assert pair_value(metric, half, half) == pytest.approx(0, abs=1e-12)

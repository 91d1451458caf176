from types import SimpleNamespace

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked import Bag, BagRequest, TokenWeights
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.card import DocumentFrequencies, ModelCard
from nlgauge.engine.tokens import Tokens
from nlgauge.maths.divergences import MEASURES, Measure
from nlgauge.metrics.infolm import InfoLM
from nlgauge.metrics.model_settings import document_frequencies, inverse_document_frequencies
from tests.engine.fake import WORDS, FakeModel
from tests.metrics.pieces import prepared, row, scored

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


def rows(candidates, references):
    return [row(*pair) for pair in zip(candidates, references, strict=True)]


def pair_value(metric: InfoLM, reference=P, candidate=Q) -> float:
    return metric.compare([(Bag(candidate, False), Bag(reference, False))], prepared(metric))[0][0]


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
    model = FakeModel()
    model.abilities[TOKENIZER] = SimpleNamespace(
        encode=lambda texts: [tokens] * len(texts),
        prefix=[0],
        suffix=[0],
        frame=2,
        mask_id=4,
        pad_id=0,
        unknown_id=None,
        vocabulary=103,
    )
    model.masked_logits = lambda ids, attend, at: MASKED_LOGITS[at % ids.shape[1] - 1]
    request = BagRequest("text", temperature, TokenWeights("golden", table) if idf else None)
    bag = Engine(model).features([request])[request]
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


def test_presets_have_the_numbers_of_the_papers_appendix():
    """Appendix B.5, by task: alpha of the alpha divergence, beta of gamma, and both of ab."""
    found = {}
    for name in InfoLM.presets:
        alpha, gamma, both = (InfoLM.preset(name, measure=measure) for measure in ("alpha", "gamma", "ab"))
        found[name] = (alpha.alpha, gamma.beta, (both.alpha, both.beta))
    assert found == {
        "summarisation": (3, 0.5, (3, 0.25)),
        "summarisation-extractive": (0.75, 0.5, (0.5, 0.25)),
        "data-to-text": (0.75, 3, (3, 0.25)),
    }


def test_general_idf_is_the_models_own_where_it_has_one():
    counts = np.arange(len(WORDS)) % 7
    model = FakeModel(card=ModelCard(document_frequencies=DocumentFrequencies(counts, 10)))
    together = scored(InfoLM(), rows(["w1 w2", "w3"], ["w2 w5", "w4"]), model)
    alone = [row("w1 w2", "w2 w5")]
    assert together[0].parts == scored(InfoLM(), alone, model)[0].parts
    assert together[0].parts != scored(InfoLM(idf="none"), alone, model)[0].parts
    assert str(prepared(InfoLM(), model=model).facts["idf"]).startswith("general@")
    assert str(prepared(InfoLM()).facts["idf"]).startswith("general-words@")


@pytest.mark.parametrize(("measure", "parameters"), [("gamma", {"beta": -1.5}), ("ab", {"alpha": -1.0, "beta": 0.5})])
def test_a_probability_of_zero_is_undefined_where_the_measure_needs_them_above(measure, parameters):
    metric = InfoLM(measure=measure, idf="none", **parameters)
    zero = np.array([0.0, -np.inf])
    half = np.log(np.array([0.5, 0.5]))
    assert np.isnan(pair_value(metric, zero, half)) and np.isnan(pair_value(metric, half, zero))
    assert pair_value(metric, half, half) == pytest.approx(0, abs=1e-12)

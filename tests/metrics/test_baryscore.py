from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge.maths.vectors import squared_distances
from nlgauge.metrics import baryscore
from nlgauge.metrics.baryscore import ITERATED, BaryScore
from nlgauge.metrics.parameters import parameters_of
from tests.engine.fake import FakeModel
from tests.maths.test_barycenters import CANDIDATE, REFERENCE
from tests.metrics.pieces import pieces, prepared, row, scored, shown


def feature(layers: list, first_id: int = 0) -> TokenVectors:
    size = len(layers[0])
    text = pieces(" ".join("abcdefgh"[:size]), layers, range(first_id, first_id + size))
    return replace(text, vectors=np.array(layers, np.float64))


def example(metric: BaryScore, weights=(0.1, 0.2, 0.3, 0.4, 0.5, 0.3, 0.2)):
    """The worked example, and what is prepared for it: a table that weighs tokens 0 ... 3 and 4 ... 6 as it does."""
    known = prepared(metric)
    if metric.idf != "none":
        side = known.sides[0]._replace(table=TokenWeights("t", np.array(weights)))
        known = replace(known, sides=(side, side))
    return (feature(CANDIDATE), feature(REFERENCE, 4)), known


def example_value(metric: BaryScore) -> float:
    pair, known = example(metric)
    return metric.compare([pair], known)[0][0]


@pytest.mark.parametrize(
    ("parameters", "expected", "within"),
    [
        ({}, 0.18749854642743252, 1e-9),
        ({"distance": "w2"}, 0.4330110234, 1e-9),
        ({"distance": "w1"}, 0.3629857621, 1e-9),
        ({"idf": "general"}, 0.3122516869, 1e-9),
        ({"distance": "sinkhorn", "regularisation": 10}, 0.7334642130, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 5}, 0.7065600334, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 1}, 0.4920625562, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.5}, 0.3006079370, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.1}, 0.1899903155, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.01}, 0.1875739033, 1e-7),
        ({"distance": "sinkhorn", "regularisation": 0.001}, 0.1874985464, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 1}, 0.0268397984, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 0.1}, 0.1400376590, 1e-7),
        ({"distance": "sinkhorn_divergence", "regularisation": 0.01}, 0.1832984843, 1e-7),
    ],
    ids=str,
)
def test_the_worked_example(parameters, expected, within):
    """Golden numbers 8.5 of the reference specification."""
    assert example_value(BaryScore(**{"idf": "none", **parameters})) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("distance", parameters_of(BaryScore)["distance"].choices)
@pytest.mark.parametrize("idf", ["none", "references"])
def test_a_text_is_nothing_away_from_itself(distance, idf):
    metric = BaryScore(distance=distance, idf=idf, layers=3, regularisation=0.1)
    (value,) = scored(metric, [row("w1 w2 w3 w1", "w1 w2 w3 w1", "w4 w5")])
    # The cost of an entropic plan is above 0 even between equal clouds: that is what its name says.
    assert value.parts[0] == pytest.approx(0, abs=1e-7) or (distance == "sinkhorn" and 0 < value.parts[0] < 0.1)


def test_layers_special_tokens_and_punctuation_are_what_was_asked_for():
    one = row("w1 w2", "w1 w3 w4")

    def value(**parameters):
        return scored(BaryScore(idf="none", **parameters), [one])[0].parts[0]

    metric = BaryScore(idf="none", layers=1, special_tokens=False)
    features = Engine(FakeModel()).features(metric.requests(one, prepared(metric)))
    clouds = []
    for request in metric.requests(one, prepared(metric)):
        vectors = features[request].vectors[0, 1:-1].astype(float)
        clouds.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    cost = squared_distances(*clouds)
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    sums = np.vstack([np.kron(np.eye(2), np.ones(3)), np.kron(np.ones(2), np.eye(3))])
    last = value(layers=1, special_tokens=False)
    assert last == pytest.approx(optimize.linprog(cost.ravel(), A_eq=sums, b_eq=[0.5] * 2 + [1 / 3] * 3).fun, abs=1e-6)
    assert value(layers=1) != last
    assert value(layers=(3,), special_tokens=False) == last
    assert prepared(BaryScore(layers=(1, 3), idf="none")).facts == {"layers": "1,3", "idf": "none"}
    assert prepared(BaryScore(layers=99)).facts["layers"] == "0,1,2,3"
    model = FakeModel(card=ModelCard(layers={"BaryScore": 2, "MoverScore": 1}))
    assert prepared(BaryScore(layers=2), model=model).layers == (1, 2)
    assert prepared(BaryScore(layers=(0, 3)), model=model).layers == (0, 3)


def test_tokens_that_all_weigh_nothing_weigh_alike_and_that_is_noted():
    metric = BaryScore()
    pair, known = example(metric, np.zeros(7))
    assert metric.compare([pair], known)[0][0] == pytest.approx(0.18749854642743252, abs=1e-9)
    assert metric.pair_note(*pair, known) == "all idf weights of a text are 0: its tokens have equal weights"


def test_a_barycenter_that_is_not_the_mean_is_noted():
    """Two tokens that change places between the layers, all but: each goes with the one that stands where it did."""
    metric = BaryScore(idf="none")
    turned = feature([[[1.0, 0], [0, 1.0]], [[0.1, 1.0], [1.0, 0]]])
    assert metric.pair_note(turned, feature(CANDIDATE), prepared(metric)) == ITERATED
    assert metric.pair_note(feature(CANDIDATE), feature(REFERENCE), prepared(metric)) is None


def test_a_text_of_punctuation_has_no_cloud_where_punctuation_does_not_count():
    metric = BaryScore(idf="none", punctuation=False, special_tokens=False)
    marks = pieces("? !", np.ones((2, 2, 4)))
    assert metric.unusable(marks) == "nothing but punctuation"
    assert metric.unusable(feature(CANDIDATE)) is None
    assert BaryScore().unusable(marks) is None


def test_each_cloud_is_made_once_for_scores_notes_and_evidence(monkeypatch):
    made = []
    original = baryscore.layer_barycenters
    monkeypatch.setattr(baryscore, "layer_barycenters", lambda *given: made.extend(given[0]) or original(*given))
    for idf, clouds in (("union", 3), ("separate", 4)):
        made.clear()
        scored(BaryScore(layers=2, idf=idf), [row("w1 w2", "w3 w4 w5", "w2"), row("w2", "w3 w4 w5")])
        assert len(made) == clouds, "'w2' is a candidate and a reference, which 'separate' weighs by two tables"


def test_clouds_go_when_their_features_go():
    metric, known = BaryScore(idf="none"), prepared(BaryScore(idf="none"))
    pair = feature(CANDIDATE), feature(REFERENCE)
    metric.compare([pair], known)
    assert len(known.sides[0].clouds) == 2
    del pair
    assert not known.sides[0].clouds


@pytest.mark.parametrize("distance", ["w2_squared", "w1"])
def test_evidence_is_the_plan(distance):
    metric, one = BaryScore(layers=2, idf="none", distance=distance), row("w1 w2 w3", "", "w9", "w1 w2 w4")
    evidence = shown(metric, one)
    assert evidence["reference"] == 2
    flows = evidence["flows"]
    assert sum(flow["share"] for flow in flows) == pytest.approx(1)
    cost = sum(flow["share"] * flow["distance"] for flow in flows)
    assert cost == pytest.approx(scored(metric, [one])[0].parts[0], abs=1e-9)
    assert {flow["candidate"].get("text") for flow in flows} == {None, "w1", "w2", "w3"}
    for flow in flows:
        for place, text in ((flow["candidate"], one.candidate), (flow["reference"], one.references[2])):
            assert place == {} or text[place["begin"] : place["end"]] == place["text"]
    assert shown(metric, row("w1")) == {}


def test_evidence_holds_moved_mass_only_and_says_how_much_it_leaves_out(monkeypatch):
    monkeypatch.setattr(baryscore, "_EVIDENCE_FLOWS", 2)
    evidence = shown(BaryScore(layers=2, idf="union"), row("w1 w2 w3", "w1 w2 w3"))
    assert all(flow["share"] > 0 and flow["candidate"] == flow["reference"] for flow in evidence["flows"])
    assert len(evidence["flows"]) == 2 and evidence["left_out"] == 3


def test_the_signature_names_the_tables():
    rows = [row("w1 w2 w3", "w1 w2 w3"), row("w4", "w3")]
    assert str(prepared(BaryScore(idf="union"), rows).facts["idf"]).startswith("union@")
    name, *digests = str(prepared(BaryScore(idf="separate"), rows).facts["idf"]).split("@")
    assert name == "separate" and len(set(digests)) == 2
    assert BaryScore(idf="separate").uses_corpus and not BaryScore().uses_corpus


def test_special_tokens_weigh_nothing_under_idf():
    rows = [row("w1 w2 w3 w1", "w1 w4 w3", "w4 w5"), row("w5 w6", "w5 w7")]

    def values(**parameters):
        return [value.parts[0] for value in scored(BaryScore(layers=2, **parameters), rows)]

    assert values(idf="references") == pytest.approx(values(idf="references", special_tokens=False), abs=1e-9)
    assert values(idf="none") != pytest.approx(values(idf="none", special_tokens=False), abs=1e-3)


@pytest.mark.parametrize(
    "parameters",
    [
        {"layers": 0}, {"layers": ()}, {"layers": (-1,)}, {"layers": True}, {"layers": (1.5,)}, {"layers": "5"},
        {"regularisation": 0}, {"regularisation": float("nan")}, {"regularisation": True},
    ],
)  # fmt: skip
def test_parameters_that_mean_nothing_are_refused(parameters):
    with pytest.raises(SpecError, match="BaryScore"):
        BaryScore(**parameters)


@pytest.mark.parametrize("parameters", [{"start": "last_layer"}, {"barycenter_weights": "uniform"}])
def test_what_reproduces_the_published_code_is_no_parameter(parameters):
    with pytest.raises(TypeError):
        BaryScore(**parameters)

from types import SimpleNamespace

import numpy as np
import pytest

from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import TokenVectors, TokenWeights
from nlgauge.errors import SpecError
from nlgauge.maths.vectors import squared_distances
from nlgauge.metrics.baryscore import BaryScore
from tests.engine.fake import FakeModel
from tests.maths.test_barycenters import CANDIDATE, REFERENCE


def feature(layers: list, first_id: int = 0) -> TokenVectors:
    vectors = np.array(layers, np.float64)
    size = vectors.shape[1]
    offsets = np.array([[2 * i, 2 * i + 1] for i in range(size)], np.int32)
    ids = np.arange(first_id, first_id + size, dtype=np.int32)
    return TokenVectors("abcdefgh"[:size].replace("", " ").strip(), vectors, ids, offsets, np.zeros(size, np.bool_))


def scorer_of(**parameters):
    """A scorer for the worked example; its idf table weighs the tokens 0 ... 3 and 4 ... 6 as the example does."""
    weights = TokenWeights("t", np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.3, 0.2]))
    metric = BaryScore(**{**parameters, "idf": "none"})
    scorer = metric.scorer(Corpus.from_texts(["a"]), SimpleNamespace(model=SimpleNamespace(layers=6, name="fake")))
    if parameters.get("idf", "none") != "none":
        scorer._tables = [weights]
    return scorer


def value(**parameters) -> float:
    return scorer_of(**parameters).compare([(feature(CANDIDATE), feature(REFERENCE, 4))])[0][0]


@pytest.mark.parametrize(
    ("parameters", "expected", "within"),
    [
        ({}, 0.18749854642743252, 1e-9),
        ({"distance": "w2"}, 0.4330110234, 1e-9),
        ({"distance": "w1"}, 0.3629857621, 1e-9),
        ({"idf": "general"}, 0.3122516869, 1e-9),
        ({"idf": "general", "barycenter_weights": "uniform"}, 0.2793846273, 1e-7),
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
    assert value(**parameters) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("distance", BaryScore.choices["distance"])
@pytest.mark.parametrize("idf", ["none", "references"])
def test_a_text_is_nothing_away_from_itself(distance, idf):
    corpus = Corpus.from_texts(["w1 w2 w3 w1"], [["w1 w2 w3 w1", "w4 w5"]])
    engine = Engine(FakeModel())
    scorer = BaryScore(distance=distance, idf=idf, layers=3, regularisation=0.1).scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    (found,) = scorer.score(list(corpus), features)
    # The cost of an entropic plan is above 0 even between equal clouds: that is what its name says.
    assert found.parts[0] == pytest.approx(0, abs=1e-7) or (distance == "sinkhorn" and 0 < found.parts[0] < 0.1)


def test_layers_special_tokens_and_punctuation_are_what_was_asked_for():
    corpus, engine = Corpus.from_texts(["w1 w2"], [["w1 w3 w4"]]), Engine(FakeModel())

    def score(**parameters):
        scorer = BaryScore(idf="none", **parameters).scorer(corpus, engine)
        ((_, features),) = engine.stream([scorer.needs(corpus[0])])
        return scorer.score(list(corpus), features)[0].parts[0], scorer, features

    last, scorer, features = score(layers=1, special_tokens=False)
    clouds = []
    for need in scorer.needs(corpus[0]):
        vectors = features[need].vectors[0, 1:-1].astype(float)
        clouds.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    cost = squared_distances(*clouds)
    from scipy.optimize import linprog

    rows = np.vstack([np.kron(np.eye(2), np.ones(3)), np.kron(np.ones(2), np.eye(3))])
    assert last == pytest.approx(linprog(cost.ravel(), A_eq=rows, b_eq=[0.5] * 2 + [1 / 3] * 3).fun, abs=1e-6)
    assert score(layers=1)[0] != last
    assert score(layers=(3,), special_tokens=False)[0] == last
    assert score(layers=(1, 3))[1].signature["layers"] == "1,3"
    assert score(layers=99)[1].signature["layers"] == "0,1,2,3"


def test_tokens_that_all_weigh_nothing_weigh_alike_and_that_is_noted():
    scorer = scorer_of(idf="general")
    scorer._tables = [TokenWeights("zero", np.zeros(7))]
    pair = feature(CANDIDATE), feature(REFERENCE, 4)
    assert scorer.compare([pair])[0][0] == pytest.approx(0.18749854642743252, abs=1e-9)
    assert "weighed alike" in str(scorer.pair_note(*pair))


def test_a_text_of_punctuation_has_no_cloud_where_punctuation_does_not_count():
    metric = BaryScore(idf="none", punctuation=False, special_tokens=False)
    scorer = metric.scorer(Corpus.from_texts(["a"]), SimpleNamespace(model=SimpleNamespace(layers=6, name="fake")))
    marks = TokenVectors("? !", np.ones((2, 2, 4)), np.arange(2), np.array([[0, 1], [2, 3]]), np.zeros(2, np.bool_))
    assert scorer.unusable(marks) == "nothing but punctuation"
    assert scorer.unusable(feature(CANDIDATE)) is None


def test_evidence_is_the_plan():
    corpus = Corpus.from_texts(["w1 w2 w3"], [["w9", "w1 w2 w4"]])
    engine = Engine(FakeModel())
    scorer = BaryScore(layers=2, idf="none").scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    evidence = scorer.evidence(corpus[0], features)
    assert evidence["reference"] == 1
    assert sum(flow["mass"] for flow in evidence["flows"]) == pytest.approx(1)
    cost = sum(flow["mass"] * flow["squared_distance"] for flow in evidence["flows"])
    assert cost == pytest.approx(scorer.score(list(corpus), features)[0].parts[0], abs=1e-9)
    assert {flow["candidate"]["token"] for flow in evidence["flows"]} == {None, "w1", "w2", "w3"}


@pytest.mark.parametrize(
    "parameters", [{"layers": 0}, {"layers": ()}, {"layers": (-1,)}, {"layers": True}, {"regularisation": 0}]
)
def test_parameters_that_mean_nothing_are_refused(parameters):
    with pytest.raises(SpecError, match="BaryScore"):
        BaryScore(**parameters)


def test_evidence_holds_moved_mass_only_and_the_signature_names_the_table():
    corpus, engine = Corpus.from_texts(["w1 w2 w3"], [["w1 w2 w3"]]), Engine(FakeModel())
    scorer = BaryScore(layers=2, idf="union").scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    flows = scorer.evidence(corpus[0], features)["flows"]
    assert all(flow["mass"] > 0 and flow["candidate"] == flow["reference"] for flow in flows)
    assert str(scorer.signature["idf"]).startswith("union@")


def test_special_tokens_weigh_nothing_under_idf():
    corpus = Corpus.from_texts(["w1 w2 w3 w1", "w5 w6"], [["w1 w4 w3", "w4 w5"], ["w5 w7"]])
    engine = Engine(FakeModel())

    def values(**parameters):
        scorer = BaryScore(layers=2, **parameters).scorer(corpus, engine)
        ((_, features),) = engine.stream([[need for row in corpus for need in scorer.needs(row)]])
        return [found.parts[0] for found in scorer.score(list(corpus), features)]

    assert values(idf="references") == pytest.approx(values(idf="references", special_tokens=False), abs=1e-9)
    assert values(idf="none") != pytest.approx(values(idf="none", special_tokens=False), abs=1e-3)

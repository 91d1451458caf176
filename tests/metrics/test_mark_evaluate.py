import json

import numpy as np
import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Setup
from nlgauge.metrics.mark_evaluate import MarkEvaluate, sweep
from nlgauge.metrics.sets import SetText
from tests.engine.fake import FakeModel

REFERENCE = np.array([[0, 0], [1, 0], [0.2, 1.15], [2, 2], [3.1, 2.2], [2.3, 3.3], [-4, -3], [-4.6, -3.7]])
EVALUATED = np.array([[0.1, 0.3], [0.9, 0.4], [2.25, 2.4], [6, 6], [6.5, 5.2]])
STEP = np.array([0.7548776662466927, 0.5698402909980532])
MANY_REFERENCES = np.arange(1, 41)[:, None] * STEP % 1
MANY_EVALUATED = np.arange(41, 76)[:, None] * STEP % 1 * 0.5 + [0.75, 0.25]


def parts(evaluated, reference, **parameters):
    value = MarkEvaluate(**parameters).compare(evaluated, reference)
    assert value.reason is None
    return dict(zip(MarkEvaluate.parts, value.parts, strict=True))


@pytest.mark.parametrize(
    ("sets", "k", "counts", "single", "quality", "diversity", "largest"),
    [
        # counts a, b, B1, B2; then P^ of Petersen, Schnabel both ways, and CAPTURE
        ("small", 1, (3, 6, 9, 6), 13.44444444, 14.85714286, 14.13043478, 13),
        ("small", 2, (3, 6, 9, 17), 13.44444444, 13.86666667, 13.83870968, 13),
        ("small", 3, (3, 8, 13, 29), 13, 13.55319149, 13, 13),
        ("many", 1, (17, 5, 31, 10), 103.6363636, 96.77419355, 109.5394737, 82),
        ("many", 2, (17, 7, 36, 14), 99.75, 88.36633663, 95.12195122, 76),
        ("many", 3, (22, 8, 51, 17), 88.86666667, 81.77083333, 88.40782123, 75),
        ("many", 5, (30, 9, 112, 31), 78.97435897, 76.58898305, 82.24299065, 75),
    ],
)
def test_the_golden_counts_and_scores(sets, k, counts, single, quality, diversity, largest):
    small = sets == "small"
    reference, evaluated = (REFERENCE, EVALUATED) if small else (MANY_REFERENCES, MANY_EVALUATED)
    (found,) = sweep(evaluated, reference, (k,))
    assert found.counts == (*counts, len(reference), len(evaluated), k)
    for estimate, expected in zip(found[2:], (single, quality, diversity, largest), strict=True):
        assert estimate.population == pytest.approx(expected, abs=1e-7)
        P = len(reference) + len(evaluated)
        assert estimate.score == pytest.approx(1 - (estimate.population - P) / P, abs=1e-12)
    (turned,) = sweep(reference, evaluated, (k,))
    assert turned.counts == found.counts.swapped
    assert turned.schnabel == found.diversity and turned.diversity == found.schnabel
    assert turned.petersen.score == pytest.approx(found.petersen.score, abs=1e-12)
    assert turned.capture == found.capture


def test_a_sweep_is_every_k_alone():
    ks = (1, 2, 3, 5, 8, 60)
    assert sweep(MANY_EVALUATED, MANY_REFERENCES, ks) == [
        one for k in ks for one in sweep(MANY_EVALUATED, MANY_REFERENCES, (k,))
    ]


def test_the_parts_of_each_estimator():
    for estimator, score, floor in (("petersen", 0.67, 0), ("schnabel", 83 / 101, 0.5), ("capture", 74 / 75, 71 / 75)):
        found = parts(MANY_EVALUATED, MANY_REFERENCES, estimator=estimator, k=2)
        assert found["score"] == pytest.approx(score, abs=1e-12)
        assert found["floor"] == pytest.approx(floor, abs=1e-12)
        assert found["quality"] == pytest.approx(83 / 101) and found["diversity"] == pytest.approx(90 / 123)
        assert (found["precision"], found["recall"]) == pytest.approx((17 / 35, 7 / 40))
        assert [found[name] for name in ("a", "b", "B1", "B2", "n", "m")] == [17, 7, 36, 14, 40, 35]


@pytest.mark.parametrize("points", [REFERENCE, np.concatenate([REFERENCE[:3]] * 2), REFERENCE[:1]])
@pytest.mark.parametrize("estimator", ["petersen", "schnabel", "capture"])
def test_equal_small_sets_are_at_one(points, estimator):
    found = parts(points, points[::-1], estimator=estimator)
    assert found["score"] == found["precision"] == found["recall"] == 1


def test_large_equal_sets_are_not_at_one_by_capture():
    points = np.random.default_rng(3).normal(size=(200, 4))
    assert parts(points, points, estimator="capture")["score"] == pytest.approx(0.9825, abs=0.004)
    assert parts(points, points, estimator="capture", k=5)["score"] == 1


def test_order_does_not_matter():
    generator = np.random.default_rng(0)
    turned = parts(generator.permutation(MANY_EVALUATED), generator.permutation(MANY_REFERENCES), estimator="schnabel")
    assert turned == parts(MANY_EVALUATED, MANY_REFERENCES, estimator="schnabel")


def test_a_k_beyond_a_set_is_noted():
    value = MarkEvaluate(k=5).compare(EVALUATED, REFERENCE)
    assert value.notes == ("k=5 is more than the number of other points in a set: that number was used",)
    assert MarkEvaluate(k=4).compare(EVALUATED, REFERENCE).notes == ()
    found, same = parts(EVALUATED, REFERENCE, k=9), parts(EVALUATED, REFERENCE, k=7)
    assert found == same
    alone = parts(EVALUATED[:1], REFERENCE)
    assert (alone["a"], alone["b"]) == (1, 0)  # a lone output has no ball to speak of, but lies in one


def test_points_of_texts():
    engine = Engine(FakeModel())
    setup = Setup(Corpus.from_texts(["w1 w2 w3"], ["w2"]), engine)
    sentence, token = MarkEvaluate(normalize=False), MarkEvaluate(unit="token", layers=2)
    request = sentence.request("w1 w2 , w3", sentence.prepare(setup))
    tokens = VectorsRequest("w1 w2 , w3", (3,))
    features = engine.features([request, tokens])
    np.testing.assert_allclose(sentence.points(features[request]), features[tokens].vectors[0].mean(0)[None], rtol=1e-6)
    prepared = token.prepare(setup)
    assert prepared.layers == (2, 3) and prepared.facts == {"layers": "2-3"}
    request, marks = token.request("w1 w2 , w3", prepared), token.request(", !", prepared)
    features = engine.features([request, marks])
    expected = features[request].vectors[:, [1, 2, 4]].reshape(6, 8)
    np.testing.assert_allclose(
        token.points(features[request]), expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5
    )
    assert token.points(features[marks]).shape == (0, 8)


def test_evidence_lists_what_is_missed_and_what_is_caught():
    def texts(points, name):
        return [SetText(str(i), f"{name} {i}", point[None]) for i, point in enumerate(points)]

    shown = MarkEvaluate().evidence(texts(EVALUATED, "out"), texts(REFERENCE, "ref"))
    record = shown.record()
    assert json.loads(json.dumps(record)) == record
    outputs = [one for one in record["items"] if one["side"] == "output"]
    assert [one["name"] for one in outputs] == ["out 3", "out 4", "out 0", "out 1", "out 2"]
    assert [one["covered"] for one in outputs] == [0, 0, 1, 1, 1]
    assert outputs[2] == {
        "name": "out 0", "side": "output", "item": "0", "covered": 1, "nearest": "ref 0", "nearest_item": "0",
        "distance": pytest.approx(np.hypot(0.1, 0.3)),
    }  # fmt: skip
    references = [one["covered"] for one in record["items"] if one["side"] == "reference"]
    assert references == [0] * 2 + [1] * 6 and shown.left_out == 0
    half, *_ = MarkEvaluate().evidence([SetText("1", "both", EVALUATED[2:4])], texts(REFERENCE, "ref")).items
    assert half.name == "both" and half.facts["covered"] == 0.5 and half.facts["nearest"] == "ref 5"
    many = MarkEvaluate().evidence(texts(MANY_EVALUATED, "out"), texts(MANY_REFERENCES + 9, "ref"))
    assert [one.facts["side"] for one in many.items] == ["output"] * 20 + ["reference"] * 20
    assert many.left_out == 15 + 20


def test_counts_are_details():
    judged = [part for part in MarkEvaluate.parts if part not in MarkEvaluate.details]
    assert judged == ["score", "quality", "diversity", "precision", "recall"]


def test_parameters_outside_their_domain():
    for bad in ({"k": 0}, {"k": True}, {"layers": 1.5}, {"estimator": "lincoln"}, {"unit": "word"}, {"normalize": 2}):
        with pytest.raises(SpecError, match="MarkEvaluate: "):
            MarkEvaluate(**bad)
    with pytest.raises(SpecError, match="MarkEvaluate: layers=5 are asked for, the model has 3"):
        MarkEvaluate(unit="token").prepare(Setup(Corpus.from_texts(["w1"], ["w2"]), Engine(FakeModel())))

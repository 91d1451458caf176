import numpy as np
import pytest

import nlgauge
from nlgauge.metrics.mark_evaluate import MarkEvaluate, sweep

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


def test_the_parts_of_each_estimator():
    for estimator, score, floor in (("petersen", 0.67, 0), ("schnabel", 83 / 101, 0.5), ("capture", 74 / 75, 71 / 75)):
        found = parts(MANY_EVALUATED, MANY_REFERENCES, estimator=estimator, k=2)
        assert found["score"] == pytest.approx(score, abs=1e-12)
        assert found["floor"] == pytest.approx(floor, abs=1e-12)
        assert found["quality"] == pytest.approx(83 / 101) and found["diversity"] == pytest.approx(90 / 123)
        assert (found["precision"], found["recall"]) == pytest.approx((17 / 35, 7 / 40))
        assert [found[name] for name in ("a", "b", "B1", "B2", "n", "m")] == [17, 7, 36, 14, 40, 35]


@pytest.mark.usefixtures("one_model")
def test_a_run_that_is_broken_off_has_cached_the_systems_that_were_done(tmp_path, monkeypatch):
    rows = nlgauge.Corpus(
        tuple(
            nlgauge.Row(f"{system} {i} cats sat.", (f"{i} cats sat.",), system=system, item=str(i))
            for i in range(4)
            for system in "ab"
        )
    )
    compare, compared = MarkEvaluate.compare, []

    def once(self, *sides):
        if compared:
            raise KeyboardInterrupt
        compared.append(sides)
        return compare(self, *sides)

    monkeypatch.setattr(MarkEvaluate, "compare", once)
    with pytest.raises(KeyboardInterrupt):
        nlgauge.evaluate(rows, metrics="MarkEvaluate", cache=tmp_path)
    compared.clear()
    again = nlgauge.evaluate(rows, metrics="MarkEvaluate", cache=tmp_path)
    assert len(compared) == 1
    monkeypatch.setattr(MarkEvaluate, "compare", compare)
    whole = nlgauge.evaluate(rows, metrics="MarkEvaluate", cache=False)
    assert np.array_equal(again.column("MarkEvaluate").values, whole.column("MarkEvaluate").values)

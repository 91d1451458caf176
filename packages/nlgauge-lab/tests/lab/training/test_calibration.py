"""Temperatures and reliability, on labels drawn by known probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge_lab.training.calibration import (
    calibration_error,
    likelihood_loss,
    reliability,
    reliability_lines,
    temperature,
    word_threshold,
)


def drawn(rows: int = 20000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """True log-odds, and labels that they are true of."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0.5, 2, rows)
    return logits, (rng.random(rows) < 1 / (1 + np.exp(-logits))).astype(np.int64)


@pytest.mark.parametrize("factor", [0.3, 1.0, 2.5])
def test_the_temperature_undoes_what_log_odds_were_multiplied_by(factor: float) -> None:
    logits, truth = drawn()
    found = temperature(logits * factor, truth)
    assert found == pytest.approx(factor, rel=0.05)
    losses = [likelihood_loss(logits * factor / t, truth) for t in (found, found * 0.98, found * 1.02)]
    assert losses[0] == min(losses)


def test_a_temperature_has_bounds_and_is_one_where_nothing_can_be_learnt() -> None:
    apart = np.array([-1.0, -2.0, 1.0, 3.0])
    assert temperature(apart, np.array([0, 0, 1, 1])) == pytest.approx(0.05, rel=1e-3)
    assert temperature(apart, np.array([1, 1, 0, 0])) == pytest.approx(20, rel=1e-3)
    assert temperature(apart, np.ones(4, np.int64)) == temperature(apart, np.zeros(4, np.int64)) == 1.0
    assert temperature(np.empty(0), np.empty(0, np.int64)) == 1.0


def test_reliability_is_counted_by_tenths() -> None:
    logits = np.log(np.array([0.05, 0.05, 0.31, 0.39, 0.999]) / np.array([0.95, 0.95, 0.69, 0.61, 0.001]))
    table = reliability(logits, np.array([0, 1, 0, 0, 1]))
    assert [(one.low, one.high, one.rows, one.true) for one in table] == [
        (0.0, 0.1, 2, 0.5), (0.3, 0.4, 2, 0.0), (0.9, 1.0, 1, 1.0),
    ]  # fmt: skip
    assert [one.predicted for one in table] == pytest.approx([0.05, 0.35, 0.999])
    assert calibration_error(table) == pytest.approx((2 * 0.45 + 2 * 0.35 + 0.001) / 5)
    assert reliability(np.array([1000.0, -1000.0]), np.array([1, 0]))[1][:3] == (0.9, 1.0, 1)
    assert np.isnan(calibration_error([]))


def test_the_card_says_what_calibration_did() -> None:
    logits, truth = drawn(4000)
    lines = reliability_lines(logits * 2, truth, temperature(logits * 2, truth))
    assert "divided by 1.9" in lines[0] and "4000 held-out rows" in lines[0]
    assert len(lines) == 4 + 10
    plain = reliability_lines(logits, truth, 1.0)[4:]
    means, shares = np.array([[float(cell) for cell in line.split("|")[3:5]] for line in plain]).T
    np.testing.assert_allclose(means, shares, atol=0.1)


def test_a_threshold_is_the_best_in_the_mean_of_the_sets() -> None:
    rng = np.random.default_rng(2)
    truth = np.repeat([1, 0], 500)
    low = np.where(truth, rng.uniform(0.3, 1, 1000), rng.uniform(0, 0.3, 1000))
    high = np.where(truth, rng.uniform(0.9, 1, 1000), rng.uniform(0, 0.9, 1000))
    assert 0.29 <= word_threshold([(low, truth)]) <= 0.31
    assert 0.88 <= word_threshold([(high, truth)]) <= 0.91
    # Ten times as many words of one set: it counts no more for that.
    both, more = word_threshold([(low, truth), (high, truth)]), np.tile(low, 10)
    assert both == word_threshold([(more, np.tile(truth, 10)), (high, truth)])
    assert 0.3 < both < 0.91
    apart = np.where(truth, 0.95, 0.05)
    assert word_threshold([(apart, truth)]) == pytest.approx(0.06)


def test_there_is_no_threshold_without_words_of_both_kinds() -> None:
    assert np.isnan(word_threshold([]))
    assert np.isnan(word_threshold([(np.array([0.2, 0.9]), np.array([1, 1]))]))

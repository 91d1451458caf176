"""Temperatures and reliability, on labels drawn by known probabilities."""

from __future__ import annotations

import numpy as np

from nlgauge_lab.training.calibration import (
    word_threshold,
)


def drawn(rows: int = 20000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """True log-odds, and labels that they are true of."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0.5, 2, rows)
    return logits, (rng.random(rows) < 1 / (1 + np.exp(-logits))).astype(np.int64)


def test_there_is_no_threshold_without_words_of_both_kinds() -> None:
    assert np.isnan(word_threshold([]))
    assert np.isnan(word_threshold([(np.array([0.2, 0.9]), np.array([1, 1]))]))

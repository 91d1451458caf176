"""Sentinels beside metrics: what they are, and which metric does not beat which."""

from __future__ import annotations

import numpy as np

from nlgauge import Corpus, ScoreTable, correlate
from nlgauge.data.table import Column

RNG = np.random.default_rng(1)
ITEMS, SYSTEMS = 30, "abcd"
LENGTHS = RNG.integers(3, 30, (ITEMS, len(SYSTEMS)))
QUALITY = RNG.normal(size=(ITEMS, len(SYSTEMS)))


def outputs(length: float) -> Corpus:
    """People who like quality, and short outputs by so much."""
    return Corpus.from_records(
        {"system": system, "item": str(i), "candidate": " ".join(["word"] * LENGTHS[i, s]), "source": "a word",
         "scores": {"liked": float(QUALITY[i, s] - length * LENGTHS[i, s] / 10)}}
        for i in range(ITEMS) for s, system in enumerate(SYSTEMS)
    )  # fmt: skip


def table() -> ScoreTable:
    rows = [(system, str(i)) for i in range(ITEMS) for system in SYSTEMS]
    noise = RNG.normal(size=QUALITY.size)
    columns = {
        "Good": Column(("score",), QUALITY.reshape(-1, 1) + noise[:, None] / 4),
        "Noise": Column(("score",), noise[:, None]),
    }
    return ScoreTable(rows, columns, {})


def test_what_p_and_interval_say_apart_is_said() -> None:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=4) + rng.normal(size=(8, 4)) / 2
    rows = [(system, str(i)) for i in range(8) for system in "abcd"]
    of = quality + rng.normal(size=quality.shape)
    made = ScoreTable(rows, {"M": Column(("score",), of.reshape(-1, 1))}, {})
    people = dict(zip(rows, quality.ravel().tolist(), strict=True))
    found = correlate(made, people, level="pooled")
    (one,) = found
    assert one.p < 0.05 and one.low <= 0 <= one.high
    assert any("p is below 0.05 where the interval holds 0 (M score, rating)" in note for note in found.notes)
    assert not correlate(made, people, level="pooled", resample="items").notes

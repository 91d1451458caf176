"""A threshold as a file, and rows of another mix than those it was made of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.gate.thresholds import RatedThreshold

SCORES = tuple(np.linspace(0, 1, 200).tolist())
THRESHOLD = RatedThreshold(
    "M", "f1", "at_least", 0.6, "risk", 0.1, 0.9, 200, 0.4, "good", 1.0, "M|nlgauge:1", {"nlgauge": "1"}, SCORES
)


def test_a_threshold_is_read_as_it_was_written(tmp_path: Path) -> None:
    THRESHOLD.save(tmp_path / "threshold.json")
    assert RatedThreshold.load(tmp_path / "threshold.json") == THRESHOLD
    record = json.loads((tmp_path / "threshold.json").read_text(encoding="utf-8"))
    names = {"metric", "part", "direction", "threshold", "risk", "confidence", "n", "signature"}
    assert names <= record.keys() and record["signature"] == "M|nlgauge:1"


@pytest.mark.parametrize(
    "change", [{"direction": "up"}, {"threshold": None}, {"metric": 3}, {"facts": []}, {"more": 1}]
)
def test_what_is_no_threshold(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "threshold.json"
    THRESHOLD.save(path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(InputError, match="is not a threshold"):
        RatedThreshold.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        RatedThreshold.load(tmp_path / "none.json")


def test_rows_of_another_mix() -> None:
    rng = np.random.default_rng(0)
    p, effective = THRESHOLD.mix(rng.random(500))
    assert p > 0.01 and 170 < effective <= 200
    p, effective = THRESHOLD.mix(0.2 * rng.random(500))
    assert p < 1e-6 and 30 < effective < 50  # a fifth of the rated rows is of this kind
    assert np.isnan(THRESHOLD.mix(np.array([np.nan]))).all()


def test_passing() -> None:
    assert THRESHOLD.passes(np.array([0.6, 0.59, np.nan])).tolist() == [1, 0, 0]

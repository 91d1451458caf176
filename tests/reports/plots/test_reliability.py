"""Reliability: the bins that calibrate gives, as numbers and as a figure with its diagonal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlgauge.reports import figures
from nlgauge.reports.plots.reliability import reliability
from tests.stats.hidden import SPEC, outputs


def test_a_score_from_0_to_1_is_drawn_beside_the_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, dict[str, figures.Curve]]] = []
    monkeypatch.setattr(figures, "curves", lambda path, panels, *_: drawn.append(panels))
    table, corpus, _ = outputs(200, 100)
    column = table.columns[SPEC]
    share = replace(table, columns={SPEC: replace(column, values=1 / (1 + np.exp(-column.values)))})
    for of in (table, share):
        reliability(of, corpus).draw(Path("x.png"))
    assert [len(panels[SPEC]) for panels in drawn] == [1, 2]
    curve = drawn[1][SPEC]["rated rows"]
    assert len(curve.at) == 5 and all(a <= b <= c for a, b, c in zip(curve.low, curve.values, curve.high, strict=True))

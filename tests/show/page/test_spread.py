"""Histograms count every row once."""

from __future__ import annotations

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.show.page.scored import Scored
from nlgauge.show.page.spread import histograms
from tests.report_tables import ITEMS, corpus, table

ROWS = corpus()


def test_every_finite_value_is_in_a_bin_of_its_system() -> None:
    scored = Scored(table(ROWS), ROWS, ROWS)
    found = histograms(scored.table, scored.scales)
    for scale, one in zip(scored.scales, found, strict=True):
        assert one is not None
        sizes = [sum(system["counts"]) for system in one["systems"]]
        assert sizes == [system["n"] for system in one["systems"]] and sum(sizes) == np.isfinite(scale.values).sum()
        assert one["edges"][0] <= np.nanmin(scale.values) + 1e-5 and one["edges"][-1] >= np.nanmax(scale.values) - 1e-5
    assert [system["n"] for system in found[0]["systems"]] == [ITEMS] * 3  # type: ignore[index]


def test_what_is_infinite_or_missing_has_no_bin() -> None:
    columns = {"M": Column(("score",), np.array([[np.inf], [np.nan], [1.0]]), {1: "why"})}
    scored = Scored(ScoreTable([("s", "1"), ("s", "2"), ("t", "1")], columns, {}), None, None)
    (one,) = histograms(scored.table, scored.scales)
    assert [system["n"] for system in one["systems"]] == [0, 1] and one["systems"][0]["mean"] is None
    nothing = Scored(
        ScoreTable([("s", "1")], {"M": Column(("score",), np.array([[np.nan]]), {0: "why"})}, {}), None, None
    )
    assert histograms(nothing.table, nothing.scales) == [None]

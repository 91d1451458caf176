"""The significance matrix: Williams' numbers in their places, and who stands above whom."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from nlgauge.stats.contrast import contrast
from nlgauge_lab.studies.significance import significance
from tests.printed import printed

SYSTEMS = 30
KEYS = [(f"s{s}", "i") for s in range(SYSTEMS)]


@pytest.fixture
def ratings() -> dict[tuple[str, str], float]:
    return {key: float(value) for key, value in zip(KEYS, np.random.default_rng(0).normal(size=SYSTEMS), strict=True)}


@pytest.fixture
def table(ratings: dict[tuple[str, str], float]) -> ScoreTable:
    rng = np.random.default_rng(1)
    y = np.array(list(ratings.values()))
    values = {
        "Noise": rng.normal(size=SYSTEMS),
        "Near": y + 0.1 * rng.normal(size=SYSTEMS),
        "Fair": y + rng.normal(size=SYSTEMS),
    }
    columns = {name: Column(("score",), x[:, None]) for name, x in values.items()}
    columns["Far"] = Column(("f1", "other"), -np.stack([values["Near"], values["Noise"]], 1), higher_is_better=False)
    return ScoreTable(KEYS, columns, {}, {}, "9.9")


def test_it_is_contrast_with_its_clusters(table: ScoreTable, ratings: dict[tuple[str, str], float]) -> None:
    found = significance(table, ratings, level="pooled", coefficient="kendall", test="permutation", replicates=50)
    (one,) = found.rankings
    # A metric and the same one as a distance are one: neither beats the other.
    assert set(one.names[:2]) == {"Near", "Far"} and one.clusters[:2] == (1, 1)
    known = {(a, b): one.p[i][j] for i, a in enumerate(one.names) for j, b in enumerate(one.names)}
    pairs = contrast(
        ScoreTable(KEYS, {k: v for k, v in table.columns.items() if k != "Far"}, {}, {}, ""),
        ratings, level="pooled", coefficient="kendall", replicates=50, correction="none",
    )  # fmt: skip
    uncorrected = significance(
        table, ratings, metrics=["Noise", "Near", "Fair"], level="pooled", coefficient="kendall", test="permutation",
        replicates=50, correction="none",
    ).rankings[0]  # fmt: skip
    by_pair = {(pair.first[0], pair.second[0]): pair for pair in pairs}
    found_p = {
        (a, b): uncorrected.p[i][j] for i, a in enumerate(uncorrected.names) for j, b in enumerate(uncorrected.names)
    }
    assert found_p["Near", "Noise"] == by_pair["Noise", "Near"].p
    assert math.isnan(found_p["Noise", "Near"])
    assert known["Near", "Far"] == 1 or known["Far", "Near"] == 1


def test_what_it_shows(table: ScoreTable, ratings: dict[tuple[str, str], float], tmp_path: Path) -> None:
    table.columns["Empty"] = Column(("score",), np.full((SYSTEMS, 1), math.nan))
    found = significance(table, ratings)
    ((head, *rows),) = printed(found)
    assert head == ["rating", "pearson", "cluster", "", "1", "2", "3", "4", "5"]
    assert rows[0][0] in ("Near", "Far") and rows[0][2:4] == ["1", "1"]
    assert rows[0][7] == "0.000" and rows[0][5] == "-"
    assert rows[-1][0] == "Empty" and rows[-1][1] == "-"
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 1000

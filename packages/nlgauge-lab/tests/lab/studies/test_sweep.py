"""Sweeps: what correlate gives for each setting, in order, from one run; and what is shown of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, ScoreTable, VectorExtrema
from nlgauge.metrics.bertscore import BERTScore
from nlgauge.show.tables import Number
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep
from tests.printed import printed

SETTINGS = [
    *(Setting("Extrema", {"references": name}, VectorExtrema(references=name)) for name in ("best", "mean")),
    *(
        Setting("BERTScore recall", {"references": n}, BERTScore(layer=1, references=n), "recall")
        for n in ("best", "mean")
    ),
]


def test_what_it_shows(corpus: Corpus, runs: list[ScoreTable], tmp_path: Path) -> None:
    found = sweep(corpus, SETTINGS, ["references"], replicates=0, level="pooled", coefficients=["pearson", "spearman"])
    first, second = printed(found)
    assert first[0] == ["pearson, pooled", "references", "adequacy"] and second[0][0] == "spearman, pooled"
    assert [row[:2] for row in first[1:]] == [[s.line, s.values["references"]] for s in SETTINGS]
    marks = [row[2].mark for row in found.tables()[0][1:] if isinstance(row[2], Number)]
    assert sorted(marks) == ["", "", "", "best"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "curves.png")
    two = Sweep(found.points, ("references", "other"), "pooled", 12, 4, {})
    two.draw(tmp_path / "heat.png")
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("curves.png", "heat.png"))

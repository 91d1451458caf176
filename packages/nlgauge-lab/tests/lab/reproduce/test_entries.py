"""Rows of published tables: which metric on which texts, parts, sums, ratings, and what cannot be had."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.reproduce import pieces
from lab.reproduce.pieces import POOLED, UNRATED, cells, rebuilt
from nlgauge import SpecError
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.errors import installing
from nlgauge_lab.reproduce.published import table

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_a_part_of_a_metric(folder: Path) -> None:
    assert cells(folder, {"spec": "Words", "part": "half"})[0].ours == pytest.approx(POOLED)
    assert cells(folder, {"spec": "Words", "part": "third"})[0].reason == "Words has no sub-score 'third'"


def test_values_are_averaged_over_references(folder: Path) -> None:
    spec = "Words(of='difference')"
    (cell, _) = cells(folder, {"spec": spec, "view": "mean over references"})
    assert cell.ours == pytest.approx(POOLED)  # words - (2 + 3) / 2


def test_a_number_stands_for_what_is_undefined_where_the_published_scores_have_one(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    text[-1] = text[-1].replace('"candidate": "word word"', '"candidate": ""')
    (folder / "tiny.jsonl").write_text("\n".join(text) + "\n", encoding="utf-8")
    row = {"spec": "TokenF1"}
    shared = [0.0] * 8
    nothing = cells(folder, row)
    assert nothing[0].reason == "the metric is constant"  # no word is shared: 0 but for the empty text
    (cell, _) = cells(folder, {**row, "undefined": 1})
    ratings = [5, 3, 4, 4, 4, 3, 1, 2, 1]
    assert cell.ours == pytest.approx(float(np.corrcoef([*shared, 1], ratings)[0, 1]))


def test_what_is_unknown_or_not_installed_is_said_and_not_failed(folder: Path) -> None:
    rows = [
        {"row": "Length", "spec": "Words", "published": [0.7151, 0.9017]},
        {"row": "Tomorrow", "spec": "Tomorrow(order=1)"},
        {"row": "Extra", "spec": "Words(extra='absent')"},
    ]
    found = rebuilt(folder, table(pieces.table(rows=rows)))
    reasons = {name: cells[0].reason for name, cells in found.blocks[0].rows.items()}
    extra = f"counting words needs an optional library: {installing('nlgauge', 'words')}"
    assert reasons == {"Length": None, "Tomorrow": "no metric 'Tomorrow'", "Extra": extra}
    assert found.blocks[0].rows["Length"][0].ours == pytest.approx(POOLED)


def test_metrics_can_be_chosen(folder: Path) -> None:
    rows = [UNRATED, {"row": "Other", "spec": "EmbeddingAverage"}]
    made = table(pieces.table(rows=rows))
    found = rebuilt(folder, made, metrics=["Words"])
    assert found.blocks[0].rows["Other"][0].reason == "left out by --metrics"
    with pytest.raises(
        SpecError, match=r"--metrics BLEU: no row that is asked for has it; there are EmbeddingAverage, Words"
    ):
        rebuilt(folder, made, metrics=["BLEU"])


def test_the_model_is_that_of_all_rows_and_the_papers_own_has_its_settings(folder: Path) -> None:
    rows = [
        {"row": "E", "spec": "Consistency", "own": {"other": "Consistency(layer=3)"}},
        {"row": "named", "spec": "Consistency(model='pocket')"},
    ]
    made = table(pieces.table(rows=rows))
    place = str(pocket_folder())
    found = rebuilt(folder, made, model=place)
    assert found.blocks[0].rows["E"][0].ours == pytest.approx(found.blocks[0].rows["named"][0].ours)
    assert len(found.facts[-1].split(",")) == 2  # the folder and 'pocket'
    rows[0]["own"] = {place: "Consistency(layer=3)"}
    own = rebuilt(folder, table(pieces.table(rows=rows)), model=place)
    assert own.specs["E"] == "Consistency(layer=3)"
    assert own.blocks[0].rows["E"][0].ours != pytest.approx(own.blocks[0].rows["named"][0].ours)

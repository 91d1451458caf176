"""Kinds of published tables: agreement in its blocks, metrics against each other, Williams' test, distributions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from lab.reproduce import pieces
from lab.reproduce.pieces import POOLED, SYSTEM, UNRATED, cells, rebuilt
from nlgauge import correlate, evaluate
from nlgauge.answers.contrast import williams
from nlgauge_lab.reproduce.kinds import Block, Cell, Rebuilt
from nlgauge_lab.reproduce.published import Source, table
from nlgauge_lab.reproduce.rated import Data

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_data_that_alone_differ_stand_together_with_their_average(folder: Path) -> None:
    pieces.write(folder, "less", ("long", "middle"))
    data = {name: [{"file": name}] for name in ("tiny", "less")}
    columns = [[name, "quality", "pooled", "pearson"] for name in data]
    rows = [
        {"row": "Length", "spec": "Words", "published": [0.7, 0.2]},
        {"row": "Foreign", "why": "not ours", "published": [0.5, None]},
    ]
    made = table(pieces.table(data=data, columns=columns, rows=rows, average=True))
    (block,) = rebuilt(folder, made).blocks
    assert (block.title, block.heads) == ("quality, pearson, pooled", ("tiny", "less", "average"))
    less = float(np.corrcoef([6, 5, 9, 4, 3, 5], [5, 3, 4, 4, 4, 3])[0, 1])
    *_, average = block.rows["Length"]
    assert (average.ours, average.published) == pytest.approx(((POOLED + less) / 2, 0.45))
    *_, nothing = block.rows["Foreign"]
    assert math.isnan(nothing.ours) and (nothing.published, nothing.reason) == (None, "not ours")


def test_the_best_of_some_rows_is_chosen_column_by_column(folder: Path) -> None:
    rows = [
        {"row": "Length", "spec": "Words"},
        {"row": "Foreign", "why": "not ours"},
        {"row": "People", "rating": "quality"},
        {"row": "best", "best": ["Length", "Foreign", "People"], "published": [0.5, 0.6]},
        {"row": "best of ours", "best": ["Foreign", "Length"]},
    ]
    (pooled, system) = rebuilt(folder, table(pieces.table(rows=rows))).blocks
    assert [block.rows["best"][0].ours for block in (pooled, system)] == pytest.approx([1, 1])
    assert [block.rows["best"][0].published for block in (pooled, system)] == [0.5, 0.6]
    assert pooled.rows["best of ours"][0].ours == pytest.approx(POOLED)


def test_correlations_are_averaged_over_references(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()
    # The second reference of one row is ten words: 6 - 10 there, words - 3 elsewhere.
    text[0] = text[0].replace("these three words", " ".join("ten" for _ in range(10)))
    (folder / "tiny.jsonl").write_text("\n".join(text) + "\n", encoding="utf-8")
    ratings = [5, 3, 4, 4, 4, 3, 1, 2, 1]
    second = float(np.corrcoef([-4, 2, 6, 1, 0, 2, -2, -1, -1], ratings)[0, 1])
    (cell, _) = cells(folder, {"spec": "Words(of='difference')", "view": "mean of correlations"})
    assert cell.ours == pytest.approx((POOLED + second) / 2)


def test_metrics_against_each_other(folder: Path) -> None:
    rows = [UNRATED, {"row": "People", "rating": "quality"}, {"row": "Foreign", "why": "not ours"}]
    found = rebuilt(
        folder, table(pieces.table(kind="between", rows=rows, columns=[["tiny", "quality", "system", "pearson"]]))
    )
    (block,) = found.blocks
    assert block.heads == ("Length", "People")
    assert [cell.ours for cell in block.rows["Length"]] == pytest.approx([1, SYSTEM])
    assert block.rows["Foreign"][0].reason == "not ours"


def test_williams_test_between_metrics(folder: Path) -> None:
    text = (folder / "tiny.jsonl").read_text(encoding="utf-8")
    fourth = "".join(
        line.replace('"middle"', '"fourth"').replace("word word", "word", 1) + "\n" for line in text.splitlines()[3:6]
    )
    (folder / "tiny.jsonl").write_text(text + fourth, encoding="utf-8")
    rows = [UNRATED, {"row": "Difference", "spec": "Words(of='difference')"}, {"row": "Vectors", "spec": "BERTScore"}]
    columns = [["tiny", "quality", "system", "pearson"]]
    (block,) = rebuilt(folder, table(pieces.table(kind="williams", rows=rows, columns=columns))).blocks
    p = {name: [cell.ours for cell in cells] for name, cells in block.rows.items()}
    assert math.isnan(p["Length"][0])
    assert p["Length"][1] == pytest.approx(0.5)  # the same but for a constant
    assert p["Length"][2] == pytest.approx(1 - p["Vectors"][0])
    corpus = Data(folder).corpus([Source("tiny")])
    scored = evaluate(corpus, metrics=["Words", "BERTScore"])
    r = [
        found.value
        for found in correlate(scored, corpus, level="system", replicates=0)
        if found.part in ("score", "f1")
    ]
    means = [scored.values(name).reshape(4, 3).mean(axis=1) for name in ("Words", "BERTScore")]
    assert p["Length"][2] == pytest.approx(williams(*r, float(np.corrcoef(means)[0, 1]), 4).p)


def test_distributions_are_scaled_from_least_to_most(folder: Path) -> None:
    rows = [UNRATED, {"row": "Foreign", "why": "not ours"}]
    found = rebuilt(folder, table(pieces.table(kind="distributions", rows=rows)))
    (block,) = found.blocks
    # 1 2 2 3 4 5 5 6 9: a value v is (v - 1) / 8
    assert [cell.ours for cell in block.rows["Length"]] == pytest.approx([0, 0.8 / 8, 1 / 8, 3 / 8, 4 / 8, 5.6 / 8, 1])
    assert sorted(block.samples["Length"] * 8 + 1) == pytest.approx([1, 2, 2, 3, 4, 5, 5, 6, 9])


def made_of(*cells: Cell) -> Rebuilt:
    blocks = [Block("tiny", ("pearson",), {str(n): (cell,) for n, cell in enumerate(cells)})]
    return Rebuilt(table(pieces.table()), blocks, {}, [])


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([Cell(None, 0.1), Cell(reason="not ours")], "1 numbers; none is published"),
        ([Cell(0.5, reason="not ours")], "0 of 1 published numbers compared"),
        (
            [Cell(0.5, 0.50004), Cell(0.5, 0.52), Cell(0.5)],
            "2 of 3 published numbers compared, 1 of them to the last digit in print; "
            "mean difference of correlations 0.0100",
        ),
    ],
)
def test_how_much_was_rebuilt_and_how_near_it_is(cells: list[Cell], says: str) -> None:
    assert made_of(*cells).summary == says

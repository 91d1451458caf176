"""Every metric scores blocks of rows, into a table or into a folder, as it scores all rows at once.

What a block is scored with goes through a pickle on its way, as it does to another process.
"""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import ScoreTable, registry
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.disk_rows import DiskRows
from nlgauge.options import RunOptions
from nlgauge.run.block import BlockScorer, ScoredBlock, Task, score_here
from tests.contracts.test_together import SPECS
from tests.extras import lacking
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")


def _metric(spec: str) -> Metric:
    metric = registry.metric(spec, model="pocket")
    if (extra := lacking(metric.libraries)) is not None:
        pytest.skip(f"needs nlgauge[{extra}]")
    return metric


def _elsewhere(
    scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions
) -> Generator[ScoredBlock, None, None]:
    bare = pickle.dumps([scorer.apart(None) for scorer in scorers])
    for task in tasks:
        there = [one.apart(scorer.engine) for one, scorer in zip(pickle.loads(bare), scorers, strict=True)]
        yield from pickle.loads(pickle.dumps(list(score_here(there, [pickle.loads(pickle.dumps(task))], options))))


def _same(table: ScoreTable, whole: ScoreTable) -> None:
    assert (table.rows, table.signatures, table.run) == (whole.rows, whole.signatures, whole.run)
    for spec, column in whole.columns.items():
        np.testing.assert_allclose(table.columns[spec].values, column.values, rtol=1e-3, atol=1e-4)
        mine = table.columns[spec]
        assert (mine.parts, mine.reasons, mine.level, mine.details, mine.higher_is_better) == (
            column.parts,
            column.reasons,
            column.level,
            column.details,
            column.higher_is_better,
        )
        # A file keeps evidence where there is some.
        assert [n for n, one in mine.evidence.items() if one] == [n for n, one in column.evidence.items() if one]
        assert (mine.sums is None) == (column.sums is None)
        if mine.sums is not None and column.sums is not None:
            assert mine.sums.formula == column.sums.formula
            np.testing.assert_allclose(mine.sums.counts, column.sums.counts, rtol=1e-6)


@pytest.mark.parametrize("spec", SPECS)
def test_blocks_are_as_the_whole(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, corpus = _metric(spec), Corpus(DiskRows(rows(7, 7)))
    whole = nlgauge.evaluate(rows(7, 7), metrics=[metric], evidence=True, cache=False)
    monkeypatch.setattr("nlgauge.run.runner.score_here", _elsewhere)
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    place = tmp_path / "scores"
    options = {"metrics": [metric], "evidence": True, "cache": False, "rows_per_block": 3, "output": place}
    _same(nlgauge.evaluate(corpus, **options), whole)
    _same(ScoreTable.load(place), whole)
    (place / "_header.json").unlink()
    (place / "rows-000000000003.parquet").unlink()
    _same(nlgauge.evaluate(corpus, **options), whole)

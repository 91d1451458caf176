"""Learned weights on rows they were not learned from: the rows that are drawn, and the paper's numbers beside."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from nlgauge import Corpus, evaluate
from nlgauge.errors import InputError, SpecError
from nlgauge.show.tables import Number
from nlgauge_lab.studies.learned_weights import learned_weights
from tests.command import nlgauge as command

WORDS = ["library", "opens", "Saturday", "old", "books", "sold", "June", "river", "bridge"]


@pytest.fixture(scope="module")
def rated() -> Corpus:
    rng = np.random.default_rng(2)
    rows = []
    for number in range(16):
        words = rng.choice(WORDS, 5)
        scores = {aspect: float(rng.integers(1, 6)) for aspect in ("fluency", "simplicity", "meaning")}
        source = f"The {words[0]} {words[1]} the {words[2]}."
        rows.append({"candidate": f"A {words[3]} {words[1]}.", "source": source, "item": str(number), "scores": scores})
    return Corpus.from_records(rows)


def test_uniform_and_learned_weights_beside_those_of_the_paper(rated: Corpus, one_model: None, tmp_path: Path) -> None:
    found = learned_weights(rated, tmp_path, 10, draws=1, seed=1, beside="maskeval-table-2", cache=False)
    assert found.rows == (10, 6) and found.aspects == ("fluency", "simplicity", "meaning")
    values = evaluate(rated, metrics="MaskEval(stride=8)", cache=False).values("MaskEval(stride=8)")
    rest = np.random.default_rng(1).permutation(16)[10:]
    ratings = np.array([row.scores["meaning"] for row in rated])
    assert found.ours["uniform weights"][0][2] == pytest.approx(np.corrcoef(values[rest], ratings[rest])[0, 1])
    assert found.printed == {
        "uniform weights": pytest.approx([0.495, 0.463, 0.688]),
        "learned weights": pytest.approx([0.397, 0.329, 0.587]),
    }
    (table,) = found.tables()
    assert [row[0] for row in table[1:]] == [
        "uniform weights",
        "uniform weights, printed",
        "learned weights",
        "learned weights, printed",
    ]
    assert isinstance(table[2][1], Number) and table[2][1].value == pytest.approx(0.495)
    file = tmp_path / "rated.jsonl"
    records = [{"candidate": r.candidate, "source": r.source, "item": r.item, "scores": dict(r.scores)} for r in rated]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run = "study", "learned-weights", file, "--out", tmp_path, "--learn", 10, "--draws", 1, "--no-cache"
    result = command(*run, "--aspect", "meaning")
    assert result.exit_code == 0 and result.stdout.startswith("pearson, 6 rows"), result.output
    with pytest.raises(InputError, match="16 rows are rated, and 20 are to be learned from"):
        learned_weights(rated, tmp_path, 20)
    with pytest.raises(SpecError, match="has no learned weights"):
        learned_weights(rated, tmp_path, 10, beside="ctc-table-1")

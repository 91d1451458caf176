"""The four scorings of MaskEval: the metric itself, BERTScore of words, and perplexities."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.errors import SpecError
from nlgauge_lab.studies.scorings import MaskEvalScorings, scorings

ROWS = [
    {
        "candidate": "The library opens at nine on Sundays.",
        "source": "From May on the library opens at nine on Saturdays. Old books are sold in June.",
    }
]


def test_each_scoring_is_what_it_says(one_model: None) -> None:
    varied = MaskEvalScorings(weights="candidate")
    table = nlgauge.evaluate(ROWS, metrics=[varied], cache=False)
    found = next(iter(table.columns.values())).values[0]
    plain = nlgauge.evaluate(ROWS, metrics="MaskEval(weights='candidate')", cache=False, evidence=True)
    (column,) = plain.columns.values()
    assert found[0] == column.values[0, 0] < 1
    words = column.evidence[0]["texts"][0]["words"]
    pairs = [{"candidate": one["predicted"], "references": [one["text"]]} for one in words]
    alike = nlgauge.evaluate(pairs, metrics="BERTScore", cache=False).values("BERTScore", part="f1")
    wanted = [1.0 if one["predicted"] == one["text"] else value for one, value in zip(words, alike, strict=True)]
    assert found[1] == pytest.approx(np.mean(wanted), abs=1e-6)
    assert found[2] >= found[3] > 0
    assert found[3] >= np.mean([np.exp(one["log_probability"]) for one in words])


def test_they_are_compared_with_people(corpus: Corpus, runs: list[ScoreTable]) -> None:
    sourced = Corpus.from_records(
        {
            "candidate": row.candidate,
            "source": row.references[0],
            "item": row.item,
            "system": row.system,
            "scores": row.scores,
        }
        for row in corpus
    )
    study = scorings(sourced, "MaskEval(weights='candidate', stride=8)", replicates=0)
    assert [point.setting["scoring"] for point in study.points] == ["hit", "bertscore", "predicted", "true"]
    assert len(runs) == 1 and all(np.isfinite(point.agreement.value) for point in study.points)
    with pytest.raises(SpecError, match="weights='uniform' or 'candidate' alone"):
        scorings(sourced, "MaskEval(weights='fluency')")

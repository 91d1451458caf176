"""BaryScore's means of layers, its weights and its stop-words, against literal sums."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM, TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.errors import SpecError
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import squared_distances, unit
from nlgauge_lab.studies.barycenters import BaryScoreVariants, barycenters

TEXTS = "The bridge over the river is old.", "An old bridge crosses it."


def literal(layers, weigh, keep):
    """Exact transport between token-wise means of unit vectors; weigh: of ids and position, keep: of a token's word."""
    model, clouds = load("pocket"), []
    for text in TEXTS:
        tokens = model[TOKENIZER].encode([text])[0]
        ids = [*model[TOKENIZER].prefix, *tokens.ids.tolist(), *model[TOKENIZER].suffix]
        row = np.array([ids], np.int64)
        states = model[ENCODER].hidden(row, np.ones_like(row), layers)[:, 0]
        names = [None, *(text[begin:end].lower() for begin, end in tokens.offsets.tolist()), None]
        kept = [at for at, name in enumerate(names) if name is None or keep(name)]
        weights = np.array([weigh(model, ids, at, names[at]) for at in kept])
        clouds.append((unit(states[:, kept]).mean(0), weights / weights.sum()))
    (x, a), (y, b) = clouds
    cost = squared_distances(x, y)
    return float((cost * plans([cost], [a], [b])[0]).sum())


def surprisal(model, ids, at, name):
    if name is None:
        return 0.0
    row = np.array([ids], np.int64)
    row[0, at] = model.mask_id
    logits = model[MASKED_LM].masked_logits(row, np.ones_like(row), np.array([at]))[0].astype(np.float64)
    return np.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[ids[at]]


@pytest.mark.parametrize(
    ("metric", "weigh", "keep"),
    [
        (BaryScoreVariants(layers=(2, 3), idf="none", lm=True, mean="euclidean"), surprisal, lambda name: True),
        (
            BaryScoreVariants(layers=(2, 3), idf="none", stopwords=False, mean="euclidean"),
            lambda *given: 1.0,
            lambda name: name not in ("the", "over", "is", "an", "it"),
        ),
    ],
)
def test_each_variant_is_its_literal_sum(one_model, metric, weigh, keep):
    rows = [{"candidate": TEXTS[0], "references": [TEXTS[1]]}]
    found = next(iter(nlgauge.evaluate(rows, metrics=[metric], cache=False).columns.values())).values[0, 0]
    assert found == pytest.approx(literal((2, 3), weigh, keep), abs=1e-5)


def test_nothing_but_stop_words_has_no_score(one_model):
    spec = "BaryScore(stopwords=False, special_tokens=False)"
    table = nlgauge.evaluate([{"candidate": "It is", "references": ["old"]}], metrics=spec, cache=False)
    assert np.isnan(table.values(spec)).all()
    assert "nothing but stop-words" in next(iter(table.columns.values())).reasons[0]


def test_means_weights_and_stop_words_are_compared(corpus: Corpus, runs: list[ScoreTable]) -> None:
    study = barycenters(corpus, "BaryScore(layers=2)", weights=("none",), replicates=0)
    assert [(point.line, point.setting["mean"]) for point in study.points] == [
        (line, mean)
        for mean in ("wasserstein", "euclidean")
        for line in ("BaryScore(layers=2), none", "BaryScore(layers=2), none, no stop-words")
    ]
    plain = nlgauge.evaluate(corpus, metrics="BaryScore(layers=2, idf='none')", cache=False)
    (run,) = runs
    assert np.array_equal(next(iter(run.columns.values())).values, next(iter(plain.columns.values())).values)
    with pytest.raises(SpecError, match="weights 'tf' are none of idf, none, lm"):
        barycenters(corpus, weights=("tf",))

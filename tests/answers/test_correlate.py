"""correlate: records and what they say, and the published protocols on the public data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import Corpus, InputError, ScoreTable, SpecError
from nlgauge.answers.correlate import correlate
from nlgauge.maths.intervals import expanded
from nlgauge.ratings.join import join
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS
from nlgauge.stats.resampling import bootstrap, interval
from tests.answers.conftest import ITEMS, SYSTEMS


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", [*COEFFICIENTS, "accuracy_calibrated", "soft_accuracy"])
def test_a_record_per_metric_part_and_aspect(table: ScoreTable, ratings: Any, level: str, coefficient: str) -> None:
    alone = {"soft_accuracy": "system", "pairwise_difference": "item"}
    if (coefficient, level) == ("accuracy_calibrated", "pooled") or alone.get(coefficient, level) != level:
        with pytest.raises(InputError, match="take level="):
            correlate(table, ratings, level=level, coefficient=coefficient)
        return
    found = correlate(table, ratings, level=level, coefficient=coefficient, replicates=60)
    assert [(one.metric, one.part, one.aspect) for one in found] == [
        (metric, part, aspect)
        for metric, part in (("Near", "score"), ("Far", "score"), ("Noise", "p"), ("Noise", "r"), ("Set", "score"))
        for aspect in ("good", "loud")
    ]
    assert len(found) == 10
    near, far, noise = (found.get(*key) for key in (("Near", "good"), ("Far", "good"), ("Noise", "good", "r")))
    assert (far.value, far.low, far.high, far.p) == (near.value, near.low, near.high, near.p)
    assert far.turned and not near.turned
    assert near.value > noise.value
    if coefficient != "kendall_c":  # systems drawn twice are ties, for which tau-c alone has a price
        assert near.low <= near.value <= near.high
    assert 0 < near.p < 0.1
    assert near.n == {"item": ITEMS, "system": 5, "pooled": 100}[level]
    assert near.rows == 100
    assert (near.threshold is not None) == (coefficient == "accuracy_calibrated")
    of_sets = found.get("Set", "good")
    if level == "system" and coefficient != "soft_accuracy":
        assert of_sets.reason is None and of_sets.n == 5
    else:
        assert math.isnan(of_sets.value)
        assert "corpus-level metric" in str(of_sets.reason)


def test_missing_ratings_and_scores_are_left_out_together(table: ScoreTable, ratings: Any) -> None:
    part = {"good": {key: value for key, value in ratings["good"].items() if key[1] != "3"} | {("A", "99"): 1.0}}
    table.columns["Near"].values[0] = math.nan
    found = correlate(table, part, level="pooled", replicates=20)
    assert found.unrated == {"good": 5}
    assert found.unscored == [("A", "99")]
    assert found.get("Near").rows == 94
    assert found.get("Far").rows == 95
    known = [i for i, key in enumerate(table.rows) if key[1] != "3" and i]
    expected = np.corrcoef(table.values("Near")[known], [part["good"][table.rows[i]] for i in known])[0, 1]
    assert found.get("Near").value == pytest.approx(expected)


def test_items_that_are_not_crossed_have_no_p_within(table: ScoreTable, ratings: Any) -> None:
    pairs = {key: value for key, value in ratings["good"].items() if (int(key[1]) % 5 - SYSTEMS.index(key[0])) % 5 < 2}
    found = correlate(table, pairs, level="item", replicates=50)
    assert math.isnan(found.get("Near").p)
    assert not math.isnan(found.get("Near").value)
    assert found.notes == ["rating: few items have several systems; no p at item level"]
    of_items = correlate(table, pairs, level="item", resample="items")
    assert of_items.notes == [] and of_items.get("Near").p < 0.05
    assert correlate(table, pairs, level="pooled", replicates=200).get("Near").p < 0.05


def test_intervals_of_other_systems_are_as_wide_as_student_t(table: ScoreTable, ratings: Any) -> None:
    x = table.columns["Near"].values.reshape(ITEMS, len(SYSTEMS))
    y = np.array(list(ratings["good"].values())).reshape(x.shape)
    drawn = bootstrap(x, y, COEFFICIENTS["pearson"], "pooled", resample="systems", replicates=300)
    found = correlate(table, ratings["good"], level="pooled", resample="systems", replicates=300)
    assert (found[0].low, found[0].high) == interval(drawn, expanded(0.95, len(SYSTEMS)))
    assert not any("say little" in note for note in found.notes)
    soft, same = (
        correlate(table, ratings["good"], level="system", coefficient="soft_accuracy", resample=what)
        for what in ("systems", "both")
    )
    assert (soft[2].low, soft[2].high, soft[2].p) == (same[2].low, same[2].high, same[2].p) and soft[2].low < soft[
        2
    ].high
    four = {key: value for key, value in ratings["good"].items() if key[0] != "E"}
    found = correlate(table, four, level="pooled", resample="systems", replicates=20)
    assert "4 systems say little about others: intervals hold the truth far less often than they say" in found.notes


def test_an_accuracy_has_the_permutation_test_whatever_is_drawn(table: ScoreTable, ratings: Any) -> None:
    options: dict[str, Any] = {"level": "pooled", "coefficient": "accuracy", "replicates": 100}
    items, both = (correlate(table, ratings["good"], resample=what, **options)[0] for what in ("items", "both"))
    assert items.p == both.p < 0.05 and items.low != both.low


def test_agreement_that_every_resample_has_is_not_certain(table: ScoreTable) -> None:
    found = correlate(table, dict(zip(table.rows, table.values("Near").tolist(), strict=True)))
    near = found.get("Near")
    assert near.value == pytest.approx(1) and math.isnan(near.low) and near.p < 0.05
    assert any(note.startswith("no interval (Near score, rating; Far score, rating)") for note in found.notes)


def test_undefined_has_a_reason(table: ScoreTable, ratings: Any) -> None:
    table.columns["Near"].values[:] = 3
    found = correlate(table, ratings, replicates=20).get("Near")
    assert math.isnan(found.value) and math.isnan(found.low) and math.isnan(found.p)
    assert found.reason == "the metric is constant within every item"
    with pytest.raises(SpecError, match="no agreement of Near with clear"):
        correlate(table, ratings, replicates=0).get("Near", "clear")


# ---- Published protocols, on public data


# Pearson and Kendall within documents, then of systems.
REALSUMM = {
    "abs": {
        "rouge_1_recall": (0.6614621330839607, 0.5246145307701896, 0.9130165232944506, 0.5384615384615384),
        "rouge_1_f_score": (0.5531091189399127, 0.4200962073493957, 0.8787094968947476, 0.8241758241758242),
        "rouge_2_recall": (0.5912487021066232, 0.4693230704283341, 0.9826701910637808, 0.8681318681318682),
    },
    "ext": {
        "rouge_1_recall": (0.25657859988374676, 0.19172955573386322, 0.7027019515769359, 0.5636363636363636),
        "rouge_1_f_score": (0.18657985146226633, 0.13160400708354186, 0.11126592328733496, 0.05454545454545454),
        "rouge_2_recall": (0.23637848134164233, 0.19594100288923955, 0.7390145435136243, 0.4909090909090909),
    },
}


@pytest.mark.parametrize("kind", REALSUMM)
def test_stored_rouge_of_summaries(data: Path, kind: str) -> None:
    corpus = Corpus.read(data / f"realsumm_{kind}.jsonl.gz")
    if kind == "abs":  # the published numbers are of the release, where this system stands in with another's texts
        copy = Corpus.read(data / "realsumm_abs_bart_dup.jsonl.gz")
        corpus = Corpus((*(row for row in corpus if row.system != "bart_out"), *copy))
    table = ScoreTable([(row.system, row.item) for row in corpus], {}, {})
    for name in REALSUMM[kind]:
        table = join(table, name, corpus, column=f"meta.stored.{name}")
    found = [
        [one.value for one in correlate(table, corpus, level=level, coefficient=coefficient, replicates=0)]
        for level in ("item", "system")
        for coefficient in ("pearson", "kendall")
    ]
    assert_allclose(np.transpose(found), list(REALSUMM[kind].values()), atol=1e-4)

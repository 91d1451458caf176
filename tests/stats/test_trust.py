"""How far to trust a scorer: a scripted judge of known error rates, what is refused, and that no number is new."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.stats.decisions import auroc, calibration_error, chosen_share, share_of
from nlgauge.stats.project import ProjectRatings
from nlgauge.stats.sampling import Draw, DrawnRow
from nlgauge.stats.trust import Trusts


def judged(
    rows: int = 400, n: int = 120, seed: int = 0, tpr: float = 0.9, tnr: float = 0.8, prevalence: float = 0.3,
    systems: int = 1,
) -> tuple[ScoreTable, Corpus, np.ndarray]:  # fmt: skip
    """A judge of yes or no that is right as often as said, n rated rows, and which rows are bad."""
    rng = np.random.default_rng(seed)
    bad = rng.random(rows) < prevalence
    passes = np.where(bad, rng.random(rows) >= tpr, rng.random(rows) < tnr).astype(float)
    rated = rng.permutation(rows) < n
    keys = [(f"s{row % systems}", f"i{row // systems}") for row in range(rows)]
    corpus = Corpus(
        [
            Row("x " * int(size), system=system, item=item, scores={"right": float(not wrong)} if shown else {})
            for (system, item), wrong, shown, size in zip(keys, bad, rated, rng.integers(1, 9, rows), strict=True)
        ]
    )
    return ScoreTable(keys, {"judge": Column(("score",), passes[:, None])}, {}), corpus, bad


def line(found: Trusts, metric: str = "judge") -> object:
    (one,) = (one for one in found if one.metric == metric)
    return one


def test_every_number_of_a_judge_is_that_of_its_definition() -> None:
    table, corpus, bad = judged()
    found = nlgauge.trust(table, corpus, probabilities=["judge"], replicates=0)
    one = found[0]
    rated = np.array([bool(row.scores) for row in corpus])
    passes = table.values("judge") == 1
    stopped, through = (~passes & bad & rated).sum(), (passes & ~bad & rated).sum()
    assert (one.rated, one.bad, one.unscored) == (120, (bad & rated).sum(), 0)
    assert (one.threshold, one.threshold_from) == (1.0, "its own")
    assert_allclose([one.tpr, one.tnr], [stopped / (bad & rated).sum(), through / (~bad & rated).sum()])
    assert_allclose(one.auroc, (one.tpr + one.tnr) / 2)
    agree = (passes == ~bad)[rated].mean()
    chance = passes[rated].mean() * (~bad)[rated].mean() + (~passes)[rated].mean() * bad[rated].mean()
    assert_allclose([one.kappa, one.brier], [(agree - chance) / (1 - chance), 1 - agree])
    assert one.answer.startswith(f"judge finds {one.tpr:.0%} of the bad rows and stops {1 - one.tnr:.0%} of the good")
    assert one.sentinels == ("Length",) and not one.unbeaten
    of = nlgauge.estimate(table, corpus, below=1)[0]
    assert_allclose([one.effective, one.mean, one.mean_low], [of.worth, of.estimate, of.low])
    assert found.disputes[0].metric == "judge" and abs(found.disputes[0].apart) > 0.4


def test_the_certified_threshold_is_that_of_calibrate() -> None:
    table, corpus, bad = judged(800, 300, systems=2)
    noise = np.random.default_rng(1).normal(size=800)
    table.columns["judge"] = Column(("score",), (noise - 2.5 * bad)[:, None])
    one = line(nlgauge.trust(table, corpus, replicates=0, risk=0.15))
    of = nlgauge.calibrate(table, corpus, risk=0.15)
    assert_allclose([one.certified, one.certified_passing], [of.chosen[0].threshold, of.chosen[0].passing])
    assert one.threshold_from == "chosen on these ratings" and one.tpr_low <= one.tpr <= one.tpr_high


def test_lower_is_better_is_the_same_judge_the_other_way_round() -> None:
    table, corpus, bad = judged()
    scores = np.random.default_rng(1).normal(size=400) - bad
    up = replace(table, columns={"a": Column(("score",), scores[:, None])})
    down = replace(table, columns={"a": Column(("score",), -scores[:, None], higher_is_better=False)})
    one, other = (vars(nlgauge.trust(each, corpus, replicates=0)[0]) for each in (up, down))
    assert one["threshold"] == -other["threshold"]
    for name in ("tpr", "tnr_low", "kappa", "auroc_high", "effective"):
        assert_allclose(one[name], other[name], rtol=1e-9)


def test_a_gate_has_its_own_threshold_and_two_models_have_no_single_one() -> None:
    table, corpus, bad = judged()
    scores = np.clip(np.random.default_rng(1).normal(0.6, 0.2, 400) - 0.3 * bad, 0, 1)
    columns = {"C": Column(("score", "probability"), np.stack([-scores, scores], 1))}
    facts: dict[str, object] = {"grounded": [0.4, 0.7]}
    for more, threshold in (({}, "its own"), ({"then_grounded": [0.5, 0.5]}, "chosen on these ratings")):
        signed = replace(table, columns=columns, signatures={"C": Signature("C", {**facts, **more})})
        one = line(nlgauge.trust(signed, corpus, replicates=0), "C probability")
        assert one.threshold_from == threshold and (one.threshold == 0.4) == (not more)
        assert not math.isnan(one.brier + one.ece)


def test_two_judges_have_a_line_together_and_a_scale_has_correlations() -> None:
    table, corpus, bad = judged(systems=4)
    noise = np.random.default_rng(2).normal(size=(2, 400))
    table.columns["other"] = Column(("score",), (noise[0] - bad)[:, None])
    found = nlgauge.trust(table, corpus, replicates=0)
    both = line(found, "judge + other")
    assert both.auroc > max(found[0].auroc, found[1].auroc)
    assert math.isnan(both.tpr) and both.effective > 120 and len(found.answers) == 2
    rows = [replace(row, scores={"quality": 3 + 2 * row.scores["right"] - (n % 2)} if row.scores else {})
            for n, row in enumerate(corpus)]  # fmt: skip
    scaled = nlgauge.trust(table, Corpus(rows), replicates=0)
    pooled = nlgauge.correlate(table, Corpus(rows), level="pooled", replicates=0).get("other")
    assert scaled[1].bad is None and math.isnan(scaled[1].tpr)
    assert_allclose(scaled[1].pearson, pooled.value)
    assert not math.isnan(scaled[1].pdp + scaled[1].kendall + scaled[1].spearman)
    below = nlgauge.trust(table, Corpus(rows), below=4, replicates=0)
    assert below[0].bad is not None and not math.isnan(below[0].tpr)


def test_a_judge_that_flips_and_one_that_moved() -> None:
    table, corpus, _ = judged(300, 100)
    values = table.values("judge")
    flipped = np.random.default_rng(3).random((2, 300)) < 0.1
    again = ScoreTable(
        table.rows * 3,
        {"judge": Column(("score",), np.concatenate([values, *np.abs(values - flipped)])[:, None])}, {},
        {"repeats": "mean"},
    )  # fmt: skip
    shown = [replace(row, scores={}) for row in corpus]
    one = line(nlgauge.trust(again, Corpus([*corpus, *shown, *shown]), thresholds={"judge": 0.5}, replicates=0))
    # A row of three answers has one that differs where the second, the third or both were flipped.
    assert one.repeated == 300
    assert_allclose(one.flips, (flipped[0] | flipped[1]).mean() / 3)
    assert one.flips_low < 0.19 / 3 < one.flips_high
    harsher = replace(table, columns={"judge": Column(("score",), np.where(flipped[0], 0, values)[:, None])})
    earlier = replace(table, rows=table.rows[:200], columns={"judge": Column(("score",), values[:200, None])})
    one = line(nlgauge.trust(harsher, corpus, before=earlier))
    changed = (flipped[0] & (values == 1))[:200].mean()
    assert one.anchors == 200 and one.moved_p < 0.05 and "it moved since the earlier run" in one.answer
    assert_allclose([one.moved, one.changed], [-changed, changed])
    same = line(nlgauge.trust(table, corpus, before=earlier))
    assert same.moved == 0 and same.moved_p == 1 and "moved" not in same.answer


def test_what_cannot_be_measured_is_refused_or_told() -> None:
    table, corpus, bad = judged()
    with pytest.raises(InputError, match="19 rows are rated, and at least 20 are needed"):
        nlgauge.trust(table, judged(n=19)[1])
    worst = np.argsort(np.random.default_rng(0).random(400) - 3 * bad)[:60]
    rated = [replace(row, scores={"right": float(not bad[n])} if n in worst else {}) for n, row in enumerate(corpus)]
    with pytest.raises(InputError, match="not drawn at random"):
        nlgauge.trust(table, Corpus(rated))
    alike = Corpus([replace(row, scores={"right": 1.0} if row.scores else {}) for row in corpus])
    one = line(nlgauge.trust(table, alike))
    assert math.isnan(one.tpr) and "cannot be judged, as all 120 rated rows are good" in one.answer
    with pytest.raises(InputError, match="judge is no probability"):
        nlgauge.trust(replace(table, columns={"judge": Column(("score",), 2 * table.columns["judge"].values)}), corpus,
                      probabilities=["judge"])  # fmt: skip


def test_raters_say_whether_a_judge_may_stand_in() -> None:
    table, corpus, bad = judged(300, 300, tpr=0.95, tnr=0.95, prevalence=0.5)
    rng = np.random.default_rng(4)
    away = rng.random((3, 300)) < 0.1
    rows = [
        replace(row, scores={**row.scores, **{f"r{n}": float(bad[at] == away[n, at]) for n in range(3)}})
        for at, row in enumerate(corpus)
    ]
    one = line(nlgauge.trust(table, Corpus(rows), rater_aspects=["r0", "r1", "r2"], replicates=0))
    assert one.aspect == "right" and one.stand_in is True and one.won == "3 of 3"
    drawn = Draw(tuple(DrawnRow(*key, 1.0, name=f"r{n}") for n, key in enumerate(table.rows)))
    by_rater = {f"r{n}": {(row.system, row.item): row.scores[f"r{n}"] for row in rows} for n in range(3)}
    means = [replace(row, scores={"right": sum(of[row.system, row.item] for of in by_rater.values()) / 3})
             for row in corpus]  # fmt: skip
    project = ProjectRatings(means, draw=drawn, scales={"right": (0, 1)}, raters={"right": by_rater})
    found = nlgauge.trust(table, project, replicates=0)
    assert found[0].stand_in is True and "at least half of its raters" in found.notes[-1] + found.notes[0]
    assert found[0].bad == sum(row.scores["right"] < 0.5 for row in means)
    coin = replace(table, columns={"judge": Column(("score",), rng.integers(0, 2, (300, 1)).astype(float))})
    assert line(nlgauge.trust(coin, Corpus(rows), rater_aspects=["r0", "r1", "r2"], replicates=0)).stand_in is False


def covers(truth: float, found: tuple[float, float, float]) -> bool:
    return found[1] <= truth <= found[2]


def test_intervals_of_shares_and_auroc_hold_for_few_bad_rows_and_for_clusters() -> None:
    """2,000 draws each: 60 rows of which a fifth is bad; 40 clusters of 1 to 6 rows that have much in common."""
    rng, n = np.random.default_rng(5), 60
    seen: list[list[bool]] = []
    for _ in range(2000):
        bad = rng.random(n) < 0.2
        bad[:3] = True
        scores = rng.normal(size=n) + 1.5 * ~bad
        stopped = np.where(bad, rng.random(n) < 0.9, rng.random(n) < 0.15)
        seen.append(
            [
                covers(0.9, share_of(stopped[bad], np.arange(bad.sum()))),
                covers(0.15, share_of(stopped[~bad], np.arange((~bad).sum()))),
                covers(0.8556, auroc(scores, bad, np.arange(n))),
            ]
        )
    assert ((np.mean(seen, 0) > 0.93) & (np.mean(seen, 0) < 0.985)).all(), np.mean(seen, 0)
    clustered: list[list[bool]] = []
    for _ in range(1000):
        of = np.repeat(np.arange(40), rng.integers(1, 7, 40))
        bad = 0.8 * rng.normal(size=40)[of] + 0.6 * rng.normal(size=len(of)) < -0.6
        scores = 1.2 * ~bad + 0.8 * rng.normal(size=40)[of] + 0.6 * rng.normal(size=len(of))
        through = scores[bad] >= 0
        clustered.append([covers(0.5, share_of(through, of[bad])), covers(0.8019, auroc(scores, bad, of))])
    assert ((np.mean(clustered, 0) > 0.925) & (np.mean(clustered, 0) < 0.985)).all(), np.mean(clustered, 0)


def test_the_interval_of_a_chosen_threshold_holds_where_that_of_a_share_does_not() -> None:
    """The true TPR of the threshold with the best balanced accuracy on 120 rows, 400 draws."""
    from statistics import NormalDist

    from nlgauge.stats.certified import RatedScores

    rng, n, seen = np.random.default_rng(6), 120, []
    everything = np.ones(n, bool)
    for _ in range(400):
        bad = rng.random(n) < 0.25
        scores = rng.normal(size=n) + 1.2 * ~bad
        rows = RatedScores(scores, everything, bad, np.arange(n), everything)
        threshold, of_row = rows.cross_fitted("balanced", 1.0, 0.9, 0)
        stopped, fitted = (scores < threshold)[bad], (scores < of_row)[bad]
        truth, own = NormalDist().cdf(threshold), np.arange(bad.sum())
        seen.append([covers(truth, chosen_share(stopped, fitted, own)), covers(truth, share_of(fitted, own))])
    assert np.mean(seen, 0)[0] > 0.95 and np.mean(seen, 0)[1] < 0.9, np.mean(seen, 0)


@pytest.mark.parametrize("size", [1, 5], ids=["rows", "clusters"])
def test_the_interval_of_calibration_error_holds_the_truth_of_a_calibrated_judge(size: int) -> None:
    rng, n, seen, found_out = np.random.default_rng(7), 100, [], []
    for _ in range(400):
        p = np.repeat(rng.beta(1.5, 0.5, n // size), size)
        u = np.repeat(rng.random(n // size), size)
        bins = np.array_split(np.argsort(p, kind="stable"), 5)
        clusters = np.arange(n) // size
        seen.append(calibration_error(p, u < p, clusters, bins).low == 0)
        found_out.append(calibration_error(p, u < p - 0.4, clusters, bins).low > 0)
    assert np.mean(seen) > 0.95 and np.mean(found_out) > 0.5, (np.mean(seen), np.mean(found_out))

"""How far to trust a scorer: a scripted judge of known error rates, what is refused, and that no number is new."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable
from nlgauge.answers.trust import Trust, Trusts
from nlgauge.answers.trust.decisions import passing
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.maths.inference import Measured
from nlgauge.ratings.project import ProjectRatings
from nlgauge.ratings.sampling import Draw, DrawnRow
from nlgauge.stats.decisions import auroc, calibration_error, chosen_share, share_of
from nlgauge.stats.fitting import folds_of


def judged(
    rows: int = 400,
    n: int = 120,
    seed: int = 0,
    tpr: float = 0.9,
    tnr: float = 0.8,
    prevalence: float = 0.3,
    systems: int = 1,
) -> tuple[ScoreTable, Corpus, np.ndarray]:
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
    assert_allclose([one.tpr[0], one.tnr[0]], [stopped / (bad & rated).sum(), through / (~bad & rated).sum()])
    assert_allclose(one.auroc.value, (one.tpr.value + one.tnr.value) / 2)
    agree = (passes == ~bad)[rated].mean()
    chance = passes[rated].mean() * (~bad)[rated].mean() + (~passes)[rated].mean() * bad[rated].mean()
    assert_allclose([one.kappa, one.brier], [(agree - chance) / (1 - chance), 1 - agree])
    low, high = (f"{100 * end:.0f}" for end in one.tpr[1:])
    assert one.answer.startswith(
        f"judge finds {one.tpr.value:.0%} of the bad rows ({stopped} of {one.bad}, 95 % interval {low} to {high}%) and "
        f"stops {1 - one.tnr.value:.0%} of the good ones ({120 - one.bad - through} of {120 - one.bad}, 95 % interval "
        f"{100 - 100 * one.tnr.high:.0f} to {1 - one.tnr.low:.0%}); it raises the effective number of ratings from 120 "
    )
    assert one.sentinels == ("Length",) and not one.unbeaten
    of = nlgauge.estimate(table, corpus, below=1)[0]
    assert one.effective == of.worth
    assert one.mean == (of.estimate, of.low, of.high)
    assert found.disputes[0].metric == "judge" and abs(found.disputes[0].apart) > 0.4


def test_the_certified_threshold_is_that_of_calibrate() -> None:
    table, corpus, bad = judged(800, 300, systems=2)
    noise = np.random.default_rng(1).normal(size=800)
    table.columns["judge"] = Column(("score",), (noise - 2.5 * bad)[:, None])
    one = line(nlgauge.trust(table, corpus, replicates=0, risk=0.15))
    of = nlgauge.calibrate(table, corpus, risk=0.15)
    assert_allclose([one.certified, one.certified_passing], [of.chosen[0].threshold, of.chosen[0].passing])
    assert one.threshold_from == "chosen on these ratings" and one.tpr.low <= one.tpr.value <= one.tpr.high


def test_lower_is_better_is_the_same_judge_the_other_way_round() -> None:
    table, corpus, bad = judged()
    scores = np.random.default_rng(1).normal(size=400) - bad
    up = replace(table, columns={"a": Column(("score",), scores[:, None])})
    down = replace(table, columns={"a": Column(("score",), -scores[:, None], higher_is_better=False)})
    one, other = (vars(nlgauge.trust(each, corpus, replicates=0)[0]) for each in (up, down))
    assert one["threshold"] == -other["threshold"]
    for name in ("tpr", "tnr", "kappa", "auroc", "effective"):
        assert_allclose(one[name], other[name], rtol=1e-9)


def test_a_verdict_of_which_lower_is_better_is_the_same_the_other_way_round() -> None:
    table, corpus, _ = judged()
    turned = Column(("score",), 1 - table.columns["judge"].values, higher_is_better=False)
    one, other = (
        nlgauge.trust(replace(table, columns={"judge": column}), corpus, replicates=0)[0]
        for column in (table.columns["judge"], turned)
    )
    assert (one.threshold, other.threshold, other.threshold_from) == (1, 0, "its own")
    assert (one.tpr, one.tnr, one.kappa, one.auroc) == (other.tpr, other.tnr, other.kappa, other.auroc)


def test_a_probability_that_a_row_is_bad_is_read_from_the_other_end() -> None:
    table, corpus, bad = judged()
    likely = np.clip(0.2 + 0.5 * bad + np.random.default_rng(4).normal(size=400) / 8, 0, 1)
    column = Column(("score",), likely[:, None], higher_is_better=False)
    one = nlgauge.trust(replace(table, columns={"p": column}), corpus, probabilities=["p"], replicates=0)[0]
    rated = np.array([bool(row.scores) for row in corpus])
    assert_allclose(one.brier, ((1 - likely - ~bad)[rated] ** 2).mean())
    other = Column(("score",), 1 - likely[:, None])
    same = nlgauge.trust(replace(table, columns={"p": other}), corpus, probabilities=["p"], replicates=0)[0]
    assert_allclose(one.ece, same.ece)


def test_shares_by_a_chosen_threshold_are_of_thresholds_that_other_rows_chose() -> None:
    """A scorer of little worth, whose best threshold on the rated rows looks better than it is."""
    table, corpus, bad = judged(300, 60)
    scores = np.random.default_rng(15).normal(size=300) - 0.3 * bad
    one = nlgauge.trust(replace(table, columns={"a": Column(("score",), scores[:, None])}), corpus, replicates=0)[0]
    rated = np.flatnonzero([bool(row.scores) for row in corpus])
    fold, passed = folds_of(rated, 5, 0), np.zeros(60, bool)
    for number in range(5):
        out = fold == number
        passed[out] = scores[rated[out]] >= best(scores[rated[~out]], bad[rated[~out]])
    of_all = scores[rated] >= best(scores[rated], bad[rated])
    wrong = bad[rated]
    assert all(passed[kind].sum() != of_all[kind].sum() for kind in (wrong, ~wrong)), "both shares are to tell the two"
    assert one.threshold_from == "chosen on these ratings"
    assert one.threshold == best(scores[rated], wrong)
    for share, kind, hits, own in ((one.tpr, wrong, ~passed, ~of_all), (one.tnr, ~wrong, passed, of_all)):
        half = math.sqrt(math.log(2 / 0.05) / (2 * kind.sum()))
        ends = (own[kind].mean() - half, own[kind].mean() + half)
        assert_allclose(share, [hits[kind].mean(), max(0, min(ends[0], hits[kind].mean())), min(1, ends[1])])
    agree = (passed == ~wrong).mean()
    chance = passed.mean() * (~wrong).mean() + (~passed).mean() * wrong.mean()
    assert_allclose(one.kappa, (agree - chance) / (1 - chance))


def best(scores: np.ndarray, bad: np.ndarray) -> float:
    """The score from which on rows pass at the best balanced accuracy."""
    of = {t: (scores[bad] < t).mean() + (scores[~bad] >= t).mean() for t in np.sort(scores).tolist()}
    return max(of, key=lambda t: of[t])


WORTH = Trust(
    metric="M",
    aspect="a",
    rated=30,
    rows=1000,
    bad=3,
    threshold_from="its own",
    tpr=Measured(1, 0.29, 1),
    tnr=Measured(0.89, 0.72, 0.98),
)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {},
            "M finds 100% of the bad rows (3 of 3, 95 % interval 29 to 100%) and stops 11% of the good ones (3 of 27, "
            "95 % interval 2 to 28%).",
        ),
        ({"tpr": Measured(1)}, "finds 100% of the bad rows (3 of 3, no interval) and"),
        (
            {"effective": Measured(116, 36, 581)},
            "; it raises the effective number of ratings from 30 to 116 (95 % interval 36 to 581).",
        ),
        (
            {"effective": Measured(116, 36, 1000)},
            "; it raises the effective number of ratings from 30 to 116 (at least 36).",
        ),
        (
            {"effective": Measured(116, 30, 581)},
            "; it is not shown to save ratings (they say as much as 116, 95 % interval 30 to 581).",
        ),
        ({"effective": Measured(30), "rows": 30}, "; all rows are rated, so that there was nothing left to save."),
        ({"bad": 30}, "M cannot be judged, as all 30 rated rows are bad."),
        (
            {"bad": None, "pearson": Measured(0.5, 0.2, 0.7)},
            "M agrees with people by a correlation of 0.50 (95 % interval 0.20 to 0.70; 30 ratings).",
        ),
        ({"bad": None, "pearson": Measured(0.5)}, "a correlation of 0.50 (no interval; 30 ratings)."),
        (
            {"moved": Measured(0.1, 0, 0.2), "moved_p": 0.04, "righter_p": 0.06},
            "; it moved since the earlier run: its mean score by 0.10 (95 % interval 0.00 to 0.20).",
        ),
        ({"moved": Measured(0.1, -0.1, 0.2), "moved_p": 0.05, "righter_p": 0.05}, "2 to 28%)."),
    ],
)
def test_each_sentence_has_its_counts_and_its_intervals(more: dict[str, object], said: str) -> None:
    assert said in replace(WORTH, **more).answer  # type: ignore[arg-type]


def test_a_gate_has_its_own_threshold() -> None:
    table, corpus, bad = judged()
    scores = np.clip(np.random.default_rng(1).normal(0.6, 0.2, 400) - 0.3 * bad, 0, 1)
    columns = {"C": Column(("score", "probability"), np.stack([-scores, scores], 1))}
    signed = replace(table, columns=columns, signatures={"C": Signature("C", {"grounded": [0.4, 0.7]})})
    one = line(nlgauge.trust(signed, corpus, replicates=0), "C probability")
    assert (one.threshold, one.threshold_from) == (0.4, "its own") and math.isnan(one.second_threshold)
    assert not math.isnan(one.brier + one.ece.value)


def cascade(facts: dict[str, object]) -> tuple[ScoreTable, Corpus, np.ndarray, np.ndarray]:
    """A cascade whose second model, on half of the rows, says .3 more than the first; and the first model's scale."""
    table, corpus, bad = judged()
    rng = np.random.default_rng(1)
    told = np.clip(rng.normal(0.5, 0.15, 400) - 0.2 * bad, 0, 0.7)
    second = rng.random(400) < 0.5
    values = np.stack([told + 0.3 * second, 1.0 + second], 1)
    columns = {"C": Column(("probability", "decided"), values, details=("decided",))}
    return replace(table, columns=columns, signatures={"C": Signature("C", facts)}), corpus, bad, told


def test_each_row_of_a_cascade_is_judged_by_the_threshold_of_the_model_that_decided_it() -> None:
    facts: dict[str, object] = {"grounded": [0.2, 0.9], "unsure": [0.4, 0.9], "then_grounded": [0.7, 0.8]}
    table, corpus, bad, told = cascade(facts)
    one = line(nlgauge.trust(table, corpus, replicates=0), "C probability")
    rated = np.array([bool(row.scores) for row in corpus])
    assert (one.threshold, one.second_threshold, one.threshold_from) == (0.4, 0.7, "its own")
    assert_allclose(one.tpr.value, (told < 0.4)[bad & rated].mean())
    assert_allclose(one.tnr.value, (told >= 0.4)[~bad & rated].mean())
    # Repeated rows that both models decided: their mean score is beside the mean of the two thresholds.
    column = table.columns["C"]
    other = np.stack([told + 0.3 * (column.values[:, 1] == 1), 3 - column.values[:, 1]], 1)
    twice = replace(
        table,
        rows=table.rows * 2,
        run={"repeats": "mean"},
        columns={"C": replace(column, values=np.concatenate([column.values, other]))},
    )
    again = line(nlgauge.trust(twice, corpus, replicates=0), "C probability")
    assert again.tpr.value == one.tpr.value and again.tnr.value == one.tnr.value
    assert again.repeated == 400 and again.flips.value == 0


def test_a_cascade_without_both_thresholds_has_none_of_its_own() -> None:
    table, corpus, _, _ = cascade({"grounded": [0.4, 0.9], "unsure": [0.4, 0.9]})
    found = nlgauge.trust(table, corpus, replicates=0)
    one = line(found, "C probability")
    assert one.threshold_from == "chosen on these ratings" and math.isnan(one.second_threshold)
    assert any("not both of its models have measured thresholds" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "value", "lower", "shares"),
    [
        ("judge", 0.0, False, (1, 0)),
        ("judge", 1.0, False, (0, 1)),
        ("judge", 1.0, True, (1, 0)),
        ("judge", 0.0, True, (0, 1)),
        ("Column('p')", 0.8, False, (0, 1)),
        ("Column('p')", 0.2, False, (1, 0)),
        ("Judge('http://127.0.0.1/v1', values={'good': 1, 'bad': 0})", 1.0, False, (0, 1)),
    ],
)
def test_a_scorer_of_one_verdict_has_decided(name: str, value: float, lower: bool, shares: tuple[float, float]) -> None:
    table, corpus, _ = judged()
    column = Column(("score",), np.full((400, 1), value), higher_is_better=not lower)
    one = line(nlgauge.trust(replace(table, columns={name: column}), corpus, replicates=0), name)
    assert (one.tpr.value, one.tnr.value) == shares and one.kappa == 0
    assert (one.threshold, one.threshold_from, one.single) == (0.5, "0.5, as it has one score alone", value)
    assert one.auroc.value == 0.5 and one.auroc.low < 0.45 and one.auroc.high > 0.55
    assert one.tpr.low < one.tpr.high and one.tnr.low < one.tnr.high
    n = (one.bad if shares[0] else 0, one.rated - one.bad if not shares[1] else 0)
    assert f"finds {shares[0]:.0%} of the bad rows ({n[0]} of {one.bad}," in one.answer
    assert f"stops {1 - shares[1]:.0%} of the good ones ({n[1]} of {one.rated - one.bad}," in one.answer
    assert f"all its scores are {value:g}, and 0.5 decides" in one.answer


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [
        ("Length", 7.0, {"score": (0.0, math.inf)}),
        ("Length", 1.0, {"score": (0.0, math.inf)}),
        ("TokenF1 f1", 0.4, {"score": (0.0, 1.0)}),
        ("Judge('http://127.0.0.1/v1', values='1-5')", 1.0, {"score": (1.0, 5.0)}),
        ("other", 0.4, {}),
    ],
)
def test_one_score_without_a_meaning_decides_nothing(
    name: str, value: float, limits: dict[str, tuple[float, float]]
) -> None:
    table, corpus, _ = judged()
    alone = replace(table, columns={name: Column(("score",), np.full((400, 1), value), limits=limits)})
    one = line(nlgauge.trust(alone, corpus, replicates=0), name)
    assert math.isnan(one.tpr.value) and math.isnan(one.tnr.value) and math.isnan(one.kappa) and not one.threshold_from
    assert math.isnan(one.brier)
    assert one.auroc.value == 0.5 and f"decides nothing: all its scores are {value:g}" in one.answer
    given = line(nlgauge.trust(alone, corpus, thresholds={name: value + 0.1}, replicates=0), name)
    assert given.tpr.value == 1 and given.tnr.value == 0


def test_a_scorer_of_one_score_that_abstains_decides_by_abstaining() -> None:
    table, corpus, bad = judged()
    column = Column(("score",), np.where(bad, np.nan, 1.0)[:, None])
    one = line(nlgauge.trust(replace(table, columns={"judge": column}), corpus, replicates=0))
    assert (one.tpr.value, one.tnr.value, one.unscored) == (1, 1, one.bad)


def test_two_judges_have_a_line_together_and_a_scale_has_correlations() -> None:
    table, corpus, bad = judged(systems=4)
    noise = np.random.default_rng(2).normal(size=(2, 400))
    table.columns["other"] = Column(("score",), (noise[0] - bad)[:, None])
    found = nlgauge.trust(table, corpus, replicates=0)
    both = line(found, "judge + other")
    assert both.auroc > max(found[0].auroc, found[1].auroc)
    assert math.isnan(both.tpr.value) and both.effective.value > 120 and len(found.answers) == 2
    rows = [
        replace(row, scores={"quality": 3 + 2 * row.scores["right"] - (n % 2)} if row.scores else {})
        for n, row in enumerate(corpus)
    ]
    scaled = nlgauge.trust(table, Corpus(rows), replicates=0)
    pooled = nlgauge.correlate(table, Corpus(rows), level="pooled", replicates=0).get("other")
    assert scaled[1].bad is None and math.isnan(scaled[1].tpr.value)
    assert_allclose(scaled[1].pearson.value, pooled.value)
    assert not math.isnan(scaled[1].pdp.value + scaled[1].kendall + scaled[1].spearman)
    below = nlgauge.trust(table, Corpus(rows), below=4, replicates=0)
    assert below[0].bad is not None and not math.isnan(below[0].tpr.value)


def test_a_judge_that_flips() -> None:
    table, corpus, _ = judged(300, 100)
    values = table.values("judge")
    flipped = np.random.default_rng(3).random((2, 300)) < 0.1
    again = ScoreTable(
        table.rows * 3,
        {"judge": Column(("score",), np.concatenate([values, *np.abs(values - flipped)])[:, None])},
        {},
        {"repeats": "mean"},
    )
    shown = [replace(row, scores={}) for row in corpus]
    one = line(nlgauge.trust(again, Corpus([*corpus, *shown, *shown]), thresholds={"judge": 0.5}, replicates=0))
    # A row of three answers has one that differs where the second, the third or both were flipped.
    assert one.repeated == 300
    assert_allclose(one.flips.value, (flipped[0] | flipped[1]).mean() / 3)
    assert one.flips.low < 0.19 / 3 < one.flips.high


def test_where_all_rows_are_rated_nothing_is_left_to_save() -> None:
    table, corpus, bad = judged()
    every = [replace(row, scores={"right": float(not wrong)}) for row, wrong in zip(corpus, bad, strict=True)]
    one = line(nlgauge.trust(table, Corpus(every), replicates=0))
    assert one.rated == one.rows == 400 and "all rows are rated, so that there was nothing left to save" in one.answer
    assert one.effective.value == 400 and math.isnan(one.effective.low)
    noise = replace(table, columns={"n": Column(("score",), np.random.default_rng(0).normal(size=(400, 1)))})
    assert (
        "it is not shown to save ratings (they say as much as" in nlgauge.trust(noise, corpus, replicates=0)[0].answer
    )


def test_scorers_that_are_certified_at_once_share_the_confidence() -> None:
    table, corpus, bad = judged(800, 300)
    rng = np.random.default_rng(1)
    columns = {f"M{n}": Column(("score",), (rng.normal(size=800) - 2.5 * bad)[:, None]) for n in range(4)}
    found = nlgauge.trust(replace(table, columns=columns), corpus, replicates=0, confidence=0.8)
    for one in found.records[:4]:
        of = nlgauge.calibrate(replace(table, columns=columns), corpus, metric=one.metric, confidence=0.95)
        assert_allclose([one.certified, one.certified_at_once], [of.chosen[0].threshold, 4])
    assert any("4 scorers are certified at once, each with a confidence of 0.95" in note for note in found.notes)
    alone = nlgauge.trust(replace(table, columns=columns), corpus, metrics=["M0"], replicates=0)
    assert alone[0].certified_at_once == 1 and not any("at once" in note for note in alone.notes)


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
    assert math.isnan(one.tpr.value) and "cannot be judged, as all 120 rated rows are good" in one.answer
    with pytest.raises(InputError, match="judge is no probability"):
        nlgauge.trust(
            replace(table, columns={"judge": Column(("score",), 2 * table.columns["judge"].values)}),
            corpus,
            probabilities=["judge"],
        )


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
    means = [
        replace(row, scores={"right": sum(of[row.system, row.item] for of in by_rater.values()) / 3}) for row in corpus
    ]
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
    assert ((np.mean(seen, 0) > 0.93) & (np.mean(seen, 0) < 0.999)).all(), np.mean(seen, 0)
    clustered: list[list[bool]] = []
    for _ in range(1000):
        of = np.repeat(np.arange(40), rng.integers(1, 7, 40))
        bad = 0.8 * rng.normal(size=40)[of] + 0.6 * rng.normal(size=len(of)) < -0.6
        scores = 1.2 * ~bad + 0.8 * rng.normal(size=40)[of] + 0.6 * rng.normal(size=len(of))
        through = scores[bad] >= 0
        clustered.append([covers(0.5, share_of(through, of[bad])), covers(0.8019, auroc(scores, bad, of))])
    assert ((np.mean(clustered, 0) > 0.925) & (np.mean(clustered, 0) < 0.995)).all(), np.mean(clustered, 0)


def test_the_interval_of_a_chosen_threshold_holds_where_that_of_a_share_does_not() -> None:
    """The true TPR of the threshold with the best balanced accuracy on 120 rows, 400 draws."""
    from statistics import NormalDist

    from nlgauge.answers.rated_scores import RatedScores

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


def test_numbers_are_of_rated_rows_that_all_had_the_smallest_probability() -> None:
    """Of the rows of probability .9 a third is taken at random, as if all had been drawn with .3."""
    table, corpus, _ = judged()
    likely = np.random.default_rng(2).random(400) < 0.5
    rows = [
        replace(row, extra={"probability": 0.9 if often else 0.3}) for row, often in zip(corpus, likely, strict=True)
    ]
    one = line(nlgauge.trust(table, Corpus(rows), replicates=0))
    rated = np.array([bool(row.scores) for row in corpus])
    expected = (rated & likely).sum() / 3 + (rated & ~likely).sum()
    assert abs(one.rated - expected) < 12 < rated.sum() - expected
    assert sum(some.n for some in one.reliability) == one.rated and one.bad < 0.6 * one.rated
    assert round(one.tpr.value * one.bad) == pytest.approx(one.tpr.value * one.bad, abs=1e-9), "of these bad rows"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_threshold_of_a_second_model_has_the_direction_of_the_scorer(sign: int) -> None:
    values = np.array([[0.5, 1.0], [0.5, 2.0], [0.7, 2.0], [0.3, 1.0]]) * [sign, 1]
    column = Column(("p", "decided"), values, details=("decided",), higher_is_better=sign > 0)
    assert passing(column, 0.4 * sign, 0.6 * sign).tolist() == [True, False, True, False]


def test_a_plan_says_how_many_ratings_of_each_kind_make_the_intervals_short() -> None:
    """By simulation: with so many bad and good rows, the mean half length is the margin or a little less."""
    table, corpus, _ = judged(2000, 150, seed=4)
    one = line(nlgauge.trust(table, corpus, replicates=0, margin=0.05))
    assert "for intervals as short as the margin" in one.answer
    rng = np.random.default_rng(0)
    for needed, share in ((one.needed_bad, one.tpr.value), (one.needed_good, one.tnr.value)):
        n = int(needed)
        ends = [share_of(rng.random(n) < share, np.arange(n)) for _ in range(300)]
        # Not longer, and a little shorter, as the share was taken with two rows more of each side.
        assert 0.042 < np.mean([(end.high - end.low) / 2 for end in ends]) < 0.051
    of_bad = one.bad / one.rated
    assert one.needed_rows == math.ceil(max(one.needed_bad / of_bad, one.needed_good / (1 - of_bad)) - 1e-9)
    none = line(nlgauge.trust(table, corpus, replicates=0))
    assert math.isnan(none.needed_bad) and "margin" not in none.answer
    with pytest.raises(InputError, match=r"the margin 0.5 is not between 0 and 0.5"):
        nlgauge.trust(table, corpus, margin=0.5)


def test_a_plan_is_by_aspect_and_for_a_chosen_threshold_longer() -> None:
    table, corpus, bad = judged(400, 150, seed=4)
    worse = Corpus(
        [
            replace(row, scores={**row.scores, "clear": float(n % 3 > 0)}) if row.scores else row
            for n, row in enumerate(corpus)
        ]
    )
    table.columns["noisy"] = Column(("score",), (np.random.default_rng(1).normal(size=400) - bad)[:, None])
    found = nlgauge.trust(table, worse, replicates=0, margin=0.1)
    plans = {(one.aspect, one.metric): one.needed_bad for one in found if " + " not in one.metric}
    assert len(plans) == 4 and plans["right", "judge"] != plans["clear", "judge"]
    assert plans["right", "noisy"] == plans["clear", "noisy"] == math.ceil(math.log(40) / (2 * 0.1**2))

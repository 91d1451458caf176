"""Whether a scorer moved since an earlier run: one frozen threshold for both runs, and how often the alarm is false."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable, SpecError
from nlgauge.answers.trust import Trust, Trusts
from nlgauge.answers.trust.declared import values_by
from nlgauge.answers.trust.facts import Facts
from nlgauge.answers.trust.lines import Lines, scorers_of
from nlgauge.answers.trust.runs import moved
from nlgauge.data import history as past
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.gate.verify import verify
from nlgauge.ratings.rated import rated_rows
from tests.answers.test_trust import judged, line

TWICE = tuple[np.ndarray, np.ndarray]


def scored(values: np.ndarray, n: int | None = None, name: str = "judge", **how: object) -> ScoreTable:
    """Scores of the rows that `judged` makes."""
    keys = [("s0", f"i{row}") for row in range(len(values) if n is None else n)]
    return ScoreTable(keys, {name: Column(("score",), values[: len(keys), None], **how)}, {})  # type: ignore[arg-type]


def compared(now: np.ndarray, before: np.ndarray, corpus: Corpus, **how: object) -> Trusts:
    return nlgauge.trust(scored(now), corpus, before=scored(before), replicates=0, **how)  # type: ignore[arg-type]


def test_a_judge_that_moved_and_one_that_did_not() -> None:
    table, corpus, _ = judged(300, 100)
    values = table.values("judge")
    harsher = np.where(np.random.default_rng(3).random(300) < 0.1, 0, values)
    one = line(nlgauge.trust(scored(harsher), corpus, before=scored(values, 200), replicates=0))
    changed = (harsher != values)[:200].mean()
    assert one.anchors == 200 and one.moved_p < 0.05 and one.has_moved
    assert_allclose([one.moved.value, one.changed.value], [-changed, changed])
    assert f"its mean score by {-changed:.2f} (95 % interval " in one.answer
    assert f"{changed:.0%} of its decisions ({round(200 * changed)} of 200, 95 % interval " in one.answer
    same = line(nlgauge.trust(scored(values), corpus, before=scored(values, 200), replicates=0))
    assert (same.moved.value, same.moved_p, same.righter.value, same.changed.value) == (0, 1, 0, 0)
    assert "moved" not in same.answer and min(same.moved.high, same.righter.high, same.changed.high) > 0


@pytest.mark.parametrize("sign", [1, -1], ids=["higher is better", "lower is better"])
def test_both_runs_are_decided_by_the_threshold_that_the_earlier_scores_chose(sign: int) -> None:
    """The judge gives each row less, and the best threshold moves with it: chosen anew, no decision would change."""
    _, corpus, bad = judged(300, 300)
    before = np.random.default_rng(1).normal(size=300) + 2 * ~bad
    now = before - 1.0
    tables = [scored(sign * values, higher_is_better=sign > 0) for values in (now, before)]
    one = line(nlgauge.trust(tables[0], corpus, before=tables[1], replicates=0))
    # The best balanced accuracy, by hand, and halfway to the next lower score.
    worth = [(before[bad] < t).mean() + (before[~bad] >= t).mean() for t in np.sort(before)]
    best = int(np.argmax(worth))
    threshold = np.sort(before)[best - 1 : best + 1].mean()
    passed, did = now >= threshold, before >= threshold
    assert_allclose([sign * one.frozen, one.changed.value], [threshold, (passed != did).mean()])
    assert one.changed.value > 0.2 and one.threshold != pytest.approx(one.frozen)
    assert one.righter.value == pytest.approx((passed == ~bad).mean() - (did == ~bad).mean(), abs=0.03)
    assert one.righter_p < 0.05 and "its share of right decisions by -0." in one.answer


def test_a_total_turn_is_seen_where_the_mean_stays() -> None:
    _, corpus, bad = judged(200, 200, prevalence=0.5)
    good = (~bad).astype(float)
    noise = np.random.default_rng(0).random(200)
    one = line(compared(np.where(noise < 0.8, 1 - good, good), good, corpus))
    assert_allclose(one.changed.value, (noise < 0.8).mean())
    assert_allclose(one.righter.value, -(noise < 0.8).mean())
    assert one.righter_p < 1e-9 and one.has_moved


def test_the_threshold_is_the_given_one_or_that_of_the_earlier_card() -> None:
    _, corpus, bad = judged(200, 100)
    before = np.clip(np.random.default_rng(1).normal(0.6, 0.2, 200) - 0.3 * bad, 0, 1)
    now = np.clip(before - 0.15, 0, 1)
    given = line(compared(now, before, corpus, thresholds={"judge": 0.45}))
    assert given.frozen == 0.45
    assert_allclose(given.changed.value, ((now >= 0.45) != (before >= 0.45)).mean())
    tables = [
        ScoreTable(
            [("s0", f"i{row}") for row in range(200)],
            {"C": Column(("probability",), values[:, None])},
            {"C": Signature("C", {"grounded": [limit, 0.9]})},
        )
        for values, limit in ((now, 0.2), (before, 0.5))
    ]
    found = nlgauge.trust(tables[0], corpus, before=tables[1], replicates=0)
    assert (found[0].threshold, found[0].frozen) == (0.2, 0.5)
    assert any("was computed otherwise: grounded is" in note for note in found.notes)


def test_a_judge_that_said_yes_of_every_row_has_a_threshold() -> None:
    _, corpus, bad = judged(200, 100)
    one = line(compared((~bad).astype(float), np.ones(200), corpus))
    assert one.frozen == 0.5 and one.changed.value == bad.mean() and one.righter.value > 0


def test_without_rated_anchors_of_both_kinds_decisions_are_not_compared() -> None:
    _, corpus, bad = judged(300, 100)
    before = np.random.default_rng(1).normal(size=300) + 2 * ~bad
    few = np.flatnonzero([not row.scores for row in corpus])
    earlier = ScoreTable([("s0", f"i{row}") for row in few], {"judge": Column(("score",), before[few, None])}, {})
    found = nlgauge.trust(scored(before - 1), corpus, before=earlier, replicates=0)
    one = line(found)
    assert one.anchors == len(few) and one.moved.value == pytest.approx(-1) and one.has_moved
    assert math.isnan(one.frozen) and math.isnan(one.changed.value) and math.isnan(one.righter.value)
    assert any("no threshold can be chosen on the earlier scores" in note for note in found.notes)


def test_anchors_are_found_by_their_texts_and_lost_scores_are_told_of() -> None:
    table, corpus, _ = judged(60, 40)
    values = table.values("judge")
    texts = [f"{row}.s.c.q" for row in range(60)]
    now = replace(scored(np.where(np.arange(60) < 4, np.nan, values)), run={"texts": texts})
    other = [f"i{row}" for row in range(100, 160)]
    before = ScoreTable([("s0", item) for item in other], scored(values).columns, {}, {"texts": texts})
    found = nlgauge.trust(now, corpus, before=before, replicates=0)
    assert found[0].anchors == 56 and found[0].changed.value == 0
    assert "judge: 4 of 60 anchors have no score now, and had one before" in found.notes
    before.run["texts"] = [f"other {text}" for text in texts]
    assert any(
        "no row has a score in both runs" in note
        for note in nlgauge.trust(now, corpus, before=before, replicates=0).notes
    )
    before.rows = now.rows
    assert any(
        "60 rows of the earlier scores have other texts" in note
        for note in nlgauge.trust(now, corpus, before=before, replicates=0).notes
    )


def alarms(make: Callable[[np.ndarray, np.random.Generator], TWICE], n: int, draws: int, scorers: int = 1) -> float:
    """The share of draws in which some scorer is said to have moved, of n rated anchors."""
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        bad = rng.random(n) < 0.35
        keys = [("s", f"i{row}") for row in range(n)]
        corpus = Corpus(
            [
                Row("x", system="s", item=item, scores={"right": float(not wrong)})
                for (_, item), wrong in zip(keys, bad, strict=True)
            ]
        )
        pairs = [make(bad, rng) for _ in range(scorers)]
        now, before = (
            ScoreTable(keys, {f"M{k}": Column(("score",), pair[at][:, None]) for k, pair in enumerate(pairs)}, {})
            for at in (0, 1)
        )
        table = scorers_of(now, None)
        lines = Lines(table, rated_rows(table, corpus, None), {"right": 1.0}, {}, set(), 0.1, 0.9, 0, 0)
        made = [Facts(metric=name, aspect="right", rated=n, rows=n) for name in table.columns]
        moved(lines, None, before=before, made=made, notes=[])
        found.append(any(Trust(**values_by(Trust, one)).has_moved for one in made))
    return float(np.mean(found))


def unsteady(shift: float = 0.0) -> Callable[[np.ndarray, np.random.Generator], TWICE]:
    """A probability that differs from run to run."""

    def make(bad: np.ndarray, rng: np.random.Generator) -> TWICE:
        z = rng.normal(size=len(bad)) + 1.5 * ~bad
        now, before = (1 / (1 + np.exp(1.5 - 2 * (z + 0.4 * rng.normal(size=len(bad)) + by))) for by in (shift, 0.0))
        return now, before

    return make


def verdicts(flips: float, turns: float = 0.0) -> Callable[[np.ndarray, np.random.Generator], TWICE]:
    """Yes or no, of which some differ from run to run, and some are turned now."""

    def make(bad: np.ndarray, rng: np.random.Generator) -> TWICE:
        n = len(bad)
        settled = np.where(rng.random(n) < 0.1, bad, ~bad)
        before = settled != (rng.random(n) < flips)
        now = (settled != (rng.random(n) < turns)) != (rng.random(n) < flips)
        return now.astype(float), before.astype(float)

    return make


@pytest.mark.parametrize(
    ("make", "scorers"),
    [(unsteady(), 1), (verdicts(0.0), 1), (verdicts(0.1), 1), (verdicts(0.1), 5)],
    ids=["a probability", "the same verdicts", "unsteady verdicts", "five scorers"],
)
def test_the_alarm_is_seldom_false(make: Callable[[np.ndarray, np.random.Generator], TWICE], scorers: int) -> None:
    """Over 1,000 draws .04 to .05 of unsteady probabilities; chosen on the very rows, the threshold makes .10."""
    assert alarms(make, 200, 200 // scorers, scorers) <= 0.08


@pytest.mark.parametrize("make", [verdicts(0.02, 0.3), verdicts(0.0, 0.8), unsteady(0.3)])
def test_the_alarm_rings(make: Callable[[np.ndarray, np.random.Generator], TWICE]) -> None:
    assert alarms(make, 100, 50) >= 0.9


def test_rows_of_an_item_that_moved_together_are_one_row() -> None:
    table, corpus, _ = judged(200, 200)
    values, rng = table.values("judge"), np.random.default_rng(5)
    now = np.where(rng.random(200) < 0.1, 1 - values, values)
    alone = line(compared(now, values, corpus))
    keys = [(f"s{row % 2}", f"i{row // 2}") for row in range(400)]
    runs = [ScoreTable(keys, {"judge": Column(("score",), np.repeat(x, 2)[:, None])}, {}) for x in (now, values)]
    rows = [
        replace(row, system=system, item=item)
        for row, (system, item) in zip(np.repeat(list(corpus), 2), keys, strict=True)
    ]
    both = line(nlgauge.trust(runs[0], Corpus(rows), before=runs[1], replicates=0))
    assert both.anchors == 400 and both.moved.value == pytest.approx(alone.moved.value)
    for name in ("moved", "changed", "righter"):
        (_, low, high), (_, least, most) = getattr(both, name), getattr(alone, name)
        assert high - low > 0.97 * (most - least), name


def nights(
    now: Callable[[int, np.random.Generator], np.ndarray], path: Path | None, seed: int, count: int
) -> list[bool]:
    """Whether the alarm rang in each night, of one judge whose 80 anchors were asked once before."""
    rng = np.random.default_rng(seed)
    bad = rng.random(80) < 0.4
    keys = [("s0", f"i{row}") for row in range(80)]
    corpus = Corpus(
        [Row("x", system=s, item=i, scores={"right": float(not b)}) for (s, i), b in zip(keys, bad, strict=True)]
    )
    settled = np.where(rng.random(80) < 0.1, bad, ~bad)
    answers = [(settled != (now(night, rng) < 0.2)).astype(float) for night in range(count + 1)]
    rang = []
    for values in answers[1:]:
        table = scorers_of(scored(values), None)
        lines = Lines(table, rated_rows(table, corpus, None), {"right": 1.0}, {"judge": 0.5}, set(), 0.1, 0.9, 0, 0)
        made = [Facts(metric="judge", aspect="right", rated=80, rows=80)]
        moved(lines, None, before=scored(answers[0]), made=made, notes=[], history=path)
        rang.append(Trust(**values_by(Trust, made[0])).has_moved)
    return rang


def test_a_judge_that_is_asked_every_night_seldom_alarms_falsely_in_a_whole_history(tmp_path: Path) -> None:
    """A fifth of its answers contradict its mind, and nothing drifts. Tested alone, some night alarms more often."""

    def steady(night: int, rng: np.random.Generator) -> np.ndarray:
        return rng.random(80)

    followed = [any(nights(steady, tmp_path / f"{seed}.jsonl", seed, 3)) for seed in range(200)]
    assert np.mean(followed) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    alone = [any(nights(steady, None, seed, 10)) for seed in range(40)]
    assert np.mean(alone) > 0.05 >= np.mean(followed[:40])


def test_a_drift_is_found_in_the_night_when_it_comes(tmp_path: Path) -> None:
    def turned_from_the_fourth(night: int, rng: np.random.Generator) -> np.ndarray:
        return rng.random(80) * (0.25 if night >= 4 else 1)

    path = tmp_path / "nights.jsonl"
    assert nights(turned_from_the_fourth, path, 1, 5) == [False, False, False, True, True]
    assert [(one.part, one.look, one.alarm) for one in past.read(path) if one.part != "score"] == [
        ("right decisions of right by 0.5", look, look > 3) for look in range(1, 6)
    ]
    assert {one.significance for one in past.read(path)} == {0.025} and not verify(path).changes


def test_a_history_holds_the_intervals_that_are_said(tmp_path: Path) -> None:
    table, corpus, _ = judged(200, 150)
    values = table.values("judge")
    now = np.where(np.random.default_rng(3).random(200) < 0.3, 0, values)
    path = tmp_path / "nights.jsonl"
    found = [compared(now, values, corpus, history=path) for _ in range(3)]
    first, last = line(found[0]), line(found[2])
    assert last.moved.low < first.moved.low < last.moved.value < first.moved.high < last.moved.high < 0
    assert first.moved_p < last.moved_p < 0.05 and last.has_moved
    written = past.read(path)
    assert [one.look for one in written] == [1, 1, 2, 2, 3, 3]
    assert (written[4].low, written[4].high) == (last.moved.low, last.moved.high)
    assert (written[5].now - written[5].before) == pytest.approx(last.righter.value)
    assert any(note.startswith("comparison 3 of its history: ") for note in found[2].notes)
    alone = line(compared(now, values, corpus))
    assert alone.moved.high - alone.moved.low < first.moved.high - first.moved.low


def test_a_lost_answer_leaves_the_history_as_it_is_and_few_anchors_say_so(tmp_path: Path) -> None:
    table, corpus, _ = judged(60, 60)
    values, path = table.values("judge"), tmp_path / "nights.jsonl"
    compared(values, values, corpus, history=path, thresholds={"judge": 0.5})
    compared(np.where(np.arange(60) < 3, np.nan, values), values, corpus, history=path, thresholds={"judge": 0.5})
    assert [one.n for one in past.read(path)] == [60, 60, 57, 57]
    how: dict[str, Any] = {"history": tmp_path / "few.jsonl", "thresholds": {"judge": 0.5}}
    found = nlgauge.trust(scored(1 - values), corpus, before=scored(values, 4), replicates=0, **how)
    assert not line(found).has_moved and math.isnan(line(found).moved.low)
    assert any("too few anchors to show a drift of any size: at comparison 1 at least" in note for note in found.notes)


def test_a_history_of_other_comparisons_or_a_changed_one_is_refused(tmp_path: Path) -> None:
    table, corpus, _ = judged(100, 100)
    values, path = table.values("judge"), tmp_path / "nights.jsonl"
    how: dict[str, Any] = {"history": path, "thresholds": {"judge": 0.5}}
    compared(values, values, corpus, **how)
    whole = path.read_bytes()
    with pytest.raises(InputError, match=r"history of other values or thresholds: .* by 0\.5, .* by 0\.7.*--threshold"):
        compared(values, values, corpus, **(how | {"thresholds": {"judge": 0.7}}))
    with pytest.raises(InputError, match=r"history of other anchors: .*compare the same anchors, or begin a new"):
        nlgauge.trust(scored(values), corpus, before=scored(values, 90), replicates=0, **how)
    runs = [scored(values, name="other") for _ in range(2)]
    with pytest.raises(InputError, match=r"history of other scorers: of judge, and this comparison is of other"):
        nlgauge.trust(runs[0], corpus, before=runs[1], replicates=0, history=path, thresholds={"other": 0.5})
    with pytest.raises(InputError, match="no comparison to add"):
        nlgauge.trust(scored(values), corpus, before=runs[1], replicates=0, **how)
    with pytest.raises(SpecError, match="comparison with an earlier run"):
        nlgauge.trust(scored(values), corpus, replicates=0, **how)
    assert path.read_bytes() == whole
    path.write_bytes(whole.replace(b'"look": 1', b'"look": 2', 1))
    with pytest.raises(InputError, match="line 1 is an interim analysis that was changed"):
        compared(values, values, corpus, **how)

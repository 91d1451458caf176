"""compare: two systems on the items that both have."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nlgauge
from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.answers.compare import compare
from nlgauge.data.table import Column, Sums
from tests.score_tables import column


@pytest.fixture
def table() -> ScoreTable:
    """A is better than B by .5 in 40 items, by a score, a distance and a corpus-level metric; C shares no item."""
    rng = np.random.default_rng(0)
    rows = [(system, str(i)) for i in range(40) for system in "AB"] + [("C", "c"), ("A", "only")]
    values = np.array([rng.normal(0.5 if system == "A" else 0, 0.6) for system, _ in rows])
    columns = {
        "Score": Column(("p", "r"), np.stack([values, rng.normal(size=len(rows))], 1)),
        "Distance(k=1)": Column(("score",), -values[:, None], higher_is_better=False),
        "Set": Column(("score",), np.array([[1.0], [3.0], [math.nan]]), {2: "too few"}, level="system"),
    }
    return ScoreTable(rows, columns, {}, {}, "9.9")


def test_a_difference_per_metric_and_part(table: ScoreTable) -> None:
    found = compare(table, "A", "B")
    assert [(one.metric, one.part) for one in found] == [
        ("Score", "p"),
        ("Score", "r"),
        ("Distance(k=1)", "score"),
        ("Set", "score"),
    ]
    score, noise, distance, of_sets = found
    a, b = table.values("Score")[:80:2], table.values("Score")[1:80:2]
    assert (score.a, score.b) == (pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert score.difference == pytest.approx(score.a - score.b)
    assert score.low > 0 and score.better == "A" and score.n == 40 and score.reason is None
    assert noise.low < 0 < noise.high and noise.p > 0.05 and noise.needed > 40
    assert (distance.difference, distance.better) == (pytest.approx(-score.difference), "A")
    assert distance.needed == score.needed
    assert (of_sets.a, of_sets.b, of_sets.difference, of_sets.better) == (1, 3, -2, "B")
    assert math.isnan(of_sets.low) and math.isnan(of_sets.p)
    assert "neither interval nor p" in str(of_sets.reason)
    assert found.notes == ["1 items have an output of one of the two only, and are left out"]
    assert (found.a, found.b, len(found)) == ("A", "B", 4)


@pytest.mark.parametrize("higher", [True, False])
def test_every_number_of_a_record_is_that_of_scipy(higher: bool) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(9)
    a, b = rng.normal(5, 1, 25), rng.normal(4.7, 1, 25)
    a[3] = b[9] = math.nan
    rows = [(system, str(item)) for system in "AB" for item in range(25)]
    column = Column(("score",), np.concatenate([a, b])[:, None], {3: "x", 34: "x"}, higher_is_better=higher)
    table = ScoreTable(rows, {"M": column}, {})
    (one,) = compare(table, "A", "B", confidence=0.9, margin=0.4, items=80)
    both = ~np.isnan(a + b)
    gain = (a - b)[both]
    test, spread = stats.ttest_rel(a[both], b[both]), gain.std(ddof=1)
    assert (one.n, one.undefined, one.better) == (23, 2, "A" if (gain.mean() > 0) == higher else "B")
    assert (one.a, one.b, one.difference) == pytest.approx((a[both].mean(), b[both].mean(), gain.mean()))
    assert (one.low, one.high) == pytest.approx(tuple(test.confidence_interval(0.9)))
    assert (one.p, one.adjusted, one.effect) == pytest.approx((test.pvalue, test.pvalue, gain.mean() / spread))
    below, above = (
        stats.ttest_1samp(gain, bound, alternative=way).pvalue for bound, way in ((-0.4, "greater"), (0.4, "less"))
    )
    assert one.no_worse == pytest.approx(below if higher else above) and one.alike == pytest.approx(max(below, above))
    t = stats.t.ppf(0.95, 79) + stats.t.ppf(0.8, 79)
    assert one.detectable == pytest.approx(t * spread / math.sqrt(80))
    plans = ((one, 0.4, 0.9), (compare(table, "A", "B", power=0.9).records[0], abs(gain.mean()), 0.975))
    for found, size, tail in plans:
        power = 0.8 if found is one else 0.9
        enough = [n for n in range(2, 900) if sum(stats.t.ppf([tail, power], n - 1)) * spread / math.sqrt(n) <= size]
        assert found.needed == enough[0]
    assert one.clusters is None and math.isnan(one.effective) and one.reason is None and not one.whole


def test_the_scale_of_equal_differences_is_that_of_the_scores() -> None:
    """B has one more on each item: beside -1 twelve times stand two that are as far as the largest score."""
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    a = np.linspace(100, 120, 12)
    rows = [(system, str(item)) for system in "AB" for item in range(12)]
    (one,) = compare(ScoreTable(rows, {"M": Column(("score",), np.append(a, a + 1)[:, None])}, {}), "A", "B")
    values = [-1.0] * 12 + [-122.0, 120.0]
    assert (one.low, one.high) == pytest.approx(stats.t.interval(0.95, 13, -1, stats.sem(values)))
    assert math.isnan(one.effect) and one.better == "B" and one.p > 0.9
    (one,) = compare(ScoreTable(rows[::3], {"M": Column(("score",), np.arange(8.0)[:, None])}, {}), "A", "B")
    assert one.difference == -4 and math.isnan(one.effect)


@pytest.mark.parametrize(
    ("a", "b", "metric", "say"),
    [
        ("A", "D", None, "there is no system 'D' (there are A, B, C)"),
        ("A", "A", None, "name two"),
        ("A", "B", "BLEU", "no metric BLEU in the table: Score"),
    ],
)
def test_what_is_not_there(table: ScoreTable, a: str, b: str, metric: str | None, say: str) -> None:
    with pytest.raises(InputError if metric is None else SpecError) as caught:
        compare(table, a, b, metric)
    assert say in str(caught.value)


def test_a_value_of_all_items_together_is_no_mean() -> None:
    """Edits over reference words: of sums, as a corpus TER."""
    rng = np.random.default_rng(4)
    words = rng.integers(5, 40, 60).astype(float)
    edits = {"A": rng.binomial(words.astype(int), 0.3), "B": rng.binomial(words.astype(int), 0.4)}
    rows = [(system, str(item)) for system in "AB" for item in range(60)]
    counts = np.stack([np.concatenate([edits["A"], edits["B"]]), np.tile(words, 2)], 1).astype(float)
    counts[7] = math.nan
    column = Column(("score",), 100 * counts[:, :1] / counts[:, 1:], {7: "empty"}, higher_is_better=False)
    column.sums = Sums({"name": "rate"}, counts)
    table = ScoreTable(rows, {"TER": column}, {})
    (found,) = compare(table, "A", "B", "TER")
    kept = np.arange(60) != 7
    a, b = (100 * edits[system][kept].sum() / words[kept].sum() for system in "AB")
    assert (found.a, found.b, found.difference) == pytest.approx((a, b, a - b))
    assert found.whole and (found.n, found.undefined, found.better) == (59, 1, "A")
    # The delta method: a ratio's deviation is that of its residuals over the mean of the denominators.
    residuals = (100 * (edits["A"] - edits["B"]) - (a - b) * words)[kept] / words[kept].mean()
    error = residuals.std(ddof=1) / math.sqrt(59)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.12)
    assert found.effect == pytest.approx((a - b) / residuals.std(ddof=1), rel=0.1)
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    enough = [n for n in range(2, 60) if sum(stats.t.ppf([0.975, 0.8], n - 1)) <= abs(found.effect) * math.sqrt(n)]
    assert found.needed == enough[0]
    assert found.p < 0.01
    same = ScoreTable(rows, {"TER": column}, {})
    column.sums.counts[60:] = column.sums.counts[:60]
    (equal,) = compare(same, "A", "B")
    assert (equal.difference, equal.p, equal.better) == (0, 1, None)
    assert equal.reason == "the two are equal on every item" and equal.undefined == 1
    column.sums.counts[2:60] = math.nan
    (nothing,) = compare(same, "A", "B")
    assert nothing.n == 2
    column.sums.counts[:60] = math.nan
    (nothing,) = compare(same, "A", "B")
    assert nothing.n == 0 and math.isnan(nothing.a) and nothing.reason == "no item has a number for both"


def test_totals_of_mostly_equal_outputs_have_two_more_items() -> None:
    """17 of 20 items are equal: the two more stand between the other three and the larger rate of the two."""
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    words = np.arange(10.0, 30)
    edits = {"A": np.round(words / 5), "B": np.round(words / 5)}
    edits["B"][:3] += [2, 1, 3]
    counts = np.stack([np.append(edits["A"], edits["B"]), np.tile(words, 2)], 1)
    column = Column(("score",), 100 * counts[:, :1] / counts[:, 1:], higher_is_better=False)
    column.sums = Sums({"name": "rate"}, counts)
    rows = [(system, str(item)) for system in "AB" for item in range(20)]
    (one,) = compare(ScoreTable(rows, {"TER": column}, {}), "A", "B")
    gain, total = edits["A"] - edits["B"], words.sum()
    pseudo = 100 * (20 * gain.sum() / total - 19 * (gain.sum() - gain) / (total - words))
    pseudo += 100 * gain.sum() / total - pseudo.mean()
    pseudo[3:] = common = pseudo[3:].mean()
    far = max(abs(pseudo - common).max(), *(100 * edits[system].sum() / total for system in "AB"))
    lost = pseudo[:3] - common
    assert (lost < 0).all()
    values = [*pseudo, common - math.sqrt((lost @ lost + far**2) / 4), common + far]
    low, high = stats.t.interval(0.95, 21, np.mean(values), stats.sem(values))
    assert (one.low, one.high) == pytest.approx((low, high)) and one.p > 0.05


def test_the_difference_of_two_corpus_values_is_within_their_limits() -> None:
    counts = np.array([[9.0, 10, 5, 4, 3, 2, 9, 8, 7, 6], [9.0, 10, 9, 8, 7, 6, 9, 8, 7, 6]] * 2)
    bleu = column(*[50.0] * 4, sums=Sums({"name": "bleu"}, counts))
    table = ScoreTable([(system, item) for item in "xy" for system in "AB"], {"BLEU": bleu}, {})
    (one,) = compare(table, "A", "B", confidence=0.9999)
    assert (one.low, one.high) == (-100, 100) and one.better == "B"


def answers(margin: float | None = None, **shifts: float) -> str:
    """What is said of metrics by which A is ahead by a shift, with a deviation of 1 on 20 items."""
    noise = np.random.default_rng(2).normal(size=20)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    rows = [(system, str(item)) for system in "AB" for item in range(20)]
    columns = {
        name: Column(("score",), np.append(noise + shift, np.zeros(20))[:, None]) for name, shift in shifts.items()
    }
    return compare(ScoreTable(rows, columns, {}), "A", "B", margin=margin).answer


def test_the_answer_says_what_was_shown_and_the_better_system_first() -> None:
    """t = shift sqrt(20), of 19 degrees of freedom: .7 has p .0055; .5 has .0376; the interval is +- .468."""
    assert answers(M=0.7) == (
        "A is better than B by M: 0.7000 against 0.0000 on 20 items (difference 0.7000, 95 % interval 0.2320 to "
        "1.1680; p 0.006)."
    )
    assert answers(M=-0.7) == (
        "B is better than A by M: 0.0000 against −0.7000 on 20 items (difference 0.7000, 95 % interval 0.2320 to "
        "1.1680; p 0.006)."
    )
    assert answers(M=-0.3).startswith("B and A do not differ significantly by M: 0.0000 against −0.3000 ")
    assert answers(M=0.5, N=0.1).startswith("No metric of 2 shows a significant difference between A and B. By M, ")
    assert answers(M=0.7, N=-0.9, O=0).startswith(
        "A is better than B by 1 of 3 metrics; B is better than A by 1 of 3 metrics; 1 shows no significant difference."
    )


def test_the_answer_to_a_margin_is_that_of_the_one_sided_test() -> None:
    """A loss of .3 of a deviation of 1, at the margin 1.2: shown; a loss of .5 is significant, and within it too."""
    assert answers(M=-0.5, margin=1.2).startswith("A is no worse than B by M, up to 1.2: −0.5000 against 0.0000 on 20")
    assert answers(M=-0.1, margin=1.2).startswith("A is no worse than B by M, up to 1.2: ")
    assert answers(M=-0.1, margin=0.3).startswith("A is not shown to be no worse than B by M, up to 0.3: ")
    assert answers(M=-2, N=-2, margin=0.3).startswith("A is shown to be no worse than B, up to 0.3, by 0 of 2 metrics")
    assert answers(M=2, N=-0.1, margin=0.3).startswith("A is shown to be no worse than B, up to 0.3, by 1 of 2 metrics")


def test_a_notebook_shows_a_comparison_escaped() -> None:
    rows = [(system, str(item)) for system in ("<a>", "b") for item in range(4)]
    values = np.array([[4.0], [3], [2], [2], [1], [2], [1], [1]])
    table = ScoreTable(rows, {"M": Column(("score",), values)}, {})
    made = compare(table, "<a>", "b")._repr_html_()
    assert "&lt;a&gt; and b do not differ significantly by M" in made and "<a>" not in made
    assert "2.7500" in made and "1.2500" in made and "1.5000<small>[" in made


def test_a_comparison_is_shown_in_lines() -> None:
    table = nlgauge.evaluate(
        candidates=["A cat sat.", "A dog ran.", "The cat sat.", "Dogs ran."],
        references=[["The cat sat."], ["A dog ran."]] * 2,
        systems=["old", "old", "new", "new"],
        metrics=["TokenF1"],
        cache=False,
    )
    head, names, first, *_ = repr(compare(table, "old", "new")).splitlines()
    assert head.startswith("old and new do not differ significantly by TokenF1 f1: 1.0000 against 0.7500 on 2 items")
    assert names.split() == ["metric", "n", "old", "new", "difference", "p", "items", "needed", "shows"]
    assert first.split()[:6] == ["TokenF1", "f1", "↑", "2", "1.0000", "0.7500"]

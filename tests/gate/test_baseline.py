"""No worse than an earlier run: what is tested, which rows belong together, and what cannot be compared."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge import compare as compare_systems
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.gate import check

N = 30
RNG = np.random.default_rng(5)
BEFORE = RNG.normal(0.6, 0.1, N)
NOISE = RNG.normal(0, 0.05, N)


def run(values: np.ndarray, system: str = "v1", higher: bool = True, **facts: object) -> ScoreTable:
    column = Column(("score",), np.array(values, float)[:, None], higher_is_better=higher)
    column.reasons.update({int(row): "empty" for row in np.flatnonzero(np.isnan(column.values[:, 0]))})
    signature = Signature("M", {"model": {"name": "m", "digest": "ab"}, "nlgauge": "0.1.0", **facts})
    return ScoreTable([(system, str(item)) for item in range(len(values))], {"M": column}, {"M": signature})


def test_a_loss_beyond_noise_fails_and_noise_passes() -> None:
    worse = check(run(BEFORE - 0.05 + NOISE), against=run(BEFORE))
    (one,) = worse.regressions
    assert one.worse and not worse.passed and worse.failures == ()
    assert one.difference == pytest.approx((NOISE - 0.05).mean()) and one.high < 0 and one.adjusted < 0.05
    assert (one.n, one.now, one.before) == (N, pytest.approx((BEFORE - 0.05 + NOISE).mean()), BEFORE.mean())
    noise = NOISE - NOISE.mean() - 0.002
    assert check(run(BEFORE + noise), against=run(BEFORE)).passed
    assert check(run(BEFORE + 0.05 + NOISE), against=run(BEFORE)).passed, "a gain is no loss, however sure"
    assert check(run(BEFORE), against=run(BEFORE)).regressions[0].p == 1
    answers = np.ones(5)
    assert check(run(1 - answers), against=run(answers)).regressions[0].worse, "the fewest"
    assert not check(run(np.ones(5)), against=run(answers), margin=0.4).passed, "of which .6 ** 5 would show no loss"


def test_the_test_is_that_of_compare() -> None:
    now = BEFORE - 0.02 + NOISE
    (one,) = check(run(now), against=run(BEFORE)).regressions
    rows = [(system, str(item)) for system in ("now", "before") for item in range(N)]
    both = ScoreTable(rows, {"M": Column(("score",), np.concatenate([now, BEFORE])[:, None])}, {})
    (expected,) = compare_systems(both, "now", "before")
    assert (one.difference, one.low, one.high, one.p, one.detectable) == (
        expected.difference,
        expected.low,
        expected.high,
        expected.p,
        expected.detectable,
    )
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    test = stats.ttest_rel(now, BEFORE)
    assert (one.low, one.high, one.p) == pytest.approx((*test.confidence_interval(0.95), test.pvalue))
    (one,) = check(run(now), against=run(BEFORE), margin=0.03).regressions
    assert check(run(now), against=run(BEFORE)).regressions[0].no_worse is None
    assert one.no_worse == pytest.approx(stats.ttest_1samp(now - BEFORE, -0.03, alternative="greater").pvalue)


def test_systems_join_by_name_and_single_ones_whatever_they_are_called() -> None:
    (one,) = check(run(BEFORE, "v2"), against=run(BEFORE, "v1")).regressions
    assert (one.system, one.baseline) == ("v2", "v1")
    two = joined(run(BEFORE, "A"), run(BEFORE, "B"))
    assert [one.system for one in check(two, against=run(BEFORE, "B")).regressions] == ["B"]
    with pytest.raises(InputError, match="none of the systems A, B"):
        check(two, against=run(BEFORE, "C"))


def test_p_is_corrected_for_the_number_of_systems() -> None:
    now = joined(run(BEFORE - 0.05 + NOISE, "A"), run(BEFORE + NOISE, "B"))
    before = joined(run(BEFORE, "A"), run(BEFORE, "B"))
    a, b = check(now, against=before).regressions
    assert a.adjusted == pytest.approx(2 * a.p) and b.adjusted == b.p
    assert (a.worse, b.worse) == (True, False)


def test_a_loss_without_a_p_fails() -> None:
    now = BEFORE.copy()
    now[3] = -math.inf
    (one,) = check(run(now), against=run(BEFORE)).regressions
    assert math.isnan(one.p) and one.worse and one.reason == "a score is infinite"
    now[3] = math.inf
    assert check(run(now), against=run(BEFORE)).passed
    (one,) = check(run(now), against=run(BEFORE), margin=9).regressions
    assert one.worse and one.no_worse is not None and math.isnan(one.no_worse), "and no margin was shown"
    nothing = check(run(np.full(N, math.nan)), against=run(BEFORE), allow_missing=True)
    assert nothing.regressions[0].worse and nothing.failures == ()


def test_rows_of_the_baseline_that_are_gone_fail_if_they_had_a_value() -> None:
    before = BEFORE.copy()
    before[[3, 29]] = math.nan
    found = check(run(BEFORE[:28] + 0.1), against=run(before))
    assert [(one.item, one.state) for one in found.failures] == [("28", "missing")]
    assert found.left_out == {"without a value in the baseline": 1} and not found.regressions[0].worse


def test_a_part_without_a_direction_takes_that_of_the_threshold() -> None:
    def parts(values: np.ndarray) -> ScoreTable:
        column = Column(("f", "weak"), np.stack([values, values], 1), details=("weak",))
        return ScoreTable([("s", str(item)) for item in range(N)], {"M": column}, {})

    now, before = parts(BEFORE + 0.05 + NOISE), parts(BEFORE)
    assert check(now, part="weak", at_most=9, against=before).regressions[0].worse
    assert not check(now, part="weak", at_least=-9, against=before).regressions[0].worse
    with pytest.raises(SpecError, match="no better direction"):
        check(now, part="weak", against=before)


def test_other_versions_are_noted_and_other_facts_refused() -> None:
    found = check(
        run(BEFORE, nlgauge="0.2.0", window="slide@512,longer 3/9"), against=run(BEFORE, window="slide@512,longer 0/9")
    )
    assert found.notes == ("other versions than in the baseline, which may move numbers: nlgauge 0.1.0 -> 0.2.0",)
    renamed = run(BEFORE, model={"name": "elsewhere", "digest": "ab"})
    assert check(renamed, against=run(BEFORE)).passed
    with pytest.raises(InputError, match="model is m@cd, was m@ab"):
        check(run(BEFORE, model={"name": "m", "digest": "cd"}), against=run(BEFORE))
    with pytest.raises(InputError, match=r"window is cut@512.* was slide@512.*score the baseline's outputs again"):
        check(run(BEFORE, window="cut@512,longer 0/9"), against=run(BEFORE, window="slide@512,longer 0/9"))


@pytest.mark.parametrize(
    ("now", "before", "options", "say"),
    [
        (BEFORE[:4], BEFORE, {}, "4 items in common with the baseline, and a loss cannot be shown (at least 5 are"),
        (BEFORE, BEFORE, {"significance": 1.0}, "not between 0 and 1"),
    ],
)
def test_a_test_that_could_find_nothing_is_refused(
    now: np.ndarray, before: np.ndarray, options: dict[str, float], say: str
) -> None:
    with pytest.raises((InputError, SpecError)) as caught:
        check(run(now), against=run(before), **options)  # type: ignore[arg-type]
    assert say in str(caught.value)


def test_tables_that_do_not_go_together_are_refused() -> None:
    other = run(BEFORE)
    other.columns["N"] = other.columns.pop("M")
    with pytest.raises(InputError, match=r"the baseline has no M \(it has N\)"):
        check(run(BEFORE), against=other)
    parted = replace(run(BEFORE), columns={"M": Column(("p", "r"), np.ones((N, 2)))})
    with pytest.raises(InputError, match="other sub-scores of M"):
        check(run(BEFORE), against=parted)
    of_sets = ScoreTable([("s", "1")], {"M": Column(("score",), np.ones((1, 1)), level="system")}, {})
    with pytest.raises(SpecError, match="no paired test"):
        check(of_sets, against=of_sets)
    with pytest.raises(InputError, match="is there twice: row 1 has them too"):
        check(run(BEFORE), against=joined(run(BEFORE), run(BEFORE)))


def joined(*tables: ScoreTable) -> ScoreTable:
    values = np.concatenate([table.columns["M"].values for table in tables])
    rows = [row for table in tables for row in table.rows]
    return replace(tables[0], rows=rows, columns={"M": Column(("score",), values)})

"""A gate with an interim analysis every night: its history, the alarm, margins, clusters, and what is refused."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.data import history
from nlgauge.data.history import read
from nlgauge.data.table import Column
from nlgauge.gate import check
from nlgauge.gate.verify import verify
from nlgauge.maths.intervals import interim_analysis
from nlgauge.stats.interim import interim_of
from tests.by_hand import by_hand
from tests.gate.test_baseline import BEFORE, NOISE, N, joined, run
from tests.score_tables import counted

LOSS = 0.1
ROOT = Path(__file__).parents[2]
stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")


def test_every_interim_analysis_is_saved_and_counted_by_its_baseline(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    for number in (1, 2, 3):
        (one,) = check(run(BEFORE + NOISE), against=run(BEFORE), history=path).regressions
        shifts, spent = interim_analysis(NOISE.tolist(), [1] * N, number), 0.05 / (number * (number + 1))
        low, high = stats.t.interval(1 - spent, N - 1, NOISE.mean(), stats.sem(NOISE))
        p = max(shifts.p, stats.ttest_1samp(NOISE, 0).pvalue * number * (number + 1))
        assert (one.low, one.high, one.p) == pytest.approx((min(low, shifts.low), max(high, shifts.high), min(1, p)))
        assert (one.look, one.worse) == (number, False)
    assert [look.look for look in read(path)] == [1, 2, 3]
    (one,) = check(run(BEFORE), against=run(BEFORE + NOISE), history=path).regressions
    assert one.look == 1, "another baseline begins another series"
    assert all(json.loads(line)["time"].endswith("Z") for line in path.read_text(encoding="utf-8").splitlines())


def test_rare_losses_have_the_longer_interval_of_means() -> None:
    """Of 40 answers that were all right 2 are lost: one more loss and gain beside them, at the level of this analysis.

    The sum of signs alone would say [-.14, .03] for a shift of all differences.
    """
    for number, losses in ((1, 2), (2, 2), (1, 30)):
        lost = np.array([-1.0] * losses + [0.0] * (40 - losses))
        found = interim_of(1 + lost, np.ones(40), None, (0.0, 1.0), number, 0.05)
        times, shifts = number * (number + 1), interim_analysis(lost.tolist(), [1] * 40, number)
        more = [*lost, -1.0, 1.0]
        low, high = stats.t.interval(1 - 0.05 / times, 41, np.mean(more), stats.sem(more))
        assert (found.low, found.high) == pytest.approx((max(-1, min(low, shifts.low)), max(high, shifts.high)))
        assert found.p == pytest.approx(min(1, max(times * stats.ttest_1samp(more, 0).pvalue, shifts.p)))
        assert low < shifts.low or losses > 2
    assert interim_of(np.zeros(8), np.repeat([0.0, 1.0], 4), None, (0.0, 1.0), 1, 0.05).low == -1


def test_equal_losses_on_all_items_are_no_certain_loss() -> None:
    """-.05 on each of 40 items, beside them -1 and 1; of 20 clusters of two as on 20 items."""
    before, now = np.full(40, 0.5), np.full(40, 0.45)
    for clusters, count in ((None, 40), (np.repeat(np.arange(20), 2), 20)):
        for number in (1, 2):
            found = interim_of(now, before, clusters, (0.0, 1.0), number, 0.05)
            more = [-0.05] * count + [-1.0, 1.0]
            times = number * (number + 1)
            low, high = stats.t.interval(1 - 0.05 / times, count + 1, np.mean(more), stats.sem(more))
            assert (found.low, found.high) == pytest.approx((low, high))
            assert found.p == pytest.approx(min(1, times * stats.ttest_1samp(more, 0).pvalue))


def test_interim_analyses_of_clusters_count_each_as_a_whole(tmp_path: Path) -> None:
    noise = np.repeat(NOISE[:10], 3) + NOISE / 9
    table = run(0.6 + noise).clustered([str(n // 3) for n in range(N)])
    (one,) = check(table, against=run(np.full(N, 0.6)), history=tmp_path / "h.jsonl").regressions
    means = noise.reshape(10, 3).mean(1)
    shifts = interim_analysis((3 * means).tolist(), [3] * 10, 1)
    low, high = stats.t.interval(0.975, 9, means.mean(), stats.sem(means))
    assert (one.low, one.high) == pytest.approx((min(low, shifts.low), max(high, shifts.high)))
    assert one.p == pytest.approx(max(2 * stats.ttest_1samp(means, 0).pvalue, shifts.p))


def test_the_scale_of_an_interim_analysis_is_that_of_both_runs(tmp_path: Path) -> None:
    """Where all 30 are equal, two more are as far as the largest value of the two runs; and so are the limits."""
    for size, limits in ((0.5, (-1.0, 1.0)), (7.0, (-7.0, 7.0))):
        same = run(np.full(N, size))
        (one,) = check(same, against=same, history=tmp_path / f"{size}.jsonl").regressions
        ends = stats.t.interval(0.975, N + 1, 0, stats.sem([*[0.0] * N, *limits]))
        assert (one.low, one.high) == pytest.approx(ends) and one.p == 1
    (one,) = check(run(np.zeros(N)), against=run(np.full(N, 7)), history=tmp_path / "nothing.jsonl").regressions
    assert one.low < -7.5 and one.high > -7, "a loss of 7 on each item is on the scale of the 7, and not of the 0"
    (one,) = check(run(BEFORE), against=run(BEFORE * 9), history=tmp_path / "larger.jsonl").regressions
    assert one.low < one.difference < -1 and one.worse, "a baseline above 1 is on no scale from 0 to 1"


def test_a_loss_is_an_alarm_and_a_gain_is_none(tmp_path: Path) -> None:
    worse = check(run(BEFORE + NOISE - LOSS), against=run(BEFORE), history=tmp_path / "a.jsonl")
    assert not worse.passed and read(tmp_path / "a.jsonl")[0].alarm
    assert check(run(BEFORE + NOISE + LOSS), against=run(BEFORE), history=tmp_path / "b.jsonl").passed
    more = check(
        run(BEFORE + NOISE + LOSS, higher=False), against=run(BEFORE, higher=False), history=tmp_path / "c.jsonl"
    )
    assert not more.passed, "of a distance more is worse"
    few = check(run(BEFORE[:5] - LOSS), against=run(BEFORE[:5]), history=tmp_path / "d.jsonl")
    (one,) = few.regressions
    assert few.passed and math.isnan(one.low) and one.reason == "at interim analysis 1 at least 8 are needed"


def test_a_margin_has_to_be_shown_to_be_kept() -> None:
    steady = run(BEFORE + NOISE - NOISE.mean())
    (kept,) = check(steady, against=run(BEFORE), margin=0.05).regressions
    assert not kept.worse and kept.no_worse is not None and kept.no_worse < 0.05
    (unshown,) = check(steady, against=run(BEFORE), margin=0.001).regressions
    assert unshown.worse, "no loss was seen, and none was ruled out"
    assert check(steady, against=run(BEFORE)).passed
    assert not check(run(BEFORE), against=run(BEFORE), margin=0.001).passed, "equal on every item is no proof"


def test_clusters_widen_what_the_gate_allows() -> None:
    noise = np.repeat(NOISE[:6], 5)
    now = run(BEFORE + noise - noise.mean() - 0.02)
    plain = check(now, against=run(BEFORE)).regressions[0]
    clustered = check(now.clustered([str(n // 5) for n in range(N)]), against=run(BEFORE), significance=0.1)
    (one,) = clustered.regressions
    assert one.difference == plain.difference and one.high - one.low > plain.high - plain.low
    with pytest.raises(InputError, match="3 clusters in common"):
        check(now.clustered([str(n // 10) for n in range(N)]), against=run(BEFORE))


def test_what_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with pytest.raises(SpecError, match="against"):
        check(run(BEFORE), at_least=0, history=path)
    with pytest.raises(SpecError, match="give one of them"):
        check(run(BEFORE), against=run(BEFORE), history=path, margin=0.1)
    with pytest.raises(SpecError, match="above 0"):
        check(run(BEFORE), against=run(BEFORE), margin=-1)
    with pytest.raises(SpecError, match="value of all rows together"):
        check(counted(), "TER", against=counted(), history=path)
    with pytest.raises(InputError, match="no item with a value"):
        check(run(np.full(3, math.nan)), against=run(BEFORE[:3]), history=path)
    assert not path.exists()


def test_one_bad_line_is_refused_by_its_number_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    check(run(BEFORE), against=run(BEFORE), history=path)
    good = by_hand(path).read_text(encoding="utf-8").strip() + "\n"
    look = json.loads(good)
    good = json.dumps(look) + "\n"
    edited = [*(json.dumps({**look, field: ["edited"]}) for field in look), json.dumps({**look, "look": 0})]
    for line in ("{}", "no json", '["a"]', "[" * 100_000, "\udcff", good[: len(good) // 2], *edited):
        path.write_text(f"{good}{line}\n{good}", encoding="utf-8", errors="surrogateescape")
        before = path.read_bytes()
        with pytest.raises(InputError, match="line 2 is no interim analysis"):
            check(run(BEFORE), against=run(BEFORE), history=path)
        assert path.read_bytes() == before


def test_several_systems_share_the_level(tmp_path: Path) -> None:
    both = joined(run(BEFORE, "a"), run(BEFORE, "b"))
    check(both, against=both, history=tmp_path / "h.jsonl")
    assert [look.significance for look in read(tmp_path / "h.jsonl")] == [0.025, 0.025]
    worse = run(BEFORE - 0.019 + NOISE, "a")
    (alone,) = check(worse, against=run(BEFORE), history=tmp_path / "alone.jsonl").regressions
    a, b = check(joined(worse, run(BEFORE, "b")), against=both, history=tmp_path / "both.jsonl").regressions
    assert alone.worse and 0.03 < alone.p == alone.adjusted < 0.05
    assert not a.worse and a.p == alone.p and a.adjusted == pytest.approx(2 * a.p) and b.adjusted == 1


def test_each_series_is_of_its_own_baseline_and_sub_score(tmp_path: Path) -> None:
    path, now = tmp_path / "h.jsonl", joined(run(BEFORE, "a"), run(BEFORE, "b"))
    check(now, against=now, history=path)
    other = joined(run(BEFORE, "a"), run(BEFORE + NOISE, "b"))
    assert [one.look for one in check(now, against=other, history=path).regressions] == [2, 1]
    parts = [
        ScoreTable([("s", str(n)) for n in range(N)], {"M": Column(("p", "r"), np.stack([BEFORE, second], 1))}, {})
        for second in (BEFORE, BEFORE + NOISE)
    ]
    for baseline, part, look in ((0, "r", 1), (1, "r", 1), (1, "p", 1), (0, "p", 2), (1, "r", 2)):
        (one,) = check(parts[0], part=part, against=parts[baseline], history=path).regressions
        assert one.look == look, (baseline, part)


def test_a_history_stays_as_it_was_where_a_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "h.jsonl"

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    for _ in range(2):
        before = path.read_bytes() if path.exists() else None
        with monkeypatch.context() as patched, pytest.raises(InputError, match="No space left"):
            patched.setattr(os, "fsync", full)
            check(run(BEFORE), against=run(BEFORE), history=path)
        assert list(tmp_path.iterdir()) == ([] if before is None else [path])
        assert before is None or path.read_bytes() == before
        check(run(BEFORE), against=run(BEFORE), history=path)
    assert [one.look for one in read(path)] == [1, 2]


@pytest.mark.parametrize("nights", [1, 3])
def test_each_cut_of_the_last_record_is_refused_and_nothing_is_joined(nights: int, tmp_path: Path) -> None:
    """As a machine that stops while the file is copied leaves it: `read`, `check` and `verify` say that it was cut."""
    path, both = tmp_path / "h.jsonl", joined(run(BEFORE, "a"), run(BEFORE, "b"))
    for _ in range(nights):
        check(both, against=both, history=path)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last - 1, len(whole) - 1):
        path.write_bytes(whole[:cut])
        within = f"within line {2 * nights}" if cut > last else f"behind line {2 * nights - 1}"
        with pytest.raises(InputError, match=f"the end was cut off {within}") as refused:
            read(path)
        assert "take the file as it was written" in str(refused.value)
        assert verify(path).ruling == "changed" and f"the end was cut off {within}" in verify(path).sentence
        if cut % 97 == 0 or cut < last + 2:
            with pytest.raises(InputError, match="the end was cut off"):
                check(both, against=both, history=path)
            with pytest.raises(InputError, match="the end was cut off"):
                history.append(path, [look_of(whole)])
            assert path.read_bytes() == whole[:cut]
    path.write_bytes(whole[:-1])  # the line end alone
    assert verify(path).ruling == "fits" and len(read(path)) == 2 * nights
    check(both, against=both, history=path)
    assert [one.look for one in read(path)] == [look for look in range(1, nights + 2) for _ in "ab"]
    assert verify(path).ruling == "fits" and path.read_bytes().count(b"\n") == 2 * nights + 2


def look_of(lines: bytes) -> history.InterimAnalysis:
    record = json.loads(lines.split(b"\n")[0])
    del record["seal"]
    return history.InterimAnalysis(**record)


def test_a_history_that_lost_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    check(run(BEFORE), against=run(BEFORE), history=path)
    whole = path.read_bytes()
    for cut in range(len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError, match="the end was cut off within line 1" if cut else "is empty"):
            history.append(path, [look_of(whole)])
        assert path.read_bytes() == whole[:cut]
        with pytest.raises(InputError, match="was cut off, or is no result" if cut else "is empty"):
            verify(path)


def test_lines_behind_the_last_one_are_told(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    for _ in range(2):
        check(run(BEFORE), against=run(BEFORE), history=path)
    first, second = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\n{second}\n{second}\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3 stands behind the last line that was written"):
        read(path)
    assert "line 3, which stands behind the last line that was written" in verify(path).changes
    second_first = json.loads(second)
    second_first["seal"]["last"] = False
    path.write_text(f"{first}\n{json.dumps(second_first)}\n", encoding="utf-8")
    assert verify(path).ruling == "changed"
    with pytest.raises(InputError, match="line 2 is an interim analysis that was changed"):
        read(path)


def test_a_history_of_before_the_seals_goes_on_and_its_end_is_held_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    for _ in range(2):
        check(run(BEFORE), against=run(BEFORE), history=path)
    by_hand(path)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    for cut in range(1, 200):
        whole = path.read_bytes()
        with pytest.raises(InputError, match="the end was cut off within line 2"):
            path.write_bytes(whole[:-cut])
            read(path)
        path.write_bytes(whole)
    check(run(BEFORE), against=run(BEFORE), history=path)
    assert [one.look for one in read(path)] == [1, 2, 3]
    with path.open("ab") as file:
        file.truncate(len(path.read_bytes()) - 1)
    assert len(read(path)) == 3
    assert [json.loads(line).get("seal", {}).get("last") for line in path.read_bytes().splitlines()] == [
        None,
        None,
        True,
    ]


_LOOK = """
import sys
from nlgauge.gate import check
from tests.gate.test_baseline import BEFORE, NOISE, run
for _ in range(5):
    check(run(BEFORE + NOISE), against=run(BEFORE), history=sys.argv[1])
"""


def test_checks_at_the_same_time_lose_no_interim_analysis(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    at_once = [subprocess.Popen([sys.executable, "-c", _LOOK, str(path)], cwd=ROOT) for _ in range(3)]
    assert [one.wait(120) for one in at_once] == [0, 0, 0]
    assert [look.look for look in read(path)] == list(range(1, 16))
    assert list(tmp_path.iterdir()) == [path]


def test_a_check_that_never_ends_is_waited_for_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "WAIT_S", 0.05)
    path = tmp_path / "history.jsonl"
    with history.alone(path), pytest.raises(InputError, match="another command has held this history"):
        check(run(BEFORE), against=run(BEFORE), history=path)
    assert not path.exists()


def test_each_system_has_a_series_of_its_baseline(tmp_path: Path) -> None:
    path, now = tmp_path / "h.jsonl", joined(run(BEFORE, "a"), run(BEFORE, "b"))
    check(now, against=joined(run(BEFORE, "a"), run(BEFORE + NOISE, "b")), history=path)
    first, second = (look.baseline for look in read(path))
    assert first != second
    check(now, against=joined(run(BEFORE, "a"), run(BEFORE - NOISE, "b")), history=path)
    assert [(look.system, look.look) for look in read(path)[2:]] == [("a", 2), ("b", 1)]

"""The gate on pass^k: by its interval, by an earlier run, and with the exit codes of check."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from nlgauge import InputError, SpecError, check, trials
from nlgauge.gate.baseline import TooFewItemsError
from tests.answers.test_trials import PASSED, drawn, rows, table
from tests.command import nlgauge, refused, written


def test_the_whole_interval_decides() -> None:
    runs = table({"A": drawn(1)})
    (one,) = trials(runs, k=[3])
    for at_least, ruling, state in (
        (one.pass_hat_k.low - 1e-9, "passes", "passed"),
        (one.pass_hat_k.value, "cannot tell", "doubtful"),
        (one.pass_hat_k.high, "cannot tell", "doubtful"),
        (one.pass_hat_k.high + 1e-9, "fails", "failed"),
    ):
        verdict = check(runs, trials=3, at_least=at_least)
        assert verdict.ruling == ruling and [outcome.state for outcome in verdict.outcomes] == [state]
        assert verdict.decision is not None
        (system,) = verdict.decision.systems
        assert system.passes == one.pass_hat_k and system.n == 30 and verdict.part == "pass^3"
        assert verdict.record["decision"]["by"] == "trials"


def test_one_system_that_fails_fails_the_set() -> None:
    runs = table({"A": {str(n): [1.0, 1.0] for n in range(40)}, "B": {str(n): [1.0, 0.0] for n in range(40)}})
    verdict = check(runs, trials=2, at_least=0.8)
    assert verdict.ruling == "fails" and [one.state for one in verdict.outcomes] == ["passed", "failed"]
    assert "B: It fails: all 2 trials of an item pass with a chance of 0.000" in repr(
        verdict.decision and verdict.decision.sentences
    )


def test_an_earlier_run_is_compared_on_shared_items() -> None:
    before = {"A": {str(n): [1.0, 1.0, 1.0] for n in range(30)}}
    now = {"A": {str(n): [1.0, float(n % 3 > 0), 1.0] for n in range(30)}}
    verdict = check(table(now), trials=3, against=table(before))
    assert verdict.ruling == "fails" and verdict.regressions[0].worse
    assert verdict.regressions[0].now == pytest.approx(2 / 3) and verdict.regressions[0].before == 1
    assert check(table(before), trials=3, against=table(now)).passed
    # A mean of all trials forgives what pass^3 does not.
    assert verdict.regressions[0].difference < -0.3 < check(table(now), against=table(before)).regressions[0].difference
    both = check(table(before), trials=3, against=table(now), at_least=0.999)
    assert both.ruling == "cannot tell"
    assert check(table(before), trials=3, against=table(before), margin=0.2).passed
    lost = check(table({"A": dict(list(before["A"].items())[:20])}), trials=3, against=table(before))
    assert lost.ruling == "fails" and lost.count("missing") == 10
    allowed = check(
        table({"A": dict(list(before["A"].items())[:20])}), trials=3, against=table(before), allow_missing=True
    )
    assert allowed.passed


def test_a_history_holds_over_many_runs(tmp_path: Path) -> None:
    runs = table({"A": drawn(1)})
    for number in (1, 2, 3):
        verdict = check(runs, trials=2, against=runs, history=tmp_path / "history.jsonl")
        assert verdict.passed and verdict.regressions[0].look == number


def test_what_makes_no_sense_is_refused() -> None:
    runs = table({"A": drawn(1)})
    with pytest.raises(SpecError, match="a least pass"):
        check(runs, trials=2)
    for at_least in (0.0, 1.1, -1, math.nan):
        with pytest.raises(SpecError, match="is no chance that all trials pass"):
            check(runs, trials=2, at_least=at_least)
    with pytest.raises(SpecError, match="leave out at_most"):
        check(runs, trials=2, at_least=0.5, at_most=0.9)
    with pytest.raises(SpecError, match="leave out grounded"):
        check(runs, trials=2, at_least=0.5, grounded=True)
    with pytest.raises(SpecError, match="give trials too"):
        check(runs, at_least=0.5, pass_at=0.5)
    with pytest.raises(SpecError, match="a margin and a history are of the comparison"):
        check(runs, trials=2, at_least=0.5, margin=0.1)
    with pytest.raises(InputError, match="k is 6"):
        check(runs, trials=6, at_least=0.5)
    with pytest.raises(TooFewItemsError, match="3 items in common"):
        check(table({"A": drawn(1, items=3)}), trials=2, against=runs)


def test_the_command_has_the_exit_codes_of_check(tmp_path: Path) -> None:
    now = written(tmp_path / "now.jsonl", rows({"A": drawn(1)}))
    before = written(tmp_path / "before.jsonl", rows({"A": drawn(1)}))
    for more, code in (
        (("--at-least", 0.1), 0),
        (("--at-least", 0.99), 1),
        (("--at-least", 0.45), 3),
        (("--against", before), 0),
        (("--at-least", 0.1, "--against", before), 0),
    ):
        for layout in ("text", "json", "github", "junit", "markdown"):
            result = nlgauge("check", now, *PASSED, "--trials", 3, *more, "--format", layout)
            assert result.exit_code == code, (more, layout, result.output)
    found = json.loads(nlgauge("check", now, *PASSED, "--trials", 3, "--at-least", 0.1, "--format", "json").stdout)
    assert found["ruling"] == "passes" and found["decision"]["systems"][0]["passes_low"] > 0.1
    page = tmp_path / "gate.html"
    nlgauge("check", now, *PASSED, "--trials", 3, "--at-least", 0.1, "-o", page)
    assert "It passes: all 3 trials" in page.read_text(encoding="utf-8")
    refused("check", now, *PASSED, "--trials", 3, "--at-least", 0.1, "--ratings", now, say="leave out --ratings")
    refused("check", now, *PASSED, "--pass-at", 0.5, "--at-least", 0.1, say="give --trials K too")

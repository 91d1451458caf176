"""A campaign finds what is wrong, makes it small and repeats it; and what it found once stays mended."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from nlgauge.errors import InputError

FOLDER = Path(__file__).resolve().parents[2] / "campaigns"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="a source distribution has no campaigns")


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The machinery, as the files of the folder import it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import campaign

    yield campaign
    sys.modules.pop("campaign")


def run(campaign: Any, outcome: Callable[[Any], str], inputs: int = 300, limit: float = 5.0, **more: Any) -> Any:
    tried = campaign.Campaign(campaign.Surface("numbers", st.integers(0, 10_000), outcome, **more), limit)
    tried.run(inputs, 0)
    return tried


def fails_from(number: int, error: Exception) -> Callable[[int], str]:
    def outcome(given: int) -> str:
        if given >= number:
            raise error
        return "a number"

    return outcome


def test_a_documented_error_is_no_finding(campaign: Any) -> None:
    tried = run(campaign, fails_from(50, InputError("too large", row=1)))
    assert tried.findings == {} and tried.tried == 300
    assert set(tried.outcomes) == {"a number", "InputError"}


def test_another_error_is_found_once_and_made_small(campaign: Any) -> None:
    tried = run(campaign, fails_from(50, ZeroDivisionError("by nothing")))
    (finding,) = tried.findings.values()
    assert finding.given == 50 and finding.message == "by nothing" and finding.times > 1
    assert "python campaigns/numbers.py --repeat 50" in tried.told(1.0)


def test_variants_are_tried_and_found_too(campaign: Any) -> None:
    def varied(given: int, chance: Random) -> int:
        return given + 20_000 + chance.randrange(9)

    tried = run(campaign, fails_from(20_000, KeyError("x")), varied=varied)
    (finding,) = tried.findings.values()
    assert 20_000 <= finding.given < 20_009
    assert tried.outcomes["a number"] > 0


@pytest.mark.parametrize("message", ["two\nlines", "", "x" * 3000])
def test_an_error_that_nobody_can_read_is_a_finding(campaign: Any, message: str) -> None:
    (what,) = run(campaign, fails_from(50, InputError(message))).findings
    assert what.startswith("InputError whose message is not one line")


def test_a_warning_is_a_finding(campaign: Any) -> None:
    def outcome(given: int) -> str:
        warnings.warn("hm", RuntimeWarning, stacklevel=1)
        return "a number"

    (what,) = run(campaign, outcome, 5).findings
    assert what.startswith("RuntimeWarning")


def test_what_does_not_end_is_ended_and_found(campaign: Any) -> None:
    def outcome(given: int) -> str:
        while given == 7:
            time.sleep(0.01)
        return "a number"

    tried = campaign.Campaign(campaign.Surface("numbers", st.sampled_from([7, 8]), outcome), 0.2)
    tried.run(2, 0)
    (finding,) = tried.findings.values()
    assert finding.given == 7 and tried.outcomes["a number"] == 1


def test_a_run_that_is_given_no_time_ends(campaign: Any) -> None:
    tried = campaign.Campaign(campaign.Surface("numbers", st.integers(), lambda given: "a number"))
    tried.run(10**9, 0, seconds=0.01)
    assert 0 < tried.tried < 10**6


@pytest.mark.parametrize("surface", ["specs", "files", "scores", "rows", "service", "faults"])
def test_a_few_inputs_of_every_surface(surface: str) -> None:
    if surface == "service":
        pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
        pytest.importorskip("httpx", reason="needs the dependency group dev")
    if surface == "faults" and sys.platform != "linux":
        pytest.skip("Linux only")
    command = [sys.executable, str(FOLDER / f"{surface}.py"), "--inputs", "15", "--limit", "60"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("0 findings\n")


def test_one_input_is_repeated() -> None:
    command = [sys.executable, str(FOLDER / "specs.py"), "--repeat", repr("InfoLM(alpha=")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "SpecError\n")

"""nlgauge check with a threshold that does not judge answers in other words than their source."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from nlgauge.cli import main
from nlgauge.maths.wording import Band
from tests.gate.test_thresholds import THRESHOLD


def test_answers_that_are_not_judged_are_counted_first(tmp_path: Path) -> None:
    rows = [
        {"candidate": "plain words alone", "references": ["plain words alone"], "source": "plain words alone"},
        {"candidate": "quite other wording", "references": ["plain words alone"], "source": "plain words alone"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    made = replace(THRESHOLD, metric="TokenF1", facts={}, bands=(Band(0.0, 0.5, 0.5, 0.4),))
    made.save(tmp_path / "threshold.json")
    arguments = ["check", str(tmp_path / "rows.jsonl"), "--threshold", str(tmp_path / "threshold.json")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1 of 2 answers is not judged: in other words than the source. The answer passes.")
    assert any("1 of 2 rows pass, 1 in other words than the source" in line for line in lines)
    replace(made, bands=()).save(tmp_path / "threshold.json")
    assert CliRunner().invoke(main, arguments).exit_code == 1

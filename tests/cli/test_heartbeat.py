"""What a command that takes long says, and what it says when it is stopped."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click
import pytest

from nlgauge import cli
from nlgauge.engine.progress import Progress
from tests.command import nlgauge


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that take a moment: one at work on rows, one that somebody stops."""
    monkeypatch.setattr(sys.modules["nlgauge.cli.heartbeat"], "EVERY", 0.01)

    @click.command()
    def score() -> None:
        progress = Progress(True)
        progress.expect(1000, 40)
        progress.reach(500)
        time.sleep(0.2)
        progress.close()

    @click.command()
    def check() -> None:
        raise KeyboardInterrupt

    @click.command()
    def serve() -> None:
        time.sleep(0.1)

    for command in (score, check, serve):
        monkeypatch.setitem(cli.main.commands, command.name, command)


@pytest.mark.usefixtures("commands")
def test_a_command_that_takes_long_tells_how_many_rows_are_done() -> None:
    lines = nlgauge("score").stderr.splitlines()
    assert any(line.startswith("nlgauge score: ") and line.endswith(", about 20 of 40 rows") for line in lines)
    assert "so far" not in nlgauge("serve").stderr, "a service is at work all the time"


@pytest.mark.usefixtures("commands")
def test_who_stops_a_command_is_told_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["nlgauge", "check"])
    result = nlgauge("check")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith("nlgauge: stopped; what was scored is kept (nlgauge cache info")
    monkeypatch.setattr(sys, "argv", ["nlgauge", "check", "--no-cache"])
    assert nlgauge("check").stderr.splitlines()[-1] == "nlgauge: stopped"


def test_a_long_candidate_is_told_of_before_it_is_scored(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    texts = ["short", "word " * 30_000]
    rows.write_text("".join(json.dumps({"candidate": text}) + "\n" for text in texts), encoding="utf-8")
    said = "row 2 has a candidate of 150,000 characters: a metric that reads a model may take minutes"
    assert said in nlgauge("check", rows, "-m", "Length", "--at-least", 0).stderr
    assert said in nlgauge("explain", rows, "-m", "Length").stderr
    assert said not in nlgauge("explain", rows, "-m", "Length", "--row", 1).stderr

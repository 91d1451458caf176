"""The examples for a repository's own checks: their syntax, and that their commands are those of nlgauge."""

from __future__ import annotations

import json
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.command import nlgauge

yaml: Any = pytest.importorskip("yaml", reason="needs the dependency group dev")
EXAMPLES = Path(__file__).parents[1] / "examples"
pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """answers.jsonl with one wrong answer, and accepted.jsonl, where the examples look for them."""
    monkeypatch.chdir(tmp_path)
    for name, fee in (("accepted", "two"), ("answers", "five")):
        rows = [
            {"item": n, "source": "The fee is two crowns a day.", "candidate": f"The fee is {one} crowns a day."}
            for n, one in enumerate([fee, *["two"] * 7])
        ]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_the_workflow_writes_a_comment_and_a_page(answers: None) -> None:
    workflow = yaml.safe_load((EXAMPLES / "ci" / "gate.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["answers"]["steps"]
    (check,) = [step["run"] for step in steps if step.get("name") == "check"]
    command, _, comment = check.partition(" > ")
    ran = nlgauge(*shlex.split(command)[1:])
    assert ran.exit_code == 0 and ran.stdout.startswith("### ✅ The set passes"), ran.stderr
    made = {"gate.html", comment}
    assert (Path("gate.html").read_text(encoding="utf-8")).count("<article") == 8
    later = json.dumps([step for step in steps if "cancelled()" in str(step.get("if"))])
    assert made == {name for name in ("gate.html", "comment.md") if name in later}, (
        "what is made is used after a failure"
    )


def test_the_hook_runs_the_gate(answers: None) -> None:
    text = (EXAMPLES / "ci" / "pre-commit-config.yaml").read_text(encoding="utf-8")
    (repo,) = yaml.safe_load(text)["repos"]
    (hook,) = repo["hooks"]
    assert nlgauge(*shlex.split(hook["entry"])[1:], "--no-cache").exit_code == 1
    clientlib = pytest.importorskip("pre_commit.clientlib", reason="needs the dependency group dev")
    assert clientlib.load_config(str(EXAMPLES / "ci" / "pre-commit-config.yaml"))["repos"]


def test_the_stream_stops_at_the_first_sentence_without_support(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "stream.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "supported: Children pay nothing."
    assert lines[1].startswith("contradicted: All others pay five crowns") and lines[2].startswith("stopped: ")
    assert len(lines) == 3

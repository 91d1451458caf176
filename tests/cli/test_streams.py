"""Where what is printed goes: streams that are full, closed or narrow, and names that would steer a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest

from nlgauge import ScoreTable, cli
from tests.command import nlgauge, on_a_terminal, written

COMMAND = [sys.executable, "-m", "nlgauge"]
MANY = 400
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="devices and limits of Linux")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """So many systems that their numbers do not fit a pipe."""
    rows = [{"candidate": "A cat.", "references": "The cat.", "system": f"system {n}"} for n in range(MANY)]
    return written(tmp_path / "many.jsonl", rows)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Names that turn the order of a line round, move the cursor, or are no Latin-1."""
    rows = [
        {"candidate": "A cat.", "references": "The cat.", "system": name, "item": str(number)}
        for number in range(3)
        for name in ("a\u202eb", "c\u2066d\u009b2J", "日本 é 😀")
    ]
    rows[0] |= {"candidate": ""}
    return written(tmp_path / "odd.jsonl", rows)


def run(*arguments: object, shell: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process, with stdout as the shell sends it."""
    line = ["bash", "-c", f'"$@" {shell}', "bash", *COMMAND, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, check=False, env={**os.environ, **environment}, timeout=120)


def test_a_reader_that_has_enough_ends_it_without_a_word_and_the_scores_are_whole(many: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.jsonl"
    ended = run("score", many, "-m", "TokenF1", "-o", scores, "--format", "json", shell="| head -1")
    assert ended.stdout == b"{\n"
    assert b"Traceback" not in ended.stderr and b"Error" not in ended.stderr
    assert len(ScoreTable.load(scores).rows) == MANY


@pytest.mark.parametrize("shell", ["> /dev/full", "| (exec <&-); exit ${PIPESTATUS[0]}"])
@pytest.mark.parametrize("layout", ["text", "json", "github", "junit", "scores"])
def test_a_gate_whose_result_cannot_be_printed_is_no_failing_gate(odd: Path, shell: str, layout: str) -> None:
    """Nor a passing one: nobody was told. Exit code 1 means that the gate failed."""
    gate = ("check", odd, "-m", "TokenF1", "--at-least", "0", "--allow-missing", "--format", layout)
    ended = run(*(gate if layout != "scores" else ("score", odd, "-m", "TokenF1", "-o", "-")), shell=shell)
    assert ended.returncode == 2 and b"Traceback" not in ended.stderr and b"ignored" not in ended.stderr


@pytest.mark.parametrize(
    "arguments", [("doctor",), ("cache", "info"), ("list",), ("--help",), ("--version",), ("check", "-h")]
)
def test_a_full_disk_below_stdout_is_exit_code_2_of_every_command(arguments: tuple[str, ...], tmp_path: Path) -> None:
    ended = run(*arguments, shell="> /dev/full", NLGAUGE_CACHE=str(tmp_path / "cache"))
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == b"nlgauge: standard output cannot be written: No space left on device"


def test_an_error_of_ours_is_no_failing_gate(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("nlgauge.evaluate", broken)
    result = nlgauge("check", outputs, "-m", "TokenF1", "--at-least", "0")
    assert result.exit_code == 2 and "ZeroDivisionError: a mistake" in result.stderr


def test_a_closed_stdout_is_said_before_anything_is_computed(outputs: Path, tmp_path: Path) -> None:
    ended = run("score", outputs, "-m", "TokenF1", "-o", tmp_path / "scores.jsonl", shell=">&-")
    assert ended.returncode == 2 and not (tmp_path / "scores.jsonl").exists()
    assert ended.stderr == b"nlgauge: standard output is closed: give it a file or a pipe, or > /dev/null\n"


def test_a_closed_stderr_is_no_reason_to_fail(outputs: Path) -> None:
    ended = run("score", outputs, "-m", "TokenF1", shell="2>&-")
    assert ended.returncode == 0 and b"copy" in ended.stdout


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
@pytest.mark.parametrize("layout", ["text", "json", "csv"])
def test_a_narrow_terminal_is_sent_every_line(odd: Path, environment: dict[str, str], layout: str) -> None:
    ended = run("score", odd, "-m", "TokenF1", "--format", layout, **environment)
    assert ended.returncode == 0, ended.stderr
    assert b"Traceback" not in ended.stderr
    if layout == "json":
        systems = json.loads(ended.stdout.decode("latin-1" if "latin-1" in environment.values() else "utf-8"))[
            "systems"
        ]
        assert {one["system"] for one in systems} == {"a\u202eb", "c\u2066d\u009b2J", "日本 é 😀"}
    elif layout == "text" and "latin-1" in environment.values():
        assert b"TokenF1 f1 ^" in ended.stdout and rb"\u65e5\u672c" in ended.stdout and b"\xe9" in ended.stdout


@pytest.mark.parametrize("layout", ["text", "markdown", "latex"])
def test_names_do_not_turn_lines_round_nor_steer_the_terminal(odd: Path, layout: str) -> None:
    result = nlgauge("score", odd, "-m", "TokenF1", "--format", layout)
    assert result.exit_code == 0
    for sign in "\u202e\u2066\u009b\u001b":
        assert sign not in result.stdout + result.stderr
    assert "a\ufffdb" in result.stdout
    layout = {"markdown": "github", "latex": "junit"}.get(layout, layout)
    result = nlgauge("check", odd, "-m", "TokenF1", "--at-least", "1", "--format", layout)
    assert result.exit_code == 1 and not {"\u202e", "\u2066", "\u009b", "\u001b"} & set(result.stdout + result.stderr)


@pytest.mark.parametrize("arguments", [("--format", "csv"), ("--format", "json"), ("-o", "-"), ("-o", "/dev/stdout")])
def test_a_terminal_is_shown_escapes_and_a_pipe_the_data(odd: Path, arguments: tuple[str, ...]) -> None:
    given = ("score", str(odd), "-m", "TokenF1", *arguments)
    shown = on_a_terminal(*given).decode()
    assert not {"\u202e", "\u2066", "\u009b", "\u001b"} & set(shown.replace("\x1b[?25h", ""))
    assert "a\\u202eb" in shown and "c\\u2066d\\u009b2J" in shown and "日本 é 😀" in shown
    piped = run(*given).stdout.decode()
    assert ("a\u202eb" in piped) is ("json" not in arguments) and ("a\\u202eb" in piped) is ("json" in arguments)


def test_the_page_shows_names_without_what_turns_lines_round(odd: Path, tmp_path: Path) -> None:
    scores, page = tmp_path / "scores.jsonl", tmp_path / "report.html"
    assert nlgauge("score", odd, "-m", "TokenF1", "-o", scores, "--evidence").exit_code == 0
    assert nlgauge("report", scores, "--outputs", odd, "-o", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "a\ufffdb" in text and not {"\u202e", "\u2066"} & set(text)


def test_a_full_temporary_folder_is_one_line(many: Path, tmp_path: Path) -> None:
    """Files of this process may have 10 KB; the rows of a run in blocks lie in a temporary one."""
    shell = [
        "bash",
        "-c",
        'trap "" XFSZ; ulimit -f 10; exec "$@"',
        "bash",
        *COMMAND,
        "score",
        str(many),
        "-m",
        "TokenF1",
        "--rows-per-block",
        "500",
        "-o",
        str(tmp_path / "folder"),
    ]
    ended = subprocess.run(shell, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("nlgauge: the rows cannot be kept in a temporary file: File too large")
    assert len(ended.stderr.splitlines()) == 1


def test_no_temporary_folder_at_all_is_one_line(many: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none(**_: Any) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("nlgauge.data.corpus.disk_rows.tempfile.TemporaryFile", none)
    result = nlgauge("score", many, "-m", "TokenF1", "--rows-per-block", "500", "-o", tmp_path / "folder")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "No usable temporary directory found (set TMPDIR to a folder with more room)" in result.stderr


def test_what_the_machine_refuses_is_one_line_and_exit_code_2(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(24, "Too many open files", "/some/file")

    monkeypatch.setattr("nlgauge.evaluation.evaluate", refused)
    monkeypatch.setattr("nlgauge.evaluate", refused)
    result = nlgauge("score", outputs, "-m", "TokenF1")
    assert (result.exit_code, result.stderr) == (2, "nlgauge: /some/file: Too many open files\n")


def test_who_stops_a_command_is_told_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training, moreover, tells of itself where no terminal shows its bar."""

    def stopped() -> None:
        time.sleep(0.1)
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["nlgauge.cli.streams"], "EVERY", 0.01)
    for name in ("check", "train"):
        monkeypatch.setitem(cli.main.commands, name, click.command(name)(stopped))
    monkeypatch.setattr(sys, "argv", ["nlgauge", "train", "masked-lm", "--out", "run"])
    first, *_, last = nlgauge("train").stderr.splitlines()
    assert first.startswith("nlgauge train: ") and first.endswith(" s so far")
    assert last.startswith("nlgauge: stopped; the folder of --out has the last checkpoint")
    monkeypatch.setattr(sys, "argv", ["nlgauge", "check"])
    result = nlgauge("check")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr.splitlines()[-1].startswith("nlgauge: stopped; what was scored is cached (nlgauge cache info")
    monkeypatch.setattr(sys, "argv", ["nlgauge", "check", "--no-cache"])
    assert nlgauge("check").stderr.splitlines()[-1] == "nlgauge: stopped"

"""Annotations of GitHub Actions: one command a line, escaped as the runner reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import nlgauge

pytestmark = pytest.mark.usefixtures("one_model")
COMMAND = re.compile(r"::(\w+) ([^:]*)::(.*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it."""
    match = COMMAND.fullmatch(line)
    assert match is not None, line
    kind, properties, message = match.groups()
    pairs = (pair.split("=", 1) for pair in properties.split(","))

    def plain(text: str) -> str:
        for code, sign in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            text = text.replace(code, sign)
        return text

    return kind, {key: plain(value) for key, value in pairs}, plain(message)


def test_failing_rows_are_errors_at_their_line(claims: Path) -> None:
    result = nlgauge("check", claims, "-m", "Consistency", "--at-least", 0.99, "--format", "github")
    assert result.exit_code == 1
    bar, missing, end = map(read, result.stdout.splitlines())
    assert bar[0] == "error" and bar[1] == {"file": str(claims), "line": "2", "title": "Consistency"}
    where, words = bar[2].split("\n")
    assert where.startswith("row 2, system A, item 50%, y:\ufffd[1m: 0.")
    assert words.startswith("candidate, against the source: The library opens ") and words.endswith("volcano].")
    assert missing[1]["line"] == "3" and "no value" in missing[2]
    assert end[0] == "notice" and end[2].endswith("; failed")


def test_a_file_whose_rows_are_no_lines_is_named_without_one(claims: Path, tmp_path: Path) -> None:
    path = tmp_path / "claims, more.csv"
    path.write_text(
        'candidate,source\n"",The library opens.\nThe library opens.,The library opens.\n', encoding="utf-8"
    )
    result = nlgauge("check", path, "-m", "Consistency", "--at-least", 0, "--format", "github")
    kind, properties, _ = read(result.stdout.splitlines()[0])
    assert kind == "error" and properties == {"file": str(path), "title": "Consistency"}

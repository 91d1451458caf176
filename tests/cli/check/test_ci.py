"""Annotations of GitHub Actions: one command a line, escaped as the runner reads them."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

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


@pytest.mark.parametrize(
    ("more", "third", "counted"), [((), "error", "errors"), (("--allow-missing",), "skipped", "skipped")]
)
def test_each_row_is_a_case(claims: Path, more: tuple[str, ...], third: str, counted: str) -> None:
    result = nlgauge("check", claims, "-m", "Consistency", "--at-least", 0.99, "--format", "junit", *more)
    assert result.exit_code == 1
    (suite,) = ElementTree.fromstring(result.stdout)
    cases = list(suite)
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], [third]]
    assert [case.get("name") for case in cases][1] == "row 2, system A, item 50%, y:\ufffd[1m"
    assert "volcano]." in (cases[1][0].text or "")
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0", counted: "1"}


def test_a_comparison_is_a_case_too(claims: Path, tmp_path: Path) -> None:
    text = "The library opens in May."
    claims.write_text(f'{{"candidate": "{text}", "source": "{text}"}}\n' * 8, encoding="utf-8")
    saved = tmp_path / "scores.jsonl"
    nlgauge("check", claims, "-m", "Consistency", "--at-least", 0, "-o", saved)
    worse = text.replace("May", "flames")
    claims.write_text(f'{{"candidate": "{worse}", "source": "{text}"}}\n' * 8, encoding="utf-8")
    result = nlgauge("check", claims, "-m", "Consistency", "--against", saved, "--format", "junit")
    assert result.exit_code == 1
    (suite,) = ElementTree.fromstring(result.stdout)
    assert suite[-1].get("name") == f"system system against {saved}"
    assert "worse" in str(suite[-1][0].get("message")) and suite.get("failures") == "1"

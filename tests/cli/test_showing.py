"""What is printed of a study: numbers and figures, notes and signatures, and JSON without NaN."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli.showing import show
from nlgauge.data.signature import Signature


@dataclass(frozen=True)
class Point:
    value: float


@dataclass(frozen=True)
class Made:
    points: tuple[Point, ...] = (Point(0.5), Point(math.nan), Point(math.inf))
    signatures: dict[str, Signature] = field(
        default_factory=lambda: {name: Signature(name, {"layer": 2}) for name in ("A", "B")}
    )
    notes: tuple[str, ...] = ("a note",)

    def tables(self) -> list[list[list[str]]]:
        return [[["name", "value"], ["one", "0.5"]], [["other"]]]

    def draw(self, path: Path) -> None:
        path.write_text("drawn", encoding="utf-8")


def test_tables_on_stdout_the_rest_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    show("made", Made(), tmp_path / "figure.svg", "text")
    shown = capsys.readouterr()
    assert shown.out == "name  value\none   0.5\n\nother\n"
    drawn = f"drawn: {tmp_path / 'figure.svg'}"
    assert shown.err.splitlines() == ["a note", "A|layer:2", "and 1 more signatures, in --format json", drawn]
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8") == "drawn"


def test_json_holds_signatures_as_text_and_words_for_what_is_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    show("made", Made(), None, "json")
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert record["study"] == "made" and record["signatures"] == {"A": "A|layer:2", "B": "B|layer:2"}
    assert record["points"] == [{"value": 0.5}, {"value": None}, {"value": "Infinity"}]

"""Lists of numbers on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.command import refused


def test_numbers_stand_with_commas(outputs: Path) -> None:
    refused("study", "temperature", outputs, "--temperatures", "1;2", say="write numbers with commas")
    refused("study", "neighbours", outputs, "-k", "1.5", say="write whole numbers with commas")

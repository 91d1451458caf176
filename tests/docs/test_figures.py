"""The figures of docs/which-metric.md are those of docs/agreement.md, which is generated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAD = "| data | aspect | level, coefficient | metric | pocket | base |"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def quoted() -> list[list[str]]:
    """Data set, aspect, level and coefficient, metric and both figures of every line under such a head."""
    lines = (ROOT / "docs" / "which-metric.md").read_text(encoding="utf-8").splitlines()
    found = []
    for start in (number for number, line in enumerate(lines) if line == HEAD):
        for line in lines[start + 2 :]:
            if not line.startswith("|"):
                break
            found.append(cells(line))
    return found


def agreement(data: str, level: str, metric: str, aspect: str) -> list[str]:
    """The figures on the generated page, by pocket and by base; a KeyError names what it has not.

    A metric that uses no model has one figure, in the place of pocket's.
    """
    page = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0].strip(): part for part in re.split(r"^## ", page, flags=re.MULTILINE)}
    tables = re.split(r"\n\n", sections[data])
    heads = {cells(table.splitlines()[0])[0]: table.splitlines() for table in tables if table.startswith("|")}
    table = heads[level]
    column = cells(table[0]).index(aspect)
    rows = {cells(line)[0].replace(" ‡", ""): cells(line)[column].strip("*").split(" ")[0] for line in table[2:]}
    if metric in rows:
        return [rows[metric], "-"]
    return [rows[f"{metric}, pocket"], rows.get(f"{metric}, base", "-")]


def test_there_are_figures() -> None:
    assert len(quoted()) >= 10


@pytest.mark.parametrize("line", quoted(), ids=lambda line: " ".join(line[:4]))
def test_a_figure_is_the_one_of_the_generated_page(line: list[str]) -> None:
    data, aspect, level, metric, *figures = line
    assert figures == agreement(data, level, metric, aspect), "correct docs/which-metric.md, and read what it concludes"

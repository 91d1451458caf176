"""Rating projects for tests, and raters who fill their sheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.ratings.labels import Aspect
from nlgauge.ratings.project import RatingProject
from nlgauge.ratings.sampling import Draw, DrawnRow
from nlgauge.reports.page.sheet import write_project

GOOD = (Aspect("good"),)


def project(
    folder: Path,
    outputs: Corpus,
    n: int,
    aspects: Sequence[Aspect] = GOOD,
    *,
    scores: ScoreTable | None = None,
    **how: Any,
) -> RatingProject:
    """A project of n rows that were drawn from outputs."""
    return write_project(folder, outputs, nlgauge.sample(outputs, n, scores=scores, **how), aspects, how)


def cells_of(place: Path) -> list[dict[str, str]]:
    """The rows of a sheet as it was made."""
    with place.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def written(lines: Sequence[Mapping[str, str]], delimiter: str = ",") -> str:
    """Rows as a table."""
    text = io.StringIO()
    sheet = csv.DictWriter(text, list(lines[0]), delimiter=delimiter)
    sheet.writeheader()
    sheet.writerows(lines)
    return text.getvalue()


def fill(
    folder: Path,
    rating: Callable[[DrawnRow], object],
    name: str = "sheet.csv",
    column: str = "scores.good",
    count: int | None = None,
) -> None:
    """Rate the first rows of a project's sheet, all by default, and save it under a name."""
    draw: Draw = RatingProject.load(folder).draw
    rows = {row.name: row for row in draw.sheet}
    lines = cells_of(folder / "sheet.csv")
    for line in lines[:count]:
        line[column] = str(rating(rows[line["item"]]))
    (folder / name).write_text(written(lines), encoding="utf-8")

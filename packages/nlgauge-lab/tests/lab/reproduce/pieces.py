"""A rated table of our own, a metric that counts words, and a published table about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nlgauge.contract.base import Cost, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.errors import MissingExtraError
from nlgauge_lab.reproduce import lines
from nlgauge_lab.reproduce.kinds import Cell, Rebuilt
from nlgauge_lab.reproduce.lines import as_csv, ordered
from nlgauge_lab.reproduce.measuring import measure
from nlgauge_lab.reproduce.page import page
from nlgauge_lab.reproduce.published import Source, Table
from nlgauge_lab.reproduce.published import table as made_of
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.rebuild import Rebuilder
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.suites import Group, Suite

# Words of each system's output by item, and what people said of it.
WORDS = {"long": {"a": 6, "b": 5, "c": 9}, "middle": {"a": 4, "b": 3, "c": 5}, "short": {"a": 1, "b": 2, "c": 2}}
RATED = {"long": {"a": 5, "b": 3, "c": 4}, "middle": {"a": 4, "b": 4, "c": 3}, "short": {"a": 1, "b": 2, "c": 1}}
# Sums over the nine: words 37, squared 201; ratings 27, squared 97; products 131. r = 20 / sqrt(440 / 9 * 16).
POOLED = 20 / (440 / 9 * 16) ** 0.5
UNRATED = {"row": "Length", "spec": "Words"}
SYSTEM = 0.9017008738  # of the systems' means (20, 12, 5) / 3 and (12, 11, 4) / 3

SUITE = Suite(
    "tiny",
    "Tiny",
    (Source("tiny"),),
    ("quality",),
    (("pooled", "pearson"), ("system", "pearson")),
    (
        Group(("Words", "Tomorrow", "Words(extra='absent')", "FrechetDistance", "EmbeddingAverage")),
        Group(("Words(of='difference')",), ("short",)),
    ),
    notes=("A note.",),
)


@dataclass(frozen=True)
class Words(RowMetric):
    """How many words a text has, or how many more than its first reference. For tests."""

    parts: ClassVar[tuple[str, ...]] = ("score", "half")

    of: str = param("candidate", choices=("candidate", "difference"))
    extra: str = param("", choices=("", "absent"))
    model: str | None = None

    @property
    def cost(self) -> Cost:
        return "encoding"

    def prepare(self, setup: Setup) -> Prepared:
        if self.extra:
            raise MissingExtraError("counting words", "words")
        return Prepared()

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        values = []
        for row in rows:
            less = len(row.references[0].split()) if self.of == "difference" else 0
            number = float(len(row.candidate.split()) - less)
            values.append(Value((number, number / 2)))
        return values


def table(**changes: Any) -> dict[str, Any]:
    """The record of a table about the made-up data, whose length row is right to the last of four digits."""
    return {
        "name": "made-up",
        "paper": "ctc",
        "title": "Made up",
        "data": {"tiny": [{"file": "tiny"}]},
        "columns": [["tiny", "quality", level, "pearson"] for level in ("pooled", "system")],
        "rows": [
            {"row": "Length", "spec": "Words", "published": [0.7151, 0.9017]},
            {"row": "Foreign", "why": "not a metric of nlgauge", "published": [0.5, None]},
        ],
        **changes,
    }


def write(folder: Path, name: str = "tiny", systems: Sequence[str] = tuple(WORDS)) -> None:
    """The rated table as a file."""
    records = [
        {
            "system": system,
            "item": item,
            "candidate": " ".join(["word"] * WORDS[system][item]),
            "references": ["two words", "these three words"],
            "source": "one two three four",
            "scores": {"quality": RATED[system][item]},
        }
        for system in systems
        for item in WORDS[system]
    ]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def rebuilt(folder: Path, made: Table, limit: int | None = None, **options: Any) -> Rebuilt:
    """One table, rebuilt, with its scores beside the data."""
    rebuilder = Rebuilder(Data(folder, limit), Scores(folder / "scores"), **options)
    rebuilder.score([made])
    return rebuilder.rebuild(made)


def cells(folder: Path, row: dict[str, Any], **changes: Any) -> list[Cell]:
    """The cells of one row of the made-up table."""
    made = rebuilt(folder, made_of(table(rows=[{"row": "Row", **row}], **changes)))
    return [cell for block in made.blocks for cell in block.rows["Row"]]


def written(folder: Path, suites: Sequence[Suite] = (SUITE,), limit: int | None = None, **options: Any) -> str:
    """The results page of some suites, and below it the CSV of its numbers, with its scores beside the data."""
    scores = Scores(folder / "scores")
    measured, absent = measure(Data(folder, limit), scores, replicates=50, suites=suites, **options)
    found = ordered([*lines.published(suites), *lines.lines(measured)], suites)
    return page(found, [one.suite for one in measured], absent, limit, 50) + as_csv(found)

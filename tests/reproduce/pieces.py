"""A rated table of our own, a metric that counts words, and a published table about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nlgauge import Corpus, MissingExtraError
from nlgauge.corpus import Row
from nlgauge.engine.engine import Features, Need
from nlgauge.metrics.base import RowMetric, Scorer, Texts, Value

# Words of each system's output by item, and what people said of it.
WORDS = {"long": {"a": 6, "b": 5, "c": 9}, "middle": {"a": 4, "b": 3, "c": 5}, "short": {"a": 1, "b": 2, "c": 2}}
RATED = {"long": {"a": 5, "b": 3, "c": 4}, "middle": {"a": 4, "b": 4, "c": 3}, "short": {"a": 1, "b": 2, "c": 1}}
# Sums over the nine: words 37, squared 201; ratings 27, squared 97; products 131. r = 20 / sqrt(440 / 9 * 16).
POOLED = 20 / (440 / 9 * 16) ** 0.5
SYSTEM = 0.9017008738  # of the systems' means (20, 12, 5) / 3 and (12, 11, 4) / 3


@dataclass(frozen=True)
class Words(RowMetric):
    """How many words a text has, or how many more than its first reference. For tests."""

    parts: ClassVar[tuple[str, ...]] = ("score", "half")
    choices: ClassVar[Mapping[str, Sequence[object]]] = {"of": ("candidate", "difference"), "extra": ("", "absent")}

    of: str = "candidate"
    extra: str = ""

    def scorer(self, corpus: Corpus, texts: Texts) -> Scorer:
        if self.extra:
            raise MissingExtraError("counting words", "words")
        return _Counter(self)


class _Counter(Scorer):
    def __init__(self, metric: Words) -> None:
        self._metric = metric

    def needs(self, row: Row) -> list[Need]:
        return []

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        out = []
        for row in rows:
            less = len(row.references[0].split()) if self._metric.of == "difference" else 0
            number = float(len(row.candidate.split()) - less)
            out.append(Value((number, number / 2)))
        return out


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

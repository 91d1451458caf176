"""What commands share: how outputs are read and tables of text and JSON records printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

PLACE = click.Path(path_type=Path)


def read_outputs(
    outputs: Path | None, candidates: Path | None, references: Sequence[Path], source: Path | None,
    context: Path | None, system: str | None, columns: Sequence[str],
) -> Corpus:  # fmt: skip
    from nlgauge.corpus import Corpus

    if (outputs is None) == (candidates is None):
        raise SpecError("give either a table of outputs or --candidates with a text file")
    if candidates is not None:
        if columns:
            raise SpecError("--map names the columns of a table; text files have none")
        return Corpus.read_texts(candidates, references, source, context, system)
    if references or source or context or system:
        raise SpecError("--references, --source, --context and --system go with --candidates; a table has columns")
    assert outputs is not None
    pairs = [pair.partition("=") for pair in columns]
    if wrong := [ours for ours, equals, theirs in pairs if not (ours and equals and theirs)]:
        raise SpecError(f"--map {wrong[0]}: write OURS=THEIRS, as in --map candidate=prediction")
    return Corpus.read(outputs, columns={ours: theirs for ours, _, theirs in pairs})


def plain(value: Any) -> Any:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")  # as in a scores file


def plainly(record: object) -> dict[str, Any]:
    return {key: plain(value) for key, value in vars(record).items()}


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def with_interval(value: float, low: float = math.nan, high: float = math.nan) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}" + ("" if math.isnan(low) else f" [{low:.4f}, {high:.4f}]")

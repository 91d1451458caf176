"""The rows of a page as its script reads them: numbers by column, each text once, and evidence as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.reports.page.scored import Scale, Scored, known_texts, rounded
from nlgauge.show.environment import data, shown
from nlgauge.show.evidence import drawn
from nlgauge.stats.arrays import Float

MOST_ROWS = 10_000
MOST_BYTES = 9_000_000
"""Bytes for texts, each counted once, and for numbers. With evidence and tables a page stays below 15 MB"""
MOST_EVIDENCE = 4_000_000
"""The greatest number of bytes of evidence in a page"""
_A_NUMBER = 8


@dataclass(frozen=True)
class Listed:
    """The rows of a page, in the order of the table."""

    rows: list[int]
    total: int
    kinds: dict[str, int]
    """Number of rows by "worst", "best", "most disputed" and "sample"; empty where all rows are listed"""


def by_turns(mean: Float, spread: Float) -> Iterator[tuple[int, str]]:
    """Yield every row once: in turn the worst, the best and the most disputed row that is left, and one of a sample.

    Args:
        mean: how well each row does, NaN where it is not known. [rows]
        spread: how far metrics disagree about each row, NaN where it is not known. [rows]

    Returns:
        Pairs of the index of a row and the kind for which it was taken: "worst", "best", "most disputed" or "sample".
    """
    n = len(mean)
    up = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    down = np.argsort(np.where(np.isnan(mean), np.inf, -mean), kind="stable")
    disputed = np.argsort(np.where(np.isnan(spread), np.inf, -spread), kind="stable")
    # Rows far apart first: every prefix of this order is spread over the whole table.
    sample = np.argsort((np.arange(n) * 0.6180339887498949) % 1.0, kind="stable")
    seen = np.zeros(n, bool)
    queues = [
        (name, iter(order.tolist()))
        for name, order in (("worst", up), ("best", down), ("most disputed", disputed), ("sample", sample))
    ]
    left = n
    while left:
        for name, queue in queues:
            row = next((row for row in queue if not seen[row]), None)
            if row is not None:
                seen[row] = True
                left -= 1
                yield row, name


def listed(order: Iterable[tuple[int, str]], texts: list[list[str]], most: int, columns: int) -> Listed:
    """Return as many rows as the page has room for.

    Args:
        order: (index, kind) of the rows, in the order in which they are taken, as `by_turns` gives them.
        texts: the texts of each row. A text that several rows share counts once.
        most: the greatest number of rows.
        columns: the number of numbers that a row has.

    Returns:
        The rows, in the order of the table.
    """
    chosen: list[int] = []
    kinds: dict[str, int] = {}
    written: set[str] = set()
    size = 0
    for row, kind in order:
        new = set(texts[row]) - written
        size += _A_NUMBER * columns + sum(len(text.encode("utf-8", "surrogatepass")) for text in new)
        if chosen and (len(chosen) >= most or size > MOST_BYTES):
            break
        written |= new
        chosen.append(row)
        kinds[kind] = kinds.get(kind, 0) + 1
    return Listed(sorted(chosen), len(texts), kinds if len(chosen) < len(texts) else {})


_TEXTS = ("candidate", "source", "context", "references")


def described(scales: Sequence[Scale]) -> list[dict[str, Any]]:
    """Return a description of each column of numbers for the script: its names, its direction, and its kind."""
    shorts = Counter(scale.short for scale in scales)
    return [
        {
            "name": shown(scale.name),
            "short": shown(scale.short if shorts[scale.short] == 1 else scale.name),
            "metric": scale.metric,
            "part": scale.part,
            "up": scale.up,
            "first": scale.first,
            "detail": scale.detail,
        }
        for scale in scales
    ]


def listed_rows(scored: Scored, scales: Sequence[Scale], listed: Listed, mean: Float, spread: Float) -> dict[str, Any]:
    """Return the data of the listed rows for the script, column by column.

    Args:
        scored: the data of the page.
        scales: the columns of numbers.
        listed: the rows to list.
        mean: how well each row does by all metrics, as `standing` gives it: [rows].
        spread: how far the metrics disagree about each row, as `standing` gives it: [rows].
    """
    table, at = scored.table, listed.rows
    systems = {system: number for number, system in enumerate(table.systems)}
    pool = _Pool()
    return {
        "number": [row + 1 for row in at],
        "system": [systems[table.rows[row][0]] for row in at],
        "item": [shown(table.rows[row][1]) for row in at],
        "standing": rounded(mean[at].tolist()),
        "disputed": rounded(spread[at].tolist()),
        "values": [rounded(scale.values[at].tolist()) for scale in scales],
        "reasons": _reasons(scored, at),
        "has": [pool.of(known_texts(scored.texts[row])) for row in at],
        "texts": pool.texts,
        "evidence": _evidence(scored, listed, mean, spread),
    }


class _Pool:
    """A pool that holds each text once, under a number, because systems share the source and references of an item."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, texts: Mapping[str, Any]) -> list[Any]:
        """Return the numbers of a row's texts in the pool, in the order of `_TEXTS`; None for an absent text."""
        return [self._number(texts.get(name)) for name in _TEXTS]

    def _number(self, text: str | list[str] | None) -> Any:
        """Return the number of a text in the pool, a list of numbers for a list of texts, or None for None."""
        if text is None:
            return None
        if isinstance(text, list):
            return [self._number(part) for part in text]
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(shown(text))
        return self._numbers[text]


def _reasons(scored: Scored, at: Sequence[int]) -> list[dict[str, Any]]:
    """Return {metric, why, rows} for each metric and reason of missing values.

    Args:
        scored: the data of the page.
        at: the indexes of the listed rows in the table. The `rows` of the result are positions in this list.
    """
    place = {row: number for number, row in enumerate(at)}
    places: dict[tuple[str, str], list[int]] = {}
    for spec, column in scored.table.columns.items():
        if column.level == "item":
            for row, why in column.reasons.items():
                if row in place:
                    places.setdefault((spec, why), []).append(place[row])
    return [{"metric": spec, "why": shown(why), "rows": sorted(rows)} for (spec, why), rows in places.items()]


def _evidence(scored: Scored, listed: Listed, mean: Float, spread: Float) -> dict[str, Any]:
    """Return the evidence of the listed rows as HTML, for as many rows as the page has room for.

    Args:
        scored: the data of the page.
        listed: the listed rows.
        mean: as in `by_turns`, which gives the order in which evidence is drawn.
        spread: as in `by_turns`.

    Returns:
        Under 'of' the HTML, by metric and by index in the list of rows. Under 'kept' and 'left_out' the numbers of rows
        whose evidence is drawn and is not drawn.
    """
    place = {row: number for number, row in enumerate(listed.rows)}
    columns = {spec: c for spec, c in scored.table.columns.items() if c.level == "item" and c.evidence}
    made: dict[str, dict[str, str]] = {spec: {} for spec in columns}
    size = kept = left_out = 0
    order = by_turns(mean, spread) if columns else iter(())
    for row, _ in order:
        if row not in place or not any(row in column.evidence for column in columns.values()):
            continue
        if size > MOST_EVIDENCE:
            left_out += 1
            continue
        texts = known_texts(scored.texts[row])
        for spec, column in columns.items():
            if row in column.evidence:
                made[spec][str(place[row])] = html = drawn(column.evidence[row], texts)
                size += len(data(html).encode("utf-8"))
        kept += 1
    return {"of": made, "kept": kept, "left_out": left_out}


def worst_of(scored: Scored, system: str, mean: Float, most: int = 3) -> list[tuple[int, str, str]]:
    """Return (row number from 1, item, output) of a system's worst rows, the worst first.

    Args:
        scored: the data of the page.
        system: the name of the system.
        mean: how well each row does by all metrics, as `standing` gives it: [rows]. Rows with NaN are left out.
        most: the greatest number of rows to return.
    """
    rows = scored.table.rows_of(system)
    scored_rows = rows[~np.isnan(mean[rows])]
    ranked = scored_rows[np.argsort(mean[scored_rows], kind="stable")][:most]
    texts = scored.texts
    return [
        (int(row) + 1, scored.table.rows[row][1], "" if (text := texts[row]) is None else text.candidate)
        for row in ranked
    ]


_BINS = 30


def histograms(table: ScoreTable, scales: Sequence[Scale]) -> list[dict[str, Any] | None]:
    """Return histograms of each column of numbers: the edges of its bins, and the counts of each system in them.

    Args:
        table: the scores.
        scales: the columns of numbers.

    Returns:
        A JSON object for each column; None for a column without a finite number.
    """
    where = [table.rows_of(system) for system in table.systems]
    return [_histogram(scale, where) for scale in scales]


def _histogram(scale: Scale, where: Sequence[Any]) -> dict[str, Any] | None:
    finite = scale.values[np.isfinite(scale.values)]
    if not len(finite):
        return None
    # A bin a value where there are few values, as ratings have.
    edges = np.histogram_bin_edges(finite, int(min(_BINS, max(2, len(np.unique(finite))))))
    systems = []
    for rows in where:
        of_system = scale.values[rows]
        numbers = of_system[np.isfinite(of_system)]
        counts, _ = np.histogram(numbers, edges)
        systems.append(
            {"counts": counts.tolist(), "mean": float(numbers.mean()) if len(numbers) else None, "n": len(numbers)}
        )
    return {"edges": [float(f"{edge:.6g}") for edge in edges], "systems": systems}

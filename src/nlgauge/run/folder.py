"""Writing scores into a folder during a run, one file for each block of rows."""

from __future__ import annotations

import json
import math
from collections import ChainMap
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from nlgauge._version import __version__
from nlgauge.contract.base import Metric, Value
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.opening import FilePath
from nlgauge.data.evidence import wrong_evidence
from nlgauge.data.jsonable import plain
from nlgauge.data.seal import sealed
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.folder import FILES, HEADER, PLAN, Dataset, block_name, fault, types_of
from nlgauge.errors import InputError
from nlgauge.options import Repeats
from nlgauge.run.plan import Plan
from nlgauge.run.results import RowResult, Scores
from nlgauge.run.sinks import Earlier, TableBuilder

_OTHER = "name another, or remove it"


class FolderWriter(TableBuilder):
    """A sink that writes scores into a folder during the run. Meanwhile, no other run can write to the folder.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        asked: the canonical spec of each metric, by the spec that the user wrote.
        evidence: whether evidence is written.
        place: the folder.
        size: the number of rows in a block.
        repeats: as of TableBuilder.

    Raises:
        InputError: raised by `begin`, where another run is at work in the folder, where the folder cannot be written,
            and where it holds the scores of another run.
    """

    def __init__(
        self,
        corpus: Corpus,
        metrics: Mapping[str, Metric],
        asked: Mapping[str, str],
        evidence: bool,
        place: FilePath,
        size: int,
        repeats: Repeats = "error",
    ) -> None:
        super().__init__(corpus, metrics, asked, evidence, held=0, repeats=repeats)
        self._dataset, self._size = Dataset(place), size
        of_rows = [spec for spec, column in self.columns.items() if column.level == "item"]
        self._open: dict[str, dict[int, RowResult]] = {spec: {} for spec in of_rows}
        """By spec and row number: the results of rows whose block is not complete yet"""
        parts = {spec: self.columns[spec].parts for spec in self._open}
        self._types = types_of(parts, {spec for spec in parts if self.columns[spec].sums is not None}, evidence)
        self._there: set[int] = set()
        self._digests: dict[str, str] | None = None
        """The digests of the files of a run that has ended; a block whose file has changed since is written again"""

    def begin(self, plans: Sequence[Plan], held: ExitStack) -> Earlier:
        """Write the description of this run, and return the reader of earlier scores. Refuse another run's folder."""
        held.enter_context(self._dataset.alone())
        self._there = set(self._dataset.blocks())
        self._digests = self._dataset.sealed_files()
        facts = {spec: dict(facts) for plan in plans for spec, facts in plan.facts.items()}
        described = {
            "nlgauge": __version__,
            "corpus": self._corpus.digest,
            "rows": len(self._corpus),
            "rows_per_block": self._size,
            "evidence": self._evidence,
            "metrics": {spec: facts[spec] for spec in self.columns},
        }
        described = json.loads(json.dumps(described))
        before = self._dataset.record(PLAN, _OTHER)
        if before is None:
            if self._there:
                raise self._other(f"scores without {PLAN}")
            self._dataset.write_record(PLAN, described)
        elif differs := [key for key in described if before.get(key) != described[key]]:
            raise self._other(f"another run: {', '.join(differs)} differ{'s' if len(differs) == 1 else ''}")
        strays = self._there - set(range(0, len(self._corpus), self._size))
        if strays:
            problem = f"{block_name(min(strays))} is no block of this run"
            raise InputError(problem, file=self._dataset.place, remedy="remove that file")
        return self._earlier

    def _earlier(self, rows: Sequence[int]) -> Scores:
        """Return the scores of a block's rows that an earlier run wrote; empty for a missing or damaged block."""
        results = self._read(rows) if rows[0] in self._there else None
        if results is None:
            self._there.discard(rows[0])
            return {}
        return {spec: dict(zip(rows, of_rows, strict=True)) for spec, of_rows in results.items()}

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Hold scores until all rows of their block have ended, and then write the block."""
        for spec, results in scored.items():
            self._open[spec].update(results)
        if ended:
            self._write(ended)

    def _write(self, rows: Sequence[int]) -> None:
        """Write the block of these rows, unless the folder has it already."""
        whole = {spec: [results.pop(n) for n in rows] for spec, results in self._open.items()}
        for spec, results in whole.items():
            for row, result in zip(rows, results, strict=True):
                self._note(spec, row, result.value.notes)
        if rows[0] not in self._there:
            columns = [_columns(spec, self.columns[spec].parts, of_rows) for spec, of_rows in whole.items()]
            self._dataset.write(rows[0], self._places(rows), dict(ChainMap(*columns)), self._types)

    def end(self, spent: Mapping[str, object]) -> ScoreTable:
        """Write the header, which holds for all rows, and return the table as it is read from the folder."""
        systems = {
            spec: {
                "values": [[plain(part) for part in values] for values in column.values.tolist()],
                "reasons": {str(n): reason for n, reason in column.reasons.items()},
                "evidence": {str(n): shown for n, shown in column.evidence.items()},
            }
            for spec, column in self.columns.items()
            if column.level == "system"
        }
        described = {**super().end(spent).header(), "systems": systems, "ledger": dict(spent)}
        self._dataset.write_record(HEADER, sealed({**described, FILES: self._dataset.digests()}))
        return ScoreTable.load(self._dataset.place)

    def _read(self, rows: Sequence[int]) -> dict[str, list[RowResult]] | None:
        """Return the results that the file of a block holds for its rows, by spec; None for a damaged file."""
        try:
            table = self._dataset.read(rows[0], self._digests)
            if fault(table, rows[0], self._types):
                return None
            if list(zip(table["system"].to_pylist(), table["item"].to_pylist(), strict=True)) != self._places(rows):
                return None
            results = {spec: _results(table, spec, self.columns[spec].parts) for spec in self._open}
        except (InputError, ValueError, RecursionError):
            return None
        shown = (result.evidence for of_rows in results.values() for result in of_rows if result.evidence is not None)
        return None if any(map(wrong_evidence, shown)) else results

    def _places(self, rows: Sequence[int]) -> list[tuple[str, str]]:
        return [(row.system, row.item) for row in self._corpus.rows[rows[0] : rows[-1] + 1]]

    def _other(self, what: str) -> InputError:
        return InputError(f"the folder holds {what}", file=self._dataset.place, remedy=_OTHER)


def _columns(spec: str, parts: Sequence[str], results: Sequence[RowResult]) -> dict[str, list[Any]]:
    """Return the columns of a metric in the file of a block, by name."""
    values = [result.value for result in results]
    columns: dict[str, list[Any]] = {
        part: [None if math.isnan(value.parts[n]) else value.parts[n] for value in values]
        for n, part in enumerate(parts)
    }
    columns |= {
        "reason": [value.reason for value in values],
        "notes": [value.notes or None for value in values],
        "longer": [result.longer or None for result in results],
        "counts": [value.counts for value in values],
        "evidence": [
            json.dumps(result.evidence, ensure_ascii=False) if result.evidence else None for result in results
        ],
    }
    return {f"{spec}.{name}": cells for name, cells in columns.items()}


def _results(table: Any, spec: str, parts: Sequence[str]) -> list[RowResult]:
    """Return the results of a metric from the columns that `_columns` made of them."""
    columns = [[math.nan if v is None else v for v in table[f"{spec}.{part}"].to_pylist()] for part in parts]
    names = set(table.column_names)

    def rest(name: str, otherwise: Any) -> list[Any]:
        column = table[f"{spec}.{name}"].to_pylist() if f"{spec}.{name}" in names else [None] * len(table)
        return [otherwise if value is None else value for value in column]

    more = zip(
        rest("reason", None),
        rest("notes", ()),
        rest("counts", None),
        rest("longer", ()),
        rest("evidence", "null"),
        strict=True,
    )
    return [
        RowResult(
            Value(values, reason, tuple(notes), None if counts is None else tuple(counts)),
            tuple(longer),
            json.loads(shown),
        )
        for values, (reason, notes, counts, longer, shown) in zip(zip(*columns, strict=True), more, strict=True)
    ]

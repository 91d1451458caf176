"""ScoreTable: the numbers of a run, where each came from, and why one is missing. The only hand-over after scoring."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.maths.totals import FORMULAS, total
from nlgauge.whole_file import written_whole

_DRAWN_AT_ONCE, _DRAWS_KEPT = 8_000_000, 4


@dataclass
class Sums:
    """What a metric's value of all rows of a system is made of: their counts are summed, then the formula applied."""

    formula: dict[str, Any]
    """Its name and settings, of `nlgauge.maths.totals`"""
    counts: NDArray[np.float64]
    """[rows, counts]; NaN for a row that has nothing to add"""

    def of(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The counts of those of some rows that have something to add: [n, counts]."""
        counts: NDArray[np.float64] = self.counts[rows]
        return counts[~np.isnan(counts).any(axis=1)]

    def value(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of counts [..., n, counts], n at least 1: [..., parts]."""
        return total(self.formula, counts.sum(axis=-2))


@dataclass
class Column:
    """One metric's numbers: one for each row of the corpus, or one for each system where it measures sets."""

    parts: tuple[str, ...]
    values: NDArray[np.float64]
    """[rows, parts], or [systems, parts] in the order of `ScoreTable.systems`; NaN where nothing can be said"""
    reasons: dict[int, str] = field(default_factory=dict)
    """Why, by row (or system), for every one with a NaN"""
    evidence: dict[int, Any] = field(default_factory=dict)
    """What the score rests on, by row (or system), where it was asked for"""
    higher_is_better: bool = True
    level: str = "item"
    """'item', or 'system' for a metric of sets"""
    sums: Sums | None = None
    """Of a metric whose value of a system is not the mean of its rows"""


@dataclass(frozen=True)
class SystemScore:
    """A system's mean by one metric, with the interval that resampling its items gives."""

    system: str
    metric: str
    part: str
    mean: float
    """Of a metric that has a value of all rows together (`whole`), that value"""
    low: float
    high: float
    n: int
    """Items with a number"""
    undefined: int
    """Items without"""
    whole: bool = False
    """`mean` is the value of all rows together, a corpus BLEU say, and not the mean of the rows' values"""


@dataclass
class ScoreTable:
    """Scores of a corpus by some metrics: rows in the corpus's order, nothing dropped, NaN with its reason."""

    rows: list[tuple[str, str]]
    """(system, item) of each row"""
    columns: dict[str, Column]
    """By metric spec"""
    signatures: dict[str, str]
    """By metric spec: what the numbers depend on. Equal signatures on equal rows give equal numbers"""
    run: dict[str, Any] = field(default_factory=dict)
    """What happened in the run: corpus digest, texts read, texts over the window, notes"""
    version: str = ""
    """Of the nlgauge that made the table"""

    @property
    def metrics(self) -> list[str]:
        """The specs of the metrics, in the order in which they were asked for."""
        return list(self.columns)

    @property
    def systems(self) -> list[str]:
        """The systems, in order of first appearance."""
        return list(dict.fromkeys(system for system, _ in self.rows))

    def column(self, metric: object) -> Column:
        """A metric's column, by its spec or by its name where one metric alone has it. Raises KeyError otherwise."""
        return self.columns[self.find(metric)]

    def find(self, metric: object) -> str:
        """The spec under which a metric stands here, from that spec, the one that was asked for, or the bare name."""
        asked = self.run.get("asked", {}).get(str(metric), str(metric))
        wanted = asked.replace(" ", "").replace('"', "'")
        for spec in self.columns:
            if spec.replace(" ", "") == wanted:
                return spec
        named = [spec for spec in self.columns if spec.partition("(")[0] == wanted]
        if len(named) == 1:
            return named[0]
        several = f"{wanted} is not one metric but {len(named)}: " if named else f"no metric {wanted} in the table: "
        raise KeyError(several + ", ".join(named or self.columns))

    def values(self, metric: object, part: str | None = None) -> NDArray[np.float64]:
        """One number per row, in row order: [rows]; of a metric of sets one per system, in the order of `systems`.

        The metric's first part where none is named.
        """
        column = self.column(metric)
        if part is not None and part not in column.parts:
            raise KeyError(f"{metric} has no part {part!r}; it has {', '.join(column.parts)}")
        values: NDArray[np.float64] = column.values[:, column.parts.index(part) if part else 0]
        return values

    def by_system(self, level: float = 0.95, replicates: int = 1000, seed: int = 0) -> list[SystemScore]:
        """Mean, interval and count of every system, metric and part.

        The interval holds the middle `level` of the means of `replicates` resamples (with replacement) of the system's
        items: the percentile bootstrap. The resamples of equally many items are the same for every system and metric.
        Of a metric that has a value of all rows together that value is given (`whole`); its interval is that of the
        values of such resamples, and its `n` counts the rows that it is made of. A metric of sets has one value a
        system and no interval: a resample repeats items, and to a measure of nearest neighbours a repeated item is a
        new fact.
        """
        systems = self.systems
        where = [np.array([i for i, (own, _) in enumerate(self.rows) if own == system]) for system in systems]
        drawn: dict[int, NDArray[np.float64]] = {}
        out = []
        for spec, column in self.columns.items():
            found = [_of_system(column, at, rows, level, replicates, seed, drawn) for at, rows in enumerate(where)]
            for part, name in enumerate(column.parts):
                for system, rows, (parts, whole) in zip(systems, where, found, strict=True):
                    value, low, high, n = parts[part]
                    out.append(SystemScore(system, spec, name, value, low, high, n, len(rows) - n, whole))
        return out

    def records(self) -> Iterator[dict[str, Any]]:
        """One record per value, as `save` writes them."""
        for spec, column in self.columns.items():
            places = self._places(column)
            for index, part, said in self._said(column):
                system, item = places[index]
                yield {"system": system, "item": item, "metric": spec, "part": column.parts[part], **said}
            yield from self._wholes(spec, column)

    def _places(self, column: Column) -> Sequence[tuple[str, str | None]]:
        """(system, item) of each of a column's numbers."""
        return self.rows if column.level == "item" else [(system, None) for system in self.systems]

    @staticmethod
    def _said(column: Column) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Of every value its row (or system), its part, and what a record says besides naming them."""
        summed = column.sums is not None
        counts = column.sums.counts.tolist() if column.sums is not None else []
        for index, values in enumerate(column.values.tolist()):
            for part, value in enumerate(values):
                said: dict[str, Any] = {"value": value, "reason": None}
                if not math.isfinite(value):
                    known = not math.isnan(value)
                    said["value"] = _infinity(value) if known else None
                    said["reason"] = None if known else column.reasons.get(index, "")
                if part == 0 and column.evidence.get(index):
                    said["evidence"] = column.evidence[index]
                if part == 0 and summed and not any(map(math.isnan, counts[index])):
                    said["counts"] = counts[index]
                yield index, part, said

    def _wholes(self, spec: str, column: Column) -> Iterator[dict[str, Any]]:
        """A record of each system's value of all rows together, by a metric that has one."""
        if column.sums is None:
            return
        for system in self.systems:
            rows = np.array([index for index, (own, _) in enumerate(self.rows) if own == system])
            counts = column.sums.of(rows)
            values = column.sums.value(counts).tolist() if len(counts) else [None] * len(column.parts)
            for name, value in zip(column.parts, values, strict=True):
                record: dict[str, Any] = {"system": system, "item": None, "metric": spec, "part": name, "value": value}
                yield {**record, "reason": None if value is not None else column.reasons.get(int(rows[0]), "")}

    def save(self, path: str | Path) -> None:
        """Write JSON Lines: a header, then one record per value. The file is complete or not there at all."""
        header: dict[str, Any] = {
            "nlgauge": self.version,
            "signatures": self.signatures,
            "metrics": {
                spec: {
                    "parts": list(column.parts),
                    "higher_is_better": column.higher_is_better,
                    "level": column.level,
                    **({"formula": column.sums.formula} if column.sums is not None else {}),
                }
                for spec, column in self.columns.items()
            },
            "run": self.run,
        }
        if not any(column.level == "item" for column in self.columns.values()):
            header["rows"] = [list(row) for row in self.rows]  # no record names them
        encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
        starts: dict[str, list[str]] = {}  # of the lines: rows are named again by every metric and part
        with written_whole(path) as file:
            file.write(encode(header) + "\n")
            for spec, column in self.columns.items():
                if column.level not in starts:
                    starts[column.level] = [
                        encode({"system": system, "item": item})[:-1] for system, item in self._places(column)
                    ]
                own = starts[column.level]
                named = [f", {encode({'metric': spec, 'part': name})[1:-1]}, " for name in column.parts]
                for index, part, said in self._said(column):
                    # Nearly all records are a number alone, and need no encoder.
                    plain = len(said) == 2 and type(said["value"]) is float
                    rest = f'"value": {said["value"]!r}, "reason": null}}' if plain else encode(said)[1:]
                    file.write(f"{own[index]}{named[part]}{rest}\n")
                file.writelines(f"{encode(record)}\n" for record in self._wholes(spec, column))

    @classmethod
    def load(cls, path: str | Path) -> ScoreTable:
        """Read what `save` wrote. Raises InputError, with the line, for anything else."""
        try:
            lines = Path(path).read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            raise InputError("is not UTF-8", file=path, remedy="give what nlgauge score -o wrote") from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give a scores file") from None
        header = _record(path, 1, lines[0])
        if "nlgauge" not in header or not all(
            isinstance(header.get(key), dict) for key in ("signatures", "metrics", "run")
        ):
            raise InputError("has no nlgauge header", file=path, row=1, remedy="give what nlgauge score -o wrote")
        records = [(number, _record(path, number, line)) for number, line in enumerate(lines[1:], start=2) if line]
        rows = [(str(system), str(item)) for system, item in header.get("rows", [])]
        rows, columns = _columns(path, header["metrics"], records, rows)
        if len(rows) != (wanted := header["run"].get("rows", len(rows))):
            raise InputError(
                f"holds {len(rows)} of {wanted} rows", file=path, remedy="the file is cut short or was edited"
            )
        return cls(rows, columns, header["signatures"], header["run"], header["nlgauge"])


_Found: TypeAlias = tuple[float, float, float, int]
"""Value, low and high end of its interval, and of how many rows"""


def _of_system(
    column: Column,
    number: int,
    rows: NDArray[np.intp],
    level: float,
    replicates: int,
    seed: int,
    drawn: dict[int, NDArray[np.float64]],
) -> tuple[list[_Found], bool]:
    """What a column says of each part of a system, and whether it is a value of all rows together."""
    ends = [(1 - level) / 2, (1 + level) / 2]
    if column.sums is not None:
        counts = column.sums.of(rows)
        n, found = len(counts), np.full((3, len(column.parts)), np.nan)
        if n:
            found[0] = column.sums.value(counts)
        if n > 1:
            summed = [times @ counts for times in _resamples(n, replicates, seed, drawn)]
            found[1:] = np.quantile(column.sums.value(np.concatenate(summed)[:, None]), ends, axis=0)
        return [(value, low, high, n) for value, low, high in found.T.tolist()], True
    if column.level == "system":
        values = column.values[number].tolist()
        return [(value, math.nan, math.nan, 0 if math.isnan(value) else len(rows)) for value in values], False
    values = column.values[rows]
    known = ~np.isnan(values)
    out: list[_Found] = [(math.nan, math.nan, math.nan, 0)] * len(column.parts)
    # Parts that are known of the same rows are resampled at once.
    for mask, parts in _alike(known.T).items():
        own = values[np.frombuffer(mask, np.bool_)][:, parts]
        n = len(own)
        if not n:
            continue
        means, low, high = own.mean(axis=0), np.full(len(parts), np.nan), np.full(len(parts), np.nan)
        finite = np.isfinite(own).all(axis=0)
        if n > 1 and finite.any():
            resampled = np.concatenate([times @ own[:, finite] for times in _resamples(n, replicates, seed, drawn)]) / n
            low[finite], high[finite] = np.quantile(resampled, ends, axis=0)
        for part, *three in zip(parts, means.tolist(), low.tolist(), high.tolist(), strict=True):
            out[part] = (three[0], three[1], three[2], n)
    return out, False


def _alike(masks: NDArray[np.bool_]) -> dict[bytes, list[int]]:
    """Numbers of the masks that are equal, by mask."""
    out: dict[bytes, list[int]] = {}
    for number, mask in enumerate(masks):
        out.setdefault(mask.tobytes(), []).append(number)
    return out


def _resamples(
    n: int, replicates: int, seed: int, drawn: dict[int, NDArray[np.float64]]
) -> Iterator[NDArray[np.float64]]:
    """How often each of n is among n that are drawn with replacement, for `replicates` draws: [some, n] at a time."""
    if n in drawn:
        yield drawn[n]
        return
    generator = np.random.default_rng([seed, n])
    if n * replicates > _DRAWN_AT_ONCE:
        for _ in range(replicates):
            yield _times(generator.integers(0, n, (1, n), dtype=np.int32))
        return
    if len(drawn) >= _DRAWS_KEPT:
        drawn.clear()
    drawn[n] = _times(generator.integers(0, n, (replicates, n), dtype=np.int32))
    yield drawn[n]


def _times(resamples: NDArray[np.int32]) -> NDArray[np.float64]:
    size = resamples.shape[1]
    return np.stack([np.bincount(one, minlength=size) for one in resamples]).astype(np.float64)


def _infinity(value: float) -> str:
    """JSON has no infinity; as a word it survives a round trip and is never mistaken for a missing value."""
    return "Infinity" if value > 0 else "-Infinity"


def _value(path: str | Path, number: int, value: Any) -> float:
    if value is None:
        return math.nan
    if value in ("Infinity", "-Infinity") or (isinstance(value, int | float) and not isinstance(value, bool)):
        return float(value)
    raise InputError(f"the value {value!r} is not a number", file=path, row=number, remedy="the file was edited")


def _record(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise InputError("is not a JSON object", file=path, row=number, remedy="the file is cut short or was edited")
    return record


def _columns(
    path: str | Path,
    described: Mapping[str, Any],
    records: Sequence[tuple[int, dict[str, Any]]],
    rows: list[tuple[str, str]],
) -> tuple[list[tuple[str, str]], dict[str, Column]]:
    grouped: dict[str, list[tuple[int, dict[str, Any]]]] = {spec: [] for spec in described}
    for number, record in records:
        if str(record.get("metric")) not in grouped or not {"system", "item", "part", "value", "reason"} <= set(record):
            raise InputError("is not a score of a metric of the header", file=path, row=number)
        grouped[record["metric"]].append((number, record))
    columns: dict[str, Column] = {}
    for spec, entries in sorted(grouped.items(), key=lambda pair: described[pair[0]].get("level", "item") != "item"):
        parts, level = tuple(described[spec]["parts"]), described[spec].get("level", "item")
        own = [(record["system"], record["item"]) for _, record in entries[:: len(parts)]]
        if level == "item":
            rows = rows or [(system, item) for system, item in own if item is not None]
        formula, systems = described[spec].get("formula"), dict.fromkeys(system for system, _ in rows)
        expected: list[tuple[str, str | None]] = list(rows) if level == "item" else []
        expected += [(system, None) for system in systems] if level == "system" or formula else []
        if own != expected or len(entries) != len(own) * len(parts):
            raise InputError(f"the rows of {spec} are not those of the first metric", file=path)
        higher = described[spec]["higher_is_better"]
        size = len(rows) if level == "item" else len(systems)
        column = Column(parts, np.empty((size, len(parts))), higher_is_better=higher, level=level)
        for at, (number, record) in enumerate(entries[: size * len(parts)]):
            index, part = divmod(at, len(parts))
            if record["part"] != parts[part]:
                raise InputError(f"expected part {parts[part]!r}, found {record['part']!r}", file=path, row=number)
            column.values[index, part] = _value(path, number, record["value"])
            if record["value"] is None:
                column.reasons[index] = record["reason"]
            if "evidence" in record:
                column.evidence[index] = record["evidence"]
        if formula:
            column.sums = _sums(path, formula, entries[: size * len(parts) : len(parts)])
        columns[spec] = column
    return rows, {spec: columns[spec] for spec in described}


def _sums(path: str | Path, formula: Any, entries: Sequence[tuple[int, dict[str, Any]]]) -> Sums:
    """What the values of all rows together are made of, from the records of the first part."""
    if not isinstance(formula, dict) or formula.get("name") not in FORMULAS:
        raise InputError(f"the formula {formula!r} is not known", file=path, row=1, remedy="a newer nlgauge wrote it")
    sizes = {len(record["counts"]) for _, record in entries if isinstance(record.get("counts"), list)}
    if len(sizes) > 1:
        raise InputError("rows of one metric have unlike counts", file=path, remedy="the file was edited")
    counts = np.full((len(entries), *(sizes or {1})), np.nan)
    for index, (number, record) in enumerate(entries):
        if "counts" in record:
            counts[index] = [_value(path, number, count) for count in record["counts"]]
    return Sums(formula, counts)

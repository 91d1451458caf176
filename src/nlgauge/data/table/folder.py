"""Reads a scores folder as a table, and refuses one that was edited, or whose run has not ended."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus.opening import FilePath, is_address
from nlgauge.data.table.column import Column
from nlgauge.data.table.dataset import GO_ON, Dataset, fault, types_of
from nlgauge.data.table.reading import checked, column_of, refuse_unmeant, signatures_of
from nlgauge.data.table.shapes import mismatch, wrong_evidence
from nlgauge.data.table.table import ScoreTable
from nlgauge.errors import InputError

_EDITED = "the folder was edited"
_WHOLE = {"values": [[(int, float, str, None)]], "reasons": {"*": str}, "evidence": {"*": {}}}
_WORDS = {"Infinity": math.inf, "-Infinity": -math.inf}


def is_folder(place: FilePath) -> bool:
    """Whether a place of scores is a folder, and not a file."""
    if is_address(place):
        return not str(place).endswith(".jsonl")
    return Path(place).is_dir()


def load(place: FilePath) -> ScoreTable:
    """What a scores folder holds. Raises InputError for one that is not of a run that has ended."""
    dataset = Dataset(place)
    header = dataset.record("_header.json", GO_ON)
    if header is None:
        begun = dataset.record("_plan.json", _EDITED) is not None
        problem = "the run has not ended" if begun else "is not a folder of scores"
        raise InputError(problem, file=dataset.place, remedy=GO_ON if begun else "give what nlgauge score -o wrote")
    header = checked(header, dataset.place)
    wanted = header["run"].get("rows", 0)
    blocks = {first: dataset.read(first) for first in dataset.blocks()}
    if (rows := sum(map(len, blocks.values()))) != wanted or not blocks:
        raise InputError(f"holds {rows} of {wanted} rows", file=dataset.place, remedy=GO_ON)
    if wrong := _wrong(header, blocks):
        raise InputError(wrong, file=dataset.place, remedy=_EDITED)
    tables = list(blocks.values())
    columns = {
        spec: _whole(about, header["systems"][spec]) if about["level"] == "system" else _column(about, spec, tables)
        for spec, about in header["metrics"].items()
    }
    places = [row for table in tables for row in zip(*_places(table), strict=True)]
    refuse_unmeant(places, header, dataset.place)
    for spec, column in columns.items():
        for number, evidence in column.evidence.items():
            if wrong := wrong_evidence(evidence):
                raise InputError(f"{spec}: {wrong}", file=dataset.place, row=number + 1, remedy=_EDITED)
    return ScoreTable(places, columns, signatures_of(header), header["run"], header["nlgauge"])


def _wrong(header: Mapping[str, Any], blocks: Mapping[int, Any]) -> str | None:
    """What does not fit together."""
    metrics = header["metrics"]
    if missing := [key for key in metrics if key not in header["signatures"]]:
        return f"{missing[0]} has no signature"
    sets = {spec: _WHOLE for spec, about in metrics.items() if about["level"] == "system"}
    of_rows = {spec: about for spec, about in metrics.items() if spec not in sets}
    counted = {spec for spec, about in of_rows.items() if "formula" in about}
    types = types_of({spec: about["parts"] for spec, about in of_rows.items()}, counted, evidence=False)
    faults = (fault(table, first, types, earlier=True) for first, table in blocks.items())
    if wrong := next(filter(None, faults), None) or mismatch(header.get("systems"), sets, "systems"):
        return wrong
    count = len({system for table in blocks.values() for system in table["system"].to_pylist()})
    for spec in sets:
        values, parts = header["systems"][spec]["values"], metrics[spec]["parts"]
        words = {value for one in values for value in one if isinstance(value, str)}
        if len(values) != count or any(len(one) != len(parts) for one in values) or words - _WORDS.keys():
            return f"the values of {spec} are not those of {count} systems"
    return None


def _places(table: Any) -> tuple[list[str], list[str]]:
    systems = table["system"].combine_chunks().dictionary_encode()
    names = systems.dictionary.to_pylist()  # one object a system, not one a row
    return [names[n] for n in systems.indices.to_pylist()], table["item"].to_pylist()


def _column(about: Mapping[str, Any], spec: str, tables: Sequence[Any]) -> Column:
    import pyarrow as pa

    names = [f"{spec}.{part}" for part in about["parts"]]
    column = column_of(about)
    values = [np.stack([one[name].to_numpy() for name in names], axis=1) for one in tables]
    column.values = np.concatenate(values).astype(np.float64, copy=False)
    reasons = pa.concat_tables([one.select([f"{spec}.reason"]) for one in tables])[0].to_numpy()
    column.reasons = {int(n): reasons[n] for n in np.flatnonzero(reasons != None)}  # noqa: E711  # by element
    if f"{spec}.evidence" in tables[0].column_names:
        shown = [text for one in tables for text in one[f"{spec}.evidence"].to_pylist()]
        column.evidence = {n: _read(text) for n, text in enumerate(shown) if text is not None}
    if column.sums is not None:
        column.sums.counts = _counts(pa.concat_tables([one.select([f"{spec}.counts"]) for one in tables])[0])
    return column


def _read(text: object) -> Any:
    """Evidence; what is no JSON is refused with all that is no evidence."""
    try:
        return json.loads(str(text))
    except ValueError:
        return text


def _whole(about: Mapping[str, Any], known: Mapping[str, Any]) -> Column:
    """The column of a metric of sets."""
    column = column_of(about)
    values = [[math.nan if value is None else _WORDS.get(value, value) for value in one] for one in known["values"]]
    column.values = np.array(values, np.float64)
    column.reasons = {int(number): reason for number, reason in known["reasons"].items() if number.isdecimal()}
    column.evidence = {int(number): one for number, one in known["evidence"].items() if number.isdecimal()}
    return column


def _counts(column: Any) -> NDArray[np.float64]:
    """[rows, counts]; NaN for a row without."""
    known = ~np.asarray(column.is_null().to_numpy(), np.bool_)
    flat = column.combine_chunks().flatten().to_numpy()
    width = len(flat) // known.sum() if known.any() else 1
    counts = np.full((len(known), width), np.nan)
    counts[known] = flat.reshape(-1, width)
    return counts

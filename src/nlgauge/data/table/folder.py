"""The scores folder: the Parquet files that a run writes block after block, and the reader that makes a table of them.

`_plan.json` says which run the folder is of. `rows-NNN.parquet` holds a block of rows, and NNN is the index of its
first row. `_header.json` is written last: a folder without this file is of a run that has not ended and can go on. The
header holds the digest of each file, and is sealed, so that a file that was changed is refused. A row has
the columns `row` (counted from 1), `system`, `item`, and for each metric `METRIC.PART` (null where it is NaN),
`METRIC.reason`, `METRIC.notes`, `METRIC.longer`, and where there are any `METRIC.counts` and `METRIC.evidence` (JSON).
Earlier versions counted `row` from 0, and their folders are read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from nlgauge.data.atomic_write import UNFINISHED, atomic_bytes, file_lock
from nlgauge.data.corpus.opening import FilePath, file_system, is_address
from nlgauge.data.corpus.place import shown
from nlgauge.data.evidence import wrong_evidence
from nlgauge.data.jsonable import Number, converted
from nlgauge.data.seal import BY_HAND, SEAL, changed, exact
from nlgauge.data.table.column import Column
from nlgauge.data.table.reading import Header, MetricHeader, checked, column_of, named, refuse_unmeant, signatures_of
from nlgauge.data.table.table import ScoreTable
from nlgauge.errors import InputError, MissingExtraError

HEADER, PLAN = "_header.json", "_plan.json"
FILES = "files"
"""The field of the header that holds the digest of each file"""
GO_ON = "give its command once more: it goes on"
"""The remedy for a folder of a run that has not ended"""

_BLOCK = re.compile(r"rows-(\d{12})\.parquet")


class Dataset:
    """A scores folder on this machine or at an address. Raises MissingExtraError where pyarrow is not installed."""

    def __init__(self, place: FilePath) -> None:
        try:
            from pyarrow import ArrowException, fs, parquet
        except ImportError:
            raise MissingExtraError("a folder of scores", "tables") from None
        self.place, self._parquet = str(place), parquet
        if is_address(place):
            self._files, self._folder = file_system(self.place)
        else:
            self._files, self._folder = fs.LocalFileSystem(), str(Path(place).absolute())
        self._here = Path(self._folder) if isinstance(self._files, fs.LocalFileSystem) else None
        self._bad = (OSError, ValueError, ArrowException)
        self._no_file = fs.FileType.NotFound
        self._selector = fs.FileSelector

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs out of a folder on this machine, until the context or the process ends.

        Returns:
            A context.

        Raises:
            InputError: another run is at work there, or the folder cannot be written.
        """
        with ExitStack() as held:
            if self._here is not None:
                try:
                    self._here.mkdir(parents=True, exist_ok=True)
                    mine = held.enter_context(file_lock(self._here / ".lock"))
                except OSError as bad:
                    raise self._unwritten(bad) from None
                if not mine:
                    remedy = "wait until it has ended, or name another folder"
                    raise InputError("another run is at work in the folder", file=self.place, remedy=remedy)
                for left in self._here.glob(f".*{UNFINISHED}"):  # of a run that was killed: nobody else is at work
                    with suppress(OSError):
                        left.unlink()
            yield

    def record(self, name: str, remedy: str) -> dict[str, Any] | None:
        """Return the object in a JSON file of the folder.

        Args:
            name: the name of the file.
            remedy: what the error says to do with a damaged file.

        Returns:
            The JSON object, or None where the file is not there.

        Raises:
            InputError: the file cannot be read, or is no JSON object.
        """
        data = self.content(name)
        if data is None:
            return None
        try:
            record = msgspec.json.decode(data)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise InputError(f"{name} is not a JSON object", file=self.place, remedy=remedy)
        return record

    def content(self, name: str) -> bytes | None:
        """Return the bytes of a file of the folder; None where there is no such file. Raises InputError."""
        try:
            if self._files.get_file_info(self._at(name)).type == self._no_file:
                return None
            with self._files.open_input_stream(self._at(name)) as file:
                return bytes(file.read())
        except OSError as bad:
            problem = f"{name} cannot be read: {bad.strerror or bad}"
            raise InputError(problem, file=self.place, remedy="give a folder that can be read") from None

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 (hexadecimal) of the plan and of each block, by file name."""
        names = [PLAN, *map(block_name, self.blocks())]
        return {name: sha256(data).hexdigest() for name in names if (data := self.content(name)) is not None}

    def sealed_files(self) -> dict[str, str] | None:
        """Return the digest of each file, as the sealed header has it.

        Returns:
            Digests by file name. Empty where the header was changed; None where there is no header, or it has no seal.
        """
        data = self.content(HEADER)
        if data is None:
            return None
        try:
            record = exact(data)
            names = changed(record)
        except (ValueError, RecursionError):
            return {}
        if names is None:
            return None
        files = record.get(FILES)
        return {} if names or not isinstance(files, dict) else files

    def write_record(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a JSON file, whole or not at all. Raises InputError where it cannot be written."""
        data = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1).encode()
        self._write(name, lambda file: file.write(data))

    def blocks(self) -> list[int]:
        """Return the index of the first row of each block in the folder, in ascending order."""
        infos = self._files.get_file_info(self._selector(self._folder, allow_not_found=True))
        names = (_BLOCK.fullmatch(info.base_name) for info in infos if info.is_file)
        return sorted(int(name[1]) for name in names if name)

    def read(self, first: int, files: Mapping[str, str] | None = None) -> Any:
        """Return a block, as a pyarrow table.

        Args:
            first: the index of the first row of the block.
            files: the expected digests by file name, as `sealed_files` returns them; None to accept any digest.

        Returns:
            The table.

        Raises:
            InputError: the block cannot be read, or has another digest.
        """
        name = block_name(first)
        try:
            with self._files.open_input_file(self._at(name)) as file:
                data = file.read_buffer()
            if files is None or sha256(data).hexdigest() == files.get(name):
                return self._parquet.read_table(data, page_checksum_verification=True)
        except self._bad as bad:
            raise InputError(f"{name} cannot be read: {shown(str(bad))}", file=self.place, remedy=GO_ON) from None
        raise InputError(f"{name} {_CHANGED}", file=self.place, remedy=_changed_remedy(self.place))

    def write(
        self, first: int, places: Sequence[tuple[str, str]], of_metrics: Mapping[str, Any], types: Mapping[str, Any]
    ) -> None:
        """Write a block of rows.

        Args:
            first: the index of the first row of the block.
            places: (system, item) of each row.
            of_metrics: the values of the metrics' columns, by name of the column.
            types: the type of each column to write, as `types_of` returns them.
        """
        import pyarrow as pa

        systems, items = zip(*places, strict=True)
        content = {"row": range(first + 1, first + 1 + len(places)), "system": systems, "item": items, **of_metrics}
        table = pa.table({name: pa.array(content[name], kind) for name, kind in types.items()})
        settings = {"compression": "zstd", "write_page_checksum": True}
        self._write(block_name(first), lambda file: self._parquet.write_table(table, file, **settings))

    def _at(self, name: str) -> str:
        return f"{self._folder.rstrip('/')}/{name}"

    def _write(self, name: str, content: Any) -> None:
        if self._here is not None:
            with atomic_bytes(self._here / name) as whole:
                content(whole)
            return
        try:  # at an address a file appears when it is whole
            self._files.create_dir(self._folder)
            with self._files.open_output_stream(self._at(name)) as file:
                content(file)
        except OSError as bad:
            raise self._unwritten(bad) from None

    def _unwritten(self, bad: OSError) -> InputError:
        problem = f"cannot be written: {bad.strerror or bad}"
        return InputError(problem, file=self.place, remedy="choose another place")


def block_name(first: int) -> str:
    """Return the file name of the block whose first row has this index."""
    return f"rows-{first:012d}.parquet"


def fault(table: Any, first: int, columns: Mapping[str, Any], earlier: bool = False) -> str | None:
    """Return what is wrong with a block.

    Args:
        table: the block, a pyarrow table.
        first: the index of the first row of the block.
        columns: the columns that the block should have, with the type of each (`types_of`).
        earlier: take a block of an earlier version too, which counts its rows from 0.

    Returns:
        A sentence, or None where nothing is wrong.
    """
    names = set(table.column_names)
    lacking = [name for name in columns if name not in names or table.schema.field(name).type != columns[name]]
    if lacking:
        return f"the block of row {first} has no column {lacking[0]} of {columns[lacking[0]]}"
    counted = table["row"].to_pylist()
    begins = (first + 1, first) if earlier else (first + 1,)
    if all(counted != list(range(begin, begin + len(table))) for begin in begins):
        return f"the block of row {first} does not hold the rows from there on"
    if table["system"].null_count or table["item"].null_count:
        return f"the block of row {first} has rows without a system or an item"
    return None


def types_of(parts: Mapping[str, Sequence[str]], counted: Collection[str], evidence: bool) -> dict[str, Any]:
    """Return the pyarrow type of each column of a block.

    Args:
        parts: the names of the sub-scores of each metric, by spec.
        counted: the specs of metrics that have a column of counts.
        evidence: whether there are columns of evidence.

    Returns:
        Types by name of the column.
    """
    import pyarrow as pa

    types = {"row": pa.int64(), "system": pa.string(), "item": pa.string()}
    for spec, names in parts.items():
        types |= {f"{spec}.{name}": pa.float64() for name in names}
        types |= {f"{spec}.reason": pa.string(), f"{spec}.notes": pa.list_(pa.string())}
        types |= {f"{spec}.longer": pa.list_(pa.int32())}
        types |= {f"{spec}.counts": pa.list_(pa.float64())} if spec in counted else {}
        types |= {f"{spec}.evidence": pa.string()} if evidence else {}
    return types


_EDITED = "the folder was edited"
_CHANGED = "was changed after it was written: the seal does not fit"


def _changed_remedy(place: str) -> str:
    return f"nlgauge verify {place} says what was changed; score again; {BY_HAND} of {HEADER}"


class _Whole(msgspec.Struct):
    """The values of a corpus-level metric, in `_header.json`."""

    values: list[list[Number]]
    """The values of the metric, [systems, sub-scores]"""
    reasons: dict[str, str]
    evidence: dict[str, dict[str, Any]]


def is_folder(place: FilePath) -> bool:
    """Return whether scores are in a folder. An address is one unless it ends in .jsonl or .jsonl.gz."""
    if is_address(place):
        return not str(place).endswith((".jsonl", ".jsonl.gz"))
    return Path(place).is_dir()


def load(place: FilePath) -> ScoreTable:
    """Return the table of a scores folder. Raises InputError for a folder that is incomplete or was changed."""
    dataset = Dataset(place)
    record = dataset.record(HEADER, GO_ON)
    if record is None:
        begun = dataset.record(PLAN, _EDITED) is not None
        problem = "the run has not ended" if begun else "is not a folder of scores"
        raise InputError(problem, file=dataset.place, remedy=GO_ON if begun else "give what nlgauge score -o wrote")
    header = checked(record, dataset.place)
    wanted = header.run.get("rows", 0)
    files = dataset.sealed_files()
    if files is not None and not files:
        raise InputError(f"{HEADER} {_CHANGED}", file=dataset.place, remedy=_changed_remedy(dataset.place))
    blocks = {first: dataset.read(first, files) for first in dataset.blocks()}
    if (rows := sum(map(len, blocks.values()))) != wanted or not blocks:
        raise InputError(f"holds {rows} of {wanted} rows", file=dataset.place, remedy=GO_ON)
    where = "systems"
    try:
        systems = converted(record.get(where), dict[str, Any])
        for spec, whole in systems.items():
            where = f"systems.{named(spec)}"
            systems[spec] = converted(whole, _Whole)
    except ValueError as bad:
        raise InputError(f"{where}: {bad}", file=dataset.place, remedy=_EDITED) from None
    if wrong := _wrong(header, systems, blocks):
        raise InputError(wrong, file=dataset.place, remedy=_EDITED)
    tables = list(blocks.values())
    columns = {
        spec: _whole(about, systems[spec]) if about.level == "system" else _column(about, spec, tables)
        for spec, about in header.metrics.items()
    }
    places = [row for table in tables for row in zip(*_places(table), strict=True)]
    refuse_unmeant(places, header, dataset.place)
    for spec, column in columns.items():
        for number, evidence in column.evidence.items():
            if wrong := wrong_evidence(evidence):
                raise InputError(f"{spec}: {wrong}", file=dataset.place, row=number + 1, remedy=_EDITED)
    return ScoreTable(
        rows=places,
        columns=columns,
        signatures=signatures_of(header),
        run=header.run,
        version=header.nlgauge,
        seal="" if files is None else str(record[SEAL]["digest"]),
    )


def _wrong(header: Header, systems: Mapping[str, _Whole], blocks: Mapping[int, Any]) -> str | None:
    """Return how header, values of systems and blocks contradict each other; None where they do not."""
    if missing := [spec for spec in header.metrics if spec not in header.signatures]:
        return f"{missing[0]} has no signature"
    sets = {spec: about for spec, about in header.metrics.items() if about.level == "system"}
    of_rows = {spec: about for spec, about in header.metrics.items() if spec not in sets}
    counted = {spec for spec, about in of_rows.items() if about.formula is not msgspec.UNSET}
    types = types_of({spec: about.parts for spec, about in of_rows.items()}, counted, evidence=False)
    faults = (fault(table, first, types, earlier=True) for first, table in blocks.items())
    if wrong := next(filter(None, faults), None):
        return wrong
    count = len({system for table in blocks.values() for system in table["system"].to_pylist()})
    for spec, about in sets.items():
        values = systems[spec].values if spec in systems else []
        if len(values) != count or any(len(row) != len(about.parts) for row in values):
            return f"the values of {spec} are not those of {count} systems"
    return None


def _places(table: Any) -> tuple[list[str], list[str]]:
    systems = table["system"].combine_chunks().dictionary_encode()
    names = systems.dictionary.to_pylist()  # one object a system, not one a row
    return [names[n] for n in systems.indices.to_pylist()], table["item"].to_pylist()


def _column(about: MetricHeader, spec: str, tables: Sequence[Any]) -> Column:
    import pyarrow as pa

    names = [f"{spec}.{part}" for part in about.parts]
    column = column_of(about)
    values = [np.stack([table[name].to_numpy() for name in names], axis=1) for table in tables]
    column.values = np.concatenate(values).astype(np.float64, copy=False)
    reasons = pa.concat_tables([table.select([f"{spec}.reason"]) for table in tables])[0].to_numpy()
    column.reasons = {int(n): reasons[n] for n in np.flatnonzero(reasons != None)}  # noqa: E711  # by element
    if f"{spec}.evidence" in tables[0].column_names:
        shown = [text for table in tables for text in table[f"{spec}.evidence"].to_pylist()]
        column.evidence = {n: _read(text) for n, text in enumerate(shown) if text is not None}
    if column.sums is not None:
        column.sums.counts = _counts(pa.concat_tables([table.select([f"{spec}.counts"]) for table in tables])[0])
    return column


def _read(text: object) -> Any:
    """Return evidence from JSON; a text that is no JSON unchanged, because `wrong_evidence` refuses it later."""
    try:
        return msgspec.json.decode(str(text))
    except (ValueError, RecursionError):
        return text


def _whole(about: MetricHeader, saved: _Whole) -> Column:
    """Return the column of a corpus-level metric from its entry in the header and its saved values."""
    column = column_of(about)
    column.values = np.array(saved.values, np.float64)
    column.reasons = {int(number): reason for number, reason in saved.reasons.items() if number.isdecimal()}
    column.evidence = {int(number): evidence for number, evidence in saved.evidence.items() if number.isdecimal()}
    return column


def _counts(column: Any) -> NDArray[np.float64]:
    """Return the counts of each row as an array [rows, counts]; NaN for a row without counts."""
    counted = ~np.asarray(column.is_null().to_numpy(), np.bool_)
    flat = column.combine_chunks().flatten().to_numpy()
    width = len(flat) // counted.sum() if counted.any() else 1
    counts = np.full((len(counted), width), np.nan)
    counts[counted] = flat.reshape(-1, width)
    return counts

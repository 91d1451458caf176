"""Which published tables can be rebuilt with the data and libraries at hand, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nlgauge.errors import SpecError
from nlgauge.lab.reproduce.published import Entry, Table
from nlgauge.lab.reproduce.rated import Data
from nlgauge.lab.reproduce.specs import metric_of


def states(tables: Iterable[Table], data: Data | None) -> Iterator[tuple[Table, str]]:
    """Each table with whether it can be rebuilt with the data at hand, or why not."""
    for table in tables:
        if table.why is not None:
            yield table, f"no: {table.why}"
            continue
        missing = table.files if data is None else data.missing(table.files)
        if missing:
            where = "--data with" if data is None else f"in {data.folder}:"
            yield table, f"needs {where} {', '.join(missing)}"
            continue
        here = sum(_can(table, entry) for entry in table.rows)
        yield table, f"yes, {here} of {len(table.rows)} rows"


def _can(table: Table, entry: Entry) -> bool:
    specs = [spec for data in table.data if (spec := entry.on(data, None)) is not None]
    try:
        return bool(entry.rating or entry.sum or [metric_of(spec, None, table.defaults) for spec in specs])
    except SpecError:
        return False

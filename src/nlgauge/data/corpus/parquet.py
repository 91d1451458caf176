"""Parquet, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from nlgauge.data.corpus.lines import refuse_empty, seekable
from nlgauge.data.corpus.opening import File
from nlgauge.data.corpus.place import refuse_repeated, shown
from nlgauge.errors import InputError, MissingExtraError

_AT_ONCE = 1024


def parquet_records(file: File) -> Iterator[object]:
    """The records. Raises MissingExtraError without pyarrow, InputError for what it cannot read."""
    refuse_empty(file)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "tables") from None
    return _records(seekable(file), file.name, pyarrow, parquet)


def _records(data: BinaryIO, file: str, pyarrow: Any, parquet: Any) -> Iterator[object]:
    with data:
        try:
            table = parquet.ParquetFile(data)
            refuse_repeated(table.schema_arrow.names, file)
            for batch in table.iter_batches(_AT_ONCE):
                yield from batch.to_pylist()
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as bad:
            raise InputError(
                f"not readable as Parquet: {shown(str(bad))}", file=file, remedy="write it again"
            ) from None

"""Parquet, through pyarrow."""

from __future__ import annotations

from nlgauge.corpus.place import refuse_repeated, shown
from nlgauge.errors import InputError, MissingExtraError


def parquet_records(data: bytes, file: str) -> list[object]:
    """The records. Raises MissingExtraError without pyarrow, InputError for what it cannot read."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "tables") from None
    try:
        table = parquet.ParquetFile(pyarrow.BufferReader(data)).read()
        refuse_repeated(table.column_names, file)
        return list(table.to_pylist())
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as bad:
        raise InputError(f"not readable as Parquet: {shown(str(bad))}", file=file, remedy="write it again") from None

"""The result of a metric for a row, its form in the cache, and a counter of distinct texts."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Metric, Value, Values
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.place import shown
from nlgauge.data.evidence import Json, wrong_evidence
from nlgauge.data.table import Sums
from nlgauge.errors import MetricError

_NUMBERS = (int, float, np.number)
_PLAIN, _FULL = b"\x00", b"\x01"
_FEW = 1 << 16
_Numbers = list[float | None]
_Fields = tuple[_Numbers, str | None, tuple[str, ...], _Numbers | None, tuple[int, ...], Any]


UNKNOWN = "over 20 % of a text's sub-words are unknown to the model's tokenizer, and the score says little"
"""The note of a row with a text whose share of unknown sub-words is above `MOST_UNKNOWN`"""
MOST_UNKNOWN = 0.2


def told_unknown(value: Value, row: Row, columns: Sequence[str], unknown: Mapping[str, float]) -> Value:
    """Return a value with a note if a text has many unknown sub-words, or NaN if a column has no known sub-word.

    Args:
        value: the value of the row.
        row: the row.
        columns: the columns that the score depends on. A column with several texts has no known sub-word if none of
            these texts has one.
        unknown: the share of unknown sub-words, from 0 to 1, by text, for texts that have such sub-words.

    Returns:
        The value.
    """
    shares = {column: [unknown.get(text, 0.0) for text in texts_of(row, (column,)) if text] for column in columns}
    lost = [column for column, of_column in shares.items() if of_column and min(of_column) == 1]
    if lost and not all(map(math.isnan, value.parts)):
        reason = f"the model's tokenizer knows no word of the {lost[0]}"
        return Value((math.nan,) * len(value.parts), reason)
    noted = any(share > MOST_UNKNOWN for of_column in shares.values() for share in of_column)
    return replace(value, notes=(*value.notes, UNKNOWN)) if noted else value


class RowResult(NamedTuple):
    """The result of one metric for one row."""

    value: Value
    longer: tuple[int, ...] = ()
    """The places, in the list of texts that the metric reads (`texts_of`), of texts longer than the model's window"""
    evidence: Json = None

    def can_be_of(self, texts: Sequence[str]) -> bool:
        """Return whether this result fits these texts: every place in `longer` is the place of a text."""
        return all(0 <= number < len(texts) for number in self.longer)


class ColumnResults(Mapping[int, RowResult]):
    """The results of one metric for some rows, as an array. Objects of single rows are made only when they are needed.

    Args:
        numbers: the numbers of the rows in the corpus.
        values: the values of the rows, in the same order.
    """

    def __init__(self, numbers: Iterable[int], values: Values) -> None:
        self.numbers, self.values_of = list(numbers), values
        self._results: dict[int, RowResult] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __getitem__(self, number: int) -> RowResult:
        if self._results is None:
            self._results = dict(zip(self.numbers, map(RowResult, self.values_of), strict=True))
        return self._results[number]


Scores: TypeAlias = Mapping[str, Mapping[int, RowResult]]
"""Results by the spec of the metric, and then by the number of the row in the corpus"""


def texts_of(row: Row, columns: Sequence[str]) -> list[str]:
    """Return the texts of some columns of a row, in the order of the columns."""
    texts: list[str] = []
    for column in columns:
        content: str | tuple[str, ...] | None = getattr(row, column)
        texts += content if isinstance(content, tuple) else [] if content is None else [content]
    return texts


def checked(metric: Metric, values: Sequence[Value], count: int) -> Sequence[Value]:
    """Return the values that a metric gave, after a check that they are complete.

    Args:
        metric: the metric.
        values: the values that it gave.
        count: how many rows or systems there are.

    Returns:
        The values.

    Raises:
        MetricError: the number of values or sub-scores is wrong, a NaN has no reason, or a value is not a number.
    """
    if len(values) != count:
        raise MetricError(f"{metric} gave {len(values)} values for {count} texts; it has to give one for each")
    if isinstance(values, Values) and values.parts.shape == (count, len(metric.parts)):
        empty = np.flatnonzero(np.isnan(values.parts).any(axis=1)).tolist()
        if values.parts.dtype == np.float64 and values.reasons.keys() >= {*empty}:
            return values
    for value in values:
        if not isinstance(value, Value):
            wrong = f"{shown(value)}, which is no nlgauge.contract.base.Value"
        elif len(value.parts) != len(metric.parts):
            wrong = f"{len(value.parts)} numbers for its sub-scores {', '.join(metric.parts)}"
        elif {*map(type, value.parts)} != {float} and not all(isinstance(part, _NUMBERS) for part in value.parts):
            wrong = f"{shown(value.parts)}, which are not all numbers"
        elif value.reason is None and any(map(math.isnan, value.parts)):
            wrong = "NaN without a reason: Value(parts, reason) says why there is no number"
        else:
            continue
        raise MetricError(f"{metric} gave {wrong}")
    return values


def packed(result: RowResult) -> bytes:
    """Return a result as bytes for the cache: as doubles if it has numbers only, otherwise as JSON."""
    value = result.value
    if value.reason is None and not (value.notes or value.counts or result.longer or result.evidence):
        return _PLAIN + struct.pack(f"<{len(value.parts)}d", *value.parts)
    fields = [value.parts, value.reason, value.notes, value.counts, result.longer, result.evidence]
    return _FULL + json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpacker(parts: int, formula: Mapping[str, object] | None = None) -> Callable[[bytes], RowResult | None]:
    """Return a function that reads the results of a metric from the bytes that `packed` made.

    Args:
        parts: the number of sub-scores of the metric.
        formula: the formula of the corpus score, for a metric that has counts.

    Returns:
        A function of bytes from the cache. It returns the result, or None for bytes that `packed` does not write.
    """

    @cache
    def fits(counts: int) -> bool:
        """Return whether the formula computes this number of sub-scores from this number of counts."""
        return bool(formula) and Sums(dict(formula or {}), np.ones((1, counts))).makes(parts)

    def unpacked(content: bytes) -> RowResult | None:
        try:
            numbers = struct.unpack(f"<{len(content) // 8}d", content[1:]) if content[:1] == _PLAIN else None
            result = _full(content) if numbers is None else RowResult(Value(numbers))
        except (ValueError, RecursionError, struct.error):
            return None
        counts = result.value.counts
        return result if len(result.value.parts) == parts and (counts is None or fits(len(counts))) else None

    return unpacked


def _full(content: bytes) -> RowResult:
    """Return a result from its JSON form. Raises ValueError for bytes that are not a result."""
    import msgspec  # where there is a cache

    try:
        fields = msgspec.json.decode(content[1:], type=_Fields)
    except (msgspec.MsgspecError, UnicodeDecodeError):  # NaN and half signs, which JSON lacks, and all that is wrong
        fields = msgspec.convert(json.loads(content[1:].decode("utf-8", "surrogatepass")), _Fields)
    parts, reason, notes, counts, longer, evidence = fields
    if evidence is not None and (wrong := wrong_evidence(evidence)):
        raise ValueError(wrong)
    value = Value(_numbers(parts), reason, notes, None if counts is None else _numbers(counts))
    return RowResult(value, longer, evidence)


def _numbers(numbers: _Numbers) -> tuple[float, ...]:
    return tuple([math.nan if number is None else number for number in numbers])


class Distinct:
    """A counter of the distinct texts among those that were added.

    It holds 8 bytes of a digest for each text. Among 10 million texts, the probability that two of them have equal
    digests is 3 in a million.
    """

    def __init__(self) -> None:
        self._new: set[int] = set()
        self._sorted: NDArray[np.uint64] = np.empty(0, np.uint64)

    def add(self, texts: Iterable[str]) -> None:
        """Add texts to the count."""
        for text in texts:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            self._new.add(int.from_bytes(digest, "big"))
        if len(self._new) > max(_FEW, len(self._sorted)):
            len(self)

    def __len__(self) -> int:
        if self._new:
            self._sorted = np.union1d(self._sorted, np.fromiter(self._new, np.uint64, len(self._new)))
            self._new = set()
        return len(self._sorted)

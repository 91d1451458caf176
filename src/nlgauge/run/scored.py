"""A row's score with all that came with it, and how the store keeps it."""

from __future__ import annotations

import json
import math
import struct
from typing import NamedTuple

from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Json

_PLAIN, _FULL = b"\x00", b"\x01"


class Scored(NamedTuple):
    """What one metric says of one row."""

    value: Value
    longer: tuple[int, ...] = ()
    """Which of the texts that the metric reads are longer than the model's window"""
    evidence: Json = None


def packed(scored: Scored) -> bytes:
    """As the store keeps it: numbers alone as doubles, all else as JSON."""
    value = scored.value
    if value.reason is None and not (value.notes or value.counts or scored.longer or scored.evidence):
        return _PLAIN + struct.pack(f"<{len(value.parts)}d", *value.parts)
    fields = [value.parts, value.reason, value.notes, value.counts, scored.longer, scored.evidence]
    return _FULL + json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpacked(content: bytes) -> Scored:
    """What `packed` wrote."""
    if content[:1] == _PLAIN:
        return Scored(Value(struct.unpack(f"<{len(content) // 8}d", content[1:])))
    parts, reason, notes, counts, longer, evidence = json.loads(content[1:].decode("utf-8", "surrogatepass"))
    numbers = tuple(math.nan if part is None else float(part) for part in parts)
    value = Value(numbers, reason, tuple(notes), None if counts is None else tuple(counts))
    return Scored(value, tuple(longer), evidence)

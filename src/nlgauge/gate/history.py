"""The history of a gate: a line (JSON Lines) for each interim analysis of each system, which are numbered.

A line is sealed together with all lines before it, so that none can be changed, taken out or put in between unseen.
That the last lines were cut off cannot be seen.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from nlgauge.data.atomic_write import file_lock, is_stream
from nlgauge.data.jsonable import Number, jsonable, record_of
from nlgauge.data.seal import BY_HAND, SEAL, changed, digest_of, exact, sealed, wrong
from nlgauge.errors import InputError

WAIT_S = 30.0
"""How long another check on the same history is waited for"""
_REMEDY = "give a file that nlgauge check --history wrote, or a new name"


@dataclass(frozen=True)
class InterimAnalysis:
    """One system beside the baseline on one day."""

    time: str
    """UTC, ISO 8601"""
    metric: str
    part: str
    system: str
    baseline: str
    """Digest of the baseline's items and values: another baseline begins another series"""
    look: int
    """From 1 within the series"""
    n: int
    """Items with a value in both"""
    now: Number
    before: Number
    difference: Number
    low: Number
    """Where the interval of `nlgauge.maths.intervals.interim_analysis` begins; NaN where so few items bound nothing"""
    high: Number
    p: Number
    significance: Number
    """The error probability of all interim analyses of this system together"""
    alarm: bool
    higher_is_better: bool
    signature: str | None = None
    """What measured the numbers of now; None in histories of versions before 0.2"""

    @property
    def series(self) -> tuple[str, str, str, str]:
        """What is looked at again and again."""
        return self.metric, self.part, self.system, self.baseline


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other checks off a history between reading and appending, so that none is lost or numbered twice.

    Args:
        path: the file of the history. Nothing is locked where it is a stream.

    Returns:
        A context in which no other check reads or appends.

    Raises:
        InputError: another check holds it for longer than WAIT_S, or its folder cannot be written.
    """
    if is_stream(path):
        yield
        return
    target = Path(os.path.realpath(path))
    with ExitStack() as held:
        try:
            mine = held.enter_context(file_lock(target.with_name(f".{target.name}.lock"), WAIT_S))
        except OSError as error:
            raise InputError(f"cannot be locked: {error.strerror}", file=path, remedy="name another file") from None
        if not mine:
            problem = f"another check has held this history for {WAIT_S:g} seconds"
            raise InputError(problem, file=path, remedy="run the check again when that one has ended")
        yield


def read(path: str | os.PathLike[str]) -> list[InterimAnalysis]:
    """Return the interim analyses of a history.

    Args:
        path: the file of the history.

    Returns:
        The analyses, in the order of the file; none where there is no file yet.

    Raises:
        InputError: a line is no interim analysis, or the file cannot be read.
    """
    place = Path(path)
    if not place.exists():
        return []
    try:
        # str.splitlines would also split at U+2028 and U+0085, which the name of a system may hold.
        lines = place.read_bytes().split(b"\n")
    except OSError:
        raise InputError("is no history of a gate", file=place, remedy=_REMEDY) from None
    return [analysis for analysis, _ in _analyses(lines, place)]


def _analyses(lines: Sequence[bytes], place: Path) -> Iterator[tuple[InterimAnalysis, str]]:
    """Yield each interim analysis with the digest of all lines up to its own. Raises InputError as `read`."""
    before, sealed_before = "", False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        analysis = _analysis(line, place, number)
        record = exact(line)
        names = changed(record, before)
        if names or (names is None and sealed_before):
            which = wrong("an interim analysis", names) if names else "has no seal, as the lines before it have"
            remedy = f"take the file as it was written; {BY_HAND} of all lines"
            raise InputError(f"line {number} {which}", file=place, remedy=remedy)
        before, sealed_before = digest_of([before, record]), names is not None
        yield analysis, before


def _analysis(line: bytes, place: Path, number: int) -> InterimAnalysis:
    try:
        record = msgspec.json.decode(line)
        if isinstance(record, dict) and record.pop(SEAL, None) is not None:
            line = msgspec.json.encode(record)
        analysis = record_of(InterimAnalysis, line)
        if analysis.look < 1 or math.isnan(analysis.significance):
            raise ValueError("its number or its significance is none")
    except (ValueError, RecursionError) as bad:
        problem = f"line {number} is no interim analysis of a gate: {bad}"
        raise InputError(problem, file=place, remedy=_REMEDY) from None
    return analysis


def append(path: str | os.PathLike[str], analyses: Sequence[InterimAnalysis]) -> None:
    """Write interim analyses behind those that are there, sealed with them: all or, where that fails, none.

    A last line without its end gets one, so that the first one does not go on where it stops.

    Args:
        path: the file of the history, or a stream.
        analyses: what is written, a line each.

    Raises:
        InputError: the file cannot be written.
    """
    before = "" if is_stream(path) or not Path(path).exists() else _digest(Path(path))
    made = []
    for one in analyses:
        made.append(json.dumps(sealed(jsonable(one), before), ensure_ascii=False))
        before = digest_of([before, exact(made[-1])])
    lines = "".join(f"{line}\n" for line in made).encode()
    try:
        with Path(path).open("ab", buffering=0) as file:
            size = file.tell() if file.seekable() else 0
            left = (b"" if _ends(path, size) else b"\n") + lines
            try:
                while left:
                    left = left[file.write(left) :]
            except OSError:
                if not is_stream(path):
                    os.truncate(path, size)
                raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path, remedy="name another file") from None


def _digest(place: Path) -> str:
    """Return the digest of all lines of a history."""
    return ["", *(digest for _, digest in _analyses(place.read_bytes().split(b"\n"), place))][-1]


def _ends(path: str | os.PathLike[str], size: int) -> bool:
    """Return True if the last line of a file has its end."""
    if not size:
        return True
    with Path(path).open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"


def now() -> str:
    """Return the time, in seconds."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

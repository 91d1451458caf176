"""The history of a gate or of a judge: JSON Lines with a line for each interim analysis, numbered within its series.

The seal of a line covers all lines before it, so that a line that was changed, removed or inserted is noticed. The seal
of the last line says that it is the last one, so that missing lines at the end are noticed too. The file is replaced as
a whole: if the machine stops while the file is written, the old file stays.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

import msgspec

from nlgauge.data.atomic_write import atomic_bytes, file_lock, is_stream
from nlgauge.data.jsonable import Number, jsonable, record_of
from nlgauge.data.seal import SEAL, changed, digest_of, exact, is_last, sealed, wrong
from nlgauge.errors import InputError

WAIT_S = 30.0
"""Seconds to wait for another check that has locked the same history"""
_REMEDY = "give a file that --history of nlgauge check or nlgauge trust wrote, or a new name"


@dataclass(frozen=True)
class InterimAnalysis:
    """The comparison of a system with the baseline on one day; or of a judge's anchor rows with an earlier run."""

    time: str
    """Time of the analysis in UTC, ISO 8601"""
    metric: str
    part: str
    system: str
    baseline: str
    """Digest of the baseline's items and values, or of a judge's anchors. Another baseline begins another series"""
    look: int
    """Number of the analysis within its series, from 1"""
    n: int
    """Number of items that have a value now and in the baseline"""
    now: Number
    before: Number
    difference: Number
    low: Number
    """Lower end of the interval of `nlgauge.maths.intervals.interim_analysis`; NaN for too few items"""
    high: Number
    p: Number
    significance: Number
    """Probability of a false alarm in any of the interim analyses of this system together"""
    alarm: bool
    higher_is_better: bool
    signature: str | None = None
    """Signature of the metric by which `now` was computed; None in histories of versions before 0.2"""

    @property
    def series(self) -> tuple[str, str, str, str]:
        """(metric, sub-score, system, baseline), which all analyses of one series share."""
        return self.metric, self.part, self.system, self.baseline


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lock a history between reading and appending, so that no analysis is lost or numbered twice.

    Args:
        path: the file of the history. A stream is not locked.

    Returns:
        A context in which no other check reads or appends.

    Raises:
        InputError: another check has held the lock for WAIT_S seconds, or the folder cannot be written.
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
            problem = f"another command has held this history for {WAIT_S:g} seconds"
            raise InputError(problem, file=path, remedy="run the check again when that one has ended")
        yield


def read(path: str | os.PathLike[str]) -> list[InterimAnalysis]:
    """Return the interim analyses of a history.

    Args:
        path: the file of the history.

    Returns:
        The analyses, in the order of the file; none where there is no file yet.

    Raises:
        InputError: a line is no interim analysis or was changed, lines at the end are missing, or the file cannot be
            read.
    """
    return [line.analysis for line in _lines(Path(path))]


class _Line(NamedTuple):
    analysis: InterimAnalysis
    text: bytes
    before: str
    """The digest of all lines before this one"""
    digest: str
    """The digest of all lines up to and including this one"""
    sealed: bool


def _lines(place: Path) -> list[_Line]:
    """Return the lines of a history; none where there is no file yet. Raises InputError as `read`."""
    if not place.exists():
        return []
    try:
        content = place.read_bytes()
    except OSError:
        raise InputError("is no history", file=place, remedy=_REMEDY) from None
    # str.splitlines would also split at U+2028 and U+0085, which the name of a system may hold.
    texts = [(number, text) for number, text in enumerate(content.split(b"\n"), 1) if text.strip()]
    if not texts and not is_stream(place):
        remedy = "take the file as it was written, or delete it to begin a new history"
        raise InputError("is empty: it holds no interim analysis", file=place, remedy=remedy)
    lines: list[_Line] = []
    before, sealed_before, record = "", False, None
    for number, text in texts:
        if text is texts[-1][1] and not content.endswith(b"\n"):
            _refuse_cut(text, place, number)
        analysis = _analysis(text, place, number)
        if is_last(record):
            problem = f"line {number} stands behind the last line that was written"
            raise InputError(problem, file=place, remedy=_AS_WRITTEN)
        record = exact(text)
        names = changed(record, before)
        if names or (names is None and sealed_before):
            which = wrong("an interim analysis", names) if names else "has no seal, as the lines before it have"
            raise InputError(f"line {number} {which}", file=place, remedy=_AS_WRITTEN)
        digest, sealed_before = digest_of([before, record]), names is not None
        lines.append(_Line(analysis=analysis, text=text, before=before, digest=digest, sealed=sealed_before))
        before = digest
    if sealed_before and not is_last(record):
        raise InputError(f"{CUT_OFF} behind line {texts[-1][0]}", file=place, remedy=_AS_WRITTEN)
    return lines


CUT_OFF = "the end was cut off"
_AS_WRITTEN = (
    "take the file as it was written; to go on with the whole lines that are there, take out all others, and the field "
    f"{SEAL!r} of all lines"
)


def _refuse_cut(text: bytes, place: Path, number: int) -> None:
    """Raise InputError for a last line that was cut off: it has no line end, and is no JSON."""
    try:
        exact(text)
    except (ValueError, RecursionError):
        raise InputError(f"{CUT_OFF} within line {number}", file=place, remedy=_AS_WRITTEN) from None


def _analysis(line: bytes, place: Path, number: int) -> InterimAnalysis:
    try:
        record = msgspec.json.decode(line)
        if isinstance(record, dict) and record.pop(SEAL, None) is not None:
            line = msgspec.json.encode(record)
        analysis = record_of(InterimAnalysis, line)
        if analysis.look < 1 or math.isnan(analysis.significance):
            raise ValueError("its number or its significance is none")
    except (ValueError, RecursionError) as bad:
        problem = f"line {number} is no interim analysis: {bad}"
        raise InputError(problem, file=place, remedy=_REMEDY) from None
    return analysis


def append(path: str | os.PathLike[str], analyses: Sequence[InterimAnalysis]) -> None:
    """Append interim analyses to a history and seal it anew. If that fails, the old history stays.

    Args:
        path: the file of the history, or a stream.
        analyses: the analyses to write, one on each line.

    Raises:
        InputError: the file cannot be written, or is not a complete history.
    """
    if not analyses:
        return
    lines = [] if is_stream(path) else _lines(Path(path))
    texts, before = [line.text for line in lines], lines[-1].digest if lines else ""
    if lines and lines[-1].sealed:  # which is the last one no longer
        texts[-1], before = _sealed(json.loads(lines[-1].text), lines[-1].before, last=False)
    for number, analysis in enumerate(analyses, 1):
        text, before = _sealed(jsonable(analysis), before, last=number == len(analyses))
        texts.append(text)
    with atomic_bytes(path) as file:
        file.write(b"".join(text + b"\n" for text in texts))


def _sealed(record: Mapping[str, object], before: str, last: bool) -> tuple[bytes, str]:
    """Return the line of a record with a new seal.

    Args:
        record: the record, with or without an earlier seal.
        before: the digest of all lines before this one.
        last: whether it is the last line.

    Returns:
        The line, and the digest of all lines up to and including it.
    """
    fields = {name: value for name, value in record.items() if name != SEAL}
    text = json.dumps(sealed(fields, before, last=last), ensure_ascii=False)
    return text.encode(), digest_of([before, exact(text)])


def now() -> str:
    """Return the time as text, in UTC to the second (ISO 8601)."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

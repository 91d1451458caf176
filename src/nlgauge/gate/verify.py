"""Check of whether a result was changed: scores, a threshold, a panel, a history, a verdict or a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.opening import file_at, lines
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.history import CUT_OFF
from nlgauge.data.seal import ITSELF, SEAL, changed, changed_lines, digest_of, exact, is_last
from nlgauge.errors import InputError
from nlgauge.gate.attest import PREDICATE, STATEMENT, of_subject, sha256_of
from nlgauge.gate.sealed_folder import SealedFile, folder_digest, sealed_folder

_REMEDY = "give a file that nlgauge score, calibrate, trust --save or check wrote, or a folder of score or sample"
_EXPANDED = 500
_NAMED = 20
"""The largest number of changes that are named; of further ones only the number is said"""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of comparing a file or folder with its seal, with the changes."""

    file: str
    kind: str
    """'scores', 'threshold', 'panel', 'history', 'verdict', 'statement', 'folder of scores' or 'rating project'"""
    digest: str | None
    """The digest of the seal; for a folder, a digest of the seal and of each file. None where there is no seal"""
    changes: tuple[str, ...]
    """A phrase for each change"""
    contents: tuple[SealedFile, ...] = ()
    """The files of a folder; empty for a file"""

    @property
    def ruling(self) -> str:
        """'fits', 'changed' or 'no seal'."""
        return "changed" if self.changes else "no seal" if self.digest is None else "fits"

    @property
    def sentence(self) -> str:
        """The result of the comparison with the seal, in a line."""
        what = f"{self.file}: {self.kind}"
        if self.changes:
            more = len(self.changes) - _NAMED
            named = "; ".join(self.changes[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
            return f"{what}, CHANGED: {named}"
        if self.digest is None:
            return f"{what}, without a seal: whether it was changed is not known"
        return f"{what}, as it was written (sha256 {self.digest})"

    @property
    def lines(self) -> list[str]:
        """A line for each file of a folder: its digest, its name and its state."""
        return [f"  {file.digest or '-' * 64}  {file.name} ({file.state})" for file in self.contents]


def verify(path: str | Path, outputs: Corpus | None = None) -> Verification:
    """Return whether a file or folder was changed after it was written, and the changes.

    Args:
        path: a scores file, a threshold, a panel, a history, or the JSON or the statement of a check; a folder of
            scores or a rating project.
        outputs: for scores, the outputs that were scored. Rows whose texts differ from the scored ones are then named.

    Returns:
        The comparison with the seal, and the changes.

    Raises:
        InputError: the file cannot be read, or is not a result; or outputs are given for a result without texts.
    """
    if Path(path).is_dir():
        return _folder(Path(path), outputs)
    text = _first(path)
    record = _json(text)
    if isinstance(record, dict) and "signatures" in record and "run" in record:
        return _scores(path, record, outputs)
    if outputs is not None:
        raise _no_outputs(path)
    if isinstance(record, dict) and "look" in record:
        return _history(path)
    try:
        whole = exact(Path(path).read_bytes())
    except (ValueError, RecursionError, OSError):
        raise InputError("was cut off, or is no result of nlgauge", file=path, remedy=_REMEDY) from None
    kind = _kind(whole)
    if kind is None:
        raise InputError("is no result of nlgauge", file=path, remedy=_REMEDY)
    changes: list[str] = []
    if kind == "statement":
        changes, whole = list(_subjects(whole, Path(path))), whole.get("predicate")
    names = changed(whole)
    return Verification(
        file=str(path),
        kind=kind,
        digest=_digest(whole),
        changes=(*changes, *(name if name == ITSELF else f"the field {name!r}" for name in names or ())),
    )


def _no_outputs(path: str | Path) -> InputError:
    return InputError("outputs are compared with scores alone", file=path, remedy="leave the outputs out")


def _folder(path: Path, outputs: Corpus | None) -> Verification:
    folder = sealed_folder(path)
    changes = list(folder.changes)
    if outputs is not None:
        if folder.kind != "folder of scores":
            raise _no_outputs(path)
        changes += _other_texts(folder.record.get("run"), outputs)
    return Verification(
        file=str(path), kind=folder.kind, digest=folder_digest(folder), changes=tuple(changes), contents=folder.files
    )


def _first(path: str | Path) -> str:
    first = next(lines(file_at(path), _EXPANDED), "")
    if not first:
        raise InputError("is empty", file=path, remedy=_REMEDY)
    return first


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _kind(record: object) -> str | None:
    """Return the kind of a record, such as 'threshold'; None if it is no result."""
    if not isinstance(record, dict):
        return None
    if record.get("_type") == STATEMENT or "predicateType" in record:
        return "statement"
    kinds = {"threshold": ("direction", "metric"), "panel": ("members", "intercept"), "verdict": ("command", "ruling")}
    return next((kind for kind, names in kinds.items() if record.keys() >= {*names}), None)


def _digest(record: object) -> str | None:
    seal = record.get(SEAL) if isinstance(record, dict) else None
    return str(seal.get("digest")) if isinstance(seal, dict) else None


def _scores(path: str | Path, record: dict[str, Any], outputs: Corpus | None) -> Verification:
    every = list(lines(file_at(path), _EXPANDED))
    try:
        changed = changed_lines(every)
    except (ValueError, RecursionError):
        changed = [ITSELF]
    changes = [_of_value(change, every) for change in changed or ()]
    if outputs is not None:
        changes += _other_texts(record["run"], outputs)
    return Verification(file=str(path), kind="scores", digest=_digest(record), changes=tuple(changes))


def _of_value(change: str, every: Sequence[str]) -> str:
    """Return a change of a scores file in words. If a line with a value changed, system, item and value are added.

    Args:
        change: the change, such as 'line 3'.
        every: all lines of the file.
    """
    word, _, number = change.partition(" ")
    if word != "line" or not number.isdecimal():
        return change
    value = _json(every[int(number) - 1])
    if not isinstance(value, dict):
        return change
    system, item, metric, part = (value.get(name) for name in ("system", "item", "metric", "part"))
    return f"{change} (system {system!r}, item {item!r}, {metric} {part}: {value.get('value')})"


def _other_texts(run: Any, outputs: Corpus) -> Iterator[str]:
    """Yield phrases on how outputs differ from those that were scored.

    Args:
        run: the facts of the run in the scores file, among them the digests of the scored texts.
        outputs: the outputs to compare.
    """
    run = run if isinstance(run, dict) else {}
    if run.get("corpus") == outputs.digest:
        return
    texts = run.get("texts")
    texts = texts if isinstance(texts, list) else []
    if len(texts) != len(outputs):
        yield f"the outputs have {len(outputs)} rows, and {run.get('rows')} were scored"
    rows = [
        n
        for n, (row, was) in enumerate(zip(outputs, texts, strict=False), 1)
        if not same_texts(row.fingerprint, str(was))
    ]
    if rows:
        yield f"the outputs have other texts in row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:_NAMED]))}"
    elif len(texts) == len(outputs):
        yield "the outputs differ from the scored ones in something other than their texts: names, ratings or columns"


def _history(path: str | Path) -> Verification:
    changes: list[str] = []
    before, digest, number, record = "", None, 0, None
    for number, line in enumerate(lines(file_at(path), _EXPANDED), 1):
        if not line.strip():
            continue
        if is_last(record):
            changes.append(f"line {number}, which stands behind the last line that was written")
        try:
            record = exact(line)
        except (ValueError, RecursionError):
            cut = not line.endswith("\n")
            changes.append(f"{CUT_OFF} within line {number}" if cut else f"line {number}, which is no JSON")
            record = None
            continue
        names = changed(record, before)
        if names:
            changes.append(f"line {number} ({', '.join(names)})")
        elif names is None and digest is not None:
            changes.append(f"line {number}, which has no seal")
        digest = _digest(record) or digest
        before = digest_of([before, record])
    if digest is not None and record is not None and not is_last(record):
        changes.append(f"{CUT_OFF} behind line {number}")
    return Verification(file=str(path), kind="history", digest=digest, changes=tuple(changes))


def _subjects(statement: dict[str, Any], path: Path) -> Iterator[str]:
    """Yield phrases on a statement's inputs that have changed. A missing file is looked for beside the statement."""
    if (statement.get("_type"), statement.get("predicateType")) != (STATEMENT, PREDICATE):
        yield "the type of the statement"
    subjects, predicate = statement.get("subject"), statement.get("predicate")
    if not isinstance(predicate, dict) or predicate.get("subject_digest") != of_subject(subjects):
        yield "the subject of the statement"
    for subject in subjects if isinstance(subjects, list) else []:
        try:
            name, digest = subject["name"], subject["digest"]["sha256"]
            place = Path(name.partition(":")[2])
        except (TypeError, KeyError, AttributeError):
            continue  # which is no subject that was written
        there = place if place.exists() else path.parent / place.name
        if not there.is_file():
            yield f"the input {name}, which is not there"
        elif sha256_of(there) != digest:
            yield f"the input {name}, which has another digest"

"""Check of whether a folder of results (scores in blocks, or a rating project) was changed after it was written.

One file of the folder has a seal: the header of the scores, or project.json of the rating project. This file holds the
digests that all other files had when they were written. Only of a rating project's sheets, which people fill in, the
texts and the names of the rows are compared instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from nlgauge.data.seal import SEAL, changed, exact
from nlgauge.data.table.folder import FILES, HEADER, Dataset
from nlgauge.data.table.folder import load as load_scores
from nlgauge.errors import InputError
from nlgauge.ratings.project import FILE, RatingProject, is_project
from nlgauge.ratings.sheets import SUFFIXES

AS_WRITTEN, CHANGED, MISSING, ADDED, NOT_KNOWN = "as written", "changed", "missing", "added", "not known"
EDITED, RATED = "edited", "rated"
_EDITABLE = (".md",)
"""The suffixes of files that people may edit: a guideline may be made more precise"""
_REMEDY = "give a folder that nlgauge score -o or nlgauge sample -o wrote"


@dataclass(frozen=True, kw_only=True)
class SealedFile:
    """The state of one file of a folder."""

    name: str
    digest: str | None
    """The present SHA-256 of the file in hexadecimal; None for a missing file, and for a folder"""
    state: str
    """'as written', 'changed', 'missing' or 'added'; 'not known' in a folder without a seal; in a rating project also
    'rated' (a filled sheet of the project's rows) and 'edited' (the guideline)"""
    problem: str | None = None
    """What is wrong with the file, in words; None if nothing is"""


@dataclass(frozen=True, kw_only=True)
class SealedFolder:
    """The sealed record of a folder, and the states of its other files."""

    kind: str
    """'folder of scores' or 'rating project'"""
    record: Mapping[str, Any]
    """The content of the header or of project.json, with numbers as `nlgauge.data.seal.exact` reads them"""
    fields: tuple[str, ...] | None
    """The names of the record's fields that were changed; None where the record has no seal"""
    files: tuple[SealedFile, ...]

    @property
    def changes(self) -> Iterator[str]:
        """A phrase for each change of the record and of a file."""
        yield from (f"the field {name!r} of {self.holder}" for name in self.fields or ())
        for file in self.files:
            if file.problem is not None:
                yield f"{file.name}, {file.problem}"

    @property
    def holder(self) -> str:
        """The name of the file that has the seal."""
        return FILE if self.kind == "rating project" else HEADER


def sealed_folder(place: Path) -> SealedFolder:
    """Return the sealed record of a folder of results, and whether each of its files is as it was written.

    Args:
        place: the folder.

    Returns:
        The record and the files.

    Raises:
        InputError: the folder is no folder of results, or its run has not ended.
    """
    return _project(place) if is_project(place) else _scores(place)


def _project(place: Path) -> SealedFolder:
    record, fields = _record((place / FILE).read_bytes(), place / FILE)
    files = _files(place, record, FILE)
    if fields == ():
        project = RatingProject.load(place)
        files = [_of_project(file, place, project) for file in files]
    return SealedFolder(kind="rating project", record=record, fields=fields, files=tuple(files))


def _scores(place: Path) -> SealedFolder:
    dataset = Dataset(place)
    content = dataset.content(HEADER)
    if content is None:
        load_scores(place)  # which says what the folder is
        raise InputError("is no result of nlgauge", file=place, remedy=_REMEDY)
    record, fields = _record(content, place / HEADER)
    files = _files(place, record, HEADER)
    return SealedFolder(kind="folder of scores", record=record, fields=fields, files=tuple(files))


def _record(content: bytes, place: Path) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """Return a sealed record, and the names of its changed fields (None without a seal)."""
    try:
        record = exact(content)
        names = changed(record)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError("was cut off, or is no result of nlgauge", file=place, remedy=_REMEDY)
    return record, None if names is None else tuple(names)


def _files(place: Path, record: Mapping[str, Any], holder: str) -> list[SealedFile]:
    """Return the states of a folder's files, compared with the digests in its record. Hidden files are left out.

    Args:
        place: the folder.
        record: the content of the file with the seal.
        holder: the name of the file with the seal, which is left out too.
    """
    sealed = record.get(FILES)
    written = sealed if isinstance(sealed, dict) else {}
    there = {
        file.name: file for file in sorted(place.iterdir()) if file.name[:1] not in (".", "~") and file.name != holder
    }
    files = []
    for name in {**written, **there}:
        path = there.get(name)
        digest = sha256(path.read_bytes()).hexdigest() if path is not None and path.is_file() else None
        if path is None:
            state, problem = MISSING, "which is missing"
        elif SEAL not in record:
            state, problem = NOT_KNOWN, None
        elif name not in written:
            state, problem = ADDED, "which was added"
        elif digest != written[name]:
            state, problem = CHANGED, "which was changed"
        else:
            state, problem = AS_WRITTEN, None
        files.append(SealedFile(name=name, digest=digest, state=state, problem=problem))
    return files


def _of_project(file: SealedFile, place: Path, project: RatingProject) -> SealedFile:
    """Return the state of a rating project's file, in which some changes are allowed.

    A sheet of the project's rows may be filled or added ('rated'), and the guideline may be edited ('edited').

    Args:
        file: the state by the digests alone.
        place: the folder.
        project: the rating project.
    """
    path = place / file.name
    if file.state not in (CHANGED, ADDED) or file.digest is None:
        return file
    if path.suffix.lower() in _EDITABLE and file.state == CHANGED:
        return replace(file, state=EDITED, problem=None)
    if path.suffix.lower() not in SUFFIXES:
        return file
    try:
        project.drawn_rows(path)
    except InputError as error:
        return replace(file, problem=f"{file.problem}: {error.problem}")
    return replace(file, state=RATED, problem=None)


def folder_digest(folder: SealedFolder) -> str | None:
    """Return the SHA-256 (hexadecimal) of a folder's sealed record and files; None without a seal.

    The digest changes if ratings are changed later.
    """
    seal = folder.record.get(SEAL)
    if folder.fields is None or not isinstance(seal, dict):
        return None
    lines = [str(seal.get("digest")), *sorted(f"{file.name}\t{file.digest}" for file in folder.files)]
    return sha256("\n".join(lines).encode()).hexdigest()

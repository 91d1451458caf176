"""A rating project: a folder with the rows that were drawn, how they were drawn, and the sheets that people fill in.

`project.json` has a seal. It holds all rows with their probabilities, the aspects, and digests of the outputs, of the
texts of each drawn row and of the other files as they were made. The project's id is a digest of all of this except the
other files. Each row of a sheet has this id and the digest of its texts, so that a sheet of another draw and an edited
text are noticed.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.labels import plain
from nlgauge.data.seal import refuse_changed, sealed
from nlgauge.errors import InputError
from nlgauge.ratings.join import Key
from nlgauge.ratings.labels import Aspect, labelled
from nlgauge.ratings.refusing import drift
from nlgauge.ratings.sampling import Draw, DrawnRow
from nlgauge.ratings.sheets import DIGEST, RATER, RATING, ROW, SUFFIXES, TEXTS, Sheet, read_sheet
from nlgauge.stats.interrater import RaterAgreement, are_copies, rater_agreement

FILE = "project.json"
_FORMAT = 1
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_COPY = re.compile(
    r"\s*\(\d+\)$|[\s_-]+(?:copy|kopie|copie|copia)(?:\s*\d+)?$|^(?:copy of|kopie von|copi[ea] de)\s+", re.I
)
"""A pattern for the marks that a file system or a browser adds to the name of a copy"""
_REMEDY = "give the folder that nlgauge sample -o made, with its project.json as it was written"


@dataclass(frozen=True)
class RatingProject:
    """The rows that were drawn for people to rate, and the questions to the raters."""

    draw: Draw
    aspects: tuple[Aspect, ...]
    design: Mapping[str, Any]
    """How rows were drawn: the options of `nlgauge sample`, with the seed"""
    outputs: str
    """The digest of the outputs that were sampled"""
    texts: Mapping[str, str]
    """The digest of the texts of each drawn row, by the name of the row on the sheet"""
    columns: tuple[str, ...]
    """The columns of the sheet that hold texts"""
    version: str = ""
    """The version of nlgauge that drew the rows"""
    folder: Path = field(default=Path(), compare=False)

    @classmethod
    def of(
        cls,
        draw: Draw,
        records: Iterable[Mapping[str, str]],
        aspects: Sequence[Aspect],
        design: Mapping[str, Any],
        outputs: Corpus,
        version: str = "",
    ) -> RatingProject:
        """Return a rating project for rows that were drawn.

        Args:
            draw: all rows, with those that were drawn.
            records: the lines of the sheet, in the order of the draw.
            aspects: the questions that people answer.
            design: how the rows were drawn.
            outputs: the corpus that they were drawn from.
            version: the version of nlgauge.

        Returns:
            The project.
        """
        records = list(records)
        texts = {record[ROW]: text_digest(record) for record in records}
        columns = tuple(name for name in TEXTS if any(name in record for record in records))
        return cls(
            draw=draw,
            aspects=tuple(aspects),
            design=dict(design),
            outputs=outputs.digest,
            texts=texts,
            columns=columns,
            version=version,
        )

    @cached_property
    def id(self) -> str:
        """The identifier that all rows of the project's sheets have. It is computed once, of all rows."""
        return f"p{hashlib.sha256(json.dumps(self._content, sort_keys=True).encode()).hexdigest()[:10]}"

    def digest(self, row: str) -> str:
        """Return the digest that a row has on a sheet: the project's id and the digest of the row's texts."""
        return f"{self.id}-{self.texts[row]}"

    @property
    def _content(self) -> dict[str, Any]:
        rows = [{**_cells(row), "digest": self.texts.get(row.name or "")} for row in self.draw.rows]
        aspects = [{**vars(aspect), "labels": dict(aspect.labels)} for aspect in self.aspects]
        return {
            "design": dict(self.design),
            "aspects": aspects,
            "outputs": self.outputs,
            "columns": list(self.columns),
            "rows": rows,
        }

    def save(self, folder: str | Path, files: Mapping[str, str] | None = None) -> None:
        """Write project.json into a folder, completely or not at all.

        Args:
            folder: the folder.
            files: by name, the SHA-256 (hexadecimal) of the other files of the folder.
        """
        sheet = hashlib.sha256("".join(self.texts.values()).encode()).hexdigest()
        head = {"format": _FORMAT, "id": self.id, "nlgauge": self.version, **self._content, "sheet": sheet}
        record: dict[str, Any] = sealed({**head, "files": dict(files or {})})
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in record.pop("rows"))
        with atomic_write(Path(folder) / FILE) as file:
            file.write(json.dumps(record, ensure_ascii=False, indent=1)[:-2] + f',\n "rows": [\n{rows}\n]}}\n')

    @classmethod
    def load(cls, folder: str | Path) -> RatingProject:
        """Return the project of a folder.

        Args:
            folder: the folder that holds project.json.

        Returns:
            The project.

        Raises:
            InputError: the folder has no project.json, this file was changed, or a newer version wrote it.
        """
        file = Path(folder) / FILE
        try:
            record = json.loads(refuse_changed(file.read_bytes(), file, "a rating project", _REMEDY))
            if record["format"] != _FORMAT:
                problem = f"is of format {record['format']!r}, and this version reads {_FORMAT}"
                raise InputError(problem, file=file, remedy="install the version of nlgauge that it names, or a newer")
            rows = [{name: value for name, value in row.items() if name != "digest"} for row in record["rows"]]
            made = cls(
                draw=Draw(tuple(DrawnRow(**row) for row in rows)),
                aspects=tuple(Aspect(**aspect) for aspect in record["aspects"]),
                design=record["design"],
                outputs=record["outputs"],
                texts={row["name"]: row["digest"] for row in record["rows"] if row["name"] is not None},
                columns=tuple(record["columns"]),
                version=record["nlgauge"],
                folder=Path(folder),
            )
            right = made.id == record["id"] and bool(made.aspects) and bool(made.texts)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=file, remedy=_REMEDY) from None
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError):
            right = False
        if not right:
            raise InputError("is not a rating project, or was changed", file=file, remedy=_REMEDY)
        return made

    def drawn_rows(self, path: Path) -> int:
        """Return how many rows of a sheet have a rating, or some text in its place.

        Args:
            path: the sheet.

        Returns:
            The number of rows.

        Raises:
            InputError: the file is no sheet of this project, or a row or a text is not as it was drawn.
        """
        sheet = read_sheet(path)
        columns = [name for name in sheet.columns if name.startswith(RATING)]
        for line, cells in sheet.rows:
            name = self._row(sheet, line, cells)
            if sheet.exact and all(text in sheet.columns for text in self.columns):
                self._refuse_changed(sheet, line, cells, name)
        return sum(any(cells.get(column, "").strip() for column in columns) for _, cells in sheet.rows)

    def ratings(self, labels: Iterable[str] = ()) -> ProjectRatings:
        """Return people's ratings from all sheets of the folder, averaged for each row.

        Args:
            labels: further labels that people wrote, as NAME=VALUE or ASPECT:NAME=VALUE.

        Returns:
            The ratings of the rows that were drawn, with the ratings of each rater and the agreement of the raters.

        Raises:
            InputError: a sheet is of another draw, a text was changed, a label is unknown, a rater rated a row in two
                ways, ratings were sorted, or nothing is rated. The error names file, row and column.
        """
        aspects = labelled(self.aspects, labels)
        sheets = [read_sheet(path) for path in _sheets(self.folder)]
        notes = [note for sheet in sheets for note in sheet.notes]
        ratings: dict[str, dict[str, dict[str, _Given]]] = {aspect.name: {} for aspect in aspects}
        names = dict[str, dict[str, str]]()
        refused: dict[str, set[str]] = {aspect.name: set() for aspect in aspects}
        for sheet in sheets:
            notes += self._read(
                sheet, {aspect.name: aspect for aspect in aspects}, ratings=ratings, names=names, refused=refused
            )
        notes += [f"{', '.join(of)}: read as one rater" for of in names.values() if len(of) > 1]
        values = {
            aspect: {
                next(iter(names[rater].values())): {row: rating.value for row, rating in of.items()}
                for rater, of in by_rater.items()
                if of
            }
            for aspect, by_rater in ratings.items()
        }
        notes += _without_copies(values)
        notes += self._changed(values)
        if not any(by_rater for by_rater in values.values()):
            remedy = "fill sheet.csv, or save the ratings of sheet.html in this folder"
            raise InputError("no row is rated yet", file=self.folder, remedy=remedy)
        means = {aspect: _means(by_rater) for aspect, by_rater in values.items()}
        agreement = [
            rater_agreement(aspect.name, values[aspect.name], len(aspect.scale))
            for aspect in aspects
            if len(values[aspect.name]) > 1
        ]
        rows = [
            Row(
                "",
                system=row.system,
                item=row.item,
                trial=row.trial,
                missing=True,
                scores={aspect: of[row.name] for aspect, of in means.items() if row.name in of},
            )
            for row in self.draw.rows
        ]
        keys = {row.name: row.key for row in self.draw.sheet}
        raters = {
            aspect: {rater: {keys[name]: value for name, value in of.items()} for rater, of in by_rater.items()}
            for aspect, by_rater in values.items()
        }
        return ProjectRatings(
            rows,
            raters=raters,
            draw=self.draw,
            sampled=self.outputs,
            agreement=tuple(agreement),
            notes=tuple(notes),
            scales={aspect.name: (float(aspect.low), float(aspect.high)) for aspect in aspects},
            refused={aspect: frozenset(keys[name] for name in of) for aspect, of in refused.items()},
        )

    def _read(
        self,
        sheet: Sheet,
        aspects: Mapping[str, Aspect],
        ratings: dict[str, dict[str, dict[str, _Given]]],
        names: dict[str, dict[str, str]],
        refused: Mapping[str, set[str]],
    ) -> Iterator[str]:
        """Add the ratings of one sheet to `ratings`, by aspect, rater and row, and yield notes for the reader.

        The key of a rater in `ratings` is the folded name (`folded`). `names` gets, for each folded name, the forms in
        which the name is written. `refused` gets, for each aspect, the rows for which a cell says that they are not
        rated.
        """
        columns = dict(_rating_columns(sheet, aspects))
        lacking = [name for name in self.columns if name not in sheet.columns]
        if lacking and sheet.exact:
            gone = ", ".join(lacking)
            yield f"{sheet.path.name}: without {gone} its texts are not compared with those that were drawn"
        if stray := [n for n in sheet.columns if n not in (ROW, DIGEST, RATER, *TEXTS, *columns)]:
            yield f"{sheet.path.name}: not read, as no aspect is called so: {', '.join(stray)}"
        unrated = 0
        for line, cells in sheet.rows:
            name = self._row(sheet, line, cells)
            if sheet.exact and not lacking:
                self._refuse_changed(sheet, line, cells, name)
            for column, (aspect, named) in columns.items():
                value = _value(
                    sheet, line, name=name, column=column, cell=cells.get(column, ""), aspect=aspects[aspect]
                )
                if value is None:
                    continue
                if math.isnan(value):
                    unrated += 1
                    refused[aspect].add(name)
                    continue
                written = named or cells.get(RATER, "").strip()
                rater = written or _called(sheet.path)
                names.setdefault(folded(rater), {})[written or sheet.path.name] = rater
                of_rater = ratings[aspect].setdefault(folded(rater), {})
                if name in of_rater and of_rater[name].value != value:
                    places = f"{of_rater[name].place} and {sheet.path.name} (line {line})"
                    who = rater if of_rater[name].rater == rater else f"{of_rater[name].rater}, who is read as {rater},"
                    problem = (
                        f"row {name}, {aspect}: {who} rates it {of_rater[name].value:g} and {value:g}, in {places}"
                    )
                    remedy = "delete one of the two, or name the files after their raters, as sheet-anna.csv"
                    raise InputError(problem, file=self.folder, remedy=remedy)
                of_rater[name] = _Given(value, f"{sheet.path.name} (line {line})", rater)
        if unrated:
            yield f"{sheet.path.name}: {unrated} cells say that a row is not rated (n/a, -, ?)"

    def _changed(self, values: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[str]:
        """Yield notes on ratings that drifted along the sheet. Raise InputError for ratings that were sorted."""
        for aspect, by_rater in values.items():
            for rater, of in by_rater.items():
                in_order = np.array([of[name] for row in self.draw.sheet if (name := row.name or "") in of])
                if said := drift(in_order, f"{aspect}, {rater}", self.folder):
                    yield said

    def _row(self, sheet: Sheet, line: int, cells: Mapping[str, str]) -> str:
        """Return the name of a sheet's row. Raise InputError if its digest is not of this project."""
        name, digest = cells.get(ROW, "").strip(), cells.get(DIGEST, "").strip().lower()
        project, _, text = digest.partition("-")
        if re.fullmatch(r"p[0-9a-f]{10}", project) and project != self.id:
            problem = f"row {name or '?'} was drawn for the project {project}, and this folder is the project {self.id}"
            raise InputError(problem, file=sheet.path, remedy="move the sheet into the folder that it was made for")
        if name not in self.texts:
            problem = f"line {line} is of row {name!r}, which was not drawn"
            raise InputError(problem, file=sheet.path, remedy="keep the columns item and digest as they were made")
        if digest != self.digest(name):
            others = [row for row, texts in self.texts.items() if texts == text]
            what = f"the digest of row {others[0]}" if others else "another digest than it was made with"
            problem = f"row {name} (line {line}) has {what}"
            remedy = "keep item, digest and texts of a row together when sorting, and copy them from a fresh sheet"
            raise InputError(problem, file=sheet.path, remedy=remedy)
        return name

    def _refuse_changed(self, sheet: Sheet, line: int, cells: Mapping[str, str], name: str) -> None:
        if text_digest(cells) != self.texts[name]:
            problem = f"row {name} (line {line}): its texts are not those that were drawn"
            remedy = (
                "put the texts back, or delete all columns of texts if the ratings are of the texts that were drawn"
            )
            raise InputError(problem, file=sheet.path, remedy=remedy)


@dataclass(frozen=True, repr=False)
class ProjectRatings(Corpus):
    """The rows that were sampled, with the mean ratings of rated rows, and how the rows were drawn."""

    draw: Draw = field(default_factory=lambda: Draw(()))
    sampled: str = ""
    """The digest of the outputs that were sampled"""
    agreement: tuple[RaterAgreement, ...] = ()
    """The agreement of the raters of each aspect that has several raters"""
    notes: tuple[str, ...] = ()
    """Notes on what was not read in the sheets"""
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By aspect, the least and the greatest possible rating"""
    raters: Mapping[str, Mapping[str, Mapping[Key, float]]] = field(default_factory=dict)
    """By aspect and rater, the rating of each row, whose key is that of `DrawnRow.key`"""
    refused: Mapping[str, frozenset[Key]] = field(default_factory=dict)
    """By aspect, the keys (`DrawnRow.key`) of the rows for which somebody wrote that they are not rated (n/a)"""

    def told(self, aspects: Iterable[str] | None = None) -> list[str]:
        """Return sentences on the ratings of some aspects (all by default), such as the agreement of the raters."""
        chosen = [agreement for agreement in self.agreement if aspects is None or agreement.aspect in aspects]
        return [*self.notes, *map(str, chosen)]

    def of(self, outputs: Corpus) -> ProjectRatings:
        """Return the sampled outputs with their texts, and with these ratings in place of any others."""
        scores = {row.key: row.scores for row in self}
        rows = [replace(row, scores=scores.get(row.key, {})) for row in outputs]
        return replace(self, rows=rows)

    def renamed(self, labels: Mapping[str, str]) -> ProjectRatings:
        """Return the ratings with new names of systems, by their old names."""
        rows = [replace(row, system=labels.get(row.system, row.system)) for row in self]
        drawn = tuple(replace(row, system=labels.get(row.system, row.system)) for row in self.draw.rows)
        raters = {
            aspect: {
                rater: {(labels.get(system, system), item): value for (system, item), value in of.items()}
                for rater, of in by_rater.items()
            }
            for aspect, by_rater in self.raters.items()
        }
        refused = {
            aspect: frozenset((labels.get(system, system), item) for system, item in of)
            for aspect, of in self.refused.items()
        }
        return replace(self, rows=rows, draw=Draw(drawn), raters=raters, refused=refused)


def _cells(row: DrawnRow) -> dict[str, Any]:
    """Return the fields of a row in project.json. A trial is among them only if the row has one."""
    return {name: value for name, value in vars(row).items() if name != "trial" or value is not None}


class _Given(NamedTuple):
    value: float
    place: str
    rater: str
    """The name of the rater as it is written in this place"""


def is_project(path: Path) -> bool:
    """Return whether a path is the folder of a rating project."""
    return (path / FILE).is_file()


def text_digest(record: Mapping[str, str]) -> str:
    """Return a digest of the texts of a row that does not change when a spreadsheet saves them.

    It ignores spaces, line ends, invisible characters, the apostrophe before a formula, and the encoding of accented
    letters.

    Args:
        record: the cells of the row, by column. Only the columns in `TEXTS` count.

    Returns:
        12 hexadecimal digits.
    """
    sha = hashlib.sha256()
    for name in TEXTS:
        signs = unicodedata.normalize("NFC", record.get(name, "").strip().removeprefix("'"))
        seen = "".join(sign for sign in signs if sign.isprintable() and not sign.isspace())
        sha.update(f"{name}\t{seen}\n".encode() if seen else b"")
    return sha.hexdigest()[:12]


def _sheets(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold ratings. Raise InputError for a file of a spreadsheet program."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith((".", "~")))
    if wrong := [path for path in files if path.suffix.lower() in _SPREADSHEETS]:
        raise InputError("is not read", file=wrong[0], remedy="save it as CSV (UTF-8) beside, and move this file away")
    return [path for path in files if path.suffix.lower() in SUFFIXES]


def _called(path: Path) -> str:
    """Return the rater in the name of a file: "sheet-anna.csv" and its copies are of "anna"."""
    return re.sub(r"^(?:sheet|ratings)[-_ ]", "", _no_copy(path.stem), flags=re.IGNORECASE)


def folded(rater: str) -> str:
    """Return a rater's name without capitals, extra spaces, hyphens and marks of a copy, for comparison."""
    return re.sub(r"[\s_.-]+", " ", plain(_no_copy(rater))).strip()


def _no_copy(name: str) -> str:
    """Return the name of a file, or of a rater, without the marks of a copy: "anna - Copy (2)" is "anna"."""
    while (shorter := _COPY.sub("", name).strip(" -_")) not in ("", name):
        name = shorter
    return name


def _without_copies(values: Mapping[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    """Merge raters who are copies of each other (`are_copies`) in `values`, and yield a note on each merged pair.

    Args:
        values: the ratings by aspect, rater and row. It is changed: the later rater of a pair is removed, and the
            earlier rater gets the ratings that only the later one has.
    """
    raters = list(dict.fromkeys(rater for by_rater in values.values() for rater in by_rater))
    for place, rater in enumerate(raters):
        for other in raters[:place]:
            pairs = [
                (by_rater[other][row], value)
                for by_rater in values.values()
                for row, value in by_rater.get(rater, {}).items()
                if row in by_rater.get(other, {})
            ]
            if are_copies(pairs):
                for by_rater in values.values():
                    if rater in by_rater:
                        by_rater[other] = by_rater.pop(rater) | by_rater.get(other, {})
                yield (
                    f"{other} and {rater}: no difference in the {len(pairs)} ratings that both gave, which is rare of "
                    "two people: read as copies of one rater's ratings"
                )
                break


def _rating_columns(sheet: Sheet, aspects: Mapping[str, Aspect]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the columns of ratings with their aspect and rater; the rater is '' for the sheet's rater.

    Raise InputError for a column of ratings that names no aspect.
    """
    for column in sheet.columns:
        if not column.startswith(RATING):
            continue
        name = column.removeprefix(RATING)
        of = name if name in aspects else next((aspect for aspect in aspects if name.startswith(f"{aspect}:")), None)
        if of is None:
            problem = f"the column {column!r} is of no aspect of this project"
            remedy = f"the aspects are {', '.join(aspects)}; scores.ASPECT:RATER is the column of one more rater"
            raise InputError(problem, file=sheet.path, remedy=remedy)
        yield column, (of, name[len(of) + 1 :].strip())


def _value(sheet: Sheet, line: int, name: str, column: str, cell: str, aspect: Aspect) -> float | None:
    try:
        return aspect.rating(cell)
    except ValueError as error:
        values = [f"{value:g} ({label})" for label, value in aspect.labels.items()]
        scale = ", ".join(values) or f"{aspect.low} to {aspect.high}" + (", yes or no" if aspect.high == 1 else "")
        label = f"{aspect.name}:LABEL" if len(sheet.columns) > 1 else "LABEL"
        remedy = f"write {scale}, or say what it means with --label {label}=VALUE; empty, n/a, - and ? are not rated"
        problem = f"row {name} (line {line}), column {column}: {error}"
        raise InputError(problem, file=sheet.path, remedy=remedy) from None


def _means(by_rater: Mapping[str, Mapping[str, float]]) -> dict[str | None, float]:
    """Return the mean rating of each row over its raters."""
    rows = dict.fromkeys(row for of in by_rater.values() for row in of)
    of_row = {row: [of[row] for of in by_rater.values() if row in of] for row in rows}
    return {row: math.fsum(ratings) / len(ratings) for row, ratings in of_row.items()}

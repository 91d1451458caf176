"""The reader that makes rows of records. It checks every value, and changes none."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from nlgauge.data.corpus.cells import NUMBERED_REFERENCE
from nlgauge.data.corpus.documents import NAMES, without_documents
from nlgauge.data.corpus.labels import NOT_RATED, STANDARD, plain
from nlgauge.data.corpus.place import JSON_REMEDY, InputPlace, absent, kind, looked_up, paths_in, shown
from nlgauge.data.corpus.plain_records import RATING, PlainRecords, are_plain
from nlgauge.data.corpus.row import FIELDS, LONGEST_TEXT, MOST_COLUMNS, MOST_REFERENCES, OnMissing, Row
from nlgauge.data.corpus.tools import Exported, known_columns
from nlgauge.errors import InputError

# Other tools' names for the candidate, likeliest first; our own is there for its other spellings, as in "Candidate".
_ALIASES = (
    "candidate",
    "prediction",
    "predictions",
    "hypothesis",
    "output",
    "response",
    "answer",
    "generated",
    "mt",
    "decoded",
    "summary",
    "text",
)
_CALLED = {
    "source": (
        "context",
        "contexts",
        "passages",
        "passage",
        "documents",
        "document",
        "retrieved_contexts",
        "article",
        "text",
        "input",
        "src",
    ),
    "context": ("contexts", "passages", "passage", "documents", "document", "history", "dialogue", "source"),
    "references": ("reference", "target", "targets", "gold", "ground_truth", "expected", "expected_output", "ref"),
    "question": ("query", "user_input", "input", "prompt"),
    "system": ("version", "model", "model_id", "model_name"),
    "item": ("id", "qid", "question_id"),
}
"""Other tools' names for the other fields, likeliest first"""
_NOT_OUTPUTS = {
    *("gold", "golden", "reference", "ref", "target", "expected", "truth", "correct", "human", "ideal", "label"),
    *("id", "length", "tokens", "time", "score", "type", "source", "input", "context", "prompt", "question"),
}
"""Words in the name of a column that show that it holds no output, whatever other words it has"""
_FOR_OURS = {"passages": "source"}
"""Names of columns that can mean only one field"""
_NO_SCORE = (
    "give a string; an empty one for an empty text; to give such rows no score, nlgauge score has --on-missing skip, "
    "and Python on_missing='skip'"
)
_ONE_NAME = (
    "name one column, or several with commas; outputs of several systems are rows of their own, with a column system"
)
_OR_DOCUMENTS = f"; a document has its text under {', '.join(NAMES[:-1])} or {NAMES[-1]}"
_MOST_NAMED = 8
_LOOKED_AT = 100
"""Number of rows whose columns an error names"""
LISTS = ("references", "source", "context")
"""The fields that may hold several texts"""
Columns: TypeAlias = Mapping[str, str | Sequence[str]]
"""Columns of a table by our field names, as users give them"""
Names: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""The column of each field; a tuple for a field of several columns. A text with commas is one column or several"""
_NOWHERE = object()


class Table(NamedTuple):
    """The records of one file or of one call."""

    file: str | None
    """The file of the records, for errors; None without a file"""
    records: Iterable[object]
    system: str = "system"
    """The system of rows that name none"""
    only: bool = False
    """Whether the user said that all rows are of this system"""


def field_names(columns: Columns | None, file: str | None) -> dict[str, str | tuple[str, ...]]:
    """Return the columns of each field. Raises InputError for an unknown field, or for a column that is no name."""
    mapped: dict[str, str | tuple[str, ...]] = {}
    for ours, theirs in (columns or {}).items():
        if ours not in FIELDS and not (ours.startswith(RATING) and ours != RATING):
            problem = f"{shown(ours)}, mapped to the column {shown(theirs)}, is not a field"
            fields = ", ".join(FIELDS)
            remedy = f"--map FIELD=COLUMN, where FIELD is {fields}, or scores.NAME for a rating of that name"
            raise InputError(problem, file=file, remedy=remedy)
        several = isinstance(theirs, list | tuple) and len(theirs) > 0 and all(isinstance(name, str) for name in theirs)
        if not (isinstance(theirs, str) or several):
            problem = f"{ours} is mapped to {kind(theirs)}, not to the name of a column"
            raise InputError(problem, file=file, remedy=_ONE_NAME)
        if several and len(theirs) > 1 and ours not in LISTS:
            problem = f"{ours} is mapped to {kind(theirs)}, and is one text"
            raise InputError(problem, file=file, remedy=f"{', '.join(LISTS)} may have several; {_ONE_NAME}")
        mapped[ours] = theirs if isinstance(theirs, str) else theirs[0] if len(theirs) == 1 else tuple(theirs)
    # A column that is given to another field is not read as the field of its own name as well.
    taken = {name for theirs in mapped.values() for name in _meant(theirs)}
    free = [name for name in FIELDS if name == "candidate" or name not in taken]
    return {name: name for name in free} | mapped


OWN_NAMES: Names = {name: name for name in FIELDS}
"""The column of each field for records that use our field names"""


def _meant(theirs: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return all columns that a name given by the user may mean: a text with commas is one column or several."""
    return (theirs, *theirs.split(",")) if isinstance(theirs, str) else theirs


def with_known(names: Names, record: Mapping[str, object]) -> tuple[Names, str | None]:
    """Return the column of each field, filled up with the columns of a known tool, and a remark about these.

    The columns of a tool are used where the user names no candidate column and the table has no column "candidate".

    Args:
        names: the column of each field, as the user named it.
        record: the first record of the table.

    Returns:
        The column of each field; and a remark on columns that the user did not name, None where there are none.
    """
    asked = {ours: theirs for ours, theirs in names.items() if ours != theirs}
    named = "candidate" in asked or "candidate" in record
    recognised = None if named else known_columns(record) or _nearly_known(record)
    if recognised is None:
        return _nearly_named(names, record, asked)
    tool, columns = recognised
    taken = {
        ours: theirs
        for ours, theirs in columns.items()
        if theirs and ours not in asked and (ours not in record or ours == theirs)
    }
    taken |= {
        ours: theirs
        for theirs, ours in _FOR_OURS.items()
        if theirs in record and not {ours, theirs} & {*asked, *asked.values(), *taken, *record.keys() - {theirs}}
    }
    aside = [ours for ours, theirs in columns.items() if not theirs and ours not in asked]
    told = ", ".join(f"{ours}={theirs}" for ours, theirs in taken.items())
    read = {ours: theirs for ours, theirs in field_names({**taken, **asked}, None).items() if ours not in aside}
    return read, f"read as {tool} names its columns: {told}"


def _nearly_known(record: Mapping[str, object]) -> tuple[str, dict[str, str]] | None:
    """Return the tool whose columns a record has, whatever their case and blanks, and the column of each field."""
    back = {column.strip().casefold().replace(" ", "_"): column for column in record}
    if len(back) < len(record) or "candidate" in back:
        return None
    recognised = known_columns({folded: record[column] for folded, column in back.items()})
    if recognised is None:
        return None
    parts = {ours: (path if path in back else path.partition(".")[0], path) for ours, path in recognised[1].items()}
    return recognised[0], {ours: back.get(first, first) + path[len(first) :] for ours, (first, path) in parts.items()}


def _nearly_named(
    names: Names, record: Mapping[str, object], asked: Mapping[str, str | tuple[str, ...]]
) -> tuple[Names, str | None]:
    """Return the column of each field, matched whatever the case and blanks of its name, and a remark on these.

    Args:
        names: the column of each field.
        record: the first record of the table.
        asked: the columns that the user named, by field. They stay as they are.

    Returns:
        The column of each field; and the remark, None where no further column is matched.
    """
    taken = {column for theirs in asked.values() for column in _meant(theirs)}
    near: dict[str, list[str]] = {}
    for column in record:
        near.setdefault(_FOR_OURS.get(folded := column.strip().casefold(), folded), []).append(column)
    mapped: dict[str, str | tuple[str, ...]] = {
        ours: columns[0]
        for ours in FIELDS
        if ours not in asked and ours not in record and len(columns := near.get(ours, [])) == 1
        if columns[0] not in taken
    }
    folds = {column: folded for folded, columns in near.items() for column in columns if len(columns) == 1}
    others = {column: folded for column, folded in folds.items() if column != folded and column not in taken}
    numbered = tuple(column for column, folded in others.items() if NUMBERED_REFERENCE.fullmatch(folded))
    if numbered and "references" not in mapped and "references" not in asked and "references" not in record:
        mapped["references"] = numbered
    mapped |= {
        RATING + column.strip()[len(RATING) :]: column
        for column, folded in others.items()
        if folded.startswith(RATING) and folded != RATING and not column.startswith(RATING)
    }
    if not mapped:
        return names, None
    told = ", ".join(f"{ours}={shown(theirs)}" for ours, theirs in mapped.items())
    return field_names({**mapped, **asked}, None), f"read by names that are nearly ours: {told}"


def field_of(column: str, fields: Mapping[str, str]) -> str:
    """Return the field that a column is read as.

    Args:
        column: the name of the column.
        fields: the field of each column, as `fields_by_column` returns it.

    Returns:
        The field. The column itself where its name is no field; "" where it is one, and another column is read as that
        field.
    """
    return fields.get(column, "" if column in FIELDS else column)


def fields_by_column(names: Names) -> dict[str, str]:
    """Return the field that each column is read as."""
    ours = {column: name for name, theirs in names.items() for column in _meant(theirs)}
    return {**ours, str(names["candidate"]): "candidate"}


def rows_of(
    tables: Iterable[Table],
    names: Names,
    file: str | None,
    on_missing: OnMissing = "error",
    counts: dict[str, int] | None = None,
    told: dict[str, None] | None = None,
    labels: Mapping[str, float] | None = None,
) -> Iterator[Row]:
    """Yield a row for each record, one table after another.

    Args:
        tables: the records.
        names: the columns of each field.
        file: the name of all tables together, for errors.
        on_missing: what to do with rows whose candidate is null, as in `Corpus.read`.
        counts: a dict that gets the number of rows of each file.
        told: a dict that gets, as keys, remarks on how tables of other tools were read.
        labels: numbers for words of raters, by LABEL or ASPECT:LABEL.

    Returns:
        An iterator over the rows.

    Raises:
        InputError: a record cannot be taken as it is; the error names file and row.
    """
    positions: Counter[str] = Counter()
    read = _Ratings({plain(name): number for name, number in (labels or {}).items()})
    seen: dict[str, None] = {}
    taken = names.keys() if names is OWN_NAMES else {column for theirs in names.values() for column in _meant(theirs)}
    own_columns = all(ours == theirs for ours, theirs in names.items())
    paths = {column for column in taken if "." in column}
    for table in tables:
        number, theirs, columns = 0, names, taken
        said = f"read as {table.records.tool}" if isinstance(table.records, Exported) else None
        try:
            numbered = enumerate(table.records, 1)
        except TypeError:
            problem = f"the rows are {kind(table.records)}, not a list of records"
            remedy = 'give records like {"candidate": "..."}, or a data frame'
            raise InputPlace(table.file).error(problem, remedy) from None
        plainly: PlainRecords | None = None
        for number, record in numbered:
            if number == 1:
                first = _named(record, InputPlace(table.file, number))
                if said is None:
                    theirs, said = with_known(names, first)
                    if theirs is not names:
                        columns = {column for of_field in theirs.values() for column in _meant(of_field)}
                    if not paths and are_plain(theirs):
                        plainly = PlainRecords(theirs, columns, table.system, table.only)
                if said and told is not None:
                    told[f"{table.file}: {said}" if table.file else said] = None
                seen.update(dict.fromkeys(paths_in(first)))
            if plainly is not None and (plain_row := plainly.row(record, positions)) is not None:
                if not own_columns and isinstance(record, dict):  # as every plain record is
                    seen.update(dict.fromkeys(record))
                yield plain_row
                continue
            named = _named(record, InputPlace(table.file, number))
            seen.update(dict.fromkeys(named))
            if paths:
                met = {path for path in paths if looked_up(named, path, _NOWHERE) is not _NOWHERE}
                seen.update(dict.fromkeys(sorted(met)))
                paths -= met
            yield _row(
                named,
                theirs,
                taken=columns,
                place=InputPlace(table.file, number),
                positions=positions,
                may_lack=on_missing == "skip",
                table=table,
                read=read,
            )
        if counts is not None and table.file is not None:
            counts[table.file] = counts.get(table.file, 0) + number
    if not positions:
        raise InputError("there are no rows", file=file, remedy="give at least one row with a candidate")
    for ours, column in names.items():
        if ours == column or (isinstance(column, str) and column in seen):
            continue
        if lacking := [name for name in _parts(column) if name not in seen]:
            problem = f"no row has the column {shown(lacking[0])}, mapped to {ours}"
            inside = [path for path in seen if path.startswith(f"{lacking[0].partition('.')[0]}.")]
            raise InputError(problem, file=file, remedy=f"the columns are {shown(inside or list(seen))}")


def _parts(theirs: str | tuple[str, ...]) -> Sequence[str]:
    """Return the columns of a field that is read from several columns."""
    return theirs.split(",") if isinstance(theirs, str) else theirs


def has_column(record: object, theirs: str) -> bool:
    """Return whether a record has a column.

    Args:
        record: the record.
        theirs: the user's name of the column: a key, a path, or several of them with commas between.

    Returns:
        Whether the record has it; where commas separate several, whether it has each of them.
    """
    return looked_up(record, theirs, _NOWHERE) is not _NOWHERE or (
        "," in theirs and all(looked_up(record, column, _NOWHERE) is not _NOWHERE for column in theirs.split(","))
    )


def _named(record: object, place: InputPlace) -> dict[str, object]:
    """Return a record as a dict with texts as keys. Raises InputError for a value that is no record."""
    if not isinstance(record, Mapping):
        of_python = place.file is None and isinstance(record, str)
        remedy = 'give texts as candidates=[...], or records like {"candidate": "..."}' if of_python else JSON_REMEDY
        raise place.error(f"this is {kind(record)}, not a record", remedy)
    if len(record) > MOST_COLUMNS:
        problem = f"the row has {len(record):,} columns, and the limit is {MOST_COLUMNS:,}"
        raise place.error(problem, "leave out those that are not needed")
    try:
        return {str(key): value for key, value in record.items()}
    except ValueError as bad:
        raise place.error(f"the name of a column has no text: {bad}", "name columns by texts") from None


def _row(
    record: dict[str, object],
    names: Names,
    taken: Set[str],
    place: InputPlace,
    positions: Counter[str],
    may_lack: bool,
    table: Table,
    read: _Ratings,
) -> Row:
    if looked_up(record, str(names["candidate"]), _NOWHERE) is _NOWHERE:
        raise _no_candidate(record, str(names["candidate"]), place)
    values = {ours: _value(record, theirs) for ours, theirs in names.items()}
    values = {ours: value for ours, value in values.items() if ours == "candidate" or not absent(value)}
    extra = {key: value for key, value in record.items() if key not in taken}
    ratings = {key: extra.pop(key) for key in list(extra) if key.startswith(RATING)}
    mapped = {key: value for key, value in values.items() if key.startswith(RATING)}
    if twice := ratings.keys() & mapped.keys():
        raise place.error(f"the column {shown(min(twice))} is there, and mapped to another", "leave one of them out")
    ratings |= mapped
    numbered = {match[1]: extra.pop(key) for key in list(extra) if (match := NUMBERED_REFERENCE.fullmatch(key))}
    references = _texts(values.get("references", []), "references", place)
    for number, value in sorted(numbered.items(), key=lambda pair: (len(pair[0]), pair[0])):
        references += [] if absent(value) else _texts(value, f"references.{number}", place)
    if len(references) > MOST_REFERENCES:
        problem = f"the row has {len(references):,} references, and the limit is {MOST_REFERENCES:,}"
        raise place.error(problem, "give some of them, or sets of texts as rows of their own")
    system = _label(values["system"], "system", place) if "system" in values else table.system
    if table.only and system != table.system:
        problem = f"the system is {shown(system)}, and the file is given as of {shown(table.system)}"
        raise place.error(problem, "leave out the name of the file's system, or the column")
    positions[system] += 1
    if "trial" in values and "item" not in values:
        problem = f"the row is trial {shown(_label(values['trial'], 'trial', place))}, and nothing names its item"
        raise place.error(problem, "give a column item, which all trials of an item share, or --map item=COLUMN")
    missing = absent(values["candidate"])
    if missing and not may_lack:
        raise place.error("candidate is null, not a text", _NO_SCORE)
    return Row(
        candidate="" if missing else _text(values["candidate"], "candidate", place),
        references=tuple(references),
        source=_passages(values["source"], "source", place) if "source" in values else None,
        context=_passages(values["context"], "context", place) if "context" in values else None,
        question=_text(values["question"], "question", place) if "question" in values else None,
        system=system,
        item=_label(values["item"], "item", place) if "item" in values else str(positions[system]),
        scores=read.of(values.get("scores", {}), ratings, place) if ratings or "scores" in values else {},
        extra=extra,
        missing=missing,
        counted="item" not in values,
        trial=_label(values["trial"], "trial", place) if "trial" in values else None,
    )


def _value(record: Mapping[str, object], theirs: str | tuple[str, ...]) -> object:
    """Return the value of a column, or of several columns.

    Args:
        record: the record.
        theirs: the user's name of the column, which may be a path or several columns with commas; or a tuple of
            columns.

    Returns:
        The value of one column, or a list of the values of several; None where there is none.
    """
    if isinstance(theirs, str):
        cell = looked_up(record, theirs, _NOWHERE)
        if cell is not _NOWHERE or "," not in theirs:
            return None if cell is _NOWHERE else cell
    values = [value for name in _parts(theirs) if not absent(value := looked_up(record, name))]
    return [text for value in values for text in (value if isinstance(value, list | tuple) else [value])] or None


def _no_candidate(record: dict[str, object], wanted: str, place: InputPlace) -> InputError:
    folded = {key.strip().casefold(): _inner(key, value) for key, value in record.items() if key != wanted}
    if {"nlgauge", "signatures", "metrics"} <= record.keys():
        problem = "this is a file of scores, which holds no texts"
        return place.error(problem, "give the outputs that were scored; nlgauge report and compare read scores")
    pairs = _guessed(record, folded)
    problem = f"there is no column {shown(wanted)} for the candidate; the columns are {shown(list(record))}"
    options = " ".join(f"--map {shlex.quote(f'{ours}={theirs}')}" for ours, theirs in pairs.items())
    remedy = f"say which one it is with {options}, in Python with columns="
    read = {*FIELDS, *(theirs.split(".")[0] for theirs in pairs.values())}
    rest = [name for name in record if name not in read]
    remedy += f"; not read then: {', '.join(map(shown, rest[:_MOST_NAMED]))}" if len(pairs) > 1 and rest else ""
    return place.error(problem, remedy + ("; give --map once for each column" if "=" in wanted else ""))


def _guessed(record: Mapping[str, object], folded: Mapping[str, str]) -> dict[str, str]:
    """Return the likeliest column of each field, for a command that an error proposes. The candidate's comes first.

    Args:
        record: the first record of the table.
        folded: the columns, or paths into them, by name in lower case and without blanks around it.

    Returns:
        Columns by field, without fields for which no column is likely. The candidate has "COLUMN" then.
    """
    named = next((folded[alias] for alias in _ALIASES if alias in folded), None)
    guessed = {"candidate": named or _with_word(folded) or "COLUMN"}
    for ours in ("references", "source", "question", "system", "item"):
        free = {name: path for name, path in folded.items() if path not in guessed.values()}
        if ours not in record and (column := next((free[name] for name in _CALLED[ours] if name in free), None)):
            guessed[ours] = column
    return guessed


def _with_word(folded: Mapping[str, str]) -> str | None:
    """Return the only column whose name has a word for the output, such as llm_output, but not gold_answer.

    Args:
        folded: as `_guessed` takes it.

    Returns:
        The column; None where no name has such a word, or several names have one.
    """
    words = {name: set(re.split(r"[\W_]+", name)) for name in folded}
    likely = [name for name in folded if words[name] & set(_ALIASES) and not words[name] & _NOT_OUTPUTS]
    return folded[likely[0]] if len(likely) == 1 else None


def _inner(key: str, value: object) -> str:
    """Return a column, or the path to the likeliest candidate inside it where the column holds a record."""
    if not isinstance(value, Mapping):
        return key
    folded = {str(name).strip().casefold(): f"{key}.{name}" for name in value}
    return next((folded[alias] for alias in _ALIASES if alias in folded), key)


def column_for(field: str, rows: Iterable[Row]) -> str:
    """Return the likeliest column for a field that no row has, as an error writes it after `--map FIELD=`."""
    first = list(islice(rows, _LOOKED_AT))
    others = list(dict.fromkeys(path for row in first for path in paths_in(row.extra)))
    named = [*others, *(name for row in first for name in row.texts)]
    inner = {path.rpartition(".")[2].strip().casefold(): path for path in others if "." in path}
    folded = {**inner, **{name.strip().casefold(): name for name in named}}
    for name in _CALLED.get(field, ()):
        if name in folded:
            return shlex.quote(folded[name])
    return "THEIRS" + (f", where THEIRS is one of {shown(others)}" if others else "")


def _text(value: object, what: str, place: InputPlace, more: str = "") -> str:
    if not isinstance(value, str):
        raise place.error(
            f"{what} is {kind(value)}, not a text", f"give a string; an empty one for an empty text{more}"
        )
    if len(value) > LONGEST_TEXT:
        problem = f"{what} has {len(value):,} characters, and the limit is {LONGEST_TEXT:,}"
        raise place.error(problem, "split the text; or mend the file, if a quote or the ends of its lines are missing")
    try:
        value.encode()
    except UnicodeEncodeError as bad:
        problem = f"{what} holds a lone surrogate, {shown(value[bad.start])}, at character {bad.start + 1}"
        raise place.error(problem, "replace it: half a character, it cannot be encoded") from None
    return str(value)  # numpy's str_ becomes a plain str


def _texts(value: Any, what: str, place: InputPlace, more: str = "") -> list[str]:
    if isinstance(value, str):
        return [_text(value, what, place)]
    entries = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes)):
        raise place.error(f"{what} is {kind(value)}, not texts", f"give a string or a list of strings{more}")
    numbered = [(number, entry) for number, entry in enumerate(entries, 1) if what != "references" or not absent(entry)]
    return [_text(entry, f"{what}, entry {number},", place, more) for number, entry in numbered]


def _passages(value: object, what: str, place: InputPlace) -> str:
    """Return passages as one text, joined with newlines. A document counts as its text. Errors say `what` it is."""
    return _text("\n".join(_texts(without_documents(value), what, place, _OR_DOCUMENTS)), what, place)


def _label(value: Any, what: str, place: InputPlace) -> str:
    if isinstance(value, str):
        return _text(value, what, place)
    # pandas turns whole numbers into floats where one is missing.
    whole = isinstance(value, Real) and not isinstance(value, bool) and value == value // 1
    if not whole:
        return _text(value, what, place)
    try:
        return str(int(value))
    except ValueError:
        raise place.error(f"{what} is a number of thousands of digits", "give it as a text") from None


@dataclass
class _Ratings:
    """The reader of ratings: numbers, words for yes and no (1 and 0), and the labels of the user."""

    labels: Mapping[str, float] = field(default_factory=dict)
    """Numbers by LABEL or ASPECT:LABEL, in the form that `plain` gives"""
    _worded: dict[str, InputPlace] = field(default_factory=dict)
    """By aspect, the place of the first row that is rated by a word"""
    _scaled: dict[str, InputPlace] = field(default_factory=dict)
    """By aspect, the place of the first row whose number is below 0 or above 1"""

    def of(self, nested: object, columns: Mapping[str, object], place: InputPlace) -> dict[str, float]:
        """Return the ratings of a row.

        Args:
            nested: the value of the row's field `scores`: ratings by aspect.
            columns: the values of its columns `scores.ASPECT`, by name of the column.
            place: the file and the row, for errors.

        Returns:
            Numbers by aspect.

        Raises:
            InputError: a value is no rating; an aspect is rated twice; or it is rated by words in some rows, and in
                others by numbers that are not from 0 to 1.
        """
        if not isinstance(nested, Mapping):
            raise place.error(f"scores is {kind(nested)}, not an object", 'give {"aspect": number}')
        present = {key.removeprefix(RATING): value for key, value in columns.items() if not absent(value)}
        if twice := present.keys() & nested.keys():
            raise place.error(
                f"the rating {shown(min(twice))} is given twice", "keep it in scores or in its own column"
            )
        ratings: dict[str, float] = {}
        for aspect, value in {**nested, **present}.items():
            if value is not None and (number := self._number(aspect, value, place)) is not None:
                ratings[_text(aspect, "an aspect of scores", place)] = number
        for aspect in self._worded.keys() & self._scaled.keys():
            word, scaled = self._worded[aspect], self._scaled[aspect]
            problem = (
                f"{shown(aspect)} is rated by yes or no (row {word.row}) and by numbers off 0 to 1 (row {scaled.row})"
            )
            raise place.error(problem, f"write numbers alone, or say what words mean with --label {aspect}:WORD=NUMBER")
        return ratings

    def _number(self, aspect: object, value: object, place: InputPlace) -> float | None:
        """Return the number of a rating; None for a word such as n/a, which says that there is no rating."""
        try:
            number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
        except OverflowError:
            number = math.inf
        word = plain(str(value)) if isinstance(value, str | bool) else f"{number:g}"
        meant = self.labels.get(plain(f"{aspect}:{word}"), self.labels.get(word)) if self.labels else None
        if meant is not None or (isinstance(value, str) and word in NOT_RATED and word != "nan"):  # a program's failure
            return meant
        if isinstance(value, str | bool) and word in STANDARD:
            self._worded.setdefault(str(aspect), place)
            return STANDARD[word]
        if math.isfinite(number) and not 0 <= number <= 1:
            self._scaled.setdefault(str(aspect), place)
        if not math.isfinite(number):
            problem = f"the rating {shown(aspect)} is {type(value).__name__} {shown(value)}, not a finite number"
            raise place.error(problem, _number_remedy(value))
        return number


def _number_remedy(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"-?\d+,\d+", value):
        return f"write {value.replace(',', '.')}, with a point"
    words = ", or yes or no, or say what a word means with --label WORD=NUMBER" if isinstance(value, str) else ""
    return f"give a number{words}, or leave a missing rating out"

"""The fast reader of plain records, which makes a row by one typed conversion. All other records go to `records`.

Nearly all records are plain: they hold texts, lists of texts, and columns that are no fields of ours. A record with
anything else (another type, a rating, a path) is not refused here: `records` reads it, or says what is wrong with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Annotated, TypeAlias

import msgspec

from nlgauge.data.corpus.row import LONGEST_TEXT, MOST_COLUMNS, MOST_REFERENCES, Row

RATING = "scores."
"""The beginning of the name of a column of ratings, which the name of the aspect follows"""
_APART = (RATING, "references.")
"""Beginnings of the names of columns that are no fields, but are read nevertheless"""
_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]
_Texts: TypeAlias = Annotated[list[_Text], msgspec.Meta(max_length=MOST_REFERENCES)]


class _Plain(msgspec.Struct, gc=False):
    """The fields that a plain record may have. A field without a value is null or absent. Ratings are not allowed."""

    candidate: _Text
    references: _Texts | _Text | None = None
    source: _Text | None = None
    context: _Text | None = None
    question: _Text | None = None
    system: _Text | None = None
    item: _Text | _Number | None = None
    trial: _Text | _Number | None = None
    scores: None = None


_LISTS = (list, str, tuple, type(None))
_FIELDS = _Plain.__struct_fields__


def are_plain(names: Mapping[str, str | tuple[str, ...]]) -> bool:
    """Return whether each field is read from one column, and no field is a rating or a path into a record."""
    return all(ours in _FIELDS and isinstance(name, str) and not {".", ","} & {*name} for ours, name in names.items())


def _is_plain(text: str) -> bool:
    """Return whether a text is of the class str, and not of a subclass such as numpy's str_, and can be encoded."""
    if type(text) is not str:
        return False
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


class PlainRecords:
    """The reader of the plain records of one table.

    Args:
        names: the column of each field; `are_plain` is true of it.
        taken: the columns that are read as fields.
        system: the system of rows that name none.
        only: whether all rows have to be of this system.
    """

    def __init__(
        self, names: Mapping[str, str | tuple[str, ...]], taken: Set[str], system: str, only: bool = False
    ) -> None:
        self._columns = [(ours, str(theirs)) for ours, theirs in names.items()]
        self._as_they_are = all(ours == theirs for ours, theirs in self._columns) and len(names) == len(_FIELDS)
        self._taken, self._system, self._only = taken, system, only

    def row(self, record: object, positions: Counter[str]) -> Row | None:
        """Return the row of a record; None where the record is not plain.

        Args:
            record: the record.
            positions: the number of rows of each system so far. A row that is made here is added.

        Returns:
            The row, or None.
        """
        if type(record) is not dict or len(record) > MOST_COLUMNS:
            return None
        extra: dict[str, object] = {}
        if not record.keys() <= self._taken:
            extra = {name: value for name, value in record.items() if name not in self._taken}
            if not all(type(name) is str and not name.startswith(_APART) for name in extra):
                return None
        fields = record if self._as_they_are else {ours: record[name] for ours, name in self._columns if name in record}
        if type(fields.get("references")) not in _LISTS:  # the conversion would take a set, whose order is nobody's
            return None
        try:
            plain = msgspec.convert(fields, _Plain)
        except msgspec.ValidationError:
            return None
        item, trial, references = plain.item, plain.trial, plain.references
        if trial is not None and item is None:
            return None
        texts = [references] if isinstance(references, str) else references or ()
        labels = [label for label in (item, trial) if isinstance(label, str)]
        for text in (plain.candidate, *texts, plain.source, plain.context, plain.question, plain.system, *labels):
            if text is not None and not _is_plain(text):
                return None
        system = self._system if plain.system is None else plain.system
        if self._only and system != self._system:
            return None
        positions[system] += 1
        return Row(
            candidate=plain.candidate,
            references=tuple(texts),
            source=plain.source,
            context=plain.context,
            question=plain.question,
            system=system,
            item=str(positions[system] if item is None else item),
            trial=None if trial is None else str(trial),
            extra=extra,
            counted=item is None,
        )

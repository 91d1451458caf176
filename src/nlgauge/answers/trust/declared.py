"""Declarations of the numbers of trust: how a number is computed, its column in a table, and its words in a sentence.

The record, its JSON, the data frame, the tables of terminal, page and files, the sentence and the notes are made from
the declarations in `nlgauge.answers.trust.numbers`. To add a number, write one field there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from nlgauge.maths.inference import Measured
from nlgauge.show.tables import NONE, Cell, Number

if TYPE_CHECKING:
    from nlgauge.answers.trust.numbers import Trust


@dataclass(frozen=True, kw_only=True)
class Column:
    """The column of a table that shows a number."""

    table: str
    """The name of the table in `nlgauge.answers.trust.numbers.TABLES`"""
    head: str | Callable[[Sequence[Trust], float], str]
    """The head of the column, or a function that makes it from the records and the promised risk"""
    digits: int = 2
    place: int = 0
    """The columns of a table are sorted by place. Columns with equal places stand in the order of their fields"""
    p: str = ""
    """The name of the field with the p of this number; '' without one"""
    wide: bool = False
    """Whether only a page has room for the column, and a terminal has not"""
    cell: Callable[[Trust], Cell] | None = None
    """A function that makes the cell from a record; by default the cell is the value of the field"""

    def title(self, lines: Sequence[Trust], risk: float) -> str:
        """Return the head of the column."""
        return self.head if isinstance(self.head, str) else self.head(lines, risk)


@dataclass(frozen=True)
class Words:
    """A clause of a sentence, or a note, that is made from a record."""

    of: Callable[[Trust], str | None]
    """A function that makes the text from the record; it returns None where there is nothing to say"""
    place: int = 0
    """Clauses are sorted by place. Clauses with equal places stand in the order of their fields"""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The declaration of a field of `Trust`: how it is computed and shown."""

    part: str
    """The name of the part of `nlgauge.answers.trust.facts.Facts` from which the field is computed; "" for all facts"""
    of: Callable[[Any], Any]
    """A function that computes the value from that part. Where a scorer has no such part, the field has its default"""
    column: Column | None
    said: Words | None
    """The clause that the field adds to the sentence of a record"""
    noted: Words | None
    """The note that the field adds to the notes beside the tables"""


def number(
    of: str | Callable[[Any], Any],
    default: Any = ...,
    *,
    part: str = "",
    column: Column | None = None,
    said: Words | None = None,
    noted: Words | None = None,
) -> Any:
    """Return a dataclass field with the declaration of a number.

    Args:
        of: a function that computes the number from the part of the facts, or the name of an attribute of this part.
        default: the number where a scorer has no such part.
        part: as `Declared` has it.
        column: as `Declared` has it.
        said: as `Declared` has it.
        noted: as `Declared` has it.

    Returns:
        The field.
    """
    made = Declared(
        part=part,
        of=(lambda facts: getattr(facts, of)) if isinstance(of, str) else of,
        column=column,
        said=said,
        noted=noted,
    )
    metadata = {"declared": made}
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


def declared(kind: type[Trust]) -> dict[str, Declared]:
    """Return the declaration of each field by its name, in the order of the fields."""
    return {entry.name: entry.metadata["declared"] for entry in fields(kind)}


def values_by(kind: type[Trust], facts: Any) -> dict[str, Any]:
    """Return the value of each field by its name, for the fields whose part of the facts exists."""
    parts = {name: facts if not how.part else getattr(facts, how.part) for name, how in declared(kind).items()}
    return {name: how.of(parts[name]) for name, how in declared(kind).items() if parts[name] is not None}


def columns_of(kind: type[Trust], table: str, wide: bool) -> list[tuple[Column, Callable[[Trust], Cell]]]:
    """Return the columns of a table in their order, each with a function that makes the cell of a record.

    Args:
        kind: the record class.
        table: the name of the table.
        wide: whether to include the columns for which only a page has room.

    Returns:
        The columns, each with its function.
    """
    columns = [
        (how.column, how.column.cell or _cell(name, how.column))
        for name, how in declared(kind).items()
        if how.column is not None and how.column.table == table and (wide or not how.column.wide)
    ]
    return sorted(columns, key=lambda cell_of: cell_of[0].place)


def _cell(name: str, column: Column) -> Callable[[Trust], Cell]:
    def cell(record: Trust) -> Cell:
        value, p = getattr(record, name), getattr(record, column.p) if column.p else math.nan
        if isinstance(value, str | tuple) and not isinstance(value, Measured):
            return (value if isinstance(value, str) else ", ".join(value)) or NONE
        whole = value if isinstance(value, Measured) else Measured(value)
        return Number(whole.value, whole.low, whole.high, p=p, digits=column.digits)

    return cell


def clauses(record: Trust, kind: Literal["said", "noted"]) -> list[str]:
    """Return the clauses of a record's sentence ('said') or its notes beside the tables ('noted'), in order."""
    words: list[Words] = [
        words_of for how in declared(type(record)).values() if (words_of := getattr(how, kind)) is not None
    ]
    return [clause for of in sorted(words, key=lambda of: of.place) if (clause := of.of(record)) is not None]

"""How a number of trust is declared: what it is made of, its column in a table, and its words in a sentence.

The record, its JSON, the data frame, the tables of terminal, page and files, the sentence and the notes follow from the
declarations in `nlgauge.answers.trust.numbers`: who adds a number writes one field there.
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
    """A column of a table in which a number stands."""

    table: str
    """The table, as `nlgauge.answers.trust.numbers.TABLES` names it"""
    head: str | Callable[[Sequence[Trust], float], str]
    """Its head; of one that depends on the records and the asked risk, the function of both"""
    digits: int = 2
    place: int = 0
    """Columns of a table stand by place, and those of one place as their fields do"""
    p: str = ""
    """The field with p of the number, where there is one"""
    wide: bool = False
    """Whether a page alone has room for it"""
    cell: Callable[[Trust], Cell] | None = None
    """The cell of a record; by default the value of the field"""

    def title(self, lines: Sequence[Trust], risk: float) -> str:
        """Return the head."""
        return self.head if isinstance(self.head, str) else self.head(lines, risk)


@dataclass(frozen=True)
class Words:
    """How the clause of a sentence, or a note, is made from the record."""

    of: Callable[[Trust], str | None]
    """Its words by the record; None where there is nothing to say"""
    place: int = 0
    """Clauses stand by place, and those of one place as their fields do"""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """How a field of `Trust` is made and shown."""

    part: str
    """The part of the facts (`nlgauge.answers.trust.facts.Facts`) that it is of; "" for the facts themselves"""
    of: Callable[[Any], Any]
    """The value, by that part; where a scorer has no such part, the field has its default"""
    column: Column | None
    said: Words | None
    """What it adds to the sentence of a record"""
    noted: Words | None
    """What a reader has to know beside the tables"""


def number(
    of: str | Callable[[Any], Any],
    default: Any = ...,
    *,
    part: str = "",
    column: Column | None = None,
    said: Words | None = None,
    noted: Words | None = None,
) -> Any:
    """Return the field of a number.

    Args:
        of: how it is computed from the part of the facts, or the name of an attribute of this part.
        default: its value where a scorer has no such part.
        part: as `Declared` has it.
        column: as `Declared` has it.
        said: as `Declared` has it.
        noted: as `Declared` has it.

    Returns:
        The field, for a dataclass.
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
    """Return the declaration of each field, in their order."""
    return {entry.name: entry.metadata["declared"] for entry in fields(kind)}


def values_by(kind: type[Trust], facts: Any) -> dict[str, Any]:
    """Return the value of each field whose part the facts have."""
    parts = {name: facts if not how.part else getattr(facts, how.part) for name, how in declared(kind).items()}
    return {name: how.of(parts[name]) for name, how in declared(kind).items() if parts[name] is not None}


def columns_of(kind: type[Trust], table: str, wide: bool) -> list[tuple[Column, Callable[[Trust], Cell]]]:
    """Return the columns of a table in their order, each with the function of a record's cell."""
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
    """Return the clauses of a record's sentence, or the notes of its tables, in their order."""
    words: list[Words] = [
        words_of for how in declared(type(record)).values() if (words_of := getattr(how, kind)) is not None
    ]
    return [clause for of in sorted(words, key=lambda of: of.place) if (clause := of.of(record)) is not None]

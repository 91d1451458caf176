"""The rows that people were asked to rate, and how these were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.stats.join import Key, keyed


@dataclass(frozen=True)
class DrawnRow:
    """A row of the outputs, drawn or not."""

    system: str
    item: str
    probability: float
    """With which the row was to be drawn"""
    stratum: int = 0
    cluster: str | None = None
    """What whole clusters were drawn by; None where rows were drawn"""
    name: str | None = None
    """What the row is called on the sheet; None where it was not drawn"""


@dataclass(frozen=True)
class Draw:
    """All rows of the outputs, in their order, and which of them are on the sheet."""

    rows: tuple[DrawnRow, ...]

    @property
    def sheet(self) -> list[DrawnRow]:
        """The rows that are to be rated, in the order of the sheet."""
        return sorted((row for row in self.rows if row.name is not None), key=lambda row: row.name or "")

    def resolved(self, ratings: dict[str, dict[Key, float]]) -> dict[str, dict[Key, float]]:
        """Ratings of the sheet's names, by aspect, as ratings of rows. Raises InputError for an unknown name."""
        rows = {row.name: (row.system, row.item) for row in self.sheet}
        if stray := [name for scores in ratings.values() for _, name in scores if name not in rows]:
            remedy = "give the ratings of the rows that were drawn"
            raise InputError(f"{stray[0]!r} is rated and was not drawn", remedy=remedy)
        return {
            aspect: {rows[name]: score for (_, name), score in keyed(scores).items()}
            for aspect, scores in ratings.items()
        }

    def of(self, rows: Sequence[Key]) -> list[DrawnRow]:
        """The row of each row of a table. Raises InputError where the outputs had other rows."""
        known = {(row.system, row.item): row for row in self.rows}
        if absent := [key for key in rows if key not in known]:
            system, item = absent[0]
            problem = (
                f"the outputs that were sampled have no row of system {system!r}, item {item!r}, and the scores do"
            )
            raise InputError(problem, remedy="score the outputs that were sampled, all of them and no others")
        return [known[key] for key in rows]

"""Which rows people were asked to rate, and how these were drawn: the key that goes with a sheet."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError
from nlgauge.meta.join import Key, keyed, refuse_twice

_REMEDY = "give the key that nlgauge sample wrote beside the sheet"


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
            raise InputError(f"{stray[0]!r} is rated and is not on the sheet of this key", remedy=_REMEDY)
        return {
            aspect: {rows[name]: score for (_, name), score in keyed(scores).items()}
            for aspect, scores in ratings.items()
        }

    def of(self, rows: Sequence[Key]) -> list[DrawnRow]:
        """The row of each row of a table. Raises InputError where the outputs had other rows."""
        known = {(row.system, row.item): row for row in self.rows}
        if absent := [key for key in rows if key not in known]:
            system, item = absent[0]
            problem = f"the key has no row of system {system!r}, item {item!r}, and the scores do"
            raise InputError(problem, remedy="score the outputs that were sampled, all of them and no others")
        return [known[key] for key in rows]

    def save(self, path: str | Path) -> None:
        """Write JSON Lines, complete or not at all. Raises InputError where it cannot be written."""
        with atomic_write(path) as file:
            for row in self.rows:
                file.write(json.dumps(vars(row), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Draw:
        """Read what `save` wrote. Raises InputError for anything else."""
        try:
            # str.splitlines would also split at U+2028 and U+0085, which a name or a cluster may hold.
            lines = Path(path).read_text(encoding="utf-8").split("\n")
            rows = tuple(DrawnRow(**json.loads(line)) for line in lines if line)
            wrong = [row for row in rows if not _right(row)]
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path, remedy=_REMEDY) from None
        except (ValueError, TypeError):
            raise InputError("is not the key of a sheet", file=path, remedy=_REMEDY) from None
        if wrong or not rows:
            raise InputError("is not the key of a sheet", file=path, remedy=_REMEDY)
        refuse_twice([(row.system, row.item) for row in rows], "the key")
        return cls(rows)


def _right(row: DrawnRow) -> bool:
    texts = isinstance(row.system, str) and isinstance(row.item, str) and isinstance(row.name, str | None)
    return texts and isinstance(row.probability, float) and 0 < row.probability <= 1 and math.isfinite(row.stratum)

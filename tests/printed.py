"""Tables of cells as a reader sees them."""

from __future__ import annotations

from typing import Any

from nlgauge.show.tables import words


def printed(result: Any) -> list[list[list[str]]]:
    """The tables of a study as text."""
    return [[[words(cell) for cell in row] for row in table] for table in result.tables()]

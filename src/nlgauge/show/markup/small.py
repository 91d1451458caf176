"""A small table for a notebook, in the notebook's own colours."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.show.markup.environment import HERE, inlined, render


def small(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """HTML of a table with a head; the first cell of a row says what the row is."""
    return render("small.html", caption=caption, head=head, rows=rows, notes=notes, style=inlined(HERE / "parts.css"))

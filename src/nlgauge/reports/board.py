"""A board of scorers as one HTML file: who agrees best with people, on which set, and at what cost."""

from __future__ import annotations

import os
from pathlib import Path

from nlgauge._version import __version__
from nlgauge.answers.scorecard import Board, BoardLine
from nlgauge.data.atomic_write import atomic_write
from nlgauge.render.environment import HERE, digest, inlined, render

_FOLDER = Path(__file__).parent


def board_page(made: Board, path: str | os.PathLike[str]) -> None:
    """Write a page that shows a board: one file, complete or not there at all. Raises InputError if it cannot."""
    groups: dict[tuple[str, str, str], list[BoardLine]] = {}
    for line in made.lines:
        groups.setdefault((line.set, line.aspect, line.measure), []).append(line)
    kinds = list(dict.fromkeys(one.kind for card in made.cards for one in card.probes))
    page = render(
        "board.html",
        _FOLDER,
        title="Scorers beside each other",
        version=__version__,
        cards=sorted(made.cards, key=lambda card: -made.first(card.scorer)[0]),
        first={card.scorer: made.first(card.scorer) for card in made.cards},
        groups=groups,
        kinds=kinds,
        probes={card.scorer: {one.kind: one for one in card.probes} for card in made.cards},
        notes=made.notes,
        style=inlined(HERE / "parts.css", HERE / "page.css", _FOLDER / "trust.css"),
        script="",
        policy=digest(""),
    )
    with atomic_write(Path(path)) as file:
        file.write(page)

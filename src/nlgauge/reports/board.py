"""A board of scorers as one HTML file: which scorer agrees best with people on each set, and at what cost."""

from __future__ import annotations

import os
from pathlib import Path

from nlgauge.answers.scorecard import Board, BoardLine
from nlgauge.data.atomic_write import atomic_write
from nlgauge.show.page import page
from nlgauge.show.tables import NONE, Cell, Cells, Number

_FOLDER = Path(__file__).parent
_MEASURES = {"AUROC": "AUROC", "item": "Pearson within items", "pooled": "Pearson over rows"}


def board_page(made: Board, path: str | os.PathLike[str]) -> None:
    """Write a page that shows a board, as one file that is written whole or not at all.

    Args:
        made: the board.
        path: the path of the page.

    Raises:
        InputError: the page cannot be written.
    """
    groups: dict[tuple[str, str, str], list[BoardLine]] = {}
    for line in made.lines:
        groups.setdefault((line.set, line.aspect, line.measure), []).append(line)
    text = page(
        "board.html",
        _FOLDER,
        command="rate",
        title="Scorers beside each other",
        notes=made.notes,
        scorers=_scorers(made),
        signatures={card.scorer: card.signature for card in made.cards},
        sets=[(f"{name}: {aspect}", _MEASURES[kind], _set(lines)) for (name, aspect, kind), lines in groups.items()],
        probes=_probes(made),
    )
    with atomic_write(Path(path)) as file:
        file.write(text)


def _scorers(made: Board) -> Cells:
    heads = ["in the first cluster", "seconds for 1,000 rows", "may have been trained on", "digest"]
    cells: list[list[Cell]] = [["scorer", *heads]]
    for card in sorted(made.cards, key=lambda card: -made.first(card.scorer)[0]):
        first, of = made.first(card.scorer)
        pace = Number(1000 * card.cost["seconds"] / max(1, card.cost["rows"]), digits=2)
        trained = "not stated" if card.trained_on is None else ", ".join(card.trained_on) or NONE
        cells.append([card.scorer, f"{first} of {of}", pace, trained, card.digest])
    return cells


def _set(lines: list[BoardLine]) -> Cells:
    """Return a table with a row for each scorer: how well it agrees with people on one aspect of a set.

    Args:
        lines: the board's lines for this aspect of this set, one for each scorer.
    """
    lacking = ["without a score"] if any(line.unscored for line in lines) else []
    cells: list[list[Cell]] = [["scorer", "agreement", "rows", *lacking, "cluster"]]
    for line in lines:
        name = line.scorer + (" (may have been trained on it)" if line.trained else "")
        counts = [line.rows, *([line.unscored] if lacking else []), line.cluster]
        value = Number(line.value, line.low, line.high, digits=3)
        cells.append([name, value, *(Number(count, digits=0) for count in counts)])
    return cells


def _probes(made: Board) -> Cells:
    """Return a table with a row for each kind of error and a column for each scorer; empty without probes."""
    kinds = list(dict.fromkeys(probe.kind for card in made.cards for probe in card.probes))
    cells: list[list[Cell]] = [["error", *(card.scorer for card in made.cards)]]
    for kind in kinds:
        shares = [next((probe for probe in card.probes if probe.kind == kind), None) for card in made.cards]
        cells.append(
            [
                kind,
                *(NONE if share is None else Number(share.share, share.low, share.high, digits=2) for share in shares),
            ]
        )
    return cells if kinds else []

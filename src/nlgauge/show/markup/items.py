"""Named things that a score is based on: vocabulary items, texts of a set, members of a combination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

from nlgauge.show.markup.environment import number
from nlgauge.show.markup.words import LISTED, Record, Table

_COVERING = {"side", "covered", "nearest", "item", "distance", "nearest_item"}


class Driver(NamedTuple):
    """A vocabulary item whose two probabilities make much of a distance; widths in per cent of the widest."""

    name: str
    candidate: str
    reference: str
    share: str
    candidate_width: float
    reference_width: float


class Covered(NamedTuple):
    """A text of a set beside the nearest one of the other set."""

    text: str
    item: str
    covered: float
    distance: str
    nearest: str
    nearest_item: str


def drivers(items: Sequence[Record]) -> list[Driver]:
    """Items that have both probabilities, as InfoLM's have; none where the items are others."""
    if not all(
        all(isinstance(item.get(side), int | float) for side in ("candidate", "reference"))
        and isinstance(item.get("share", ""), int | float | None)
        for item in items
    ):
        return []
    most = max((max(item["candidate"], item["reference"]) for item in items), default=0) or 1
    return [
        Driver(
            item["name"], number(item["candidate"], 5), number(item["reference"], 5), _per_cent(item["share"]),
            round(100 * item["candidate"] / most, 1), round(100 * item["reference"] / most, 1),
        )
        for item in items[:LISTED]
    ]  # fmt: skip


def covering(items: Sequence[Record]) -> dict[str, list[Covered]]:
    """Outputs and references, those first that nothing covers; empty where the items are no texts of sets."""
    sides: dict[str, list[Covered]] = {}
    for item in items:
        if item.keys() >= _COVERING and isinstance(item["side"], str) and isinstance(item["covered"], int | float):
            said = Covered(
                item["name"], item["item"], item["covered"], number(item["distance"], 3), item["nearest"],
                item["nearest_item"],
            )  # fmt: skip
            sides.setdefault(item["side"], []).append(said)
    return sides


def curve(items: Sequence[Record]) -> str:
    """The points of an SVG line, 100 units a side, of an item that holds precision and recall as lists; '' for none."""
    for item in items:
        precision, recall = item.get("precision"), item.get("recall")
        if _are_numbers(precision) and _are_numbers(recall) and len(precision) == len(recall):
            return " ".join(f"{100 * x:.1f},{100 - 100 * y:.1f}" for x, y in zip(recall, precision, strict=True))
    return ""


def item_table(items: Sequence[Record], left_out: int) -> Table:
    """Items of any other kind, with what is known of them."""
    names = list(dict.fromkeys(name for item in items[:LISTED] for name in item))
    rows = [[_cell(item.get(name)) for name in names] for item in items[:LISTED]]
    heads = ["item" if name == "name" else name for name in names]
    return Table("What the score is based on", heads, rows, len(items) - len(rows) + left_out)


def _are_numbers(values: object) -> TypeGuard[list[float]]:
    return isinstance(values, list) and all(isinstance(value, int | float) for value in values)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return " ".join(map(_cell, value.values()))
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return "" if value is None else str(value)


def _per_cent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"

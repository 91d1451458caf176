"""The tables of thresholds in docs/check-evidence.md, in Markdown, from the cards of the models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.signature import FLOAT32
from nlgauge.engine.models import loading
from nlgauge.engine.models.card import BY_PRECISION, CARD_FILE
from nlgauge.gate.verdict import SAID
from nlgauge.maths.wording import LEAST_AREA
from nlgauge_lab.reproduce.markdown import table as markdown
from nlgauge_lab.reproduce.markdown import write_region
from nlgauge_lab.training.thresholds import HEADS, SHARES, band_name

REGION = "thresholds"
"""The name of the comments of a page between which the tables are written"""


def write_page(page: Path) -> None:
    """Write the tables of pocket, and of base if it is installed, between the comments of a page."""
    write_region(page, REGION, card_tables())


def card_tables() -> list[str]:
    """Return the tables of the documentation in Markdown, from the cards of pocket, and of base if it is installed."""
    folders = {name: loading.folder_of(name) for name in ("pocket", *loading.companions())}
    cards = {name: json.loads((folder / CARD_FILE).read_text("utf-8"))["grounded"] for name, folder in folders.items()}
    lines: list[str] = []
    for name, card in cards.items():
        strict = f", and fails below {card['strict']}" if "strict" in card else ""
        lines += [f"By `{name}`, which doubts a text below {card['fail_below']}{strict}:", ""]
        rows = [
            [title + ", chosen" * (title in card["chosen_on"]), f"{one['rows']:,}"]
            + [f"{one.get(share, 0.0):.3f}" for share in SHARES]
            for title, one in card["rates"].items()
        ]
        lines += [*markdown(list(HEADS), "lrrrrrr", rows), ""]
        if "bands" in card:
            rows = [
                [
                    band_name(one["from"], one["to"]),
                    f"{one['rows']:,}",
                    f"{one['area']:.3f}",
                    f"{one['low']:.3f}",
                    "no" if one["low"] < LEAST_AREA else "yes",
                ]
                for one in card["bands"]
            ]
            heads = ["wording that the source has", "rows", "area", "lower limit", "is read"]
            lines += [f"How well `{name}` reads answers, by the share of their longer words that the source has:", ""]
            lines += [*markdown(heads, "lrrrl", rows), ""]
        if BY_PRECISION in card:
            lines += [f"The thresholds of `{name}` by the precision in which it computes, and means over the sets:", ""]
            lines += [*_by_precision(card), ""]
    cards = {name: card for name, card in cards.items() if "kinds" in card}  # measured since there are written answers
    if not cards:
        return lines[:-1]
    kinds = list(dict.fromkeys(kind for card in cards.values() for kind in card["kinds"]))
    rows = [
        [kind, f"{max(card['kinds'][kind]['rows'] for card in cards.values() if kind in card['kinds']):,}"]
        + [
            f"{card['kinds'][kind][share]:.3f}" if kind in card["kinds"] else "-"
            for card in cards.values()
            for share in ("hits", "unsure")
        ]
        for kind in kinds
    ]
    heads = [f"{name}: {what}" for name in cards for what in ("hits", "unsure")]
    lines += ["Hits by the kind of the error, in written.test:", ""]
    lines += [*markdown(["kind of error", "rows", *heads], "lr" + "r" * len(heads), rows), ""]
    families = list(dict.fromkeys(family for card in cards.values() for family in card.get("families", ())))
    shares = {"hits": "hits", "false_alarms": "false alarms"}
    rows = [
        [family, f"{max(card['families'][family]['rows'] for card in cards.values() if 'families' in card):,}"]
        + [
            f"{card['families'][family][share]:.3f}"
            for card in cards.values()
            if "families" in card
            for share in shares
        ]
        for family in families
    ]
    if rows:
        heads = [f"{name}: {what}" for name in cards for what in shares.values()]
        lines += ["By what a reader has to understand, in written.families:", ""]
        lines += [*markdown(["family", "rows", *heads], "lr" + "r" * len(heads), rows), ""]
    heads = [f"{name}: {what} answers" for name in cards for what in ("right", "wrong")]
    rows = [
        [name]
        + [
            f"{card['findings'].get(name, {}).get(label, 0):.3f}"
            for card in cards.values()
            for label in ("supported", "unsupported")
        ]
        for name in SAID
        if any(name in card["findings"] for card in cards.values())
    ]
    lines += ["What the gate says of right and of wrong answers, in written.test:", ""]
    return [*lines, *markdown(["finding", *heads], "l" + "r" * len(heads), rows)]


def _by_precision(card: Mapping[str, Any]) -> list[str]:
    """Return the table of thresholds by precision in Markdown, from the thresholds of a card."""
    limits = ("fail_below", "pass_from", "strict", "mark_below")
    shares = ("hits", "false_alarms", "unsure")
    rows = [
        [precision, *(f"{of[limit]:.2f}" for limit in limits)]
        + [f"{np.mean([rates[share] for rates in of['rates'].values()]):.3f}" for share in shares]
        for precision, of in {FLOAT32: card, **card[BY_PRECISION]}.items()
    ]
    heads = ["precision", "doubts below", "passes from", "fails below", "marks words below"]
    return markdown([*heads, "hits", "false alarms", "unsure"], "lrrrrrrr", rows)

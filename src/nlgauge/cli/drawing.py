"""What a score is based on, drawn in a terminal: words, matches, flows and items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from nlgauge.cli.terminal import aligned
from nlgauge.show.tables import harmless

_SHOWN = 12
_WIDE = 48
_FEW = 3
Record = Mapping[str, Any]


def drawn(evidence: Record, colour: bool) -> Iterator[str]:
    """The lines of a row's evidence, as JSON has it. colour: of words; else weakly aligned ones stand in [brackets]."""
    if "reference" in evidence:
        yield f"reference {evidence['reference'] + 1}:"
    for text in evidence.get("texts", []):
        yield f"{text['name']}, against the {text['against']}:"
        yield "  " + _painted(text, colour).replace("\n", "\n  ")
        yield from _table([["characters", "not supported", "the nearest sentence"], *map(_span(text), _spans(text))])
        yield from _rest(len(text.get("unsupported", [])), "spans")
        reasons = [[f"{one['begin']}-{one['end']}", _short(one["said"])] for one in text.get("reasons", [])[:_SHOWN]]
        yield from _table([["characters", "checked without a model"], *reasons])
        several = text.get("stretches", [])
        if len(several) > 1 and all("supported" in one for one in several):
            worst = min(several, key=lambda one: float(one["supported"]))
            against = (
                f"; contradicted, if not supported: {_cell(worst['contradicted'])}" if "contradicted" in worst else ""
            )
            yield f"  least supported: characters {worst['begin']}-{worst['end']}, {_cell(worst['supported'])}{against}"
    for side in ("candidate", "reference"):
        matches = [match for match in evidence.get("matches", []) if match["side"] == side]
        weakest = sorted(matches, key=lambda match: match["similarity"])[:_SHOWN]
        names = ("token", "match", "similarity", "weight")
        yield from _table([[f"of the {side}", "matched with", "similarity", "weight"], *_cells(weakest, names)])
        yield from _rest(len(matches), "matches, the least similar first")
    if flows := evidence.get("flows", []):
        dearest = sorted(flows, key=lambda flow: -flow["share"] * flow["distance"])[:_SHOWN]
        names = ("candidate", "reference", "share", "distance")
        yield from _table([["of the candidate", "moved to", "share", "distance"], *_cells(dearest, names)])
        yield from _rest(len(flows) + evidence.get("left_out", 0), "flows, the dearest first")
    if items := evidence.get("items", []):
        known = list(dict.fromkeys(name for item in items[:_SHOWN] for name in item))
        cells = [[_cell(item.get(name)) for name in known] for item in items[:_SHOWN]]
        yield from _table([["" if name == "name" else name for name in known], *cells])
        yield from _rest(len(items) + evidence.get("left_out", 0), "items")


def _painted(text: Record, colour: bool) -> str:
    content, weak = harmless(text["text"], lines=True), text["weak"]
    pieces, at = [], 0
    for word in text["words"]:
        begin, end, alignment = max(at, word["begin"]), word["end"], word["alignment"]
        piece = content[begin:end]
        if colour:
            shade = "red" if alignment < weak else "yellow" if alignment < (1 + weak) / 2 else "green"
            piece = click.style(piece, fg=shade, underline=alignment < weak or None)
        elif alignment < weak:
            piece = f"[{piece}]"
        pieces += [content[at:begin], piece]
        at = max(at, end)
    return "".join([*pieces, content[at:]])


def _spans(text: Record) -> list[list[int]]:
    spans: list[list[int]] = text.get("unsupported", [])[:_SHOWN]
    return spans


def _span(text: Record) -> Callable[[list[int]], list[str]]:
    """What becomes cells of a span of words that are not supported."""

    def cells(span: list[int]) -> list[str]:
        begin, end = span
        named = [word["quote"] for word in text["words"] if begin <= word["begin"] < end and "quote" in word]
        quote = text["quotes"][max(named, key=named.count)] if named else None
        place = "" if quote is None else f"{quote['name']} {quote['begin']}-{quote['end']}: {_short(quote['text'])}"
        return [f"{begin}-{end}", _short(text["text"][begin:end]), place]

    return cells


def _short(text: str) -> str:
    line = " ".join(harmless(text, lines=True).split())
    return line if len(line) <= _WIDE else line[: _WIDE - 1] + "…"


def _cells(links: Sequence[Record], names: Sequence[str]) -> list[list[str]]:
    """Two places in texts each, and two numbers."""
    return [[*(_place(link[name]) for name in names[:2]), *(_cell(link[name]) for name in names[2:])] for link in links]


def _place(place: Record) -> str:
    return harmless(place.get("text") or "(special token)", lines=True).replace("\n", " ")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, Mapping):
        return " ".join(_cell(inner) for inner in value.values())
    if isinstance(value, list) and len(value) > _FEW:
        return f"{len(value)} from {_cell(value[0])} to {_cell(value[-1])}"
    return "" if value is None else harmless(str(value), lines=True).replace("\n", " ")


def _table(cells: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in aligned(cells)] if len(cells) > 1 else []


def _rest(count: int, what: str) -> list[str]:
    return [f"  ({_SHOWN} of {count} {what}; --format json has them all)"] if count > _SHOWN else []

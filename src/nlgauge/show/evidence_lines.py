"""Evidence (what a score is based on) as lines of text output: texts with marked words, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nlgauge.show.lines import TextLine
from nlgauge.show.numbers import fixed
from nlgauge.show.tables import aligned, harmless
from nlgauge.show.words import LISTED, Record, nearest, shade

_WIDE = 48
"""The greatest number of characters of a text in a table"""
_FEW = 3
"""Number of members of a list that are shown"""
_STYLES = {"yes": "supported", "half": "partly", "no": "unsupported"}


def evidence_lines(evidence: Record, indent: str = "") -> Iterator[TextLine]:
    """Yield the lines of a row's evidence.

    Args:
        evidence: the evidence of the row as JSON.
        indent: blanks to put before each line.

    Returns:
        The lines.
    """
    if "reference" in evidence:
        yield TextLine(f"reference {evidence['reference'] + 1}:", indent)
    inner = f"{indent}  "
    for text in evidence.get("texts", []):
        yield TextLine(f"{text['name']}, against the {text['against']}:", indent)
        yield TextLine(tuple(_marked(text)), inner)
        spans = text.get("unsupported", [])
        cells = [_span(text, *span) for span in spans[:LISTED]]
        yield from _table(
            inner, ["characters", "not supported", "the nearest sentence"], cells, count=len(spans), what="spans"
        )
        reasons = text.get("reasons", [])[:LISTED]
        cells = [[f"{reason['begin']}-{reason['end']}", _short(reason["said"])] for reason in reasons]
        yield from _table(inner, ["characters", "checked without a model"], cells)
        stretches = text.get("stretches", [])
        if len(stretches) > 1 and all("supported" in stretch for stretch in stretches):
            yield TextLine(_least_supported(stretches), inner)
    for side in ("candidate", "reference"):
        matches = [match for match in evidence.get("matches", []) if match["side"] == side]
        weakest = sorted(matches, key=lambda match: match["similarity"])[:LISTED]
        heads = [f"of the {side}", "matched with", "similarity", "weight"]
        cells = _cells(weakest, ("token", "match", "similarity", "weight"))
        yield from _table(inner, heads, cells, count=len(matches), what="matches, the least similar first")
    left_out = evidence.get("left_out", 0)
    if flows := evidence.get("flows", []):
        costliest = sorted(flows, key=lambda flow: -flow["share"] * flow["distance"])[:LISTED]
        heads = ["of the candidate", "moved to", "share", "distance"]
        cells = _cells(costliest, ("candidate", "reference", "share", "distance"))
        yield from _table(inner, heads, cells, count=len(flows) + left_out, what="flows, the costliest first")
    if items := evidence.get("items", []):
        names = list(dict.fromkeys(name for item in items[:LISTED] for name in item))
        cells = [[_cell(item.get(name)) for name in names] for item in items[:LISTED]]
        heads = ["" if name == "name" else name for name in names]
        yield from _table(inner, heads, cells, count=len(items) + left_out, what="items")


def _marked(text: Record) -> Iterator[tuple[str, str]]:
    """Yield (piece, name of its style) for a text of evidence; the style of a piece between words is ''."""
    content, end = text["text"], 0
    for word in text["words"]:
        begin = max(end, word["begin"])
        yield content[end:begin], ""
        yield content[begin : word["end"]], _STYLES[shade(word["alignment"], text["weak"])]
        end = max(end, word["end"])
    yield content[end:], ""


def _least_supported(stretches: Sequence[Record]) -> str:
    worst = min(stretches, key=lambda stretch: float(stretch["supported"]))
    said = f"least supported: characters {worst['begin']}-{worst['end']}, {_cell(worst['supported'])}"
    if "contradicted" in worst:
        said += f"; contradicted, if not supported: {_cell(worst['contradicted'])}"
    return said


def _span(text: Record, begin: int, end: int) -> list[str]:
    """Return the cells of an unsupported span: its characters, its text, and the nearest sentence."""
    quote = nearest(text, begin, end)
    place = "" if quote is None else f"{quote['name']} {quote['begin']}-{quote['end']}: {_short(quote['text'])}"
    return [f"{begin}-{end}", _short(text["text"][begin:end]), place]


def _short(text: str) -> str:
    line = " ".join(harmless(text, lines=True).split())
    return line if len(line) <= _WIDE else line[: _WIDE - 1] + "…"


def _cells(links: Sequence[Record], names: Sequence[str]) -> list[list[str]]:
    """Return a row of cells for each match or flow: two words, and the values of the further fields in `names`."""
    return [[*(_place(link[name]) for name in names[:2]), *(_cell(link[name]) for name in names[2:])] for link in links]


def _place(place: Record) -> str:
    return harmless(place.get("text") or "(special token)", lines=True).replace("\n", " ")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return fixed(value)
    if isinstance(value, Mapping):
        return " ".join(_cell(inner) for inner in value.values())
    if isinstance(value, list) and len(value) > _FEW:
        return f"{len(value)} from {_cell(value[0])} to {_cell(value[-1])}"
    return "" if value is None else harmless(str(value), lines=True).replace("\n", " ")


def _table(
    indent: str, heads: list[str], cells: list[list[str]], *, count: int = 0, what: str = ""
) -> Iterator[TextLine]:
    """Yield the lines of a table if it has cells; and a line with the whole count where not all rows are shown.

    Args:
        indent: blanks to put before each line.
        heads: the heads of the columns.
        cells: the cells of each row that is shown.
        count: the number of all rows.
        what: what the rows are, such as "items", for the line with the count.

    Returns:
        The lines.
    """
    if cells:
        yield from (TextLine(line, indent) for line in aligned([heads, *cells]))
    if count > LISTED:
        yield TextLine(f"({LISTED} of {count} {what}; --format json has them all)", indent)

"""Rebuilt tables as text, Markdown and CSV, and their figures (extra `plots`)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from nlgauge.reports import figures
from nlgauge.show.tables import Cell as Printed
from nlgauge.show.tables import Cells, Number
from nlgauge_lab.reproduce.kinds import Block, Cell, Rebuilt
from nlgauge_lab.reproduce.published import PAPERS, Table

_SHORT = {"pearson": "r", "spearman": "rho", "kendall": "tau"}


def _number(value: float | None, digits: int, sign: str = "") -> str:
    return "-" if value is None or math.isnan(value) else f"{value:{sign}.{digits}f}"


def _cells(block: Block, digits: int) -> list[list[str]]:
    """Return the cells of a block as text: the heads, and then the rows.

    A column with published numbers becomes three: the published number, ours, and the difference. Another column has
    our number alone.

    Args:
        block: the block.
        digits: how many digits are shown after the point.
    """
    published = [
        any(cells[n].published is not None for cells in block.rows.values()) for n, _ in enumerate(block.heads)
    ]
    heads = [""]
    for head, compared in zip(block.heads, published, strict=True):
        name = _SHORT.get(head, head)
        heads += [f"{name} published", "ours", "difference"] if compared else [name]
    out = [heads]
    for name, cells in block.rows.items():
        line = [name]
        for cell, compared in zip(cells, published, strict=True):
            ours = _number(cell.ours, digits)
            line += (
                [_number(cell.published, digits), ours, _number(cell.difference, digits, "+")] if compared else [ours]
            )
        out.append(line)
    return out


def _missing(rebuilt: Rebuilt) -> Iterator[tuple[str, list[str]]]:
    """Yield each reason why rows have no number of ours, with the names of these rows."""
    reasons: dict[str, dict[str, None]] = {}
    for block in rebuilt.blocks:
        for name, cells in block.rows.items():
            for cell in cells:
                if math.isnan(cell.ours) and cell.reason is not None:
                    reasons.setdefault(str(cell.reason), {})[name] = None
    yield from ((reason, list(rows)) for reason, rows in reasons.items())


def tables(rebuilt: Rebuilt) -> list[Cells]:
    """Return each block as a table of numbers. The first head is the title of the block."""
    made: list[Cells] = []
    for block in rebuilt.blocks:
        lines: list[list[Printed]] = [[block.title]]
        lines[0] += [f"{head} {which}" for head in block.heads for which in ("published", "ours", "difference")]
        for name, cells in block.rows.items():
            known = [value for cell in cells for value in (cell.published, cell.ours, cell.difference)]
            numbers = (math.nan if value is None else value for value in known)
            lines.append([name, *(Number(number, digits=rebuilt.table.digits) for number in numbers)])
        made.append(lines)
    return made


def text(rebuilt: Rebuilt) -> list[str]:
    """Return the lines for a terminal."""
    lines = [f"{rebuilt.table.name}: {PAPERS[rebuilt.table.paper]}, {rebuilt.table.title}", rebuilt.summary]
    for block in rebuilt.blocks:
        cells = _cells(block, rebuilt.table.digits)
        cells[0][0] = block.title
        widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
        lines.append("")
        for row in cells:
            first = row[0].ljust(widths[0])
            rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            lines.append("  ".join([first, *rest]).rstrip())
    lines.append("")
    lines += [f"no number of ours: {', '.join(rows)}: {reason}" for reason, rows in _missing(rebuilt)]
    return [*lines, *rebuilt.facts]


def markdown(rebuilt: Rebuilt, figures: Sequence[str] = ()) -> str:
    """Return a page in Markdown. `figures` are names of image files in the same folder."""
    table = rebuilt.table
    lines = [f"# {table.name}", "", f"{PAPERS[table.paper]}: {table.title}. {rebuilt.summary}.", ""]
    if table.scale != 1:
        lines += [f"Correlations times {table.scale:g}, as in print.", ""]
    for block in rebuilt.blocks:
        heads, *rows = [[_plain(cell) for cell in row] for row in _cells(block, table.digits)]
        rules = ["---", *["---:"] * (len(heads) - 1)]
        lines += [f"## {block.title}", ""]
        lines += [f"| {' | '.join(heads)} |", f"|{'|'.join(rules)}|", *(f"| {' | '.join(row)} |" for row in rows), ""]
    lines += [f"![{block}]({block})" for block in figures]
    lines += [""] * bool(figures)
    if rebuilt.specs:
        lines += ["## Which metric of ours stands for which row", "", "| row | metric |", "|---|---|"]
        lines += [f"| {_plain(name)} | `{spec}` |" for name, spec in rebuilt.specs.items()]
        lines.append("")
    notes = [*table.notes, *rebuilt.facts]
    notes += [f"No number of ours for {', '.join(rows)}: {reason}" for reason, rows in _missing(rebuilt)]
    return "\n".join([*lines, "## Notes", "", *(f"- {_plain(note)}" for note in notes)]) + "\n"


def _plain(text: str) -> str:
    """Return a text without line breaks, and with | escaped, for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def table_csv(rebuilt: Sequence[Rebuilt]) -> str:
    """Return CSV with a line for every number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "block", "row", "column", "published", "ours", "difference", "metric", "reason"])
    for one in rebuilt:
        for block in one.blocks:
            for name, cells in block.rows.items():
                for head, cell in zip(block.heads, cells, strict=True):
                    numbers = [_full(cell.published), _full(cell.ours), _full(cell.difference)]
                    spec = one.specs.get(name, "")
                    writer.writerow([one.table.name, block.title, name, head, *numbers, spec, cell.reason or ""])
    return out.getvalue()


def _full(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else repr(round(value, 10))


def records(rebuilt: Rebuilt) -> dict[str, object]:
    """Return the table as a JSON record."""
    blocks = [
        {
            "title": block.title,
            "columns": list(block.heads),
            "rows": {name: [_record(cell) for cell in cells] for name, cells in block.rows.items()},
        }
        for block in rebuilt.blocks
    ]
    return {
        "name": rebuilt.table.name,
        "title": rebuilt.table.title,
        "summary": rebuilt.summary,
        "scale": rebuilt.table.scale,
        "blocks": blocks,
        "metrics": rebuilt.specs,
        "notes": [*rebuilt.table.notes, *rebuilt.facts],
    }


def _record(cell: Cell) -> dict[str, object]:
    ours, difference = (None if math.isnan(value) else value for value in (cell.ours, cell.difference))
    return {"published": cell.published, "ours": ours, "difference": difference, "reason": cell.reason}


def draw(rebuilt: Rebuilt, folder: Path) -> list[str]:
    """Write the figures of a table as PNG files into a folder, and return their names.

    A block without a number of ours has no figure.

    Raises:
        MissingExtraError: the extra `plots` is not installed.
    """
    names: list[str] = []
    for block in rebuilt.blocks:
        if any(not math.isnan(cell.ours) for cells in block.rows.values() for cell in cells):
            names.append(f"{rebuilt.table.name}-{len(names) + 1}.png")
            _block(folder / names[-1], block, rebuilt.table)
    return names


def _block(path: Path, block: Block, table: Table) -> None:
    title, rows = f"{table.name}: {block.title}", list(block.rows)
    numbers = [[cell.ours for cell in cells] for cells in block.rows.values()]
    if table.kind == "distributions":
        counts = {name: np.histogram(values, 40, (0, 1))[0] for name, values in block.samples.items()}
        shares = {name: (found / max(1, found.sum())).tolist() for name, found in counts.items()}
        shown = figures.Histograms(shares, np.linspace(0, 1, 41).tolist())
        figures.histograms(path, {title: shown}, "value, from the least to the greatest")
    elif table.kind == "between":
        figures.heats(path, {title: figures.Heat(rows, block.heads, numbers)}, "Pearson correlation", (-1, 1))
    elif table.kind == "williams":
        labels = [[f"{p:.2f}" if p < 0.05 else "" for p in row] for row in numbers]
        figures.heats(
            path, {title: figures.Heat(rows, block.heads, numbers, labels)}, label="p", ends=(0, 0.1), colours="Blues_r"
        )
    elif table.kind == "sweep":
        at = [float(place) for place in range(len(rows))]
        ours = {head: figures.Curve(at, [row[n] for row in numbers]) for n, head in enumerate(block.heads)}
        figures.curves(path, {title: ours}, across="", up="correlation", ticks=rows)
    else:
        # The first coefficient, what is published behind the bar of ours.
        printed = [cells[0].published for cells in block.rows.values()]
        marks = ["" if value is None else f"{value:.{table.digits}f}" for value in printed]
        nothing = [math.nan] * len(rows)
        times = f" x {table.scale:g}" if table.scale != 1 else ""
        title = f"{title}, {block.heads[0]}{times}: ours, and behind each bar what is published"
        figures.bars(path, {title: figures.Bars([row[0] for row in numbers], nothing, nothing, marks)}, rows)

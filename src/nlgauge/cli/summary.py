"""What `score` prints: systems by metrics, the best marked, and what a reader has to know besides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import show_tables
from nlgauge.show.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.data.table import ScoreTable, SystemScore
    from nlgauge.meta.best import Best
    from nlgauge.meta.people import People

_MOST_TESTED = 100_000
"""Values that are resampled for the marks: some seconds"""


def show_summary(own: ScoreTable, layout: str, seed: int, every_part: bool, people: People | None = None) -> None:
    """Numbers on stdout, of what people say first; reasons, notes and signatures on stderr."""
    said = {} if people is None else people.table.columns
    table = replace(own, columns={**said, **own.columns})
    scores = [*([] if people is None else people.by_system(seed=seed)), *own.by_system(seed=seed)]
    if layout == "json":
        _json(table, scores, people)
    else:
        parts = {spec: one.parts if every_part else one.shown[:1] for spec, one in table.columns.items()}
        groups: dict[tuple[str, str], list[SystemScore]] = {}
        for score in scores:
            if score.part in parts[score.metric]:
                groups.setdefault((score.metric, score.part), []).append(score)
        found = _best(table, groups, seed, people)
        tables = [_cells(table, own, found, title) for title, own in _tables(table, groups, layout, every_part)]
        show_tables(tables, layout, keys=2)
        for line in (*_legend(found), *_hidden(table, groups)):
            remark(line)
    for name, note in {} if people is None else people.notes.items():
        remark(f"{name}: {note}")
    for line in _missing(own):
        remark(line)
    if whole := [spec for spec, column in table.columns.items() if column.sums is not None]:
        remark(f"of all rows of a system together, and not the mean of its rows: {', '.join(whole)}")
    for signature in table.signatures.values():
        remark(str(signature))


def _json(table: ScoreTable, scores: Sequence[SystemScore], people: People | None) -> None:
    rated = [one for one in scores if people is not None and one.metric in people.table.columns]
    systems = [one for one in scores if one not in rated]
    record = {"nlgauge": table.version, "systems": systems, "run": {**table.run, **table.spent}}
    if people is not None:
        record["people"] = [{**vars(one), "note": people.notes.get(one.metric)} for one in rated]
    show_json({**record, "signatures": table.signatures})


_Groups = Mapping[tuple[str, str], "Sequence[SystemScore]"]


def _best(table: ScoreTable, groups: _Groups, seed: int, people: People | None) -> dict[tuple[str, str], Best]:
    """The best by each part, those that do not differ significantly from it too where that does not take long."""
    from nlgauge.meta.best import by_part

    test = len(table.rows) * len(groups) <= _MOST_TESTED
    scores = [score for own in groups.values() for score in own]
    estimated = [score for score in scores if people is not None and score.metric in people.estimates]
    rest = [score for score in scores if score not in estimated]
    found = by_part(table, rest, test=test, seed=seed)
    return found if people is None else by_part(table, estimated, known=people.p) | found


def _tables(table: ScoreTable, groups: _Groups, layout: str, every_part: bool) -> Iterator[tuple[str, _Groups]]:
    """What stands in one table, and the head of its first column: the metric's where a table is of one alone.

    Parts of several metrics make a table too wide to be read, but not too wide for a program.
    """
    several = {spec for spec, column in table.columns.items() if len(column.parts) > 1}
    if not every_part or layout != "text":
        yield "system", groups
        return
    if simple := {key: scores for key, scores in groups.items() if key[0] not in several}:
        yield "system", simple
    for spec in table.columns:
        if spec in several:
            yield spec, {key: scores for key, scores in groups.items() if key[0] == spec}


def _cells(table: ScoreTable, groups: _Groups, best: Mapping[tuple[str, str], Best], title: str) -> list[list[Cell]]:
    """A row a system, a column a part. An arrow says which way is better."""
    from nlgauge.meta.selection import label

    columns = {key: {score.system: score for score in scores} for key, scores in groups.items()}
    heads = [
        (part if spec == title else label(table, spec, part)) + table.columns[spec].arrow(part)
        for spec, part in columns
    ]
    cells: list[list[Cell]] = [[title, "n", *heads]]
    for system in table.systems:
        own = [scores[system] for scores in columns.values()]
        # Metrics may be undefined on different rows; the count is shown per system, what is missing on stderr.
        count = Number(max(score.n + score.undefined for score in own), digits=0)
        cells.append([system, count, *(_number(score, best.get((score.metric, score.part))) for score in own)])
    return cells


def _number(score: SystemScore, best: Best | None) -> Number:
    counted = score.mean.is_integer() and math.isnan(score.low) and abs(score.mean) > 1
    return Number(
        score.mean, score.low, score.high, digits=0 if counted else 4, mark=best.mark(score.system) if best else ""
    )


def _legend(best: Mapping[tuple[str, str], Best]) -> Iterator[str]:
    """What the marks mean, where there are some."""
    if not best:
        return
    tested, correction = [key for key, one in best.items() if one.tested], "corrected by Holm"
    if any(one.alike for one in best.values()):
        yield f"* best; ~ no significant difference from the best (paired test, p >= 0.05, {correction})"
    elif tested:
        yield f"* best; the others are worse beyond chance (paired test, p < 0.05, {correction})"
    if not tested:
        yield "* best; whether that is chance was not tested"
    elif others := list(dict.fromkeys(spec for spec, part in best if (spec, part) not in tested)):
        yield f"not tested: {', '.join(others)}"


def _hidden(table: ScoreTable, groups: _Groups) -> Iterator[str]:
    if specs := [spec for spec, column in table.columns.items() if any((spec, p) not in groups for p in column.parts)]:
        yield f"--parts shows more of {', '.join(specs)}"


def _missing(table: ScoreTable) -> Iterator[str]:
    """Which rows, or systems, have no value and why, and what there is to be noted of how many."""
    for spec, column in table.columns.items():
        what, names = ("rows", [str(n + 1) for n in range(len(table.rows))])
        if column.level == "system":
            what, names = "systems", table.systems
        for reason in dict.fromkeys(column.reasons.values()):
            found = [names[index] for index in sorted(column.reasons) if column.reasons[index] == reason]
            first = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
            yield f"{spec}: no value for {len(found)} of {len(names)} {what} ({first}): {reason}"
        for note, count in table.run.get("notes", {}).get(spec, {}).items():
            yield f"{spec}: {count} of {len(names)} {what}: {note}"

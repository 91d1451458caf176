"""Means of each system by each metric, or its values of all rows together, with marks for the best systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nlgauge.data.table.outliers import outliers
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.answers.best import Best, People
    from nlgauge.data.table import ScoreTable, SystemScore

_MOST_REASONS = 10
"""Reasons of a metric that are printed: a judge may give each row its own"""


@dataclass(frozen=True, repr=False)
class Summary(Answered):
    """The scores of a table, averaged for each system."""

    scores: ScoreTable
    people: People | None = None
    """People's ratings of the rows, with estimates for all rows; None where no row is rated"""
    every_part: bool = False
    """Whether every sub-score has a column; else only the deciding sub-score of each metric"""
    split: bool = True
    """With `every_part`: whether a metric with several sub-scores has a separate table, so that no table is too wide to
    read"""

    def to_answer(self) -> Answer:
        """Return the answer: tables with a line for each system and a column for each sub-score."""
        people, items = self.people, self.scores.per_item()
        table = replace(items, columns={**({} if people is None else people.table.columns), **items.columns})
        rated, systems = [] if people is None else people.by_system(), items.by_system()
        parts = {spec: column.parts if self.every_part else column.shown[:1] for spec, column in table.columns.items()}
        shown = [score for score in (*rated, *systems) if score.part in parts[score.metric]]
        best = _best(table, shown, people)
        legend = list(_legend(best))
        if hidden := [spec for spec, column in table.columns.items() if len(parts[spec]) < len(column.parts)]:
            legend.append(f"--parts shows more of {', '.join(hidden)}")
        notes = [] if people is None else [f"{name}: {note}" for name, note in people.notes.items()]
        notes += self.scores.told_trials()
        notes += [*_missing(self.scores), *outliers(self.scores), *_other_items(items), *_unequal(systems)]
        return Answer(
            command="score",
            record={
                "systems": systems,
                "people": [{**vars(score), "note": people.notes.get(score.metric)} for score in rated]
                if people
                else [],
                "run": {**table.run, **table.spent},
                "signatures": table.signatures,
            },
            tables=[
                _cells(table, group, best, title)
                for title, group in _tables(table, shown, every_part=self.every_part, split=self.split)
            ],
            keys=2,
            legend=legend,
            notes=notes,
        )


def _best(table: ScoreTable, scores: Sequence[SystemScore], people: People | None) -> dict[tuple[str, str], Best]:
    """Return the best system by each (metric, sub-score), and the systems that do not differ significantly from it."""
    if len(table.systems) < 2:
        return {}
    from nlgauge.answers.best import by_part, compared

    tests = compared(table)
    if people is None:
        return by_part(table, scores, tests)
    estimated = [score for score in scores if score.metric in people.estimates]
    rest = [score for score in scores if score.metric not in people.estimates]
    return by_part(table, estimated, people.test) | by_part(table, rest, tests)


def _other_items(table: ScoreTable) -> Iterator[str]:
    if len(table.systems) > 1:
        from nlgauge.answers.best import other_items

        yield from other_items(table)


def _tables(
    table: ScoreTable, scores: Sequence[SystemScore], every_part: bool, split: bool
) -> Iterator[tuple[str, Sequence[SystemScore]]]:
    """Yield for each table of the answer the head of its first column, and the scores that it shows.

    With `every_part` and `split`, each metric with several sub-scores has a separate table, whose head is the metric's
    spec. All other scores are in one table, whose head is 'system'.

    Args:
        table: the scores.
        scores: the means of each system.
        every_part: whether every sub-score has a column.
        split: whether metrics with several sub-scores have separate tables, as one table would be too wide to read. A
            program reads one table more easily.
    """
    several = {spec for spec, column in table.columns.items() if len(column.parts) > 1}
    if not (every_part and split):
        yield "system", scores
        return
    if simple := [score for score in scores if score.metric not in several]:
        yield "system", simple
    for spec in table.columns:
        if spec in several:
            yield spec, [score for score in scores if score.metric == spec]


def _cells(
    table: ScoreTable, scores: Sequence[SystemScore], best: Mapping[tuple[str, str], Best], title: str
) -> list[list[Cell]]:
    """Return a row for each system and a column for each sub-score. An arrow in a head shows the better direction.

    Args:
        table: the scores.
        scores: the means of each system by the sub-scores to show.
        best: the best system by each (metric, sub-score), which gets a mark.
        title: the head of the first column: 'system', or the spec of the only metric, which the other heads then omit.
    """
    columns: dict[tuple[str, str], dict[str, SystemScore]] = {}
    for score in scores:
        columns.setdefault((score.metric, score.part), {})[score.system] = score
    of = table.columns
    heads = [(part if spec == title else of[spec].label(spec, part)) + of[spec].arrow(part) for spec, part in columns]
    cells: list[list[Cell]] = [[title, "n", *heads]]
    for system in table.systems:
        row = [scores[system] for scores in columns.values()]
        # Metrics may have no value on different rows: the least number stands here, and what is missing on stderr.
        count = Number(min(score.n for score in row), digits=0)
        cells.append([system, count, *(_number(score, best.get((score.metric, score.part))) for score in row)])
    return cells


def _number(score: SystemScore, best: Best | None) -> Number:
    counted = score.mean.is_integer() and math.isnan(score.low) and abs(score.mean) > 1
    return Number(
        score.mean, score.low, score.high, digits=0 if counted else 4, mark=best.mark(score.system) if best else ""
    )


def _legend(best: Mapping[tuple[str, str], Best]) -> Iterator[str]:
    """Yield the meaning of the marks that occur, and the reasons why no system is called best."""
    if not best:
        return
    correction = "corrected by Holm"
    if any(best_of.alike for best_of in best.values()):
        yield f"* best; ~ no significant difference from the best (paired test, p >= 0.05, {correction})"
    elif any(best_of.behind for best_of in best.values()):
        yield f"* best; the others are significantly worse (paired test, p < 0.05, {correction})"
    elif any(best_of.systems for best_of in best.values()):
        yield "* best: these systems are equal"
    reasons: dict[str, list[str]] = {}
    for (spec, _), best_of in best.items():
        if best_of.reason and spec not in reasons.setdefault(best_of.reason, []):
            reasons[best_of.reason].append(spec)
    yield from (f"no system is called best by {', '.join(specs)}: {reason}" for reason, specs in reasons.items())


def _unequal(systems: Sequence[SystemScore]) -> Iterator[str]:
    """Yield a note on the system whose clusters are the most unequal in size, so that they count as fewer."""
    from nlgauge.maths.inference import FEWEST
    from nlgauge.maths.intervals import unequal

    clustered = [score for score in systems if score.clusters is not None]
    fewest = min(clustered, key=lambda score: score.effective, default=None)
    if fewest is not None and fewest.clusters is not None and (said := unequal(fewest.clusters, fewest.effective)):
        yield f"{fewest.system}: {said}" + (", and give no interval" if fewest.effective < FEWEST else "")


def _missing(table: ScoreTable) -> Iterator[str]:
    """Yield which rows or systems have no value and why, and the notes that metrics made on rows."""
    for spec, column in table.columns.items():
        what, names = ("rows", [str(n + 1) for n in range(len(table.rows))])
        if column.level == "system":
            what, names = "systems", table.systems
        reasons = list(dict.fromkeys(column.reasons.values()))
        for reason in reasons[:_MOST_REASONS]:
            missing = [names[index] for index in sorted(column.reasons) if column.reasons[index] == reason]
            first = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            yield f"{spec}: no value for {len(missing)} of {len(names)} {what} ({first}): {reason}"
        if rest := sum(reason not in reasons[:_MOST_REASONS] for reason in column.reasons.values()):
            yield f"{spec}: no value for {rest} more {what}, whose reasons stand in the file of -o"
        noted = table.run.get("noted", {}).get(spec, {})
        for note, count in table.run.get("notes", {}).get(spec, {}).items():
            first = ", ".join(names[number - 1] for number in noted.get(note, []))
            first += ", ..." if len(noted.get(note, [])) < count else ""
            yield f"{spec}: {count} of {len(names)} {what}{f' ({first})' if note in noted else ''}: {note}"

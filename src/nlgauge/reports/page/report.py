"""`nlgauge.report`: a saved table as one HTML file that opens from disk, needs no network, and can be mailed."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nlgauge.answers.best import PairTest, People, other_items, people
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.history import InterimAnalysis
from nlgauge.data.history import read as read_history
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.outliers import outliers
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source
from nlgauge.reports.page.agreement import Agreeing, agreeing
from nlgauge.reports.page.pairs import Pair, Pairings, chosen, pair
from nlgauge.reports.page.rows import MOST_ROWS, by_turns, described, histograms, listed, listed_rows, worst_of
from nlgauge.reports.page.scored import Scored, known_texts, source_of, standing
from nlgauge.reports.page.summary import Card, best_of, cards, estimated, verdict, wins
from nlgauge.show.environment import HERE, data, shown
from nlgauge.show.evidence import drawn
from nlgauge.show.page import page

WIDTH, HEIGHT, MARGIN = 360, 150, 24
"""Size and margin of a chart, in units of the drawing"""


@dataclass(frozen=True)
class Day:
    """One interim analysis, and its position in the chart."""

    look: InterimAnalysis
    x: float
    y: float
    low: float
    """Vertical position of the lower end of the interval of `look.now`"""
    high: float


@dataclass(frozen=True)
class Series:
    """All interim analyses of one system against one baseline, as a chart."""

    name: str
    days: list[Day]
    before: float
    """Vertical position of the baseline's mean, over the items of the last analysis"""
    ends: tuple[float, float]
    """The values at the lower and the upper edge of the chart"""

    @property
    def alarms(self) -> list[InterimAnalysis]:
        """The interim analyses that raised an alarm: the score was significantly worse."""
        return [day.look for day in self.days if day.look.alarm]


def series(analyses: Sequence[InterimAnalysis]) -> list[Series]:
    """Return a chart for each system, sub-score and baseline, in the order of their first analyses."""
    groups: dict[tuple[str, str, str, str], list[InterimAnalysis]] = {}
    for look in analyses:
        groups.setdefault(look.series, []).append(look)
    return [_series(analyses) for analyses in groups.values()]


def _series(analyses: Sequence[InterimAnalysis]) -> Series:
    ends = [(look.before + look.low, look.before + look.high) for look in analyses]
    finite = [end for pair in ends for end in pair if math.isfinite(end)]
    values = [*finite, *(look.now for look in analyses), *(look.before for look in analyses)]
    low, high = min(values), max(values)
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def place(value: float) -> float:
        if not math.isfinite(value):
            return math.nan
        return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - low) / (high - low), 1)

    step = (WIDTH - 2 * MARGIN) / max(1, len(analyses) - 1)
    days = [
        Day(look=look, x=round(MARGIN + number * step, 1), y=place(look.now), low=place(lower), high=place(upper))
        for number, (look, (lower, upper)) in enumerate(zip(analyses, ends, strict=True))
    ]
    first = analyses[0]
    part = "" if first.part == "score" else f" {first.part}"
    return Series(f"{first.system}: {first.metric}{part}", days, place(analyses[-1].before), (low, high))


_FOLDER = Path(__file__).parent
_NAMED = 4
_SCRIPTS = ("data", "tables", "charts", "scatter", "filter", "list", "detail", "start")


def report(
    table: ScoreTable,
    path: str | os.PathLike[str],
    *,
    outputs: Corpus | None = None,
    ratings: Source | None = None,
    title: str | None = None,
    level: str | None = None,
    coefficient: str = "pearson",
    history: str | os.PathLike[str] | None = None,
    rows: int = MOST_ROWS,
    replicates: int | None = None,
    seed: int = 0,
) -> list[str]:
    """Write a page that shows a table of scores, as one file that is written whole or not at all.

    Evidence is shown if the table holds it (`evaluate(evidence=True)`). Where there are ratings, the page begins with
    the results by people.

    Args:
        table: the scores.
        path: the path of the page.
        outputs: the corpus that was scored, for its texts and for the ratings of its rows.
        ratings: ratings to use instead of those of the outputs, as `nlgauge.correlate` takes them.
        title: the title of the page; by default it is made of the table.
        level: the level of agreement with people, as `nlgauge.correlate` takes it; by default 'item' for three systems
            or more, else 'pooled'.
        coefficient: the coefficient of agreement with people, as `nlgauge.correlate` takes it.
        history: a file that `nlgauge check --history` wrote, drawn by day.
        rows: the greatest number of rows to list: the worst, the best, the most disputed, and a sample. All other
            numbers of the page are of all rows.
        replicates: the number of draws for intervals and tests of agreement; by default 1,000, and for the tests of
            many metrics as many as these need.
        seed: the seed of the draws.

    Returns:
        Notes on how table and outputs fit together, which the page has too.

    Raises:
        InputError: the table has no rows, outputs or ratings belong to other rows, or the page cannot be written.
    """
    if not table.rows or not table.columns:
        raise InputError("the table has no scores to show", remedy="score some rows first")
    scored = Scored(table, outputs, source_of(outputs, ratings))
    days = series([] if history is None else read_history(history))
    tests = Pairings(table)
    made = cards(table, table.by_system(), tests.test)
    said = None if scored.source is None else people(table, scored.source, seed=seed)
    rated = [] if said is None else _rated(said)
    numbers = [card for card in rated if said is not None and card.spec in said.estimates]
    ranked = wins(rated) or wins(made)
    leading = [system for system, _ in ranked.most_common()] or table.systems[:1]
    pairs = [pair(tests, a, b) for a, b in chosen(table.systems, leading)]
    mean, spread = standing(scored.scales)
    list_ = listed(by_turns(mean, spread), [_texts(row) for row in scored.texts], rows, len(scored.scales))
    of_rows = listed_rows(scored, scored.scales, listed=list_, mean=mean, spread=spread)
    content = {
        "systems": [shown(system) for system in table.systems],
        "scales": described(scored.scales),
        "spread": histograms(table, scored.scales),
        "total": list_.total,
        "rows": of_rows,
    }
    notes = [*scored.notes, *other_items(table), *outliers(table)]
    agreement = agreeing(scored, level, coefficient=coefficient, replicates=replicates, seed=seed)
    made_page = page(
        "report.html",
        _FOLDER / "templates",
        command="report",
        title=title or _title(table),
        styles=[_FOLDER / "report.css"],
        scripts=[HERE / "evidence.js", *(_FOLDER / "script" / f"{part}.js" for part in _SCRIPTS)],
        table=table,
        verdict=list(verdict(made, table.systems)),
        said=[*verdict(rated, table.systems, people=True), *estimated(numbers)] if rated else [],
        groups=[(heading, group) for heading, group in (("People", rated), ("Metrics", made)) if group],
        days=days,
        colours=[number % 8 for number in range(len(table.systems))],
        leader=leading[0],
        worst=worst_of(scored, leading[0], mean),
        pairs=pairs,
        first=_first(pairs, made, leading[0]),
        left_pairs=len(table.systems) * (len(table.systems) - 1) // 2 - len(pairs),
        agreement=agreement,
        scales=scored.scales,
        rated=bool(scored.ratings),
        listed=list_,
        sets=_sets(scored),
        has_texts=scored.outputs is not None,
        has_evidence=any(column.evidence for column in table.columns.values()),
        evidence_left_out=of_rows["evidence"]["left_out"],
        repeat=repeat(table, Path(path).name),
        notes=notes,
        data=data({**content, "matrix": _matrix(agreement)}),
    )
    with atomic_write(Path(path)) as file:
        file.write(made_page)
    return notes


def _title(table: ScoreTable) -> str:
    names = table.systems
    if len(names) > _NAMED:
        return f"Scores of {len(names):,} systems"
    return f"Scores of {' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}"


def _rated(said: People) -> list[Card]:
    """Return a card for each aspect that people rated.

    The card has estimates for all rows where that is possible, else the mean ratings of the rated rows alone.

    Args:
        said: people's ratings, with the estimates made from them.
    """
    alone = Pairings(said.table)

    def test(a: str, b: str, aspect: str, part: str) -> PairTest:
        return (said if aspect in said.estimates else alone).test(a, b, aspect, part)

    made = cards(said.table, said.by_system(), test)
    return [
        replace(card, missing=[] if card.spec in said.estimates else card.missing, note=said.notes.get(card.spec, ""))
        for card in made
    ]


def _texts(row: Row | None) -> list[str]:
    texts = known_texts(row)
    return [text for name, text in texts.items() if name != "references"] + list(texts.get("references", []))


def _first(pairs: Sequence[Pair], made: Sequence[Card], leader: str) -> int:
    """Return the index of the pair to show first.

    It is the leader with the system that most often does not differ significantly from the leader.

    Args:
        pairs: the pairs of systems on the page.
        made: the cards of the metrics.
        leader: the system that most metrics call best.
    """
    near: Counter[str] = Counter()
    for card in made:
        if leader in best_of(card.part):
            near.update(standing.score.system for standing in card.part.standings if standing.rank == "alike")
    wanted = {leader, *(name for name, _ in near.most_common(1))}
    order = sorted(range(len(pairs)), key=lambda n: (-len(wanted & {pairs[n].a, pairs[n].b}), n))
    return order[0] if order else 0


def _matrix(agreement: Agreeing) -> dict[str, Any] | None:
    matrix = agreement.matrix
    if matrix is None:
        return None
    values = [[None if value != value else round(value, 4) for value in row] for row in matrix.values]
    return {"scales": agreement.scales, "values": values}


def _sets(scored: Scored) -> list[tuple[str, str, str]]:
    """Return (metric, system, its evidence as HTML) for corpus-level metrics."""
    return [
        (spec, scored.table.systems[number], drawn(evidence))
        for spec, column in scored.table.columns.items()
        if column.level == "system"
        for number, evidence in sorted(column.evidence.items())
    ]


@dataclass(frozen=True)
class Repeat:
    """Commands, signatures and facts that a reader needs to reproduce the numbers of the page."""

    commands: list[str]
    signatures: list[str]
    facts: list[tuple[str, str]]
    """(name, value) of each fact of the run"""
    windows: list[tuple[str, str]]
    """(metric, text on how texts longer than the model's window were read, and on their number)"""
    notes: list[tuple[str, str, int]]
    """(metric, note, number of rows with this note)"""


def _quoted(spec: str) -> str:
    """Return a spec quoted for a shell.

    A spec has single quotes inside, so double quotes, which are easier to read, are used where they are safe.
    """
    plain = shlex.quote(spec)
    return plain if plain == spec or re.search(r'["$`\\!]', spec) else f'"{spec}"'


def repeat(table: ScoreTable, name: str = "report.html") -> Repeat:
    """Return what a reader needs to reproduce the numbers, as far as the table holds it.

    Args:
        table: the scores. Files get names such as scores.jsonl, because a table does not hold its path.
        name: the name of the page.

    Returns:
        Commands and facts of the run.
    """
    evidence = any(column.evidence for column in table.columns.values())
    asked = table.run.get("asked", {})
    scored = [spec for spec in table.columns if spec not in table.run.get("joined", {})]
    by_spec = {spec: name for name, spec in asked.items()}
    metrics = " ".join(f"-m {_quoted(by_spec.get(spec, spec))}" for spec in scored)
    commands = [
        f"pip install .  # in a clone of nlgauge at version {table.version or 'X'}; from an index: "
        f"pip install nlgauge{f'=={table.version}' if table.version else ''}",
        f"nlgauge score outputs.jsonl {metrics}{' --evidence' if evidence else ''} -o scores.jsonl",
        f"nlgauge report scores.jsonl --outputs outputs.jsonl -o {shlex.quote(name)}",
    ]
    facts = [
        ("nlgauge", table.version),
        ("rows", f"{len(table.rows):,}"),
        ("digest of the outputs", table.run.get("corpus", "")),
    ]
    facts += [(f"{key}, joined", str(value)) for key, value in table.run.get("joined", {}).items()]
    notes = table.run.get("notes", {})
    return Repeat(
        commands=commands,
        signatures=[str(signature) for signature in table.signatures.values()],
        facts=[(what, str(value)) for what, value in facts if value],
        windows=[
            (spec, str(signature.facts["window"]))
            for spec, signature in table.signatures.items()
            if "window" in signature.facts
        ],
        notes=[(spec, note, count) for spec, counted in notes.items() for note, count in counted.items()],
    )

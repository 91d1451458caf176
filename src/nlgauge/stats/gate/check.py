"""`check`: a table of scores against a bar, against an earlier run, or against both."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace

from nlgauge.data.table import ScoreTable
from nlgauge.errors import SpecError
from nlgauge.stats.bar import RatedBar
from nlgauge.stats.gate.bar import Bar, of_ratings, shown
from nlgauge.stats.gate.baseline import Baseline, Terms
from nlgauge.stats.gate.grounded import grounded_by
from nlgauge.stats.gate.verdict import Outcome, State, Verdict, unsupported
from nlgauge.stats.selection import meant


def check(
    table: ScoreTable,
    metric: object = None,
    *,
    part: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    bar: RatedBar | None = None,
    grounded: bool = False,
    against: ScoreTable | None = None,
    margin: float | None = None,
    history: str | os.PathLike[str] | None = None,
    allow_missing: bool = False,
    significance: float = 0.05,
    replicates: int = 1000,
    seed: int = 0,
) -> Verdict:
    """Does every row pass the bar, and is no system worse than in an earlier run?

    metric: its spec or name; may be left out where the table has one. part: of a metric of several, its first where
    none is named. at_least, at_most: the bar, which passes itself; of a metric of which higher is better the one, of a
    metric of which lower is better the other, of a part without a direction either or both. A metric of sets is held to
    the bar by its number of each system.

    bar: what `nlgauge.calibrate` made, instead of metric, part, at_least and at_most. The verdict notes what was
    promised, and that it does not hold where the rows' scores are unlike those that the bar was made of.

    grounded: does the source support each candidate? The decision is made by the probability of
    ``Consistency(aligner='D')``, with the two bars that were measured of its model: a row below the lower one fails,
    and a row from the upper one on passes. Between them, or without a value, the gate cannot say. Such rows fail too;
    with allow_missing they are counted and left out. metric: which one, where the table has several of that part.

    against: the table of an earlier run. A system fails where its mean is worse than before and the two-sided p that
    the two runs are alike (approximate randomisation within items, as `nlgauge.compare` has it), corrected by Holm for
    the number of systems, is below `significance`; where there is a loss and no p, because a score is infinite, it
    fails too. Rows join by system and item; where both tables have one system, by item alone. Rows without a value
    fail, and so do rows that have a value in the baseline and are not in the table; with allow_missing they are
    counted and left out. Where the table is `clustered`, clusters are exchanged.

    margin: the loss that would not matter. A system then fails unless it is shown to have lost less: unless p that it
    lost the margin or more (one-sided, Student's t) is below `significance`. By all systems no correction is needed.

    history: a file (JSON Lines) of all looks at the same baseline, to which this one is added. A system then fails
    where the interval that holds at all looks at once (`nlgauge.maths.looking.look_at`) is wholly a loss: however often
    the gate runs, that happens in at most `significance` of the histories in which nothing changed.

    Evidence in the table (`evaluate(evidence=True)`) gives the words of a failing row that nothing supports.

    Raises SpecError for a bar that cannot be meant, and for a metric or part that the table does not hold; InputError
    for a baseline that cannot be compared with.

    >>> import nlgauge
    >>> table = nlgauge.evaluate(candidates=["A cat sat."], references=[["A cat slept."]], metrics="TokenF1")
    >>> check(table, "TokenF1", at_least=0.9).passed
    False
    """
    if grounded:
        if any(one is not None for one in (bar, part, at_least, at_most)):
            raise SpecError("grounded has its own part and bars: leave out part, at_least, at_most and bar")
        held_to = grounded_by(table, metric)
    elif bar is not None:
        if any(one is not None for one in (metric, part, at_least, at_most)):
            raise SpecError("a bar of calibrate names its metric and its part, and stands alone")
        held_to = of_ratings(table, bar)
    else:
        spec, parts = meant(table, metric)
        of_part = parts[0] if part is None else table.named(f"{spec} {part}")[1][0]
        held_to = Bar(spec, of_part, table.columns[spec], at_least, at_most)
    held_to.refuse_wrong(against is not None)
    if against is None and (margin is not None or history is not None):
        raise SpecError("a margin and a history are of the comparison with an earlier run: give it (against)")
    verdict = Verdict(
        held_to.spec, held_to.part, held_to.upwards, held_to.at_least, held_to.at_most, significance,
        tuple(_outcomes(table, held_to, allow_missing)), notes=held_to.notes,
    )  # fmt: skip
    if against is None:
        return verdict
    upwards = held_to.at_most is None if held_to.upwards is None else held_to.upwards
    baseline = Baseline(table, against, held_to.spec, held_to.part, upwards)
    regressions = baseline.regressions(Terms(significance, replicates, seed, margin), history)
    gone, left_out = baseline.unmatched()
    state: State = "allowed" if allow_missing else "missing"
    problem = "the baseline has this row, and the outputs do not"
    missing = (Outcome(system, item, None, math.nan, state, problem) for system, item in gone)
    return replace(
        verdict, outcomes=(*verdict.outcomes, *missing), regressions=regressions, margin=margin, left_out=left_out,
        notes=(*verdict.notes, *baseline.notes),
    )  # fmt: skip


def _outcomes(table: ScoreTable, bar: Bar, allow_missing: bool) -> Iterator[Outcome]:
    column = bar.column
    values = column.values[:, column.parts.index(bar.part)].tolist()
    for index, ((system, item), value) in enumerate(zip(table.places(column.level), values, strict=True)):
        row = index + 1 if column.level == "item" else None
        state: State
        if math.isnan(value):
            state = "allowed" if allow_missing else "missing"
            reason = column.reasons.get(index, "no reason was kept")
            unknown = f"{'no value' if bar.sure is None else 'cannot say'}: {reason}"
            yield Outcome(system, item, row, value, state, unknown)
        elif problem := bar.problem(value):
            yield Outcome(system, item, row, value, "bar", problem, unsupported(column.evidence.get(index)))
        elif bar.sure is not None and value < bar.sure:
            between = f"cannot say: {shown(value, bar.sure)} is between {bar.at_least:g} and {bar.sure:g}"
            state = "allowed" if allow_missing else "unsure"
            yield Outcome(system, item, row, value, state, between, unsupported(column.evidence.get(index)))
        else:
            yield Outcome(system, item, row, value, "passed", None)

"""`check`: a table of scores against a bar, against an earlier run, or against both."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge.meta.gate.baseline import Baseline, Terms
from nlgauge.meta.gate.grounded import PART, grounded_by
from nlgauge.meta.gate.of_ratings import of_ratings
from nlgauge.meta.gate.verdict import Outcome, State, Verdict
from nlgauge.meta.gate.words import unsupported

if TYPE_CHECKING:
    from nlgauge.meta.bar import RatedBar


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
    notes: tuple[str, ...] = ()
    if bar is not None:
        if any(one is not None for one in (metric, part, at_least, at_most)):
            raise SpecError("a bar of calibrate names its metric and its part, and stands alone")
        (metric, part), at_least, at_most, notes = of_ratings(table, bar)
    sure = None
    if grounded:
        if any(one is not None for one in (bar, part, at_least, at_most)):
            raise SpecError("grounded has its own part and bars: leave out part, at_least, at_most and bar")
        metric, at_least, sure = grounded_by(table, metric)
        part = PART
    chosen = _chosen(table, metric, part)
    held_to = Bar(at_least, at_most, sure)
    held_to.refuse_wrong(chosen, against is not None)
    outcomes = list(_outcomes(table, chosen, held_to, allow_missing))
    if against is None and (margin is not None or history is not None):
        raise SpecError("a margin and a history are of the comparison with an earlier run: give it (against)")
    if against is None:
        return replace(_verdict(chosen, held_to, significance, outcomes), notes=notes)
    upwards = at_most is None if chosen.upwards is None else chosen.upwards
    terms = Terms(significance, replicates, seed, margin)
    found = Baseline(table, against, chosen.spec, chosen.part, upwards).compared(terms, history)
    state: State = "allowed" if allow_missing else "missing"
    gone = "the baseline has this row, and the outputs do not"
    outcomes += [Outcome(system, item, None, math.nan, state, gone) for system, item in found.gone]
    done, told = _verdict(chosen, held_to, significance, outcomes), (*notes, *found.notes)
    told_of = {"regressions": found.regressions, "left_out": found.left_out, "notes": told, "margin": margin}
    return Verdict(**{**vars(done), **told_of})


@dataclass(frozen=True)
class Chosen:
    """The part of a metric that is checked."""

    spec: str
    part: str
    column: Column

    @property
    def upwards(self) -> bool | None:
        """Whether higher is better; None of a part that has no better direction."""
        return None if self.part in self.column.details else self.column.higher_is_better

    @property
    def label(self) -> str:
        return self.spec + (f" {self.part}" if len(self.column.parts) > 1 else "")


@dataclass(frozen=True)
class Bar:
    """What a value has to reach, and what it may not exceed."""

    at_least: float | None
    at_most: float | None
    sure: float | None = None
    """What a value that is not below `at_least` has to reach for a row to pass"""

    def refuse_wrong(self, chosen: Chosen, compared: bool) -> None:
        """Raises SpecError for a bar that cannot be meant, or for none where nothing else is asked."""
        given = {name: value for name, value in vars(self).items() if value is not None and name != "sure"}
        if not given and not compared:
            raise SpecError("there is nothing to check: give at_least, at_most, or an earlier run (against)")
        for name, value in given.items():
            if not math.isfinite(value):
                raise SpecError(f"{name.replace('_', ' ')} {value!r} is no bar: give a finite number")
        wrong = {None: None, True: "at_most", False: "at_least"}[chosen.upwards]
        if wrong in given:
            way, right = ("higher", "at_least") if chosen.upwards else ("lower", "at_most")
            raise SpecError(
                f"{way} is better for {chosen.label}: give {right}, --{right.replace('_', '-')} in the command"
            )
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"nothing is at least {self.at_least:g} and at most {self.at_most:g}")
        if compared and chosen.upwards is None and len(given) != 1:
            problem = (
                f"{chosen.label} has no better direction: give either a least or a most value beside the earlier run"
            )
            raise SpecError(f"{problem}, to say which way is worse")

    def problem(self, value: float) -> str | None:
        """How a value misses the bar; None where it does not."""
        if self.at_least is not None and value < self.at_least:
            return f"{_shown(value, self.at_least)} is below {self.at_least:g}"
        if self.at_most is not None and value > self.at_most:
            return f"{_shown(value, self.at_most)} is above {self.at_most:g}"
        return None


def _shown(value: float, bar: float) -> str:
    """With as many digits as tell it from the bar."""
    for digits in (4, 6, 9):
        if f"{value:.{digits}f}" != f"{bar:.{digits}f}":
            return f"{value:.{digits}f}"
    return repr(value)


def _chosen(table: ScoreTable, metric: object, part: str | None) -> Chosen:
    if metric is None and len(table.columns) != 1:
        raise InputError("the table has several metrics", remedy=f"name one of {', '.join(table.columns) or 'none'}")
    spec, parts = table.named(str(metric if metric is not None else table.metrics[0]))
    return Chosen(spec, parts[0] if part is None else table.named(f"{spec} {part}")[1][0], table.columns[spec])


def _outcomes(table: ScoreTable, chosen: Chosen, bar: Bar, allow_missing: bool) -> Iterator[Outcome]:
    column = chosen.column
    values = column.values[:, column.parts.index(chosen.part)].tolist()
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
            between = f"cannot say: {_shown(value, bar.sure)} is between {bar.at_least:g} and {bar.sure:g}"
            state = "allowed" if allow_missing else "unsure"
            yield Outcome(system, item, row, value, state, between, unsupported(column.evidence.get(index)))
        else:
            yield Outcome(system, item, row, value, "passed", None)


def _verdict(chosen: Chosen, bar: Bar, significance: float, outcomes: list[Outcome]) -> Verdict:
    return Verdict(
        chosen.spec, chosen.part, chosen.upwards, bar.at_least, bar.at_most, significance, tuple(outcomes)
    )  # fmt: skip

"""The gate for systems that are run several times on each item, by pass^k: the chance that all of k trials pass.

A threshold is compared with the interval of pass^k. A system passes if the whole interval reaches the threshold, and
fails if all of it is below. Where the threshold lies within the interval, the ruling is 'cannot tell'. An earlier run
is compared by the paired test of pass^k on the items that both runs have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.answers.trials import Passes, Trials
from nlgauge.errors import SpecError
from nlgauge.gate.baseline import Baseline, Terms
from nlgauge.gate.decision import by_run
from nlgauge.gate.verdict import Decision, Outcome, Regression, Ruling, State, SystemDecision, Verdict
from nlgauge.show.numbers import fixed

_STATES: dict[Ruling, State] = {"passes": "passed", "fails": "failed", "cannot tell": "doubtful"}
_MORE = "More items or more trials would tell: nlgauge trials --costs says which of them says more."


def by_trials(
    results: Trials,
    earlier: Trials | None,
    *,
    at_least: float | None,
    margin: float | None,
    history: object,
    significance: float,
    allow_missing: bool,
) -> Verdict:
    """Return the verdict about systems by pass^k, the chance that all of k trials pass.

    Args:
        results: the trials of the systems, for one k.
        earlier: the trials of the earlier run; None without one.
        at_least: the least pass^k that passes; None without a threshold.
        margin: as `check` takes it, with `earlier`.
        history: as `check` takes it.
        significance: as `check` takes it.
        allow_missing: whether items of the earlier run may be missing.

    Returns:
        The verdict, with an outcome for each system.

    Raises:
        SpecError: there is neither a threshold nor an earlier run, or the threshold is not above 0 and at most 1.
        InputError: the two runs cannot be compared.
    """
    if at_least is None and earlier is None:
        raise SpecError(
            "trials are held to a least pass^k (at_least), or to an earlier run (against): give one of them"
        )
    if at_least is not None and not 0 < at_least <= 1:
        raise SpecError(f"at least {at_least!r} is no chance that all trials pass: give a number above 0, 1 at most")
    (spec,) = results.table.columns
    part = results.table.columns[spec].parts[0]
    chances = {passes.system: passes for passes in results.records}
    regressions: Sequence[Regression] = ()
    missing: list[Outcome] = []
    notes: list[str] = list(results.notes)
    left_out: dict[str, int] = {}
    if earlier is not None:
        baseline = Baseline(table=results.table, earlier=earlier.table, spec=spec, part=part, upwards=True)
        regressions = baseline.regressions(Terms(significance, margin), history)  # type: ignore[arg-type]
        gone, left_out = baseline.unmatched()
        missing = [_gone(system, item, allow_missing) for system, item in gone]
        notes += [*(f"earlier run: {note}" for note in earlier.notes), *baseline.notes]
    rulings = {system: _held(passes, at_least) for system, passes in chances.items()}
    decided = {system: [rulings[system]] if at_least is not None else [] for system in chances}
    following = None
    if regressions:
        run = by_run((), regressions, margin)
        for system in run.systems:
            decided[system.system].append((system.ruling, system.sentence))
        following = run.following
    if any(ruling == "cannot tell" for said in decided.values() for ruling, _ in said):
        following = _MORE
    systems = tuple(_decision(chances[system], said) for system, said in decided.items() if said)
    return Verdict(
        metric=spec,
        part=part,
        higher_is_better=True,
        at_least=at_least,
        at_most=None,
        significance=significance,
        outcomes=(*(_outcome(passes, rulings[passes.system], at_least) for passes in results.records), *missing),
        regressions=tuple(regressions),
        margin=margin,
        left_out=left_out,
        notes=(f"a trial passes with {results.rule}", *notes),
        decision=Decision(by="trials", systems=systems, following=following),
    )


def refuse_others(**options: object) -> None:
    """Raise SpecError for options of `check` that have no meaning with trials."""
    if names := [name for name, value in options.items() if value not in (None, False, ())]:
        raise SpecError(f"trials decide by pass^k, with at_least or against: leave out {', '.join(names)}")


def _held(passes: Passes, at_least: float | None) -> tuple[Ruling, str]:
    """Return the ruling about a system by a threshold on pass^k, and a sentence that explains the ruling.

    Args:
        passes: the system's pass^k with its interval.
        at_least: the least pass^k that passes; None without a threshold, with which every system passes.
    """
    value, low, high = passes.pass_hat_k
    ends = "" if math.isnan(low) else f" [95 % interval {fixed(low, 3)} to {fixed(high, 3)}]"
    said = f"all {passes.k} trials of an item pass with a chance of {fixed(value, 3)}{ends}"
    if at_least is None:
        return "passes", said
    ruling: Ruling = "passes" if low >= at_least else "fails" if high < at_least else "cannot tell"
    head = {"passes": "It passes", "fails": "It fails", "cannot tell": "Whether it passes cannot be told"}[ruling]
    return ruling, f"{head}: {said}, and {at_least:g} is asked."


def _decision(passes: Passes, said: Sequence[tuple[Ruling, str]]) -> SystemDecision:
    order: Sequence[Ruling] = ("fails", "cannot tell", "passes")
    return SystemDecision(
        system=passes.system,
        ruling=min((ruling for ruling, _ in said), key=order.index),
        n=passes.items,
        doubted=0,
        failing=0,
        passes=passes.pass_hat_k,
        sentence=" ".join(sentence for _, sentence in said),
    )


def _outcome(passes: Passes, held: tuple[Ruling, str], at_least: float | None) -> Outcome:
    ruling, _ = held
    value, low, high = passes.pass_hat_k
    problem = None
    if ruling != "passes":
        where = "is below" if ruling == "fails" else "is not surely on one side of"
        problem = f"pass^{passes.k} {fixed(value)} [{fixed(low)}, {fixed(high)}] {where} {at_least:g}"
    return Outcome(system=passes.system, item=None, row=None, value=value, state=_STATES[ruling], problem=problem)


def _gone(system: str, item: str, allowed: bool) -> Outcome:
    state: State = "allowed" if allowed else "missing"
    problem = "the baseline has trials of this item, and the outputs have none"
    return Outcome(system=system, item=item, row=None, value=math.nan, state=state, problem=problem)

"""The decision about a set of answers: it passes, it fails, or this cannot be told yet.

A small model is often wrong about a single answer: of 50 right answers it doubts a dozen. So a rule on single rows
makes no useful gate, and the number of doubted answers in a set decides. The share of right answers that a model doubts
was measured on labelled sets, and is on its card. More doubted answers than right answers alone would give are evidence
of wrong ones. People's ratings are better evidence, and so are an earlier version of the same system, and answers that
a person has accepted.

The decision uses ratings if they are given, else an earlier run, else accepted answers, and else the count alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nlgauge.gate.verdict import Decision, Outcome, Regression, Ruling, SystemDecision
from nlgauge.maths.inference import Measured
from nlgauge.maths.intervals import binomials_p, hypergeometric_p

LEVEL = 0.01
"""The largest probability that a set of right answers alone fails the gate"""
FEWEST_ACCEPTED = 20
"""With at least so many accepted answers, they and not the card show how often the model doubts right answers"""
_JUDGED = ("passed", "doubtful", "failed", "unread")
_LIKELY = 0.95
_OTHER_WORDS = "in other words than the source, and the model cannot read such answers"


class RightAnswers(NamedTuple):
    """How often a model doubts right answers: the smallest and the largest share on the labelled sets of one kind."""

    failing: float
    """The largest share of right answers that fail (below the lower, strict threshold), at the upper end of its
    interval"""
    doubted_low: float
    """The smallest share of right answers that are doubtful or failing, at the lower end of its interval"""
    doubted: float
    """The largest share of right answers that are doubtful or failing, at the upper end of its interval"""


class _Counts(NamedTuple):
    """Numbers of a system's answers: those that were read, the doubted and the failing among them, the unread."""

    n: int
    doubted: int
    failing: int
    unread: int

    @classmethod
    def of(cls, rows: Sequence[Outcome]) -> _Counts:
        read = [row for row in rows if row.state != "unread"]
        failing = sum(row.state == "failed" for row in read)
        return cls(len(read), sum(row.doubted for row in read), failing, len(rows) - len(read))

    @property
    def told_unread(self) -> str:
        """A clause about the unread answers; '' if all were read."""
        return f"; {_of(self.unread, self.n + self.unread)} {_OTHER_WORDS}" if self.unread else ""


def alone(
    outcomes: Sequence[Outcome], right: Sequence[RightAnswers], accepted: frozenset[int] = frozenset()
) -> Decision:
    """Decide by the number of doubted answers, compared with the number that right answers alone would give.

    The number of doubted answers and the number of failing ones are tested, each at half of the significance level.
    Several systems share this level (Bonferroni). Answers that a person has accepted count as right. If a system has at
    least `FEWEST_ACCEPTED` of them, its other answers fail if the model doubts them significantly more often than the
    accepted ones (Fisher's exact test); the rate on the card is then not used for the doubted answers.

    Args:
        outcomes: the outcome of each row.
        right: for each row, how often the model doubts right answers of the row's kind.
        accepted: the numbers of the rows that a person has accepted, counted from 1.

    Returns:
        The decision about each system.
    """
    by_system = _by_system(outcomes)
    level = LEVEL / max(1, len(by_system))
    made = [
        _counted(
            system,
            rows=_Counts.of(others := [row for row in rows if row.row not in accepted]),
            accepted=_Counts.of([row for row in rows if row.row in accepted]),
            right=Counter(right[row.row - 1] for row in others if row.row is not None and row.state != "unread"),
            level=level,
        )
        for system, rows in by_system.items()
    ]
    failing = sum(system.failing for system in made)
    read = f"{failing} fail even the strict threshold: read these first. "
    if failing == 1:
        read = "1 fails even the strict threshold: read it first. "
    more = "How many are wrong cannot be told without ratings: nlgauge sample draws answers to rate."
    return Decision(by="accepted" if accepted else "alone", systems=tuple(made), following=read * bool(failing) + more)


def by_ratings(
    outcomes: Sequence[Outcome], wrong: Mapping[str, Measured], more: Mapping[str, float], most: float
) -> Decision:
    """Decide by the share of wrong answers that is estimated from people's ratings.

    Args:
        outcomes: the outcome of each row.
        wrong: by system, the share of wrong answers with its 95 % interval (`nlgauge.estimate`).
        more: by system, how many further ratings would make the interval short enough; infinite or NaN where unknown.
        most: the largest share of wrong answers that passes.

    Returns:
        The decision about each system that has a share.
    """
    by_system = _by_system(outcomes)
    made = []
    for system, share in wrong.items():
        ruling: Ruling = "passes" if share.high <= most else "fails" if share.low > most else "cannot tell"
        interval = f"95 % interval {_percent(share.low)} to {_percent(share.high)}"
        counts = _Counts.of(by_system.get(system, ()))
        said = f"{_percent(share.value)} of the answers are wrong ({interval}), and {_percent(most)} may be"
        said += counts.told_unread
        made.append(
            SystemDecision(
                system=system, ruling=ruling, **counts._asdict(), wrong=share, sentence=_sentence(ruling, said)
            )
        )
    unknown = [more.get(system.system, math.nan) for system in made if system.ruling == "cannot tell"]
    number = max((count for count in unknown if math.isfinite(count)), default=math.nan)
    rate = "Rate more answers" if math.isnan(number) else f"Rate about {number:,.0f} more answers"
    return Decision(
        by="ratings", systems=tuple(made), following=f"{rate}: nlgauge sample draws them." if unknown else None
    )


def by_run(outcomes: Sequence[Outcome], regressions: Sequence[Regression], margin: float | None) -> Decision:
    """Decide by the comparison with an earlier run: a system fails if it is significantly worse.

    Args:
        outcomes: the outcome of each row.
        regressions: the test of each system.
        margin: the largest loss that would not matter, or None. With a margin, a system fails unless it is shown to
            have lost less.

    Returns:
        The decision about each system that was tested.
    """
    by_system = _by_system(outcomes)
    made = []
    for regression in regressions:
        if margin is not None:
            said = (
                "it is not shown to have lost less than the margin"
                if regression.worse
                else "it is no worse, up to the margin"
            )
        else:
            said = (
                "it is worse than the earlier run"
                if regression.worse
                else "it is not significantly worse than the earlier run"
            )
        ruling: Ruling = "fails" if regression.worse else "passes"
        counts = _Counts.of(by_system.get(regression.system, ()))
        said += counts.told_unread
        made.append(
            SystemDecision(
                system=regression.system, ruling=ruling, **counts._asdict(), sentence=_sentence(ruling, said)
            )
        )
    unproven = margin is None and all(system.ruling == "passes" for system in made)
    following = "This is no evidence that nothing was lost: with --margin, the test asks for it." if unproven else None
    return Decision(by="against", systems=tuple(made), following=following)


def _by_system(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return by system the rows that have a value and make a claim."""
    by_system: dict[str, list[Outcome]] = {}
    for row in outcomes:
        if row.row is not None and row.finding != "no claim" and row.state in _JUDGED:
            by_system.setdefault(row.system, []).append(row)
    return by_system


def _counted(
    system: str, rows: _Counts, accepted: _Counts, right: Mapping[RightAnswers, int], level: float
) -> SystemDecision:
    """Return the decision about a system.

    Args:
        system: the name of the system.
        rows: the numbers of its answers, without the accepted ones.
        accepted: the numbers of its accepted answers.
        right: the rates at which right answers are doubted, with the number of answers that have these rates.
        level: the significance level.

    Returns:
        The decision.
    """
    n = rows.n
    failing = [(count, rates.failing) for rates, count in right.items()]
    if not n:
        unread = _of(rows.unread, rows.unread + accepted.n)
        said = f"a person has accepted {'all of its' if not rows.unread else 'the other'} {accepted.n} answers"
        said = f"{unread} {_OTHER_WORDS}{f', and {said}' if accepted.n else ''}" if rows.unread else said
        nothing: Ruling = "passes" if accepted.n else "cannot tell"
        return SystemDecision(system=system, ruling=nothing, **rows._asdict(), sentence=_sentence(nothing, said))
    p_failing = binomials_p(rows.failing, failing)
    if accepted.n >= FEWEST_ACCEPTED:
        share = accepted.doubted / accepted.n
        expected = _likely(n, [(n, share)], [(n, share)])
        p_doubted = hypergeometric_p(rows.doubted, n, accepted.doubted, accepted.n)
        beside = f"of {accepted.n} accepted answers {accepted.doubted}"
    else:
        doubted = [(count, rates.doubted) for rates, count in right.items()]
        expected = _likely(n, [(count, rates.doubted_low) for rates, count in right.items()], doubted)
        p_doubted = binomials_p(rows.doubted, doubted)
        beside = f"right answers alone make {expected[0]} to {expected[1]} of {n}"
    p = min(1.0, 2 * min(p_failing, p_doubted))
    ruling: Ruling = "fails" if p < level else "passes"
    said = f"{_of(rows.doubted, n)} doubted; {beside}"
    if ruling == "fails" and p_failing < p_doubted:
        most = _likely(n, [(n, 0.0)], failing)[1]
        said = f"{_of(rows.failing, n)} below the strict threshold; right answers alone make at most {most}"
    said += (" (p < 0.0001)" if p < 0.0001 else f" (p {p:.4f})") * (ruling == "fails")
    return SystemDecision(
        system=system,
        ruling=ruling,
        **rows._asdict(),
        expected=expected,
        p=p,
        sentence=_sentence(ruling, said + rows.told_unread),
    )


def _sentence(ruling: Ruling, said: str) -> str:
    head = {
        "passes": "The set passes",
        "fails": "The set fails",
        "cannot tell": "Whether the set passes cannot be told",
    }
    return f"{head[ruling]}: {said}."


def _of(count: int, n: int) -> str:
    return f"{count:,} of {n:,} answer{'s' * (n != 1)} {'is' if 1 in (count, n) else 'are'}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _likely(n: int, low: Iterable[tuple[int, float]], high: Iterable[tuple[int, float]]) -> tuple[int, int]:
    """Return the counts between which nearly all sets of right answers lie.

    Args:
        n: the number of answers in a set.
        low: for each kind of answers, their number and the smallest share of them that is doubted.
        high: for each kind of answers, their number and the largest share of them that is doubted.

    Returns:
        The least and the greatest number of doubted answers in 95 % of the sets.
    """
    tail, (low, high) = (1 - _LIKELY) / 2, (list(low), list(high))
    counts = range(n + 1)
    least = bisect_left(counts, tail, key=lambda count: 1 - binomials_p(count + 1, low))
    most = bisect_left(counts, 1 - tail, key=lambda count: 1 - binomials_p(count + 1, high))
    return least, most

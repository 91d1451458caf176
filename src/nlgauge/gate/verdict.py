"""What the gate says: of each row, of each system against an earlier run, and of the whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from nlgauge.data.evidence import of_candidate
from nlgauge.data.jsonable import jsonable
from nlgauge.maths.inference import Measured
from nlgauge.maths.wording import shared_wording
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import number, small

Finding: TypeAlias = Literal[
    "supported",
    "doubtful",
    "contradicted",
    "not found",
    "abstained",
    "false refusal",
    "no claim",
    "other words",
    "cannot say",
]
SAID: Mapping[Finding, str] = {
    "supported": "nothing found against it",
    "doubtful": "it may not be what the source says",
    "contradicted": "the source says something else",
    "not found": "the source does not say it",
    "abstained": "it says that the source does not have it, and a search finds nothing",
    "false refusal": "it says that the source does not have it, and a search finds it",
    "no claim": "it claims nothing",
    "other words": "it is in other words than the source, and the model cannot read such answers",
    "cannot say": "it could not be read",
}
"""Each finding in a sentence"""
NO_CLAIM = "claims nothing"
"""In the reason of a row that has no value because it claims nothing"""
_CLAIMS = 2
"""Claims of an answer that are shown"""
_LIKELY = 0.5
_SAME_WORDS = 0.5
"""The share of a claim's wording that a sentence has which contradicts it: one that has less says other things"""


@dataclass(frozen=True, kw_only=True)
class ReadClaim:
    """A claim of an answer, and the sentence of the source that it was compared with."""

    begin: int
    end: int
    """Characters [begin, end) of the answer"""
    text: str
    probability: float
    """That the source supports it"""
    quote: str | None
    """The sentence of the source that shares most with it; None where none shares a word"""

    @property
    def said(self) -> str:
        """The claim beside its sentence, in a line."""
        beside = "no sentence of the source shares a word with it"
        if self.quote is not None:
            beside = f"the source: “{_shortened(self.quote)}”"
        return f"“{_shortened(self.text)}” ({self.probability:.2f}); {beside}"


class Found(NamedTuple):
    """A finding about a row, with its reasons."""

    finding: Finding | None
    """None for a row without evidence or without a value"""
    answer: str | None = None
    reasons: tuple[str, ...] = ()
    """Differences found without a model, such as "9 pm: the source has 9 am" """
    quotes: tuple[str, ...] = ()
    """The sentences that the worst claim was read with, the one that shares most with it first"""
    claims: tuple[ReadClaim, ...] = ()
    """The claims that weigh most, the worst first"""


def finding_of(evidence: Mapping[str, Any] | None, state: str) -> Found:
    """Return the finding about a row from its evidence and from the side of the thresholds that it is on.

    A failing row is 'contradicted' if it has a sure difference, or if a sentence of the source has most of the words of
    the worst claim. Else it is 'not found'.

    Args:
        evidence: as JSON has it.
        state: 'passed', 'doubtful', 'failed' or 'unread'.

    Returns:
        The finding, with the answer, the reasons, the quotes and the claims where the evidence has them.
    """
    plain: dict[str, Finding] = {"doubtful": "doubtful", "unread": "other words"}
    texts = of_candidate(evidence)
    if not texts:
        return Found(plain.get(state))
    (text, *_) = texts
    stretches: Sequence[Mapping[str, Any]] = text.get("stretches") or []
    said: Sequence[Mapping[str, Any]] = text.get("reasons") or []
    reasons = tuple(reason["said"] for reason in said)
    judged = sorted(
        (stretch for stretch in stretches if "supported" in stretch), key=lambda stretch: float(stretch["supported"])
    )
    if not judged:
        return Found(plain.get(state), text["text"], reasons)
    worst = judged[0]
    claims = tuple(_claim(text, stretch) for stretch in judged[:_CLAIMS])
    quote = claims[0].quote
    others = (text["quotes"][number]["text"] for number in worst["quotes"])
    quotes = tuple(dict.fromkeys([*([quote] if quote is not None else []), *others]))
    if state in plain:
        finding = plain[state]
    elif state == "passed":
        finding = "abstained" if all(stretch.get("abstains") for stretch in stretches) else "supported"
    elif worst.get("abstains"):
        finding = "false refusal"
    else:
        sure = any(reason.get("sure") for reason in said)
        contradicted = worst.get("contradicted", 0.0) >= _LIKELY and quote is not None
        beside = contradicted and shared_wording(claims[0].text, [quote or ""]) >= _SAME_WORDS
        finding = "contradicted" if sure or beside else "not found"
    return Found(finding=finding, answer=text["text"], reasons=reasons, quotes=quotes, claims=claims)


def _claim(text: Mapping[str, Any], stretch: Mapping[str, Any]) -> ReadClaim:
    """Return a claim with the sentence of the source from which most of its words come."""
    begin, end = stretch["begin"], stretch["end"]
    near = Counter(word["quote"] for word in text.get("words", []) if begin <= word["begin"] < end and "quote" in word)
    (number, _), *_ = near.most_common(1) or [(None, 0)]
    return ReadClaim(
        begin=begin,
        end=end,
        text=text["text"][begin:end],
        probability=float(stretch["supported"]),
        quote=None if number is None else text["quotes"][number]["text"],
    )


State = Literal["passed", "doubtful", "failed", "unread", "missing", "allowed"]
_LISTED = 20
"""Rows of a table in a notebook"""
_LONG = 160
"""Characters of an answer there"""


@dataclass(frozen=True)
class Outcome:
    """What the gate says of one row or, for a corpus-level metric, of one system."""

    system: str
    item: str | None
    """None for a whole system"""
    row: int | None
    """Counted from 1; None for a whole system, and for a row of the baseline that is not among the outputs"""
    value: float
    """NaN where there is none"""
    state: State
    """'passed'; 'failed': on the wrong side of the threshold; 'doubtful': between the two thresholds of `grounded`;
    'unread': in other words than its source, and the model cannot tell right from wrong answers of such
    wording; 'missing': no value; 'allowed': missing, and that was allowed"""
    problem: str | None
    """Why it did not pass, in words"""
    unsupported: tuple[Unsupported, ...] = ()
    """The words of a row on the wrong side of the threshold that nothing supports, where the table has the evidence"""
    finding: Finding | None = None
    """With `grounded`: what was found of the row. None where the table has no evidence that says more than the state"""
    answer: str | None = None
    """The text that was judged, where the table has the evidence"""
    reasons: tuple[str, ...] = ()
    """Differences from the source that were found without a model, such as "9 pm: the source has 9 am" """
    quotes: tuple[str, ...] = ()
    """The sentences of the source that the worst claim was read with, the one that shares most with it first"""
    claims: tuple[ReadClaim, ...] = ()
    """The claims of the answer that decide, the worst first"""
    doubted: bool = False
    """With `grounded`: whether it counts as doubted where the count of a set decides"""
    decided_by: str | None = None
    """The name of the model that decided, where a second one reads the rows that the first cannot decide"""

    @property
    def failed(self) -> bool:
        """Whether the row fails a rule on single rows."""
        return self.state in ("failed", "missing")

    @property
    def why(self) -> str:
        """Why the row did not pass; empty if it passed.

        It is the differences from the source, else the worst claim beside its sentence of the source, else the words
        that nothing supports, else the problem.
        """
        if self.reasons and self.state not in ("passed", "unread"):
            return "; ".join(self.reasons)
        if self.finding in (None, "cannot say", "other words") or self.state == "passed":
            return self.problem or ""
        if self.claimed:
            return self.claimed
        words = ", ".join(f"“{word}”" for text in self.unsupported for word in text.words)
        said = "not sure of" if self.finding == "doubtful" and words else SAID[self.finding]
        return f"{said}{f': {words}' if words else ''}"

    @property
    def claimed(self) -> str:
        """The worst claim and its sentence of the source; empty if the finding is not about a claim."""
        leads = {"contradicted": SAID["contradicted"], "not found": "not sure of", "doubtful": "not sure of"}
        lead = leads.get(self.finding or "")
        return f"{lead}: {self.claims[0].said}" if lead is not None and self.claims else ""


@dataclass(frozen=True, kw_only=True)
class Regression:
    """The comparison of a system with itself in the baseline, on the items that both runs have."""

    system: str
    baseline: str
    """What the baseline calls it"""
    n: int
    """Items with a value in both"""
    now: float
    """The mean, or the value of all these items together"""
    before: float
    difference: float
    """Now less before, in the metric's own direction"""
    low: float
    high: float
    p: float
    """That the true difference is 0, two-sided; with a history, that of all interim analyses so far"""
    adjusted: float
    """p, corrected by Holm for the number of systems"""
    worse: bool
    """The gate fails by it"""
    reason: str | None
    """Why a number is missing"""
    look: int | None = None
    """With a history, the number of the interim analysis of this system; the interval holds at all of them at once"""
    no_worse: float | None = None
    """With a margin: p that the system is worse than before by the margin or more"""
    detectable: float | None = None
    """The smallest true difference that these items show in 80 % of runs; None with a history"""


Ruling: TypeAlias = Literal["passes", "fails", "cannot tell"]
By: TypeAlias = Literal["ratings", "against", "accepted", "alone", "trials"]
_WORST_FIRST: Sequence[Ruling] = ("fails", "cannot tell", "passes")


@dataclass(frozen=True, kw_only=True)
class SystemDecision:
    """The decision about one system."""

    system: str
    ruling: Ruling
    n: int
    """Answers that count: all but those that claim nothing, have no value or were accepted by a person. Where trials
    decide, items
    """
    doubted: int
    """Those of them below the threshold whose false alarms were measured, the failing ones among them"""
    failing: int
    """Those below the strict threshold"""
    unread: int = 0
    """Answers besides in other words than their source, of which the model cannot say anything"""
    expected: tuple[int, int] | None = None
    """How many of n right answers would be doubted, in 95 of 100 such sets; None where ratings or a run decide"""
    p: float = math.nan
    """That right answers alone make as many doubted or failing ones; NaN where ratings or a run decide"""
    wrong: Measured = field(default_factory=Measured)
    """The share of wrong answers with its interval, where ratings decide"""
    passes: Measured = field(default_factory=Measured)
    """The chance that all trials of an item pass, with its interval, where trials decide"""
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The decision about a set, and what it was based on."""

    by: By
    systems: tuple[SystemDecision, ...]
    following: str | None = None
    """What to do next, in a sentence"""

    @property
    def ruling(self) -> Ruling:
        """'fails' if a system fails; else 'cannot tell' if a system is undecided; else 'passes'."""
        return min((system.ruling for system in self.systems), key=_WORST_FIRST.index, default="passes")

    @property
    def sentences(self) -> list[str]:
        """A sentence for each system, failing systems first. It names the system if there are several."""
        systems = sorted(self.systems, key=lambda system: _WORST_FIRST.index(system.ruling))
        return [
            f"{decision.system}: {decision.sentence}" if len(systems) > 1 else decision.sentence for decision in systems
        ]


@dataclass(frozen=True, repr=False)
class Verdict(Answered):
    """All that the gate found."""

    metric: str
    part: str
    higher_is_better: bool | None
    """None of a sub-score that has no better direction"""
    at_least: float | None
    at_most: float | None
    significance: float
    outcomes: tuple[Outcome, ...]
    """In the order of the rows; then what the baseline alone has"""
    regressions: tuple[Regression, ...] = ()
    margin: float | None = None
    """The loss that would not matter: with it, a system fails that is not shown to have lost less"""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many rows took no part in the comparison with the baseline, by why"""
    notes: tuple[str, ...] = ()
    second_at_least: float | None = None
    """`at_least` of the rows that a second model decided, where it has thresholds of its own"""
    sure: float | None = None
    """With `grounded`, from where a row passes; below it, down to `at_least`, a row is doubtful"""
    decision: Decision | None = None
    """What is decided of the set; None where a rule on single rows decides"""
    strict: Literal["fails", "doubtful"] | None = None
    """With 'fails', no doubtful row fails a rule on single rows"""

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The rows that fail a rule on single rows. The gate fails by them if there is no decision about the set."""
        doubtful = () if self.strict == "fails" else ("doubtful",)
        return tuple(outcome for outcome in self.outcomes if outcome.failed or outcome.state in doubtful)

    @property
    def worst(self) -> tuple[Outcome, ...]:
        """The rows that do not pass, the worst first: failing, without a value, doubtful, unread."""
        order: Sequence[State] = ("failed", "missing", "doubtful", "unread")
        side = -1 if self.at_least is None and self.at_most is not None else 1
        rows = [outcome for outcome in self.outcomes if outcome.state in order]
        return tuple(
            sorted(
                rows,
                key=lambda row: (order.index(row.state), math.inf if math.isnan(row.value) else side * row.value),
            )
        )

    @property
    def ruling(self) -> Ruling:
        """'passes', 'fails' or 'cannot tell'."""
        if self.decision is None:
            return "passes" if self.passed else "fails"
        lost = self.nothing_checked or any(outcome.state == "missing" for outcome in self.outcomes)
        return "fails" if lost else self.decision.ruling

    @property
    def nothing_checked(self) -> bool:
        """Whether the gate could not decide about any row. It then fails, even if missing values are allowed."""
        unsaid = ("missing", "allowed", "unread")
        return all(outcome.state in unsaid or outcome.finding == "no claim" for outcome in self.outcomes)

    @property
    def passed(self) -> bool:
        """Whether something was checked and the set passes; by a rule on rows, no row fails and no system is worse."""
        if self.decision is not None:
            return self.ruling == "passes"
        return not (self.nothing_checked or self.failures or any(regression.worse for regression in self.regressions))

    @property
    def headline(self) -> str:
        """A sentence that says how many rows fail or, for a corpus-level metric, how many systems."""
        if self.nothing_checked:
            return "Nothing was checked"
        if self.decision is not None:
            missing = sum(outcome.state == "missing" for outcome in self.outcomes)
            lost = f" {missing:,} of the rows {'has' if missing == 1 else 'have'} no value." if missing else ""
            return f"{self.decision.sentences[0]}{lost}".rstrip(".")
        rows = [outcome for outcome in self.outcomes if outcome.row is not None or outcome.item is None]
        what = "answer" if rows and rows[0].row is not None else "system"
        aside = sum(outcome.state == "unread" for outcome in rows)
        unread = (
            f"{aside:,} of {len(rows):,} answers {'is' if aside == 1 else 'are'} not judged: in other words than the "
        )
        rows = [outcome for outcome in rows if outcome.state != "unread"]
        many, failing = len(rows) != 1, sum(outcome in self.failures for outcome in rows)
        gone = len(self.failures) - failing
        worse = sum(regression.worse for regression in self.regressions)
        if failing:
            said = f"{failing:,} of {len(rows):,} {what}s fail" if many else f"The {what} fails"
        else:
            said = f"All {len(rows):,} {what}s pass" if many else f"The {what} passes"
        more = [f"{gone:,} of the earlier run {'is' if gone == 1 else 'are'} missing"] if gone else []
        more += [f"{worse:,} system{'s are' if worse > 1 else ' is'} worse than before"] if worse else []
        lead = f"{unread}source. " if aside else ""
        return lead + ", and ".join([said, *more])

    def with_answers(self, answers: Sequence[str]) -> Verdict:
        """Return the verdict with the answers of the rows, for a table without evidence of them."""
        outcomes = (
            replace(outcome, answer=answers[outcome.row - 1])
            if outcome.answer is None and outcome.row is not None
            else outcome
            for outcome in self.outcomes
        )
        return replace(self, outcomes=tuple(outcomes))

    def to_answer(self) -> Answer:
        """Return the answer: the headline, and the rows that do not pass."""
        return Answer(
            command="check",
            record={name: value for name, value in self.record.items() if name != "notes"},
            sentences=[f"{self.headline}{self._counts}."],
            tables=[[["row", "item", "verdict", "why"], *self._cells()]] if self.worst else [],
            notes=self.notes,
        )

    def _repr_html_(self) -> str:
        """Return the rows that do not pass, as a table of a notebook."""
        rows = [
            [row, item, finding, number(outcome.value, 2), _shortened(outcome.answer or ""), why]
            for outcome, (row, item, finding, why) in zip(self.worst, self._cells(), strict=False)
        ]
        more = len(self.worst) - len(rows)
        notes = [*([f"{more:,} more rows do not pass."] if more else []), *self.notes]
        head = ["row", "item", "verdict", f"{self.metric} {self.part}", "answer", "why"]
        return small(f"{self.headline}{self._counts}.", head, rows, notes)

    @property
    def _counts(self) -> str:
        said = ", ".join(f"{count:,} {finding}" for finding, count in self.findings.items())
        return f" ({said})" if said else ""

    def _cells(self) -> list[list[str]]:
        return [
            [str(outcome.row or "–"), outcome.item or outcome.system, outcome.finding or outcome.state, outcome.why]
            for outcome in self.worst[:_LISTED]
        ]

    @property
    def record(self) -> dict[str, Any]:
        """The verdict as `nlgauge check --format json` prints it, without what that adds from the table."""
        named = [name for name in vars(self) if name not in ("outcomes", "regressions", "decision")]
        rows = [
            {
                **vars(outcome),
                "unsupported": [{**vars(text), "words": text.words} for text in outcome.unsupported],
                "claims": [vars(claim) for claim in outcome.claims],
                "why": outcome.why,
            }
            for outcome in self.outcomes
        ]
        whole = {
            "passed": self.passed,
            "ruling": self.ruling,
            "nothing_checked": self.nothing_checked,
            **{name: getattr(self, name) for name in named},
            "findings": self.findings,
            "rows": rows,
        }
        decision = None
        if self.decision is not None:
            decision = {**vars(self.decision), "ruling": self.decision.ruling, "sentences": self.decision.sentences}
        record: dict[str, Any] = jsonable({**whole, "regressions": self.regressions, "decision": decision})
        return record

    @property
    def findings(self) -> dict[Finding, int]:
        """How many rows have each finding, the most frequent first."""
        return dict(Counter(outcome.finding for outcome in self.outcomes if outcome.finding is not None).most_common())

    def count(self, *states: State) -> int:
        """Return how many outcomes have one of these states."""
        return sum(outcome.state in states for outcome in self.outcomes)


@dataclass(frozen=True)
class Unsupported:
    """The unsupported words of one text of a row."""

    name: str
    """The text's: 'candidate', for one"""
    against: str
    """What it was compared with: 'source', for one"""
    text: str
    """The whole of it"""
    spans: tuple[tuple[int, int], ...]
    """Characters [begin, end) of words that follow each other and are not supported"""

    @property
    def words(self) -> tuple[str, ...]:
        """The words in each span."""
        return tuple(self.text[begin:end] for begin, end in self.spans)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def unsupported(evidence: Mapping[str, Any] | None) -> tuple[Unsupported, ...]:
    """Return the unsupported words of a row's evidence, by text.

    Args:
        evidence: as JSON has it.

    Returns:
        The words of each text that has such words; empty for a metric that shows no words.
    """
    texts = (evidence or {}).get("texts", [])
    marked = (Unsupported(text["name"], text["against"], text["text"], _spans(text)) for text in texts)
    return tuple(text for text in marked if text.spans)


def _spans(text: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return the spans that the metric gives; else words under its threshold.

    Words under the threshold that follow each other are a single span.
    """
    if "unsupported" in text:
        return tuple((begin, end) for begin, end in text["unsupported"])
    spans: list[tuple[int, int]] = []
    follows = False
    for word in text["words"]:
        weak = word["alignment"] < text["weak"]
        if weak and follows:
            spans[-1] = (spans[-1][0], max(spans[-1][1], word["end"]))
        elif weak:
            spans.append((word["begin"], word["end"]))
        follows = weak
    return tuple(spans)

"""The verdict of the gate: an outcome for each row, a test of each system against an earlier run, and a ruling."""

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
"""A clause for each finding"""
NO_CLAIM = "claims nothing"
"""The end of the reason of a row that has no value because it claims nothing"""
_CLAIMS = 2
"""The number of claims of an answer that are shown"""
_LIKELY = 0.5
_SAME_WORDS = 0.5
"""A sentence of the source contradicts a claim only if it has at least this share of the claim's longer words. A
sentence with fewer of them is about other things"""


@dataclass(frozen=True, kw_only=True)
class ReadClaim:
    """A claim of an answer, with the sentence of the source that it was compared with."""

    begin: int
    end: int
    """The claim is the characters [begin, end) of the answer"""
    text: str
    probability: float
    """The probability that the source supports the claim"""
    quote: str | None
    """The sentence of the source that shares most words with the claim; None where no sentence shares a word"""

    @property
    def said(self) -> str:
        """The claim, its probability and the sentence of the source, in a line."""
        beside = "no sentence of the source shares a word with it"
        if self.quote is not None:
            beside = f"the source: “{_shortened(self.quote)}”"
        return f"“{_shortened(self.text)}” ({self.probability:.2f}); {beside}"


class Found(NamedTuple):
    """A finding about a row, with its reasons."""

    finding: Finding | None
    """The finding; None for a row without evidence or without a value"""
    answer: str | None = None
    reasons: tuple[str, ...] = ()
    """Differences found without a model, such as "9 pm: the source has 9 am" """
    quotes: tuple[str, ...] = ()
    """The sentences of the source that the worst claim was read with, beginning with the one that shares most words"""
    claims: tuple[ReadClaim, ...] = ()
    """The claims with the lowest probabilities, at most two, the worst first"""


def finding_of(evidence: Mapping[str, Any] | None, state: str) -> Found:
    """Return the finding about a row, from its evidence and its state.

    A failing row gets the first of these findings that fits:

    - 'false refusal': its worst claim is that the source has no answer.
    - 'contradicted': it has a sure difference from the source, such as another number. Or the model says that the
      source contradicts the worst claim, and a sentence of the source has most of the claim's words.
    - 'not found': neither.

    Args:
        evidence: the evidence of the row, as in the JSON of a table.
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
    """Return a claim with the sentence of the source that has most of the claim's words.

    Args:
        text: the evidence of the candidate, with its words and the sentences of the source.
        stretch: the part of that evidence which is about the claim.
    """
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
"""The largest number of rows in the table of a notebook"""
_LONG = 160
"""The largest number of characters of an answer in that table"""


@dataclass(frozen=True)
class Outcome:
    """The gate's result for one row or, for a corpus-level metric and for trials, for one system."""

    system: str
    item: str | None
    """The item; None for a whole system"""
    row: int | None
    """The number of the row, from 1; None for a whole system, and for a row that only the baseline has"""
    value: float
    """The value; NaN where there is none"""
    state: State
    """'passed'; 'failed': on the wrong side of the threshold; 'doubtful': between the two thresholds of `grounded`;
    'unread': not judged, because it is in other words than its source, and the model cannot tell right from wrong
    answers of such wording; 'missing': without a value; 'allowed': without a value, which was allowed. For trials,
    'doubtful' is a system about which the ruling is 'cannot tell'"""
    problem: str | None
    """Why the row did not pass, in words; None if it passed"""
    unsupported: tuple[Unsupported, ...] = ()
    """The unsupported words of a row that failed or is doubtful; empty if the table has no evidence of words"""
    finding: Finding | None = None
    """With `grounded`: the finding about the row. None if the row passed or failed and the table has no evidence"""
    answer: str | None = None
    """The text that was judged; None where the table does not have it"""
    reasons: tuple[str, ...] = ()
    """Differences from the source that were found without a model, such as "9 pm: the source has 9 am" """
    quotes: tuple[str, ...] = ()
    """The sentences of the source that the worst claim was read with, beginning with the one that shares most words"""
    claims: tuple[ReadClaim, ...] = ()
    """The claims of the answer with the lowest probabilities, at most two, the worst first"""
    doubted: bool = False
    """With `grounded`: whether the row is counted among the doubted answers of the set"""
    decided_by: str | None = None
    """The name of the model that decided the row, if a second model reads rows that the first cannot decide; else
    None"""

    @property
    def failed(self) -> bool:
        """Whether the row fails as a single row: its state is 'failed' or 'missing'."""
        return self.state in ("failed", "missing")

    @property
    def why(self) -> str:
        """Why the row did not pass; empty if it passed.

        It is the first of these that the row has: its differences from the source, its worst claim with the sentence of
        the source, its unsupported words, its `problem`.
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
        """The worst claim with its sentence of the source; empty if the finding is not about a claim."""
        leads = {"contradicted": SAID["contradicted"], "not found": "not sure of", "doubtful": "not sure of"}
        lead = leads.get(self.finding or "")
        return f"{lead}: {self.claims[0].said}" if lead is not None and self.claims else ""


@dataclass(frozen=True, kw_only=True)
class Regression:
    """The comparison of a system with its earlier outputs in the baseline, on the items that both runs have."""

    system: str
    baseline: str
    """The name of the system in the baseline"""
    n: int
    """The number of items with a value in both runs"""
    now: float
    """The present mean over the common items; for a metric that is computed from all items together, its present value.
    `before` is the same of the earlier run"""
    before: float
    difference: float
    """`now` minus `before`. The sign is not turned: if lower is better, a difference above 0 is a loss"""
    low: float
    high: float
    p: float
    """The two-sided p of the hypothesis that the true difference is 0. With a history, it covers all interim analyses
    so far"""
    adjusted: float
    """The same p, corrected for the number of systems: by Holm, or with a history by Bonferroni"""
    worse: bool
    """Whether the system makes the gate fail"""
    reason: str | None
    """Why the interval, the p or another number of this comparison is missing; None if none is missing"""
    look: int | None = None
    """With a history: the number of this interim analysis, from 1. The interval is valid for all analyses at once"""
    no_worse: float | None = None
    """With a margin: the p of the hypothesis that the system is worse than before by the margin or more"""
    detectable: float | None = None
    """The smallest true difference that is found in 80 % of runs with these items; None with a history"""


Ruling: TypeAlias = Literal["passes", "fails", "cannot tell"]
By: TypeAlias = Literal["ratings", "against", "accepted", "alone", "trials"]
_WORST_FIRST: Sequence[Ruling] = ("fails", "cannot tell", "passes")


@dataclass(frozen=True, kw_only=True)
class SystemDecision:
    """The decision about one system."""

    system: str
    ruling: Ruling
    n: int
    """The number of answers that count, or of items where trials decide. Answers do not count if they claim nothing,
    have no value, are unread, or were accepted by a person"""
    doubted: int
    """The number of doubted answers among the `n`, failing ones included"""
    failing: int
    """The number of answers among the `n` that are below the strict threshold"""
    unread: int = 0
    """The number of further answers that were not judged, because they are in other words than their source"""
    expected: tuple[int, int] | None = None
    """The least and the greatest number of doubted answers in 95 of 100 sets of n right answers; None where ratings, an
    earlier run or trials decide"""
    p: float = math.nan
    """The p of the hypothesis that all `n` answers are right. It combines a test of the number of doubted answers and a
    test of the number of failing ones. NaN where ratings, an earlier run or trials decide"""
    wrong: Measured = field(default_factory=Measured)
    """The share of wrong answers with its interval, if ratings decide"""
    passes: Measured = field(default_factory=Measured)
    """The chance that all k trials of an item pass, with its interval, if trials decide"""
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The decision about a set of answers, and its grounds."""

    by: By
    systems: tuple[SystemDecision, ...]
    following: str | None = None
    """What the user can do next, in a sentence; None if nothing"""

    @property
    def ruling(self) -> Ruling:
        """'fails' if a system fails; else 'cannot tell' if this is the ruling about a system; else 'passes'."""
        return min((system.ruling for system in self.systems), key=_WORST_FIRST.index, default="passes")

    @property
    def sentences(self) -> list[str]:
        """A sentence for each system, failing systems first. With several systems, it begins with the system's name."""
        systems = sorted(self.systems, key=lambda system: _WORST_FIRST.index(system.ruling))
        return [
            f"{decision.system}: {decision.sentence}" if len(systems) > 1 else decision.sentence for decision in systems
        ]


@dataclass(frozen=True, repr=False)
class Verdict(Answered):
    """The result of the gate."""

    metric: str
    part: str
    higher_is_better: bool | None
    """Whether higher values are better; None for a sub-score without a better direction"""
    at_least: float | None
    at_most: float | None
    significance: float
    outcomes: tuple[Outcome, ...]
    """The outcomes in the order of the rows, followed by those of rows that only the baseline has"""
    regressions: tuple[Regression, ...] = ()
    margin: float | None = None
    """The largest loss that would not matter. With it, a system fails unless it is shown to have lost less; None
    without one"""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """By reason, the number of rows that took no part in the comparison with the baseline"""
    notes: tuple[str, ...] = ()
    second_at_least: float | None = None
    """`at_least` for rows that a second model decided; None if it is the same"""
    sure: float | None = None
    """With `grounded`: the least value with which a row passes. A row between `at_least` and this value is doubtful"""
    decision: Decision | None = None
    """The decision about the whole set; None if single rows decide"""
    strict: Literal["fails", "doubtful"] | None = None
    """Whether a doubtful row makes the gate fail if single rows decide: with 'fails' only a failing row does, else a
    doubtful row does too"""

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The rows that fail as single rows. They decide if there is no decision about the set."""
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
        """Whether no row could be decided. The gate then fails, even if missing values are allowed."""
        unsaid = ("missing", "allowed", "unread")
        return all(outcome.state in unsaid or outcome.finding == "no claim" for outcome in self.outcomes)

    @property
    def passed(self) -> bool:
        """Whether the set passes or, if single rows decide, whether no row fails and no system is worse."""
        if self.decision is not None:
            return self.ruling == "passes"
        return not (self.nothing_checked or self.failures or any(regression.worse for regression in self.regressions))

    @property
    def headline(self) -> str:
        """A sentence with the decision about the set or, if single rows decide, with the number of rows that fail."""
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
        """Return the verdict with the answers of the rows added, for a table without evidence."""
        outcomes = (
            replace(outcome, answer=answers[outcome.row - 1])
            if outcome.answer is None and outcome.row is not None
            else outcome
            for outcome in self.outcomes
        )
        return replace(self, outcomes=tuple(outcomes))

    def to_answer(self) -> Answer:
        """Return the answer: the headline, and a table of rows that do not pass."""
        return Answer(
            command="check",
            record={name: value for name, value in self.record.items() if name != "notes"},
            sentences=[f"{self.headline}{self._counts}."],
            tables=[[["row", "item", "verdict", "why"], *self._cells()]] if self.worst else [],
            notes=self.notes,
        )

    def _repr_html_(self) -> str:
        """Return a table of rows that do not pass, as HTML for a notebook."""
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
        """The verdict as `nlgauge check --format json` prints it, without the fields that `verdict_record` adds."""
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
        """The number of rows with each finding, the most frequent finding first."""
        return dict(Counter(outcome.finding for outcome in self.outcomes if outcome.finding is not None).most_common())

    def count(self, *states: State) -> int:
        """Return how many outcomes have one of these states."""
        return sum(outcome.state in states for outcome in self.outcomes)


@dataclass(frozen=True)
class Unsupported:
    """The unsupported words of one text of a row."""

    name: str
    """The name of the text, such as 'candidate'"""
    against: str
    """The name of the text that it was compared with, such as 'source'"""
    text: str
    """The whole text"""
    spans: tuple[tuple[int, int], ...]
    """The characters [begin, end) of each run of unsupported words"""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of each span, as text."""
        return tuple(self.text[begin:end] for begin, end in self.spans)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def unsupported(evidence: Mapping[str, Any] | None) -> tuple[Unsupported, ...]:
    """Return the unsupported words in the texts of a row, from its evidence.

    Args:
        evidence: the evidence of the row, as in the JSON of a table; None without evidence.

    Returns:
        The texts that have unsupported words; empty for a metric that does not show words.
    """
    texts = (evidence or {}).get("texts", [])
    marked = (Unsupported(text["name"], text["against"], text["text"], _spans(text)) for text in texts)
    return tuple(text for text in marked if text.spans)


def _spans(text: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return the spans that the metric gives, or else those of words below its threshold.

    Words below the threshold that follow each other are a single span.

    Args:
        text: the evidence of one text, as in the JSON of a table.
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

"""What the gate found of a row whose source it asked about, in one of a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

Finding: TypeAlias = Literal[
    "supported", "contradicted", "not found", "abstained", "false refusal", "no claim", "cannot say"
]
SAID: Mapping[Finding, str] = {
    "supported": "nothing found against it",
    "contradicted": "the source says something else",
    "not found": "the source does not say it",
    "abstained": "it says that the source does not have it, and a search finds nothing",
    "false refusal": "it says that the source does not have it, and a search finds it",
    "no claim": "it claims nothing",
    "cannot say": "too close to the thresholds to decide",
}
"""Each finding in a sentence"""
NO_CLAIM = "claims nothing"
"""In the reason of a row that has no value because it claims nothing"""
_LIKELY = 0.5


class Found(NamedTuple):
    """A finding, and what it is based on."""

    finding: Finding | None
    """None for a row without evidence or without a value"""
    answer: str | None = None
    reasons: tuple[str, ...] = ()
    """Differences found without a model, such as "9 pm: the source has 9 am" """
    quotes: tuple[str, ...] = ()
    """The sentences that the worst part of the answer was read with"""


def found(evidence: Mapping[str, Any] | None, state: str) -> Found:
    """Return the finding about a row from its evidence and from the side of the thresholds that it is on.

    Args:
        evidence: as JSON has it.
        state: 'passed', 'failed' or 'unsure'.
    """
    texts = [one for one in (evidence or {}).get("texts", []) if one["name"] == "candidate"]
    if not texts:
        return Found("cannot say" if state == "unsure" else None)
    (text, *_) = texts
    stretches: Sequence[Mapping[str, Any]] = text.get("stretches") or []
    said: Sequence[Mapping[str, Any]] = text.get("reasons") or []
    reasons = tuple(one["said"] for one in said)
    worst = min(stretches, key=lambda one: one.get("supported", 1.0), default=None)
    if worst is None:
        return Found("cannot say" if state == "unsure" else None, text["text"], reasons)
    quotes = tuple(text["quotes"][number]["text"] for number in worst["quotes"])
    if state == "passed":
        finding: Finding = "abstained" if all(one.get("abstains") for one in stretches) else "supported"
    elif state == "unsure":
        finding = "cannot say"
    elif worst.get("abstains"):
        finding = "false refusal"
    else:
        sure = any(one.get("sure") and worst["begin"] <= one["begin"] < worst["end"] for one in said)
        finding = "contradicted" if sure or worst.get("contradicted", 0.0) >= _LIKELY else "not found"
    return Found(finding, text["text"], reasons, quotes)

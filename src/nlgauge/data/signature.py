"""Signature: what the numbers of a metric depend on, as data. It is converted to text only for printing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

FLOAT32 = "float32"
"""The precision of numbers whose signature names no other one"""


@dataclass(frozen=True, eq=False)
class Signature:
    """A metric's spec and the facts that its numbers depend on. Equal signatures on equal rows give equal numbers.

    Two signatures are equal if their specs and their facts are equal, in any order of the facts. As text, a signature
    has sacrebleu's grammar, ``spec|fact:value|fact:value``. Raises TypeError or ValueError for a fact that JSON cannot
    hold.

    >>> str(Signature("InfoLM", {"model": {"name": "pocket", "digest": "1a2b3c4d5e6f"}, "window": 512}))
    'InfoLM|model:pocket@1a2b3c4d|window:512'
    """

    spec: str
    """The metric's spec; or, from a scores file that holds no facts, the whole text of the signature"""
    facts: Mapping[str, object] = field(default_factory=dict)
    """JSON values by name, in the order in which they are printed. A thing with content, such as a model, is written as
    {"name": ..., "digest": hex}"""

    def __post_init__(self) -> None:
        # What a file would give back, so that a signature is equal to itself after saving and loading.
        object.__setattr__(self, "facts", json.loads(json.dumps(dict(self.facts), allow_nan=False)))

    def __str__(self) -> str:
        return self.spec + "".join(f"|{name}:{fact_text(value)}" for name, value in self.facts.items())

    def __eq__(self, other: object) -> bool:
        return self._content == other._content if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> str:
        return json.dumps(self.record(), sort_keys=True)

    def record(self) -> dict[str, object]:
        """Return spec and facts as a JSON object."""
        return {"spec": self.spec, "facts": dict(self.facts)}


def other_facts(now: Mapping[str, object], before: Mapping[str, object]) -> list[str]:
    """Return the names of facts that differ, so that numbers are not comparable. Versions and rows do not count."""
    names = [name for name in dict.fromkeys([*now, *before]) if name not in OF_ROWS]
    return [name for name in names if _settled(now.get(name)) != _settled(before.get(name))]


OF_ROWS = ("from", "values")
"""Names of facts that say from which rows scores of other tools come"""


def rowless(fact: object) -> object:
    """Return a fact without the number of texts longer than the model's window, which depends on the rows."""
    return re.sub(r",longer \d+/\d+", "", fact) if isinstance(fact, str) else fact


def _settled(fact: object) -> object:
    """Return a fact for comparison: a text without version numbers, or the digest of a thing that has one."""
    if isinstance(fact, Mapping) and "digest" in fact:
        return fact["digest"]
    if not isinstance(fact := rowless(fact), str):
        return fact
    # How a checkpoint was recognised differs by how it is spelled, and moves no number.
    return re.sub(r" by (name|digest|config)$", "", re.sub(r"\d+(\.\d+)+\w*(\+\??\w+)?", "", fact))


def fact_text(value: object) -> str:
    """Return a fact as a signature prints it."""
    if isinstance(value, Mapping) and {"name", "digest"} <= value.keys():
        return f"{value['name']}@{str(value['digest'])[:8]}"
    return str(value)

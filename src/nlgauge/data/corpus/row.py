"""One output of one system."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, TypeAlias

OnMissing: TypeAlias = Literal["error", "skip"]
"""What is done with a row without a candidate: 'error' refuses it, and 'skip' keeps it without a score"""
FIELDS = ("candidate", "references", "source", "context", "question", "system", "item", "trial", "scores")
LONGEST_TEXT = 10_000_000
"""The greatest number of characters of a text. The longest novels have fewer, so that no text for people is refused. A
file that lost its line ends or a quote, or that was made to fill the memory, is refused before a metric reads it"""
MOST_REFERENCES = 10_000
"""The greatest number of references of a row; data sets have a few, and at most some hundreds"""
MOST_COLUMNS = 10_000
"""The greatest number of columns of a row"""


@dataclass(frozen=True)
class Row:
    """One output of one system. `scores` holds the human ratings that exist, `extra` the columns that are not ours."""

    candidate: str
    references: tuple[str, ...] = ()
    source: str | None = None
    context: str | None = None
    system: str = "system"
    item: str = "1"
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    question: str | None = None
    """The question that the candidate answers. It does not count as support for the answer"""
    missing: bool = False
    """Whether there is no candidate. Its text is then empty, and the row gets no score"""
    counted: bool = field(default=False, compare=False)
    """Whether `item` is the row's position, because the data name no item"""
    trial: str | None = None
    """The name of the run of the system on the item, where the system runs several times; else None"""

    @property
    def key(self) -> tuple[str, str, str | None]:
        """(system, item, trial), which names the row within a corpus."""
        return self.system, self.item, self.trial

    @property
    def texts(self) -> dict[str, str | list[str]]:
        """The texts of the row by name, without absent and empty texts."""
        texts = {"candidate": self.candidate, "source": self.source, "context": self.context, "question": self.question}
        filled: dict[str, str | list[str]] = {name: text for name, text in texts.items() if text}
        return {**filled, "references": list(self.references)} if self.references else filled

    @property
    def fingerprint(self) -> str:
        """Digests of candidate, source, context and question, joined with dots. Blanks and line ends do not count."""
        digests = []
        for text in (self.candidate, self.source, self.context, self.question):
            if text and text.isascii():  # many times as fast
                signs = text.encode("ascii").translate(None, _BLANKS)
            elif text:
                signs = "".join(unicodedata.normalize("NFC", text).split()).encode("utf-8", "surrogatepass")
            digests.append(blake2b(signs, digest_size=5).hexdigest() if text else "")
        return ".".join(digests)


def of_trial(item: str, trial: str | None) -> str:
    """Return the name of an item's trial, for tables with a row for each trial; the item itself if `trial` is None."""
    return item if trial is None else f"{item}, trial {trial}"


_BLANKS = bytes(sign for sign in range(128) if chr(sign).isspace())


def same_texts(first: str, second: str) -> bool:
    """Return whether two fingerprints share at least one text, and differ in no text that both have."""
    both = [(a, b) for a, b in zip(first.split("."), second.split("."), strict=True) if a and b]
    return bool(both) and all(a == b for a, b in both)

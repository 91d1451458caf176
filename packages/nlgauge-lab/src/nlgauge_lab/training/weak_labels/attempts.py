"""Attempts at examples: which record is taken, which of its sentences are chosen, and how they will be corrupted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import SpecError
from nlgauge_lab.training.labelled import Labelled
from nlgauge_lab.training.weak_labels.infilling import Infiller, spellings
from nlgauge_lab.training.weak_labels.paraphrase import Lexicon, Paraphraser
from nlgauge_lab.training.weak_labels.sources import Record
from nlgauge_lab.training.weak_labels.syntax import SpacyParser
from nlgauge_lab.training.weak_labels.targets import Choice, Targets

Spans = tuple[tuple[int, int], ...]
TRIES = 12
_STRIDE = 1_000_003  # far from the records of other attempts
_SPELT = 400  # records
LEFT = 20
"""The least number of words of a context from which sentences were removed"""


@dataclass(frozen=True)
class Settings:
    """The shares of the kinds of examples. The rest of 1 is corrupted as published: words are masked and filled.

    clean: nothing is corrupted. foreign: the context is another record's. withheld: the context lacks some of the
    sentences that the text was taken from (only for tasks that choose sentences). exchanged: a number, a name, a word
    or a clause is exchanged or added, by the edits of `support`. verbatim: share of the texts to be paraphrased that
    are left as they are (0 as published). spared: share of the sentences that stay whole beside corrupted ones (0 as
    published).
    """

    clean: float = 0.08
    foreign: float = 0.05
    withheld: float = 0.12
    exchanged: float = 0.30
    verbatim: float = 0.2
    spared: float = 0.3

    def __post_init__(self) -> None:
        for one in fields(self):
            if not 0 <= (value := getattr(self, one.name)) <= 1:
                raise SpecError(f"{one.name}={value} is no share: give a number from 0 to 1")
        if self.clean + self.foreign + self.withheld + self.exchanged > 1:
            raise SpecError("clean, foreign, withheld and exchanged together are more than 1")

    def draw(self, rng: np.random.Generator) -> str:
        """Return how an example is corrupted: 'clean', 'foreign', 'withheld', 'exchanged' or 'infilled'."""
        draw = rng.random()
        for name in ("clean", "foreign", "withheld", "exchanged"):
            if draw < (share := getattr(self, name)):
                return name
            draw -= share
        return "infilled"


@dataclass(frozen=True)
class Source:
    """Records of one task, with the relative number of attempts that use them."""

    records: Sequence[Record]
    task: str
    share: float = 1.0


@dataclass
class Draft:
    """An attempt that may become an example. All that is random about it follows from the seed and its number."""

    number: int
    task: str
    record: Record
    choice: Choice
    how: str
    rng: np.random.Generator = field(compare=False)
    wording: str = ""
    """The origin of the text's words: 'verbatim', 'paraphrased' or 'parallel'"""
    texts: list[str] = field(default_factory=list)
    """The sentences of the text"""
    origins: list[int] = field(default_factory=list)
    """For each sentence, the index of the chosen sentence that it comes from"""
    context: str = ""
    text: str = ""
    spans: Spans = ()
    """Characters of the text that the context does not support"""
    problem: str | None = None

    @property
    def row(self) -> Labelled:
        """The finished example."""
        return Labelled(self.context, self.text, self.spans, not self.spans)

    @property
    def made(self) -> str:
        """How the text was made: wording and corruption, joined by '+'."""
        return f"{self.wording}+{self.how}"


def pick(sources: Sequence[Source], seed: int, number: int, again: int = 0) -> tuple[Source, Record]:
    """Return the source and record of an attempt.

    Args:
        sources: records by task.
        seed: with `number`, it decides all that is random.
        number: the number of the attempt.
        again: 0 for the first try. Further tries, counted from 1, take other records of the same source.
    """
    shares = np.array([source.share for source in sources])
    source = sources[int(np.random.default_rng([seed, number, 0]).choice(len(sources), p=shares / shares.sum()))]
    # Which turn of its source an attempt is, is not known without the attempts before it: every source counts all.
    epoch, at = divmod(number + again * _STRIDE, len(source.records))
    return source, source.records[_order(len(source.records), seed, epoch)[at]]


@lru_cache(64)
def _order(size: int, seed: int, epoch: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, 1, size, epoch]).permutation(size)


def drafted(
    sources: Sequence[Source], targets: Targets, settings: Settings, seed: int, number: int, passed: Counter[str]
) -> Draft | None:
    """Return an attempt with its record and its choice of context and sentences; None if no record fits.

    Args:
        sources: records by task.
        targets: chooses the context and the sentences.
        settings: shares of the kinds of corruption.
        seed: with `number`, it decides all that is random.
        number: the number of the attempt.
        passed: counts the records that did not fit, by reason.
    """
    rng = np.random.default_rng([seed, number, 2])
    how = settings.draw(rng)
    for again in range(TRIES):
        source, record = pick(sources, seed, number, again)
        choice = targets.choose(record, source.task, rng)
        if isinstance(choice, str):
            passed[choice] += 1
            continue
        if how == "withheld" and (source.task not in ("summarization", "knowledge") or not can_lack(choice)):
            how = "infilled"
        return Draft(
            number=number, task=source.task, record=record, choice=choice, how=how, rng=rng, context=choice.context
        )
    return None


def lacking(choice: Choice, gone: Sequence[int]) -> str:
    """Return the context of a choice without some of its chosen sentences, by their indices."""
    context = choice.context
    for index in gone:
        context = context.replace(choice.sentences[index], "")
    return "\n".join(" ".join(line.split()) for line in context.split("\n") if line.strip())


def can_lack(choice: Choice) -> bool:
    """Return whether enough of the context is left without one of the chosen sentences."""
    return any(len(lacking(choice, [index]).split()) >= LEFT for index in range(len(choice.sentences)))


@dataclass(frozen=True)
class Parts:
    """The tools for the steps of a construction."""

    parser: SpacyParser
    targets: Targets
    paraphraser: Paraphraser
    infiller: Infiller

    @classmethod
    def usual(cls, sources: Sequence[Source], model: Model, seed: int) -> Parts:
        """Return the tools with a masked LM.

        The spellings of words are read from some hundred records, which the seed draws.
        """
        records = [record for source in sources for record in source.records]
        order = np.random.default_rng([seed, 3]).permutation(len(records))[:_SPELT]
        spelt = spellings(records[i].document or records[i].knowledge or records[i].text for i in order)
        return cls(SpacyParser(), Targets(), Paraphraser(Lexicon.read(), model), Infiller(model, spelt))

"""The context of an example, and a text in it or about it whose every word the context supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.words import is_word
from nlgauge.lab.training.weak_labels.sources import Record
from nlgauge.maths.sentences import sentence_ends
from nlgauge.maths.stopwords import is_stopword

TASKS = ("summarization", "reference", "style", "dialogue", "knowledge")

_WORD = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Gen|Col|Lt|Sgt|Rev|Hon|vs|No|Fig|cf|al|ca|Inc|Co)\.)\s*$"
)
_END = re.compile(r"[.!?][\"'”’)]*$")
_PARALLEL = 0.35  # of the content words, for a rewriting to be of the same sentence
_SHORTEST, _LONGEST = 5, 60  # words of a sentence that is worth choosing


class Choice(NamedTuple):
    """A context and the sentences chosen from it or for it."""

    context: str
    sentences: tuple[str, ...]
    parallel: str | None = None
    """A person's rewriting of the sentences, where the record has one"""


class Selector(Protocol):
    """What a selection of another kind has to offer."""

    @property
    def name(self) -> str:
        """For the data card"""
        ...

    def choose(self, sentences: Sequence[str], number: int, rng: np.random.Generator) -> list[int]:
        """At most `number` of the sentences, by index, in order."""
        ...


@dataclass(frozen=True)
class TextRank:
    """Sentences drawn among those that TextRank puts first (Mihalcea and Tarau 2004).

    ratio: the share of the sentences to draw among. The published code draws, in effect, among the best 90 %; 0.2 would
    make summaries. damping: of PageRank.
    """

    ratio: float = 0.9
    damping: float = 0.85

    @property
    def name(self) -> str:
        return f"TextRank(ratio={self.ratio}, damping={self.damping})"

    def choose(self, sentences: Sequence[str], number: int, rng: np.random.Generator) -> list[int]:
        ranks = textrank(sentences, self.damping)
        kept = max(number, round(self.ratio * len(sentences)))
        best = np.sort(np.argsort(-ranks, kind="stable")[:kept])
        return sorted(int(i) for i in rng.choice(best, min(number, len(best)), replace=False))


@dataclass(frozen=True)
class RandomSentences:
    """Any sentences, all alike."""

    name: str = "random sentences"

    def choose(self, sentences: Sequence[str], number: int, rng: np.random.Generator) -> list[int]:
        return sorted(int(i) for i in rng.choice(len(sentences), min(number, len(sentences)), replace=False))


def textrank(sentences: Sequence[str], damping: float = 0.85) -> NDArray[np.float64]:
    """The rank of each sentence, summing to 1: PageRank on words in common over the logarithms of the lengths."""
    bags = [set(content_stems(sentence)) for sentence in sentences]
    size = len(bags)
    weights = np.zeros((size, size))
    for i in range(size):
        for j in range(i):
            if common := len(bags[i] & bags[j]):
                weights[i, j] = weights[j, i] = common / (np.log(len(bags[i]) + 1) + np.log(len(bags[j]) + 1))
    totals = weights.sum(axis=1, keepdims=True)
    moves = np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / max(1, size))
    ranks = np.full(size, 1 / max(1, size))
    for _ in range(100):
        after = (1 - damping) / size + damping * (ranks @ moves)
        if np.abs(after - ranks).sum() < 1e-9:
            break
        ranks = after
    return ranks


def sentence_list(text: str) -> list[str]:
    """The sentences of a text, without the spaces around them. An initial or a title before a name ends none."""
    ends = [0, *sentence_ends(text), len(text)]
    parts: list[str] = []
    for begin, end in pairwise(ends):
        part = text[begin:end]
        if parts and _ABBREVIATED.search(parts[-1]) and not parts[-1].endswith("\n"):
            parts[-1] += part
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def worth_choosing(sentence: str) -> bool:
    """Whether it is one plain sentence: 5 to 60 words, a beginning and an end, letters for the most part."""
    size = sentence.count(" ") + 1
    letters = sum(character.isalpha() or character == " " for character in sentence)
    plain = letters >= 0.8 * len(sentence) and not sentence[0].islower()
    return _SHORTEST <= size <= _LONGEST and plain and _END.search(sentence) is not None


def stem(word: str) -> str:
    """A word without the endings that inflection puts on it, roughly."""
    word = word.lower().replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "i"
    for ending in ("ing", "ed", "es", "s"):
        if len(word) - len(ending) >= 3 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return (word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word).removesuffix("e")


def content_stems(text: str) -> list[str]:
    """The stems of a text's words that are no stop-words, in order."""
    return [stem(word) for word in _WORD.findall(text) if not is_stopword(word.partition("'")[0])]


@dataclass(frozen=True)
class Contexts:
    """How long contexts are: whole sentences, drawn between `shortest` and `longest` words, some up to `furthest`."""

    shortest: int = 60
    longest: int = 350
    furthest: int = 700
    long_share: float = 0.08

    def draw(self, rng: np.random.Generator) -> int:
        low, high = (self.longest, self.furthest) if rng.random() < self.long_share else (self.shortest, self.longest)
        return int(np.exp(rng.uniform(np.log(low), np.log(high))))

    def window(self, text: str, rng: np.random.Generator) -> str:
        """A run of whole sentences or lines of about the drawn number of words, from anywhere in the text."""
        wanted = self.draw(rng)
        if text.count(" ") + text.count("\n") < wanted:
            return text
        ends = [0, *sentence_ends(text), len(text)]
        sizes = [len(text[a:b].split()) for a, b in pairwise(ends)]
        reached = np.cumsum(sizes[::-1])[::-1]
        last = max(0, int((reached >= wanted).sum()) - 1)
        first = int(rng.integers(last + 1))
        size, end = 0, first
        while end < len(sizes) and size < wanted:
            size, end = size + sizes[end], end + 1
        return text[ends[first] : ends[end]].strip()


@dataclass(frozen=True)
class Targets:
    """Chooses the context and the text of an example, by task.

    summarization: 1 to 3 sentences of a stretch of the document, chosen by `summary`. knowledge: 1 to 3 sentences of
    the knowledge, chosen by `facts`. reference, style: the text itself is the context (of a style pair: the document,
    with its text as the parallel one). dialogue: the reply, where knowledge and history really hold what it says.

    covered: the share of a reply's content words that knowledge or history must hold; names and numbers, all.
    parallel: how often a record's own rewriting is taken as the paraphrase, for style.
    """

    summary: Selector = TextRank()
    facts: Selector = RandomSentences()
    contexts: Contexts = Contexts()
    covered: float = 0.6
    parallel: float = 0.5

    @property
    def name(self) -> str:
        return f"{self.summary.name}; knowledge: {self.facts.name}; replies covered >= {self.covered}"

    def choose(self, record: Record, task: str, rng: np.random.Generator) -> Choice | str:
        """The choice, or why there is none."""
        if task == "summarization":
            return self._sentences(self.contexts.window(record.document, rng), self.summary, rng)
        if task == "knowledge":
            text = record.knowledge or record.document
            lines = dict.fromkeys(self.contexts.window(text, rng).split("\n"))
            return self._sentences("\n".join(lines), self.facts, rng)
        if task == "dialogue":
            return self._reply(record)
        text = record.text or record.document if task == "reference" else record.document or record.text
        text = self.contexts.window(text, rng) if text.count(" ") > self.contexts.longest else text
        parallel = None
        if task == "style" and record.document and record.text and rng.random() < self.parallel:
            parallel = record.text if _covered(record.text, record.document) >= _PARALLEL else None
        return Choice(text, tuple(sentence_list(text)), parallel) if is_word(text) else "no text"

    def _sentences(self, context: str, selector: Selector, rng: np.random.Generator) -> Choice | str:
        sentences = [sentence for sentence in dict.fromkeys(sentence_list(context)) if worth_choosing(sentence)]
        if not sentences:
            return "no sentence worth choosing"
        chosen = selector.choose(sentences, int(rng.integers(1, 4)), rng)
        return Choice(context, tuple(sentences[index] for index in chosen))

    def _reply(self, record: Record) -> Choice | str:
        context = "\n".join([*([record.knowledge] if record.knowledge else []), *record.history])
        if not is_word(context) or not is_word(record.text):
            return "no reply, or nothing that it could rest on"
        known = set(content_stems(context))
        if len(content_stems(record.text)) < 4:
            return "a reply of under 4 content words"
        if _covered(record.text, context) < self.covered:
            return "a reply that goes beyond knowledge and history"
        telling = re.findall(r"(?<=[^.!?\s] )[A-Z][\w'’]+|\b\d[\w.,]*", record.text)
        if any(stem(word.rstrip(".,")) not in known for word in telling if not is_stopword(word.partition("'")[0])):
            return "a reply that goes beyond knowledge and history"
        return Choice(context, (record.text,))


def _covered(text: str, context: str) -> float:
    """The share of a text's content words that stand in the context too."""
    known, said = set(content_stems(context)), content_stems(text)
    return sum(word in known for word in said) / len(said) if said else 0.0

"""Choice of the context of an example, and of a text that this context supports word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.english import is_stopword
from nlgauge.engine.words import is_word
from nlgauge.maths.text import sentence_ends
from nlgauge_lab.training.weak_labels.sources import Record

TASKS = ("summarization", "reference", "style", "dialogue", "knowledge", "document-reference")

_WORD = re.compile(r"[^\W_]+(?:['’.,][^\W_]+)*")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Gen|Col|Lt|Sgt|Rev|Hon|vs|No|Fig|cf|al|ca|Inc|Co)\.)\s*$"
)
_END = re.compile(r"[.!?][\"'”’)]*$")
_PARALLEL = 0.35  # of the content words, for a rewriting to be of the same sentence
_REPLY = 0.6  # of the content words, that knowledge and history have to hold of a reply; names and numbers, all
_SHORTEST, _LONGEST = 5, 60  # words of a sentence that is worth choosing
_BEST, _DAMPING = 0.9, 0.85
_LONG = 0.08  # of the contexts


class Choice(NamedTuple):
    """A context, and the sentences from which the text of an example is made, as they are or paraphrased."""

    context: str
    sentences: tuple[str, ...]
    parallel: str | None = None
    """A person's rewriting of the sentences; None if there is none or it is not used"""


def textrank(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Return the ranks of sentences by TextRank (Mihalcea and Tarau 2004): [sentences]. They sum to 1.

    TextRank is PageRank, here with damping 0.85. The weight between two sentences is the number of words in common,
    divided by the sum of the logarithms of their lengths.
    """
    bags = [set(content_stems(sentence)) for sentence in sentences]
    logs = np.log([len(bag) + 1 for bag in bags])
    common = np.array([[len(one & other) * (one is not other) for other in bags] for one in bags])
    weights = common / np.maximum(logs[:, None] + logs, 1.0)
    totals = weights.sum(axis=1, keepdims=True)
    moves = np.divide(weights, totals, out=np.full_like(weights, 1 / len(bags)), where=totals > 0)
    return np.linalg.solve(np.eye(len(bags)) - _DAMPING * moves.T, np.full(len(bags), (1 - _DAMPING) / len(bags)))


def sentence_list(text: str) -> list[str]:
    """Return the sentences of a text, without the spaces around them.

    An initial, or a title before a name, ends no sentence.
    """
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
    """Return whether a text is one plain sentence: 5 to 60 words, a proper beginning and end, mostly letters."""
    size = sentence.count(" ") + 1
    letters = sum(character.isalpha() or character == " " for character in sentence)
    plain = letters >= 0.8 * len(sentence) and not sentence[0].islower()
    return _SHORTEST <= size <= _LONGEST and plain and _END.search(sentence) is not None


def stem(word: str) -> str:
    """Return a word without the endings of inflection, roughly."""
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
    """Return the stems of a text's words without stop-words, in order."""
    return [stem(word) for word in _WORD.findall(text) if not is_stopword(word.partition("'")[0])]


@dataclass(frozen=True)
class Targets:
    """Chooses the context and the text of an example, by task.

    - summarization: the context is a part of the document. The text is 1 to 3 of its sentences, drawn among the 90 %
      that TextRank puts first, as the published code does in effect.
    - knowledge: the text is 1 to 3 sentences of the knowledge.
    - reference, style: the text is also the context. A style record with a document has the document as context and as
      text, and the record's text may replace the paraphrase.
    - dialogue: the text is the reply, if knowledge and history contain what it says.
    - document-reference: the text is the record's text, and the context is the document. The text may say what the
      document does not, and yet counts as supported (the ablation of appendix A.1).

    shortest, longest: number of words in a context; some contexts have up to twice as many. parallel: for style, the
    probability that the record's own rewriting is taken as the paraphrase.
    """

    shortest: int = 60
    longest: int = 350
    parallel: float = 0.5

    def choose(self, record: Record, task: str, rng: np.random.Generator) -> Choice | str:
        """Return the choice for a record and a task, or the reason why there is none."""
        if task == "summarization":
            return self._sentences(self.window(record.document, rng), _BEST, rng)
        if task == "knowledge":
            lines = dict.fromkeys(self.window(record.knowledge or record.document, rng).split("\n"))
            return self._sentences("\n".join(lines), 1.0, rng)
        if task == "dialogue":
            return self._reply(record)
        if task == "document-reference":
            whole = is_word(record.document) and is_word(record.text)
            return Choice(record.document, tuple(sentence_list(record.text))) if whole else "no document or no text"
        text = record.text or record.document if task == "reference" else record.document or record.text
        text = self.window(text, rng) if text.count(" ") > self.longest else text
        parallel = None
        if task == "style" and record.document and record.text and rng.random() < self.parallel:
            parallel = record.text if _covered(record.text, record.document) >= _PARALLEL else None
        return Choice(text, tuple(sentence_list(text)), parallel) if is_word(text) else "no text"

    def window(self, text: str, rng: np.random.Generator) -> str:
        """Return a run of whole sentences or lines, from anywhere in the text.

        Its length in words is drawn at random, and is met approximately.
        """
        low, high = (self.longest, 2 * self.longest) if rng.random() < _LONG else (self.shortest, self.longest)
        wanted = int(np.exp(rng.uniform(np.log(low), np.log(high))))
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

    def _sentences(self, context: str, share: float, rng: np.random.Generator) -> Choice | str:
        sentences = [sentence for sentence in dict.fromkeys(sentence_list(context)) if worth_choosing(sentence)]
        if not sentences:
            return "no sentence worth choosing"
        number = int(rng.integers(1, 4))
        kept = max(number, round(share * len(sentences)))
        best = np.sort(np.argsort(-textrank(sentences), kind="stable")[:kept])
        chosen = np.sort(rng.choice(best, min(number, len(best)), replace=False))
        return Choice(context, tuple(sentences[index] for index in chosen))

    @staticmethod
    def _reply(record: Record) -> Choice | str:
        context = "\n".join([*([record.knowledge] if record.knowledge else []), *record.history])
        if not is_word(context) or not is_word(record.text):
            return "no reply, or nothing that it could rest on"
        known = set(content_stems(context))
        if len(content_stems(record.text)) < 4:
            return "a reply of under 4 content words"
        if _covered(record.text, context) < _REPLY:
            return "a reply that goes beyond knowledge and history"
        telling = re.findall(r"(?<=[^.!?\s] )[A-Z][\w'’]+|\b\d[\w.,]*", record.text)
        if any(stem(word.rstrip(".,")) not in known for word in telling if not is_stopword(word.partition("'")[0])):
            return "a reply that goes beyond knowledge and history"
        return Choice(context, (record.text,))


def _covered(text: str, context: str) -> float:
    """Return the share of a text's content words that the context has too; 0 if the text has none."""
    known, said = set(content_stems(context)), content_stems(text)
    return sum(word in known for word in said) / len(said) if said else 0.0

"""Labelled texts, made from texts without labels and from the supported texts of labelled sets.

A text is copied from a passage, or says the same in other words. The other words come from a person (a simplification
or a translation) or from rules. Some texts are edited, and the words of the edit are the unsupported ones. So a copied
text may be wrong, and a text in other words may be right. Sources of all kinds are equally often put among passages
about other things.

Row i follows from (seed, i) alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge_lab.training.labelled import Labelled, sentences_of
from nlgauge_lab.training.passages import read_lines
from nlgauge_lab.training.support import edits, figures
from nlgauge_lab.training.support.edits import Edits, Place, names, sentences
from nlgauge_lab.training.support.faithful import reworded
from nlgauge_lab.training.weak_labels.sources import read_records

_CLAUSE = re.compile(
    r"^(?P<subject>(?:He|She|It|They|(?:The|This|His|Her|Its|Their) (?:[\w'’-]+ ){0,3}?[a-z]+"
    r"|[A-Z][a-z]+(?: [A-Z][a-z]+)?)) "
    r"(?P<verb>is|are|was|were|can|could|will|would|must) (?P<rest>[a-z][^?!;:]{8,140})[.]$"
)
_NO_SUBJECT = re.compile(
    r"\b(?:said|says|say|that|told|asked|added|called|and|who|which|where|when|if|there|but|so|also|neither|however"
    r"|moreover|thus|then|this|these|those|today|now|here|some|others?|many|most|all)\b",
    re.IGNORECASE,
)
_SMALL = frozenset(["the", "a", "an", "this", "his", "her", "its", "their", "he", "she", "it", "they"])
_ASKED = (
    "What is known about this?",
    "What does the text say?",
    "What happened?",
    "Who was involved?",
    "When did it happen?",
    "How does it work?",
    "Why does it matter?",
    "Can you summarise this?",
    "Tell me about it.",
    "What should I know?",
)
_ABOUT = ("What is known about {}?", "Tell me about {}.", "What does the text say about {}?", "Who or what is {}?")


def question(names: list[str], rng: random.Random) -> str:
    """Return a question that a text may answer. If there are names, it may be about one of them."""
    return rng.choice(_ABOUT).format(rng.choice(names)) if names and rng.random() < 0.6 else rng.choice(_ASKED)


def asked(sentence: str) -> tuple[str, str] | None:
    """Return a question made from the sentence, with the answer yes or no, and the verb that the question begins with.

    The result is None if the rules cannot turn the sentence into a question.
    """
    match = _CLAUSE.match(sentence)
    if match is None or re.search(r"\bnot\b|n't\b|\bnever\b|, | (?:and|but) ", sentence):
        return None
    if _NO_SUBJECT.search(match["subject"].removeprefix("This ")):
        return None
    subject, verb = match["subject"], match["verb"]
    first, _, others = subject.partition(" ")
    if first.lower() in _SMALL:
        subject = f"{first.lower()} {others}".strip()
    return f"{verb.capitalize()} {subject} {match['rest']}?", verb


def answer(yes: bool, verb: str, rng: random.Random) -> str:
    """Return a short answer, such as "Yes." or "No, it was not."."""
    if rng.random() < 0.6:
        return "Yes." if yes else "No."
    whom = "they" if verb in ("are", "were") else "it"
    return f"Yes, {whom} {verb}." if yes else f"No, {whom} {verb} not."


KINDS: Mapping[str, Edits] = {
    "number": figures.number,
    "numbers exchanged": figures.exchanged,
    "unit": figures.unit,
    "name": edits.name,
    "roles": edits.roles,
    "antonym": edits.antonym,
    "strength": edits.strength,
    "tense": edits.tense,
    "negation": edits.negation,
    "addition": edits.addition,
    "tail": edits.tail,
    "cause": edits.cause,
}
_SHARES = (5, 2, 1, 5, 3, 5, 3, 2, 3, 1, 1, 2)
_TRIES = 20
_LONGEST = 60


@dataclass(frozen=True)
class Mixture:
    """The shares of the kinds of constructed rows."""

    edited: float = 0.55
    """Share of the copied texts that are edited. The others are supported"""
    edited_parallel: float = 0.55
    """Share of the edited texts among the texts that a person wrote in other words"""
    parallel: float = 0.5
    """Share of the rows whose text says the source in a person's other words. The other texts are copied"""
    reworded: float = 0.5
    """Share of the copied texts that are reworded by rules"""
    answers: float = 0.06
    """Share of the rows whose text is yes or no, as the answer to a question"""
    among: float = 0.5
    """Share of the rows whose source is among other passages"""
    asked: float = 0.2
    """Share of the rows that get a question, among those whose text is not an answer yes or no"""


@dataclass(frozen=True)
class Texts:
    """The texts that rows are made from."""

    passages: Sequence[str]
    parallel: Sequence[tuple[str, str]] = ()
    """(text, the same in other words)"""


@dataclass(frozen=True)
class Among:
    """The additional rows that are made from a labelled set, each time that it is read."""

    passages: Sequence[str]
    among: float = 0.0
    """Share of the rows whose source is put among other passages"""
    edited: float = 0.0
    """Share of the supported rows that are added again with an edit"""
    together: float = 0.0
    """Share of the rows that are added again, joined with another row"""
    alone: float = 0.0
    """Share of the rows whose sentences are added as rows of their own, if it is known which of them are supported"""

    def rows(self, rows: Sequence[Labelled], seed: int) -> Iterator[Labelled]:
        """Yield the rows, and the additional rows."""
        rng = random.Random(f"{seed}:labelled")
        for row in rows:
            yield self._placed(row, rng)
            if rng.random() < self.edited and (other := edited(row, rng.choice(self.passages), rng)) is not None:
                yield self._placed(other, rng)
            if rng.random() < self.together:
                yield self._placed(together(row, rng.choice(rows)), rng)
            if rng.random() < self.alone and len(parts := sentences_of(row)) > 1:
                yield from (self._placed(part, rng) for part in parts)

    def _placed(self, row: Labelled, rng: random.Random) -> Labelled:
        return among(row, self.passages, rng) if rng.random() < self.among else row


def made(texts: Texts, rows: int, seed: int, mixture: Mixture) -> Iterator[Labelled]:
    """Yield constructed rows, at most `rows`. If a text has nothing to edit, other texts are tried."""
    for number in range(rows):
        rng = random.Random(f"{seed}:{number}")
        doubt = rng.random()  # drawn once: what cannot be edited would else be supported more often
        for _ in range(_TRIES):
            if (row := _attempt(texts, mixture, doubt, rng)) is not None:
                yield row
                break


def edited(row: Labelled, elsewhere: str, rng: random.Random) -> Labelled | None:
    """Return a supported row with an edit of a random kind.

    The result is None if the row is not supported, its text is too long, or the edit finds nothing to change.
    """
    if not row.supported or len(row.candidate.split()) > _LONGEST:
        return None
    (kind,) = rng.choices(list(KINDS), _SHARES)
    edit = KINDS[kind](Place(row.candidate, row.source, elsewhere), rng)
    if edit is None:
        return None
    return replace(
        row, candidate=edit.text, spans=edit.spans, supported=False, words=None, contradicted=edit.contradicts
    )


def among(row: Labelled, passages: Sequence[str], rng: random.Random) -> Labelled:
    """Return the row with its source at any place among one to eight other passages."""
    others = [part_of(rng.choice(passages), rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 6, 8)))]
    at = rng.randint(0, len(others))
    return replace(row, source="\n".join([*others[:at], row.source, *others[at:]]))


def together(one: Labelled, other: Labelled) -> Labelled:
    """Return two rows as one, with both sources and both texts. It is supported if both are."""
    return Labelled(
        f"{one.source}\n{other.source}",
        f"{one.candidate} {other.candidate}",
        None,
        one.supported and other.supported,
        contradicted=None,
    )


def _attempt(texts: Texts, mixture: Mixture, doubt: float, rng: random.Random) -> Labelled | None:
    passage, elsewhere = rng.choice(texts.passages), rng.choice(texts.passages)
    edits = mixture.edited
    if rng.random() < mixture.answers:
        row = _answered(passage, elsewhere, rng)
    elif texts.parallel and rng.random() < mixture.parallel:
        source, text = rng.choice(texts.parallel)
        row, edits = Labelled(source, text, (), True), mixture.edited_parallel
    else:
        row = _copied(passage, mixture, rng)
    if row is not None and row.question is None:
        if not 3 <= len(row.candidate.split()) <= 2 * _LONGEST:
            return None
        row = edited(row, elsewhere, rng) if doubt < edits else row
    if row is None:
        return None
    if rng.random() < mixture.among:
        row = among(row, texts.passages, rng)
    if row.question is None and rng.random() < mixture.asked:
        row = replace(row, question=question([match.group() for match in names(row.candidate)], rng))
    return row


def _copied(passage: str, mixture: Mixture, rng: random.Random) -> Labelled | None:
    """Return a row whose text is one to three sentences of a passage, and whose source is the passage.

    The sentences may be reworded. The result is None if the passage has no suitable sentence.
    """
    there = [one for one in sentences(passage) if 4 <= len(one.split()) <= _LONGEST]
    if not there:
        return None
    chosen = [
        there[at] for at in sorted(rng.sample(range(len(there)), min(len(there), rng.choice((1, 1, 1, 2, 2, 3)))))
    ]
    if rng.random() < mixture.reworded:
        chosen = [reworded(one, rng) for one in chosen]
    if rng.random() < 0.15:
        rng.shuffle(chosen)
    return Labelled(passage, " ".join(chosen), (), True)


def _answered(passage: str, elsewhere: str, rng: random.Random) -> Labelled | None:
    """Return a row whose text is yes or no, as the answer to a question about a sentence of the passage.

    The sentence may be changed so that the passage contradicts it. The result is None if no sentence makes a question.
    """
    built = [one for one in sentences(passage) if asked(one) is not None]
    if not built:
        return None
    sentence, holds = rng.choice(built), True
    if rng.random() < 0.5:
        kind = rng.choice((figures.number, edits.name, edits.antonym))
        edit = kind(Place(sentence, passage, elsewhere), rng)
        if edit is None:
            return None
        sentence, holds = edit.text, False
    found = asked(sentence)
    if found is None:
        return None
    right = rng.random() < 0.5
    text = answer(right == holds, found[1], rng)
    spans = () if right else ((0, len(text.rstrip("."))),)
    return Labelled(
        source=passage,
        candidate=text,
        spans=spans,
        supported=right,
        words=None,
        question=found[0],
        contradicted=None if right else True,
    )


def part_of(passage: str, rng: random.Random) -> str:
    """Return the beginning of a passage, up to the end of a sentence."""
    wanted, part = rng.randint(15, 160), ""
    for sentence in sentences(passage):
        part = f"{part} {sentence}".strip()
        if len(part.split()) >= wanted:
            break
    return part


_SHORTEST, _MOST = 12, 600
_PARALLEL = 60
"""The largest number of words in each text of a pair"""
_ALIKE = (0.4, 2.0)
"""Least and largest ratio of the words of the second text to those of the first. A longer second text tells something
new
"""


def read_texts(folder: Path, recipe: Mapping[str, Any], seed: int) -> tuple[Texts, Texts]:
    """Return texts to train on and held-out texts, read from the files in the recipe's tables.

    The tables [[support.passages]] and [[support.parallel]] have `files`, a pattern below the folder, and `most`, the
    largest number of texts of each file. [[support.parallel]] may have `leave_out`, data sets that are not read.
    `held_out` is the share of the texts that is held out.

    Raises:
        InputError: no file fits a pattern, or there are no passages.
    """
    passages: list[str] = []
    parallel: list[tuple[str, str]] = []
    for entry in recipe.get("passages", ()):
        for path in _files(folder, entry["files"]):
            lines = [line for line in read_lines(path) if _SHORTEST <= len(line.split()) <= _MOST]
            passages += _drawn(lines, entry, seed)
    for entry in recipe.get("parallel", ()):
        for path in _files(folder, entry["files"]):
            records = [one for one in read_records(path) if one.origin not in entry.get("leave_out", ())]
            pairs = [(one.document, one.text) for one in records if _says_the_same(one.document, one.text)]
            parallel += _drawn(pairs, entry, seed)
    if not passages:
        raise InputError("no passages to construct rows from", file=folder, remedy="give [[support.passages]]")
    random.Random(f"{seed}:passages").shuffle(passages)
    random.Random(f"{seed}:pairs").shuffle(parallel)
    share = float(recipe.get("held_out", 0.02))
    cut, apart = max(1, round(share * len(passages))), round(share * len(parallel))
    return Texts(passages[cut:], parallel[apart:]), Texts(passages[:cut], parallel[:apart])


def _files(folder: Path, pattern: str) -> list[Path]:
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputError(f"no file {pattern}", file=folder, remedy="give the folder that the recipe's patterns fit")
    return found


def _drawn(some: Sequence[Any], entry: Mapping[str, Any], seed: int) -> list[Any]:
    most = int(entry.get("most", 0))
    return random.Random(f"{seed}:{entry['files']}").sample(some, most) if 0 < most < len(some) else list(some)


def _says_the_same(one: str, other: str) -> bool:
    sizes = len(one.split()), len(other.split())
    return 4 <= sizes[0] <= _PARALLEL and 4 <= sizes[1] <= _PARALLEL and _ALIKE[0] <= sizes[1] / sizes[0] <= _ALIKE[1]

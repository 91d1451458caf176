"""Corruption of examples: unsupported words are put into the text, or support is taken out of the context."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from nlgauge.engine.english import is_stopword
from nlgauge.engine.words import is_word
from nlgauge_lab.training.labelled import Labelled
from nlgauge_lab.training.support.make import edited
from nlgauge_lab.training.weak_labels.attempts import LEFT, TRIES, Draft, Parts, Settings, Source, Spans, lacking
from nlgauge_lab.training.weak_labels.inflection import article
from nlgauge_lab.training.weak_labels.syntax import Sentence, template
from nlgauge_lab.training.weak_labels.targets import content_stems

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ARTICLE = re.compile(r"\b([Aa])n? $")


def assembled(
    pieces: Sequence[str], originals: Sequence[str], fillings: Sequence[str], same: Callable[[str, str], bool]
) -> tuple[str, Spans]:
    """Return the text of pieces and fillings in turn, and the spans of characters that are not supported.

    A filling is replaced by the original if it cannot be called wrong, because it has no content word that the original
    lacks.

    Args:
        pieces: the sentence around its holes.
        originals: the original words of each hole.
        fillings: the new words of each hole.
        same: whether two words in lower case have the same meaning.
    """
    text, spans = "", []
    for piece, original, filling in zip(pieces, [*originals, ""], [*fillings, ""], strict=True):
        text += piece
        stems = set(content_stems(filling))
        if stems <= set(content_stems(original)):
            filling = original
        if filling and (found := _ARTICLE.search(text)):
            text = f"{text[: found.start()]}{found[1]}{article(filling)[1:]} "
        if filling and (not text.strip() or re.search(r"[.!?] $", text)):
            filling = filling[0].upper() + filling[1:]
        spans += [(len(text) + begin, len(text) + end) for begin, end in changed(original, filling, same)]
        text += filling
    return text, tuple(spans)


def changed(original: str, filling: str, same: Callable[[str, str], bool]) -> list[tuple[int, int]]:
    """Return the span of the filling between the words that it shares with the original at both ends.

    The list is empty if no word is left between them.
    """
    ours = [found[0].lower() for found in WORD.finditer(original)]
    found = list(WORD.finditer(filling))
    theirs = [match[0].lower() for match in found]

    def equal(i: int, j: int) -> bool:
        return ours[i] == theirs[j] or same(ours[i], theirs[j])

    first = 0
    while first < min(len(ours), len(theirs)) and equal(first, first):
        first += 1
    last = 0
    while last < min(len(ours), len(theirs)) - first and equal(len(ours) - 1 - last, len(theirs) - 1 - last):
        last += 1
    inner = found[first : len(found) - last]
    return [(inner[0].start(), inner[-1].end())] if inner else []


def absent(text: str, context: str) -> Spans:
    """Return the spans of a text's words that a context about another subject does not have.

    Content words are compared by their stems. A stop-word counts like the next content word, or at the end like the one
    before.
    """
    known = set(content_stems(context))
    words = [found.span() for found in WORD.finditer(text)]
    verdicts: list[bool | None] = []
    for begin, end in words:
        stems = content_stems(text[begin:end])
        verdicts.append(None if is_stopword(text[begin:end]) or not stems else stems[0] in known)
    following: bool | None = None
    for index in range(len(verdicts) - 1, -1, -1):
        following = verdicts[index] if verdicts[index] is not None else following
        verdicts[index] = following
    before = False
    for index, verdict in enumerate(verdicts):
        verdicts[index] = before = before if verdict is None else verdict
    return tuple(word for word, verdict in zip(words, verdicts, strict=True) if not verdict)


_NOTHING = "nothing was corrupted"
Span = tuple[int, int]
"""Words [first, last) of a sentence"""


def corrupt(drafts: list[Draft], parts: Parts, sources: Sequence[Source], settings: Settings) -> None:
    """Corrupt drafts: put unsupported words into the text, or take support out of the context."""
    for draft in drafts:
        if draft.how == "withheld":
            _withhold(draft)
        elif draft.how in ("foreign", "exchanged"):
            other = _foreign(draft, parts, sources)
            if other is None:
                draft.problem = "no other record"
            elif draft.how == "exchanged":
                _exchange(draft, other)
            else:
                draft.context, draft.spans = other, absent(draft.text, other)
    _infill([draft for draft in drafts if draft.how == "infilled"], parts, settings)


def _infill(drafts: list[Draft], parts: Parts, settings: Settings) -> None:
    """Mask units of the text's sentences, and fill them with a model that has not seen the context."""
    masked: list[tuple[Draft, Sentence, list[Span]]] = []
    for draft, sentences in zip(drafts, parts.parser.parse([draft.text for draft in drafts]), strict=True):
        spared = draft.rng.random(len(sentences)) < settings.spared
        if len(sentences):
            spared[int(draft.rng.integers(len(spared)))] = False
        for sentence, whole in zip(sentences, spared, strict=True):
            if (spans := [] if whole else masks(sentence, draft.rng)) is None:
                draft.problem = "no masks that are allowed"
            masked.append((draft, sentence, spans or []))
        draft.text = ""
    templates = [template(sentence, spans) for _, sentence, spans in masked]
    filled = parts.infiller.fill(templates, [draft.rng.spawn(1)[0] for draft, *_ in masked])
    for (draft, *_), holed, fillings in zip(masked, templates, filled, strict=True):
        if fillings is None:
            draft.problem = "a sentence that does not fit the model's window"
        text, wrong = assembled(*holed, fillings or holed.originals, parts.paraphraser.lexicon.alike)
        at = len(draft.text) + 1 if draft.text else 0
        draft.text = f"{draft.text} {text}" if draft.text else text
        draft.spans += tuple((at + begin, at + end) for begin, end in wrong)
    for draft in drafts:
        if not draft.spans:
            draft.problem = draft.problem or _NOTHING


def _exchange(draft: Draft, elsewhere: str) -> None:
    """Make one edit of the draft's text.

    At most `TRIES` kinds of edits are drawn, until one of them finds something to change. If none does, the draft gets
    a problem.

    Args:
        draft: the draft.
        elsewhere: a passage about something else, from which edits take names and sentences.
    """
    rng, row = random.Random(int(draft.rng.integers(2**32))), Labelled(draft.context, draft.text, (), True)
    found = next((one for _ in range(TRIES) if (one := edited(row, elsewhere, rng)) is not None), None)
    if found is None:
        draft.problem = _NOTHING
    else:
        draft.text, draft.spans = found.candidate, found.spans or ()


def _foreign(draft: Draft, parts: Parts, sources: Sequence[Source]) -> str | None:
    """Return the context of another record of the same task; None if none is found."""
    same = [source for source in sources if source.task == draft.task]
    for _ in range(8):
        source = same[int(draft.rng.integers(len(same)))]
        record = source.records[int(draft.rng.integers(len(source.records)))]
        if record is not draft.record and not set(record.groups) & set(draft.record.groups):
            choice = parts.targets.choose(record, draft.task, draft.rng)
            if not isinstance(choice, str):
                return choice.context
    return None


def _withhold(draft: Draft) -> None:
    """Remove some or all of the chosen sentences from the draft's context, as long as at least `LEFT` words remain.

    The words of the text that only the removed sentences support become unsupported.
    """
    chosen = draft.choice.sentences
    gone: list[int] = []
    number = int(draft.rng.integers(1, len(chosen) + 1))
    for index in draft.rng.permutation(len(chosen)).tolist():
        if len(gone) < number and len(lacking(draft.choice, [*gone, index]).split()) >= LEFT:
            gone.append(index)
    draft.context = lacking(draft.choice, gone)
    ends = np.cumsum([len(text) + 1 for text in draft.texts])
    place = {span: int(np.searchsorted(ends, span[0], side="right")) for span in absent(draft.text, draft.context)}
    draft.spans = tuple(span for span in place if draft.origins[place[span]] in gone)


def masks(sentence: Sentence, rng: np.random.Generator, attempts: int = 5, longest: int = 6) -> list[Span] | None:
    """Return the spans of a sentence's words that are masked: syntactic units, of which large ones are rarer.

    Deng et al. 2021, appendix A, step 3, with the probabilities of the published code: a unit of height h with a share
    w of the sentence's words is masked with probability w / (h + 1). A single stop-word, and a unit without letter or
    digit, is never masked. A masked unit replaces the masks inside it. A draw is refused if it has no mask, two masks
    that touch, or the whole sentence.

    Args:
        sentence: the sentence.
        rng: draws the units.
        attempts: the largest number of draws.
        longest: the largest number of words in a mask. The published code has no such limit. A small masked LM writes
            no long phrases.

    Returns:
        At least one span, disjoint and in order; None if every draw was refused.
    """
    size = max(1, len(sentence.text.split()))
    wordlike = [is_word(sentence.text[word.begin : word.end]) for word in sentence.words]
    chances: dict[Span, float] = {}
    for first, last, height in sentence.nodes:
        while first < last and not wordlike[first]:
            first += 1
        while first < last and not wordlike[last - 1]:
            last -= 1
        if 0 < last - first <= longest:
            part = sentence.part(first, last)
            never = is_stopword(part) or not is_word(part)
            chances.setdefault((first, last), 0.0 if never else len(part.split()) / size / (height + 1))
    for _ in range(attempts):
        chosen: list[Span] = []
        for (first, last), draw in zip(chances, rng.random(len(chances)), strict=True):
            if draw < chances[first, last]:
                chosen = [span for span in chosen if not (first <= span[0] and span[1] <= last)]
                chosen.append((first, last))
        chosen.sort()
        covered = {index for span in chosen for index in range(*span)}
        whole = all(index in covered for index, word in enumerate(wordlike) if word)
        if chosen and not whole and all(before[1] < after[0] for before, after in pairwise(chosen)):
            return chosen
    return None

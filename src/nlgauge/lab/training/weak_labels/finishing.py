"""Words and labels of what was corrupted: the last step of an example."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from nlgauge.lab.training.weak_labels.attempts import Draft, Source
from nlgauge.lab.training.weak_labels.examples import Example, word_spans
from nlgauge.lab.training.weak_labels.inflection import article
from nlgauge.lab.training.weak_labels.labels import Filled, absent, assembled
from nlgauge.lab.training.weak_labels.masking import Span
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.pseudo_targets import content_stems, stem
from nlgauge.lab.training.weak_labels.withholding import withheld


def finished(draft: Draft, parts: Parts, sources: Sequence[Source], seed: int) -> Example | str:
    """The example, or why there is none after all."""
    context = draft.choice.context
    fills = [
        Filled(original, _kept(original, filling))
        for original, filling in zip(draft.originals, draft.fillings, strict=True)
    ]

    def same(one: str, other: str) -> bool:
        return stem(one) == stem(other) or parts.lexicon.related(one, other)

    text, bad = assembled(_agreeing(draft.pieces, fills), fills, same)
    if draft.how in ("infilled", "exchanged") and not bad:
        return "nothing was corrupted"
    words = word_spans(text, parts.tokenizer.encode([text])[0].offsets)
    if not words:
        return "no words"
    supported = [not any(begin < last and first < end for first, last in bad) for begin, end in words]
    if draft.how == "foreign":
        context = _foreign(draft, parts, sources, seed)
        supported = absent(text, words, context)
    elif draft.how == "withheld":
        context, gone = withheld(draft.choice, draft.rng)
        supported = _without(draft, text, words, context, gone)
    made = "+".join([*draft.made, draft.how])
    return Example(context, text, words, tuple(supported), draft.task, draft.record.origin, made, draft.number)


def _agreeing(pieces: Sequence[str], fills: Sequence[Filled]) -> list[str]:
    """The pieces with 'a' and 'an' as the fillings after them ask."""
    fixed = list(pieces)
    for index, fill in enumerate(fills):
        found = re.search(r"\b([Aa])n? $", pieces[index])
        if found and fill.filling:
            fixed[index] = f"{pieces[index][: found.start()]}{found[1]}{article(fill.filling)[1:]} "
    return fixed


def _kept(original: str, filling: str) -> str:
    """The filling, or the original where nobody could say that the filling is wrong."""
    stems = content_stems(filling)
    if not stems and content_stems(original):
        return original  # a pronoun for a name may well be right
    if stems and set(stems) <= set(content_stems(original)):
        return original
    return filling


def _foreign(draft: Draft, parts: Parts, sources: Sequence[Source], seed: int) -> str:
    """The context that another record of the task has."""
    same = [source for source in sources if source.task == draft.task]
    for _ in range(8):
        source = same[int(draft.rng.integers(len(same)))]
        record = source.records[int(draft.rng.integers(len(source.records)))]
        if record is not draft.record and not set(record.groups) & set(draft.record.groups):
            choice = parts.targets.choose(record, draft.task, draft.rng)
            if not isinstance(choice, str):
                return choice.context
    return draft.choice.context


def _without(draft: Draft, text: str, words: Sequence[Span], context: str, gone: list[int]) -> list[bool]:
    """Labels of a text some of whose sentences the context lacks."""
    lost = absent(text, words, context)
    ends = np.cumsum([len(sentence) + 1 for sentence in draft.paraphrased])
    places = np.searchsorted(ends, [begin for begin, _ in words], side="right")
    return [kept or draft.origins[place] not in gone for kept, place in zip(lost, places, strict=True)]

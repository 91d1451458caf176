"""Corruption of sentences: what is masked, and what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.lab.training.weak_labels.attempts import Draft
from nlgauge.lab.training.weak_labels.masking import Span
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.reading import Template, fits
from nlgauge.lab.training.weak_labels.settings import Settings
from nlgauge.lab.training.weak_labels.spans import entities, kind
from nlgauge.lab.training.weak_labels.syntax import Sentence, template

_CHOICE_TEMPERATURE = 1.5


def corrupt(drafts: list[Draft], parts: Parts, settings: Settings) -> None:
    """Masks, and what stands in their place."""
    holed: dict[str, list[tuple[Draft, Template]]] = {"infilled": [], "exchanged": []}
    choices: list[list[list[str]]] = []
    for draft in drafts:
        spans = _spans(draft, parts, settings)
        if spans is None:
            draft.problem = "no masks that are allowed"
            continue
        draft.pieces = [""]
        for number, (sentence, some) in enumerate(zip(draft.sentences, spans, strict=True)):
            made = template(sentence, some)
            draft.pieces[-1] += (" " if number else "") + made.pieces[0]
            draft.pieces += made.pieces[1:]
            draft.originals += made.originals
            if some:
                holed[draft.how].append((draft, made))
                if draft.how == "exchanged":
                    choices.append([_others(draft, sentence, span, parts, settings) for span in some])
    templates = [made for _, made in holed["infilled"]]
    rngs = [draft.rng.spawn(1)[0] for draft, _ in holed["infilled"]]
    for (draft, made), fillings in zip(holed["infilled"], parts.infiller.fill(templates, rngs), strict=True):
        if fillings is None:
            draft.problem = "the infilling does not fit its template"
        draft.fillings += fillings or made.originals
    scores = _scores(parts.judge, [made for _, made in holed["exchanged"]], choices)
    for (draft, made), wordings, fit in zip(holed["exchanged"], choices, scores, strict=True):
        for original, words, how_well in zip(made.originals, wordings, fit, strict=True):
            # Gumbel's way of drawing by softmax: the better it fits the place, the likelier.
            drawn = how_well / _CHOICE_TEMPERATURE + draft.rng.gumbel(size=len(words))
            draft.fillings.append(words[int(drawn.argmax())] if words else original)


def _scores(
    judge: Model | None, templates: Sequence[Template], choices: Sequence[Sequence[Sequence[str]]]
) -> list[list[np.ndarray]]:
    if judge is None:
        return [[np.zeros(len(words)) for words in some] for some in choices]
    return [[np.nan_to_num(one, neginf=0.0) for one in some] for some in fits(judge, templates, choices)]


def _spans(draft: Draft, parts: Parts, settings: Settings) -> list[list[Span]] | None:
    """What is corrupted in each sentence; None where it could not be drawn."""
    if draft.how not in ("infilled", "exchanged"):
        return [[] for _ in draft.sentences]
    spared = draft.rng.random(len(draft.sentences)) < settings.spared
    spared[int(draft.rng.integers(len(spared)))] = False
    spans: list[list[Span]] = []
    for sentence, whole in zip(draft.sentences, spared, strict=True):
        if whole:
            spans.append([])
            continue
        if draft.how == "exchanged":
            some = _exchangeable(sentence, draft.rng)
        elif (added := _additions(sentence)) and draft.rng.random() < settings.added:
            some = [added[int(draft.rng.integers(len(added)))]]
        else:
            some = parts.masker.masks(sentence, draft.rng)
        if some is None:
            return None
        spans.append(some)
    return spans


def _additions(sentence: Sentence) -> list[Span]:
    """Holes without words, before nouns right after an article: where an adjective could be put in."""
    return [
        (index, index)
        for index, word in enumerate(sentence.words)
        if index and word.tag in ("NN", "NNS") and sentence.words[index - 1].tag == "DT" and not word.entity
    ]


def _exchangeable(sentence: Sentence, rng: np.random.Generator) -> list[Span] | None:
    """One to three places where a name, a number or a phrase can be exchanged; names and numbers twice as likely."""
    named = [span for span in entities(sentence) if kind(sentence, *span)]
    phrases = [(node.first, node.last) for node in sentence.nodes if node.last - node.first < len(sentence.words) // 2]
    pool = sorted({*named, *(span for span in phrases if kind(sentence, *span))})
    if not pool:
        return None
    weights = np.array([4.0 if span in named else 1.0 for span in pool])
    chosen: list[Span] = []
    wanted = int(rng.integers(1, 4))
    for index in rng.choice(len(pool), len(pool), replace=False, p=weights / weights.sum()):
        first, last = pool[index]
        if all(last < begin or end < first for begin, end in chosen):
            chosen.append((first, last))
        if len(chosen) == wanted:
            break
    return sorted(chosen)


def _others(draft: Draft, sentence: Sentence, span: Span, parts: Parts, settings: Settings) -> list[str]:
    """What a span could be exchanged for."""
    near: list[str] = []
    if draft.rng.random() < settings.near:
        here = " ".join(draft.choice.sentences)
        known = parts.bank.spans.get(kind(sentence, *span) or "", ())
        near = [one for one in known if one not in here and f" {one} " in draft.choice.context]
    return parts.bank.others(sentence, span, draft.rng, near)

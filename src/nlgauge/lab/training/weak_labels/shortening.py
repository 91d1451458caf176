"""Sentences without what they can do without."""

from __future__ import annotations

from nlgauge.lab.training.weak_labels.sentence_order import MOVABLE, Order, Rule, final_sign, text_of
from nlgauge.lab.training.weak_labels.syntax import Sentence


def without_aside(sentence: Sentence) -> Order | None:
    """The bridge (opened in May), it is said, held. -> The bridge held."""
    texts = [text_of(sentence, index) for index in range(len(sentence.words))]
    if "(" in texts and ")" in texts[texts.index("(") :]:
        first, last = texts.index("("), texts.index(")", texts.index("("))
        return [*range(first), *range(last + 1, len(texts))] if first else None
    for index, word in enumerate(sentence.words):
        span = sentence.span(index) if word.relation in ("relcl", "appos", "acl", "advcl") else None
        if span is None or span[0] < 2 or span[1] >= len(texts) or texts[span[0] - 1] != ",":
            continue
        if texts[span[1]] in (",", ".") and not any(sentence.words[i].relation == "neg" for i in range(*span)):
            ends = span[1] + (texts[span[1]] == ",")
            return [*range(span[0] - 1), *range(ends, len(texts))]
    return None


def without_adjunct(sentence: Sentence) -> Order | None:
    """The bridge opened in May after years of delay. -> The bridge opened in May."""
    root, end = sentence.root, final_sign(sentence)
    for child in reversed(sentence.children[root]):
        span, word = sentence.span(child), sentence.words[child]
        if span is None or span[1] != end or span[0] < max(6, root + 2) or word.relation not in MOVABLE:
            continue
        other = any(sentence.words[at].relation in ("dobj", "attr", "prep", "acomp") and at > root and at < span[0]
                    for at in sentence.children[root])  # fmt: skip
        conditional = text_of(sentence, span[0]).lower() in (
            "if",
            "unless",
            "without",
            "although",
            "though",
            "than",
            "except",
        )
        if other and not conditional:
            start = span[0] - (text_of(sentence, span[0] - 1) == ",")
            return [*range(start), *range(end, len(sentence.words))]
    return None


SHORTENING: dict[str, Rule] = {"without aside": without_aside, "without adjunct": without_adjunct}

"""Parsed sentences written with their words in another order.

A new order is a list: an index stands for that word of the sentence, a string for what is put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from nlgauge.engine.words import is_word
from nlgauge.lab.training.weak_labels.syntax import Sentence

Order: TypeAlias = list["int | str"]
Rule: TypeAlias = Callable[[Sentence], "Order | None"]
_CLOSING = re.compile(r"[,.;:!?%)\]”’]|'[a-z]|n't\b")
_OPENING = ("(", "[", "“", "$", "£", "€", "‘", "#")
MOVABLE = ("prep", "advcl", "npadvmod")
"""Relations to the main verb of what may stand elsewhere in a sentence"""


def write(sentence: Sentence, order: Order, surface: Sequence[str] | None = None) -> str:
    """The sentence in another order, spaced and capitalised; `surface` holds other forms of its words, '' for none."""
    words = sentence.words
    forms = [sentence.text[word.begin : word.end] for word in words] if surface is None else list(surface)
    first = next((part for part in order if isinstance(part, str) or forms[part]), None)
    if first != 0 and 0 in order and forms[0] and not _stays_capital(sentence):
        forms[0] = forms[0][0].lower() + forms[0][1:]
    out = ""
    before: int | str | None = None
    for part in order:
        form = part if isinstance(part, str) else forms[part]
        if not form:
            before = part if isinstance(part, int) else before
            continue
        if isinstance(part, int) and isinstance(before, int) and part == before + 1:
            gap = words[part].begin > words[before].end
        else:
            gap = not _CLOSING.match(form) and not out.endswith(_OPENING)
        out += " " * (gap and bool(out)) + form
        before = part
    out = re.sub(r"([,;:]) ?(?=[,.;:!?])", "", out).strip()
    return out[:1].upper() + out[1:]


def _stays_capital(sentence: Sentence) -> bool:
    word = sentence.words[0]
    name = word.tag in ("NNP", "NNPS") or bool(word.entity and word.entity not in ("DATE", "CARDINAL", "ORDINAL"))
    return (
        name
        or sentence.text[: word.end] in ("I", "I'm")
        or sentence.text[1 : word.end].lower() != sentence.text[1 : word.end]
    )


def text_of(sentence: Sentence, index: int) -> str:
    """A word as it stands in the sentence."""
    return sentence.text[sentence.words[index].begin : sentence.words[index].end]


def final_sign(sentence: Sentence) -> int:
    """Index of the first of the signs that end the sentence."""
    end = len(sentence.words)
    while end and not is_word(text_of(sentence, end - 1)):
        end -= 1
    return end


def plain(sentence: Sentence) -> bool:
    """No quotes or brackets, which moving would tear apart, and one clause that is said and not asked."""
    return not re.search(r"[\"“”()\[\]—;:?]", sentence.text)

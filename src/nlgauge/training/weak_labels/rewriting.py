"""Other grammar for the same content: each rule turns a parsed sentence into another order or form, or leaves it.

A rule gives the new sentence as a list: an index stands for that word of the sentence, a string for what is put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from nlgauge.engine.words import is_word
from nlgauge.training.weak_labels.inflection import participle, past
from nlgauge.training.weak_labels.syntax import Sentence

Order: TypeAlias = list["int | str"]
Rule: TypeAlias = Callable[[Sentence], "Order | None"]

_CLOSING = re.compile(r"[,.;:!?%)\]”’]|'[a-z]|n't\b")
_OPENING = ("(", "[", "“", "$", "£", "€", "‘", "#")
_OBJECTS = {"i": "me", "he": "him", "she": "her", "they": "them", "we": "us"}
_SUBJECTS = {theirs: ours for ours, theirs in _OBJECTS.items()}
SMALL_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MONTH = "(January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(rf"\b(\d{{1,2}}) {_MONTH} (\d{{4}})\b")
_AMERICAN_DATE = re.compile(rf"\b{_MONTH} (\d{{1,2}}), (\d{{4}})\b")
_CONTRACTIONS = [
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"),
    ("was not", "wasn't"), ("were not", "weren't"), ("has not", "hasn't"), ("have not", "haven't"),
    ("had not", "hadn't"), ("could not", "couldn't"), ("would not", "wouldn't"), ("should not", "shouldn't"),
    ("cannot", "can't"), ("will not", "won't"), ("it is", "it's"), ("I am", "I'm"),
    ("they are", "they're"), ("we are", "we're"), ("you are", "you're"), ("I have", "I've"), ("he is", "he's"),
    ("she is", "she's"), ("there is", "there's"), ("I will", "I'll"), ("per cent", "percent"), ("%", " percent"),
]  # fmt: skip


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


def _text(sentence: Sentence, index: int) -> str:
    return sentence.text[sentence.words[index].begin : sentence.words[index].end]


def _final_sign(sentence: Sentence) -> int:
    """Index of the first of the signs that end the sentence."""
    end = len(sentence.words)
    while end and not is_word(_text(sentence, end - 1)):
        end -= 1
    return end


def _plain(sentence: Sentence) -> bool:
    """No quotes or brackets, which moving would tear apart, and one clause that is said and not asked."""
    return not re.search(r"[\"“”()\[\]—;:?]", sentence.text)


def opening_to_end(sentence: Sentence) -> Order | None:
    """In May, the bridge opened. -> The bridge opened in May."""
    root, end = sentence.root, _final_sign(sentence)
    if not _plain(sentence):
        return None
    for child in sentence.children[root]:
        span = sentence.span(child)
        if span is None or span[0] != 0 or span[1] >= root or sentence.words[child].relation not in _MOVABLE:
            continue
        if _text(sentence, span[1]) == "," and not any(_text(sentence, i) == "," for i in range(span[1])):
            link = [","] if sentence.words[child].relation == "advcl" else []
            return [*range(span[1] + 1, end), *link, *range(span[1]), *range(end, len(sentence.words))]
    return None


_MOVABLE = ("prep", "advcl", "npadvmod")


def end_to_opening(sentence: Sentence) -> Order | None:
    """The bridge opened in May. -> In May, the bridge opened."""
    root, end = sentence.root, _final_sign(sentence)
    if not _plain(sentence) or end < 5:
        return None
    for child in reversed(sentence.children[root]):
        span, word = sentence.span(child), sentence.words[child]
        if span is None or span[1] != end or span[0] <= root + 1 or word.relation not in _MOVABLE:
            continue
        clause = word.relation == "advcl" and word.tag.startswith("VB") and _marked(sentence, child)
        timely = clause and _text(sentence, span[0]).lower() not in ("so", "that", "than", "as")
        timely |= any(sentence.words[i].entity in ("DATE", "TIME") for i in range(*span)) and word.relation != "advcl"
        if (
            timely
            and sentence.children[root][0] < root
            and span[0] > 3
            and sentence.words[0].tag not in ("RB", "CC", "IN")
        ):
            start = span[0] - (_text(sentence, span[0] - 1) == ",")
            return [*range(*span), ",", *range(start), *range(end, len(sentence.words))]
    return None


def _marked(sentence: Sentence, index: int) -> bool:
    return any(sentence.words[child].relation in ("mark", "advmod") for child in sentence.children[index])


def apposition_to_clause(sentence: Sentence) -> Order | None:
    """Ann Hall, a teacher, left. -> Ann Hall, who was a teacher, left."""
    for index, word in enumerate(sentence.words):
        span = sentence.span(index) if word.relation == "appos" else None
        if span is None or span[0] < 2 or span[1] >= len(sentence.words):
            continue
        closed = _text(sentence, span[0] - 1) == "," and _text(sentence, span[1]) in (",", ".")
        if closed and _text(sentence, span[0]).lower() in ("a", "an", "the") and word.tag in ("NN", "NNP"):
            who = "who" if sentence.words[word.head].entity == "PERSON" else "which"
            is_ = "was" if sentence.words[sentence.root].tag in ("VBD", "VBN") else "is"
            return [*range(span[0]), f"{who} {is_}", *range(span[0], len(sentence.words))]
    return None


def clause_to_apposition(sentence: Sentence) -> Order | None:
    """Ann Hall, who was a teacher, left. -> Ann Hall, a teacher, left."""
    for index, word in enumerate(sentence.words):
        if word.relation != "relcl" or word.lemma != "be" or index + 1 >= len(sentence.words):
            continue
        opened = (
            index >= 2 and _text(sentence, index - 1).lower() in ("who", "which") and _text(sentence, index - 2) == ","
        )
        if opened and _text(sentence, index + 1).lower() in ("a", "an", "the", "one"):
            return [*range(index - 1), *range(index + 1, len(sentence.words))]
    return None


def passive(sentence: Sentence) -> Order | None:
    """The firm built the bridge in May. -> The bridge was built by the firm in May."""
    root = sentence.root
    word = sentence.words[root]
    kids = {sentence.words[child].relation: child for child in sentence.children[root]}
    if (
        word.tag != "VBD"
        or word.lemma in ("have", "be", "do", "lack", "fit", "become", "join", "leave", "enter", "resemble", "mean")
        or not _plain(sentence)
    ):
        return None
    if {"nsubj", "dobj"} - kids.keys() or kids.keys() & {
        "aux", "neg", "conj", "cc", "xcomp", "ccomp", "dative", "prt", "auxpass", "advmod", "oprd", "expl",
    }:  # fmt: skip
        return None
    subject, thing = sentence.span(kids["nsubj"]), sentence.span(kids["dobj"])
    if subject is None or thing is None or subject[1] != root or thing[0] != root + 1:
        return None
    first = _text(sentence, subject[0]).lower()
    by: Order = list(range(*subject))
    if subject[1] - subject[0] == 1 and first in (*_OBJECTS, "it", "you", "who", "which", "that", "this", "these"):
        if first not in _OBJECTS:
            return None
        by = [_OBJECTS[first]]
    head = sentence.words[kids["dobj"]]
    own = any(sentence.words[i].tag in ("PRP", "PRP$", "WP$") for i in range(*thing))
    if own or thing[1] - thing[0] > 8 or "," in sentence.part(*thing) or not head.tag.startswith("NN"):
        return None
    joined = any(sentence.words[child].relation == "conj" for child in sentence.children[kids["dobj"]])
    was = "were" if head.tag in ("NNS", "NNPS") or joined else "was"
    done = participle(_text(sentence, root), word.lemma)
    before, after = list(range(subject[0])), list(range(thing[1], len(sentence.words)))
    return [*before, *range(*thing), f"{was} {done} by", *by, *after]


def active(sentence: Sentence) -> Order | None:
    """The bridge was built by the firm in May. -> The firm built the bridge in May."""
    root = sentence.root
    word = sentence.words[root]
    kids = {sentence.words[child].relation: child for child in sentence.children[root]}
    if word.tag != "VBN" or {"nsubjpass", "auxpass", "agent"} - kids.keys() or not _plain(sentence):
        return None
    if kids.keys() & {"aux", "neg", "conj", "cc", "xcomp", "ccomp", "dative", "oprd", "prt"}:
        return None
    subject, agent, helper = sentence.span(kids["nsubjpass"]), sentence.span(kids["agent"]), kids["auxpass"]
    if subject is None or agent is None or helper != subject[1] or agent[0] <= root:
        return None
    if _text(sentence, helper) not in ("was", "were") or agent[1] - agent[0] < 2:
        return None
    thing: Order = list(range(*subject))
    if subject[1] - subject[0] == 1:
        pronoun = _text(sentence, subject[0]).lower()
        thing = [_OBJECTS.get(pronoun, subject[0])]
    doer: Order = list(range(agent[0] + 1, agent[1]))
    if agent[1] - agent[0] == 2 and (pronoun := _text(sentence, agent[0] + 1).lower()) in _SUBJECTS:
        doer = [_SUBJECTS[pronoun]]
    between = list(range(helper + 1, root))
    rest = [*range(root + 1, agent[0]), *range(agent[1], len(sentence.words))]
    return [*range(subject[0]), *doer, *between, past(_text(sentence, root), word.lemma), *thing, *rest]


def without_aside(sentence: Sentence) -> Order | None:
    """The bridge (opened in May), it is said, held. -> The bridge held."""
    texts = [_text(sentence, index) for index in range(len(sentence.words))]
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
    root, end = sentence.root, _final_sign(sentence)
    for child in reversed(sentence.children[root]):
        span, word = sentence.span(child), sentence.words[child]
        if span is None or span[1] != end or span[0] < max(6, root + 2) or word.relation not in _MOVABLE:
            continue
        other = any(sentence.words[at].relation in ("dobj", "attr", "prep", "acomp") and at > root and at < span[0]
                    for at in sentence.children[root])  # fmt: skip
        conditional = _text(sentence, span[0]).lower() in (
            "if",
            "unless",
            "without",
            "although",
            "though",
            "than",
            "except",
        )
        if other and not conditional:
            start = span[0] - (_text(sentence, span[0] - 1) == ",")
            return [*range(start), *range(end, len(sentence.words))]
    return None


def two_sentences(sentence: Sentence) -> Order | None:
    """The bridge opened, and it held. -> The bridge opened. It held."""
    root = sentence.root
    if not _plain(sentence):
        return None
    for child in sentence.children[root]:
        span, word = sentence.span(child), sentence.words[child]
        if word.relation != "conj" or span is None or span[0] < 4 or child < root or span[1] < _final_sign(sentence):
            continue
        own = any(sentence.words[at].relation in ("nsubj", "nsubjpass", "expl") for at in sentence.children[child])
        if own and _text(sentence, span[0] - 1).lower() == "and" and _text(sentence, span[0] - 2) == ",":
            opening = _text(sentence, span[0])
            return [
                *range(span[0] - 2),
                ".",
                opening[0].upper() + opening[1:],
                *range(span[0] + 1, len(sentence.words)),
            ]
    return None


def genitive(sentence: Sentence) -> Order | None:
    """the mayor of Leeds -> Leeds's mayor, for names of people and places."""
    for index, word in enumerate(sentence.words):
        if word.tag != "NN" or word.entity or (word.relation == "pobj" and _text(sentence, word.head).lower() == "of"):
            continue
        span = sentence.span(index)
        after = [child for child in sentence.children[index] if child > index]
        if span is None or len(after) != 1 or _text(sentence, after[0]).lower() != "of":
            continue
        named = sentence.children[after[0]]
        owner = sentence.span(named[0]) if len(named) == 1 else None
        if owner is None or owner[1] != span[1] or sentence.words[named[0]].entity not in ("PERSON", "GPE"):
            continue
        whole = all(sentence.words[i].entity in ("PERSON", "GPE") for i in range(*owner))
        if not whole or _text(sentence, span[0]).lower() != "the" or owner[1] - owner[0] > 3:
            continue
        name: Order = list(range(*owner))
        return [*range(span[0]), *name, "'s", *range(span[0] + 1, index + 1), *range(span[1], len(sentence.words))]
    return None


RULES: dict[str, Rule] = {
    "opening to end": opening_to_end,
    "end to opening": end_to_opening,
    "apposition to clause": apposition_to_clause,
    "clause to apposition": clause_to_apposition,
    "passive": passive,
    "active": active,
    "two sentences": two_sentences,
    "genitive": genitive,
}
SHORTENING: dict[str, Rule] = {"without aside": without_aside, "without adjunct": without_adjunct}


Way: TypeAlias = Callable[[str], str]


def written_otherwise(text: str) -> list[Way]:
    """What can be written in another way in a text without changing a word's sense: each turns it into another text."""
    ways: list[Way] = []
    for long, short in _CONTRACTIONS:
        for old, new in ((long, short), (short, long)):
            word = rf"(?<![\w']){re.escape(old)}(?![\w'])" if old[0].isalpha() else re.escape(old)
            if re.search(word, text) and (old, new) not in _ONE_WAY:
                ways.append(_replacing(word, new))
    if _DATE.search(text):
        ways.append(_replacing(_DATE.pattern, r"\2 \1, \3"))
    if _AMERICAN_DATE.search(text):
        ways.append(_replacing(_AMERICAN_DATE.pattern, r"\2 \1 \3"))
    for number, word in enumerate(SMALL_NUMBERS[2:], 2):
        for old, new, after in ((word, str(number), "[a-z]"), (str(number), word, "[a-z]{4}")):
            if re.search(pattern := rf"(?<=[a-z] ){old}(?= {after})", text):
                ways.append(_replacing(pattern, new))
    if re.search(_THOUSANDS, text):
        ways.append(_replacing(_THOUSANDS, ""))
    return ways


# "it's" may stand for "it has", and not every percent is written with a sign.
_ONE_WAY = ((" percent", "%"), ("it's", "it is"), ("he's", "he is"), ("she's", "she is"), ("that's", "that is"))
_THOUSANDS = r"(?<=\d),(?=\d{3}\b)"


def _replacing(pattern: str, new: str) -> Way:
    return lambda text: re.sub(pattern, new, text)

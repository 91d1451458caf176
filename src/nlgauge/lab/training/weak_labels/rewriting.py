"""Other grammar for the same content: each rule turns a parsed sentence into another order or form, or leaves it."""

from __future__ import annotations

from nlgauge.lab.training.weak_labels.inflection import participle, past
from nlgauge.lab.training.weak_labels.sentence_order import MOVABLE, Order, Rule, final_sign, plain, text_of
from nlgauge.lab.training.weak_labels.syntax import Sentence

_OBJECTS = {"i": "me", "he": "him", "she": "her", "they": "them", "we": "us"}
_SUBJECTS = {theirs: ours for ours, theirs in _OBJECTS.items()}


def opening_to_end(sentence: Sentence) -> Order | None:
    """In May, the bridge opened. -> The bridge opened in May."""
    root, end = sentence.root, final_sign(sentence)
    if not plain(sentence):
        return None
    for child in sentence.children[root]:
        span = sentence.span(child)
        if span is None or span[0] != 0 or span[1] >= root or sentence.words[child].relation not in MOVABLE:
            continue
        if text_of(sentence, span[1]) == "," and not any(text_of(sentence, i) == "," for i in range(span[1])):
            link = [","] if sentence.words[child].relation == "advcl" else []
            return [*range(span[1] + 1, end), *link, *range(span[1]), *range(end, len(sentence.words))]
    return None


def end_to_opening(sentence: Sentence) -> Order | None:
    """The bridge opened in May. -> In May, the bridge opened."""
    root, end = sentence.root, final_sign(sentence)
    if not plain(sentence) or end < 5:
        return None
    for child in reversed(sentence.children[root]):
        span, word = sentence.span(child), sentence.words[child]
        if span is None or span[1] != end or span[0] <= root + 1 or word.relation not in MOVABLE:
            continue
        clause = word.relation == "advcl" and word.tag.startswith("VB") and _marked(sentence, child)
        timely = clause and text_of(sentence, span[0]).lower() not in ("so", "that", "than", "as")
        timely |= any(sentence.words[i].entity in ("DATE", "TIME") for i in range(*span)) and word.relation != "advcl"
        if (
            timely
            and sentence.children[root][0] < root
            and span[0] > 3
            and sentence.words[0].tag not in ("RB", "CC", "IN")
        ):
            start = span[0] - (text_of(sentence, span[0] - 1) == ",")
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
        closed = text_of(sentence, span[0] - 1) == "," and text_of(sentence, span[1]) in (",", ".")
        if closed and text_of(sentence, span[0]).lower() in ("a", "an", "the") and word.tag in ("NN", "NNP"):
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
            index >= 2
            and text_of(sentence, index - 1).lower() in ("who", "which")
            and text_of(sentence, index - 2) == ","
        )
        if opened and text_of(sentence, index + 1).lower() in ("a", "an", "the", "one"):
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
        or not plain(sentence)
    ):
        return None
    if {"nsubj", "dobj"} - kids.keys() or kids.keys() & {
        "aux", "neg", "conj", "cc", "xcomp", "ccomp", "dative", "prt", "auxpass", "advmod", "oprd", "expl",
    }:  # fmt: skip
        return None
    subject, thing = sentence.span(kids["nsubj"]), sentence.span(kids["dobj"])
    if subject is None or thing is None or subject[1] != root or thing[0] != root + 1:
        return None
    first = text_of(sentence, subject[0]).lower()
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
    done = participle(text_of(sentence, root), word.lemma)
    before, after = list(range(subject[0])), list(range(thing[1], len(sentence.words)))
    return [*before, *range(*thing), f"{was} {done} by", *by, *after]


def active(sentence: Sentence) -> Order | None:
    """The bridge was built by the firm in May. -> The firm built the bridge in May."""
    root = sentence.root
    word = sentence.words[root]
    kids = {sentence.words[child].relation: child for child in sentence.children[root]}
    if word.tag != "VBN" or {"nsubjpass", "auxpass", "agent"} - kids.keys() or not plain(sentence):
        return None
    if kids.keys() & {"aux", "neg", "conj", "cc", "xcomp", "ccomp", "dative", "oprd", "prt"}:
        return None
    subject, agent, helper = sentence.span(kids["nsubjpass"]), sentence.span(kids["agent"]), kids["auxpass"]
    if subject is None or agent is None or helper != subject[1] or agent[0] <= root:
        return None
    if text_of(sentence, helper) not in ("was", "were") or agent[1] - agent[0] < 2:
        return None
    thing: Order = list(range(*subject))
    if subject[1] - subject[0] == 1:
        pronoun = text_of(sentence, subject[0]).lower()
        thing = [_OBJECTS.get(pronoun, subject[0])]
    doer: Order = list(range(agent[0] + 1, agent[1]))
    if agent[1] - agent[0] == 2 and (pronoun := text_of(sentence, agent[0] + 1).lower()) in _SUBJECTS:
        doer = [_SUBJECTS[pronoun]]
    between = list(range(helper + 1, root))
    rest = [*range(root + 1, agent[0]), *range(agent[1], len(sentence.words))]
    return [*range(subject[0]), *doer, *between, past(text_of(sentence, root), word.lemma), *thing, *rest]


def two_sentences(sentence: Sentence) -> Order | None:
    """The bridge opened, and it held. -> The bridge opened. It held."""
    root = sentence.root
    if not plain(sentence):
        return None
    for child in sentence.children[root]:
        span, word = sentence.span(child), sentence.words[child]
        if word.relation != "conj" or span is None or span[0] < 4 or child < root or span[1] < final_sign(sentence):
            continue
        own = any(sentence.words[at].relation in ("nsubj", "nsubjpass", "expl") for at in sentence.children[child])
        if own and text_of(sentence, span[0] - 1).lower() == "and" and text_of(sentence, span[0] - 2) == ",":
            opening = text_of(sentence, span[0])
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
        if (
            word.tag != "NN"
            or word.entity
            or (word.relation == "pobj" and text_of(sentence, word.head).lower() == "of")
        ):
            continue
        span = sentence.span(index)
        after = [child for child in sentence.children[index] if child > index]
        if span is None or len(after) != 1 or text_of(sentence, after[0]).lower() != "of":
            continue
        named = sentence.children[after[0]]
        owner = sentence.span(named[0]) if len(named) == 1 else None
        if owner is None or owner[1] != span[1] or sentence.words[named[0]].entity not in ("PERSON", "GPE"):
            continue
        whole = all(sentence.words[i].entity in ("PERSON", "GPE") for i in range(*owner))
        if not whole or text_of(sentence, span[0]).lower() != "the" or owner[1] - owner[0] > 3:
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

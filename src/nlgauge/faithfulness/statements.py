"""Statements that "yes" or "no" makes: "No" to "Does it open at nine?" is "It does not open at nine."."""

from __future__ import annotations

import re

_MODALS = "can could may might must shall should will would"
_AUXILIARIES = f"is are was were am do does did has have had {_MODALS}"
_LONGEST = 300
"""The number of last characters of a question that are read"""
_ASKED = re.compile(
    rf"(?P<aux>{'|'.join(_AUXILIARIES.split())})(?P<nt>n['’]t)?\s+(?P<rest>[^?]+?)\s*\?+", re.IGNORECASE
)
_BEFORE = re.compile(r".*[.!,;:]\s", re.DOTALL)


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_PRONOUNS = _set("i you he she it we they there everyone everybody anyone anybody someone somebody one")
_DETERMINERS = _set(
    "the a an my your his her its our their this that these those all any some each every no both many most"
)
_PREPOSITIONS = _set(
    "in on at by for with from to of near under over between within without after before during until till since "
    "inside outside behind above below beside against about around through across as"
)
_ADVERBS = _set(
    "also still already always never ever only often usually currently now today here there open closed not "
    "really actually officially automatically normally generally sometimes"
)
_ADJECTIVES = _set(
    "free available open closed full empty safe dangerous legal illegal possible impossible necessary mandatory "
    "compulsory optional cheap cheaper expensive dear dearer late early ready new old young older younger big bigger "
    "large larger small smaller long longer short shorter high higher low lower heavy light warm cold hot cool wet dry "
    "clean dirty alive dead happy sick healthy valid invalid due able unable responsible liable eligible suitable fit "
    "public private female male married single correct right wrong true false fresh vegan vegetarian waterproof "
    "accessible reachable present absent online offline busy quiet loud fast slow easy hard difficult strong weak "
    "better worse best worst enough complete incomplete tax-free toxic poisonous edible blue red green black white "
    "yellow brown grey wooden electric heated tall deep wide bookable payable refundable portable visible"
)
_VERBS = _set(
    "abandon accept accompany achieve acquire adapt add admit adopt affect agree aim allow answer appear apply "
    "approve arrange arrive ask attend avoid be become begin believe belong bite blame bloom boil borrow break bring "
    "build burn buy call cancel carry catch cause cease change charge check choose claim clean close collect come "
    "complain complete confirm connect consider consist contain continue contribute control convert cook cope cost "
    "count cover create cross cut damage deal decide decline decrease defend deliver demand demolish deny depart "
    "depend describe deserve design destroy develop die differ dine disappear discover disturb drink drive drop earn "
    "eat elect employ enable end enjoy enter erect establish evacuate exceed exclude exist expect expire explain "
    "export extend face fail fall feature feed feel fill finance find finish fit fix fly follow found freeze get give "
    "go grow guarantee happen have heal hear heat help hire hold host hurt identify import improve include increase "
    "inform injure install invent invest issue join keep kill know lack last launch lead learn leave lend let like "
    "live locate lose lower maintain make manage mean meet melt mention merge migrate miss move need negotiate "
    "nominate offer open operate oppose order organise organize own park pass pay perform permit play postpone "
    "predict prefer preserve prevent print produce prohibit promise propose protect prove provide publish purchase "
    "put rain raise reach read receive recommend recover recycle reduce refund refuse regret reject rely remain "
    "remove rent repair replace reply report represent require reserve resign resolve rest restore retire return "
    "reveal review reward ride rise run say scrap see seem sell send serve set share shine shrink shut sign sing sink "
    "sit sleep smoke speak spend split sponsor stand start stay stop store study submit succeed suffer suggest "
    "support survive suspend swim take talk taste teach tell think throw touch translate transport travel treat try "
    "turn understand use vary visit vote wait wake walk want warn wash wear weigh win wish withdraw work write"
)
_TOOK_PART = _set(
    "been begun broken brought built bought caught chosen come cost cut done drawn drunk driven eaten fallen fed felt "
    "found flown forgotten frozen given gone got grown had heard held hidden hit hung hurt kept known laid led left "
    "lent let lit lost made meant met paid put read rebuilt resold ridden risen run said sat seen sent set shot shown "
    "shut sold sought spent split spoken stolen stood struck sung sunk taken taught thrown told torn understood woken "
    "won worn written"
)


def statement(question: str, agreed: bool) -> str:
    """Return the statement that the answer "Yes" or "No" to a question makes.

    Args:
        question: a question. Its last sentence counts.
        agreed: whether the answer is yes.

    Returns:
        A sentence; empty if the question cannot be answered by yes or no.
    """
    question = question.strip()
    if (asked := _asked(question[-_LONGEST:])) is None:
        return ""
    aux = asked["aux"].lower()
    rest = asked["rest"].split()
    if " or " in asked["rest"]:
        return ""
    at = _predicate(aux, rest)
    if at is None:
        said = " ".join(rest)
        said = f"{aux} {said}" if aux not in ("do", "does", "did") else said
        return f"It is {'' if agreed else 'not '}true that {said}."
    at -= at > 1 and rest[at - 1].lower() == "ever"
    subject, predicate = rest[:at], rest[at:]
    if subject == ["I"] or subject == ["i"]:
        subject, aux = ["you"], {"am": "are", "was": "were"}.get(aux, aux)
    if agreed and predicate[0].lower() == "ever" and len(predicate) > 1:
        predicate = predicate[1:]
    if not agreed:
        verb = {"can": "cannot", "must": "need not"}.get(aux, f"{aux} not")
        words = [*subject, verb, *predicate]
        if predicate[0].lower() == "ever":
            words = [*subject, aux, "never", *predicate[1:]]
    elif aux in ("do", "does"):
        words = [*subject, _third(predicate[0]) if aux == "does" else predicate[0], *predicate[1:]]
    else:
        words = [*subject, aux, *predicate]
    said = " ".join(words)
    return f"{said[0].upper()}{said[1:].rstrip('.')}."


def _asked(question: str) -> re.Match[str] | None:
    """Return a match of the question that ends a text, without the sentences before it; None if there is none."""
    if (asked := _ASKED.fullmatch(question)) is not None:
        return asked
    before = _BEFORE.match(question)
    return None if before is None else _ASKED.fullmatch(question, before.end())


def _predicate(aux: str, words: list[str]) -> int | None:
    """Return the index of the word that begins the predicate of a question, or None if it is not certain.

    Args:
        aux: the auxiliary that begins the question, in lower case.
        words: the words behind the auxiliary.
    """
    names = [word.lower().strip(",") for word in words]
    if len(names) < 2:
        return None
    if names[0] in _PRONOUNS:
        return 1
    places = [at for at in range(1, len(names)) if _begins(aux, names, at)]
    if not places and aux in ("do", "does", "did") and names[0] in _DETERMINERS:
        places = [at for at in range(2, len(names) - 1) if _stands_before_object(names, at)][:1]
    if not places:
        # "Is the lift red", of three words, can be divided in one way alone.
        copula = aux in ("is", "are", "was", "were") and len(names) == 3 and names[0] in _DETERMINERS
        return 2 if copula else None
    at = places[0]
    while at + 1 in places and aux in ("do", "does", "did", *_MODALS.split()) and names[at] not in _ADVERBS:
        at += 1  # "the bus stop have"
    return at


def _stands_before_object(names: list[str], at: int) -> bool:
    """Return whether the word at the index `at` can only be a verb: a noun before it, and an article behind it."""
    before, behind = names[at - 1], names[at + 1]
    plain = not (before in _DETERMINERS or before in _PREPOSITIONS or names[at] in _PREPOSITIONS or before == "and")
    return plain and names[at] not in _DETERMINERS and behind in _DETERMINERS and not names[at].endswith("s")


def _begins(aux: str, names: list[str], at: int) -> bool:
    """Return whether a predicate can begin at the index `at` of the words, in a question with the auxiliary `aux`."""
    word, before = names[at], names[at - 1]
    if before in _DETERMINERS or before in _PREPOSITIONS or before in ("and", "or") or before.endswith(("'s", "’s")):
        return False
    part = word in _TOOK_PART or (len(word) > 4 and word.endswith("ed"))
    if aux in ("is", "are", "was", "were", "am"):
        named = word in _DETERMINERS or word in _ADJECTIVES or word in _ADVERBS or word.isdigit()
        apart = (
            word in _PREPOSITIONS
            and word != "of"
            and not any(_begins(aux, names, n) for n in range(at + 1, len(names)))
        )
        return part or named or apart or (len(word) > 5 and word.endswith("ing") and before not in _ADJECTIVES)
    if aux in ("has", "have", "had"):
        return part or word in ("a", "an", "any", "no", "been")
    return word in _VERBS


def _third(verb: str) -> str:
    """Return the form that a verb has after "it": "opens" for "open"."""
    if verb.lower() in ("have", "be"):
        return {"have": "has", "be": "is"}[verb.lower()]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def is_verb(word: str) -> bool:
    """Return whether a word, in lower case, is plainly a verb or a participle."""
    return word in _VERBS or word in _TOOK_PART or (len(word) > 4 and word.endswith("ed"))


def is_adjective(word: str) -> bool:
    """Return whether a word, in lower case, is plainly an adjective or a participle."""
    return word in _ADJECTIVES or word in _TOOK_PART

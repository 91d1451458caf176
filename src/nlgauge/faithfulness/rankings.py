"""Whether a thing is the first or the last of the things for which a source has numbers, as "the cheapest" says."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from nlgauge.faithfulness.cues import CUES, MONEY, MOST_OF, ORDER, ORDERS, THAN, TIME, Statement, things_of
from nlgauge.faithfulness.operands import Operand, Passage
from nlgauge.faithfulness.stems import GENERAL, Derived, stem_of, stems_in

MOST_NUMBERS = 12
"""The most numbers of a passage that calculations use"""
_COST_KINDS = {"cost": MONEY, "weigh": frozenset({"mass"}), "take": TIME}


def ranked(said: Statement, read: Sequence[Passage]) -> Derived | None:
    """Return whether a statement about an order follows, such as "the tent is the cheapest", or is excluded.

    Args:
        said: the statement, with words of an order.
        read: the passages of the source. The first passage that has the things decides.

    Returns:
        Whether the statement follows from the numbers of a passage; None where no passage decides.
    """
    most = MOST_OF.search(said.text)
    word = ORDER.search(said.text)
    than = THAN.search(said.text)
    for passage in read:
        if (said.names - CUES) - passage.stems or len(said.stems & passage.stems) == 0:
            continue
        if word and word.group().lower() in passage.text.lower():
            continue
        operands, largest, rest = _sought(said.text, passage, most, word)
        rest = _without_noun(rest, word, passage)
        if not 1 < len(operands) <= MOST_NUMBERS:
            continue
        there = f"{passage.text[operands[0].begin : operands[0].end]} and others"
        stems = dict(zip(operands, _distinct(operands), strict=True))
        if than:
            pair = _pair_of(said, operands, stems, than.end())
            if pair is None or pair[0].value == pair[1].value:
                continue
            right = (pair[0].value > pair[1].value) == largest
        else:
            wanted = (stems_in(rest) - GENERAL - CUES) - _common(operands)
            holders = [operand for operand in operands if wanted and wanted <= stems[operand]]
            best = (max if largest else min)(operand.value for operand in operands)
            if len(holders) != 1 or sum(operand.value == best for operand in operands) > 1:
                continue
            right = holders[0].value == best
            first = next(operand for operand in operands if operand.value == best)
            there = passage.text[first.begin : first.end]
        name = most or word
        assert name is not None
        return Derived(right, passage.text.strip(), f"{name.group()}: the source has {there} for another")
    return None


def _without_noun(rest: str, word: re.Match[str] | None, passage: Passage) -> str:
    """Return a statement's text without the noun behind a word like "lightest", if the passage lacks this noun."""
    noun = _NEXT.match(rest, word.start()) if word is not None else None
    if noun is None or stem_of(noun["noun"].lower()) in passage.stems:
        return rest
    return f"{rest[: noun.start('noun')]} {rest[noun.end('noun') :]}"


_NEXT = re.compile(r"\s*(?P<noun>[^\W\d_]+)")


def _sought(
    text: str, passage: Passage, most: re.Match[str] | None, word: re.Match[str] | None
) -> tuple[list[Operand], bool, str]:
    """Return the numbers by which a statement orders things, with the direction and the rest of the statement.

    Args:
        text: the statement.
        passage: the passage of the source that may have the numbers.
        most: a match of "costs the most" or "the most rooms" in the statement, or None.
        word: a match of a word such as "cheapest", or None. One of the two matches must be given.

    Returns:
        The numbers, whether the greatest of them comes first, and the statement without the words of the match.
    """
    if most is not None and most["many"]:
        noun = stem_of(most["of"].lower())
        counted = [
            operand
            for operand in passage.operands
            if noun in (operand.noun, *operand.clause) and operand.kind == "count"
        ]
        return counted, most["many"].lower() == "most", f"{text[: most.start()]} {text[most.end() :]}"
    if most is not None:
        verb = most.group().lower().split()[0].rstrip("s")
        kinds = _COST_KINDS.get(verb, MONEY)
        return _of_kinds(passage, kinds), most["cost"].lower() == "most", f"{text[: most.start()]} {text[most.end() :]}"
    assert word is not None
    name = word.group().lower()
    rest = f"{text[: word.start()]} {text[word.end() :]}"
    for kinds, low, high in ORDERS:
        if (name in low or name in high) and (counted := _of_kinds(passage, kinds)):
            return counted, name in high, rest
    return [], False, rest


def _of_kinds(passage: Passage, kinds: Set[str]) -> list[Operand]:
    operands = [operand for operand in passage.operands if operand.kind in kinds]
    same_kind = len({(operand.kind, operand.unit) for operand in operands}) == 1
    return operands if len(operands) > 1 and same_kind else []


def _common(operands: Sequence[Operand]) -> frozenset[str]:
    return frozenset.intersection(*(operand.clause for operand in operands))


def _distinct(operands: Sequence[Operand]) -> list[frozenset[str]]:
    common = _common(operands)
    return [operand.clause - common for operand in operands]


def _pair_of(
    said: Statement, operands: Sequence[Operand], stems: dict[Operand, frozenset[str]], at: int
) -> tuple[Operand, Operand] | None:
    before, behind = things_of(said.text[:at]), things_of(said.text[at:])
    common = _common(operands)
    before, behind = before - common, behind - common
    firsts = [operand for operand in operands if before and before <= stems[operand]]
    seconds = [operand for operand in operands if behind and behind <= stems[operand]]
    return (firsts[0], seconds[0]) if len(firsts) == len(seconds) == 1 and firsts != seconds else None

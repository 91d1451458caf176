"""The words of a statement, divided into those that name a calculation or an order and those that name its topic.

Words of the first sort name a total ("altogether"), a difference ("five years older than", "rose by"), a span
("lasted", "at the age of"), a share, an average, or the first and last of an order ("the cheapest").
"""

from __future__ import annotations

import re
from collections.abc import Set

from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.operands import Passage, without_quantities
from nlgauge.faithfulness.quantities import quantities
from nlgauge.faithfulness.stems import GENERAL, LONGEST, WORD, negated, stem_of, stems_in

TOTAL = re.compile(
    r"\b(?:in total|altogether|(?:a|the) (?:grand )?total(?: (?:of|is|was|price|cost|number))*|combined"
    r"|in all|all in all|together|in sum|the sum(?: of)?)\b",
    re.IGNORECASE,
)
AVERAGE = re.compile(
    r"\b(?:on average|averaged|averages|(?:the|an) (?:average|mean)(?: [\w'’-]+){0,2} (?:of|is|was|are|were))\b",
    re.IGNORECASE,
)
MORE_THAN = "older longer heavier taller deeper dearer faster higher wider larger bigger more later hotter warmer"
_LESS_THAN = "younger shorter lighter cheaper slower lower narrower smaller fewer less earlier colder cooler"
THAN = re.compile(
    rf"\b(?P<how>(?:more|less) (?:expensive|costly)|{'|'.join(f'{MORE_THAN} {_LESS_THAN}'.split())})\b"
    r"[^.;]{0,60}?\bthan\b",
    re.IGNORECASE,
)
ROSE = re.compile(
    r"\b(?P<rose>(?:rose|rises?|risen|grew|grows?|grown|increased?s?|gain(?:s|ed)?|climb(?:s|ed)?|went up|added)"
    r"(?: by)?)\b|\b(?P<fell>(?:fell|falls?|fallen|declined?s?|decreased?s?|drop(?:s|ped)?|shr[aiu]nk|sank|went down"
    r"|lost|loses)(?: by)?)\b|\b(?P<apart>a difference of|difference (?:is|was)|differ by)\b",
    re.IGNORECASE,
)
WON = re.compile(
    r"\b(?P<won>won|wins|ahead|leads?|led)\b[^.;]{0,40}\bby\b|\b(?P<lost>lost|loses|behind)\b[^.;]{0,40}\bby\b",
    re.IGNORECASE,
)
SPAN = re.compile(
    r"\b(?:last(?:s|ed)|takes?|took|runs? for|ran for|goes on for|went on for|stood|existed|lived"
    r"|survived|reigned|ruled|spanned|served|was open for|is open for|stayed|stays)\b",
    re.IGNORECASE,
)
_GIVEN = frozenset(
    ["average", "times", "exactly", "just", "three", "all", "list", "others", "result", "number", "amount"]
)
CUES = frozenset(
    stem_of(word)
    for word in (
        *("expensive", "costly", "averaged", "mean", "sum", "age", "aged", "old", "year", "turned", "difference"),
        *("point", "share", "percent", "cost", "price", "paid", "pay", "least", "apart", "change"),
        *("journey", "trip", "crossing", "flight", "ride", "drive"),
        *_GIVEN,
    )
)
"""Stems of words that name a calculation or a unit, and no thing"""
_ASKING = frozenset(map(stem_of, ("many", "much", "long", "old", "far", "often", "big", "tell", "know")))
MONEY, _LENGTH = frozenset({"money"}), frozenset({"length"})
TIME = frozenset({"duration", "months"})
_AGES = frozenset({"months", "count"})
_COUNTS = frozenset({"area", "count", "volume", "bytes"})
ORDERS: tuple[tuple[frozenset[str], Set[str], Set[str]], ...] = (
    (MONEY, {"cheapest", "least expensive", "cheaper", "less expensive"}, {"most expensive", "dearest", "priciest"}),
    (MONEY, set(), {"costliest", "dearer", "more expensive"}),
    (_LENGTH | TIME, {"shortest", "shorter"}, {"longest", "longer"}),
    (_LENGTH, {"lowest", "nearest", "lower", "nearer"}, {"tallest", "highest", "deepest", "widest", "farthest"}),
    (_LENGTH, set(), {"taller", "higher", "deeper", "wider"}),
    (frozenset({"mass"}), {"lightest", "lighter"}, {"heaviest", "heavier"}),
    (_AGES, {"youngest", "younger"}, {"oldest", "older"}),
    (
        frozenset({"temperature"}),
        {"coldest", "coolest", "colder", "cooler"},
        {"hottest", "warmest", "hotter", "warmer"},
    ),
    (_COUNTS, {"smallest", "smaller"}, {"largest", "biggest", "larger", "bigger"}),
    (frozenset({"speed"}), {"slowest", "slower"}, {"fastest", "faster"}),
    (TIME, {"fastest", "quickest", "faster", "quicker"}, {"slowest", "slower"}),
)
"""Each order: the kinds of its numbers, the words for the least number, and the words for the greatest"""
_ORDERED = sorted({word for _, low, high in ORDERS for word in low | high}, key=len, reverse=True)
ORDER = re.compile(rf"\b(?:{'|'.join(_ORDERED)})\b", re.IGNORECASE)
MOST_OF = re.compile(
    r"\b(?:cost|costs|weighs?|takes?) the (?P<cost>most|least)\b"
    r"|\bthe (?P<many>most|fewest) (?!expensive|costly)(?P<of>\w+)",
    re.IGNORECASE,
)
OF_ALL = re.compile(
    r"(?<=est) of (?:all )?(?:the )?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b", re.IGNORECASE
)
"""The number of all things behind a word of an order, as in "the cheapest of the three" """
_CUE_WORDS = re.compile(
    rf"\b(?:won|wins|ahead|leads?|led|lost|loses|behind|by|than|expensive|costly"
    rf"|{'|'.join(f'{MORE_THAN} {_LESS_THAN}'.split())})\b",
    re.IGNORECASE,
)


class Statement:
    """A statement that may follow from a calculation: its numbers, and the stems of its other words.

    Args:
        text: the statement.
        question: the question that it answers; may be empty.
    """

    def __init__(self, text: str, question: str) -> None:
        self.text = text
        self.found = quantities(text)
        self.numbers = [quantity for quantity in self.found if _counts(quantity)]
        blank = without_quantities(text, self.found, 0, len(text))
        self.names = frozenset(stem_of(match.group().lower()) for match in WORD.finditer(text) if _is_name(text, match))
        for pattern in (TOTAL, AVERAGE, ROSE, SPAN, ORDER, MOST_OF):
            blank = pattern.sub(" ", blank)
        blank = THAN.sub(_apart_of, WON.sub(_apart_of, blank))
        self.stems = stems_in(blank) - GENERAL - CUES
        self.asked = stems_in(question[-LONGEST:]) - GENERAL - CUES - _ASKING
        self.negated = negated(text)

    def told_by(self, passage: Passage) -> float:
        """Return the share of the statement's stems that a passage or the question has, from 0 to 1.

        The share is 0 if the passage lacks a name of the statement. It is 1 if the statement has no stems besides those
        of a calculation.
        """
        if not self.stems:
            return 1.0
        if (self.names & self.stems) - passage.stems:
            return 0.0
        return 1 - len(self.stems - passage.stems - self.asked) / len(self.stems)


def _apart_of(match: re.Match[str]) -> str:
    """Return the text of a match without the words of a comparison: "of the others" for "ahead of the others by"."""
    return _CUE_WORDS.sub(" ", match.group())


def things_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that name things, and no calculation or unit."""
    return stems_in(_CUE_WORDS.sub(" ", text)) - GENERAL - CUES


def _is_name(text: str, match: re.Match[str]) -> bool:
    return match.start() > 0 and match.group()[0].isupper() and text[: match.start()].rstrip()[-1:] not in ".!?:"


def _counts(quantity: Quantity) -> bool:
    return (
        (not quantity.weak or quantity.kind in ("percent", "months", "duration"))
        and len(quantity.value) == 1
        and quantity.kind
        not in (
            "ordinal",
            "clock",
            "weekday",
        )
    )


def may_calculate(text: str) -> bool:
    return any(pattern.search(text) for pattern in (TOTAL, AVERAGE, THAN, ROSE, WON, SPAN, _SHARE_SAID, _AGE_SAID))


_SHARE_SAID = re.compile(
    r"%|\bper ?cent\b|\b(?:half|quarters?|thirds?|fifths?|tenths?|(?:in|out of) (?:two|three|four|five|ten|\d+))\b"
    r"|\b(?:not|n't|n’t|no)\b",
    re.IGNORECASE,
)
_AGE_SAID = re.compile(r"\b(?:age|aged|turn(?:s|ed)|lived to|years? old)\b", re.IGNORECASE)

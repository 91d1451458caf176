"""The spelling of quantities in the source of an answer, which equal quantities of the answer then get."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from nlgauge.faithfulness.layout import Piece
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import CONVERTED, IDENTIFIERS, EqualQuantities, is_share, quantities, same
from nlgauge.faithfulness.spelling import Spellings

_TIMES = tuple(
    (re.compile(rf"\b{said}\b"), re.compile(rf"\b{there}\b"), there)
    for pair in (("two times", "twice"), ("once", "one time"))
    for said, there in (pair, pair[::-1])
)
"""Words with one meaning: a pattern for the answer, a pattern for the source, and the source's words"""
_TIMES_SAID = re.compile(r"\b(?:once|twice|one time|two times)\b")
_ROUGHLY = re.compile(r"\b(?:about|around|roughly|approximately|some|nearly|almost|ca\.)\s$", re.IGNORECASE)
_FORMS = 100
"""The most equal quantities of the source that are compared. The first that fits gives the form"""


class Forms(NamedTuple):
    """The quantities and words of the source of an answer, as the source writes them."""

    equal: EqualQuantities
    """The quantities of the source. Each form of a quantity is listed once"""
    written: Sequence[str]
    """The characters of each quantity of `equal.of`"""
    texts: Sequence[str]
    """The texts of the source"""
    spellings: Spellings
    """The words of the source, to find names that the answer spells otherwise"""


def in_their_form(text: str, theirs: Forms) -> list[Piece]:
    """Return the changes that give quantities of a text the form of an equal quantity of the source.

    A quantity whose own form stands in the source is not changed.
    """
    forms = {form.casefold() for form in theirs.written}
    pieces: list[Piece] = []
    for said, there, form in _TIMES if _TIMES_SAID.search(text) else ():
        if any(there.search(other) for other in theirs.texts) and not any(said.search(other) for other in theirs.texts):
            pieces += [Piece(*match.span(), form) for match in said.finditer(text)]
    for quantity in quantities(text):
        written = text[quantity.begin : quantity.end]
        if (
            (_loose(quantity) and not is_share(text, quantity))
            or quantity.kind in IDENTIFIERS
            or written.casefold() in forms
        ):
            continue
        near = islice(theirs.equal.same(quantity), _FORMS)
        first = min((number for number in near if _equal(quantity, theirs.equal.of[number])), default=None)
        if (
            first is None
            and _ROUGHLY.search(text[max(0, quantity.begin - 20) : quantity.begin])
            and quantity.kind in CONVERTED
        ):
            first = next((n for n, other in enumerate(theirs.equal.of[:_FORMS]) if _converted(quantity, other)), None)
        if first is not None:
            pieces.append(Piece(quantity.begin, quantity.end, theirs.written[first]))
    return pieces


def forms_of(others: Iterable[str]) -> Forms:
    """Return the quantities and words of a source, given by its texts. Each form of a quantity is listed once."""
    texts = tuple(others)
    written = (
        (quantity, other[quantity.begin : quantity.end])
        for other in texts
        for quantity in quantities(other)
        if quantity.kind == "percent" or not _loose(quantity)
    )
    once = {(quantity._replace(begin=0, end=0), form): None for quantity, form in written}
    return Forms(
        EqualQuantities([quantity for quantity, _ in once]), [form for _, form in once], texts, Spellings(texts)
    )


def _loose(quantity: Quantity) -> bool:
    """Return whether a quantity is an expression like "a minute". Noon and midnight are none, but times of the day."""
    return quantity.weak and quantity.kind != "clock"


def _converted(quantity: Quantity, other: Quantity) -> bool:
    """Return whether a measure equals another one in another unit within 3 %, as 42 km equals 26 miles."""
    if (
        quantity.kind != other.kind
        or quantity.kind == "temperature"
        or not (quantity.written > 0 and other.written > 0)
    ):
        return False
    a, b = quantity.value[0] or 0.0, other.value[0] or 0.0
    units = abs(a / quantity.written - b / other.written) > 1e-9 * abs(b / other.written)
    return units and abs(a - b) <= 0.03 * abs(b)


def _equal(quantity: Quantity, other: Quantity) -> bool:
    """Return whether a quantity can be written in the form of another quantity.

    Both must have the same value, for dates the same parts, and for money the same currency. A number with two possible
    values has no such form. A temperature can have another scale.
    """
    ambiguous = quantity.kind != "date" and not (quantity.other is None and other.other is None)
    if quantity.kind != other.kind or ambiguous or not same(quantity, other):
        return False
    if quantity.kind == "date":
        return quantity.value == other.value
    whole = all((a is None) == (b is None) for a, b in zip(quantity.value, other.value, strict=True))
    converted = quantity.kind == "temperature" and bool(quantity.unit and other.unit)
    return whole and (quantity.kind not in ("money", "temperature") or quantity.unit == other.unit or converted)

"""Numbers and orders that a statement derives from the numbers of its source.

A word of the statement names the calculation: a total ("altogether"), a difference ("five years older than", "rose
by"), a span ("lasted", "at the age of"), a share, an average, or the first and last of an order ("the cheapest"). The
calculation uses the numbers of neighbouring sentences that have the statement's words. The statement follows if a
result equals its number. The source excludes the statement if there is a single way to calculate, and the result is
another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from nlgauge.faithfulness.cues import (
    AVERAGE,
    MORE_THAN,
    MOST_OF,
    OF_ALL,
    ORDER,
    ROSE,
    SPAN,
    THAN,
    TIME,
    TOTAL,
    WON,
    Statement,
    may_calculate,
    things_of,
)
from nlgauge.faithfulness.dates import YEAR
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.operands import Operand, Passage, Passages
from nlgauge.faithfulness.quantities import same
from nlgauge.faithfulness.rankings import MOST_NUMBERS, ranked
from nlgauge.faithfulness.stems import WORD, Derived, negated, plain, stem_of, stems_in

_TOLD = 0.6
"""The share of a statement's words that the sentences with its numbers must have"""
_SCORE = re.compile(
    r"(?P<winner>[^.;,]{1,60}?)\s(?:beat|defeated|won against)\s(?P<loser>[^.;,\d]{1,60}?)[,]?\s(?:by )?\(?"
    r"(?P<first>\d{1,3})\s?(?:to|-|–|:)\s?(?P<second>\d{1,3})\b"
)
_BOUND = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|only)\s+[$£€]?$",
    re.IGNORECASE,
)
_OF_WHOLE = re.compile(
    r"\s?(?:of|out of)\s(?:the |its |all |their |a total of )?$|\bof (?:the |its |all )?$", re.IGNORECASE
)


class _Result(NamedTuple):
    """The result of a calculation."""

    made: float
    """The calculated number, in the base unit of the statement's number"""
    shown: str
    single: bool
    """Whether there is no other way to calculate the number"""
    near: float = 0.0
    """The difference up to which the result equals the statement's number"""
    turned: bool = False
    """Whether the statement has the wrong direction, such as "rose" for "fell" """


def calculated(statement: str, question: str, source: Passages) -> Derived | None:
    """Return whether a statement follows from numbers of a source, or whether they exclude it.

    Args:
        statement: a sentence.
        question: the question that the statement answers; may be empty.
        source: the passages of the source.

    Returns:
        Whether the statement follows or is excluded, and by which words of the source; None where neither is certain.
    """
    statement = OF_ALL.sub("", statement)
    ordered = ORDER.search(statement) or MOST_OF.search(statement)
    number = may_calculate(statement)
    if not (ordered or number):
        return None
    said = Statement(statement, question)
    read = source.near(said.stems)
    if ordered and not plain(said.found) and not said.negated:
        return ranked(said, read if THAN.search(statement) else source.lists(said.stems))
    if not said.numbers:
        return None
    excluded: Derived | None = None
    adds = TOTAL.search(statement) is not None or AVERAGE.search(statement) is not None
    wider = False
    for passage in reversed(read) if adds else read:
        if (told := said.told_by(passage)) < _TOLD or not 1 <= len(passage.operands) <= MOST_NUMBERS:
            continue
        target = _target(said, passage)
        if target is None or _BOUND.search(statement[: target.begin]):
            continue
        if wider and passage.sentences > 1:
            continue  # the sentence beside it may have a number more
        results = list(_results(said, target, passage))
        wider = wider or (adds and bool(results))
        mine = statement[target.begin : target.end]
        for result in results:
            if _equals(result, target) and not result.turned:
                return Derived(True, passage.text.strip(), f"{mine} is {result.shown}")
        known_there = any(same(target, other) for other in passage.quantities)
        if excluded is None and not known_there and told == 1 and len(results) == 1 and results[0].single:
            (result,) = results
            excluded = Derived(False, passage.text.strip(), f"{mine}: the source has {result.shown}")
    return excluded


def _target(said: Statement, passage: Passage) -> Quantity | None:
    """Return the number of a statement that may be calculated from a passage; None if there is not exactly one.

    It is a number that the passage does not give, and no year. The only number of a statement about an average counts
    even if the passage gives it.
    """
    theirs = passage.quantities
    new = [number for number in said.numbers if not any(same(number, other) for other in theirs)]
    new = [number for number in new if not YEAR.fullmatch(said.text, number.begin, number.end)]
    if not new and AVERAGE.search(said.text) and len(said.numbers) == 1:
        new = said.numbers  # an average may be one of the numbers
    return new[0] if len(new) == 1 else None


def _equals(result: _Result, target: Quantity) -> bool:
    mine = _measure(target)
    return abs(result.made - mine) <= max(result.near, 1e-6 * max(1.0, abs(mine)))


def _measure(target: Quantity) -> float:
    return target.value[0] or 0.0


def _results(said: Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    """Yield the results of the calculation that the statement names, with the numbers of the passage."""
    text = said.text
    if AVERAGE.search(text):
        if "average" not in passage.text.lower():  # which may be said of another thing
            yield from _averages(target, passage)
    elif target.kind == "percent":
        yield from _shares(said, target, passage)
    elif TOTAL.search(text):
        yield from _totals(said, target, passage)
    elif than := THAN.search(text):
        yield from _compared(said, target, passage, than)
    elif won := WON.search(text):
        yield from _won(said, target, passage, won)
    elif rose := ROSE.search(text):
        yield from _changes(target, passage, rose)
    elif _is_age(text, target):
        yield from _spans(said, target, passage, age=True)
    elif target.kind in TIME and SPAN.search(text):
        yield from _spans(said, target, passage, age=False)
    elif said.negated and target.kind == "count" and len(said.numbers) == 1:
        yield from _others(target, passage)


def _is_age(text: str, target: Quantity) -> bool:
    before, after = text[: target.begin], text[target.end :]
    named = re.search(r"\b(?:at the age of|at age|aged|turn(?:s|ed)|lived to(?: be)?)\s+$", before, re.IGNORECASE)
    old = re.search(r"\b(?:was|were|is|became)\s+$", before, re.IGNORECASE) and re.match(
        r"\s?(?:years?)? ?old\b", after
    )
    return target.kind in ("count", "months") and bool(named or old)


def _alike(target: Quantity, passage: Passage) -> list[Operand]:
    """Return the numbers of a passage that have the kind of the statement's number, as operands of a calculation.

    Amounts of money must not have another currency. If the statement's number is a time and the passage has no times,
    the numbers without a unit are returned.

    Args:
        target: the statement's number.
        passage: the passage.
    """
    if target.kind == "money":
        return [
            operand
            for operand in passage.of("money")
            if not operand.unit or not target.unit or operand.unit == target.unit
        ]
    alike = passage.of(target.kind)
    if not alike and target.kind in (*TIME, "count"):
        alike = passage.of("count")
    return alike


def _scaled(target: Quantity, operand: Operand) -> float:
    """Return a number of the passage in the base unit of the statement's number."""
    if operand.kind == target.kind:
        return operand.value
    return operand.value * (_measure(target) / target.written if target.written else 1.0)


def _averages(target: Quantity, passage: Passage) -> Iterator[_Result]:
    operands = _alike(target, passage)
    if len(operands) > 1:
        unit = abs(_measure(target) / target.written) if target.written else 1.0
        mean = sum(_scaled(target, operand) for operand in operands) / len(operands)
        exact = abs(mean / unit - round(mean / unit)) < 1e-9
        yield _Result(mean, f"the mean of {_shown(passage, operands)}", True, 0.0 if exact else 0.51 * unit)


def _shares(said: Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    if rose := ROSE.search(said.text):
        for kind in {operand.kind for operand in passage.operands} - {"year", "day", "clock", "percent"}:
            counts = passage.of(kind)
            if len(counts) == 2 and counts[0].value > 0:
                first, second = _in_time(passage, counts)
                change = 100 * (second.value - first.value) / first.value
                turned = bool(rose["rose"]) != (change > 0)
                shown = f"from {_shown(passage, (first, second))}"
                yield _Result(abs(change), shown, single=True, near=0.51, turned=turned)
        return
    counts = passage.of("count")
    if len(counts) != 2:
        return
    (part, whole) = sorted(counts, key=lambda count: count.value)
    if not 0 < part.value < whole.value:
        return
    before = passage.text[: whole.begin]
    single = _OF_WHOLE.search(before) is not None
    share = 100 * part.value / whole.value
    if said.negated != negated(passage.text):
        share = 100 - share
    near = 0.51 if not target.weak else 1.0
    yield _Result(share, f"{_shown(passage, counts)}", single, near)


def _others(target: Quantity, passage: Passage) -> Iterator[_Result]:
    """Yield the number of things that are left, if a passage gives a part and the whole: 6, if 18 of 24 passed."""
    counts = passage.of("count")
    if len(counts) == 2 and not negated(passage.text):
        part, whole = sorted(counts, key=lambda count: count.value)
        if _OF_WHOLE.search(passage.text[: whole.begin]) and part.value < whole.value:
            yield _Result(whole.value - part.value, _shown(passage, counts), True)


def _totals(said: Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    operands = [operand for operand in _alike(target, passage) if operand.kind == target.kind]
    if target.kind == "count":
        after = WORD.match(said.text, target.end + 1)
        noun = stem_of(after.group().lower()) if after else ""
        if not noun:
            return
        counted = [operand for operand in operands if noun in operand.clause or not operand.noun]
        operands = counted if len(counted) > 1 else operands
    if target.kind in ("percent", "temperature") or len(operands) < 2:
        return
    named = [
        operand
        for operand, stems in zip(passage.operands, passage.distinct, strict=True)
        if operand in operands and stems & said.stems
    ]
    if 1 < len(named) < len(operands):
        yield _Result(sum(operand.value for operand in named), f"{_shown(passage, named)}", False)
    elif len(operands) == 2 or not named or len(named) == len(operands):
        yield _Result(
            sum(operand.value for operand in operands),
            f"{_shown(passage, operands)}",
            len(operands) == 2 or _is_list(passage, operands),
        )


def _is_list(passage: Passage, operands: Sequence[Operand]) -> bool:
    """Return whether the numbers stand in a single sentence."""
    return not re.search(r"[.!?;]\s", passage.text[operands[0].end : operands[-1].begin])


def _compared(said: Statement, target: Quantity, passage: Passage, than: re.Match[str]) -> Iterator[_Result]:
    """Yield the difference of the two numbers that a statement compares, as in "five metres higher than"."""
    operands = _alike(target, passage)
    how = than["how"].lower()
    if not operands and target.kind == "months" and how in ("older", "younger"):
        yield from _born(said, passage, than)
        return
    if how in ("faster", "slower") and target.kind in TIME:
        more = how == "slower"
    else:
        more = how in MORE_THAN.split() or how in ("more expensive", "more costly")
    pairs = _pair(said, passage, operands, than.end())
    if pairs is None:
        return
    first, second = pairs
    made = abs(_scaled(target, first) - _scaled(target, second))
    yield _Result(made, _shown(passage, (first, second)), True, turned=(first.value > second.value) != more)


def _born(said: Statement, passage: Passage, than: re.Match[str]) -> Iterator[_Result]:
    """Yield the difference in age of two persons, from their days or years of birth."""
    days, years = passage.of("day"), passage.of("year")
    births, year = (days, 365.2425) if len(days) == 2 else (years, 1.0)
    if len(births) != 2 or "born" not in passage.text:
        return
    pair = _pair(said, passage, births, than.end())
    if pair is not None:
        first, second = pair
        older = first.value < second.value
        made = 12.0 * int(abs(first.value - second.value) / year + 0.02)
        yield _Result(made, _shown(passage, pair), True, turned=older != (than["how"].lower() == "older"))


def _pair(said: Statement, passage: Passage, operands: Sequence[Operand], at: int) -> tuple[Operand, Operand] | None:
    """Return the numbers of the two things that a statement compares.

    Args:
        said: the statement.
        passage: the passage that has the numbers.
        operands: the numbers of the passage that may belong to the things.
        at: the index in the statement at which "than" ends.

    Returns:
        The number of the thing before "than", and of the thing behind it; None where these are not certain.
    """
    stems = dict(zip(passage.operands, passage.distinct, strict=True))
    before, behind = things_of(said.text[:at]), things_of(said.text[at:])
    before, behind = before - behind, behind - before
    firsts = _best(
        [operand for operand in operands if stems[operand] & before and not stems[operand] & behind], stems, before
    )
    seconds = _best(
        [operand for operand in operands if stems[operand] & behind and not stems[operand] & before], stems, behind
    )
    if len(firsts) == len(seconds) == 1 and firsts != seconds:
        return firsts[0], seconds[0]
    if len(operands) == 2 and len(seconds) == 1 and not firsts:
        return next(operand for operand in operands if operand is not seconds[0]), seconds[0]
    return None


def _best(operands: Sequence[Operand], stems: dict[Operand, frozenset[str]], wanted: Set[str]) -> list[Operand]:
    most = max((len(stems[operand] & wanted) for operand in operands), default=0)
    return [operand for operand in operands if len(stems[operand] & wanted) == most]


def _won(said: Statement, target: Quantity, passage: Passage, won: re.Match[str]) -> Iterator[_Result]:
    operands = [operand for operand in _alike(target, passage) if operand.kind == target.kind]
    if (score := _SCORE.search(passage.text)) is not None:
        first, second = float(score["first"]), float(score["second"])
        names = stems_in(said.text[: won.start()])
        winner, loser = stems_in(score["winner"]), stems_in(score["loser"])
        if first > second and bool(names & winner) != bool(names & loser):
            turned = bool(names & winner) != bool(won["won"])
            yield _Result(first - second, score.group(), True, turned=turned)
        return
    if len(operands) != 2:
        return
    stems = dict(zip(passage.operands, passage.distinct, strict=True))
    before = stems_in(said.text[: won.start()])
    single = {operand for operand in operands if stems[operand] & before}
    best = max(operands, key=lambda operand: operand.value)
    wins = bool(won["won"])
    if len(single) == 1:
        turned = (best in single) != wins
        yield _Result(abs(operands[0].value - operands[1].value), _shown(passage, operands), True, turned=turned)


def _changes(target: Quantity, passage: Passage, rose: re.Match[str]) -> Iterator[_Result]:
    operands = [operand for operand in _alike(target, passage) if operand.kind == target.kind]
    if target.kind == "ordinal" or len(operands) != 2:
        return
    first, second = _in_time(passage, operands)
    change = second.value - first.value
    turned = not rose["apart"] and change != 0 and bool(rose["rose"]) != (change > 0)
    yield _Result(abs(change), _shown(passage, operands), True, turned=turned)


def _in_time(passage: Passage, operands: Sequence[Operand]) -> tuple[Operand, Operand]:
    """Return two numbers in the order of the two years beside them, and without two years in the order of the text."""
    first, second = operands
    years = passage.of("year")
    if len(years) == 2:
        nearest = [min(years, key=lambda year: abs(year.begin - operand.begin)) for operand in operands]
        if nearest[0] != nearest[1] and nearest[0].value > nearest[1].value:
            return second, first
    return first, second


def _spans(said: Statement, target: Quantity, passage: Passage, age: bool) -> Iterator[_Result]:
    unit = 12.0 if target.kind == "months" else 1.0
    years = [operand.value for operand in passage.of("year")]
    mine = [quantity.value[0] for quantity in said.found if YEAR.fullmatch(said.text, quantity.begin, quantity.end)]
    years = sorted({*years, *(year for year in mine if year is not None)})
    shown = " and ".join(f"{year:.0f}" for year in years)
    if target.kind in ("months", "count") and len(years) == 2:
        yield _Result((years[1] - years[0]) * unit, shown, True, unit if age else 0.0)
    if target.kind != "duration":
        return
    days = sorted({operand.value for operand in passage.of("day")})
    if len(days) == 2 and _measure(target) % 86400 == 0:
        yield _Result((days[1] - days[0]) * 86400, _shown(passage, passage.of("day")), True, 86400 * 0.0)
        if _measure(target) == (days[1] - days[0] + 1) * 86400:
            yield _Result(_measure(target), _shown(passage, passage.of("day")), False)
    clocks = passage.of("clock")
    if len(clocks) == 2:
        made = (clocks[1].value - clocks[0].value) * 60
        halves = made if made > 0 else made % 43200
        yield _Result(halves, _shown(passage, clocks), True)


def _shown(passage: Passage, operands: Sequence[Operand]) -> str:
    return " and ".join(passage.text[operand.begin : operand.end] for operand in operands)

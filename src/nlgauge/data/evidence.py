"""Evidence: what a score is based on. It has four forms for all metrics: words, matches, flows and items.

`Evidence.record` converts evidence to plain JSON, without fields that are None, and `wrong_evidence` checks such JSON.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, reduce
from itertools import accumulate, zip_longest
from types import NoneType
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
LAST = 10_000_000
"""The greatest position in a text, which is the greatest length of a text (`nlgauge.data.corpus.row`)"""


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text. It has no begin and end if it has no position (a special token, a lemma)."""

    text: str | None
    begin: int | None = None
    """Index of the first character"""
    end: int | None = None
    """Index of the character after the last one"""


@dataclass(frozen=True)
class Quote:
    """A sentence of a text that another text is compared with."""

    name: str
    """The name of the text: 'source', 'context' or 'candidate'"""
    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """A part of a text that the aligner read at once, together with sentences of the other texts."""

    begin: int
    end: int
    quotes: Sequence[int]
    """Indexes, in the `quotes` of the text, of the sentences that were read with this part"""
    supported: float | None = None
    """Probability that the sentences support all of the part, by the aligner and by exact checks; None if the aligner
    predicts no such probability"""
    contradicted: float | None = None
    """Probability that the sentences contradict the part, given that they do not support it; None if not predicted"""
    abstains: bool | None = None
    """True where the part says that the other texts lack something. `supported` is then the probability of that"""
    given: str | None = None
    """The words of the other texts from which the part follows by a calculation; None where the aligner decided"""


@dataclass(frozen=True)
class EvidenceWord:
    """One word of a text."""

    text: str
    begin: int
    end: int
    alignment: float
    """How far the word is supported, from 0 to 1. Depending on the metric, it is an alignment, a probability, or
    whether a model predicted the word (1 or 0)"""
    weight: float | None = None
    """Share of the word in the score"""
    predicted: str | None = None
    log_probability: float | None = None
    quote: int | None = None
    """Index, in the `quotes` of the text, of the sentence that the word most likely comes from"""


@dataclass(frozen=True)
class Reason:
    """A difference between a part of a text and another text, which exact checks find without a model."""

    begin: int
    end: int
    said: str
    """The difference in words, for example: 1978: the source has 1987"""
    sure: bool = False
    """Whether differences of this kind are nearly always errors. A text with such a difference does not pass a gate"""


@dataclass(frozen=True)
class EvidenceText:
    """A text, with those of its words that count for the score."""

    name: str
    """The name of the text: 'candidate', 'source' or 'reference'"""
    against: str
    """The name of the text that it is compared with"""
    text: str
    words: Sequence[EvidenceWord]
    weak: float
    """A word with an alignment below this is shown as unsupported"""
    unsupported: Sequence[tuple[int, int]] | None = None
    """Character ranges [begin, end) of runs of unsupported words"""
    stretches: Sequence[Stretch] | None = None
    quotes: Sequence[Quote] | None = None
    """Sentences of the other texts that the aligner read"""
    reasons: Sequence[Reason] | None = None
    """Quantities, names, opposites and negations that differ from the other texts. All but negations lower the
    probability that the other texts support this text. None of them changes the score"""


@dataclass(frozen=True)
class Match:
    """A word or token, and its match in the other text."""

    side: str
    """The text of `token`: 'candidate' or 'reference'"""
    token: TextPiece
    match: TextPiece
    similarity: float
    weight: float
    """Share of the match in the mean over the matches of its side, from 0 to 1"""


@dataclass(frozen=True)
class Flow:
    """Mass that was moved from a word of the candidate to a word of the reference."""

    candidate: TextPiece
    reference: TextPiece
    share: float
    """Share of the flow in the total mass, from 0 to 1"""
    distance: float
    """Distance of the two words, in the metric's unit"""


@dataclass(frozen=True)
class Item:
    """A named thing that a score is based on, such as a vocabulary item, a text or a member, with facts about it."""

    name: str
    facts: dict[str, object]


@dataclass(frozen=True)
class Evidence:
    """All evidence for the score of a row or system."""

    reference: int | None = None
    """Index of the reference that the score is based on, among all of the row's references"""
    texts: Sequence[EvidenceText] = ()
    matches: Sequence[Match] = ()
    flows: Sequence[Flow] = ()
    items: Sequence[Item] = ()
    left_out: int = 0
    """Number of flows or items that are too small to be listed"""

    def record(self) -> dict[str, Json]:
        """Return JSON: {'reference', 'texts', 'matches', 'flows', 'items', 'left_out'}, without empty fields."""
        record: dict[str, Json] = {}
        if self.reference is not None:
            record["reference"] = self.reference
        for name in ("texts", "matches", "flows"):
            if entries := getattr(self, name):
                record[name] = [_plain(entry) for entry in entries]
        if self.items:
            record["items"] = [{"name": item.name, **_plain_facts(item.facts)} for item in self.items]
        if self.left_out:
            record["left_out"] = self.left_out
        return record


def of_candidate(evidence: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return those texts of a row's evidence (as JSON) that have the name 'candidate'."""
    return [text for text in (evidence or {}).get("texts", []) if text["name"] == "candidate"]


def surely_differs(evidence: Mapping[str, Any] | None) -> str | None:
    """Return a difference from the source that is nearly always an error, from evidence as JSON; None without any."""
    reasons = (reason for text in of_candidate(evidence) for reason in text.get("reasons") or [])
    return next((reason["said"] for reason in reasons if reason.get("sure")), None)


def refuses_worst(evidence: Mapping[str, Any] | None) -> bool:
    """Return whether the least supported claim says that the source lacks something. A search judges such a claim."""
    stretches = [
        stretch for text in of_candidate(evidence) for stretch in text.get("stretches") or [] if "supported" in stretch
    ]
    worst = min(stretches, key=lambda stretch: float(stretch["supported"]), default=None)
    return worst is not None and bool(worst.get("abstains"))


def _plain(value: object) -> Json:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, TextPiece | Quote | Stretch | Reason | EvidenceWord | EvidenceText | Match | Flow):
        return {name: _plain(inner) for name, inner in vars(value).items() if inner is not None}
    if isinstance(value, dict):
        return _plain_facts(value)
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{value!r} is not evidence")


def _plain_facts(facts: dict[str, object]) -> dict[str, Json]:
    return {str(name): _plain(inner) for name, inner in facts.items()}


@cache
def _form(kind: Any, packed: bool) -> Any:
    """Return the type by which msgspec checks the JSON of values of a Python type.

    A record (a dataclass) is an object. It may lack a field that can be None or has a default, and a field with a
    default is never null. With `packed`, a list of records may also be an object with a list for each field
    (`nlgauge.data.table.packed`).
    """
    from msgspec import UNSET, Meta, UnsetType, defstruct  # where there is evidence

    if kind is float:
        return Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]  # neither NaN nor infinite
    if kind is Item:
        return defstruct("Item", [("name", str)])  # its facts stand beside its name, and may be anything
    if get_origin(kind) is Sequence:
        (inner,) = get_args(kind)
        records: Any = list[_form(inner, packed)]  # type: ignore[misc]  # a type that is made here
        return records | _lists(inner) if packed and is_dataclass(inner) and inner is not EvidenceText else records
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return kind
    members = list[Any]()
    for name, kinds, default in _fields(kind):
        forms = [_form(inner, packed) for inner in kinds if not (default and inner is NoneType)]
        if default or NoneType in kinds:
            members.append((name, reduce(operator.or_, [*forms, UnsetType]), UNSET))
        else:
            members.append((name, *forms))
    return defstruct(kind.__name__, members, kw_only=True)


def _lists(kind: Any) -> Any:
    """Return the type by which msgspec checks packed records: a list for each field, and one list of all positions."""
    from msgspec import UNSET, UnsetType, defstruct

    if kind is Item:
        return defstruct("Items", [("name", list[str])])
    members: dict[str, Any] = {}
    for name, kinds, default in _fields(kind):
        (inner,) = (inner for inner in kinds if inner is not NoneType)
        optional = default or NoneType in kinds
        if name in ("begin", "end"):
            members["at"] = (list[int] | UnsetType, UNSET) if optional else (list[int],)
        if optional:
            members[name] = (list[_form(inner, True) | None] | UnsetType, UNSET)  # type: ignore[misc]
        elif (kind, name) == (EvidenceWord, "text"):
            members[name] = (list[str] | UnsetType, UNSET)
        elif name not in ("begin", "end"):
            members[name] = (_form(Sequence[inner], True),)  # type: ignore[valid-type]
    return defstruct(f"{kind.__name__}s", [(name, *member) for name, member in members.items()], kw_only=True)


def _fields(kind: Any) -> Iterator[tuple[str, tuple[Any, ...], bool]]:
    """Yield the name of each field of a record, the types that it may have, and whether it has a default."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        hint = hints[field.name]
        yield field.name, get_args(hint) if NoneType in get_args(hint) else (hint,), field.default is not MISSING


def wrong_evidence(evidence: object, packed: bool = False) -> str | None:
    """Return what is wrong with the evidence of a row or a system, and at which place of the JSON.

    Args:
        evidence: JSON, as `Evidence.record` makes it.
        packed: whether to accept evidence in the form of `nlgauge.data.table.packed` too.

    Returns:
        A sentence, or None where the evidence can be drawn.
    """
    from msgspec import UNSET, ValidationError, convert

    try:
        made = convert(evidence, _form(Evidence, packed))
    except ValidationError as bad:
        return f"evidence: {bad}"
    if made.reference is not UNSET and made.reference < 0:
        return "evidence: the reference is below 0 - at `$.reference`"
    for where, records in _placed(made):
        for number, place in enumerate(_places(records)):
            if not _stands(*place):
                return f"evidence: a place in a text is not from 0 to {LAST:,} - at `$.{where}[{number}]`"
    if made.matches and not {"candidate", "reference"}.issuperset(_field(made.matches, "side")):
        return "evidence: there is no such side - at `$.matches[...].side`"
    for number, text in enumerate(made.texts or ()):
        if wrong := _wrong(text):
            return f"evidence: {wrong} - at `$.texts[{number}]`"
    return None


def _wrong(text: Any) -> str | None:
    """Return what is wrong with a text: it names a quote or a position that does not exist. None if all is right."""
    named = [quote for quote in _field(text.words, "quote") if isinstance(quote, int)]
    named += [quote for quotes in _field(text.stretches or [], "quotes") for quote in quotes]
    count = len(_field(text.quotes or [], "text"))
    if named and not 0 <= min(named) <= max(named) < count:
        return "a sentence is not among the quotes"
    return None if all(_stands(*span) for span in text.unsupported or ()) else "unsupported words stand nowhere"


def _placed(evidence: Any) -> Iterator[tuple[str, Any]]:
    """Yield (path of the list in the JSON, list) for each list of records that have positions in a text."""
    for name, sides in (("matches", ("token", "match")), ("flows", ("candidate", "reference"))):
        if pairs := getattr(evidence, name):
            yield from ((name, _field(pairs, side)) for side in sides)
    for number, text in enumerate(evidence.texts or ()):
        for name in ("words", "stretches", "quotes", "reasons"):
            if records := getattr(text, name):
                yield f"texts[{number}].{name}", records


def _field(records: Any, name: str) -> Sequence[Any]:
    """Return the values of one field of all records. The records are a list or packed."""
    return [getattr(record, name) for record in records] if isinstance(records, list) else getattr(records, name) or ()


def _places(records: Any) -> Iterable[tuple[object, object]]:
    """Return begin and end of each record of a list or of packed records; nothing if a quick check finds all valid."""
    if isinstance(records, list) or not isinstance(records.at, list):
        return zip_longest(_field(records, "begin"), _field(records, "end"))
    ends = list(accumulate(records.at))
    if min([0, *ends, *records.at[1::2]]) >= 0 and max([0, *ends]) <= LAST:
        return ()
    return zip(ends[::2], ends[1::2], strict=False)


def _stands(begin: object, end: object) -> bool:
    """Return whether begin and end are a range of characters, or both None."""
    return 0 <= begin <= end <= LAST if isinstance(begin, int) and isinstance(end, int) else begin is end

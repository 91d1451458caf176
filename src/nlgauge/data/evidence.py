"""What a score is based on, in four forms for all metrics: words, matches, flows and items.

`Evidence.record` converts them to plain JSON, without parts that are None, and `wrong_evidence` checks such JSON.

A scores file holds lists of records by their fields (`packed`), and words by their places alone. `[{"text": "A",
"begin": 0, "end": 1, "alignment": 1.0}, ...]` becomes `{"at": [0, 1, ...], "alignment": [1.0, ...]}`: `at` has two
numbers a record, how far it begins behind the end of the one before it, and its length. A field that some records lack
is null for these. The text of a word is left out where its place in the whole text gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, pairwise
from typing import Any, TypeAlias

from nlgauge.data.json_values import Shape, mismatch, shape_of

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
LAST = 10_000_000
"""Characters that a text may have, as `nlgauge.data.corpus.row` says: no place in one is behind that"""


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text. It has no begin and end if it has no position (a special token, a lemma)."""

    text: str | None
    begin: int | None = None
    """First character"""
    end: int | None = None
    """The character after the last one"""


@dataclass(frozen=True)
class Quote:
    """A sentence of a text that another text is compared with."""

    name: str
    """The text's: 'source', 'context' or 'candidate'"""
    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """A part of a text that was read at once, with some sentences of the other texts."""

    begin: int
    end: int
    quotes: Sequence[int]
    """Indexes of the sentences in the text's `quotes`"""
    supported: float | None = None
    """Probability that they support all of it, by the aligner and by exact checks; None if the aligner does not
    predict it"""
    contradicted: float | None = None
    """Probability that they contradict it, if they do not support it; None if the aligner does not predict it"""
    abstains: bool | None = None
    """True where it says that something is not in the other texts; `supported` is then the probability of that"""


@dataclass(frozen=True)
class EvidenceWord:
    """One word of a text."""

    text: str
    begin: int
    end: int
    alignment: float
    """How far it is supported, from 0 to 1: its alignment, whether it was predicted, or its probability"""
    weight: float | None = None
    """Its share of the score"""
    predicted: str | None = None
    log_probability: float | None = None
    quote: int | None = None
    """Index in the text's `quotes` of the sentence that it most likely comes from"""


@dataclass(frozen=True)
class Reason:
    """Why a part of a text contradicts another text, found without a model."""

    begin: int
    end: int
    said: str
    """For example: 1978: the source has 1987"""
    sure: bool = False
    """Whether such a difference is nearly always an error, so that it keeps the text from passing a gate"""


@dataclass(frozen=True)
class EvidenceText:
    """The words of one text that count."""

    name: str
    """The text's: 'candidate', 'source' or 'reference'"""
    against: str
    """The name of the text that it is compared with"""
    text: str
    words: Sequence[EvidenceWord]
    weak: float
    """A word with an alignment below this is shown as unsupported"""
    unsupported: Sequence[tuple[int, int]] | None = None
    """Characters [begin, end) of runs of unsupported words"""
    stretches: Sequence[Stretch] | None = None
    quotes: Sequence[Quote] | None = None
    """Sentences of the other texts that were read"""
    reasons: Sequence[Reason] | None = None
    """Quantities, names, opposites and negations that differ from the other texts. All but negations lower the
    probability that these support the text; none changes the score"""


@dataclass(frozen=True)
class Match:
    """A word or token, and its match in the other text."""

    side: str
    """The text of the first one: 'candidate' or 'reference'"""
    token: TextPiece
    match: TextPiece
    similarity: float
    weight: float
    """Its share in that side's mean"""


@dataclass(frozen=True)
class Flow:
    """Mass that was moved from the candidate to the reference."""

    candidate: TextPiece
    reference: TextPiece
    share: float
    """Its share of the total mass"""
    distance: float
    """In the metric's unit"""


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

    def record(self) -> Json:
        """As JSON: {'reference', 'texts', 'matches', 'flows', 'items', 'left_out'}, without empty ones."""
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
def _shape() -> dict[str, Shape]:
    # The facts of an item stand beside its name, and may be anything.
    return {**shape_of(Evidence, left_out=True), "items?": [{"name": str}]}


def wrong_evidence(evidence: object) -> str | None:
    """Return what is wrong with the evidence of a row or a system; None where it can be drawn."""
    if wrong := mismatch(evidence, _shape(), "evidence"):
        return wrong
    assert isinstance(evidence, dict)
    if evidence.get("reference", 0) < 0:
        return "evidence.reference is below 0"
    if any(match["side"] not in ("candidate", "reference") for match in evidence.get("matches", [])):
        return "evidence.matches names a side that there is not"
    if not all(map(_stands, _places(evidence))):
        return f"evidence has a place in a text that is not from 0 to {LAST:,}"
    return next(filter(None, map(_wrong_text, evidence.get("texts", []))), None)


def _wrong_text(text: Mapping[str, Any]) -> str | None:
    quotes = len(text.get("quotes", []))
    named = [word["quote"] for word in text["words"] if "quote" in word]
    named += [quote for stretch in text.get("stretches", []) for quote in stretch["quotes"]]
    if not all(0 <= quote < quotes for quote in named):
        return "evidence.texts names a sentence that is not among its quotes"
    spans = text.get("unsupported", [])
    return None if all(map(_stands, spans)) else "evidence.texts has unsupported words that stand nowhere"


def _places(evidence: Mapping[str, Any]) -> Iterator[list[int]]:
    """Yield where the pieces of texts begin and end."""
    pieces = [one for match in evidence.get("matches", []) for one in (match["token"], match["match"])]
    pieces += [one for flow in evidence.get("flows", []) for one in (flow["candidate"], flow["reference"])]
    for text in evidence.get("texts", []):
        pieces += [*text["words"], *text.get("stretches", []), *text.get("quotes", []), *text.get("reasons", [])]
    for piece in pieces:
        yield [piece[name] for name in ("begin", "end") if name in piece] or [0, 0]


def _stands(span: list[int]) -> bool:
    return len(span) == 2 and 0 <= span[0] <= span[1] <= LAST


_OF_A_ROW = ("matches", "flows", "items")
_OF_A_TEXT = ("words", "stretches", "quotes", "reasons")


def packed(evidence: Any) -> Any:
    """Evidence for a file. What has not the shapes of these records stays as it is."""
    return _made(evidence, _by_field, _packed_text)


def unpacked(evidence: Any) -> Any:
    """Return what `packed` was given; lists that are not packed stay lists. Raises ValueError for what
    it never makes.
    """
    return _made(evidence, _records, _unpacked_text)


def _made(evidence: Any, of_records: Callable[[Any], Any], of_text: Callable[[Any], Any]) -> Any:
    if not isinstance(evidence, dict):
        return evidence
    made = {name: of_records(value) if name in _OF_A_ROW else value for name, value in evidence.items()}
    if isinstance(texts := evidence.get("texts"), list):
        made["texts"] = [of_text(text) if isinstance(text, dict) else text for text in texts]
    return made


def _packed_text(text: Mapping[str, Any]) -> dict[str, Any]:
    whole: Any = text.get("text")
    made = {name: _by_field(value) if name in _OF_A_TEXT else value for name, value in text.items()}
    words: Any = made.get("words")
    placed = isinstance(whole, str) and isinstance(words, dict) and list(words)[:2] == ["text", "at"]
    if placed and min(words["at"]) >= 0:
        given = [whole[begin:end] for begin, end in _bounds(words["at"])]
        made["words"] = {name: field for name, field in words.items() if name != "text" or field != given}
    return made


def _unpacked_text(text: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(text)
    words = made.get("words")
    if isinstance(words, dict) and "text" not in words:
        whole, places = made.get("text"), _bounds(words.get("at"))
        # Words that follow each other are no longer together than the text.
        if not isinstance(whole, str) or any(number < 0 for number in words["at"]):
            raise ValueError("words without a text of their own do not follow each other in one")
        made["words"] = {"text": [whole[begin:end] for begin, end in places], **words}
    return {name: _records(value) if name in _OF_A_TEXT else value for name, value in made.items()}


def _by_field(records: Any) -> Any:
    """Records by their fields; as they are where that could not be turned back."""
    if not isinstance(records, list) or not records or not all(isinstance(one, dict) for one in records):
        return records
    names = list(dict.fromkeys(name for one in records for name in one))
    alike = all(list(one) == [name for name in names if name in one] and None not in one.values() for one in records)
    if not alike or not names or "at" in names:
        return records
    fields: dict[str, Any] = {name: [one.get(name) for one in records] for name in names}
    for name, values in fields.items():
        if all(isinstance(value, dict) for value in values):
            fields[name] = _by_field(values)
    if ("begin", "end") in pairwise(names) and _whole(fields["begin"] + fields["end"]):
        bounds = [0, *chain.from_iterable(zip(fields["begin"], fields.pop("end"), strict=True))]
        fields["begin"] = [bound - before for before, bound in pairwise(bounds)]
        return {"at" if name == "begin" else name: values for name, values in fields.items()}
    return fields


def _records(fields: Any) -> Any:
    if not isinstance(fields, dict):
        return fields
    columns: dict[str, Sequence[Any]] = {}
    for name, values in fields.items():
        if name == "at":
            columns["begin"], columns["end"] = zip(*_bounds(values), strict=True)
        else:
            columns[name] = _records(values)
    if not columns or not all(isinstance(values, list | tuple) for values in columns.values()):
        raise ValueError("a list of records is neither that nor one of their fields")
    rows = zip(*columns.values(), strict=True)
    return [{name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows]


def _bounds(at: Any) -> list[tuple[int, int]]:
    """Return where each begins and ends."""
    if not isinstance(at, list) or not at or len(at) % 2 or not _whole(at):
        raise ValueError("places are not two whole numbers each")
    ends = list(accumulate(at))
    return list(zip(ends[::2], ends[1::2], strict=True))


def _whole(numbers: Sequence[Any]) -> bool:
    return all(type(number) is int for number in numbers)

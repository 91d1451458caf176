"""Values as JSON has them, and the shapes that a JSON file has to have before it is believed.

JSON has no NaN and no infinity, so that these are null and a word, as in a scores file. Shapes are data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

from nlgauge.data.signature import Signature


def plain(value: Any) -> Any:
    """A number, or what stands for one that JSON does not have; anything else as it is."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def jsonable(value: Any) -> Any:
    """A value of records, mappings, lists and numbers, all of them `plain`; a signature is its text."""
    if value is None or isinstance(value, str | int | float):
        return plain(value)
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    return [jsonable(inner) for inner in value] if isinstance(value, list | tuple) else plain(value)


Shape: TypeAlias = "type | tuple[Any, ...] | list[Any] | Mapping[str, Any] | None"
"""A type; None for null; a tuple of these, one of which it is; a list of one shape, that of all entries; a mapping of
shapes by name, those whose name ends in "?" for values that may be absent and "*" for all other names"""
NUMBER: Shape = (int, float)
_SHOWN = 80
_NAMES = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", None: "null"}


def mismatch(value: object, shape: Any, where: str) -> str | None:
    """What is wrong with a value that has not a shape, and where; None where it has it."""
    if _fit([value], shape):
        return None
    inside: list[tuple[object, Any, str]] = []
    if isinstance(shape, list) and isinstance(value, list):
        inside = [(inner, shape[0], f"{where}[{number}]") for number, inner in enumerate(value)]
    if isinstance(shape, Mapping) and isinstance(value, dict):
        for name, inner in shape.items():
            found = _named([value], name, shape)
            inside += [(one, inner, f"{where}.{named(key)}") for key, one in found]
            if not found and name[-1] not in "?*":
                return f"{where}.{name} is missing"
    return next(filter(None, (mismatch(*one) for one in inside)), f"{where} is not {_called(shape)}")


def named(name: str) -> str:
    """A name out of a file as an error shows it: in one line, and not more of it than can be read."""
    text = repr(name)[1:-1]
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _fit(values: Sequence[Any], shape: Any) -> bool:
    """Whether all of some values have a shape: looked at together, since a file holds millions of a kind."""
    found = set(map(type, values))
    if isinstance(shape, list):
        return found <= {list} and _fit([inner for value in values for inner in value], shape[0])
    if isinstance(shape, Mapping):
        if not found <= {dict}:
            return False
        columns = {name: [value for _, value in _named(values, name, shape)] for name in shape}
        whole = all(name[-1] in "?*" or len(column) == len(values) for name, column in columns.items())
        return whole and all(_fit(column, shape[name]) for name, column in columns.items() if column)
    kinds = set(shape) if isinstance(shape, tuple) else {shape}
    allowed = {type(None) if kind is None else kind for kind in kinds}
    finite = float not in found or all(math.isfinite(value) for value in values if type(value) is float)
    return finite and (object in allowed or found <= allowed)


def _named(values: Sequence[Mapping[str, Any]], name: str, shape: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What objects have under a name of their shape."""
    if name == "*":
        own = {one.removesuffix("?") for one in shape}
        return [(key, inner) for value in values for key, inner in value.items() if key not in own]
    key = name.removesuffix("?")
    return [(key, value[key]) for value in values if key in value]


def _called(shape: Any) -> str:
    if isinstance(shape, tuple):
        return " or ".join(dict.fromkeys(map(_called, shape)))
    return "a list" if isinstance(shape, list) else "an object" if isinstance(shape, Mapping) else _NAMES[shape]


LAST = 10_000_000
"""Characters that a text may have, as `nlgauge.data.corpus.row` says: no place in one is behind that"""
_PLACE = {"text?": (str, None), "begin?": int, "end?": int}
_WORD = {
    "text": str, "begin": int, "end": int, "alignment": NUMBER, "weight?": NUMBER, "predicted?": str,
    "log_probability?": NUMBER, "quote?": int,
}  # fmt: skip
_TEXT = {
    "name": str, "against": str, "text": str, "words": [_WORD], "weak": NUMBER, "unsupported?": [[int]],
    "stretches?": [{"begin": int, "end": int, "quotes": [int], "supported?": NUMBER, "contradicted?": NUMBER}],
    "quotes?": [{"name": str, "text": str, "begin": int, "end": int}],
    "reasons?": [{"begin": int, "end": int, "said": str}],
}  # fmt: skip
_EVIDENCE = {
    "reference?": int,
    "texts?": [_TEXT],
    "matches?": [{"side": str, "token": _PLACE, "match": _PLACE, "similarity": NUMBER, "weight": NUMBER}],
    "flows?": [{"candidate": _PLACE, "reference": _PLACE, "share": NUMBER, "distance": NUMBER}],
    "items?": [{"name": str}],
    "left_out?": int,
}


def wrong_evidence(evidence: object) -> str | None:
    """What is wrong with the evidence of a row or a system; None where it can be drawn."""
    if wrong := mismatch(evidence, _EVIDENCE, "evidence"):
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
    """Where the pieces of texts begin and end."""
    pieces = [one for match in evidence.get("matches", []) for one in (match["token"], match["match"])]
    pieces += [one for flow in evidence.get("flows", []) for one in (flow["candidate"], flow["reference"])]
    for text in evidence.get("texts", []):
        pieces += [*text["words"], *text.get("stretches", []), *text.get("quotes", []), *text.get("reasons", [])]
    for piece in pieces:
        yield [piece[name] for name in ("begin", "end") if name in piece] or [0, 0]


def _stands(span: list[int]) -> bool:
    return len(span) == 2 and 0 <= span[0] <= span[1] <= LAST

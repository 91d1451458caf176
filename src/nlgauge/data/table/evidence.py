"""What the evidence of a scores file has to be, so that every page can draw it.

The four shapes are those of `nlgauge.metrics.evidence`; items may say more than is named here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.data.table.shapes import NUMBER, mismatch

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

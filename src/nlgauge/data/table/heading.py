"""The first line of a scores file, checked: what it says of metrics and run is believed from there on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge.data.corpus.place import shown
from nlgauge.data.table.shapes import mismatch, plain
from nlgauge.errors import InputError
from nlgauge.maths.totals import FORMULAS

_EDITED = "the file was edited, or a newer nlgauge wrote it"
_METRIC = {"parts": [str], "higher_is_better": bool, "level?": str, "details?": [str], "formula?": {"name": str}}
_HEADER = {
    "nlgauge": str,
    "signatures": {"*": str},
    "facts": {"*": {}},
    "metrics": {"*": _METRIC},
    "run": {
        "rows?": int,
        "corpus?": str,
        "asked?": {"*": str},
        "notes?": {"*": {"*": int}},
        "joined?": {},
    },
    "rows?": [[str]],
}


def checked(header: dict[str, Any], path: str | Path) -> dict[str, Any]:
    """The header. Raises InputError for one that `nlgauge.data.table.writing` would not write."""
    header.setdefault("facts", {})  # before there were facts, a signature was its text alone
    kept = all(isinstance(header.get(key), dict) for key in ("signatures", "facts", "metrics", "run"))
    if "nlgauge" not in header or not kept:
        raise InputError("has no nlgauge header", file=path, row=1, remedy="give what nlgauge score -o wrote")
    wrong = mismatch(header, _HEADER, "the header")
    if not wrong and any(len(row) != 2 for row in header.get("rows", [])):
        wrong = "the rows of the header are not of a system and an item each"
    found = (_wrong_metric(spec, about) for spec, about in header["metrics"].items()) if not wrong else ()
    if wrong := wrong or next(filter(None, found), None):
        raise InputError(wrong, file=path, row=1, remedy=_EDITED)
    return header


def _wrong_metric(spec: str, about: Mapping[str, Any]) -> str | None:
    named, parts, details = plain(spec), about["parts"], about.get("details", [])
    if not parts or len(set(parts)) < len(parts):
        return f"{named} has no parts, or one of them twice"
    if about.get("level", "item") not in ("item", "system"):
        return f"the level {shown(about['level'])} of {named} is neither 'item' nor 'system'"
    if not set(details) <= set(parts):
        return f"the details {shown(details)} of {named} are not among the parts {shown(parts)}"
    if "formula" in about and about["formula"]["name"] not in FORMULAS:
        return f"the formula {shown(about['formula']['name'])} of {named} is not known"
    return None

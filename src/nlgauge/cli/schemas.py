"""JSON Schemas of what commands print with `--format json`, made from the annotations of the records themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from nlgauge.data.jsonable import INFINITE, INTERVAL, Number
from nlgauge.data.signature import Signature
from nlgauge.errors import SpecError

Schema: TypeAlias = dict[str, Any]
Shape: TypeAlias = Mapping[str, Any]
"""Types by the names of fields. A field whose name ends in '?' may be absent"""

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER: Schema = {"anyOf": [{"type": ["number", "null"]}, {"enum": list(INFINITE)}]}
"""The schema of a number, as `nlgauge.data.jsonable.plain` writes it"""
_SIMPLE: Mapping[Any, Schema] = {
    Any: {},
    None: {"type": "null"},
    object: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: _NUMBER,
    Number: _NUMBER,
    NoneType: {"type": "null"},
    Signature: {"type": "string"},
}
_ENVELOPE: Shape = {"nlgauge": str, "command": str, "notes": list[str]}


def schema(command: str) -> Schema:
    """Return the JSON Schema (draft 2020-12) of what a command prints with `--format json`.

    It allows fields that it does not name, because a later version may add fields.

    Args:
        command: a name of `COMMANDS`.

    Returns:
        The schema, as JSON has it.

    Raises:
        SpecError: no command of that name has a schema.
    """
    if command not in COMMANDS:
        raise SpecError(f"there is no schema of {command!r}: there is one of {', '.join(COMMANDS)}")
    forms = [_object({**_ENVELOPE, **form}) for form in COMMANDS[command]()]
    for form in forms:
        form["properties"]["command"] = {"const": command}
    about = {"$schema": _DRAFT, "title": f"nlgauge {command} --format json"}
    return {**about, **(forms[0] if len(forms) == 1 else {"anyOf": forms})}


def _object(shape: Shape) -> Schema:
    properties = {name.rstrip("?"): _of(kind) for name, kind in shape.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in shape if not name.endswith("?")],
    }


def _shape(kind: Any, *, without: Set[str] = frozenset()) -> dict[str, Any]:
    """Return the types of a record's fields, by the names that `nlgauge.data.jsonable.values_of` gives them.

    Args:
        kind: the class of the record.
        without: the fields to leave out.

    Returns:
        Types by name.
    """
    shape: dict[str, Any] = {}
    hints = get_type_hints(kind)
    for name in [field.name for field in fields(kind)] if is_dataclass(kind) else hints:
        if name in without:
            continue
        spread = is_dataclass(kind) and getattr(hints[name], "_fields", ()) == INTERVAL
        shape |= {name + end: float for end in ("", "_low", "_high")} if spread else {name: hints[name]}
    return shape


def _row(kinds: Sequence[Any]) -> Schema:
    return {"type": "array", "prefixItems": [_of(of_cell) for of_cell in kinds], "minItems": len(kinds)}


def _of(kind: Any) -> Schema:
    """Return the schema of a type, or of a shape, which gives types by field."""
    if isinstance(kind, Mapping):
        return _object(kind)
    if isinstance(kind, tuple):  # one of several
        return {"anyOf": [_of(choice) for choice in kind]}
    if isinstance(kind, list):  # of one shape
        return {"type": "array", "items": _of(kind[0])}
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [_of(choice) for choice in inner]}
    if origin is Literal:
        kinds = {type(value) for value in inner}
        return (
            _SIMPLE[kinds.pop()]
            if len(kinds) == 1
            else {"anyOf": [_SIMPLE[of_value] for of_value in sorted(kinds, key=str)]}
        )
    if origin is tuple and inner[-1] is not Ellipsis:
        return _row(inner)
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": _of(inner[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1])}
    if is_dataclass(kind) or getattr(kind, "_fields", ()) == INTERVAL or hasattr(kind, "__struct_fields__"):
        return _object(_shape(kind))
    if hasattr(kind, "_fields"):  # another named tuple is a list
        return _row(list(get_type_hints(kind).values()))
    raise TypeError(f"JSON of {kind} is not described")


def _score() -> list[Shape]:
    from nlgauge.data.table.intervals import SystemScore

    people = {**_shape(SystemScore), "note": str | None}
    run = {"rows?": int, "corpus?": str, "seconds?": float}
    return [{"systems": list[SystemScore], "people": [people], "run": run, "signatures": dict[str, str]}]


def _compare() -> list[Shape]:
    from nlgauge.answers.compare import Comparison, Difference

    asked = get_type_hints(Comparison)
    return [
        {
            "answer": str,
            **{name: asked[name] for name in ("a", "b")},
            "cluster": str | None,
            **{name: asked[name] for name in ("margin", "items")},
            "differences": list[Difference],
        }
    ]


def _trials() -> list[Shape]:
    from nlgauge.answers.trials import Passes, Plan, Reliability, Spread

    lists = {"systems": list[Passes], "spread": list[Spread], "pairs": list[Reliability], "plans": list[Plan]}
    return [{"answers": list[str], "metric": str, "passes?": str, **lists}]


def _estimate() -> list[Shape]:
    from nlgauge.answers.estimated_means import Estimate
    from nlgauge.stats.interrater import RaterAgreement

    return [{"answers": list[str], "estimates": list[Estimate], "agreement": list[RaterAgreement]}]


def _correlate() -> list[Shape]:
    from nlgauge.answers.contrast import Contrast
    from nlgauge.answers.correlate import Agreement
    from nlgauge.answers.raters import StandIn
    from nlgauge.answers.sentinels import Unbeaten

    asked: Shape = {"level": str, "coefficient": str}
    drawn: Shape = {**asked, "resample": str, "seed": int, "replicates": int}
    point: Shape = {"metric": str, "part": str, "aspect": str, "value": float, "cluster": int}
    alone: Shape = {
        **drawn,
        "cluster": str | None,
        "unbeaten": [_shape(Unbeaten)],
        "agreements": list[Agreement],
        "unrated": dict[str, int],
        "unscored": list[Any],
        "joined": dict[str, Any],
    }
    pairs: Shape = {**drawn, "metrics": [point], "contrasts": list[Contrast]}
    lines: Shape = {**_shape(StandIn), "passed": bool}
    return [alone, pairs, {"raters": list[str], **asked, "epsilon": float, "lines": [lines]}]


def _check() -> list[Shape]:
    from nlgauge.gate.verdict import Decision, Outcome, Unsupported, Verdict

    unsupported = {**_shape(Unsupported), "words": list[str]}
    row = {**_shape(Outcome), "unsupported": [unsupported], "why": str}
    decision = {**_shape(Decision), "ruling": str, "sentences": list[str]}
    verdict = _shape(Verdict, without={"outcomes", "notes", "decision"})
    return [
        {
            "passed": bool,
            "ruling": str,
            "nothing_checked": bool,
            **verdict,
            "findings": dict[str, int],
            "rows": [row],
            "decision": (decision, None),
            "baseline": str | None,
            "signature": str | None,
            "corpus": str | None,
            "seal": {"digest": str, "parts": dict[str, str]},
        }
    ]


def _calibrate() -> list[Shape]:
    from nlgauge.answers.calibrate import Calibration

    return [_shape(Calibration, without={"thresholds", "notes"})]


def _trust() -> list[Shape]:
    from nlgauge.answers.trust.numbers import Trust
    from nlgauge.answers.trust.records import Dispute
    from nlgauge.stats.interrater import RaterAgreement

    asked: Shape = {"risk": float, "confidence": float, "below": float | None, "margin": float | None}
    lists = {"scorers": list[Trust], "disputes": list[Dispute], "agreement": list[RaterAgreement]}
    return [{**asked, "answers": list[str], **lists}]


def _rate() -> list[Shape]:
    from nlgauge.answers.scorecard import BoardLine, Card

    card = _shape(Card, without={"notes"})
    told = ("scorer", "signature", "digest", "trained_on", "cost", "probes")
    return [card, {"cards": [{name: card[name] for name in told}], "board": list[BoardLine]}]


def _verify() -> list[Shape]:
    from nlgauge.gate.verify import Verification

    return [{"files": [{**_shape(Verification), "ruling": str}]}]


def _explain() -> list[Shape]:
    from nlgauge.explanation import Explanation

    return [{"rows": [_shape(Explanation, without={"texts"})]}]


def _list() -> list[Shape]:
    named: Shape = {"name": str, "about": str, "parameters": dict[str, Any], "presets": dict[str, Any], "better": str}
    parts: Shape = {"parts": list[str], "details": list[str], "cost": str | None, "uses_corpus": bool | None}
    return [{"metrics": [{**named, **parts}], "offered?": list[str], "models?": list[str]}]


def _doctor() -> list[Shape]:
    from nlgauge.cli.doctor import Finding
    from nlgauge.engine.speed import Speeds

    return [{"findings": [_shape(Finding)]}, {"speed": Speeds}]


def _cache_info() -> list[Shape]:
    return [{"folder": str, "bytes": int, "limit": int, "entries": dict[str, dict[str, int]]}]


COMMANDS: Mapping[str, Callable[[], list[Shape]]] = {
    "cache info": _cache_info,
    "calibrate": _calibrate,
    "check": _check,
    "compare": _compare,
    "correlate": _correlate,
    "doctor": _doctor,
    "estimate": _estimate,
    "explain": _explain,
    "list": _list,
    "rate": _rate,
    "score": _score,
    "trials": _trials,
    "trust": _trust,
    "verify": _verify,
}
"""By command, a function that makes the forms of its JSON. The options of the command decide which form it prints. The
fields that all commands have (`_ENVELOPE`) are left out"""

"""Panes of candidate and reference whose words point at each other: matches and flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nlgauge.show.markup.environment import number
from nlgauge.show.markup.words import LISTED, Pane, Record, Table, pieces

_Marks = dict[tuple[int, int], dict[str, Any]]


def match_panes(matches: Sequence[Record], known: Record) -> list[Pane]:
    """Both texts; a word points at the one of the other text that it was matched with."""
    sides: dict[str, _Marks] = {"candidate": {}, "reference": {}}
    for match in matches:
        side, other = match["side"], "reference" if match["side"] == "candidate" else "candidate"
        one, two = match["token"], match["match"]
        note = f"matched with “{_name(two)}”, similarity {number(match['similarity'], 2)}"
        level = min(4, max(0, int(5 * match["similarity"])))  # from 0, unlike, to 4, alike
        _mark(sides[side], side, one, other, two, note, level)
        if "begin" in two:  # so that a word can be pointed at that itself was matched with nothing
            sides[other].setdefault((two["begin"], two["end"]), {"key": _key(other, two), "text": _name(two)})
    return _panes(sides, known)


def flow_panes(flows: Sequence[Record], known: Record) -> list[Pane]:
    """Both texts; a word points at all that it was moved to, and the dearer its way the darker it is."""
    sides: dict[str, _Marks] = {"candidate": {}, "reference": {}}
    costs = {side: _costs(flows, side) for side in sides}
    most = max((cost for of_side in costs.values() for cost in of_side.values()), default=0.0) or 1.0
    for flow in flows:
        way = f"{number(flow['share'], 3)} of all, distance {number(flow['distance'], 3)}"
        for side, other in (("candidate", "reference"), ("reference", "candidate")):
            one, two = flow[side], flow[other]
            said = f"{'to' if side == 'candidate' else 'from'} “{_name(two)}”: {way}"
            cost = costs[side].get((one.get("begin", -1), one.get("end", -1)), 0.0)
            _mark(sides[side], side, one, other, two, said, min(4, int(5 * (1 - cost / most))))
    return _panes(sides, known)


def match_tables(matches: Sequence[Record]) -> Iterator[Table]:
    """The matches of each side that are least alike."""
    for side in ("candidate", "reference"):
        own = sorted((match for match in matches if match["side"] == side), key=lambda match: match["similarity"])
        if own:
            rows = [
                (_name(m["token"]), _name(m["match"]), number(m["similarity"]), number(m["weight"]))
                for m in own[:LISTED]
            ]
            head = (f"of the {side}", "matched with", "similarity", "weight")
            yield Table(f"The least similar matches of the {side}", head, rows, len(own) - len(rows))


def flow_table(flows: Sequence[Record], left_out: int) -> Table:
    """The flows that cost most."""
    dearest = sorted(flows, key=lambda flow: -flow["share"] * flow["distance"])[:LISTED]
    rows = [(_name(f["candidate"]), _name(f["reference"]), number(f["share"]), number(f["distance"])) for f in dearest]
    head = ("of the candidate", "moved to", "share", "distance")
    return Table("The dearest flows", head, rows, len(flows) - len(rows) + left_out)


def _mark(marks: _Marks, side: str, one: Record, other: str, two: Record, note: str, level: int) -> None:
    if "begin" not in one:
        return
    mark = marks.setdefault((one["begin"], one["end"]), {"key": _key(side, one), "text": _name(one)})
    mark["note"] = f"{mark['note']}; {note}" if "note" in mark else note
    mark["shade"] = f"m{min(level, int(mark['shade'][1:])) if 'shade' in mark else level}"
    if "begin" in two:
        mark["to"] = f"{mark['to']} {_key(other, two)}" if "to" in mark else _key(other, two)


def _panes(sides: Mapping[str, _Marks], known: Record) -> list[Pane]:
    panes = []
    for side, marks in sides.items():
        text = known.get(side) or _rebuilt(marks)
        panes.append(Pane(side, list(pieces(text, [(begin, end, mark) for (begin, end), mark in marks.items()]))))
    return panes


def _rebuilt(marks: _Marks) -> str:
    """A stand-in for a text that is not at hand: its marked words, as far as they are known, at their places."""
    letters = [" "] * max((end for _, end in marks), default=0)
    for (begin, end), mark in marks.items():
        letters[begin:end] = mark.get("text", "").ljust(end - begin)[: end - begin]
    return "".join(letters)


def _costs(flows: Sequence[Record], side: str) -> dict[tuple[int, int], float]:
    costs: dict[tuple[int, int], float] = {}
    for flow in flows:
        place = flow[side].get("begin", -1), flow[side].get("end", -1)
        costs[place] = costs.get(place, 0.0) + flow["share"] * flow["distance"]
    return costs


def _key(side: str, place: Record) -> str:
    return f"{side[0]}{place['begin']}"


def _name(place: Record) -> str:
    return place.get("text") or "(special token)"

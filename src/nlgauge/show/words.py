"""Panes, which show texts with marked words: supported or not, or matched with words of another text; and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nlgauge.show.environment import number


class Piece(NamedTuple):
    """A piece of a text, with its mark; `mark` is None for a piece without a mark."""

    text: str
    mark: Mapping[str, Any] | None = None


def pieces(text: str, marks: Iterable[tuple[int, int, Mapping[str, Any]]]) -> Iterator[Piece]:
    """Yield a text in pieces, cut at marks (begin, end, mark). Where marks overlap, the first one stays whole."""
    at = 0
    for begin, end, mark in sorted(marks, key=lambda placed: placed[:2]):
        begin = max(at, begin)
        if end <= begin:
            continue
        if begin > at:
            yield Piece(text[at:begin])
        yield Piece(text[begin:end], mark)
        at = end
    if at < len(text):
        yield Piece(text[at:])


Record = Mapping[str, Any]
LISTED = 12
"""The greatest number of lines of a table of evidence"""


class Pane(NamedTuple):
    """A text with marks on it."""

    title: str
    pieces: list[Piece]


class Table(NamedTuple):
    """The content of a pane as words and numbers, for readers who do not see the colours."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    left_out: int = 0


def word_panes(texts: Sequence[Record], by_name: Record) -> list[Pane]:
    """Return a pane for each judged text, and for each text that a judged text is compared with.

    Args:
        texts: the judged texts of the evidence.
        by_name: the texts of the row by name. A missing text has no pane, unless it is a judged text.

    Returns:
        The panes.
    """
    panes = [Pane(f"{text['name']}, against the {text['against']}", _judged(text)) for text in texts]
    judged = {text["name"] for text in texts}
    for name in dict.fromkeys(name for text in texts for name in _others(text) if name not in judged):
        if by_name.get(name):
            panes.append(Pane(name, list(pieces(by_name[name], _quoted(texts, name)))))
    return panes


def word_tables(texts: Sequence[Record]) -> Iterator[Table]:
    """Yield tables for each text: unsupported spans, differences by exact checks, words that a model guesses wrong."""
    for text in texts:
        if text.get("unsupported"):
            spans = text["unsupported"]
            rows = [_span(text, *span) for span in spans[:LISTED]]
            head = ("not supported", "characters", "the nearest sentence")
            yield Table(f"Not supported in the {text['name']}", head, rows, len(spans) - len(rows))
        if text.get("reasons"):
            said = [(reason["said"], f"{reason['begin']}–{reason['end']}") for reason in text["reasons"]]
            caption = f"Where the {text['name']} says another thing than the {text['against']}, checked without a model"
            yield Table(caption, ("what", "characters"), said[:LISTED], max(0, len(said) - LISTED))
        missed = [word for word in text["words"] if "predicted" in word and word["alignment"] < text["weak"]]
        if missed:
            missed.sort(key=lambda word: word.get("log_probability", 0.0))
            rows = [(word["text"], word["predicted"], number(word.get("log_probability"), 2)) for word in missed]
            head = ("word", "guess", "log-probability of the word")
            caption = f"Words of the {text['name']} that the {text['against']} does not let a model guess"
            yield Table(caption, head, rows[:LISTED], max(0, len(rows) - LISTED))


def shade(alignment: float, weak: float) -> str:
    """Return the style of a word by its alignment.

    Args:
        alignment: how far the word is supported, from 0 to 1.
        weak: a word with a lower alignment is not supported.

    Returns:
        "no" for a word that is not supported, "half" for a partly supported one, and "yes".
    """
    return "no" if alignment < weak else "half" if alignment < (1 + weak) / 2 else "yes"


def _others(text: Record) -> list[str]:
    """Return the names of the texts that a text is compared with: those of its quotes, then those in `against`.

    An `against` of 'source and context' gives two names.
    """
    quoted = [quote["name"] for quote in text.get("quotes", [])]
    named = [name for name in ("candidate", "source", "context") if name in str(text["against"])]
    return list(dict.fromkeys([*quoted, *named]))


def _judged(text: Record) -> list[Piece]:
    looked_up = _shared(text)
    marks = []
    for word in text["words"]:
        colour = shade(word["alignment"], text["weak"])
        mark = {"shade": "half" if looked_up and colour == "no" else colour, "note": _note(text, word, looked_up)}
        if "quote" in word:
            mark["to"] = f"q{word['quote']}"
        marks.append((word["begin"], word["end"], mark))
    return list(pieces(text["text"], marks))


def legend(texts: Sequence[Record]) -> tuple[str, str, str]:
    """Return the meanings of the colours for "yes", "half" and "no"; '' for a colour that no word has."""
    words = [word for text in texts for word in text["words"]]
    if any("predicted" in word for word in words):
        return "guessed right", "", "guessed wrong"
    if any("log_probability" in word for word in words):
        return "likely", "less likely", "unlikely"
    said = ("shared", "not shared", ""), ("supported", "partly supported", "not supported")
    return said[not all(map(_shared, texts))]


def _shared(text: Record) -> bool:
    """Return whether the words were only looked up in the other text, so that each has just an alignment of 0 or 1."""
    return all(
        word.keys() == {"text", "begin", "end", "alignment"} and word["alignment"] in (0, 1) for word in text["words"]
    )


def _note(text: Record, word: Record, looked_up: bool) -> str:
    hit = word["alignment"] >= text["weak"]
    if looked_up:
        return f"{'stands' if hit else 'does not stand'} in the {text['against']}"
    said = []
    if "predicted" in word:
        said.append("guessed right" if hit else f"guessed “{word['predicted']}” instead")
    elif "log_probability" not in word:
        said.append(f"supported: {number(word['alignment'], 2)}")
    if "log_probability" in word:
        said.append(f"log-probability {number(word['log_probability'], 2)}")
    if "weight" in word:
        said.append(f"weight {number(word['weight'], 3)}")
    return ", ".join(said)


def _quoted(texts: Sequence[Record], name: str) -> list[tuple[int, int, dict[str, str]]]:
    """Return the places and marks of the sentences of a text that an aligner read.

    Args:
        texts: the judged texts, each with the sentences that it was compared with.
        name: the name of the text whose sentences are returned.

    Returns:
        (begin, end, mark) of each sentence. The mark holds the key of the sentence.
    """
    keys: dict[tuple[int, int], str] = {}
    for text in texts:
        for index, quote in enumerate(text.get("quotes", [])):
            if quote["name"] == name:
                keys.setdefault((quote["begin"], quote["end"]), f"q{index}")
    return [(begin, end, {"key": key}) for (begin, end), key in keys.items()]


def nearest(text: Record, begin: int, end: int) -> Record | None:
    """Return the sentence from which most words of a span come; None where no word of the span has a sentence."""
    named = [word["quote"] for word in text["words"] if begin <= word["begin"] < end and "quote" in word]
    return text["quotes"][max(named, key=named.count)] if named else None


def _span(text: Record, begin: int, end: int) -> tuple[str, str, str]:
    """Return the cells of an unsupported span: its text, its characters, and the nearest sentence ('' for none)."""
    quote = nearest(text, begin, end)
    return text["text"][begin:end], f"{begin}–{end}", "" if quote is None else f"{quote['name']}: {quote['text']}"


_Marks = dict[tuple[int, int], dict[str, Any]]


def match_panes(matches: Sequence[Record], by_name: Record) -> list[Pane]:
    """Return panes of candidate and reference, in which a word points at its match in the other text.

    Args:
        matches: the matches of the evidence.
        by_name: the texts of the row by name. Of a missing text, only the words of matches are drawn.

    Returns:
        The two panes.
    """
    sides: dict[str, _Marks] = {"candidate": {}, "reference": {}}
    for match in matches:
        side, other = match["side"], "reference" if match["side"] == "candidate" else "candidate"
        word, matched = match["token"], match["match"]
        note = f"matched with “{_name(matched)}”, similarity {number(match['similarity'], 2)}"
        level = min(4, max(0, int(5 * match["similarity"])))  # from 0, unlike, to 4, alike
        _mark(sides[side], side, word=word, other=other, matched=matched, note=note, level=level)
        if "begin" in matched:  # so that a word can be pointed at that itself was matched with nothing
            place = matched["begin"], matched["end"]
            sides[other].setdefault(place, {"key": _key(other, matched), "text": _name(matched)})
    return _panes(sides, by_name)


def flow_panes(flows: Sequence[Record], by_name: Record) -> list[Pane]:
    """Return panes of candidate and reference. A word points at all words that share a flow with it.

    Args:
        flows: the flows of the evidence.
        by_name: the texts of the row by name. Of a missing text, only the words of flows are drawn.

    Returns:
        The two panes.
    """
    sides: dict[str, _Marks] = {"candidate": {}, "reference": {}}
    costs = {side: _costs(flows, side) for side in sides}
    most = max((cost for of_side in costs.values() for cost in of_side.values()), default=0.0) or 1.0
    for flow in flows:
        way = f"{number(flow['share'], 3)} of all, distance {number(flow['distance'], 3)}"
        for side, other in (("candidate", "reference"), ("reference", "candidate")):
            word, matched = flow[side], flow[other]
            said = f"{'to' if side == 'candidate' else 'from'} “{_name(matched)}”: {way}"
            cost = costs[side].get((word.get("begin", -1), word.get("end", -1)), 0.0)
            level = min(4, int(5 * (1 - cost / most)))
            _mark(sides[side], side, word=word, other=other, matched=matched, note=said, level=level)
    return _panes(sides, by_name)


def match_tables(matches: Sequence[Record]) -> Iterator[Table]:
    """Yield a table for candidate and for reference, with the least similar matches of its words."""
    for side in ("candidate", "reference"):
        ranked = sorted((match for match in matches if match["side"] == side), key=lambda match: match["similarity"])
        if ranked:
            rows = [
                (_name(m["token"]), _name(m["match"]), number(m["similarity"]), number(m["weight"]))
                for m in ranked[:LISTED]
            ]
            head = (f"of the {side}", "matched with", "similarity", "weight")
            yield Table(f"The least similar matches of the {side}", head, rows, len(ranked) - len(rows))


def flow_table(flows: Sequence[Record], left_out: int) -> Table:
    """Return a table of the flows with the highest cost.

    Args:
        flows: the flows of the evidence.
        left_out: the number of flows that the evidence does not list.

    Returns:
        The table, with `LISTED` flows at most.
    """
    costliest = sorted(flows, key=lambda flow: -flow["share"] * flow["distance"])[:LISTED]
    rows = [
        (_name(f["candidate"]), _name(f["reference"]), number(f["share"]), number(f["distance"])) for f in costliest
    ]
    head = ("of the candidate", "moved to", "share", "distance")
    return Table("The costliest flows", head, rows, len(flows) - len(rows) + left_out)


def _mark(marks: _Marks, side: str, word: Record, other: str, matched: Record, note: str, level: int) -> None:
    if "begin" not in word:
        return
    mark = marks.setdefault((word["begin"], word["end"]), {"key": _key(side, word), "text": _name(word)})
    mark["note"] = f"{mark['note']}; {note}" if "note" in mark else note
    mark["shade"] = f"m{min(level, int(mark['shade'][1:])) if 'shade' in mark else level}"
    if "begin" in matched:
        mark["to"] = f"{mark['to']} {_key(other, matched)}" if "to" in mark else _key(other, matched)


def _panes(sides: Mapping[str, _Marks], by_name: Record) -> list[Pane]:
    panes = []
    for side, marks in sides.items():
        text = by_name.get(side) or _rebuilt(marks)
        panes.append(Pane(side, list(pieces(text, [(begin, end, mark) for (begin, end), mark in marks.items()]))))
    return panes


def _rebuilt(marks: _Marks) -> str:
    """Return a substitute for a text that is not given: its marked words at their positions, else blanks."""
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

"""Fuzzing: any bytes are a scores file, through which all commands go, or an error of one line that names the line.

    python fuzzing/scores.py [--inputs 2000] [--seed 0] [--repeat INPUT]

Bytes are those of good scores files of which a line is lost, doubled or cut, a value is of another kind, or bits are
flipped. What loads is saved and loaded again, printed, compared, correlated with ratings, checked against a threshold
and shown as a page.
"""

from __future__ import annotations

import copy
import functools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzzer import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from mutations import PLACES, mutated, mutations
from texts import json_values, texts

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.errors import MissingExtraError

_FOLDER = Path(tempfile.mkdtemp(prefix="nlgauge-fuzzing-"))
_METRICS = {
    "rows": ["TokenF1", "Length", "Faithfulness"],
    "counts": ["BLEU", "ChrF", "SARI"],
    "sets": ["MarkEvaluate", "TokenF1"],
    "sets alone": ["MarkEvaluate"],
}


@functools.cache
def _corpus() -> Corpus:
    texts = ["The bridge was closed.", "Two trains were late.", "Nobody saw the owl."]
    rated: list[dict[str, Any]] = [
        {
            "system": system,
            "item": item,
            "candidate": text if system == "a" else f"{text[:12]} {item}.",
            "references": [text, "A tree fell."],
            "source": f"{text} It rained.",
            "scores": {"adequacy": item + 0.5 * (system == "a")},
        }
        for system in ("a", "b", "c")
        for item, text in enumerate(texts)
    ]
    rated[4]["references"] = []
    return Corpus.from_records(rated)


@functools.cache
def _good(kind: str) -> bytes:
    path = _FOLDER / "good.jsonl"
    for metrics in (_METRICS[kind], ["TokenF1", "Length"]):
        try:
            nlgauge.evaluate(_corpus(), metrics=metrics, evidence=True, cache=False).save(path)
            break
        except MissingExtraError:
            continue
    # Without the seal: else nearly every edited file would be refused by it, and nothing behind it would be tried.
    first, _, others = path.read_bytes().partition(b"\n")
    header = json.loads(first)
    del header["seal"]
    return json.dumps(header).encode() + b"\n" + others


def outcome(given: dict[str, Any]) -> str:
    """Load, and do with the table whatever the commands do."""
    path = _FOLDER / "scores.jsonl"
    path.write_bytes(mutated(_changed(_good(given["good"]), given["lines"]), given["bytes"]))
    table = ScoreTable.load(path)
    table.save(path)
    if ScoreTable.load(path) != table:
        raise BrokenPromiseError("a table that was saved is loaded as another")
    _STEPS[given["step"]](table)
    return f"a table, {given['step']}"


def _shown(table: ScoreTable) -> None:
    repr(table)
    table._repr_html_()
    table.by_system()
    for spec in table.columns:
        table.values(spec)


def _compared(table: ScoreTable) -> None:
    systems = table.systems or ["a"]
    nlgauge.compare(table, systems[0], systems[-1])._repr_html_()


def _correlated(table: ScoreTable) -> None:
    levels = ("item", "system", "pooled")
    nlgauge.correlate(table, _corpus(), level=levels[len(repr(table)) % 3], replicates=20)


def _checked(table: ScoreTable) -> None:
    for spec in table.columns:
        nlgauge.check(table, metric=spec, at_least=0.5, allow_missing=True)


def _paged(table: ScoreTable) -> None:
    nlgauge.report(table, _FOLDER / "report.html", outputs=_corpus(), replicates=20)


_STEPS: dict[str, Callable[[ScoreTable], object]] = {
    "shown": _shown,
    "compared": _compared,
    "correlated": _correlated,
    "checked": _checked,
    "as a page": _paged,
}


def _changed(data: bytes, changes: list[tuple[Any, ...]]) -> bytes:
    """A file after some changes of its lines and of the values in them."""
    lines = data.splitlines()
    for name, *how in changes:
        if not lines:
            break
        at = how[0] * len(lines) // (PLACES + 1)
        if name == "drop":
            del lines[at]
        elif name == "double":
            lines.insert(at, lines[at])
        elif name == "swap":
            lines[at - 1], lines[at] = lines[at], lines[at - 1]
        else:
            lines[at] = _with_value(lines[at], name, *how[1:])
    return b"\n".join(lines) + b"\n"


def _with_value(line: bytes, name: str, place: int, value: object) -> bytes:
    record = json.loads(line)
    places = list(_places(record))
    if not places:
        return line
    holder, key = places[place * len(places) // (PLACES + 1)]
    if name == "remove":
        del holder[key]
    elif name == "rename" and isinstance(holder, dict):
        holder[str(value)] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(value)
    return json.dumps(record).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value that holds a value: what holds it, and its key there."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, inner in inside:
        yield value, key
        yield from _places(inner)


def _changes() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    place = st.integers(0, PLACES)
    # The header is one line of many, and the one that says most.
    line = st.one_of(st.just(0), place)
    likely: list[Any] = [
        None,
        True,
        -1,
        0,
        1e308,
        -1e308,
        10**400,
        "",
        "Infinity",
        "NaN",
        [],
        {},
        [[]],
        [None],
        ["score"],
        "item",
        "system",
        "bleu",
    ]
    value = st.one_of(st.sampled_from(likely), json_values(), texts(30))
    return st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["drop", "double", "swap"]), place),
            st.tuples(st.sampled_from(["value", "value", "value", "remove", "rename"]), line, place, value),
        ),
        max_size=3,
    )


INPUTS = st.fixed_dictionaries(
    {
        "good": st.sampled_from(list(_METRICS)),
        "step": st.sampled_from(list(_STEPS)),
        "lines": _changes(),
        "bytes": st.one_of(st.just([]), st.just([]), st.just([]), mutations()),
    }
)

if __name__ == "__main__":
    for kind in _METRICS:
        _good(kind)
    sys.exit(main(Surface("scores", INPUTS, outcome)))

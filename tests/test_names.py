"""Names say what a value is: `row`, `interval` or `rating`, and not `one`, `found` or `some`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "nlgauge"
VAGUE = {"one", "ones", "found", "some", "known", "own", "these", "those", "such", "given"}
"""Names that a value may have whatever it is"""
LIMITS = {
    "faithfulness": 3,  # `given`, a field of claims
    "engine": 2,  # the public `given` of the capability `seq2seq_logs`
    "metrics": 1,  # the public `given` of the settings of a preset
    "contract": 3,  # the public `given` of presets and of `Metric.score`
    "maths": 2,  # the ones beside the zeros of a row of labels
    "data": 1,  # `given` of a stretch, a field of files
}
"""How many such names a room has at most; those that are not here have none. A limit may fall, and never rises."""


def names_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each variable, argument and function that a source names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def vague(source: str) -> list[tuple[int, str]]:
    """Return line and name of those that do not say what they are."""
    return [(line, name) for line, name in names_of(source) if name.strip("_") in VAGUE]


def test_no_room_has_more_names_that_say_nothing_than_before() -> None:
    counts, places = Counter[str](), dict[str, list[str]]()
    for file in sorted(PACKAGE.rglob("*.py")):
        where = file.relative_to(PACKAGE)
        for line, name in vague(file.read_text(encoding="utf-8")):
            counts[where.parts[0]] += 1
            places.setdefault(where.parts[0], []).append(f"{where}:{line}: {name}")
    over = {room: count for room, count in counts.items() if count > LIMITS.get(room, 0)}
    told = "\n".join(place for room in over for place in places[room])
    assert not over, f"give these the names of the things, {over}:\n{told}"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def found(row): return row", 1),
        ("def total(own, *, _given=0): return own", 2),
        ("[one.n for one in rows]", 1),
        ("if (known := table.get(row)): pass", 1),
        ("some, rest = rows", 1),
        ("[row.one for row in rows]; table.found(given=3)", 0),
        ("def known_rows(someone): return someone", 0),
    ],
)
def test_which_names_are_counted(source: str, count: int) -> None:
    assert len(vague(source)) == count

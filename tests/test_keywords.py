"""A call with many values names them: an exchanged pair of positional ones is a silent wrong number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = (ROOT / "src", ROOT / "packages")
MOST = 4
"""Values that a call may have without their names"""
OF_ANY_NUMBER = {
    *("zip", "itemgetter", "op", "named"),
    *("together", "shown", "_figure", "_rated", "_of_scores", "_of_outputs"),
    *("bert", "make_graph"),
}
"""Functions that take any number of values of one kind; options of commands among them; and those of other libraries"""


def unnamed(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and function of each call with too many positional values; a starred one counts as one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and len(node.args) > MOST:
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] not in OF_ANY_NUMBER:
                yield node.lineno, name


def test_no_call_has_more_than_four_values_without_their_names() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for folder in SOURCES
        for file in sorted(folder.rglob("*.py"))
        if "tests" not in file.relative_to(ROOT).parts
        for line, name in unnamed(file.read_text(encoding="utf-8"))
    ]
    assert not found, "name the values of\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("Record(1, 2, 3, 4, 5)", True),
        ("one.made(1, *two, 3, 4, 5)", True),
        ("Record(1, 2, 3, 4, e=5)", False),
        ("zip(a, b, c, d, e)", False),
    ],
)
def test_which_calls_are_found(call: str, wrong: bool) -> None:
    assert bool(list(unnamed(call))) is wrong

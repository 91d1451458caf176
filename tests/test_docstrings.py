"""Public docstrings of several lines have sections. The first lines, and that Args is complete, are the linter's rules.

    python tests/test_docstrings.py

prints the share of each room, and which docstrings have none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "nlgauge"
DONE = (
    ".",
    "adapters",
    "answers",
    "cli",
    "contract",
    "data",
    "engine",
    "faithfulness",
    "gate",
    "maths",
    "metrics",
    "ratings",
    "show",
    "reports",
    "run",
    "serve",
    "stats",
)
SHARE = 0.9
Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def lacking(code: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each public docstring of several lines that has something to say in sections, and those that it lacks.

    A property says all in its sentences, and the docstring of a command is the help that it prints. A class says its
    arguments where it has an `__init__` of its own: the fields of a dataclass have docstrings of theirs.
    """
    for name, node in _public(ast.parse(code), ()):
        text = ast.get_docstring(node) or ""
        wanted = _sections(node)
        if wanted and len(text.splitlines()) > 1:
            lines = [line.strip() for line in text.splitlines()]
            yield name, [section for section in wanted if section not in lines]


def _public(tree: ast.AST, outer: tuple[str, ...]) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or _private(node.name):
            continue
        yield ".".join((*outer, node.name)), node
        if isinstance(node, ast.ClassDef):
            yield from _public(node, (*outer, node.name))


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _sections(node: Function | ast.ClassDef) -> list[str]:
    if isinstance(node, ast.ClassDef):
        made = [inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name == "__init__"]
        return ["Args:"] if made and _arguments(made[0]) else []
    if any("property" in ast.unparse(decorator) or _makes_a_command(decorator) for decorator in node.decorator_list):
        return []
    returns = node.returns is not None and ast.unparse(node.returns) not in ("None", "NoReturn")
    return ["Args:"] * bool(_arguments(node)) + ["Returns:"] * returns


def _makes_a_command(decorator: ast.expr) -> bool:
    """Return whether a decorator has the example of a command, which each command's help ends with."""
    return isinstance(decorator, ast.Call) and any(one.arg in ("epilog", "asked") for one in decorator.keywords)


def _arguments(node: Function) -> list[str]:
    given = node.args
    several = [one for one in (given.vararg, given.kwarg) if one is not None]
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]
    return [name for name in names if name not in ("self", "cls") and not _private(name)]


def of_room(room: str) -> dict[str, list[str]]:
    """Return the sections that each docstring of a room lacks; "." is the files beside the rooms."""
    files = sorted((SOURCE / room).glob("*.py" if room == "." else "**/*.py"))
    return {
        f"{path.relative_to(SOURCE)}: {name}": sections
        for path in files
        for name, sections in lacking(path.read_text(encoding="utf-8"))
    }


def share(sections: dict[str, list[str]]) -> float:
    return sum(not missing for missing in sections.values()) / max(1, len(sections))


@pytest.mark.parametrize("room", DONE)
def test_docstrings_of_several_lines_have_sections(room: str) -> None:
    sections = of_room(room)
    assert sections
    assert share(sections) >= SHARE, [name for name, missing in sections.items() if missing]


def test_a_section_that_lacks_is_seen() -> None:
    whole = '"""Return it.\n\n    Args:\n        a: it.\n\n    Returns:\n        It.\n    """'
    several = '"""Return it.\n\n    More.\n    """'
    assert list(lacking(f"def f(a: int) -> int:\n    {whole}")) == [("f", [])]
    assert list(lacking(f"def f(a: int) -> int:\n    {several}")) == [("f", ["Args:", "Returns:"])]
    assert list(lacking(f"class C:\n  def f(self) -> int:\n    {several}")) == [("C.f", ["Returns:"])]
    assert list(lacking(f"class C:\n  {several}\n  def __init__(self, a: int) -> None: ...")) == [("C", ["Args:"])]


@pytest.mark.parametrize(
    "code",
    [
        'def f(a: int) -> int:\n    """Return it."""',
        'def _f(a: int) -> int:\n    """Return it.\n\n    More.\n    """',
        'def f() -> None:\n    """Do it.\n\n    More.\n    """',
        'class C:\n  """A thing.\n\n  More.\n  """\n  a: int = 0\n  """It"""',
        'class C:\n  @property\n  def f(self) -> int:\n    """It.\n\n    More.\n    """',
        '@click.command(epilog="f 1")\ndef f(a: int) -> int:\n    """It.\n\n    More.\n    """',
    ],
)
def test_what_has_nothing_to_say_in_sections_is_not_counted(code: str) -> None:
    assert list(lacking(code)) == []


if __name__ == "__main__":
    for folder in [".", *sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())]:
        counted = of_room(folder)
        print(f"{folder:14} {sum(not missing for missing in counted.values()):4} of {len(counted):4}")
        for name, missing in counted.items():
            if missing and folder in DONE:
                print(f"    {name} lacks {' '.join(missing)}")

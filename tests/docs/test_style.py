"""Plain English: what no sentence of pages, docstrings, help texts and messages does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT

SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "packages" / "nlgauge-lab" / "src").rglob("*.py")])
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
OF = re.compile(r"(?:\A|[.!?][*_)]*\s+|\n\s*\n\s*|\n\s*[-*] |\n#+ |\| )[*_]*Of\s[^|\n]*")
"""A sentence that begins with "Of", at the beginning of a text, after another one, in a list or in a table"""


def _of(text: str) -> list[str]:
    return [found.strip() for found in OF.findall(text)]


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_sentence_of_a_page_begins_with_of(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert _of(text) == []


def test_no_sentence_of_the_sources_begins_with_of() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in SOURCES
        for line, text in _strings(path)
        for sentence in _of(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text", ["Of each word.", "One. Of two.", "A list:\n\n- Of three.", "| a | Of four |", "**Of x.**"]
)
def test_such_sentences_are_found(text: str) -> None:
    assert len(_of(text)) == 1


@pytest.mark.parametrize("text", ["It is made Of words.", "Officers.", "One of two. Often."])
def test_others_are_not(text: str) -> None:
    assert _of(text) == []

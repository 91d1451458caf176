"""The code blocks of a page: what they are, and what each of them prints when it runs.

How a page says what is to be done with a block stands in CONTRIBUTING.md, under "Pages".
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sybil import Document, Region
from sybil.example import Example
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

from nlgauge.errors import MissingExtraError
from tests.command import nlgauge

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = ("python", "console", "sh")
"""The languages whose blocks run"""
_MARK = re.compile(r"<!-- (not run|file): (.+?) -->\s*\Z")
_LACKING = re.compile(r"nlgauge: (.*) needs an optional library: pip install 'nlgauge\[(\w+)\]'")
_SHELL = re.compile(r"[|<>;&`]|\$[({]")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    example: Example
    language: str
    source: str
    mark: tuple[str, str] | None
    """What the comment above it says: ('not run', why) or ('file', name)"""
    printed: Region | None
    """The block of text right below it, which shows what it prints"""

    @property
    def place(self) -> str:
        return f"{Path(self.example.path).relative_to(ROOT)}:{self.example.line}"


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    document = Document.parse(str(page), FencedCodeBlockLexer(r"[\w-]+"))
    examples = list(document)
    return [_block(document, example, below) for example, below in zip_longest(examples, examples[1:])]


def _block(document: Document, example: Example, below: Example | None) -> Block:
    lexemes = example.region.lexemes
    mark = _MARK.search(document.text[: example.start])
    is_shown = (
        below is not None
        and below.region.lexemes["language"] == "text"
        and not document.text[example.end : below.start].strip()
    )
    return Block(
        example=example,
        language=lexemes["language"],
        source=str(lexemes["source"]),
        mark=(mark[1], mark[2]) if mark else None,
        printed=below.region if below is not None and is_shown else None,
    )


def run_python(block: Block, namespace: dict[str, Any]) -> str:
    """What a block of Python prints; it sees what the blocks before it defined."""
    namespace.setdefault("__name__", "page")
    code = compile("\n" * block.example.line + block.source, block.example.path, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output that the page shows below it."""

    text: str
    shown: str


def commands_of(source: str) -> list[Command]:
    """The commands of a console block: lines after "$ ", going on where a line ends in a backslash."""
    parts = re.split(r"^\$ ", source, flags=re.MULTILINE)
    if parts[0].strip():
        raise ValueError(f"output without a command: {parts[0]!r}")
    split = [re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)(?:\n(.*))?", part, re.DOTALL) for part in parts[1:]]
    return [Command(*one.groups("")) for one in split if one]


def run_command(command: str, shims: Path) -> tuple[int, str]:
    """The exit code of a command and its output: what it prints, or what it says where it is wrong use.

    nlgauge itself runs in this process, where models are loaded once; whatever a shell is needed for runs in one.
    """
    words = shlex.split(command.replace("\\\n", ""), comments=True)  # as a shell joins lines
    if words[:1] == ["nlgauge"] and not _SHELL.search(re.sub(r"\"[^\"]*\"|'[^']*'|#.*", "", command)):
        result = nlgauge(*words[1:])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code == 2 and (lacking := _LACKING.search(result.stderr)):
            raise MissingExtraError(lacking[1], lacking[2])
        return result.exit_code, result.stderr if result.exit_code == 2 else result.stdout
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=60
    )
    return done.returncode, done.stderr if done.returncode == 2 else done.stdout

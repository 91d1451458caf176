"""Every code block of the README and of docs/ runs, page by page, and prints what the page shows.

A page runs in a folder of its own with the project's examples/ and with outputs.jsonl, a copy of examples/outputs.jsonl
that stands for the reader's file. NLGAUGE_UPDATE_PAGES=1 writes what blocks print into the pages: read the difference.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import MissingExtraError

pytest.importorskip("sybil", reason="needs the dependency group test")

from tests.docs.blocks import PAGES, ROOT, RUN, Block, blocks_of, commands_of, run_command, run_python
from tests.docs.comparing import bare, same

UPDATE = os.environ.get("NLGAUGE_UPDATE_PAGES") == "1"
FIRST = {ROOT / "README.md", ROOT / "docs" / "start.md"}
"""What a new user runs: in the environment with extras, and in that of the base installation too"""
ALL = importlib.util.find_spec("sphinx") is not None
WITH_BLOCKS = [
    pytest.param(
        page,
        id=page.relative_to(ROOT).as_posix(),
        marks=pytest.mark.skipif(not ALL and page not in FIRST, reason="needs the dependency group docs"),
    )
    for page in PAGES
    if any(block.language in RUN for block in blocks_of(page))
]


@pytest.fixture(scope="session")
def shims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH in which nlgauge and python are those of this environment."""
    folder = tmp_path_factory.mktemp("shims")
    for name, call in (("nlgauge", f'"{sys.executable}" -m nlgauge'), ("python", f'"{sys.executable}"')):
        (folder / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all pages, most of which score the same rows."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "outputs.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NLGAUGE_CACHE", str(kept))
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_a_page_prints_what_it_shows(page: Path, folder: Path, shims: Path, one_model: None) -> None:
    namespace: dict[str, Any] = {}
    wrong: list[str] = []
    printed: list[tuple[int, int, str]] = []
    for block in blocks_of(page):
        if block.mark and block.mark[0] == "file":
            (folder / block.mark[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.mark[1]).write_text(block.source, encoding="utf-8")
        elif block.language in RUN and (block.mark is None):
            check = _checked_python if block.language == "python" else _checked_commands
            try:
                check(block, namespace, shims, wrong.append, lambda *place: printed.append(place))
            except MissingExtraError as missing:
                pytest.skip(str(missing))
    if UPDATE:
        _write(page, printed)
    else:
        assert not wrong, "\n\n".join(wrong)


def _checked_python(
    block: Block, namespace: dict[str, Any], shims: Path, report: Callable[[str], None], write: Callable[..., None]
) -> None:
    got = run_python(block, namespace)
    shown = str(block.printed.lexemes["source"]) if block.printed else ""
    if not same(shown, got):
        report(f"{block.place} shows\n{shown}and prints\n{got}")
    if block.printed and not same(shown, got):
        write(block.printed.start, block.printed.end, f"```text\n{got}```")


def _checked_commands(
    block: Block, namespace: dict[str, Any], shims: Path, report: Callable[[str], None], write: Callable[..., None]
) -> None:
    if block.language == "sh":
        code, got = run_command(block.source, shims)
        assert code == 0, f"{block.place}: exit code {code}: {got}"
        return
    written = []
    for command in commands_of(block.source):
        code, got = run_command(command.text, shims)
        equal = same(command.shown, got) if command.shown else code == 0
        if not equal:
            report(f"{block.place}: $ {command.text}\nshows\n{command.shown}\nand prints (exit code {code})\n{got}")
        written.append(f"$ {command.text}\n{command.shown if equal or not command.shown else bare(got)}")
    write(block.example.start, block.example.end, f"```console\n{''.join(written)}```")


def _write(page: Path, printed: list[tuple[int, int, str]]) -> None:
    text = page.read_text(encoding="utf-8")
    for begin, end, new in sorted(printed, reverse=True):
        text = text[:begin] + new + text[end:]
    page.write_text(text, encoding="utf-8")

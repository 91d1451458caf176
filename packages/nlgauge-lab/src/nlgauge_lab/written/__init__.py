"""Answers about written sources. The answers are in the files of this folder, and README.md is their card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from nlgauge.errors import InputError

HERE = Path(__file__).parent
HELD_OUT = {
    "written.dev": "writer_0",
    "written.test": "writer_3",
    "written.families": "writer_15",
    "written.words": "writer_16",
}
"""By name of a held-out set, the writer of its rows. No shipped model learned from them"""
Source: TypeAlias = tuple[str, ...]
"""The passages of a source"""


@dataclass(frozen=True)
class Answer:
    """An answer to a question about a source, and whether the source supports all of it."""

    row: str
    """File and line. The rows of one file are by one writer"""
    style: str
    source: Source
    question: str
    """The question; empty if the answer is a statement about the source"""
    text: str
    supported: bool
    words: tuple[str, ...]
    """The words that make the answer wrong; empty for a right answer, and for every answer about an edited source"""
    kind: str
    """Kind of the error, such as "number"; empty for a right answer, and for every answer about an edited source"""
    edited: bool
    """Whether the source was edited, so that an answer which was wrong for the original source is right, or the other
    way round
    """
    family: str = ""
    """What a reader has to understand, such as "exception"; empty in the files of the first twelve writers"""

    @property
    def writer(self) -> str:
        """The name of the file without suffix."""
        return self.row.partition(".")[0]


def answers(folder: Path = HERE, writer: str = "*") -> Iterator[Answer]:
    """Yield every answer with its source.

    Many sources also have an edited version. The answers whose label for the edited source is certain are yielded again
    with this source.

    Args:
        folder: the folder of the answers' files.

    Args:
        folder: the folder of the rows.
        writer: the writer whose rows are read; all by default.

    Raises:
        InputError: for a row whose edits or words do not fit its texts, with file and line.
    """
    for file in sorted(folder.glob(f"{writer}.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            yield from _answers(json.loads(line), f"{file.name}:{number}")


def _answers(row: dict[str, Any], place: str) -> Iterator[Answer]:
    passages: Source = (row["source"],) if isinstance(row["source"], str) else tuple(row["source"])
    texts = {f"r{n}": text for n, text in enumerate(row["right"])}
    texts |= {f"w{n}": wrong["text"] for n, wrong in enumerate(row["wrong"])}
    words = {f"w{n}": tuple(wrong["words"]) for n, wrong in enumerate(row["wrong"])}
    kinds = {f"w{n}": str(wrong["kind"]) for n, wrong in enumerate(row["wrong"])}
    for name, some in words.items():
        if any(word not in texts[name] for word in some):
            raise InputError(f"{place}: the words {some} are not in the answer {name}")
    for name, text in texts.items():
        marked, kind = words.get(name, ()), kinds.get(name, "")
        yield Answer(
            row=place,
            style=row["style"],
            source=passages,
            question=row["question"],
            text=text,
            supported=name[0] == "r",
            words=marked,
            kind=kind,
            edited=False,
            family=row.get("family", ""),
        )
    if "turn" not in row:
        return
    twin = _edited(passages, row["turn"]["edits"], place)
    for supported, names in ((True, row["turn"]["right"]), (False, row["turn"]["wrong"])):
        for name in names:
            yield Answer(
                row=place,
                style=row["style"],
                source=twin,
                question=row["question"],
                text=texts[name],
                supported=supported,
                words=(),
                kind="",
                edited=True,
                family=row.get("family", ""),
            )


def _edited(passages: Source, edits: list[list[str]], place: str) -> Source:
    made = list(passages)
    for old, new in edits:
        holders = [number for number, passage in enumerate(made) if old in passage]
        if len(holders) != 1 or made[holders[0]].count(old) != 1:
            raise InputError(f"{place}: {old!r} does not stand once in the source")
        made[holders[0]] = made[holders[0]].replace(old, new)
    return tuple(made)

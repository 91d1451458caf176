"""Statements about a source with one small error each, their corrected twins, and true paraphrases of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError

KINDS = (
    *("number", "date", "name", "place", "negation", "antonym", "role", "quantity", "cause", "addition", "mixed"),
    "answer",
)
"""Kinds of errors. mixed: a fact that is true of another thing; answer: a wrong answer to a question"""
_CHANGED = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


@dataclass(frozen=True)
class Probe:
    """A statement with one small error, and its corrected twin."""

    kind: str
    right: str
    wrong: str
    places: tuple[tuple[int, int], ...]
    """Character ranges [begin, end) of `wrong` that are not true; empty where the error is an omission"""
    question: str | None = None
    """The statement's own question; None where the statement answers the question of its source"""


@dataclass(frozen=True)
class Probed:
    """A source, with a question, true paraphrases, and probes about it."""

    source: str
    question: str
    paraphrases: tuple[str, ...]
    """True statements in other words"""
    probes: tuple[Probe, ...]


def read_probes(path: Path | None = None) -> tuple[Probed, ...]:
    """Return the sources and their probes from a file in the format that the head of `probes.txt` describes.

    Args:
        path: the file; `probes.txt` by default.

    Returns:
        The sources.

    Raises:
        InputError: the file cannot be read, or a line is not of this format.
    """
    path = path or Path(__file__).with_name("probes.txt")
    sources: list[Probed] = []
    for at, block in _blocks(path):
        lines = [(row, *line.partition(": ")[::2]) for row, line in block]
        texts = {name: [text for _, kind, text in lines if kind == name] for name in ("S", "Q", "P")}
        if len(texts["S"]) != 1 or len(texts["Q"]) != 1 or not texts["P"]:
            raise InputError("is no source with S, Q and P", file=path, row=at, remedy="see the head of probes.txt")
        probes = tuple(_probe(kind, text, path, row) for row, kind, text in lines if kind not in texts)
        sources.append(Probed(texts["S"][0], texts["Q"][0], tuple(texts["P"]), probes))
    return tuple(sources)


def _blocks(path: Path) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Yield each block of lines between blank lines or comments: the first line's number, and the numbered lines."""
    block: list[tuple[int, str]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=path, remedy="give a text file in UTF-8") from None
    for row, line in enumerate([*lines, ""], 1):
        if line.strip() and not line.startswith("#"):
            block.append((row, line))
        elif block:
            yield block[0][0], block
            block = []


def _probe(kind: str, text: str, path: Path, row: int) -> Probe:
    question = None
    if kind == "answer":
        question, mark, text = text.partition("? ")
        question += mark.strip()
    if kind not in KINDS or not _CHANGED.search(text):
        raise InputError(f"is no probe: {kind}", file=path, row=row, remedy="see the head of probes.txt")
    wrong, places, at = "", [], 0
    for match in _CHANGED.finditer(text):
        wrong += text[at : match.start()]
        if match[2].strip():
            places.append(
                (len(wrong) + len(match[2]) - len(match[2].lstrip(" ,")), len(wrong) + len(match[2].rstrip()))
            )
        wrong, at = wrong + match[2], match.end()
    return Probe(
        kind=kind,
        right=_CHANGED.sub(lambda match: match[1], text),
        wrong=wrong + text[at:],
        places=tuple(places),
        question=question,
    )

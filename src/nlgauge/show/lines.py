"""Lines of text output: pieces of text with styles, unchanged or broken at a width."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from click.formatting import wrap_text

from nlgauge.show.tables import harmless, styled

WIDTH = 100
"""The greatest width of text output, in columns"""
_AROUND = {"unsupported": "[{}]"}
"""Marks that replace a style without colours, for a style whose meaning nothing else shows"""


class TextLine(NamedTuple):
    """A line, or a text of several lines. Drawing it replaces all characters that could control a terminal."""

    pieces: str | tuple[tuple[str, str], ...]
    """A text without style; or pairs of a text and the name of its style, '' for no style"""
    first: str = ""
    """Text before the first line"""
    rest: str | None = None
    """Text before each further line; by default `first`"""
    wrapped: bool = False
    """Whether long lines are broken at `WIDTH` columns"""

    def drawn(self, colour: bool = False) -> str:
        """Return the line as it is printed. Without colours, unsupported words are put into [brackets]."""
        pieces = ((self.pieces, ""),) if isinstance(self.pieces, str) else self.pieces
        texts = [(harmless(text, lines=True), style) for text, style in pieces]
        rest = self.first if self.rest is None else self.rest
        if colour:
            line = "".join(styled(text, style) for text, style in texts)
        else:
            line = "".join(_AROUND.get(style if text else "", "{}").format(text) for text, style in texts)
        if self.wrapped:
            return wrap_text(line, WIDTH, self.first, rest)
        return self.first + line.replace("\n", f"\n{rest}")


Line: TypeAlias = "str | TextLine"
"""A line of text output; a plain text is a line without styles"""


def drawn(lines: Iterable[Line], colour: bool = False) -> list[str]:
    """Return the lines as they are printed, with or without colours."""
    return [line.drawn(colour) if isinstance(line, TextLine) else harmless(line, lines=True) for line in lines]

"""Lines of text output: pieces of text with their styles, as they are or broken into lines of a width."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from click.formatting import wrap_text

from nlgauge.show.tables import harmless, styled

WIDTH = 100
"""Columns that text output is no wider than"""
_AROUND = {"unsupported": "[{}]"}
"""What stands in place of a style where there are no colours, and where the style says what nothing else does"""


class TextLine(NamedTuple):
    """A line, or the lines of a text, which holds nothing that steers a terminal once it is drawn."""

    pieces: str | tuple[tuple[str, str], ...]
    """A text; or several, each with the name of its style, '' for none"""
    first: str = ""
    """What stands before the first line"""
    rest: str | None = None
    """What stands before each line that follows; by default `first`"""
    wrapped: bool = False
    """Whether it is broken into lines of `WIDTH` columns"""

    def drawn(self, colour: bool = False) -> str:
        """Return the line as it is printed; without colours a word that nothing supports stands in [brackets]."""
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
"""A line; a text is one without styles"""


def drawn(lines: Iterable[Line], colour: bool = False) -> list[str]:
    """Return lines as they are printed."""
    return [line.drawn(colour) if isinstance(line, TextLine) else harmless(line, lines=True) for line in lines]

"""Lines of text output: pieces of text with their styles, as they are or broken into lines of a width."""

from __future__ import annotations

from typing import NamedTuple

from click.formatting import wrap_text

from nlgauge.render.tables import harmless, styled

WIDTH = 100
"""Columns that text output is no wider than"""
_AROUND = {"unsupported": "[{}]"}
"""What stands in place of a style where there are no colours, and where the style says what nothing else does"""


class TextLine(NamedTuple):
    """A line, or the lines of a text, which holds nothing that steers a terminal once it is drawn."""

    pieces: tuple[tuple[str, str], ...]
    """Texts, each with the name of its style; '' for none"""
    first: str = ""
    """What stands before the first line"""
    rest: str = ""
    """What stands before each line that follows"""
    wrapped: bool = False
    """Whether it is broken into lines of `WIDTH` columns"""

    def drawn(self, colour: bool = False) -> str:
        """Return the line as it is printed; without colours a word that nothing supports stands in [brackets]."""
        texts = [(harmless(text, lines=True), style) for text, style in self.pieces]
        if colour:
            line = "".join(styled(text, style) for text, style in texts)
        else:
            line = "".join(_AROUND.get(style if text else "", "{}").format(text) for text, style in texts)
        if self.wrapped:
            return wrap_text(line, WIDTH, self.first, self.rest)
        return self.first + line.replace("\n", f"\n{self.rest}")


def plain(text: str, first: str = "", rest: str | None = None, *, wrapped: bool = False) -> TextLine:
    """Return a line without styles.

    Args:
        text: what it says.
        first: what stands before the first line.
        rest: what stands before each line that follows; `first` by default.
        wrapped: whether it is broken into lines of `WIDTH` columns.

    Returns:
        The line.
    """
    return TextLine(((text, ""),), first, first if rest is None else rest, wrapped)

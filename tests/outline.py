"""Texts that a page must not take for markup, and what a page is made of."""

from __future__ import annotations

from html.parser import HTMLParser

NASTY = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "\"quotes\" & 'more'",
    "مرحبا\u202eעולם",
    "a\x00b\x1bc\x7f\x85",
    "half \ud83d of an emoji, and a whole one 🙂",
    "x" * 50_000 + "end",
]


class Outline(HTMLParser):
    """Which elements there are, whether all are closed, and what texts stand in .text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self._in = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.open.append(tag)
        if tag == "p" and ("class", "text") in attributes:
            self._in = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "p":
            self._in = False

    def handle_data(self, found: str) -> None:
        if self._in:
            self.texts[-1] += found


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser

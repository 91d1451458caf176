"""The models' cards, which lie beside the models and not in docs/: each has a page, and links to it lead there."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_INCLUDE = "```{include} "


def homes(docs: Path) -> dict[str, str]:
    """By each card's path from the repository's root, the page that shows it."""
    found = {}
    for page in sorted((docs / "cards").glob("*.md")):
        card = page.read_text(encoding="utf-8").removeprefix(_INCLUDE).partition("\n")[0]
        found[card.removeprefix("../../")] = page.name
    return found


def linked(text: str, name: str, cards: dict[str, str]) -> str:
    """The text of a page, by its name without ending, whose links to cards lead to their pages."""
    up = "../" * name.count("/")
    for card, page in cards.items():
        text = text.replace(f"]({up}../{card})", f"]({up}cards/{page})")
    return text


def shown(docs: Path, page: str, cards: dict[str, str]) -> str:
    """The card of a page, whose links to other cards lead to their pages."""
    (card,) = (card for card, name in cards.items() if name == page)
    text = (docs.parent / card).read_text(encoding="utf-8")
    for other, name in cards.items():
        text = text.replace(f"]({relpath(other, Path(card).parent)})", f"]({name})")
    return text


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    docs = Path(app.srcdir)
    cards = homes(docs)
    if name.startswith("cards/"):
        source[0] = shown(docs, f"{Path(name).name}.md", cards)
    else:
        source[0] = linked(source[0], name, cards)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}

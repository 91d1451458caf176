"""The kit of pages: one frame, one style and one kind of table for every page that is a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge._version import __version__
from nlgauge.show.environment import HERE, digest, inlined, render
from nlgauge.show.tables import empty

if TYPE_CHECKING:
    from markupsafe import Markup

_STYLES = tuple(HERE / name for name in ("parts.css", "page.css", "tables.css"))
VERDICT = HERE / "verdict.css"
"""The style of an answer with its verdict"""


def style(*more: Path) -> Markup:
    """Return the style of a page that has more of its own than all pages."""
    return inlined(*_STYLES, *more)


def page(
    template: str,
    *folders: Path,
    command: str,
    title: str,
    styles: Sequence[Path] = (),
    scripts: Sequence[Path] = (),
    notes: Sequence[str] = (),
    **facts: Any,
) -> str:
    """Return a page, which needs nothing beside itself.

    Args:
        template: its template, which fills the blocks of `page.html`.
        folders: where the template is, beside those of this folder.
        command: the command that makes it, for its head.
        title: its heading.
        styles: what its style has beside that of all pages.
        scripts: its scripts, the only ones that a browser will run in it.
        notes: what a reader has to know of the numbers.
        facts: what the template reads.

    Returns:
        HTML.
    """
    script = inlined(*scripts)
    return render(
        template,
        *folders,
        command=command,
        title=title,
        version=__version__,
        style=style(*styles),
        script=script,
        policy=digest(str(script)),
        notes=notes,
        empty=empty,
        **facts,
    )

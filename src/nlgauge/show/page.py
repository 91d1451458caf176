"""The common parts of all pages that are files: one frame, one style and one kind of table."""

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
"""The CSS of a verdict on top of a page"""


def style(*more: Path) -> Markup:
    """Return the CSS of a page: that of all pages, and that of the given files."""
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
    """Return a page as HTML that needs no other file.

    Args:
        template: the name of the page's template, which fills the blocks of `page.html`.
        folders: folders of templates, beside the folder of this package.
        command: the command that makes the page, for its head.
        title: the heading of the page.
        styles: CSS files that only this page needs.
        scripts: files of scripts. A browser runs no others in the page.
        notes: what a reader has to know of the numbers, a sentence each.
        facts: the values that the template uses, by name.

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

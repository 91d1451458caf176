"""Parts of a page that a command writes: what stands between two comments, and nothing else of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError


def region(text: str, name: str) -> str | None:
    """What stands between the comments of a name; None where they are not there."""
    found = re.search(_pattern(name), text, re.DOTALL)
    return None if found is None else found[2].strip("\n")


def write_region(page: Path, name: str, lines: Sequence[str]) -> None:
    """Put lines between the comments of a name. Raises InputError for a page that cannot be read or lacks them."""
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=page, remedy="name a page that is there") from None
    if region(text, name) is None:
        remedy = f"put <!-- {name} --> and <!-- end of {name} --> on lines of their own where the table belongs"
        raise InputError("has no place for the table", file=page, remedy=remedy)
    block = "\n".join(lines)
    with atomic_write(page) as file:
        made = re.sub(_pattern(name), lambda found: f"{found[1]}\n{block}\n{found[3]}", text, count=1, flags=re.DOTALL)
        file.write(made)


def _pattern(name: str) -> str:
    return rf"(<!-- {re.escape(name)} -->)(.*?)(<!-- end of {re.escape(name)} -->)"

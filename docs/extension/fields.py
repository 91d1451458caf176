"""nlgauge's docstrings as Sphinx wants them: `name: what it is` becomes a field of the signature."""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

from extension.docstrings import described

_TYPE = ":type: "


def restructured(lines: list[str], names: list[str]) -> list[str]:
    """The lines of a docstring as reStructuredText."""
    doc = "\n".join(lines)
    told = described(doc, names)
    kept = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        first = re.match(r"(\w+)(, \w+)*: ", paragraph)
        if not (first and first[1] in told):
            kept += [*paragraph.splitlines(), ""]
    fields = [f":param {name}: {told[name]}" for name in names if name in told]
    return [*kept, *fields, ""]


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what not in ("function", "method", "class", "exception"):
        return
    try:
        names = list(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return
    lines[:] = restructured(lines, names)


def untyped(lines: list[str]) -> list[str]:
    """Return the text of a field as it was written.

    Sphinx' reader of docstrings takes the first line of a field's text up to a colon for its type, and writes a field
    "type" behind the text. Here the signature has the types.
    """
    at = next((at for at, line in enumerate(lines) if line.startswith(_TYPE)), None)
    if at is None:
        return lines
    first, *rest = [*lines[:at], *lines[at + 1 :]]
    return [f"{lines[at].removeprefix(_TYPE)}: {first}", *rest]


def _process_field(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what in ("attribute", "data", "property"):
        lines[:] = untyped(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", _process)
    app.connect("autodoc-process-docstring", _process_field, priority=600)  # behind the reader, which has 500
    return {"parallel_read_safe": True}

"""nlgauge's docstrings, read: a paragraph, then `name: what it is` for each parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from itertools import zip_longest

from sphinx.pycode import ModuleAnalyzer

from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import parameters_of, project_metrics

_ELSEWHERE = re.compile(r"(?:as of|as in|as for|those of) ((?:published/)?[A-Z]\w+)")


def described(doc: str, names: Iterable[str]) -> dict[str, str]:
    """What a docstring says of each of some parameters: text after `name:` or `name, other:`, to the next one or a gap.

    A parameter starts a line, or a sentence in it.
    """
    name = "|".join(map(re.escape, names))
    if not name:
        return {}
    entry = re.compile(rf"(?:^|(?<=\. ))((?:{name})(?:, (?:{name}))*): ", re.MULTILINE)
    found: dict[str, str] = {}
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        starts = [*entry.finditer(paragraph)]
        for start, following in zip_longest(starts, starts[1:]):
            text = paragraph[start.end() : following.start() if following else None]
            for one in start[1].split(", "):
                found.setdefault(one, " ".join(text.split()))
    return found


def prose(doc: str, names: Iterable[str]) -> list[str]:
    """The paragraphs of a docstring that describe no parameter."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(doc))
    name = "|".join(map(re.escape, names)) or "(?!)"
    entry = re.compile(rf"({name})(, ({name}))*: ")
    return [" ".join(one.split()) for one in paragraphs if not entry.match(one) and ">>>" not in one]


def parameters(kind: type[Metric]) -> Mapping[str, str]:
    """What the docstrings of a metric, of its bases, and of the metrics that they refer to say of each parameter."""
    names = list(parameters_of(kind))
    found: dict[str, str] = {}
    for doc in _docs(kind, set()):
        for name, text in described(doc, names).items():
            found.setdefault(name, text)
    for name, text in _beside(kind).items():
        found.setdefault(name, text)
    return {name: found.get(name, "") for name in names}


def _beside(kind: type) -> dict[str, str]:
    """The docstrings that stand below the fields of a class, or of its bases, by field."""
    found: dict[str, str] = {}
    for base in kind.__mro__:
        if base.__module__.startswith(("nlgauge.", "nlgauge_lab.")):
            for (owner, name), lines in ModuleAnalyzer.for_module(base.__module__).find_attr_docs().items():
                if owner == base.__name__:
                    found.setdefault(name, " ".join(" ".join(lines).split()))
    return found


def _docs(kind: type, seen: set[type]) -> Iterable[str]:
    for base in kind.__mro__:
        doc = vars(base).get("__doc__")
        if base in seen or not doc or not issubclass(base, Metric):
            continue
        seen.add(base)
        yield doc
        for name in _ELSEWHERE.findall(" ".join(doc.split())):
            if name in project_metrics():
                yield from _docs(project_metrics()[name], seen)

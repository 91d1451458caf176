"""The results page: who wins in short, in Markdown, and every number in one filterable table, in HTML."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nlgauge._version import __version__
from nlgauge_lab.reproduce.cached import NOT_SCORED
from nlgauge_lab.reproduce.lines import BASELINE, DATA, LACKING, OURS, PUBLISHED, UNFINISHED, Key, Line
from nlgauge_lab.reproduce.markdown import render, short, table
from nlgauge_lab.reproduce.suites import Suite

NOISE = 0.02
"""A difference that says nothing"""
IN_PRINT = 0.001
"""The last digit of most published numbers, some of which are cut off there: who is ahead is so by more than this"""
_KINDS = ("clearly ahead", "ahead", "not ahead", "clearly behind")


class Verdict(NamedTuple):
    """The best of our metrics that read a model beside the best published number, in one column."""

    ours: Line
    published: Line

    @property
    def gap(self) -> float:
        """Ours minus published."""
        return self.ours.value - self.published.value

    @property
    def ahead(self) -> bool:
        """Ours is the larger one, by more than the last digit in print."""
        return self.gap > IN_PRINT + 1e-9

    @property
    def clear(self) -> bool:
        """The published number lies outside the interval of ours."""
        return self.published.value < self.ours.low or self.published.value > self.ours.high

    @property
    def kind(self) -> str:
        """One of the four kinds."""
        return _KINDS[0 if self.ahead and self.clear else 1 if self.ahead else 3 if self.clear else 2]


def models(lines: Iterable[Line]) -> list[str]:
    """Return the names of the models, in the order of the lines."""
    return list(dict.fromkeys(line.on for line in lines if line.kind in (OURS, UNFINISHED)))


def unfinished(lines: Iterable[Line]) -> dict[tuple[str, str], list[Line]]:
    """Return the lines of metrics that have not scored all rows, by data and model."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.kind == UNFINISHED or (line.kind == LACKING and line.note == NOT_SCORED):
            found.setdefault((line.data, line.on), []).append(line)
    return found


def tops(lines: Iterable[Line], kind: str, on: str = "") -> dict[Key, Line]:
    """Return the largest line of a kind in each column."""
    found: dict[Key, Line] = {}
    for line in lines:
        if line.kind == kind and line.on == on and (line.key not in found or line.value > found[line.key].value):
            found[line.key] = line
    return found


def verdicts(lines: Sequence[Line], on: str) -> list[Verdict]:
    """Return the verdict on each column that a model can be compared in."""
    broken = {data for data, model in unfinished(lines) if model == on}
    ours = tops(lines, OURS, on)
    return [
        Verdict(ours[key], one) for key, one in tops(lines, PUBLISHED).items() if key in ours and key[0] not in broken
    ]


def standing(lines: Sequence[Line], suites: Sequence[Suite]) -> list[str]:
    """Return a table with a line a data set: in how many of its published columns the best of each model is ahead, and
    the best of none. Nothing where nothing is compared.
    """
    names = models(lines)
    by_model = {name: verdicts(lines, name) for name in names}
    published, baselines = tops(lines, PUBLISHED), tops(lines, BASELINE)
    rows: dict[bool, list[tuple[str, list[int | None]]]] = {True: [], False: []}
    for suite in suites:
        compared = {one.published.key for of_model in by_model.values() for one in of_model}
        keys = [key for key in published if key[0] == suite.title and key in compared]
        if not keys:
            continue
        counts: list[int | None] = [len(keys)]
        for name in names:
            own = [one for one in by_model[name] if one.published.key in keys]
            counts.append(sum(one.ahead for one in own) if own else None)
        counts.append(sum(key in baselines and Verdict(baselines[key], published[key]).ahead for key in keys))
        rows[suite.printed].append((suite.title, counts))
    if rows[True]:
        total = [sum(cell or 0 for cell in column) for column in zip(*(row for _, row in rows[True]), strict=True)]
    shown: list[list[object]] = [[title, *("-" if n is None else n for n in row)] for title, row in rows[True]]
    shown += [["**all in print**", *(f"**{number}**" for number in total)]] if rows[True] else []
    shown += [[title, *("-" if n is None else n for n in row)] for title, row in rows[False]]
    heads = ["rated data", "published columns", *(f"{name} ahead" for name in names), "no model ahead"]
    return table(heads, "lr" + "r" * (len(names) + 1), shown) if shown else []


def counts(lines: Sequence[Line], suites: Sequence[Suite]) -> list[str]:
    """Return a table of how many columns in print each model is ahead in, and how many are within the noise."""
    printed = {suite.title for suite in suites if suite.printed}
    rows = []
    for name in models(lines):
        own = [one for one in verdicts(lines, name) if one.published.data in printed]
        kinds = [one.kind for one in own]
        near = sum(abs(one.gap) <= NOISE + 1e-9 for one in own)
        rows.append([name, len(own), *map(kinds.count, _KINDS), near])
    return table(["model", "columns in print", *_KINDS, "of all within .02"], "lrrrrrr", rows)


def losses(lines: Sequence[Line]) -> dict[str, list[str]]:
    """Return by model a line for each column that is clearly lost, the widest gap first."""
    found = {}
    for name in models(lines):
        clear = sorted((one for one in verdicts(lines, name) if one.kind == _KINDS[3]), key=lambda one: one.gap)
        found[name] = [_lost(one) for one in clear]
    return {name: lost for name, lost in found.items() if lost}


def _lost(one: Verdict) -> str:
    where = f"{one.ours.data}, {one.ours.aspect} ({one.ours.level}, {one.ours.coefficient})"
    ours, published = one.ours, one.published
    return f"{where}: {short(ours.value)} (`{ours.metric}`) against {short(published.value)} ({published.metric})"


def page(
    lines: Sequence[Line],
    suites: Sequence[Suite],
    absent: Sequence[str],
    limit: int | None,
    replicates: int,
    stem: str = "agreement",
) -> str:
    """Return the results page in Markdown. stem: the name of the files with every number, in the folder `data`."""
    sizes = {line.data: line.note for line in lines if line.kind == DATA}
    digests = dict.fromkeys(line.model for line in lines if line.kind == OURS)
    return render(
        "results.md",
        stem=stem,
        limit=limit,
        unfinished=[
            f"- {data}, {on or 'no model'}: {_waiting(some)}" for (data, on), some in unfinished(lines).items()
        ],
        models=", ".join(digests) or "no model",
        version=__version__,
        replicates=replicates,
        absent=absent,
        numbers=sum(not math.isnan(line.value) for line in lines),
        standing=standing(lines, suites),
        counts=counts(lines, suites),
        losses=losses(lines),
        suites=suites,
        sizes=sizes,
        lacking=_lacking(lines),
    )


def _waiting(some: Sequence[Line]) -> str:
    parts = dict.fromkeys(f"`{line.metric}` {line.note}" for line in some)
    return ", ".join(parts)


def _lacking(lines: Iterable[Line]) -> list[str]:
    """A line a data set: the metrics without a number, by the reason."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in lines:
        if line.kind == LACKING and line.note != NOT_SCORED:
            found.setdefault((line.data, line.note), {}).setdefault(line.metric, []).append(line.on)
    told = []
    for (data, why), by_metric in found.items():
        named = [f"`{metric}` ({', '.join(filter(None, on)) or 'no model'})" for metric, on in by_metric.items()]
        told.append(f"- {data}: {', '.join(named)}: {why}.")
    return told


def html(lines: Sequence[Line], limit: int | None) -> str:
    """Return the page with every number, to be filtered and sorted; it needs no other file and no network."""
    rows = [
        [None if cell != cell else round(cell, 3) if isinstance(cell, float) else cell for cell in line]
        for line in lines
        if line.kind not in (LACKING, DATA)
    ]
    data = json.dumps({"rows": rows, "margin": IN_PRINT}, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("</", "<\\/")  # which would end the script
    return render("results.html", data=data, version=__version__, limit=limit)

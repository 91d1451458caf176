"""The results page: in Markdown which metrics agree best, and in HTML a filterable table of every number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nlgauge._version import __version__
from nlgauge_lab.reproduce.cached import NOT_SCORED
from nlgauge_lab.reproduce.choices import HEADLINE, Measurement, Pick, measurements, settings
from nlgauge_lab.reproduce.lines import BASELINE, DATA, LACKING, OURS, SETS, UNFINISHED, Line
from nlgauge_lab.reproduce.markdown import beside, render, short, table
from nlgauge_lab.reproduce.suites import Suite

NOISE = 0.02
"""A difference of at most this size has no meaning"""
IN_PRINT = 0.001
"""The last digit of most published numbers, some of which are cut off there. To be ahead, a metric needs more"""
_KINDS = ("clearly ahead", "ahead", "not ahead", "clearly behind")


class Verdict(NamedTuple):
    """A metric of ours compared with the best published number, in one measurement."""

    ours: Line
    published: Line

    @property
    def gap(self) -> float:
        """Our number minus the published one."""
        return self.ours.value - self.published.value

    @property
    def ahead(self) -> bool:
        """Whether our number is larger by more than the last digit in print."""
        return self.gap > IN_PRINT + 1e-9

    @property
    def clear(self) -> bool:
        """Whether the published number lies outside the interval of our number."""
        return self.published.value < self.ours.low or self.published.value > self.ours.high

    @property
    def kind(self) -> str:
        """The verdict in words: 'clearly ahead', 'ahead', 'not ahead' or 'clearly behind'."""
        return _KINDS[0 if self.ahead and self.clear else 1 if self.ahead else 3 if self.clear else 2]


def models(lines: Iterable[Line]) -> list[str]:
    """Return the names of the models, in the order of the lines."""
    return list(dict.fromkeys(line.on for line in lines if line.kind in (OURS, UNFINISHED)))


def unfinished(lines: Iterable[Line]) -> dict[tuple[str, str], list[Line]]:
    """Return the lines of metrics for which some rows are not scored yet, by data and model."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.kind == UNFINISHED or (line.kind == LACKING and line.note == NOT_SCORED):
            found.setdefault((line.data, line.on), []).append(line)
    return found


WAYS = ("recommended", "sister", "best")
"""The ways to choose a metric for a column, which are fields of `Measurement`"""
_WAYS = {"recommended": "recommended", "sister": "picked on a sister set", "best": "best, picked here"}
_BEFORE = "†"
"""Mark of a number that was measured with another aligner than the one that the model has now"""


def compared(lines: Sequence[Line]) -> list[Measurement]:
    """Return the measurements that have a published number and one of ours."""
    return [one for one in measurements(lines) if one.published is not None and one.best.lines]


def verdicts(lines: Sequence[Line], way: str, on: str) -> list[Verdict]:
    """Return a verdict for each measurement that was made with a model.

    Data sets that are not fully scored are left out.

    Args:
        lines: those of the results page.
        way: how the metric is chosen: 'recommended', 'sister' or 'best'.
        on: the name of the model.
    """
    broken = {data for data, model in unfinished(lines) if model == on}
    found = []
    for one in compared(lines):
        pick: Pick | None = getattr(one, way)
        if pick is not None and on in pick.lines and one.published is not None and one.key[0] not in broken:
            found.append(Verdict(pick.lines[on], one.published))
    return found


def standing(lines: Sequence[Line], suites: Sequence[Suite]) -> list[str]:
    """Return a table with a line for each data set; empty where nothing is compared.

    A line counts the measurements in which the metric of each choice is ahead of the best published number.
    """
    names = models(lines)
    by_way = {(way, name): verdicts(lines, way, name) for way in WAYS for name in names}
    measured = compared(lines)
    broken = unfinished(lines)
    rows: dict[bool, list[tuple[str, list[int | None]]]] = {True: [], False: []}
    for suite in suites:
        own = [one for one in measured if one.key[0] == suite.title]
        if not own or all((suite.title, name) in broken for name in names):
            continue
        counts: list[int | None] = [len(own)]
        for way in WAYS:
            if way == "sister":
                counts.append(sum(one.sister is not None for one in own))
            for name in names:
                ahead = sum(one.ahead for one in by_way[way, name] if one.ours.data == suite.title)
                counts.append(None if (suite.title, name) in broken else ahead)
        floors = [Verdict(one.baseline, one.published).ahead for one in own if one.baseline and one.published]
        counts.append(sum(floors))
        rows[suite.printed].append((suite.title, counts))
    if rows[True]:
        total = [sum(cell or 0 for cell in column) for column in zip(*(row for _, row in rows[True]), strict=True)]
    shown: list[list[object]] = [[title, *("-" if n is None else n for n in row)] for title, row in rows[True]]
    shown += [["**all in print**", *(f"**{number}**" for number in total)]] if rows[True] else []
    shown += [[title, *("-" if n is None else n for n in row)] for title, row in rows[False]]
    heads = ["rated data", "measurements", *(f"recommended: {name}" for name in names), "with a sister set"]
    heads += [f"{_WAYS[way]}: {name}" for way in WAYS[1:] for name in names] + ["no model, picked here"]
    return table(heads, "l" + "r" * (len(heads) - 1), shown) if shown else []


def counts(lines: Sequence[Line], suites: Sequence[Suite]) -> list[str]:
    """Return a table with a line for each choice and model, over the measurements that are published in print.

    A line counts in how many the metric is ahead or behind, and in how many the difference is within the noise.
    """
    printed = {suite.title for suite in suites if suite.printed}
    rows = []
    for way in WAYS:
        for name in models(lines):
            own = [one for one in verdicts(lines, way, name) if one.published.data in printed]
            kinds = [one.kind for one in own]
            near = sum(abs(one.gap) <= NOISE + 1e-9 for one in own)
            rows.append([_WAYS[way], name, len(own), *map(kinds.count, _KINDS), near])
    return table(["chosen", "model", "measurements", *_KINDS, "of all within .02"], "llrrrrrr", rows)


def losses(lines: Sequence[Line]) -> dict[str, list[str]]:
    """Return by model a line for each measurement in which the recommended metric is clearly behind.

    The widest gap is first.
    """
    found = {}
    for name in models(lines):
        own = verdicts(lines, WAYS[0], name)
        clear = sorted((one for one in own if one.kind == _KINDS[3]), key=lambda one: one.gap)
        found[name] = [_lost(one) for one in clear]
    return {name: lost for name, lost in found.items() if lost}


def _lost(one: Verdict) -> str:
    where = f"{one.ours.data}, {one.ours.aspect} ({one.ours.level}, {one.ours.coefficient})"
    ours, published = one.ours, one.published
    return f"{where}: {short(ours.value)} (`{ours.metric}`) against {short(published.value)} ({published.metric})"


def chosen(
    lines: Sequence[Line],
    shipped: Mapping[str, str],
    task: str | None = None,
    only: bool = False,
    named: bool = False,
) -> list[str]:
    """Return a table with a line for each measurement: the metric of each choice, with its numbers.

    Args:
        lines: those of the results page.
        shipped: by model, the beginning of the digest of the aligner that it has now.
        task: one of `choices.TASKS`, or None for all.
        only: whether to show the lines of HEADLINE alone.
        named: whether to name the metric of every choice and model.

    Returns:
        The table; empty where no metric is chosen.
    """
    names, rows = models(lines), []
    picks = [(way, name) for way in WAYS[1:] for name in names] if named else []
    for one in measurements(lines):
        known = one.task if task is None else one.task == task
        if not known or not one.best.lines or (only and one.key[:3] not in HEADLINE):
            continue
        line = next(iter(one.recommended.lines.values()), None)
        baseline = one.baseline.value if one.baseline else math.nan
        published = one.published.value if one.published else math.nan
        rows.append(
            [
                one.key[0],
                f"{one.key[1]}, {one.key[2]}",
                f"`{line.metric}`" if line else "none",
                one.recommended.by or "-",
                _count(line.n if line else math.nan),
                _count(line.missing if line else math.nan),
                *(_number(one.recommended, name, shipped) for name in names),
                *(_number(one.sister, name, shipped) for name in names),
                *(_number(one.best, name, shipped) for name in names),
                short(baseline),
                short(published),
                *(_metric(getattr(one, way), name) for way, name in picks),
            ]
        )
    heads = ["data", "aspect, level", "recommended", "chosen by", "n", "missing"]
    heads += [f"{_WAYS[way]}: {name}" for way in WAYS for name in names] + ["no model, picked here", "best published"]
    heads += [f"metric {_WAYS[way]}: {name}" for way, name in picks]
    return table(heads, "llllrr" + "r" * (len(heads) - 6), rows) if rows else []


def _metric(pick: Pick | None, model: str) -> str:
    return f"`{pick.lines[model].metric}`" if pick is not None and model in pick.lines else "-"


def _count(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:,.0f}"


def _number(pick: Pick | None, model: str, shipped: Mapping[str, str]) -> str:
    if pick is None or model not in pick.lines:
        return "-"
    line = pick.lines[model]
    return short(line.value) + (f" {_BEFORE}" if before(line, shipped) else "")


def before(line: Line, shipped: Mapping[str, str]) -> bool:
    """Return whether a number was measured with another aligner than the one that its model has now.

    Args:
        line: the line with the number.
        shipped: by model, the beginning of the digest of the aligner that it has now.
    """
    return bool(line.aligner) and shipped.get(line.on, line.aligner) != line.aligner


def _settings(lines: Sequence[Line]) -> list[str]:
    """Return a table of how much a metric gains by a setting that is chosen on other data sets; empty without any."""
    rows = [
        [
            one.family,
            one.model,
            one.sets,
            one.columns,
            short(one.default),
            short(one.chosen),
            short(one.best),
            f"{one.changed} of {one.sets}",
        ]
        for one in settings(lines)
    ]
    heads = ["metric, parameter", "model", "sets", "columns", "default", "chosen on the others", "best, picked here"]
    return table([*heads, "another than the default"], "llrrrrrr", rows) if rows else []


def _by_aligners(lines: Iterable[Line], shipped: Mapping[str, str]) -> list[str]:
    """Return a line for each model and aligner: how many numbers it gave, and whether it is the model's present one."""
    found: dict[tuple[str, str, str], list[Line]] = {}
    for line in lines:
        if line.aligner:
            found.setdefault((line.model, line.aligner, line.on), []).append(line)
    told = []
    for (model, aligner, on), own in found.items():
        now = "" if on not in shipped else ", the aligner before" if before(own[0], shipped) else ", the shipped one"
        data = ", ".join(dict.fromkeys(line.data for line in own))
        told.append(f"- aligner {aligner} of {model}{now}: {len(own):,} numbers ({data})")
    return told


def page(
    lines: Sequence[Line],
    suites: Sequence[Suite],
    absent: Sequence[str],
    limit: int | None,
    replicates: int,
    stem: str = "agreement",
    shipped: Mapping[str, str] | None = None,
) -> str:
    """Return the results page in Markdown.

    Args:
        lines: all numbers.
        suites: the measured suites.
        absent: the files of rated data that were not at hand.
        limit: how many items of each data set were scored; None for all.
        replicates: number of resamples for the intervals.
        stem: the name of the files with every number, in the folder `data`.
        shipped: by model, the beginning of the digest of the aligner that it has now.

    Returns:
        The page.
    """
    aligners = shipped or {}
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
        chosen=beside("choices", chosen(lines, aligners, named=True)),
        settings=_settings(lines),
        aligners=_by_aligners(lines, aligners),
        older=any(before(line, aligners) for line in lines),
        unrecorded=sum(line.kind in (OURS, BASELINE) and math.isnan(line.missing) for line in lines),
        uncounted=sum(line.note == SETS for line in lines),
        suites=suites,
        sizes=sizes,
        lacking=_lacking(lines),
    )


def _waiting(some: Sequence[Line]) -> str:
    parts = dict.fromkeys(f"`{line.metric}` {line.note}" for line in some)
    return ", ".join(parts)


def _lacking(lines: Iterable[Line]) -> list[str]:
    """Return a line for each data set and reason, with the metrics that have no number for this reason."""
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
    """Return an HTML page with every number, to be filtered and sorted. It needs no other file and no network.

    Args:
        lines: all numbers.
        limit: how many items of each data set were scored; None for all.
    """
    shown = [line for line in lines if line.kind not in (LACKING, DATA)]
    rows = [[*map(_plain, line), line.whole] for line in shown]
    record = {"names": [*Line._fields, "whole"], "rows": rows, "margin": IN_PRINT}
    data = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("</", "<\\/")  # which would end the script
    return render("results.html", data=data, version=__version__, limit=limit)


def _plain(cell: object) -> object:
    """Return a cell as JSON has it: None for NaN, and a float with three digits."""
    return None if cell != cell else round(cell, 3) if isinstance(cell, float) else cell

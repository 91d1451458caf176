"""The results page in Markdown: every metric of ours on the rated data, the best published number beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from nlgauge._version import __version__
from nlgauge.lab.reproduce.markdown import ranged, short, table
from nlgauge.lab.reproduce.overview import label, winners
from nlgauge.lab.reproduce.published import best
from nlgauge.lab.reproduce.suites import Suite
from nlgauge.lab.reproduce.verdicts import Key, Measured, Verdict
from nlgauge.meta.agreement import Agreement


def page(by_model: Sequence[Sequence[Measured]], absent: Sequence[str], limit: int | None, replicates: int) -> str:
    """The results page in Markdown, of the same suites by each model."""
    measured = [one for suites in by_model for one in suites]
    models = ", ".join(dict.fromkeys(name for one in measured for name in one.models))
    lines = ["# Agreement with people, beside the best published numbers", ""]
    if limit is not None:
        lines += [f"**Only the first {limit} items of each data set: these are not the results.**", ""]
    if any(not one.finished for one in measured):
        lines += ["**Not finished**, and not counted in who wins:", ""]
        for suites in by_model:
            on = f" (on {label(suites)})" if len(by_model) > 1 else ""
            lines += [_unfinished(one, on) for one in suites if not one.finished]
        lines += [""]
    lines += [
        f"This page says how well our metrics agree with public human ratings, on {models or 'no model'} and by the "
        "protocol of the papers. [Which metric for my task](which-metric.md) says what to take from it. Each data set "
        "has a section with all metrics. [meta.md](meta.md) explains levels and coefficients. Made by `nlgauge "
        f"reproduce results` (nlgauge {__version__}): [reproduce.md](reproduce.md).",
        "",
        "**How the columns were chosen.** A column is an aspect of a data set at a level, by a coefficient. The page "
        "has Pearson's r at one or two levels for each data set, and Kendall's tau for WebNLG and REALSumm too. The "
        "papers print more columns: Spearman, Kendall on other sets, the system level of dialogues, and QAGS. "
        "`nlgauge reproduce` compares those. The best published number of a column is the best one in any of the "
        "five papers, whichever metric and checkpoint it is of. *Ours* is the best metric that uses the model. The "
        "best metric without a model (length, copying, words and characters) is the baseline beside it. No paper "
        "prints numbers for REALSumm: the published ones come from released score files, and are counted apart.",
        "",
        f"In brackets: 95 % of {replicates:,} resamples of items and systems (ASSET: of items). *Clearly* means that "
        "the published number, which is printed without an interval, lies outside ours. The best of a column was "
        "picked on these very rows, as were most published ones; differences of .02 are noise. Metrics run with their "
        "defaults: the layers that they read are those on the model's card, the same in all columns.",
        "",
    ]
    if absent:
        lines += [f"Not here: {', '.join(absent)}, whose data were not at hand.", ""]
    lines += winners(by_model)
    for ones in zip(*by_model, strict=True):
        lines += _section(ones)
    return "\n".join(lines).rstrip() + "\n"


def _unfinished(one: Measured, on: str) -> str:
    """Which metrics of a suite have not scored all rows."""
    counts: dict[int, set[str]] = {}
    for name, rows in one.partial.items():
        counts.setdefault(rows, set()).add(one.suite.spec_of(name))
    parts = [f"{len(specs)} only {rows:,}" for rows, specs in sorted(counts.items(), reverse=True)]
    parts += [f"{len(one.waiting)} none"] * bool(one.waiting)
    total = len({one.suite.spec_of(name) for name in one.values} | set(one.waiting))
    done = total - len(one.waiting) - sum(map(len, counts.values()))
    return f"- {one.suite.title}{on}: of {total} metrics {done} have scored all {one.rows:,} rows, {', '.join(parts)}"


def _section(ones: Sequence[Measured]) -> list[str]:
    """A suite, by each model."""
    one, suite = ones[0], ones[0].suite
    apart = {spec for group in suite.groups if group.without for spec in group.metrics}
    lines = [
        f"## {suite.title}{'' if all(one.finished for one in ones) else ' (not finished)'}",
        "",
        f"{one.rows:,} rows: {one.items} items, {one.systems} systems.",
        *suite.notes,
        "",
    ]
    for group in suite.groups:
        if group.without and any(spec in one.values for spec in group.metrics):
            lines += [f"‡ Without {', '.join(group.without)}.", ""]
    verdicts = [(key, found, verdict) for key in one.keys for found in ones if (verdict := found.verdict(key))]
    if verdicts:
        model = ["model"] * (len(ones) > 1)
        heads = ["aspect", "level, coefficient", "best published", "", *model, "ours", "", "ours is"]
        rows = [_line(verdict, apart, [label([found])] if model else []) for _, found, verdict in verdicts]
        align = "lllr" + "l" * len(model) + "lrllr"
        lines += [*table([*heads, "best without a model", ""], align, rows), ""]
    for level, coefficient in suite.measured:
        lines += _table(ones, level, coefficient, apart)
    lacking: dict[tuple[str, str], list[Measured]] = {}
    for found in ones:
        for spec, reason in found.reasons.items():
            lacking.setdefault((spec, reason), []).append(found)
    grouped: dict[tuple[str, str], list[str]] = {}
    for (spec, reason), which in lacking.items():
        on = "" if len(which) == len(ones) else f" on {label(which)}"
        grouped.setdefault((on, reason.partition(";")[0]), []).append(f"`{spec}`")
    for (on, reason), specs in grouped.items():
        lines += [f"No number{on}: {', '.join(specs)}: {reason}.", ""]
    return lines


def _rows(ones: Sequence[Measured]) -> Iterator[tuple[Measured, str, str]]:
    """Every metric by every model, with what to add to its name; those that read no model once, and last."""
    for one in ones:
        on = f", {label([one]).partition('@')[0]}" if len(ones) > 1 else ""
        yield from ((one, name, on) for name in one.values if name in one.reading)
    told: set[str] = set()
    for one in ones:
        for name in one.values:
            if name not in one.reading and name not in told:
                told.add(name)
                yield one, name, ""


def _table(ones: Sequence[Measured], level: str, coefficient: str, apart: Collection[str]) -> list[str]:
    """Every metric that has a number at a level, by aspect; those that read the model first."""
    suite = ones[0].suite
    keys = [(aspect, level, coefficient) for aspect in suite.aspects]
    shown = [(one, name, on) for one, name, on in _rows(ones) if any(name in one.of(key) for key in keys)]
    if not shown:
        return []
    rows: list[list[str]] = []
    tops = {key: max((value for one in ones for value in _whole(one, key)), default=math.nan) for key in keys}
    for one, name, on in shown:
        cells = [_cell(one.of(key).get(name), tops[key], name in one.partial) for key in keys]
        scored = f", {one.partial[name]:,} of {one.rows:,} rows" if name in one.partial else ""
        rows.append([f"{_marked(name, suite, apart)}{on}{scored}", *cells])
    published = [best(suite.sources[0].file, *key) for key in keys]
    if any(published):
        named = [f"{short(top.value)} {top.row} ({top.table.name})" if top else "-" for top in published]
        rows.append(["best published", *named])
    heads = [f"{level}, {coefficient}", *(aspect.replace("_", " ") for aspect in suite.aspects)]
    return [*table(heads, "l" + "r" * len(keys), rows), ""]


def _whole(one: Measured, key: Key) -> list[float]:
    """The values of the metrics that scored all rows."""
    return [agreed.value for name, agreed in one.of(key).items() if name not in one.partial]


def _cell(agreed: Agreement | None, top: float, partial: bool) -> str:
    if agreed is None:
        return "-"
    text = _ranged(agreed)
    return f"**{text}**" if agreed.value == top and not partial else text


def _ranged(agreed: Agreement) -> str:
    return ranged(agreed.value, agreed.low, agreed.high)


def _marked(name: str, suite: Suite, apart: Collection[str]) -> str:
    return f"`{name}`" + " ‡" * (suite.spec_of(name) in apart)


def _line(verdict: Verdict, apart: Collection[str], model: Sequence[str]) -> list[str]:
    aspect, level, coefficient = verdict.key
    published = verdict.published
    floor, height = verdict.floor or ("", math.nan)
    return [
        aspect.replace("_", " "), f"{level}, {coefficient}", f"{published.row} ({published.table.name})",
        short(published.value), *model,
        _marked(verdict.metric, verdict.suite, apart), _ranged(verdict.ours),
        str(verdict), _marked(floor, verdict.suite, apart) if floor else "-",
        short(height),
    ]  # fmt: skip

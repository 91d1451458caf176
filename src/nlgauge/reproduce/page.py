"""The results page in Markdown: every metric of ours on the rated data, the best published number beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from nlgauge._version import __version__
from nlgauge.meta.agreement import Agreement
from nlgauge.reproduce.numbers import short, with_interval
from nlgauge.reproduce.published import best
from nlgauge.reproduce.suites import Suite
from nlgauge.reproduce.verdicts import Key, Measured, Verdict


def page(measured: Sequence[Measured], absent: Sequence[str], limit: int | None, replicates: int) -> str:
    """The results page in Markdown."""
    models = ", ".join(dict.fromkeys(name for one in measured for name in one.models))
    lines = ["# Agreement with people, beside the best published numbers", ""]
    if limit is not None:
        lines += [f"**Only the first {limit} items of each data set: these are not the results.**", ""]
    if unfinished := [one for one in measured if not one.finished]:
        lines += ["**Not finished**, and not counted in who wins:", "", *map(_unfinished, unfinished), ""]
    lines += [
        f"Our metrics on {models or 'no model'}, on public human ratings, by the protocol of the papers; beside them "
        "the best number that any of the five papers prints for the same ratings, whichever metric and checkpoint it "
        "is of. *Ours* in who wins is the best metric that reads the model; the best that reads none (length, copying, "
        "words and characters) stands beside it as a floor. [meta.md](meta.md) says what the levels and coefficients "
        f"are. Made by `nlgauge reproduce results` (nlgauge {__version__}): [reproduce.md](reproduce.md).",
        "",
        f"In brackets: 95 % of {replicates:,} resamples of items and systems (ASSET: of items). *Clearly* means that "
        "the published number, which is printed without an interval, lies outside ours. The best of a column was "
        "picked on these very rows, as were most published ones; differences of .02 are noise.",
        "",
    ]
    if absent:
        lines += [f"Not here: {', '.join(absent)}, whose data were not at hand.", ""]
    lines += _winners([one for one in measured if one.finished and one.verdicts])
    for one in measured:
        lines += _section(one)
    return "\n".join(lines).rstrip() + "\n"


def _unfinished(one: Measured) -> str:
    """Which metrics of a suite have not scored all rows."""
    counts: dict[int, set[str]] = {}
    for name, rows in one.partial.items():
        counts.setdefault(rows, set()).add(one.suite.spec_of(name))
    parts = [f"{len(specs)} only {rows:,}" for rows, specs in sorted(counts.items(), reverse=True)]
    parts += [f"{len(one.waiting)} none"] * bool(one.waiting)
    total = len({one.suite.spec_of(name) for name in one.values} | set(one.waiting))
    done = total - len(one.waiting) - sum(map(len, counts.values()))
    return f"- {one.suite.title}: of {total} metrics {done} have scored all {one.rows:,} rows, {', '.join(parts)}"


def _winners(measured: Sequence[Measured]) -> list[str]:
    if not measured:
        return []
    lines = [
        "## Who wins", "", "Columns (an aspect at a level) that have a published number:", "",
        "| data | columns | clearly ahead | ahead | behind | clearly behind |", "|---|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    counts = [(one.suite.title, _counts(one.verdicts)) for one in measured]
    counts.append(("**all**", tuple(sum(column) for column in zip(*(kinds for _, kinds in counts), strict=True))))
    lines += [f"| {title} | {sum(kinds)} | " + " | ".join(map(str, kinds)) + " |" for title, kinds in counts]
    verdicts = [verdict for one in measured for verdict in one.verdicts]
    behind = sorted((one for one in verdicts if not one.ahead), key=lambda one: one.ours.value - one.published.value)
    for heading, verdicts in (
        ("**Where we clearly lose**, the widest gap first:", [one for one in behind if one.clear]),
        ("Behind, but within the interval:", [one for one in behind if not one.clear]),
    ):
        if verdicts:
            lines += ["", heading, "", *(f"- {_losing(verdict)}" for verdict in verdicts)]
    return [*lines, ""]


def _counts(verdicts: Sequence[Verdict]) -> tuple[int, ...]:
    kinds = [(verdict.ahead, verdict.clear) for verdict in verdicts]
    return tuple(kinds.count(kind) for kind in ((True, True), (True, False), (False, False), (False, True)))


def _losing(verdict: Verdict) -> str:
    aspect, level, coefficient = verdict.key
    where = f"{verdict.suite.title}, {aspect.replace('_', ' ')} ({level}, {coefficient})"
    ours, published = verdict.ours, verdict.published
    return f"{where}: {short(ours.value)} (`{verdict.metric}`) against {short(published.value)} ({published.row})"


def _section(one: Measured) -> list[str]:
    suite = one.suite
    apart = {spec for group in suite.groups if group.without for spec in group.metrics}
    lines = [
        f"## {suite.title}{'' if one.finished else ' (not finished)'}",
        "",
        f"{one.rows:,} rows: {one.items} items, {one.systems} systems.",
        *suite.notes,
        "",
    ]
    for group in suite.groups:
        if group.without and any(spec in one.values for spec in group.metrics):
            lines += [f"‡ Without {', '.join(group.without)}.", ""]
    if one.verdicts:
        lines += [
            "| aspect | level, coefficient | best published | | ours | | ours is | best without a model | |",
            "|---|---|---|---:|---|---:|---|---|---:|",
            *(_line(verdict, apart) for verdict in one.verdicts),
            "",
        ]
    for level, coefficient in suite.measured:
        lines += _table(one, level, coefficient, apart)
    grouped: dict[str, list[str]] = {}
    for spec, reason in one.reasons.items():
        grouped.setdefault(reason.partition(";")[0], []).append(spec)
    for reason, specs in grouped.items():
        lines += [f"No number: {', '.join(f'`{spec}`' for spec in specs)}: {reason}.", ""]
    return lines


def _table(one: Measured, level: str, coefficient: str, apart: Collection[str]) -> list[str]:
    """Every metric that has a number at a level, by aspect; those that read the model first."""
    aspects = one.suite.aspects
    keys = [(aspect, level, coefficient) for aspect in aspects]
    shown = [name for name in one.values if any(name in one.of(key) for key in keys)]
    if not shown:
        return []
    heads = " | ".join(aspect.replace("_", " ") for aspect in aspects)
    lines = [f"| {level}, {coefficient} | {heads} |", "|---" + "|---:" * len(keys) + "|"]
    leaders = {key: _leader(one, key) for key in keys}
    for name in sorted(shown, key=lambda name: name not in one.reading):
        cells = [_cell(one.of(key).get(name), leaders[key] == name) for key in keys]
        rows = f", {one.partial[name]:,} of {one.rows:,} rows" if name in one.partial else ""
        lines.append(f"| {_marked(name, one.suite, apart)}{rows} | " + " | ".join(cells) + " |")
    tops = [best(one.suite.sources[0].file, *key) for key in keys]
    if any(tops):
        named = [f"{short(top.value)} {top.row} ({top.table.name})" if top else "-" for top in tops]
        lines.append("| best published | " + " | ".join(named) + " |")
    return [*lines, ""]


def _leader(one: Measured, key: Key) -> str | None:
    """The metric of the largest value among those that scored all rows."""
    whole = {name: agreed.value for name, agreed in one.of(key).items() if name not in one.partial}
    return max(whole, key=lambda name: whole[name], default=None)


def _cell(agreed: Agreement | None, leads: bool) -> str:
    if agreed is None:
        return "-"
    return f"**{with_interval(agreed)}**" if leads else with_interval(agreed)


def _marked(name: str, suite: Suite, apart: Collection[str]) -> str:
    return f"`{name}`" + " ‡" * (suite.spec_of(name) in apart)


def _line(verdict: Verdict, apart: Collection[str]) -> str:
    aspect, level, coefficient = verdict.key
    published = verdict.published
    floor, height = verdict.floor or ("", math.nan)
    cells = [
        aspect.replace("_", " "), f"{level}, {coefficient}", f"{published.row} ({published.table.name})",
        short(published.value), _marked(verdict.metric, verdict.suite, apart), with_interval(verdict.ours),
        str(verdict), _marked(floor, verdict.suite, apart) if floor else "-",
        "-" if math.isnan(height) else short(height),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"

"""The results page in Markdown: who wins, and every metric of ours beside the best published number."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from nlgauge._version import __version__
from nlgauge_lab.reproduce.markdown import beside, ranged, render, short, table
from nlgauge_lab.reproduce.measuring import Key, Measured, Verdict
from nlgauge_lab.reproduce.published import best
from nlgauge_lab.reproduce.suites import Suite

NOISE = 0.02
"""A difference that says nothing"""
_KINDS = ("clearly ahead", "ahead", "behind", "clearly behind")


def label(measured: Sequence[Measured]) -> str:
    """The model that some suites were measured on, with the beginning of its digest."""
    return ", ".join(dict.fromkeys(name for one in measured for name in one.models)) or "no model"


def counted(measured: Sequence[Measured]) -> list[Measured]:
    """The suites that take part in who wins."""
    return [one for one in measured if one.finished and one.verdicts]


def standing(by_model: Sequence[Sequence[Measured]]) -> list[str]:
    """A line a data set: in how many of its published columns the best of each model is ahead, and the best of none.

    Empty where nothing is counted.
    """
    names = [label(measured).partition("@")[0] for measured in by_model]
    ahead: dict[str, list[int | None]] = {}
    columns: dict[str, dict[Key, Verdict]] = {}
    printed: dict[str, bool] = {}
    for number, measured in enumerate(by_model):
        for one in counted(measured):
            cells = ahead.setdefault(one.suite.title, [None] * len(by_model))
            cells[number] = sum(verdict.ahead for verdict in one.verdicts)
            printed[one.suite.title] = one.suite.printed
            columns.setdefault(one.suite.title, {}).update({verdict.key: verdict for verdict in one.verdicts})
    if not columns:
        return []
    rows: dict[str, list[int | None]] = {}
    for title, found in columns.items():
        floors = [one.floor is not None and one.floor[1] > one.published.value for one in found.values()]
        rows[title] = [len(found), *ahead[title], sum(floors)]
    heads = ["rated data", "published columns", *(f"{name} ahead" for name in names), "no model ahead"]
    return table(heads, "lr" + "r" * (len(names) + 1), _with_total(rows, printed))


def _with_total(rows: Mapping[str, Sequence[int | None]], printed: Mapping[str, bool]) -> list[list[object]]:
    """The rows of data sets whose numbers papers print, their total, and the other ones below it."""
    known = [row for title, row in rows.items() if printed[title]]
    total = [sum(cell or 0 for cell in column) for column in zip(*known, strict=True)]
    lines: dict[bool, list[list[object]]] = {True: [], False: []}
    for title, row in rows.items():
        lines[printed[title]].append([title, *("-" if cell is None else cell for cell in row)])
    lines[True] += [["**all in print**", *(f"**{number}**" for number in total)]] * bool(known)
    return lines[True] + lines[False]


def short_tables(by_model: Sequence[Sequence[Measured]]) -> list[str]:
    """Counts by model, and below them every published column."""
    if not any(map(counted, by_model)):
        return []
    rows = []
    for measured in by_model:
        verdicts = [verdict for one in counted(measured) if one.suite.printed for verdict in one.verdicts]
        level = sum(abs(one.ours.value - one.published.value) <= NOISE + 1e-9 for one in verdicts)
        rows.append([label(measured), len(verdicts), *counts(verdicts), level])
    heads = ["model", "columns in print", *_KINDS, "of all within .02"]
    return [*table(heads, "lrrrrrr", rows), "", *_columns(by_model)]


def _columns(by_model: Sequence[Sequence[Measured]]) -> list[str]:
    """A line a column; ours is bold where it is ahead."""
    names = [label(measured).partition("@")[0] for measured in by_model]
    found: dict[tuple[str, Key], list[Verdict | None]] = {}
    for number, measured in enumerate(by_model):
        for one in counted(measured):
            for verdict in one.verdicts:
                line = found.setdefault((one.suite.title, verdict.key), [None] * len(by_model))
                line[number] = verdict
    rows = []
    for (title, (aspect, level, coefficient)), verdicts in found.items():
        known = next(of_model for of_model in verdicts if of_model is not None)
        cells = [f"{title}: {aspect.replace('_', ' ')}", f"{level}, {coefficient}", short(known.published.value)]
        for of_model in verdicts:
            ours = "-" if of_model is None else short(of_model.ours.value)
            cells.append(f"**{ours}**" if of_model is not None and of_model.ahead else ours)
        rows.append([*cells, "-" if known.floor is None else short(known.floor[1])])
    heads = ["rated", "level, coefficient", "best published", *names, "best without a model"]
    return table(heads, "llr" + "r" * (len(names) + 1), rows)


def winners(by_model: Sequence[Sequence[Measured]]) -> list[str]:
    """The part of the results page about who wins."""
    if not any(map(counted, by_model)):
        return []
    lines = ["## Who wins", "", *standing(by_model), "", *short_tables(by_model), ""]
    for measured in by_model:
        if counted(measured):
            heading = f", on {label(measured)}" if len(by_model) > 1 else ""
            lines += [f"### Columns by data{heading}", "", *_by_data(counted(measured))]
    return lines


def _by_data(measured: Sequence[Measured]) -> list[str]:
    rows = {one.suite.title: [len(one.verdicts), *counts(one.verdicts)] for one in measured}
    lines = ["Columns (an aspect at a level) that have a published number:", ""]
    cells = _with_total(rows, {one.suite.title: one.suite.printed for one in measured})
    lines += table(["data", "columns", *_KINDS], "lrrrrr", cells)
    verdicts = [verdict for one in measured for verdict in one.verdicts]
    behind = sorted((one for one in verdicts if not one.ahead), key=lambda one: one.ours.value - one.published.value)
    for heading, verdicts in (
        ("**Where we clearly lose**, the widest gap first:", [one for one in behind if one.clear]),
        ("Behind, but within the interval:", [one for one in behind if not one.clear]),
    ):
        if verdicts:
            lines += ["", heading, "", *(f"- {_losing(verdict)}" for verdict in verdicts)]
    return [*lines, ""]


def counts(verdicts: Sequence[Verdict]) -> tuple[int, ...]:
    """How many columns are clearly ahead, ahead, behind, clearly behind."""
    kinds = [(verdict.ahead, verdict.clear) for verdict in verdicts]
    return tuple(kinds.count(kind) for kind in ((True, True), (True, False), (False, False), (False, True)))


def _losing(verdict: Verdict) -> str:
    aspect, level, coefficient = verdict.key
    where = f"{verdict.suite.title}, {aspect.replace('_', ' ')} ({level}, {coefficient})"
    ours, published = verdict.ours, verdict.published
    return f"{where}: {short(ours.value)} (`{verdict.metric}`) against {short(published.value)} ({published.row})"


def page(by_model: Sequence[Sequence[Measured]], absent: Sequence[str], limit: int | None, replicates: int) -> str:
    """The results page in Markdown, of the same suites by each model."""
    unfinished = []
    for suites in by_model:
        on = f" (on {label(suites)})" if len(by_model) > 1 else ""
        unfinished += [_unfinished(one, on) for one in suites if not one.finished]
    return render(
        "results.md",
        limit=limit,
        unfinished=unfinished,
        models=label([one for suites in by_model for one in suites]),
        version=__version__,
        replicates=replicates,
        absent=absent,
        winners=winners(by_model),
        sections=[_section(ones) for ones in zip(*by_model, strict=True)],
    )


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


def _section(ones: Sequence[Measured]) -> tuple[object, ...]:
    """What the template says of a suite, by each model."""
    one, suite = ones[0], ones[0].suite
    apart = {spec for group in suite.groups if group.without for spec in group.metrics}
    shown = [group.without for group in suite.groups if group.without and any(s in one.values for s in group.metrics)]
    finished = all(one.finished for one in ones)
    tables = [
        beside(f"{suite.name}-{level}-{coefficient}", _table(ones, level, coefficient, apart))
        for level, coefficient in suite.measured
    ]
    return one, finished, shown, _verdicts(ones, apart), tables, _lacking(ones)


def _verdicts(ones: Sequence[Measured], apart: Collection[str]) -> list[str]:
    """A line a column that has a published number and ours."""
    verdicts = [(found, verdict) for key in ones[0].keys for found in ones if (verdict := found.verdict(key))]
    if not verdicts:
        return []
    model = ["model"] * (len(ones) > 1)
    heads = ["aspect", "level, coefficient", "best published", "", *model, "ours", "", "ours is"]
    rows = [_line(verdict, apart, [label([found])] if model else []) for found, verdict in verdicts]
    align = "lllr" + "l" * len(model) + "lrllr"
    return table([*heads, "best without a model", ""], align, rows)


def _lacking(ones: Sequence[Measured]) -> dict[tuple[str, str], list[str]]:
    """The metrics without a number, by the models that this is of and by the reason."""
    lacking: dict[tuple[str, str], list[Measured]] = {}
    for found in ones:
        for spec, reason in found.reasons.items():
            lacking.setdefault((spec, reason), []).append(found)
    grouped: dict[tuple[str, str], list[str]] = {}
    for (spec, reason), which in lacking.items():
        on = "" if len(which) == len(ones) else f" on {label(which)}"
        grouped.setdefault((on, reason.partition(";")[0]), []).append(f"`{spec}`")
    return grouped


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
    # What has not scored all rows is not the best.
    whole = {
        key: [agreed.value for one in ones for name, agreed in one.of(key).items() if name not in one.partial]
        for key in keys
    }
    tops = {key: max(values, default=math.nan) for key, values in whole.items()}
    for one, name, on in shown:
        cells = []
        for key in keys:
            agreed = one.of(key).get(name)
            cell = "-" if agreed is None else ranged(agreed.value, agreed.low, agreed.high)
            best_of_all = agreed is not None and agreed.value == tops[key] and name not in one.partial
            cells.append(f"**{cell}**" if best_of_all else cell)
        scored = f", {one.partial[name]:,} of {one.rows:,} rows" if name in one.partial else ""
        rows.append([f"{_marked(name, suite, apart)}{on}{scored}", *cells])
    published = [best(suite.sources[0].file, *key) for key in keys]
    if any(published):
        named = [f"{short(top.value)} {top.row} ({top.table.name})" if top else "-" for top in published]
        rows.append(["best published", *named])
    heads = [f"{level}, {coefficient}", *(aspect.replace("_", " ") for aspect in suite.aspects)]
    return table(heads, "l" + "r" * len(keys), rows)


def _marked(name: str, suite: Suite, apart: Collection[str]) -> str:
    return f"`{name}`" + " ‡" * (suite.spec_of(name) in apart)


def _line(verdict: Verdict, apart: Collection[str], model: Sequence[str]) -> list[str]:
    aspect, level, coefficient = verdict.key
    published = verdict.published
    floor, height = verdict.floor or ("", math.nan)
    return [
        aspect.replace("_", " "), f"{level}, {coefficient}", f"{published.row} ({published.table.name})",
        short(published.value), *model,
        _marked(verdict.metric, verdict.suite, apart), ranged(verdict.ours.value, verdict.ours.low, verdict.ours.high),
        str(verdict), _marked(floor, verdict.suite, apart) if floor else "-",
        short(height),
    ]  # fmt: skip

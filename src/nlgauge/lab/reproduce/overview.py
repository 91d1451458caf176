"""Who wins, over all published columns: counts by model, what is lost, and every column in a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nlgauge.lab.reproduce.markdown import short, table
from nlgauge.lab.reproduce.measuring import Key, Measured, Verdict

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
    rows = {title: [len(found), *ahead[title], _floors_ahead(found.values())] for title, found in columns.items()}
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


def _floors_ahead(verdicts: Iterable[Verdict]) -> int:
    return sum(one.floor is not None and one.floor[1] > one.published.value for one in verdicts)


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
        known = next(verdict for verdict in verdicts if verdict is not None)
        cells = [f"{title}: {aspect.replace('_', ' ')}", f"{level}, {coefficient}", short(known.published.value)]
        cells += [_ours(verdict) for verdict in verdicts]
        rows.append([*cells, "-" if known.floor is None else short(known.floor[1])])
    heads = ["rated", "level, coefficient", "best published", *names, "best without a model"]
    return table(heads, "llr" + "r" * (len(names) + 1), rows)


def _ours(verdict: Verdict | None) -> str:
    if verdict is None:
        return "-"
    return f"**{short(verdict.ours.value)}**" if verdict.ahead else short(verdict.ours.value)


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

"""The results page in Markdown: every metric of ours on the rated data, the best published number beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from nlgauge._version import __version__
from nlgauge.lab.reproduce.markdown import ranged, render, short, table
from nlgauge.lab.reproduce.measuring import Measured, Verdict
from nlgauge.lab.reproduce.overview import label, winners
from nlgauge.lab.reproduce.published import best
from nlgauge.lab.reproduce.suites import Suite
from nlgauge.meta.agreement import Agreement


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
    tables = [_table(ones, level, coefficient, apart) for level, coefficient in suite.measured]
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
        cells = [_cell(one.of(key).get(name), tops[key], name in one.partial) for key in keys]
        scored = f", {one.partial[name]:,} of {one.rows:,} rows" if name in one.partial else ""
        rows.append([f"{_marked(name, suite, apart)}{on}{scored}", *cells])
    published = [best(suite.sources[0].file, *key) for key in keys]
    if any(published):
        named = [f"{short(top.value)} {top.row} ({top.table.name})" if top else "-" for top in published]
        rows.append(["best published", *named])
    heads = [f"{level}, {coefficient}", *(aspect.replace("_", " ") for aspect in suite.aspects)]
    return table(heads, "l" + "r" * len(keys), rows)


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

"""The results page: every metric of ours on the rated data, the best published number beside it, and who wins."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, SpecError
from nlgauge.meta.agreement import Agreement, correlate
from nlgauge.metrics.base import Metric, ModelMetric
from nlgauge.reproduce.published import Best, best
from nlgauge.reproduce.rated import VIEWS, Data
from nlgauge.reproduce.rebuild import without
from nlgauge.reproduce.scores import NOT_SCORED, Store, refusal
from nlgauge.reproduce.suites import SUITES, Suite
from nlgauge.table import Column, ScoreTable

Key = tuple[str, str, str]
"""(aspect, level, coefficient)"""


@dataclass(frozen=True)
class Verdict:
    """The best of our metrics that read the model against the best published number, of one column."""

    suite: Suite
    key: Key
    metric: str
    """As the suite names it"""
    ours: Agreement
    published: Best
    floor: tuple[str, float] | None
    """The best of ours that read no model"""

    @property
    def ahead(self) -> bool:
        """Ours is the larger one."""
        return self.ours.value > self.published.value

    @property
    def clear(self) -> bool:
        """The published number lies outside the interval of ours."""
        return self.published.value < self.ours.low or self.published.value > self.ours.high

    def __str__(self) -> str:
        word = "ahead" if self.ahead else "behind"
        gap = _short(abs(self.ours.value - self.published.value))
        return f"clearly {word} by {gap}" if self.clear else f"{word} by {gap}"


@dataclass(frozen=True)
class Measured:
    """A suite with its numbers."""

    suite: Suite
    rows: int
    items: int
    systems: int
    values: dict[str, dict[Key, Agreement]]
    """By the name of a row: a metric, with its part where that is not the first"""
    reasons: dict[str, str]
    """By metric: why there is no number at all"""
    models: list[str]
    reading: frozenset[str]
    """The metrics that read the model"""
    partial: dict[str, int]
    """By row's name: rows that are scored, where some are not; their numbers take no part in who wins"""

    def of(self, key: Key) -> dict[str, Agreement]:
        """The metrics that have a number in a column."""
        found = {spec: own[key] for spec, own in self.values.items() if key in own}
        return {spec: one for spec, one in found.items() if not math.isnan(one.value)}

    def verdict(self, key: Key) -> Verdict | None:
        """None where nothing is published, or nothing is ours."""
        published, found = best(self.suite.sources[0].file, *key), self.of(key)
        if published is None or not found:
            return None
        whole = {spec: one for spec, one in found.items() if spec not in self.partial}
        ours = self.leader(whole, True)
        if ours is None:
            return None
        floor = self.leader(whole, False)
        height = None if floor is None else (floor, whole[floor].value)
        return Verdict(self.suite, key, ours, whole[ours], published, height)

    def leader(self, found: Mapping[str, Agreement], reading: bool) -> str | None:
        """The metric of the largest value, among those that read the model or those that do not."""
        some = [spec for spec in found if (spec in self.reading) == reading]
        return max(some, key=lambda spec: found[spec].value, default=None)

    @property
    def waiting(self) -> list[str]:
        """The metrics that have scored no row yet."""
        return [spec for spec, reason in self.reasons.items() if reason == NOT_SCORED]

    @property
    def finished(self) -> bool:
        """Whether every metric that can be had has scored all rows."""
        return not self.partial and not self.waiting

    @property
    def verdicts(self) -> list[Verdict]:
        """Of all columns that have one."""
        return [verdict for key in _keys(self.suite) if (verdict := self.verdict(key)) is not None]


def measure(
    data: Data, store: Store, model: str | None = None, metrics: Sequence[str] = (), replicates: int = 1000,
    suites: Sequence[Suite] | None = None, kept: bool = False,
) -> tuple[list[Measured], list[str]]:  # fmt: skip
    """Score and correlate the suites (all of `suites.py` by default) whose data are there; and what is not there.

    kept: score nothing, take what the store has.

    Raises InputError where none is, SpecError where `metrics` (names or specs) name what no suite has.
    """
    wanted = SUITES if suites is None else suites
    here = [suite for suite in wanted if not data.missing([source.file for source in suite.sources])]
    absent = [suite.sources[0].file for suite in wanted if suite not in here]
    if not here:
        remedy = f"put {', '.join(absent)} there, each as .jsonl or .jsonl.gz: see docs/reproduce.md"
        raise InputError("none of the rated data is there", file=data.folder, remedy=remedy)
    plans = {suite.name: _plan(suite, model, metrics) for suite in here}
    met = {name for plan, _ in plans.values() for found in plan.values() for name in (type(found).__name__, str(found))}
    asked = {spec for suite in here for group in suite.groups for spec in group.metrics}
    if unused := [name for name in metrics if name not in met | asked]:
        known = sorted({spec.partition("(")[0] for spec in asked})
        raise SpecError(f"--metrics {unused[0]}: no suite has it; there are {', '.join(known)}")
    if not kept:
        store.fill([(_corpus(suite, data), suite.name, list(plans[suite.name][0].values())) for suite in here])
    return [_measured(suite, data, store, *plans[suite.name], replicates) for suite in here], absent


def _plan(suite: Suite, model: str | None, only: Sequence[str]) -> tuple[dict[str, Metric], dict[str, str]]:
    """(metrics by the spec that the suite gives, why others cannot be had)."""
    found: dict[str, Metric] = {}
    reasons: dict[str, str] = {}
    for group in suite.groups:
        for spec in group.metrics:
            if only and not {spec, spec.partition("(")[0]}.intersection(only):
                continue
            try:
                found[spec] = registry.metric(spec, model=model, **suite.defaults)
            except SpecError as error:
                reasons[spec] = refusal(error)
    return found, reasons


def _corpus(suite: Suite, data: Data) -> Corpus:
    return VIEWS[suite.view].of(data.corpus(suite.sources))[0]


def _keys(suite: Suite) -> list[Key]:
    return [(aspect, *how) for how in suite.measured for aspect in suite.aspects]


def _measured(
    suite: Suite, data: Data, store: Store, metrics: dict[str, Metric], reasons: dict[str, str], replicates: int
) -> Measured:
    corpus = _corpus(suite, data)
    reasons = {**reasons}
    values: dict[str, dict[Key, Agreement]] = {}
    models: dict[str, None] = {}
    partial: dict[str, int] = {}
    reading: set[str] = set()
    for group in suite.groups:
        together: dict[str, tuple[Corpus, dict[str, str]]] = {}
        for spec in group.metrics:
            if spec not in metrics:
                continue
            rows = store.reach(corpus, metrics[spec])
            if not len(rows):
                reasons[spec] = store.why(corpus, metrics[spec])
                continue
            together.setdefault(rows.digest, (rows, {}))[1][str(metrics[spec])] = spec
        for rows, chosen in together.values():
            table = store.table(rows, [metrics[spec] for spec in chosen.values()])
            for signature in table.signatures.values():
                models[signature.partition("|model:")[2].partition("|")[0]] = None
            kept = without(table, group.without)
            # An interval is drawn for the parts that are reported, no others.
            reported = ScoreTable(kept.rows, {}, {})
            names: dict[str, str] = {}
            for canonical, column in kept.columns.items():
                spec = chosen[canonical]
                for part in [column.parts[0], *(part for part in column.parts[1:] if part in suite.parts)]:
                    name = spec if part == column.parts[0] else f"{spec} {part}"
                    reported.columns[name] = _part_of(column, part)
                    names[name] = spec
            reading |= {name for name, spec in names.items() if isinstance(metrics[spec], ModelMetric)}
            partial |= {name: len(rows) for name in names if len(rows) < len(corpus)}
            for level, coefficient in suite.measured:
                found = correlate(
                    reported, data.corpus(suite.sources), level=level, coefficient=coefficient, aspects=suite.aspects,
                    resample=suite.resample, replicates=replicates,
                )  # fmt: skip
                for one in found:
                    values.setdefault(one.metric, {})[one.aspect, level, coefficient] = one
    for spec, own in values.items():
        if all(math.isnan(one.value) for one in own.values()):
            reasons[spec] = next(one.reason for one in own.values()) or "no value"
    items = len({row.item for row in corpus})
    place = {spec: n for n, spec in enumerate(spec for group in suite.groups for spec in group.metrics)}
    ordered = {name: values[name] for name in sorted(values, key=lambda name: place[_spec(name, suite)])}
    return Measured(
        suite, len(corpus), items, len(corpus.systems), ordered, reasons, [name for name in models if name],
        frozenset(reading), partial,
    )  # fmt: skip


def _part_of(column: Column, part: str) -> Column:
    values = column.values[:, [column.parts.index(part)]]
    return Column((part,), values, higher_is_better=column.higher_is_better, level=column.level)


def _spec(name: str, suite: Suite) -> str:
    """The metric of a row's name."""
    return next((name.removesuffix(f" {part}") for part in suite.parts if name.endswith(f" {part}")), name)


# ---- The page


def page(found: Sequence[Measured], absent: Sequence[str], limit: int | None, replicates: int) -> str:
    """The results page in Markdown."""
    models = ", ".join(dict.fromkeys(name for one in found for name in one.models))
    lines = ["# Agreement with people, beside the best published numbers", ""]
    if limit is not None:
        lines += [f"**Only the first {limit} items of each data set: these are not the results.**", ""]
    if unfinished := [one for one in found if not one.finished]:
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
    lines += _winners([one for one in found if one.finished and one.verdicts])
    for one in found:
        lines += _part(one)
    return "\n".join(lines).rstrip() + "\n"


def _unfinished(one: Measured) -> str:
    """Which metrics of a suite have not scored all rows."""
    counts: dict[int, set[str]] = {}
    for name, rows in one.partial.items():
        counts.setdefault(rows, set()).add(_spec(name, one.suite))
    parts = [f"{len(specs)} only {rows:,}" for rows, specs in sorted(counts.items(), reverse=True)]
    parts += [f"{len(one.waiting)} none"] * bool(one.waiting)
    total = len({_spec(name, one.suite) for name in one.values} | set(one.waiting))
    done = total - len(one.waiting) - sum(map(len, counts.values()))
    return f"- {one.suite.title}: of {total} metrics {done} have scored all {one.rows:,} rows, {', '.join(parts)}"


def _winners(found: Sequence[Measured]) -> list[str]:
    if not found:
        return []
    lines = [
        "## Who wins", "", "Columns (an aspect at a level) that have a published number:", "",
        "| data | columns | clearly ahead | ahead | behind | clearly behind |", "|---|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    counts = [(one.suite.title, _counts(one.verdicts)) for one in found]
    counts.append(("**all**", tuple(sum(column) for column in zip(*(own for _, own in counts), strict=True))))
    lines += [f"| {title} | {sum(own)} | " + " | ".join(map(str, own)) + " |" for title, own in counts]
    verdicts = [verdict for one in found for verdict in one.verdicts]
    behind = sorted((one for one in verdicts if not one.ahead), key=lambda one: one.ours.value - one.published.value)
    for heading, some in (
        ("**Where we clearly lose**, the widest gap first:", [one for one in behind if one.clear]),
        ("Behind, but within the interval:", [one for one in behind if not one.clear]),
    ):
        if some:
            lines += ["", heading, "", *(f"- {_losing(verdict)}" for verdict in some)]
    return [*lines, ""]


def _counts(verdicts: Sequence[Verdict]) -> tuple[int, ...]:
    kinds = [(verdict.ahead, verdict.clear) for verdict in verdicts]
    return tuple(kinds.count(kind) for kind in ((True, True), (True, False), (False, False), (False, True)))


def _losing(verdict: Verdict) -> str:
    aspect, level, coefficient = verdict.key
    where = f"{verdict.suite.title}, {aspect.replace('_', ' ')} ({level}, {coefficient})"
    ours, published = verdict.ours, verdict.published
    return f"{where}: {_short(ours.value)} (`{verdict.metric}`) against {_short(published.value)} ({published.row})"


def _part(one: Measured) -> list[str]:
    suite = one.suite
    lines = [
        f"## {suite.title}{'' if one.finished else ' (not finished)'}",
        "",
        f"{one.rows:,} rows: {one.items} items, {one.systems} systems.",
        *suite.notes,
        "",
    ]
    apart = {spec for group in suite.groups if group.without for spec in group.metrics}
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
        keys = [(aspect, level, coefficient) for aspect in suite.aspects]
        shown = [spec for spec in one.values if any(spec in one.of(key) for key in keys)]
        shown.sort(key=lambda spec: spec not in one.reading)
        if not shown:
            continue
        leaders: dict[Key, str] = {}
        for key in keys:
            if whole := {spec: found.value for spec, found in one.of(key).items() if spec not in one.partial}:
                leaders[key] = max(whole, key=lambda spec: whole[spec])
        heads = [aspect.replace("_", " ") for aspect in suite.aspects]
        lines += [f"| {level}, {coefficient} | " + " | ".join(heads) + " |", "|---" + "|---:" * len(keys) + "|"]
        for spec in shown:
            cells = []
            for key in keys:
                cell = _interval(one.of(key)[spec]) if spec in one.of(key) else "-"
                cells.append(f"**{cell}**" if leaders.get(key) == spec else cell)
            name = _marked(spec, suite, apart)
            if spec in one.partial:
                name += f", {one.partial[spec]:,} of {one.rows:,} rows"
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        tops = [best(suite.sources[0].file, *key) for key in keys]
        if any(tops):
            named = [f"{_short(top.value)} {top.row} ({top.table.name})" if top else "-" for top in tops]
            lines.append("| best published | " + " | ".join(named) + " |")
        lines.append("")
    grouped: dict[str, list[str]] = {}
    for spec, reason in one.reasons.items():
        grouped.setdefault(reason.partition(";")[0], []).append(spec)
    for reason, specs in grouped.items():
        lines += [f"No number: {', '.join(f'`{spec}`' for spec in specs)}: {reason}.", ""]
    return lines


def _marked(name: str, suite: Suite, apart: Collection[str]) -> str:
    return f"`{name}`" + " ‡" * (_spec(name, suite) in apart)


def _line(verdict: Verdict, apart: Collection[str]) -> str:
    aspect, level, coefficient = verdict.key
    published = verdict.published
    floor, height = verdict.floor or ("", math.nan)
    cells = [
        aspect.replace("_", " "), f"{level}, {coefficient}", f"{published.row} ({published.table.name})",
        _short(published.value), _marked(verdict.metric, verdict.suite, apart), _interval(verdict.ours), str(verdict),
        _marked(floor, verdict.suite, apart) if floor else "-", "-" if math.isnan(height) else _short(height),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _interval(one: Agreement) -> str:
    inside = "" if math.isnan(one.low) else f" [{_short(one.low, 2)}, {_short(one.high, 2)}]"
    return _short(one.value) + inside


def _short(value: float, digits: int = 3) -> str:
    text = f"{abs(value):.{digits}f}"
    return ("−" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)

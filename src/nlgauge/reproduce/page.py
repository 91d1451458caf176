"""The results page: every metric of ours on the rated data, the best published number beside it, and who wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, SpecError
from nlgauge.meta.agreement import Agreement, correlate
from nlgauge.metrics.base import Metric
from nlgauge.reproduce.published import Best, best
from nlgauge.reproduce.rated import VIEWS, Data
from nlgauge.reproduce.rebuild import without
from nlgauge.reproduce.scores import Store, refusal
from nlgauge.reproduce.suites import SUITES, Suite
from nlgauge.table import Column, ScoreTable

Key = tuple[str, str, str]
"""(aspect, level, coefficient)"""


@dataclass(frozen=True)
class Verdict:
    """Our best against the best published number, of one column."""

    suite: Suite
    key: Key
    metric: str
    """As the suite names it"""
    ours: Agreement
    published: Best

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
        return f"{word} by {gap}" + ("" if self.clear or math.isnan(self.ours.low) else ", within the interval")


@dataclass(frozen=True)
class Measured:
    """A suite with its numbers."""

    suite: Suite
    rows: int
    items: int
    systems: int
    values: dict[str, dict[Key, Agreement]]
    """By metric"""
    reasons: dict[str, str]
    """By metric: why there is no number at all"""
    models: list[str]

    def of(self, key: Key) -> dict[str, Agreement]:
        """The metrics that have a number in a column."""
        found = {spec: own[key] for spec, own in self.values.items() if key in own}
        return {spec: one for spec, one in found.items() if not math.isnan(one.value)}

    def verdict(self, key: Key) -> Verdict | None:
        """None where nothing is published, or nothing is ours."""
        published, found = best(self.suite.sources[0].file, *key), self.of(key)
        if published is None or not found:
            return None
        leader = max(found, key=lambda spec: found[spec].value)
        return Verdict(self.suite, key, leader, found[leader], published)

    @property
    def verdicts(self) -> list[Verdict]:
        """Of all columns that have one."""
        return [verdict for key in _keys(self.suite) if (verdict := self.verdict(key)) is not None]


def measure(
    data: Data, store: Store, model: str | None = None, metrics: Sequence[str] = (), replicates: int = 1000,
    suites: Sequence[Suite] | None = None,
) -> tuple[list[Measured], list[str]]:  # fmt: skip
    """Score and correlate the suites (all of `suites.py` by default) whose data are there; and what is not there.

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
    for group in suite.groups:
        chosen = {str(metrics[spec]): spec for spec in group.metrics if spec in metrics}
        table = store.table(corpus, [metrics[spec] for spec in chosen.values()])
        for canonical, spec in chosen.items():
            if canonical not in table.columns:
                reasons[spec] = store.why(corpus, metrics[spec])
        for signature in table.signatures.values():
            models[signature.partition("|model:")[2].partition("|")[0]] = None
        kept = without(table, group.without)
        if not kept.columns:
            continue
        for level, coefficient in suite.measured:
            # An interval is drawn for the part that is reported, no others.
            reported = ScoreTable(kept.rows, {spec: _first(column) for spec, column in kept.columns.items()}, {})
            found = correlate(
                reported, data.corpus(suite.sources), level=level, coefficient=coefficient, aspects=suite.aspects,
                resample=suite.resample, replicates=replicates,
            )  # fmt: skip
            for one in found:
                values.setdefault(chosen[one.metric], {})[one.aspect, level, coefficient] = one
    for spec, own in values.items():
        if all(math.isnan(one.value) for one in own.values()):
            reasons[spec] = next(one.reason for one in own.values()) or "no value"
    items = len({row.item for row in corpus})
    return Measured(suite, len(corpus), items, len(corpus.systems), values, reasons, [name for name in models if name])


def _first(column: Column) -> Column:
    values = column.values[:, :1]
    return Column(column.parts[:1], values, higher_is_better=column.higher_is_better, level=column.level)


# ---- The page


def page(found: Sequence[Measured], absent: Sequence[str], limit: int | None, replicates: int) -> str:
    """The results page in Markdown."""
    verdicts = [verdict for one in found for verdict in one.verdicts]
    behind = [verdict for verdict in verdicts if not verdict.ahead]
    ahead = [verdict for verdict in verdicts if verdict.ahead]
    models = ", ".join(dict.fromkeys(name for one in found for name in one.models))
    lines = [
        "# Agreement with people, beside the best published numbers",
        "",
        f"Made by `nlgauge reproduce results` (nlgauge {__version__}, {models or 'no model'}). Every metric of ours "
        "that applies, on rated data that are public, by the protocol of the papers; the best number that the papers "
        "print for the same ratings beside it, whichever metric and checkpoint it is of. Ours is what nlgauge "
        "computes, the metrics on words and characters included. What each level asks is in "
        "[meta.md](meta.md), how to make this page in [reproduce.md](reproduce.md).",
        "",
        f"In brackets the middle 95 % of {replicates:,} resamples of items and systems. The best of ours in a column "
        "was picked on these very rows, and so were most of the published ones; differences of .02 are noise.",
        "",
    ]
    if limit is not None:
        lines += [f"**Only the first {limit} items of each data set: these are not the results.**", ""]
    if absent:
        lines += [f"Not here: {', '.join(absent)}, whose data were not at hand.", ""]
    if verdicts:
        lines += ["## Who wins", ""]
        lines += [
            f"Of {len(verdicts)} columns with a published number ours is behind in {len(behind)}, clearly so (the "
            f"published number lies above the interval of ours) in {sum(one.clear for one in behind)}, and ahead in "
            f"{len(ahead)}, clearly in {sum(one.clear for one in ahead)}.",
            "",
            "| data | aspect | level, coefficient | our best | | best published | | ours is |",
            "|---|---|---|---|---|---|---|---|",
        ]
        lines += [_line(verdict) for verdict in verdicts]
        lines += ["", "**Where we lose**, the widest gap first:", ""] if behind else [""]
        for verdict in sorted(behind, key=lambda one: one.ours.value - one.published.value):
            lines.append(f"- {_losing(verdict)}")
        lines += [""] * bool(behind)
    for one in found:
        lines += _part(one)
    return "\n".join(lines).rstrip() + "\n"


def _line(verdict: Verdict) -> str:
    aspect, level, coefficient = verdict.key
    ours, published = verdict.ours, verdict.published
    cells = [
        verdict.suite.title, aspect.replace("_", " "), f"{level}, {coefficient}", f"`{verdict.metric}`",
        _interval(ours), f"{published.row} ({published.table.name})", _short(published.value), str(verdict),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _losing(verdict: Verdict) -> str:
    aspect, level, coefficient = verdict.key
    where = f"{verdict.suite.title}, {aspect.replace('_', ' ')} ({level}, {coefficient})"
    ours, published = verdict.ours, verdict.published
    numbers = f"{_short(ours.value)} (`{verdict.metric}`) against {_short(published.value)} ({published.row})"
    return f"{where}: {numbers}, {verdict}"


def _part(one: Measured) -> list[str]:
    suite = one.suite
    lines = [f"## {suite.title}", "", f"{one.rows:,} rows: {one.items} items, {one.systems} systems.", *suite.notes, ""]
    left = [(group.metrics, group.without) for group in suite.groups if group.without]
    for metrics, systems in left:
        names = [spec for spec in metrics if spec in one.values]
        if names:
            lines += [f"Without {', '.join(systems)}: {', '.join(f'`{spec}`' for spec in names)}.", ""]
    for level, coefficient in suite.measured:
        keys = [(aspect, level, coefficient) for aspect in suite.aspects]
        shown = [spec for spec, own in one.values.items() if any(spec in one.of(key) for key in keys)]
        if not shown:
            continue
        leaders = {key: max(own, key=lambda spec: own[spec].value) for key in keys if (own := one.of(key))}
        heads = [aspect.replace("_", " ") for aspect in suite.aspects]
        lines += [f"| {level}, {coefficient} | " + " | ".join(heads) + " |", "|---" * (len(keys) + 1) + "|"]
        for spec in shown:
            cells = []
            for key in keys:
                cell = _interval(one.of(key)[spec]) if spec in one.of(key) else "-"
                cells.append(f"**{cell}**" if leaders.get(key) == spec else cell)
            lines.append(f"| `{spec}` | " + " | ".join(cells) + " |")
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


def _interval(one: Agreement) -> str:
    inside = "" if math.isnan(one.low) else f" [{_short(one.low, 2)}, {_short(one.high, 2)}]"
    return _short(one.value) + inside


def _short(value: float, digits: int = 3) -> str:
    text = f"{abs(value):.{digits}f}"
    return ("−" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)

"""The detection page in Markdown: what is found of what people marked as unsupported, published figures beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nlgauge._version import __version__
from nlgauge.lab.reproduce.detecting import METRICS, Found, Tried
from nlgauge.lab.reproduce.labelled_sets import LABELLED_SETS, WHOLE_TEST_PART, LabelledSet, Others
from nlgauge.lab.reproduce.numbers import short
from nlgauge.lab.reproduce.specs import metric_of
from nlgauge.metrics.base import model_of

_SETS = {one.name: one for one in LABELLED_SETS}
_STRINGS = frozenset(spec for spec in METRICS if model_of(metric_of(spec, None, {})) is None)


def page(
    tried: Sequence[Tried], absent: Sequence[str], limit: int | None, replicates: int, more: Sequence[str] = ()
) -> str:
    """The detection page in Markdown; more: lines at its end."""
    lines = ["# Detecting hallucinations: what the source does not support", ""]
    if limit is not None:
        lines += [f"**Only the first {limit} rows of each set: these are not the results.**", ""]
    lines += [
        "People marked texts and words that their source does not support (hallucinations). This page says how well "
        "metrics of faithfulness find them, on sets that none of our models was trained or chosen on.",
        "",
        "- *Area* is the area under the curve of hits against false alarms, of texts; .5 is chance. In brackets: 95 % "
        f"of {replicates:,} resamples of the sources.",
        "- *F1* is of unsupported texts or words. It is given at the threshold that ships, where one does. *Best F1* "
        "has a threshold that was picked on these same rows. The baseline is to flag every text.",
        "- *Rows/s* was measured in this run on its machine, each metric alone, in float32, without what the cache "
        "saves.",
        "",
        "The first table has the best metric and part by each model. String metrics are the baseline; they use no "
        f"model. Made by `nlgauge reproduce detection` (nlgauge {__version__}): [reproduce.md](reproduce.md).",
        "",
    ]
    if absent:
        lines += [f"Not here: {', '.join(absent)}, whose data were not at hand.", ""]
    lines += [*short_table(tried), ""]
    for one in tried:
        lines += _section(one)
    lines += more
    return "\n".join(lines).rstrip() + "\n"


def short_table(tried: Sequence[Tried]) -> list[str]:
    """A line a set: the best part by each model, the best of strings, and the best that is published."""
    models = list(dict.fromkeys(found.model for one in tried for found in one.found if found.model))
    heads = [*(f"{name.partition('@')[0]}: best area" for name in models), "strings: best area"]
    heads += [
        *(f"{name.partition('@')[0]}: best F1" for name in models),
        "every text flagged: F1",
        "best published: F1",
    ]
    lines = ["| set | rows | " + " | ".join(heads) + " |", "|---|---:|" + "---:|" * len(heads)]
    for one in tried:
        cells = [_best(one, name, "auc") for name in (*models, "")]
        cells += [_best(one, name, "best_f1") for name in models]
        cells += [short(_everything(one)), _published(_SETS[one.name])]
        lines.append(f"| {_SETS[one.name].title} | {one.rows:,} | " + " | ".join(cells) + " |")
    return lines


def _best(one: Tried, model: str, what: str) -> str:
    known = [found.texts[what] for found in one.found if found.model == model and not math.isnan(found.texts[what])]
    return short(max(known)) if known else "-"


def _published(known: LabelledSet) -> str:
    best = max(known.published, key=lambda other: other.f1, default=None)
    return "-" if best is None else f"{_number(best)} ({best.name})"


def _number(other: Others) -> str:
    return f"about {short(other.f1)}" if other.from_memory else short(other.f1)


def _everything(one: Tried) -> float:
    """F1 where every text is flagged."""
    return 2 * one.unsupported / (one.rows + one.unsupported) if one.rows else math.nan


def _section(one: Tried) -> list[str]:
    known = _SETS[one.name]
    lines = [
        f"## {known.title}", "",
        f"{one.rows:,} rows, {one.unsupported:,} of them with something unsupported. {known.about}", "",
        "| metric, part | model | area | best F1 | F1 | words: best F1 | words: F1 | rows/s |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
        *(_line(found, one.rows) for found in one.found),
        f"| every text flagged | | .500 | {short(_everything(one))} | {short(_everything(one))} | | | |",
        "",
    ]  # fmt: skip
    for metric, reason in one.reasons.items():
        lines += [f"No number: `{metric}`: {reason}.", ""]
    if known.published:
        lines += [*_others(f"Published F1 of texts, {known.of}", known.published), ""]
    if known.name.startswith("ragtruth"):
        heading = "Published F1 of texts, the whole test part (answers, data to text, summaries), which is easier"
        lines += [*_others(heading, WHOLE_TEST_PART), ""]
    return lines


def _line(found: Found, rows: int) -> str:
    area = short(found.texts["auc"]) if not math.isnan(found.texts["auc"]) else "-"
    if not math.isnan(found.low) and area != "-":
        area += f" [{short(found.low, 2)}, {short(found.high, 2)}]"
    words = found.words or {}
    cells = [
        f"`{found.metric}`{'' if found.part == 'score' else f' {found.part}'}", found.model, area,
        *(_or_dash(found.texts[what]) for what in ("best_f1", "f1")),
        *(_or_dash(words.get(what, math.nan)) for what in ("best_f1", "f1")),
        "-" if math.isnan(found.pace) else f"{found.pace:,.0f}" if found.pace >= 10 else f"{found.pace:.1f}",
    ]  # fmt: skip
    note = f" ({found.undefined} of {rows:,} rows without a number)" if found.undefined else ""
    return "| " + " | ".join([cells[0] + note, *cells[1:]]) + " |"


def _or_dash(value: float) -> str:
    return "-" if math.isnan(value) else short(value)


def _others(heading: str, published: Sequence[Others]) -> Iterator[str]:
    yield from (f"| {heading} | | trained on |", "|---|---:|---|")
    for other in published:
        yield f"| {other.name} | {_number(other)} | {other.trained}{', from memory' if other.from_memory else ''} |"

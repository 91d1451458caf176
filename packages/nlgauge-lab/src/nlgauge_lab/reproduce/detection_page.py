"""The detection page in Markdown: how well metrics find unsupported texts and words, and small errors that were made.

A small error is made in a true statement, so that it is known what has to be found (`nlgauge.data.probes`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge._version import __version__
from nlgauge.data.probes import KINDS
from nlgauge_lab.reproduce.detecting import METRICS, Found, Tried
from nlgauge_lab.reproduce.labelled_sets import LABELLED_SETS, WHOLE_TEST_PART, LabelledSet, Others
from nlgauge_lab.reproduce.markdown import beside, ranged, render, short, table
from nlgauge_lab.reproduce.specs import metric_of
from nlgauge_lab.studies.probes import SETTINGS, ProbeResult, Probes, named

_SETS = {one.name: one for one in LABELLED_SETS}
_STRINGS = frozenset(spec for spec in METRICS if metric_of(spec, None, {}).reads is None)


def page(
    tried: Sequence[Tried], absent: Sequence[str], limit: int | None, replicates: int, more: Sequence[str] = ()
) -> str:
    """Return the detection page in Markdown.

    Args:
        tried: the labelled sets with their results.
        absent: names of the sets that were missing.
        limit: number of rows read from each set; None for all.
        replicates: number of resamples for the intervals.
        more: lines for the end of the page.
    """
    return render(
        "detection.md",
        limit=limit,
        replicates=replicates,
        version=__version__,
        absent=absent,
        best=short_table(tried),
        sections=[_section(one, _SETS[one.name]) for one in tried],
        more=list(more),
    )


def short_table(tried: Sequence[Tried]) -> list[str]:
    """Return a table with a line for each set.

    A line has the best part with each model, the best part that reads no model, and the best published number.
    """
    models = list(dict.fromkeys(found.model for one in tried for found in one.found if found.model))
    names = [name.partition("@")[0] for name in models]
    heads = [*(f"{name}: best area" for name in names), "strings: best area", *(f"{name}: best F1" for name in names)]
    rows = []
    for one in tried:
        cells = [_best(one, name, "auc") for name in (*models, "")]
        cells += [_best(one, name, "best_f1") for name in models]
        known = _SETS[one.name]
        best = max(known.published, key=lambda other: other.f1, default=None)
        published = "-" if best is None else f"{_number(best)} ({best.name})"
        rows.append([known.title, f"{one.rows:,}", *cells, short(_everything(one)), published])
    align = "l" + "r" * (len(heads) + 3)
    return table(["set", "rows", *heads, "every text flagged: F1", "best published: F1"], align, rows)


def _best(one: Tried, model: str, what: str) -> str:
    known = [found.texts[what] for found in one.found if found.model == model and not math.isnan(found.texts[what])]
    return short(max(known)) if known else "-"


def _number(other: Others) -> str:
    return f"about {short(other.f1)}" if other.from_memory else short(other.f1)


def _everything(one: Tried) -> float:
    """Return the F1 of a detector that flags every text."""
    return 2 * one.unsupported / (one.rows + one.unsupported) if one.rows else math.nan


def _section(one: Tried, known: LabelledSet) -> tuple[Tried, LabelledSet, list[str], str, list[str], list[str]]:
    """Return what the page says of one set.

    This is the set with its title, the table of metrics, the F1 of flagging every text, and two tables of published
    numbers.
    """
    heads = ["metric, sub-score", "model", "area", "best F1", "F1", "words: best F1", "words: F1"]
    lines = table(heads, "llrrrrr", [_line(found, one.rows) for found in one.found])
    others = _others(f"Published F1 of texts, {known.of}", known.published)
    heading = "Published F1 of texts, the whole test part (answers, data to text, summaries), which is easier"
    whole = _others(heading, WHOLE_TEST_PART if known.name.startswith("ragtruth") else ())
    return one, known, lines, short(_everything(one)), others, whole


def _line(found: Found, rows: int) -> list[str]:
    words = found.words or {}
    note = f" ({found.undefined} of {rows:,} rows without a number)" if found.undefined else ""
    return [
        named(found.metric, found.part, f"`{found.metric}`") + note,
        found.model,
        ranged(found.texts["auc"], found.low, found.high),
        *(short(found.texts[what]) for what in ("best_f1", "f1")),
        *(short(words.get(what, math.nan)) for what in ("best_f1", "f1")),
    ]


def _others(heading: str, published: Sequence[Others]) -> list[str]:
    rows = [[one.name, _number(one), one.trained + (", from memory" if one.from_memory else "")] for one in published]
    return table([heading, "", "trained on"], "lrl", rows) if rows else []


def section(found: Probes) -> list[str]:
    """Return lines about the probes: a table of all errors together, and one by kind of error."""
    rows = [
        [
            named(one.metric, one.part, f"`{one.metric}`"),
            one.model,
            one.setting,
            *(ranged(area.value, area.low, area.high, 2) for area in (one.twin, one.paraphrase)),
            _share(one.marked),
            _share(one.found),
        ]
        for one in found.records
    ]
    heads = ["metric, sub-score", "model", "by", "twin", "paraphrase", "marked", "found"]
    by_kind = table(["metric, sub-score", "model", *KINDS], "ll" + "r" * len(KINDS), _by_kind(found.records))
    return render(
        "probes.md", found=found, every=beside("probes", table(heads, "lllrrrr", rows)), by_kind=by_kind
    ).splitlines()


def _by_kind(records: Sequence[ProbeResult]) -> list[list[str]]:
    first, asked = tuple(SETTINGS)[:2]
    answers = {(one.metric, one.part, one.model): one.kinds for one in records if one.setting == asked}
    rows = []
    for one in records:
        if one.setting == first:
            kinds = {**answers.get((one.metric, one.part, one.model), {}), **one.kinds}
            numbers = (short(kinds.get(kind, math.nan), 2) for kind in KINDS)
            rows.append([named(one.metric, one.part, f"`{one.metric}`"), one.model, *numbers])
    return rows


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"

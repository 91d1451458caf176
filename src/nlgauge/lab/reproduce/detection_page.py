"""The detection page in Markdown: what is found of what people marked as unsupported, and of our own small errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge._version import __version__
from nlgauge.lab.reproduce.detecting import METRICS, Found, Tried
from nlgauge.lab.reproduce.labelled_sets import LABELLED_SETS, WHOLE_TEST_PART, LabelledSet, Others
from nlgauge.lab.reproduce.markdown import ranged, short, table
from nlgauge.lab.reproduce.specs import metric_of
from nlgauge.lab.studies.probe_texts import KINDS
from nlgauge.lab.studies.probes import SETTINGS, Area, ProbeResult, Probes
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
    names = [name.partition("@")[0] for name in models]
    heads = [*(f"{name}: best area" for name in names), "strings: best area", *(f"{name}: best F1" for name in names)]
    rows = []
    for one in tried:
        cells = [_best(one, name, "auc") for name in (*models, "")]
        cells += [_best(one, name, "best_f1") for name in models]
        known = _SETS[one.name]
        rows.append([known.title, f"{one.rows:,}", *cells, short(_everything(one)), _published(known)])
    align = "l" + "r" * (len(heads) + 3)
    return table(["set", "rows", *heads, "every text flagged: F1", "best published: F1"], align, rows)


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
    heads = ["metric, part", "model", "area", "best F1", "F1", "words: best F1", "words: F1"]
    lines = [
        f"## {known.title}", "",
        f"{one.rows:,} rows, {one.unsupported:,} of them with something unsupported. {known.about}", "",
        *table(heads, "llrrrrr", [_line(found, one.rows) for found in one.found]),
        f"| every text flagged | | .500 | {short(_everything(one))} | {short(_everything(one))} | | |",
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


def _line(found: Found, rows: int) -> list[str]:
    words = found.words or {}
    note = f" ({found.undefined} of {rows:,} rows without a number)" if found.undefined else ""
    return [
        _named(found.metric, found.part) + note, found.model, ranged(found.texts["auc"], found.low, found.high),
        *(short(found.texts[what]) for what in ("best_f1", "f1")),
        *(short(words.get(what, math.nan)) for what in ("best_f1", "f1")),
    ]  # fmt: skip


def _named(metric: str, part: str) -> str:
    return f"`{metric}`" + ("" if part == "score" else f" {part}")


def _others(heading: str, published: Sequence[Others]) -> list[str]:
    rows = [[one.name, _number(one), one.trained + (", from memory" if one.from_memory else "")] for one in published]
    return table([heading, "", "trained on"], "lrl", rows)


def section(found: Probes) -> list[str]:
    """The probes: a table of all errors together and one by kind of error."""
    return [
        "## Small errors, and the same in other words", "",
        f"{found.statements} statements of our own about {found.sources} sources of two to four sentences. Each "
        "has one "
        "small error, and a twin without it. Beside them stand free paraphrases: true statements that share few "
        "words with the source. No model of ours was trained or chosen on them. `nlgauge study probes` prints "
        "these tables "
        "for any model and metric.", "",
        "- *Twin* and *paraphrase* are areas under the curve of hits against false alarms: errors against their "
        "corrected twins, and against free paraphrases. .5 is chance. A metric that measures copying has an area "
        "near 0 against paraphrases. In brackets: 95 % of resamples of the sources.",
        "- *Marked* is the share of the free paraphrases in which a word is marked as unsupported, and *found* the "
        "share of the errors of which a wrong word is marked.",
        "- *Question* means that the question stands beside the source; *4 passages* and *8 passages* that the source "
        "stands among so many others.", "",
        *table(["metric, part", "model", "by", "twin", "paraphrase", "marked", "found"], "lllrrrr", [
            [_named(one.metric, one.part), one.model, one.setting, _area(one.twin), _area(one.paraphrase),
             _share(one.marked), _share(one.found)] for one in found.records
        ]),
        "",
        "By kind of error, against the corrected twins, with the source alone; *answer*, a question answered wrongly, "
        "with the question. *Mixed* is what the source says of another thing.", "",
        *table(["metric, part", "model", *KINDS], "ll" + "r" * len(KINDS), _by_kind(found.records)),
    ]  # fmt: skip


def _by_kind(records: Sequence[ProbeResult]) -> list[list[str]]:
    first, asked = tuple(SETTINGS)[:2]
    answers = {(one.metric, one.part, one.model): one.kinds for one in records if one.setting == asked}
    rows = []
    for one in records:
        if one.setting == first:
            kinds = {**answers.get((one.metric, one.part, one.model), {}), **one.kinds}
            numbers = (short(kinds.get(kind, math.nan), 2) for kind in KINDS)
            rows.append([_named(one.metric, one.part), one.model, *numbers])
    return rows


def _area(area: Area) -> str:
    return ranged(area.value, area.low, area.high, 2)


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"

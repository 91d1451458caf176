"""Study of whether a metric detects what a source does not support, on our own sentences with one small error.

Each sentence with an error is compared with its corrected twin, which shares nearly all of its words. It is also
compared with free paraphrases, which are true and share few words with the source. A metric that measures copying takes
an error to be better supported than a paraphrase.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nlgauge import registry
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.probes import KINDS, Probed, read_probes
from nlgauge.data.signature import Signature
from nlgauge.data.table.column import CLAIMS, WORDING
from nlgauge.errors import SpecError
from nlgauge.evaluation import evaluate
from nlgauge.gate.thresholds import METRIC
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number
from nlgauge_lab.maths.detection import detection, resampled_area

METRICS = ("Faithfulness", "CopyRate")
_LESS_IS_BETTER = frozenset({"unsupported"})
SETTINGS = {"source": (False, 0), "question": (True, 0), "4 passages": (False, 4), "8 passages": (False, 8)}
"""By name, whether the question is read too, and how many other passages the source is put among"""


@dataclass(frozen=True)
class Area:
    """The area under the ROC curve, with its 95 % interval by resampling the sources. An area of .5 is chance."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ProbeResult:
    """How well a part of a metric separates errors from twins and from paraphrases, in one setting."""

    metric: str
    part: str
    model: str
    setting: str
    twin: Area
    """Area for errors against corrected twins"""
    paraphrase: Area
    """Area for errors against free paraphrases"""
    kinds: Mapping[str, float]
    """By kind of error, the area against the twins of that kind"""
    marked: float
    """Share of the paraphrases with a word that is marked as unsupported; NaN if the metric marks no words"""
    found: float
    """Share of the errors in which a wrong word is marked; NaN if the metric marks no words"""
    undefined: int
    """Number of statements without a value"""


@dataclass(frozen=True)
class Probes:
    """The result of `probes`."""

    records: tuple[ProbeResult, ...]
    sources: int
    statements: int
    """Number of statements with an error"""
    notes: tuple[str, ...]
    signatures: dict[str, Signature]

    def tables(self) -> list[list[list[Cell]]]:
        """Return two tables for a terminal: one over all errors, and one by kind of error."""
        heads: list[Cell] = ["error against", "model", "by", "twin", "95 %", "paraphrase", "95 %", "marked", "found"]
        every = [heads]
        kinds: list[list[Cell]] = [["error against twin", "model", "by", *KINDS]]
        for one in self.records:
            line = [named(one.metric, one.part), one.model, one.setting]
            areas = [Number(area.value, area.low, area.high, digits=2) for area in (one.twin, one.paraphrase)]
            ends = [(Number(area.value, digits=2), area.interval) for area in areas]
            shares = (Number(share, digits=2) for share in (one.marked, one.found))
            every.append([*line, *ends[0], *ends[1], *shares])
            kinds.append([*line, *(Number(one.kinds.get(kind, math.nan), digits=2) for kind in KINDS)])
        return [every, kinds]

    def draw(self, path: Path) -> None:
        """Draw a heat map of the areas by kind of error, with a row for each metric, part and setting."""
        rows = [f"{named(one.metric, one.part)} {one.setting}" for one in self.records]
        values = [[one.kinds.get(kind, math.nan) for kind in KINDS] for one in self.records]
        figures.heats(path, {"errors against their corrected twins": figures.Heat(rows, KINDS, values)}, "area", (0, 1))


def named(metric: str, part: str, spec: str | None = None) -> str:
    """Return the name to show for a part of a metric.

    The part `score` has the metric's name alone, except for `Faithfulness`. spec: the metric as it is to be shown; by
    default its spec.
    """
    shown = metric if spec is None else spec
    return shown if part == "score" and not metric.startswith(METRIC) else f"{shown} {part}"


def probes(
    metrics: Sequence[str | Metric] = METRICS,
    *,
    models: Sequence[str | None] = (),
    settings: Sequence[str] = tuple(SETTINGS),
    file: Path | None = None,
    replicates: int = 1000,
    seed: int = 0,
    cache: Path | bool = False,
    progress: bool = False,
) -> Probes:
    """Return how well metrics separate statements with an error from their corrected twins and from free paraphrases.

    Answers to questions are judged in the setting "question" alone. They count in the column of their kind, and not in
    the areas over all errors.

    Args:
        metrics: metrics for which a greater value means that a source supports more of a candidate.
        models: each is used for every metric that names none. None is the embedded model, and so is an empty list.
        settings: names in `SETTINGS`.
        file: probes of your own (`read_probes`).
        replicates: number of resamples for the intervals.
        seed: of the resampling.
        cache, progress: as in `nlgauge.evaluate`.

    Raises:
        SpecError: a setting is unknown.
        InputError: the file cannot be read.
    """
    if unknown := [name for name in settings if name not in SETTINGS]:
        raise SpecError(f"no setting {unknown[0]!r}; there are {', '.join(SETTINGS)}")
    sources = read_probes(file)
    asked = [(one, registry.metric(one, model=model)) for model in (*models,) or (None,) for one in metrics]
    chosen = {str(metric): (str(one), metric) for one, metric in asked}
    records: list[ProbeResult] = []
    signatures: dict[str, Signature] = {}
    for setting in settings:
        rows = _rows(sources, *SETTINGS[setting])
        corpus = Corpus(tuple(row.row for row in rows))
        every = [metric for _, metric in chosen.values()]
        # A passage is the item of its probes; each row is looked at alone.
        table = evaluate(corpus, metrics=every, evidence=True, cache=cache, progress=progress, repeats="mean")
        for spec, (named, metric) in chosen.items():
            column = table.columns[spec]
            signatures[spec] = table.signatures[spec]
            for number, part in enumerate(column.parts):
                if part in (WORDING, CLAIMS):
                    continue  # they say how an answer is written, and not whether it is right
                sign = -1.0 if part in _LESS_IS_BETTER or not column.higher_is_better else 1.0
                evidence = column.evidence if number == 0 and metric.reads is not None else {}
                drawing = np.random.default_rng(seed)
                found = _result(
                    rows, sign * column.values[:, number], evidence=evidence, replicates=replicates, drawing=drawing
                )
                model = metric.reads or ""
                records.append(replace(found, metric=named, part=part, model=model, setting=setting))
    count = sum(len(one.probes) for one in sources)
    notes = (
        "an area of .5 is chance; marked: share of the free paraphrases with a marked word; found: share of the errors "
        "with a wrong word marked",
    )
    return Probes(records=tuple(records), sources=len(sources), statements=count, notes=notes, signatures=signatures)


@dataclass(frozen=True)
class _Statement:
    row: Row
    source: int
    role: str
    """'wrong', 'right' or 'paraphrase'"""
    kind: str = ""
    places: tuple[tuple[int, int], ...] = ()


def _rows(sources: Sequence[Probed], asked: bool, others: int) -> list[_Statement]:
    found: list[_Statement] = []
    for number, one in enumerate(sources):
        passages = [sources[(number + 1 + 7 * i) % len(sources)].source for i in range(others)]
        passages.insert(number % (others + 1), one.source)
        source = "\n\n".join(passages)

        def row(text: str, question: str, source: str = source, number: int = number) -> Row:
            return Row(text, source=source, question=question if asked else None, item=f"{number}")

        for probe in one.probes:
            if probe.question is not None and not asked:
                continue
            question = probe.question or one.question
            found.append(
                _Statement(
                    row=row(probe.wrong, question), source=number, role="wrong", kind=probe.kind, places=probe.places
                )
            )
            found.append(_Statement(row(probe.right, question), number, "right", probe.kind))
        found += [_Statement(row(text, one.question), number, "paraphrase") for text in one.paraphrases]
    return found


def _result(
    rows: Sequence[_Statement],
    values: np.ndarray,
    evidence: Mapping[int, object],
    replicates: int,
    drawing: np.random.Generator,
) -> ProbeResult:
    known = ~np.isnan(values)
    roles = np.array([one.role for one in rows])
    kinds = np.array([one.kind for one in rows])
    sources = np.array([one.source for one in rows])
    counted = known & (kinds != "answer")
    errors = counted & (roles == "wrong")
    twins, free = counted & (roles == "right"), counted & (roles == "paraphrase")
    marks = {number: _marked(record) for number, record in evidence.items()}
    paraphrases = [marks[i] for i, one in enumerate(rows) if one.role == "paraphrase" and i in marks]
    wrong = [(marks[i], one.places) for i, one in enumerate(rows) if one.role == "wrong" and i in marks and one.places]
    hits = [any(a < end and begin < b for a, b in spans for begin, end in places) for spans, places in wrong]
    by_kind = {}
    for kind in [kind for kind in KINDS if (kinds == kind).any()]:
        chosen = known & (kinds == kind)
        by_kind[kind] = detection(values[chosen], (roles[chosen] != "wrong").astype(np.int64))["auc"]
    return ProbeResult(
        metric="",
        part="",
        model="",
        setting="",
        twin=_area(values, errors, others=twins, sources=sources, replicates=replicates, drawing=drawing),
        paraphrase=_area(values, errors, others=free, sources=sources, replicates=replicates, drawing=drawing),
        kinds=by_kind,
        marked=float(np.mean([bool(spans) for spans in paraphrases])) if paraphrases else math.nan,
        found=float(np.mean(hits)) if hits else math.nan,
        undefined=int((~known).sum()),
    )


def _area(
    values: np.ndarray,
    errors: np.ndarray,
    others: np.ndarray,
    sources: np.ndarray,
    replicates: int,
    drawing: np.random.Generator,
) -> Area:
    chosen = np.flatnonzero(errors | others)
    rows = values[chosen], others[chosen].astype(np.int64)
    low, high = resampled_area(*rows, sources[chosen], replicates, drawing)
    return Area(detection(*rows)["auc"], low, high)


def _marked(record: object) -> list[tuple[int, int]]:
    """Return the spans of characters of the candidate that a metric's evidence marks.

    These are unsupported words, and differences that an exact check found.
    """
    texts = record.get("texts", ()) if isinstance(record, Mapping) else ()
    return [
        (mark["begin"], mark["end"])
        for text in texts
        if text["name"] == "candidate"
        for mark in [*(word for word in text["words"] if word["alignment"] < text["weak"]), *text.get("reasons", ())]
    ]

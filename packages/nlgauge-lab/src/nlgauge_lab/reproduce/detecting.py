"""How well metrics find unsupported texts and words that people marked: the numbers of the detection page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Metric
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.maths.detection import detection, resampled_area
from nlgauge_lab.reproduce.columns import only
from nlgauge_lab.reproduce.scoring import read_model, scored
from nlgauge_lab.reproduce.specs import metric_of, names_of, refusal
from nlgauge_lab.training.labelled import Labelled, as_corpus, labelled_set

METRICS = (
    "Faithfulness",
    "Consistency(aligner='R')",
    "Consistency",
    "CopyRate",
    "CopyRate(ngram=2)",
    "ROUGE(variant='2', stemmer=True)",
    "Length",
)
PARTS = {
    "Faithfulness": ("probability", "score", "least_stretch", "unsupported"),
    "ROUGE(variant='2', stemmer=True)": ("precision",),
}
"""The parts that are measured, of metrics that also have other parts"""
MORE_IS_WORSE = frozenset({"unsupported", "Length"})
"""Names of parts and metrics for which a larger number is a sign of something unsupported"""
_OF_WORDS = "score"
"""The part that summarises what a metric says of words"""
SURE = {"probability": 0.5, "unsupported": 0.0}
"""By part, the threshold at which a text is judged. Other parts have none. The threshold of words would be too strict
for a mean over words, because it would require that every second word is unsupported
"""


class Found(NamedTuple):
    """How well one part of a metric finds unsupported texts and words."""

    metric: str
    part: str
    model: str
    """Name of the model, with the beginning of its digest; empty if the metric reads none"""
    texts: Mapping[str, float]
    """Detection of texts, as `nlgauge_lab.maths.detection` gives it. `f1` is NaN if no threshold of texts ships with
    the part
    """
    low: float
    """Lower end of the 95 % interval of the area under the curve, by resampling the sources"""
    high: float
    words: Mapping[str, float] | None
    """Detection of words, in the same form. None if the set has no marked words, if the metric reads no model, or for a
    part that does not summarise words
    """
    undefined: int
    """Number of rows without a score by the metric"""


@dataclass(frozen=True)
class Tried:
    """A set of labelled rows, and how well metrics find the unsupported ones."""

    name: str
    rows: int
    unsupported: int
    found: tuple[Found, ...]
    reasons: Mapping[str, str]
    """For each metric without a result, the reason"""


class Labels:
    """Labelled rows, together with their corpus, labels and sources."""

    def __init__(self, name: str, rows: Sequence[Labelled]) -> None:
        self.name, self.rows = name, rows
        self.corpus = as_corpus(rows)
        self.truth = np.array([int(row.supported) for row in rows])
        """1 if the whole text is supported, else 0: [rows]"""
        places = {text: n for n, text in enumerate(dict.fromkeys(row.source for row in rows))}
        self.sources = np.array([places[row.source] for row in rows])
        """Number of each row's source: [rows]"""


def read_set(folder: Path, name: str, limit: int | None) -> Labels | None:
    """Return a labelled set of a folder or of its subfolder `grounding`; None if it is not there.

    Args:
        folder: the folder.
        name: the name of the set.
        limit: number of rows to take, from the first; None takes all.
    """
    rows = labelled_set(folder, name)
    return None if rows is None else Labels(name, rows[:limit])


def detect(
    folder: Path,
    names: Sequence[str],
    models: Sequence[str | None],
    metrics: Sequence[str] = (),
    limit: int | None = None,
    replicates: int = 1000,
    cache: Path | bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> tuple[list[Tried], list[str]]:
    """Return how well metrics find unsupported texts in the labelled sets, and the names of the sets that are missing.

    Args:
        folder: has the labelled sets.
        names: of the labelled sets.
        models: each is used for every metric that reads a model.
        metrics: names or specs; all of `METRICS` if none is given.
        limit: number of rows of each set.
        replicates: number of resamples for the intervals.
        cache: as in `nlgauge.evaluate`.
        tell: is called with a line of progress.

    Raises:
        InputError: no set is there.
        SpecError: a metric is not one of `METRICS`.
    """
    read = {name: read_set(folder, name, limit) for name in names}
    absent = [name for name, labels in read.items() if labels is None]
    if len(absent) == len(read):
        raise InputError("none of the labelled sets is there", file=folder, remedy=f"put {absent[0]}.jsonl there")
    plans = [(spec, model, metric_of(spec, model, {})) for model in models for spec in METRICS]
    # What reads no model is the same whatever the model is.
    chosen = {str(metric): (spec, metric) for spec, model, metric in plans}
    met = {name for spec, metric in chosen.values() for name in names_of(spec, metric)}
    if unused := [name for name in metrics if name not in met]:
        raise SpecError(f"--metrics {unused[0]}: not one of {', '.join(dict.fromkeys(METRICS))}")
    kept = [pair for pair in chosen.values() if not metrics or names_of(*pair).intersection(metrics)]
    return [
        _tried(labels, kept, replicates=replicates, cache=cache, tell=tell)
        for labels in read.values()
        if labels is not None
    ], absent


def _tried(
    labels: Labels,
    metrics: Sequence[tuple[str, Metric]],
    replicates: int,
    cache: Path | bool,
    tell: Callable[[str], object],
) -> Tried:
    found: list[Found] = []
    reasons: dict[str, str] = {}
    for model in dict.fromkeys(metric.reads for _, metric in metrics):
        group = {str(metric): (spec, metric) for spec, metric in metrics if metric.reads == model}
        tell(f"{labels.name}: {len(labels.rows)} rows by {', '.join(group)}")
        tables = scored(labels.corpus, [metric for _, metric in group.values()], cache=cache, evidence=True)
        for name, (spec, _) in group.items():
            table = tables[name]
            if isinstance(table, ScoreTable):
                found += _found(labels, spec, table, replicates)
            else:
                reasons[name] = refusal(table)
    return Tried(
        name=labels.name,
        rows=len(labels.rows),
        unsupported=int((labels.truth == 0).sum()),
        found=tuple(found),
        reasons=reasons,
    )


def _found(labels: Labels, spec: str, table: ScoreTable, replicates: int) -> list[Found]:
    column, model = only(table), "".join(read_model(table))
    # What string metrics show of words is which ones both texts have: no judgement, and no threshold.
    words = _words(labels, column.evidence) if model else None
    found = []
    for part in PARTS.get(spec, column.parts):
        values = column.values[:, column.parts.index(part)]
        supported = -values if MORE_IS_WORSE.intersection((part, spec)) else values
        threshold = SURE.get(part)
        known = ~np.isnan(supported)
        texts = _judged(supported[known], labels.truth[known], threshold)
        rows = supported[known], labels.truth[known], labels.sources[known]
        low, high = resampled_area(*rows, replicates, np.random.default_rng(0))
        of_words = words if part == _OF_WORDS else None
        found.append(
            Found(
                metric=spec,
                part=part,
                model=model,
                texts=texts,
                low=low,
                high=high,
                words=of_words,
                undefined=int((~known).sum()),
            )
        )
    return found


def _judged(supported: NDArray[np.float64], truth: NDArray[np.int64], threshold: float | None) -> dict[str, float]:
    judged = detection(supported, truth, 0.0 if threshold is None else threshold)
    return {**judged, "f1": np.nan} if threshold is None else judged


def _words(labels: Labels, evidence: Mapping[int, Any]) -> dict[str, float] | None:
    """Return how well a metric finds unsupported words, at its own threshold of words.

    Args:
        labels: the labelled rows.
        evidence: the metric's evidence, by index of a row.

    Returns:
        The result, as `nlgauge_lab.maths.detection` gives it; None if no row has marked words and evidence of words.
    """
    weak: float | None = None
    alignments: list[float] = []
    truth: list[int] = []
    for number, row in enumerate(labels.rows):
        for text in (evidence.get(number) or {}).get("texts", ()):
            if text["name"] != "candidate":
                continue
            weak = text["weak"]
            if row.spans is None:
                continue
            for word in text["words"]:
                alignments.append(word["alignment"])
                truth.append(int(not any(a < word["end"] and word["begin"] < b for a, b in row.spans)))
    if not alignments:
        return None
    return _judged(np.array(alignments), np.array(truth), weak)

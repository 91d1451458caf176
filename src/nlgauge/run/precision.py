"""precision='auto': the fastest precision on this machine whose scores stay close to those in float32.

The times are measured once (`nlgauge.engine.speed`) and remembered in the cache. The first rows of a run are scored in
float32 and in the faster precision. All rows of all columns are then scored in one of the two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from nlgauge.contract.base import Metric, RowMetric
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.engine.models import loading
from nlgauge.engine.speed import Speeds, Timing, measured, speed_key
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.options import RunOptions
from nlgauge.run.runner import run
from nlgauge.run.sinks import TableBuilder
from nlgauge.run.store import Store, on_stderr, opened

AUTO = "auto"
ROWS = 200
"""The number of rows that are scored in float32 and in a faster precision, before one of the two is chosen for all
rows"""
_WORTH_IT = 1.1
"""The speed relative to float32 that a precision has to reach in every measured round"""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The distance between a sub-score of the first rows in another precision and in float32."""

    metric: str
    part: str
    largest: float
    """The largest absolute change of a row's score; infinite where a row has a score in only one of the two
    precisions"""
    mean: float
    range: float
    """The largest score in float32 minus the least; for a corpus-level metric, the largest absolute score"""

    @property
    def share(self) -> float:
        """The largest change as a share of the range."""
        return self.largest / self.range if self.range > 0 else math.inf if self.largest > 0 else 0.0


@dataclass(frozen=True)
class Way:
    """A precision, and the backend that each model of a run uses for it."""

    precision: str
    backends: Mapping[str, str]
    times_as_fast: float
    """The speed of all models together, relative to float32, in the slowest measured round"""

    @property
    def named(self) -> str:
        """The precision and its backends, in words."""
        return f"{self.precision} by {' and '.join(dict.fromkeys(self.backends.values()))}"


def speeds_of(name: str, device: str | None, store: Store | None, again: bool = False) -> Speeds | None:
    """Return how fast a model is with each backend and precision: the stored times, or times measured now.

    Args:
        name: the name of the model.
        device: the device that the user chose; None for the default.
        store: the cache, where the times are remembered; None to measure them each time.
        again: whether to measure although times are remembered.

    Returns:
        The times; None for a model that cannot be timed.

    Raises:
        SpecError: the model cannot be loaded.
        MissingExtraError: as `nlgauge.engine.models.loading.load`.
    """
    key = speed_key(loading.shared(name, device=device), device)
    if store is not None and not again:
        for content in store.get([key]).values():
            try:
                return msgspec.json.decode(content, type=Speeds | None)
            except msgspec.MsgspecError:
                break  # measured again, and replaced
    if not again:
        on_stderr(f"{name} is timed by each backend and precision, once on this machine")
    speeds = measured(name, device)
    if store is not None:
        store.put({key: msgspec.json.encode(speeds)})
        store.commit()
    return speeds


def settled(
    corpus: Corpus, metrics: Mapping[str, Metric], options: RunOptions, against: Corpus | None = None
) -> tuple[RunOptions, dict[str, Any]]:
    """Return the options of a run with precision='auto', now with a precision for all rows, and a record of the choice.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        options: the options of the run.
        against: the corpus that corpus-level metrics compare outputs with, instead of references.

    Returns:
        The options, and the record of the choice, which is `run["precision"]` of the table. The record is empty where
        no metric reads a model.

    Raises:
        SpecError: a metric needs something besides models, such as a server, or a model cannot be loaded.
        InputError: the first rows cannot be scored as given.
    """
    float32 = replace(options, precision="float32")
    reading = {spec: metric for spec, metric in metrics.items() if metric.reads is not None or metric.other_models}
    about = _Choice(options.precision_change)
    if not reading:
        return float32, {}
    for spec, metric in reading.items():
        if not metric.cached:
            problem = f"precision 'auto' scores the first {ROWS} rows twice, and {spec} asks more than models"
            raise SpecError(f"{problem}; choose {', '.join(loading.PRECISIONS)}")
    if len(corpus) <= ROWS:
        about.say(f"scored in float32: only a run of more than {ROWS} rows can be faster in another precision")
        return float32, about.told("float32", options.backend)
    models = dict.fromkeys(name for metric in reading.values() for name in _models_of(metric))
    with opened(options.cache) as store:
        speeds = {name: speeds_of(name, options.device, store) for name in models}
    for way in ways(speeds, options.backend):
        faster = replace(options, precision=way.precision, backends=way.backends)
        if about.exact is None:
            about.exact = _scored(corpus, reading, float32, against)
        try:
            other = _scored(corpus, reading, faster, against)
        except (SpecError, MissingExtraError) as error:
            about.say(f"{way.named} cannot score these rows: {error}")
            continue
        if about.accepts(way, reading, other):
            return faster, about.told(way.precision, way.backends)
    about.say(
        "scored in float32"
        if about.exact is not None
        else f"scored in float32: no other precision of {' and '.join(models)} is faster here (nlgauge doctor --speed)"
    )
    return float32, about.told("float32", options.backend)


def as_scored(table: ScoreTable, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `evaluate` with the precision that 'auto' chose, to score other rows in the same way.

    Args:
        table: the scores.
        options: the arguments of `evaluate` by which they were scored.

    Returns:
        The arguments; those of `options` where no choice was made.
    """
    if options.get("precision") != AUTO or (told := table.run.get("precision")) is None:
        return dict(options)
    backends = set(told["backends"].values()) or {options.get("backend", AUTO)}
    return {**options, "precision": told["precision"], "backend": min(backends) if len(backends) == 1 else AUTO}


def ways(speeds: Mapping[str, Speeds | None], backend: str) -> list[Way]:
    """Return the precisions in which some models are faster than in float32, the fastest first.

    Args:
        speeds: the measured speeds of each model, by name; None for a model that cannot be timed.
        backend: the backend that the user chose, or 'auto'.

    Returns:
        The ways. Each has one precision, which all models can use. Empty where a model cannot be timed.
    """
    by_model = {name: of_model.timings for name, of_model in speeds.items() if of_model is not None}
    if len(by_model) < len(speeds):
        return []
    faster: list[Way] = []
    usual = {name: _usual(timings, backend) for name, timings in by_model.items()}
    for precision in loading.PRECISIONS:
        best: dict[str, Timing] = {}
        for name, timings in by_model.items():
            usable = [of for of in timings if of.precision == precision and backend in (AUTO, of.backend)]
            if usable:
                best[name] = max(usable, key=lambda timing: timing.times_as_fast[1])
        if len(best) < len(by_model):
            continue
        before = sum(timing.seconds for timing in usual.values())
        # In the slowest round, so that noise of the machine is taken for no gain.
        after = sum(usual[name].seconds * usual[name].times_as_fast[1] / best[name].times_as_fast[0] for name in best)
        if before >= _WORTH_IT * after:
            backends = {name: timing.backend for name, timing in best.items()}
            faster.append(Way(precision, backends, times_as_fast=before / after))
    return sorted(faster, key=lambda way: -way.times_as_fast)


def _usual(timings: Sequence[Timing], backend: str) -> Timing:
    """Return the timing in float32 by the backend that the user chose, or else the first timing."""
    return next((of for of in timings if of.precision == "float32" and of.backend == backend), timings[0])


def _models_of(metric: Metric) -> Sequence[str]:
    return [name for name in (metric.reads, *metric.other_models) if name is not None]


def _scored(corpus: Corpus, metrics: Mapping[str, Metric], options: RunOptions, against: Corpus | None) -> ScoreTable:
    """Return the scores of the first rows. Scores of single rows go to the cache, where the run then finds them."""
    rows = corpus[:ROWS]
    alone = replace(options, output=None, ray=None, rows_per_block=None)
    return run(rows, metrics, alone, TableBuilder(rows, metrics, {}, evidence=options.evidence), against=against)


def changes(metrics: Mapping[str, Metric], exact: ScoreTable, other: ScoreTable) -> list[Change]:
    """Return how far the scores are from those in float32, for each sub-score that is not only informative.

    Args:
        metrics: the metrics by spec.
        exact: the scores in float32.
        other: the scores of the same rows in another precision.

    Returns:
        A change for each sub-score.
    """
    by_part: list[Change] = []
    for spec, metric in metrics.items():
        for at, part in enumerate(metric.parts):
            if part in metric.details:
                continue
            first, second = exact.columns[spec].values[:, at], other.columns[spec].values[:, at]
            there = np.isfinite(first) & np.isfinite(second)
            moved = np.abs(second[there] - first[there])
            one_alone = bool((~there & ((first != second) & ~(np.isnan(first) & np.isnan(second)))).any())
            scores = first[there]
            spread = 0.0
            if scores.size:
                spread = float(scores.max() - scores.min() if isinstance(metric, RowMetric) else np.abs(scores).max())
            by_part.append(
                Change(
                    metric=spec,
                    part=part,
                    largest=math.inf if one_alone else float(moved.max(initial=0.0)),
                    mean=float(moved.mean()) if moved.size else 0.0,
                    range=spread,
                )
            )
    return by_part


class _Choice:
    """The choice of a precision while it is made: the sentences about it, and the measured changes of scores."""

    def __init__(self, limit: float) -> None:
        self.exact: ScoreTable | None = None
        """The scores of the first rows in float32, once they are needed"""
        self._limit = limit
        self._said: list[str] = []
        self._changes: list[Change] = []

    def say(self, sentence: str) -> None:
        """Print a sentence on stderr, and remember it for the table."""
        self._said.append(sentence)
        on_stderr(sentence)

    def accepts(self, way: Way, metrics: Mapping[str, Metric], other: ScoreTable) -> bool:
        """Print how far the first rows' scores are from float32, and return whether that is within the limit."""
        assert self.exact is not None
        self._changes = changes(metrics, self.exact, other)
        worst = max(self._changes, key=lambda change: change.share, default=None)
        if worst is None:
            return False
        label = worst.metric if len(metrics[worst.metric].parts) == 1 else f"{worst.metric} {worst.part}"
        moved = (
            "a row has a score in one of the two precisions alone"
            if math.isinf(worst.largest)
            else f"scores change by {worst.largest:.2g} at most and {worst.mean:.2g} in the mean, "
            f"{_share(worst.share)} of the range of {worst.range:.2g}"
        )
        within = worst.share <= self._limit
        verdict = "scored so" if within else f"over the limit of {_share(self._limit)}"
        self.say(
            f"{way.named}, at least {way.times_as_fast:.1f} times as fast as float32: of the first {ROWS} rows, "
            f"{label}: {moved}: {verdict}"
        )
        return within

    def told(self, precision: str, backends: Mapping[str, str] | str) -> dict[str, Any]:
        """Return the record of the choice for the table."""
        return {
            "asked": AUTO,
            "precision": precision,
            "backends": {} if isinstance(backends, str) else dict(backends),
            "limit": self._limit,
            "changes": [_plain(change) for change in self._changes],
            "said": self._said,
        }


def _share(share: float) -> str:
    return f"{100 * share:.2g} %"


def _plain(change: Change) -> dict[str, Any]:
    """Return a change as a JSON record, with null for an infinite number."""
    record = msgspec.structs.asdict(change)
    return {name: None if isinstance(value, float) and math.isinf(value) else value for name, value in record.items()}

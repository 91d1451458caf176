"""Study of corpus-level metrics when outputs lose variety or quality (Mark-Evaluate, figures 3 and 4).

Mode collapse (section 4.1): topics are dropped one after another from the outputs. Word swap (section 4.2): each word
of an output is exchanged, with some probability, with another word of its text. The references stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge import registry
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.errors import InputError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.sets import SetMetric
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number

METRICS = (
    "MarkEvaluate(k=2)",
    "MarkEvaluate(estimator='schnabel', k=2)",
    "MarkEvaluate(estimator='capture')",
    "ImprovedPrecisionRecall",
    "PRD",
    "FrechetDistance",
)
COLLAPSE, SWAP = "topics dropped", "words swapped"
SWAPS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Step:
    """The value of one part of a metric at one step of an experiment."""

    experiment: str
    """'topics dropped' or 'words swapped'"""
    at: float
    """Number of dropped topics, or probability of a swap"""
    metric: str
    part: str
    value: float


@dataclass(frozen=True)
class Synthetic:
    """The result of `synthetic`."""

    records: tuple[Step, ...]
    size: int
    """Number of references, which is also the greatest number of outputs at a step"""
    signatures: dict[str, Signature]
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables for a terminal, one for each experiment.

        A table has a row for each part of a metric and a column for each step.
        """
        made: list[list[list[Cell]]] = []
        for experiment, lines in self._lines().items():
            steps = list(next(iter(lines.values())))
            cells: list[list[Cell]] = [[experiment, *(f"{at:g}" for at in steps)]]
            cells += [[name, *(Number(value, digits=3) for value in values.values())] for name, values in lines.items()]
            made.append(cells)
        return made

    def draw(self, path: Path) -> None:
        """Draw a panel for each experiment, and for each a second panel with the metrics that are distances."""
        panels: dict[str, dict[str, figures.Curve]] = {}
        for experiment, lines in self._lines().items():
            for name, values in lines.items():
                title = f"{experiment}, distance" if "Distance" in name else experiment
                panels.setdefault(title, {})[name] = figures.Curve(list(values), list(values.values()))
        figures.curves(path, panels, "topics, or share of the words", "")

    def _lines(self) -> dict[str, dict[str, dict[float, float]]]:
        """Return the value at each step, by experiment, and by metric and part."""
        lines: dict[str, dict[str, dict[float, float]]] = {}
        for one in self.records:
            lines.setdefault(one.experiment, {}).setdefault(f"{one.metric} {one.part}", {})[one.at] = one.value
        return lines


def synthetic(
    corpus: Corpus,
    metrics: Sequence[str] = METRICS,
    *,
    size: int = 1000,
    model: str | None = None,
    seed: int = 0,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> Synthetic:
    """Return corpus-level metrics while topics are dropped from the outputs, and while their words are swapped.

    One half of a topic's texts are references, and the other half are outputs. If there is one topic, none is dropped.

    Args:
        corpus: texts as candidates, with the topic of each as its system.
        metrics: specs of corpus-level metrics.
        size: the largest size of both sets.
        model: for metrics that name none.
        seed: draws the texts and the swapped words.
        progress, cache: as in `nlgauge.evaluate`.

    Raises:
        SpecError: a metric is not a corpus-level metric.
        InputError: a topic has fewer than two texts.
    """
    chosen = [registry.metric(spec, model=model) for spec in metrics]
    if other := [metric for metric in chosen if not isinstance(metric, SetMetric)]:
        raise SpecError(f"{other[0]} is not a corpus-level metric; there are {', '.join(METRICS)}")
    generator = np.random.default_rng(seed)
    references, held = _halves(corpus, size, generator)
    steps = dict(_steps(held, sum(map(len, references.values())), generator))
    rows = [row for (experiment, at), texts in steps.items() for row in _rows(f"{experiment} {at}", texts)]
    against = Corpus(tuple(_rows("references", [text for some in references.values() for text in some])))
    table = evaluate(Corpus(tuple(rows)), metrics=chosen, against=against, progress=progress, cache=cache)
    records = [
        Step(experiment=experiment, at=at, metric=spec, part=part, value=float(value))
        for wanted in (COLLAPSE, SWAP)
        for spec, column in table.columns.items()
        for part in _parts(column)
        for (experiment, at), value in zip(steps, column.values[:, column.parts.index(part)], strict=True)
        if experiment == wanted
    ]
    notes = dict.fromkeys(note for spec in table.metrics for note in table.run["notes"].get(spec, {}))
    return Synthetic(tuple(records), len(against), table.signatures, tuple(notes))


def _halves(
    corpus: Corpus, size: int, generator: np.random.Generator
) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Return the references and the remaining texts, each by topic. All topics have the same number of references.

    Args:
        corpus: texts as candidates, with the topic of each as its system.
        size: the greatest number of references.
        generator: draws the references.

    Raises:
        InputError: a topic has too few texts.
    """
    topics = {topic: dict.fromkeys(row.candidate for row in corpus if row.system == topic) for topic in corpus.systems}
    least = min(topics, key=lambda topic: len(topics[topic]))
    share = min(size // len(topics), len(topics[least]) // 2)
    if not share:
        raise InputError(f"{least!r} has too few texts", remedy="give two texts of each topic, and size >= the topics")
    drawn = {topic: generator.permutation(np.array([*texts], object)).tolist() for topic, texts in topics.items()}
    return {topic: some[:share] for topic, some in drawn.items()}, {
        topic: some[share:] for topic, some in drawn.items()
    }


def _steps(
    held: Mapping[str, list[str]], size: int, generator: np.random.Generator
) -> Iterator[tuple[tuple[str, float], list[str]]]:
    """Yield the outputs of each step.

    When topics are dropped, more texts of the remaining topics are taken in their place, as far as there are enough.

    Args:
        held: by topic, the texts that are not references.
        size: the greatest number of outputs of a step.
        generator: draws the words that are swapped.

    Returns:
        For each step: (experiment, number of dropped topics or probability of a swap), and the texts of the outputs.
    """
    for kept in range(len(held), 0, -1) if len(held) > 1 else ():
        texts = [text for topic in [*held][:kept] for text in held[topic][: size // kept]]
        yield (COLLAPSE, float(len(held) - kept)), texts
    whole = [text for some in held.values() for text in some[: size // len(held)]]
    for probability in SWAPS:
        yield (SWAP, probability), [_swapped(text, probability, generator) for text in whole]


def _swapped(text: str, probability: float, generator: np.random.Generator) -> str:
    words = text.split()
    for i in range(len(words)):
        if generator.random() < probability:
            j = int(generator.integers(len(words)))
            words[i], words[j] = words[j], words[i]
    return " ".join(words)


def _rows(system: str, texts: Sequence[str]) -> list[Row]:
    return [Row(text, system=system, item=str(number)) for number, text in enumerate(texts)]


def _parts(column: Column) -> tuple[str, ...]:
    """Return a metric's first part, and its parts that measure quality and diversity."""
    pairs = {"quality", "diversity", "precision", "recall", "f8", "f1_8"} & {*column.scores}
    if {"f8", "f1_8"} <= pairs or "quality" in pairs:
        pairs -= {"precision", "recall"}
    return tuple(part for part in column.parts if part == column.parts[0] or part in pairs)

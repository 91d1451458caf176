"""MaskEval with learned weights, on rows that they were not learned from (section 5 of the paper, tables 1, 2).

The paper learns the weights of each aspect on rows drawn at random (700 of SummEval, 62 of ASSET). It compares uniform
and learned weights on the other rows. It does not say which rows were drawn, so here they are drawn several times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge import registry
from nlgauge.contract.base import POCKET
from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.models.loading import load
from nlgauge.engine.models.onnx import threads
from nlgauge.errors import InputError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.maskeval import MaskEval
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number
from nlgauge.stats.coefficients import correlation
from nlgauge_lab.reproduce import published
from nlgauge_lab.training.run import torch_threads
from nlgauge_lab.training.weighter import WeighterConfig, fit, kept

_UNIFORM, _LEARNED = "uniform weights", "learned weights"


@dataclass(frozen=True)
class LearnedWeights:
    """Pearson correlations with ratings, by uniform and by learned weights, on rows that were not learned from."""

    aspects: tuple[str, ...]
    ours: dict[str, list[list[float]]]
    """By kind of weights, for each draw of rows: the correlations with the aspects"""
    printed: dict[str, list[float]]
    """By kind of weights, the correlations with the aspects that the paper prints; empty if no table was chosen"""
    rows: tuple[int, int]
    """How many rows the weights are learned from, and how many rows they are compared on"""

    def tables(self) -> list[list[list[Cell]]]:
        """Return a table with a row for each kind of weights.

        It has the mean over the draws with the least and the greatest value, and the correlations that the paper
        prints.
        """
        cells: list[list[Cell]] = [[f"pearson, {self.rows[1]} rows", *self.aspects]]
        for name, draws in self.ours.items():
            values = np.array(draws)
            columns = zip(values.mean(0), values.min(0), values.max(0), strict=True)
            cells.append([name, *(Number(float(a), float(low), float(high), digits=3) for a, low, high in columns)])
            if name in self.printed:
                cells.append([f"{name}, printed", *(Number(value, digits=3) for value in self.printed[name])])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a panel for each aspect, with a bar for each kind of weights."""
        known = {name: np.array(draws) for name, draws in self.ours.items()}
        known |= {f"{name}, printed": np.array([values]) for name, values in self.printed.items()}
        panels = {}
        for at, aspect in enumerate(self.aspects):
            own = [values[:, at] for values in known.values()]
            means, low, high = ([float(part(one)) for one in own] for part in (np.mean, np.min, np.max))
            panels[aspect] = figures.Bars(means, low, high, [""] * len(own))
        figures.bars(path, panels, list(known))


def learned_weights(
    corpus: Corpus,
    out: Path,
    learn: int,
    *,
    metric: str = "MaskEval(stride=8)",
    model: str | None = None,
    aspects: Sequence[str] = (),
    draws: int = 5,
    seed: int = 0,
    ours: bool = False,
    beside: str | None = None,
    cache: bool | str | Path = True,
    progress: bool = False,
) -> LearnedWeights:
    """Return how MaskEval agrees with people with uniform and with learned weights, on rows not learned from.

    Args:
        corpus: rated outputs; rows that lack a rating are left out.
        out: folder for the model's states and scores of words, which are computed once.
        learn: number of rows to learn from, drawn at random.
        metric: how words are masked and scored.
        model: for a metric that names none.
        aspects: the ratings; by default those of the table `beside`, else all.
        draws: how often rows are drawn.
        seed: of the first draw.
        ours: learn by nlgauge's recipe, and not by the paper's.
        beside: the paper's table to show for comparison, 'maskeval-table-1' or 'maskeval-table-2'.
        cache, progress: as in `nlgauge.evaluate`.

    Raises:
        InputError: there are no rows to compare on.
        SpecError: another metric, one with learned weights, or a table without learned weights.
    """
    made = registry.metric(metric, model=model)
    if not isinstance(made, MaskEval) or made.weights != _UNIFORM.partition(" ")[0]:
        raise SpecError(f"{made} is not MaskEval with uniform weights")
    columns, printed = _printed(beside)
    chosen = tuple(aspects or columns or sorted({aspect for row in corpus for aspect in row.scores}))
    rated = Corpus(tuple(row for row in corpus if all(aspect in row.scores for aspect in chosen)))
    if not chosen or not 0 < learn < len(rated) - 1:
        remedy = "rate more, or learn from fewer"
        raise InputError(f"{len(rated)} rows are rated, and {learn} are to be learned from", remedy=remedy)
    out.mkdir(parents=True, exist_ok=True)
    words = kept(rated, made, Engine(load(made.reads or POCKET), progress=progress), out)
    plain = evaluate(rated, metrics=[made], progress=progress, cache=cache)
    uniform = next(iter(plain.columns.values())).values[:, 0]
    found: dict[str, list[list[float]]] = {_UNIFORM: [], _LEARNED: []}
    for draw in range(seed, seed + draws):
        order = np.random.default_rng(draw).permutation(len(rated))
        own, rest = order[:learn], order[learn:]
        mine, others = words.of(own), words.of(rest)
        config = WeighterConfig(seed=draw) if ours else WeighterConfig.published(draw)
        for name in found:
            found[name].append([])
        for aspect in chosen:
            ratings = np.array([row.scores[aspect] for row in rated], np.float64)
            scaled = (ratings - ratings.min()) / max(np.ptp(ratings), 1e-12)
            with torch_threads(threads()):
                weight, share, _ = fit(mine, scaled[own], [rated[int(i)].item for i in own], config)
            values = others.numbers(weight, share)
            for name, said in ((_UNIFORM, uniform[rest]), (_LEARNED, values)):
                found[name][-1].append(float(correlation(said, ratings[rest])))
    beside_ours = {
        name: [values[columns.index(aspect)] if aspect in columns else np.nan for aspect in chosen]
        for name, values in printed.items()
    }
    return LearnedWeights(chosen, found, beside_ours, (learn, len(rated) - learn))


def _printed(table: str | None) -> tuple[list[str], dict[str, list[float]]]:
    """Return the aspects of a table of the paper, and its correlations with uniform and with learned weights."""
    if table is None:
        return [], {}
    (one,) = published.find([table])
    rows = {
        name: [value / one.scale for value in entry.published if value is not None]
        for name in (_UNIFORM, _LEARNED)
        for entry in one.rows
        if entry.name.startswith(f"MaskEval, {name}, ")
    }
    if len(rows) < 2:
        raise SpecError(f"{table} has no learned weights; there are maskeval-table-1 and maskeval-table-2")
    return [column.aspect for column in one.columns], rows

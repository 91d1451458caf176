"""How much of what a model reads is padding, for sets of rows and for metrics.

    python benchmarks/padding.py FILE [FILE ...] [--items 60] [-m METRIC ...] [--output FILE]

FILE is a table of outputs, as for nlgauge score. Batches are those of a run. The model is not computed, so this takes
seconds. The share is of all positions that the model would compute. Packing several texts into a row would save this
share, and would need a mask of blocks in every graph. That is worth it if the share is above a tenth.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import heading, table

from nlgauge import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS, TOKENIZER, Floats, Ints
from nlgauge.registry import metric
from nlgauge.run.plan import Plan

METRICS = ("BERTScore", "InfoLM(stride=8)", "Consistency(aligner='D')", "MaskEval(stride=8)")


class Counting:
    """A stand-in for every part of a model. It counts positions and padding, and answers with zeros or ones."""

    def __init__(self, layers: int, width: int, vocabulary: int) -> None:
        self.layers, self.width, self._vocabulary = layers, width, vocabulary
        self.digest = "counting"
        self.positions = self.padding = 0

    def _count(self, attend: Ints) -> None:
        self.positions += attend.size
        self.padding += int((attend == 0).sum())

    def hidden(self, ids: Ints, attend: Ints, layers: Any) -> Floats:
        self._count(attend)
        return np.ones((len(layers), *ids.shape, self.width), np.float32)

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        self._count(attend)
        return np.zeros((len(at), self._vocabulary), np.float32)

    def other_text(self, ids: Ints) -> None:
        self.positions += ids.size

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: None) -> Floats:
        return self.masked_logits(ids, attend, at)

    def pair_states(self, ids: Ints, attend: Ints, other: None) -> Floats:
        return self.hidden(ids, attend, [0])[0]

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        self._count(attend)
        row = np.zeros(len(ids), np.float32)
        return np.zeros(ids.shape, np.float32), row, row, row


def share(corpus: Corpus, spec: str) -> tuple[int, float]:
    """Return the positions that a metric requests from the model, and the share of them that is padding."""
    model, chosen = loading.load("pocket"), metric(spec)
    parts = Counting(model[ENCODER].layers, model[ENCODER].width, model[TOKENIZER].largest_id + 1)
    abilities = {**model.abilities, **dict.fromkeys((ENCODER, MASKED_LM, MASKED_PAIRS, ALIGNER), parts)}
    plan, rows = Plan(corpus, {spec: chosen}, Engine(replace(model, abilities=abilities))), range(len(corpus))
    _, lookup = plan.look_up(rows)
    for _ in plan.scorer.blocks(corpus, rows, lookup):
        pass
    return parts.positions, parts.padding / max(1, parts.positions)


def main() -> None:
    made = measuring.parser(__doc__ or "")
    made.add_argument("files", type=Path, nargs="+")
    made.add_argument("-m", "--metric", dest="metrics", action="append", help="in place of the usual ones; repeatable")
    made.add_argument("--items", type=int, default=60, help="the first so many items of each file")
    options = made.parse_args()
    figures: dict[str, Any] = {}
    specs = options.metrics or METRICS
    heading("share of padding, per cent")
    for path in options.files:
        everything = Corpus.read(path)
        kept = set(list(dict.fromkeys(row.item for row in everything))[: options.items])
        corpus = Corpus(tuple(row for row in everything if row.item in kept))
        figures[path.name] = {spec: share(corpus, spec) for spec in specs}
    table(("rows", *specs), [(name, *(f"{100 * x:.1f}" for _, x in of.values())) for name, of in figures.items()])
    measuring.save(options.output, figures)


if __name__ == "__main__":
    main()

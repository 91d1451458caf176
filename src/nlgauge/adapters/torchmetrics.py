"""A torchmetrics `Metric` with update, compute, and merging across processes.

torchmetrics calls `update` with the texts of a batch, and `compute` when a number is wanted. Between these calls it may
gather the states of all processes (`sync`), add the states of two metrics (`merge_state`), and move or copy states. The
state therefore holds the rows themselves, as bytes of JSON Lines. `compute` is one `nlgauge.evaluate` of all rows, so a
metric that counts on the corpus counts on the rows of all processes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric as TorchMetric
from torchmetrics.utilities import dim_zero_cat

from nlgauge.adapters.scorer import Scorer, means
from nlgauge.contract.base import Metric
from nlgauge.data.corpus.documents import without_documents
from nlgauge.errors import InputError


class NLGaugeMetric(TorchMetric):  # type: ignore[misc]  # torchmetrics is not installed where types are checked
    """A torchmetrics metric that computes any metrics of nlgauge over all rows that `update` was given.

    `compute` returns a dictionary from metric (or "metric part") to a float64 tensor without dimensions. It holds the
    mean over the rows, or the corpus score of the metric; NaN where no row has a number. `forward` also scores its
    batch alone, which costs as much again.

    Args:
        metrics: specs or Metric objects.
        settings: arguments of torchmetrics' own Metric, such as {"dist_sync_on_step": True}.
        options: as `nlgauge.evaluate` takes them.

    Raises:
        SpecError: a metric does not exist or cannot be used.
    """

    is_differentiable = False
    full_state_update = False
    rows: list[torch.Tensor]

    def __init__(
        self, metrics: Sequence[str | Metric] | str | Metric, *, settings: dict[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(**(settings or {}))
        self.scorer = Scorer(metrics, **options)
        self.add_state("rows", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher is better for all metrics in this one; None where they differ."""
        ways = {metric.higher_is_better for metric in self.scorer.metrics}
        return ways.pop() if len(ways) == 1 else None

    def update(
        self,
        preds: str | Sequence[str],
        target: Sequence[str | Sequence[str]] | str | None = None,
        *,
        sources: Sequence[Any] | str | None = None,
        contexts: Sequence[Any] | str | None = None,
    ) -> None:
        """Add rows.

        Args:
            preds: the texts to score.
            target: for each text, a reference or a list of references.
            sources: the source of each text.
            contexts: the context of each text.

        Raises:
            InputError: lists have different lengths.
        """
        passages = [
            texts if texts is None or isinstance(texts, str) else list(map(without_documents, texts))
            for texts in (sources, contexts)
        ]
        columns = {"candidate": preds, "references": target, "source": passages[0], "context": passages[1]}
        lists = {
            name: [texts] if isinstance(texts, str) else texts for name, texts in columns.items() if texts is not None
        }
        lengths = {name: len(texts) for name, texts in lists.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{length} of {name}" for name, length in lengths.items())
            raise InputError(f"a batch has {told}", remedy="give one of each for every candidate")
        records = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        self.rows.append(self._bytes("".join(json.dumps(record) + "\n" for record in records)))

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the mean or corpus score over all rows, by metric. Raises InputError where there are no rows."""
        # Whatever type the states were given (`set_dtype`), a byte fits into it.
        content = dim_zero_cat(self.rows).to(torch.uint8).cpu().numpy().tobytes() if len(self.rows) else b""
        records = [json.loads(line) for line in content.splitlines()]
        if not records:
            raise InputError("there are no rows to score", remedy="call update first")
        return {
            name: torch.tensor(value, dtype=torch.float64, device=self.device)
            for name, value in means(self.scorer.table(records)).items()
        }

    def sync(self, *args: Any, **options: Any) -> None:
        """Gather the rows of all processes as torchmetrics does. A process without rows sends an empty tensor."""
        if isinstance(self.rows, list) and not self.rows:
            self.rows.append(self._bytes(""))
        super().sync(*args, **options)

    def _bytes(self, text: str) -> torch.Tensor:
        return torch.from_numpy(np.frombuffer(text.encode("ascii"), np.uint8).copy()).to(self.device)

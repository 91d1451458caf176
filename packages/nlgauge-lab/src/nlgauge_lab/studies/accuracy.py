"""Study of whether a better aligner makes a better metric: accuracy of the alignment against agreement with people.

Section 4.4 and figure 7 of the CTC paper: one training run of an aligner is measured at many steps. At each step the
aligner judges words that people labelled, and a metric with this aligner scores outputs that people rated. The star in
the figure is the last of these aligners after further training on other words that people labelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nlgauge import registry
from nlgauge.data.corpus import Corpus
from nlgauge.errors import SpecError
from nlgauge.metrics.ctc import CTCAspect
from nlgauge.reports import figures
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep
from nlgauge_lab.training.aligner_run import train


class Accuracies(Sweep):
    """The agreement with people at steps of training, together with the accuracy of the alignment there."""

    def draw(self, path: Path) -> None:
        """Draw a panel for each aspect and coefficient: accuracy on the x axis, agreement on the y axis."""
        panels: dict[str, dict[str, figures.Curve]] = {}
        for aspect in self.aspects:
            for coefficient in self.coefficients:
                panel = panels.setdefault(f"{aspect}, {coefficient}", {})
                for line in self.lines:
                    points = sorted(self.of(line, aspect, coefficient), key=lambda point: point.setting["accuracy"])
                    at = [point.setting["accuracy"] for point in points]
                    panel[line] = figures.Curve(at, [point.agreement.value for point in points])
        figures.curves(path, panels, "accuracy of the alignment", "agreement with people")


def accuracy(
    corpus: Corpus,
    words: Path,
    out: Path,
    every: int,
    *,
    metric: str = "Consistency(aligner='D')",
    finetune: Path | None = None,
    labelled: Path | None = None,
    pairs: Sequence[Path] = (),
    tasks: Sequence[str] = (),
    config: Path | None = None,
    body: str | None = None,
    steps: int | None = None,
    **how: Any,
) -> Accuracies:
    """Return the agreement of a metric with people at many steps of an aligner's training, and the accuracies there.

    Args:
        corpus: rated outputs.
        words: labelled rows whose words the accuracy is measured on. None of their sources is trained on.
        out: folder of the run. A run that was stopped continues from there.
        every: steps between two points.
        metric: a metric of the aligner D that names no model.
        finetune: labelled rows for further training of the last aligner, over `every` steps.
        labelled, pairs, tasks, config, body, steps: as in `nlgauge_lab.training.aligner_run.train`.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: the metric has no aligner D, or names a model.
    """
    made = registry.metric(metric)
    if not isinstance(made, CTCAspect) or made.aligner != "D" or made.model is not None:
        raise SpecError(f"{made} is no metric of the aligner D without a model, such as Consistency(aligner='D')")
    snapshots = words, every
    train(out, labelled=labelled, pairs=pairs, tasks=tasks, config=config, body=body, steps=steps, snapshots=snapshots)
    points = list(_points(out, "trained"))
    if finetune is not None:
        last = str(points[-1][2])
        train(
            out / "fine-tuned",
            labelled=finetune,
            config=config,
            body=last,
            steps=every,
            snapshots=snapshots,
            begin="aligner",
        )
        points += list(_points(out / "fine-tuned", "fine-tuned"))[-1:]
    settings = [Setting(line, values, replace(made, model=str(folder))) for line, values, folder in points]
    found = sweep(corpus, settings, ("steps", "accuracy"), **how)
    return Accuracies(**vars(found))


def _points(out: Path, line: str) -> Iterator[tuple[str, dict[str, Any], Path]]:
    """Yield the points of a run in the order of its steps: line, values of the setting, and folder of the aligner.

    Args:
        out: the folder of the run.
        line: the name of the line that the points belong to, as in `Setting`.
    """
    for text in (out / "curve.jsonl").read_text(encoding="utf-8").splitlines():
        point = json.loads(text)
        step, right = point["step"], point["words"]["words"]["accuracy"]
        yield line, {"steps": step, "accuracy": right}, out / f"at-{step}"

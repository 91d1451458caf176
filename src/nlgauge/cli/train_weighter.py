"""nlgauge train weighter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.options import MAP, MODEL, PLACE
from nlgauge.cli.terminal import read_outputs


@click.command()
@click.option("--ratings", type=PLACE, required=True, help="Rated outputs: rows of candidate, source, item and scores.")
@click.option("--aspect", "aspects", multiple=True, required=True, help="Which rating to learn; repeatable.")
@click.option("--out", type=PLACE, required=True, help="Folder for the weighters and their cards.")
@click.option("-m", "--metric", "spec", default="MaskEval(stride=8)", show_default=True, help="How words are scored.")
@MODEL
@MAP
@click.option("--scale", type=float, nargs=2, help="Least and greatest possible rating; what the file has by default.")
@click.option("--seed", type=int, default=0, show_default=True)
def weighter(
    ratings: Path, aspects: Sequence[str], out: Path, spec: str, model: str | None, columns: Sequence[str],
    scale: tuple[float, float] | None, seed: int,
) -> None:  # fmt: skip
    """Learn which words MaskEval should listen to for a quality that people rated."""
    from nlgauge.catalogue import registry
    from nlgauge.errors import MissingExtraError, SpecError
    from nlgauge.metrics.maskeval import MaskEval

    metric = registry.metric(spec, model=model)
    if not isinstance(metric, MaskEval):
        raise SpecError(f"{metric} has no weighter; give MaskEval(...)")
    corpus = read_outputs(ratings, columns)
    try:
        from nlgauge.lab.training.weighter import WeighterConfig, train
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    for path in train(corpus, aspects, out, metric, scale, WeighterConfig(seed=seed)):
        click.echo(str(path))

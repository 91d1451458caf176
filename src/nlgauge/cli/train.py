"""nlgauge train: the group, and what it trains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.terminal import PLACE
from nlgauge.cli.train_combination import combination


@click.group()
def train() -> None:
    """Train what nlgauge scores with (needs nlgauge[train], all but combination)."""


train.add_command(combination)


@train.command("masked-lm")
@click.option("--texts", type=PLACE, help="Folder of .txt, .txt.gz or .txt.xz files, a passage a line.")
@click.option("--pairs", type=PLACE, help="Instead: JSON Lines of candidate and source, or a folder of such files.")
@click.option("--out", type=PLACE, required=True, help="Folder for checkpoints, the curve and the finished model.")
@click.option("--config", type=PLACE, help="Recipe (TOML); the recipe of the embedded model by default.")
@click.option("--steps", type=click.IntRange(min=1), help="Instead of the recipe's number of steps.")
def masked_lm(texts: Path | None, pairs: Path | None, out: Path, config: Path | None, steps: int | None) -> None:
    """Train a masked LM on plain text, or adapt one to pairs of texts; run again to resume after an interruption.

    With --pairs the model learns to predict words of one text from another, for MaskEval: what it was stays as it was,
    and weights for pairs are put beside.
    """
    from nlgauge.errors import MissingExtraError, SpecError

    if (texts is None) == (pairs is None):
        raise SpecError("give either --texts or --pairs")
    try:
        from nlgauge.training import masked_lm as plain
        from nlgauge.training import pairs as adapted
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    if pairs is not None:
        click.echo(str(adapted.train(pairs, out, config, steps)))
    elif texts is not None:
        click.echo(str(plain.train(texts, out, config, steps)))


@train.command("weighter")
@click.option("--ratings", type=PLACE, required=True, help="Rated outputs: rows of candidate, source, item and scores.")
@click.option("--aspect", "aspects", multiple=True, required=True, help="Which rating to learn; repeatable.")
@click.option("--out", type=PLACE, required=True, help="Folder for the weighters and their cards.")
@click.option("-m", "--metric", "spec", default="MaskEval(stride=8)", show_default=True, help="How words are scored.")
@click.option("--model", help="Model, where the metric names none.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option("--scale", type=float, nargs=2, help="Least and greatest possible rating; what the file has by default.")
@click.option("--seed", type=int, default=0, show_default=True)
def weighter(
    ratings: Path, aspects: Sequence[str], out: Path, spec: str, model: str | None, columns: Sequence[str],
    scale: tuple[float, float] | None, seed: int,
) -> None:  # fmt: skip
    """Learn which words MaskEval should listen to for a quality that people rated."""
    from nlgauge import registry
    from nlgauge.cli.terminal import read_outputs
    from nlgauge.errors import MissingExtraError, SpecError
    from nlgauge.metrics.maskeval import MaskEval

    metric = registry.metric(spec, model=model)
    if not isinstance(metric, MaskEval):
        raise SpecError(f"{metric} has no weighter; give MaskEval(...)")
    corpus = read_outputs(ratings, None, (), None, None, None, columns)
    try:
        from nlgauge.training.weighter import WeighterConfig, train
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    for path in train(corpus, aspects, out, metric, scale, WeighterConfig(seed=seed)):
        click.echo(str(path))


@train.command("aligner")
@click.option(
    "--pairs",
    type=PLACE,
    multiple=True,
    required=True,
    help="File or folder of documents or pairs, one for each --task; or the folder of a recipe's files.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    help="What the file's examples are made for: summarization, reference, style, dialogue or knowledge.",
)
@click.option("--out", type=PLACE, required=True, help="Folder for examples, checkpoints, curve and finished model.")
@click.option("--config", type=PLACE, help="Recipe (TOML); the recipe of the embedded model by default.")
@click.option("--body", help="Model to train on: pocket, or a folder of ours.")
@click.option("--attempts", type=click.IntRange(min=1), help="How many examples are tried, instead of the recipe's.")
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the recipe's.")
@click.option("--examples-only", is_flag=True, help="Write the examples, to be read by people, and stop.")
def aligner(
    pairs: Sequence[Path], tasks: Sequence[str], out: Path, config: Path | None, body: str | None,
    attempts: int | None, seed: int | None, examples_only: bool,
) -> None:  # fmt: skip
    """Train an aligner (D and R) on examples made from texts that nobody labelled; run again to resume.

    Use it with model=FOLDER/model, as in -m "Groundedness(aligner='D', model='FOLDER/model')".
    """
    from nlgauge.errors import MissingExtraError

    try:
        from nlgauge.training.aligner import train as run
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    place = run(
        pairs, out, tasks=tasks, config=config, body=body, attempts=attempts, seed=seed, examples_only=examples_only
    )
    click.echo(str(place))

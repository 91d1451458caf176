"""nlgauge train: the group, and what it trains."""

from __future__ import annotations

from pathlib import Path

import click

from nlgauge.cli.terminal import PLACE


@click.group()
def train() -> None:
    """Train what nlgauge scores with (needs nlgauge[train])."""


@train.command("masked-lm")
@click.option("--texts", type=PLACE, required=True, help="Folder of .txt, .txt.gz or .txt.xz files, a passage a line.")
@click.option("--out", type=PLACE, required=True, help="Folder for checkpoints, the curve and the finished model.")
@click.option("--config", type=PLACE, help="Recipe (TOML); the recipe of the embedded model by default.")
@click.option("--steps", type=click.IntRange(min=1), help="Instead of the recipe's number of steps.")
def masked_lm(texts: Path, out: Path, config: Path | None, steps: int | None) -> None:
    """Train a masked LM on plain text; run again to resume after an interruption."""
    from nlgauge.errors import MissingExtraError

    try:
        from nlgauge.training.masked_lm import train as run
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    click.echo(str(run(texts, out, config, steps)))

"""nlgauge train body."""

from __future__ import annotations

from pathlib import Path

import click

from nlgauge.cli.terminal import PLACE


@click.command()
@click.option(
    "--archive",
    type=PLACE,
    required=True,
    help="all-mpnet-base-v2: its folder, its zip, or the folder of the packages that carry the zip in parts.",
)
@click.option("--out", type=PLACE, required=True, help="Folder for the body; a new one.")
@click.option(
    "--texts", type=PLACE, help="Folder of .txt, .txt.gz or .txt.xz files, for BERTScore's baseline; none without it."
)
@click.option(
    "--precision", default="float32", show_default=True, help="In which the baseline is measured; bfloat16 is faster."
)
def body(archive: Path, out: Path, texts: Path | None, precision: str) -> None:
    """Make the body of the larger model, base, from the archive of all-mpnet-base-v2 (docs/training.md).

    Nothing is trained: its first eight layers are stored in 8 bits, its vocabulary in the order of pocket's ids.
    """
    from nlgauge.errors import MissingExtraError

    try:
        from nlgauge.lab.training.mpnet import write_body
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    click.echo(str(write_body(archive, out, texts, precision)))

"""nlgauge train bars."""

from __future__ import annotations

from pathlib import Path

import click

from nlgauge.cli.options import IN_FORMATS, PLACE, keeping
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import show_tables


@click.command()
@click.option("--labelled", type=PLACE, required=True, help="Folder with labelled sets, as summedits.dev.jsonl.")
@click.option("--model", default="pocket", show_default=True, help="pocket, base, or a folder of ours.")
@click.option("--write", is_flag=True, help="Put bars and rates on the card of the model, where check finds them.")
@IN_FORMATS
@keeping
def bars(labelled: Path, model: str, write: bool, layout: str, cache: Path | bool) -> None:
    """Measure the bars of check --grounded: the probabilities below which a text fails, and from which it passes.

    Prints the bars, and a table of what they do on each set: the share of the unsupported texts that fail,
    of the supported texts that fail, and of all texts of which the gate cannot say.
    """
    from nlgauge.errors import MissingExtraError

    try:
        from nlgauge.lab.training import bars as measured
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    held_to, found = measured.measure(labelled, model, cache)
    show_tables([measured.as_cells(found)], layout)
    remark(f"{model}: fails below {held_to.fail_below:g}, passes from {held_to.pass_from:g}")
    if write:
        remark(f"written to the card in {measured.write(model, held_to, found)}")

"""nlgauge study: the group. Studies of a scores file are in `of_scores.py`, those that score in `of_outputs.py`."""

from __future__ import annotations

import click

from nlgauge.cli.study.of_outputs import ablation, alpha_beta, layers, neighbours, temperature
from nlgauge.cli.study.of_scores import distributions, matrix, parts_of_speech, significance


@click.group()
def study() -> None:
    """Study metrics, as the papers study theirs (docs/studies.md). Prints numbers, draws a figure with -o.

    matrix, distributions, significance and parts-of-speech read a scores file. The others score a table of rated
    outputs at all settings in one pass over the texts; --items takes the first so many items.
    """


for _command in (
    matrix, distributions, parts_of_speech, significance, temperature, alpha_beta, layers, ablation, neighbours
):  # fmt: skip
    study.add_command(_command)

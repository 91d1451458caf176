"""nlgauge study: the group. Studies of a scores file are in `of_scores.py`, those that score in `of_outputs.py`."""

from __future__ import annotations

import click

from nlgauge.cli.study import of_outputs, of_scores


@click.group()
def study() -> None:
    """Study metrics, as the papers study theirs (docs/studies.md). Prints numbers, draws a figure with -o.

    matrix, distributions, significance and parts-of-speech read a scores file. The others score a table of rated
    outputs at all settings in one pass over the texts; --items takes the first so many items.
    """


for _command in (*of_scores.COMMANDS, *of_outputs.COMMANDS):
    study.add_command(_command)

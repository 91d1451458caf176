"""nlgauge study: the group. Its commands are in `of_scores.py`, `of_outputs.py` and `of_probes.py`."""

from __future__ import annotations

import click

from nlgauge.cli.study import of_outputs, of_probes, of_scores


@click.group()
def study() -> None:
    """Study metrics as the papers do (docs/studies.md). Prints numbers, draws a figure with -o.

    matrix, distributions, significance and parts-of-speech read a scores file, and probes brings its own texts. The
    others score a table of rated outputs at all settings in one pass over the texts; --items takes the first so many.
    """


for _command in (*of_scores.COMMANDS, *of_outputs.COMMANDS, *of_probes.COMMANDS):
    study.add_command(_command)

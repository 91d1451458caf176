"""A verdict for people: what fails, then the counts, then one word."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click
from click.formatting import wrap_text

from nlgauge.cli.check import wording
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import WIDTH, coloured
from nlgauge.data.table import ScoreTable
from nlgauge.meta.gate import Verdict


def show(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """Findings on stdout; what was left out, where more is to be seen, and the signature on stderr."""
    colour = coloured()
    for one in verdict.failures:
        click.echo(f"{click.style('FAIL', fg='red', bold=True)}  {wording.place(one)}: {one.problem}", color=colour)
        for line in wording.quoted(one):
            click.echo(wrap_text(line, WIDTH, "      ", "        "))
    if verdict.at_least is not None or verdict.at_most is not None or verdict.failures:
        click.echo(wording.counted(verdict))
    for regression in verdict.regressions:
        head, numbers = wording.compared(regression, against)
        click.echo(head)
        click.echo(wrap_text(numbers, WIDTH, "      ", "        "))
    end = click.style("passed", fg="green", bold=True) if verdict.passed else click.style("FAILED", fg="red", bold=True)
    click.echo(end, color=colour)
    tell(verdict, table, outputs, how)


def tell(verdict: Verdict, table: ScoreTable, outputs: Path, how: str) -> None:
    """What has to be known beside the verdict, on stderr. how: the options by which outputs were read and scored."""
    for line in wording.left_out(verdict):
        remark(line)
    rows = [one.row for one in verdict.failures if one.row is not None and one.state == "bar"]
    if rows:
        spec = verdict.metric.replace('"', '\\"')
        remark(f'what a score is based on: nlgauge explain {quote(str(outputs))} -m "{spec}" --row {rows[0]}{how}')
    remark(str(table.signatures[verdict.metric]))

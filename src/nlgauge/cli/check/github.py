"""A verdict as workflow commands of GitHub Actions: an annotation for whatever fails, at its line of the outputs.

The form is that of https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands.
"""

from __future__ import annotations

from pathlib import Path

import click

from nlgauge.cli.check import text
from nlgauge.data.table import ScoreTable
from nlgauge.meta.gate import Verdict


def show(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """Annotations and the counts on stdout, the rest on stderr as `text` has it."""
    title = text.name(verdict)
    for one in verdict.failures:
        # Only there does the number of a row tell its line.
        line = one.row if outputs.suffix == ".jsonl" else None
        message = "\n".join([f"{text.place(one)}: {one.problem}", *text.quoted(one)])
        click.echo(_command("error", message, file=outputs, line=line, title=title))
    for regression in verdict.regressions:
        if regression.worse:
            message = "\n".join(text.compared(regression, against))
            click.echo(_command("error", message, file=outputs, line=None, title=title))
    end = f"{text.counted(verdict)}; {'passed' if verdict.passed else 'failed'}"
    click.echo(_command("notice", end, file=None, line=None, title=title))
    text.tell(verdict, table, outputs, how)


def _command(kind: str, message: str, **properties: object) -> str:
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{kind} {given}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")

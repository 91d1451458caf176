"""A verdict as an answer: lines for people, and a document for each format that CI servers and programs read."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from nlgauge.cli.check import ci, text
from nlgauge.cli.streams import printed
from nlgauge.data.table import ScoreTable
from nlgauge.gate import Verdict
from nlgauge.gate.attest import verdict_record
from nlgauge.show.answer import Answer
from nlgauge.show.lines import TextLine

_RULINGS = {"passes": "passed", "fails": "FAILED", "cannot tell": "CANNOT TELL"}
"""The last word of text output"""


def answer_of(verdict: Verdict, table: ScoreTable, *, outputs: Path, against: Path | None, how: str) -> Answer:
    """Return the answer of nlgauge check.

    Args:
        verdict: the verdict of the gate.
        table: the scores that were checked.
        outputs: the file of the outputs.
        against: the file of the earlier run; None without one.
        how: the options by which outputs were read and scored.

    Returns:
        The answer. Its `documents` have the JSON too, which is sealed as a whole and so not made of the `record`.
    """
    baseline = None if against is None else str(against)
    documents = {name: partial(form, verdict, outputs, against) for name, form in ci.FORMATS.items()}
    return Answer(
        command="check",
        lines=list(text.lines(verdict, against)),
        notes=list(text.notes(verdict, table, outputs, how)),
        ending=TextLine(((_RULINGS[verdict.ruling], verdict.ruling),)),
        documents={**documents, "json": lambda: printed(verdict_record(verdict, table, baseline))},
    )

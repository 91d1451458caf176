"""The command nlgauge verify."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.options import IN_FORMATS, MAP, PLACE, example
from nlgauge.cli.outputs import read_outputs
from nlgauge.cli.terminal import show
from nlgauge.show.answer import Answer
from nlgauge.show.tables import NONE, Cell

_EXIT_CODES = {"fits": 0, "changed": 1, "no seal": 3}


@click.command(epilog=example("nlgauge verify scores.jsonl --outputs answers.jsonl"))
@click.argument("files", type=PLACE, nargs=-1, required=True)
@click.option("--outputs", type=PLACE, help="Of scores: the outputs that are said to have been scored.")
@MAP
@IN_FORMATS
def verify(files: Sequence[Path], outputs: Path | None, columns: Sequence[str], layout: str) -> None:
    """Was a result changed after it was written? Scores, thresholds, panels, histories, verdicts and statements.

    Each of these files has a seal: digests of its whole content. For a changed file, the command prints what was
    changed, and with --outputs also the rows whose texts are not those that were scored. For a folder (of scores, or
    the rating project of nlgauge sample), it prints each file with its digest, and which files were changed, added or
    are missing. Sheets may be filled in, as long as their rows and texts are those that were drawn. Exit code 0: all
    files are as they were written; 1: a file was changed; 2: wrong use, or a file that is no result; 3: a file has no
    seal, so that it is not known whether it was changed.

    A seal is no signature: whoever changes a file on purpose can seal it again. nlgauge check --attest writes a
    statement that other programs sign.
    """
    from nlgauge.gate.verify import verify as verification_of

    corpus = None if outputs is None else read_outputs(outputs, columns, on_missing="skip")
    verifications = [verification_of(file, corpus) for file in files]
    rulings = [verification.ruling for verification in verifications]
    cells: list[list[Cell]] = [
        [verification.file, verification.kind, ruling, verification.digest or NONE, "; ".join(verification.changes)]
        for verification, ruling in zip(verifications, rulings, strict=True)
    ]
    contents: list[list[Cell]] = [
        [f"{verification.file}/{file.name}", "file", file.state, file.digest or NONE, file.problem or ""]
        for verification in verifications
        for file in verification.contents
    ]
    answer = Answer(
        command="verify",
        record={"files": [{**vars(verification), "ruling": verification.ruling} for verification in verifications]},
        tables=[[["file", "kind", "ruling", "sha256", "changes"], *cells, *contents]],
        lines=[line for verification in verifications for line in (verification.sentence, *verification.lines)],
    )
    show(answer, layout)
    sys.exit(next((_EXIT_CODES[ruling] for ruling in ("changed", "no seal") if ruling in rulings), 0))

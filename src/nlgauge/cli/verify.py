"""nlgauge verify."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.options import MAP, PLACE, example
from nlgauge.cli.streams import show_json
from nlgauge.cli.terminal import read_outputs

_EXIT_CODES = {"fits": 0, "changed": 1, "no seal": 3}


@click.command(epilog=example("nlgauge verify scores.jsonl --outputs answers.jsonl"))
@click.argument("files", type=PLACE, nargs=-1, required=True)
@click.option("--outputs", type=PLACE, help="Of scores: the outputs that are said to have been scored.")
@MAP
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def verify(files: Sequence[Path], outputs: Path | None, columns: Sequence[str], layout: str) -> None:
    """Was a result changed after it was written? Scores, thresholds, panels, histories, verdicts and statements.

    Each of these files has a seal: digests of all that it says. A changed file is named with what was changed, and with
    --outputs also the rows whose texts are not those that were scored. Of a folder (of scores, or the rating project of
    nlgauge sample) each file is named with its digest, and which ones were changed, added or are missing; sheets may be
    filled, as long as their rows and texts are those that were drawn. Exit code 0: all are as they were written;
    1: one was changed; 2: wrong use, or a file that is no result; 3: one has no seal, so that it is not known.

    A seal is no signature: whoever changes a file on purpose can seal it again. nlgauge check --attest writes a
    statement that other programs sign.
    """
    from nlgauge.gate.verify import verify as found_in

    corpus = None if outputs is None else read_outputs(outputs, columns, on_missing="skip")
    found = [found_in(file, corpus) for file in files]
    if layout == "json":
        show_json("verify", files=[{**vars(one), "ruling": one.ruling} for one in found])
    else:
        for one in found:
            click.echo(one.sentence)
            for file in one.contents:
                click.echo(f"  {file.digest or '-' * 64}  {file.name} ({file.state})")
    sys.exit(next((_EXIT_CODES[kind] for kind in ("changed", "no seal") if kind in {one.ruling for one in found}), 0))

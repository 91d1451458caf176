"""The study that brings its own texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.keeping import cache_of, keeping
from nlgauge.cli.study.options import REPLICATES, SEED, SHOWN, together
from nlgauge.cli.study.showing import check_figure, show
from nlgauge.cli.terminal import PLACE


@click.command()
@together(
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="Consistency(aligner='D') and CopyRate by default; repeatable."
    ),
    click.option("--model", "models", multiple=True, help="Model of metrics that name none; repeatable."),
    click.option(
        "--setting", "settings", multiple=True,
        help="source, question, '4 passages' or '8 passages'; all by default; repeatable.",
    ),
    click.option("--probes", "file", type=PLACE, help="Sentences of your own (docs/studies.md)."),
    REPLICATES,
    SEED,
    keeping,
    *SHOWN,
)  # fmt: skip
def probes(
    metrics: Sequence[str], models: Sequence[str], settings: Sequence[str], file: Path | None, replicates: int,
    seed: int, cache: Path | None, no_cache: bool, output: Path | None, layout: str,
) -> None:  # fmt: skip
    """Does a metric find small errors, or does it only recognise copies?

    Scores our own sentences: each with one small error, corrected, and beside free paraphrases of its source.
    """
    from nlgauge.lab.studies.probes import probes as run

    check_figure(output)
    given = {name: some for name, some in (("metrics", metrics), ("settings", settings)) if some}
    result = run(
        models=models, file=file, replicates=replicates, seed=seed, cache=cache_of(cache, no_cache), progress=True,
        **given,
    )  # fmt: skip
    show("probes", result, output, layout)


COMMANDS = (probes,)

"""The studies of a scores file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.streams import remark
from nlgauge.cli.study.options import ASPECT, REPLICATES, SEED, SHOWN, of_scores, together
from nlgauge.cli.study.showing import check_figure, read_scores, show
from nlgauge.cli.terminal import PLACE, tell_joined


@click.command()
@of_scores("system", "pearson")
def matrix(
    scores: Path, outputs: Path | None, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], level: str, coefficient: str, output: Path | None, layout: str,
) -> None:  # fmt: skip
    """How metrics agree with each other and with people (InfoLM, figure 2)."""
    from nlgauge.show.matrix import correlation_matrix

    check_figure(output)
    table, rated = read_scores(scores, outputs, columns, add, lower)
    result = correlation_matrix(
        table, rated, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient
    )
    show("matrix", result, output, layout)
    for pair, reason in result.reasons.items():
        remark(f"{pair}: no value: {reason}")
    tell_joined(table)


@click.command()
@of_scores(None)
@click.option("--bins", type=click.IntRange(min=2), default=40, show_default=True)
def distributions(
    scores: Path, outputs: Path | None, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], output: Path | None, layout: str, bins: int,
) -> None:  # fmt: skip
    """How scores and ratings are distributed (InfoLM, figures 3, 9).

    All are brought to the range from 0, the worst value that occurs, to 1, the best.
    """
    from nlgauge.lab.studies.distributions import distributions as run

    check_figure(output)
    table, rated = read_scores(scores, outputs, columns, add, lower)
    result = run(table, rated, metrics=metrics or None, every_part=parts, bins=bins)
    show("distributions", result, output, layout)
    for one in result.records:
        for count, what in ((one.undefined, "without a value"), (one.infinite, "with an infinite value")):
            if count:
                remark(f"{one.name}: {count} rows {what}, left out")
        if one.reason:
            remark(f"{one.name}: {one.reason}")
    tell_joined(table)


@click.command("parts-of-speech")
@click.argument("scores", type=PLACE)
@click.option("--tagger", required=True, help="An installed spaCy pipeline with parts of speech, as en_core_web_sm.")
@click.option("-m", "--metric", "metrics", multiple=True, help="This metric; repeatable; all that show words.")
@together(*SHOWN)
def parts_of_speech(scores: Path, tagger: str, metrics: Sequence[str], output: Path | None, layout: str) -> None:
    """Which kinds of words a metric listens to (MaskEval, figure 4).

    Reads a scores file that keeps the evidence: nlgauge score --evidence -o SCORES.
    """
    from nlgauge import ScoreTable
    from nlgauge.lab.studies.parts_of_speech import parts_of_speech as run

    check_figure(output)
    show("parts_of_speech", run(ScoreTable.load(scores), tagger, metrics=metrics or None), output, layout)


@click.command()
@of_scores("system", "pearson", rated=True)
@together(
    ASPECT,
    click.option("--test", default="williams", show_default=True, help="williams (Pearson only), or permutation."),
    click.option("--df", default="n-3", show_default=True, help="For williams: n-3, or n-2 as R's psych has it."),
    click.option("--correction", default="holm", show_default=True, help="holm, benjamini_hochberg or none."),
    click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the clusters."),
    REPLICATES,
    SEED,
)
def significance(
    scores: Path, outputs: Path, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], level: str, coefficient: str, output: Path | None, layout: str, aspects: Sequence[str],
    test: str, df: str, correction: str, confidence: float, replicates: int, seed: int,
) -> None:  # fmt: skip
    """Which metric agrees better, and is it noise (InfoLM, figure 7).

    p, two-sided and corrected, of "the row's metric agrees better than the column's", where it is below 1 - confidence.
    """
    from nlgauge.lab.studies.significance import significance as run

    check_figure(output)
    table, rated = read_scores(scores, outputs, columns, add, lower)
    assert rated is not None
    result = run(
        table, rated, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient,
        aspects=aspects or None, test=test, df=df, correction=correction, confidence=confidence,
        replicates=replicates, seed=seed,
    )  # fmt: skip
    show("significance", result, output, layout)
    tell_joined(table)


COMMANDS = (matrix, distributions, parts_of_speech, significance)

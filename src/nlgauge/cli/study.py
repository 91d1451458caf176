"""nlgauge study: the group, and the studies."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
from nlgauge.cli.terminal import PLACE, aligned, jsonable, read_outputs, read_rated, tell_joined
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.table import ScoreTable

Command = Callable[..., None]
_MAP = click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
_SHOWN = (
    click.option("-o", "--output", type=PLACE, help="Write a figure here: .png, .svg or .pdf (needs nlgauge[plots])."),
    click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True),
)
_SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
_REPLICATES = click.option(
    "--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help="Of interval and p."
)
_ASPECT = click.option("--aspect", "aspects", multiple=True, help="This aspect; repeatable; all by default.")


@click.group()
def study() -> None:
    """Study metrics, as the papers study theirs (docs/studies.md). Prints numbers, draws a figure with -o.

    matrix, distributions, significance and parts-of-speech read a scores file. The others score a table of rated
    outputs at all settings in one pass over the texts; --items takes the first so many items.
    """


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


def _of_scores(level: str | None, coefficient: str | None = None, rated: bool = False) -> Callable[[Command], Command]:
    """Options of a study of a scores file."""
    options = [
        click.argument("scores", type=PLACE),
        click.option(
            "--ratings", "outputs", type=PLACE, required=rated, help="The rated outputs: a table as for score."
        ),
        click.option(
            "-m", "--metric", "metrics", multiple=True, help="This metric, or 'spec part'; repeatable; all by default."
        ),
        click.option("--parts", is_flag=True, help="Every part of the metrics, not the first alone."),
        click.option(
            "--add", multiple=True, metavar="NAME=COLUMN",
            help="Take a column of the rated outputs, or a .score file of mt-metrics-eval, as a metric; repeatable.",
        ),
        click.option("--lower", multiple=True, metavar="NAME", help="Of an added metric lower is better; repeatable."),
        _MAP,
    ]  # fmt: skip
    if level:
        options.append(click.option("--level", default=level, show_default=True, help="item, system or pooled."))
    if coefficient:
        options.append(click.option("--coefficient", default=coefficient, show_default=True, help="See docs/meta.md."))
    return _options(*options, *_SHOWN)


def _of_outputs(level: str, *coefficients: str) -> Callable[[Command], Command]:
    """Options of a study that scores."""
    return _options(
        click.argument("outputs", type=PLACE),
        _MAP,
        click.option("--model", help="Model, where the metric names none."),
        click.option("--items", type=click.IntRange(min=1), help="The first so many items only."),
        click.option("--level", default=level, show_default=True, help="item, system or pooled."),
        click.option(
            "--coefficient", "coefficients", multiple=True, default=coefficients, show_default=True,
            help="See docs/meta.md; repeatable.",
        ),
        _ASPECT,
        click.option("--resample", default="both", show_default=True, help="What intervals resample."),
        _REPLICATES,
        _SEED,
        *_SHOWN,
    )  # fmt: skip


def _numbers(kind: type[float] | type[int]) -> Callable[[Any, Any, str | None], list[Any] | None]:
    """Reads "1,2,3"."""

    def read(_context: Any, parameter: Any, text: str | None) -> list[Any] | None:
        try:
            return None if text is None else [kind(part) for part in text.split(",")]
        except ValueError:
            what = "numbers" if kind is float else "whole numbers"
            raise SpecError(f"--{parameter.name} {text}: write {what} with commas, as in 1,2,3") from None

    return read


def _scores(
    scores: Path, outputs: Path | None, columns: Sequence[str], add: Sequence[str], lower: Sequence[str]
) -> tuple[ScoreTable, Corpus | None]:
    from nlgauge import ScoreTable

    if outputs is not None:
        return read_rated(scores, outputs, columns, add, lower)
    if add or lower or columns:
        raise SpecError("--add, --lower and --map are of the rated outputs: add --ratings")
    return ScoreTable.load(scores), None


def _check(output: Path | None) -> None:
    from nlgauge.studies import figures

    if output is not None:
        figures.check(output)


def _score(run: Callable[..., Any], outputs: Path, columns: Sequence[str], **options: Any) -> Any:
    """Run a study on a file of outputs, whose name errors then tell."""
    corpus = read_outputs(outputs, None, (), None, None, None, columns)
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    try:
        return run(corpus, **given)
    except InputError as error:
        if error.file:
            raise
        raise InputError(error.problem, file=outputs, row=error.row, remedy=error.remedy) from None


def _show(name: str, found: Any, output: Path | None, layout: str) -> None:
    """Numbers on stdout, notes and signatures on stderr, and the figure where it is wanted."""
    if layout == "json":
        import json

        record = {"nlgauge": __version__, "study": name, **jsonable(asdict(found))}
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        for number, cells in enumerate(found.tables()):
            for line in [*[""] * bool(number), *aligned(cells)]:
                click.echo(line)
    signatures = list(getattr(found, "signatures", {}).values())
    more = [f"and {len(signatures) - 1} more signatures, in --format json"] if len(signatures) > 1 else []
    for line in (*getattr(found, "notes", ()), *signatures[:1], *more):
        click.echo(line, err=True)
    if output is not None:
        found.draw(output)
        click.echo(f"drawn: {output}", err=True)


# ---- Of a scores file


@study.command()
@_of_scores("system", "pearson")
def matrix(
    scores: Path, outputs: Path | None, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], level: str, coefficient: str, output: Path | None, layout: str,
) -> None:  # fmt: skip
    """How alike metrics are, and people (InfoLM, figure 2)."""
    from nlgauge.studies.matrix import correlation_matrix

    _check(output)
    table, rated = _scores(scores, outputs, columns, add, lower)
    found = correlation_matrix(
        table, rated, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient
    )
    _show("matrix", found, output, layout)
    for pair, reason in found.reasons.items():
        click.echo(f"{pair}: no value: {reason}", err=True)
    tell_joined(table)


@study.command()
@_of_scores(None)
@click.option("--bins", type=click.IntRange(min=2), default=40, show_default=True)
def distributions(
    scores: Path, outputs: Path | None, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], output: Path | None, layout: str, bins: int,
) -> None:  # fmt: skip
    """How scores spread, and ratings (InfoLM, figures 3, 9).

    All are brought to the range from 0, the worst value that occurs, to 1, the best.
    """
    from nlgauge.studies.distributions import distributions as run

    _check(output)
    table, rated = _scores(scores, outputs, columns, add, lower)
    found = run(table, rated, metrics=metrics or None, every_part=parts, bins=bins)
    _show("distributions", found, output, layout)
    for one in found.records:
        for count, what in ((one.undefined, "without a value"), (one.infinite, "with an infinite value")):
            if count:
                click.echo(f"{one.name}: {count} rows {what}, left out", err=True)
        if one.reason:
            click.echo(f"{one.name}: {one.reason}", err=True)
    tell_joined(table)


@study.command("parts-of-speech")
@click.argument("scores", type=PLACE)
@click.option("--tagger", required=True, help="An installed spaCy pipeline with parts of speech, as en_core_web_sm.")
@click.option("-m", "--metric", "metrics", multiple=True, help="This metric; repeatable; all that show words.")
@_options(*_SHOWN)
def parts_of_speech(scores: Path, tagger: str, metrics: Sequence[str], output: Path | None, layout: str) -> None:
    """Which kinds of words a metric listens to (MaskEval, figure 4).

    Of a scores file that keeps the evidence: nlgauge score --evidence -o SCORES.
    """
    from nlgauge import ScoreTable
    from nlgauge.studies.parts_of_speech import parts_of_speech as run

    _check(output)
    _show("parts_of_speech", run(ScoreTable.load(scores), tagger, metrics=metrics or None), output, layout)


@study.command()
@_of_scores("system", "pearson", rated=True)
@_options(
    _ASPECT,
    click.option("--test", default="williams", show_default=True, help="williams (Pearson only), or permutation."),
    click.option("--df", default="n-3", show_default=True, help="Of Williams' t: n-3, or n-2 as R's psych has it."),
    click.option("--correction", default="holm", show_default=True, help="holm, benjamini_hochberg or none."),
    click.option("--confidence", type=float, default=0.95, show_default=True, help="Of clusters."),
    _REPLICATES,
    _SEED,
)
def significance(
    scores: Path, outputs: Path, metrics: Sequence[str], parts: bool, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], level: str, coefficient: str, output: Path | None, layout: str, aspects: Sequence[str],
    test: str, df: str, correction: str, confidence: float, replicates: int, seed: int,
) -> None:  # fmt: skip
    """Which metric beats which, and is it noise (InfoLM, figure 7).

    p, two-sided and corrected, of "the row's metric agrees better than the column's", where it is below 1 - confidence.
    """
    from nlgauge.studies.significance import significance as run

    _check(output)
    table, rated = _scores(scores, outputs, columns, add, lower)
    assert rated is not None
    found = run(
        table, rated, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient,
        aspects=aspects or None, test=test, df=df, correction=correction, confidence=confidence,
        replicates=replicates, seed=seed,
    )  # fmt: skip
    _show("significance", found, output, layout)
    tell_joined(table)


# ---- Of rated outputs


@study.command()
@_of_outputs("system", "pearson", "spearman", "kendall")
@click.option("-m", "--metric", "metrics", multiple=True, default=("InfoLM",), show_default=True, help="Repeatable.")
@click.option("--temperatures", callback=_numbers(float), help="With commas; 0.25 to 10 by default.")
def temperature(outputs: Path, columns: Sequence[str], output: Path | None, layout: str, **options: Any) -> None:
    """Agreement of InfoLM by temperature (figures 4, 5)."""
    from nlgauge.studies.infolm import temperature as run

    _check(output)
    found = _score(run, outputs, columns, **options, progress=True)
    _show("temperature", found, output, layout)


@study.command("alpha-beta")
@_of_outputs("system", "pearson", "spearman")
@click.option(
    "-m",
    "--metric",
    default="InfoLM(measure='ab', alpha=1, beta=1)",
    show_default=True,
    help="Its alpha and beta vary.",
)
@click.option("--alphas", callback=_numbers(float), help="With commas; 0.25 to 3 by default.")
@click.option("--betas", callback=_numbers(float), help="With commas; 0.25 to 3 by default.")
def alpha_beta(outputs: Path, columns: Sequence[str], output: Path | None, layout: str, **options: Any) -> None:
    """Agreement of InfoLM by alpha and beta (figure 6)."""
    from nlgauge.studies.infolm import parameters as run

    _check(output)
    found = _score(run, outputs, columns, **options, progress=True)
    _show("alpha-beta", found, output, layout)


@study.command()
@_of_outputs("system", "pearson")
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="BERTScore, BaryScore and Consistency by default; repeatable."
)
@click.option("--layers", "numbers", callback=_numbers(int), help="With commas; all by default, 0 the embeddings.")
def layers(outputs: Path, columns: Sequence[str], output: Path | None, layout: str, **options: Any) -> None:
    """Agreement of metrics on each layer of a model."""
    from nlgauge.studies.layers import layers as run

    _check(output)
    found = _score(run, outputs, columns, **options, progress=True)
    _show("layers", found, output, layout)


@study.command()
@_of_outputs("pooled", "pearson")
@click.option(
    "-m", "--metric", "metrics", multiple=True,
    help="Relevance, Preservation, Engagingness; those whose texts the rows have by default; repeatable.",
)  # fmt: skip
@click.option("--aligner", "aligners", multiple=True, default=("E",), show_default=True, help="E, D, R; repeatable.")
def ablation(outputs: Path, columns: Sequence[str], output: Path | None, layout: str, **options: Any) -> None:
    """CTC's metrics, an ingredient left out (tables 1 to 3)."""
    from nlgauge.studies.ablation import ablation as run

    _check(output)
    found = _score(run, outputs, columns, **options, progress=True)
    _show("ablation", found, output, layout)


@study.command()
@_options(
    click.argument("outputs", type=PLACE),
    _MAP,
    click.option("-m", "--metric", default="MarkEvaluate", show_default=True, help="Unit, layers and normalisation."),
    click.option("-k", "--ks", callback=_numbers(int), help="With commas; 1 to 30 by default."),
    click.option("--against", type=PLACE, help="Table of texts that outputs are compared with, instead of references."),
    click.option("--model", help="Model, where the metric names none."),
    click.option("--items", type=click.IntRange(min=1), help="The first so many items only."),
    click.option(
        "--coefficient", "coefficients", multiple=True, default=("pearson",), show_default=True,
        help="See docs/meta.md; repeatable.",
    ),
    _ASPECT,
    _REPLICATES,
    _SEED,
    *_SHOWN,
)  # fmt: skip
def neighbours(
    outputs: Path, columns: Sequence[str], against: Path | None, output: Path | None, layout: str, **options: Any
) -> None:
    """Mark-Evaluate at many K, in one pass (figure 2)."""
    from nlgauge import Corpus
    from nlgauge.studies.neighbours import neighbours as run

    _check(output)
    other = None if against is None else Corpus.read(against)
    found = _score(run, outputs, columns, **options, against=other, progress=True)
    _show("neighbours", found, output, layout)

"""The studies that score a table of rated outputs at many settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.keeping import keeping
from nlgauge.cli.study.options import (
    ASPECT,
    ITEMS,
    MAP,
    MODEL,
    REPLICATES,
    SEED,
    SHOWN,
    coefficients,
    numbers,
    of_outputs,
    together,
)
from nlgauge.cli.study.showing import study_outputs
from nlgauge.cli.terminal import PLACE


@click.command()
@of_outputs("system", "pearson", "spearman", "kendall")
@click.option("-m", "--metric", "metrics", multiple=True, default=("InfoLM",), show_default=True, help="Repeatable.")
@click.option("--temperatures", callback=numbers(float), help="With commas; 0.25 to 10 by default.")
def temperature(
    outputs: Path, columns: Sequence[str], output: Path | None, layout: str, cache: Path | None, no_cache: bool,
    **options: object,
) -> None:  # fmt: skip
    """Agreement of InfoLM by temperature (figures 4, 5)."""
    from nlgauge.lab.studies.infolm import temperature as run

    study_outputs("temperature", run, outputs, columns, output, layout, cache, no_cache, options)


@click.command("alpha-beta")
@of_outputs("system", "pearson", "spearman")
@click.option(
    "-m",
    "--metric",
    default="InfoLM(measure='ab', alpha=1, beta=1)",
    show_default=True,
    help="Its alpha and beta vary.",
)
@click.option("--alphas", callback=numbers(float), help="With commas; 0.25 to 3 by default.")
@click.option("--betas", callback=numbers(float), help="With commas; 0.25 to 3 by default.")
def alpha_beta(
    outputs: Path, columns: Sequence[str], output: Path | None, layout: str, cache: Path | None, no_cache: bool,
    **options: object,
) -> None:  # fmt: skip
    """Agreement of InfoLM by alpha and beta (figure 6)."""
    from nlgauge.lab.studies.infolm import parameters as run

    study_outputs("alpha-beta", run, outputs, columns, output, layout, cache, no_cache, options)


@click.command()
@of_outputs("system", "pearson")
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="BERTScore, BaryScore and Consistency by default; repeatable."
)
@click.option("--layers", "numbers", callback=numbers(int), help="With commas; all by default, 0 the embeddings.")
def layers(
    outputs: Path, columns: Sequence[str], output: Path | None, layout: str, cache: Path | None, no_cache: bool,
    **options: object,
) -> None:  # fmt: skip
    """Agreement of metrics on each layer of a model."""
    from nlgauge.lab.studies.layers import layers as run

    study_outputs("layers", run, outputs, columns, output, layout, cache, no_cache, options)


@click.command()
@of_outputs("pooled", "pearson")
@click.option(
    "-m", "--metric", "metrics", multiple=True,
    help="Relevance, Preservation, Engagingness; those whose texts the rows have by default; repeatable.",
)  # fmt: skip
@click.option("--aligner", "aligners", multiple=True, default=("E",), show_default=True, help="E, D, R; repeatable.")
def ablation(
    outputs: Path, columns: Sequence[str], output: Path | None, layout: str, cache: Path | None, no_cache: bool,
    **options: object,
) -> None:  # fmt: skip
    """CTC's metrics with one ingredient left out (tables 1 to 3)."""
    from nlgauge.lab.studies.ablation import ablation as run

    study_outputs("ablation", run, outputs, columns, output, layout, cache, no_cache, options)


@click.command()
@together(
    click.argument("outputs", type=PLACE),
    MAP,
    click.option("-m", "--metric", default="MarkEvaluate", show_default=True, help="Unit, layers and normalisation."),
    click.option("-k", "--ks", callback=numbers(int), help="With commas; 1 to 30 by default."),
    click.option("--against", type=PLACE, help="Table of texts that outputs are compared with, instead of references."),
    MODEL,
    ITEMS,
    coefficients("pearson"),
    ASPECT,
    REPLICATES,
    SEED,
    keeping,
    *SHOWN,
)
def neighbours(
    outputs: Path, columns: Sequence[str], against: Path | None, output: Path | None, layout: str, cache: Path | None,
    no_cache: bool, **options: object,
) -> None:  # fmt: skip
    """Mark-Evaluate at many K, in one pass (figure 2)."""
    from nlgauge import Corpus
    from nlgauge.lab.studies.neighbours import neighbours as run

    options["against"] = None if against is None else Corpus.read(against)
    study_outputs("neighbours", run, outputs, columns, output, layout, cache, no_cache, options)


@click.command()
@together(
    click.argument("texts", type=PLACE),
    MAP,
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="Metric of sets; six of them by default; repeatable."
    ),
    click.option("--size", type=click.IntRange(min=1), default=1000, show_default=True, help="Texts of a set."),
    MODEL,
    SEED,
    keeping,
    *SHOWN,
)
def synthetic(
    texts: Path, columns: Sequence[str], output: Path | None, layout: str, cache: Path | None, no_cache: bool,
    **options: object,
) -> None:  # fmt: skip
    """Metrics of sets as outputs lose topics, or the order of their words (Mark-Evaluate, figures 3, 4).

    TEXTS is a table of candidates; the system of a row is its topic.
    """
    from nlgauge.lab.studies.synthetic import synthetic as run

    study_outputs("synthetic", run, texts, columns, output, layout, cache, no_cache, options)


COMMANDS = (temperature, alpha_beta, layers, ablation, neighbours, synthetic)

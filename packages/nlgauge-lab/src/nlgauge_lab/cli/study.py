"""nlgauge study: studies of a scores file, and studies that score rows of rated outputs or sentences of our own."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import nlgauge
from nlgauge.cli import options
from nlgauge.cli.options import example
from nlgauge.cli.showing import OUTPUTS, SCORES, Result, of_outputs, of_scores, shown
from nlgauge.errors import MissingExtraError


@click.group(epilog=example("nlgauge study matrix scores.jsonl --ratings answers.jsonl --level pooled -o matrix.png"))
def study() -> None:
    """Study metrics as the papers do (docs/studies.md). Prints numbers, draws a figure with -o.

    matrix, distributions, significance and parts-of-speech read a scores file. probes uses texts of its own. The other
    studies score a table of rated outputs at all settings in one pass over the texts. --items N takes the first N
    items.
    """


_of_scores = partial(shown, study, SCORES, reads=of_scores)
_of_outputs = partial(shown, study, OUTPUTS, options.MAP, reads=of_outputs)
_RATED = (options.ratings(required=False), options.PARTS, options.ADDED)
_LEVEL = click.option("--level", default="system", show_default=True, help="item, system or pooled.")
_ITEMS = click.option("--items", type=click.IntRange(min=1), help="Only this many items from the start.")


def _coefficients(*default: str) -> options.Option:
    return click.option(
        "--coefficient",
        "coefficients",
        multiple=True,
        default=default,
        show_default=True,
        help="See docs/meta.md; repeatable.",
    )


def _swept(level: str, *coefficients: str) -> tuple[options.Option, ...]:
    """Return the options that every study of many settings takes.

    Args:
        level: the default of --level.
        coefficients: the defaults of the option for coefficients.
    """
    leveled = click.option("--level", default=level, show_default=True, help="item, system or pooled.")
    return (
        options.MODEL,
        _ITEMS,
        leveled,
        _coefficients(*coefficients),
        options.ASPECT,
        options.RESAMPLE,
        options.REPLICATES,
        options.SEED,
        options.caching,
    )


@_of_scores(
    *_RATED, _LEVEL, options.COEFFICIENT, asked="scores.jsonl --ratings answers.jsonl --level pooled -o matrix.png"
)
def matrix(table: nlgauge.ScoreTable, rated: nlgauge.Corpus | None, **how: Any) -> Result:
    """How metrics agree with each other and with people (InfoLM, figure 2)."""
    from nlgauge.reports.plots.pairwise import correlation_matrix

    return correlation_matrix(table, rated, **how)


@_of_scores(
    *_RATED,
    click.option("--bins", type=click.IntRange(min=2), default=40, show_default=True),
    asked="scores.jsonl --ratings answers.jsonl -o distributions.png",
)
def distributions(table: nlgauge.ScoreTable, rated: nlgauge.Corpus | None, **how: Any) -> Result:
    """How scores and ratings are distributed (InfoLM, figures 3, 9).

    Scores and ratings are scaled to the range from 0, the worst value that occurs, to 1, the best.
    """
    from nlgauge_lab.studies.distributions import distributions as run

    return run(table, rated, **how)


@_of_scores(
    click.option("--tagger", required=True, help="An installed spaCy pipeline such as en_core_web_sm."),
    click.option("-m", "--metric", "metrics", multiple=True, help="This metric; repeatable; all that show words."),
    asked="scores.jsonl --tagger en_core_web_sm",
)
def parts_of_speech(table: nlgauge.ScoreTable, _: nlgauge.Corpus | None, **how: Any) -> Result:
    """Which kinds of words a metric listens to (MaskEval, figure 4).

    Reads a scores file with evidence, which nlgauge score --evidence -o SCORES writes.
    """
    from nlgauge_lab.studies.parts_of_speech import parts_of_speech as run

    return run(table, **how)


@_of_scores(
    options.ratings(required=True),
    options.PARTS,
    options.ADDED,
    _LEVEL,
    options.COEFFICIENT,
    options.ASPECT,
    click.option("--test", default="williams", show_default=True, help="williams (Pearson only), or permutation."),
    click.option("--df", default="n-3", show_default=True, help="For williams: n-3, or n-2 as R's psych has it."),
    click.option("--correction", default="holm", show_default=True, help="holm, benjamini_hochberg or none."),
    click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the clusters."),
    options.REPLICATES_OF_TESTS,
    options.SEED,
    asked="scores.jsonl --ratings answers.jsonl --level pooled --test permutation",
)
def significance(table: nlgauge.ScoreTable, rated: nlgauge.Corpus, **how: Any) -> Result:
    """Which metric agrees better, and is it noise (InfoLM, figure 7).

    Shows p for "the row's metric agrees better than the column's" where it is below 1 - confidence. p is two-sided, and
    corrected for testing many pairs.
    """
    from nlgauge_lab.studies.significance import significance as run

    return run(table, rated, **how)


@_of_outputs(
    *_swept("system", "pearson", "spearman", "kendall"),
    click.option(
        "-m", "--metric", "metrics", multiple=True, default=("InfoLM",), show_default=True, help="Repeatable."
    ),
    click.option("--temperatures", callback=options.numbers(float), help="With commas; 0.25 to 10 by default."),
    asked="rated.jsonl --items 2 --temperatures 0.5,1,2",
)
def temperature(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """Agreement of InfoLM by temperature (figures 4, 5)."""
    from nlgauge_lab.studies.infolm import temperature as run

    return run(corpus, **how)


@_of_outputs(
    *_swept("system", "pearson", "spearman"),
    click.option(
        "-m",
        "--metric",
        default="InfoLM(measure='ab', alpha=1, beta=1)",
        show_default=True,
        help="Its alpha and beta vary.",
    ),
    click.option("--alphas", callback=options.numbers(float), help="With commas; 0.25 to 3 by default."),
    click.option("--betas", callback=options.numbers(float), help="With commas; 0.25 to 3 by default."),
    asked="rated.jsonl --items 2 --alphas 0.5,1 --betas 0.25,1",
)
def alpha_beta(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """Agreement of InfoLM by alpha and beta (figure 6)."""
    from nlgauge_lab.studies.infolm import parameters

    return parameters(corpus, **how)


@_of_outputs(
    *_swept("system", "pearson"),
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="BERTScore, BaryScore and Consistency by default; repeatable."
    ),
    click.option(
        "--layers", "numbers", callback=options.numbers(int), help="With commas; all by default, 0 the embeddings."
    ),
    asked="rated.jsonl -m BERTScore --level pooled",
)
def layers(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """Agreement of metrics on each layer of a model."""
    from nlgauge_lab.studies.layers import layers as run

    return run(corpus, **how)


@_of_outputs(
    *_swept("pooled", "pearson"),
    click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        help="Relevance, Preservation, Engagingness; those whose texts the rows have by default; repeatable.",
    ),
    click.option(
        "--aligner", "aligners", multiple=True, default=("E",), show_default=True, help="E, D, R; repeatable."
    ),
    asked="rated.jsonl -m Relevance --aligner E",
)
def ablation(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """CTC's metrics with one ingredient left out (tables 1 to 3)."""
    from nlgauge_lab.studies.ablation import ablation as run

    return run(corpus, **how)


@_of_outputs(
    *_swept("pooled", "pearson"),
    click.option("-m", "--metric", default="BaryScore", show_default=True, help="BaryScore, with other parameters."),
    click.option("--weights", multiple=True, default=("idf", "none"), show_default=True, help="idf, none, lm."),
    asked="rated.jsonl --weights idf --weights none",
)
def barycenters(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """BaryScore with Wasserstein or Euclidean means of layers, with several weights, with and without stop-words."""
    from nlgauge_lab.studies.barycenters import barycenters as run

    return run(corpus, **how)


@_of_outputs(
    *_swept("pooled", "pearson"),
    click.option("-m", "--metric", default="MaskEval(stride=8)", show_default=True, help="With uniform weights."),
    asked="rated.jsonl --items 2",
)
def scorings(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """The four scorings of a masked word that MaskEval's authors tried (footnote 5)."""
    from nlgauge_lab.studies.scorings import scorings as run

    return run(corpus, **how)


@_of_outputs(
    click.option("--out", type=options.PLACE, required=True, help="Folder for what is computed once."),
    click.option("--learn", type=click.IntRange(min=1), required=True, help="Rows to learn from; the paper: 700, 62."),
    click.option("-m", "--metric", default="MaskEval(stride=8)", show_default=True, help="How words are scored."),
    click.option("--draws", type=click.IntRange(min=1), default=5, show_default=True, help="How often rows are drawn."),
    click.option("--ours", is_flag=True, default=None, help="By nlgauge's recipe, and not by the paper's."),
    click.option("--beside", help="The paper's table to print beside: maskeval-table-1 or maskeval-table-2."),
    options.MODEL,
    options.ASPECT,
    options.SEED,
    options.caching,
    asked="rated.jsonl --out weights --learn 4",
)
def learned_weights(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """MaskEval with weights learned on other rows (MaskEval, tables 1 and 2). Needs nlgauge-lab[train]."""
    try:
        from nlgauge_lab.studies.learned_weights import learned_weights as run
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    return run(corpus, **how)


@_of_outputs(
    click.option("--words", type=options.PLACE, required=True, help="Labelled rows: the accuracy is of their words."),
    click.option("--out", type=options.PLACE, required=True, help="Folder of the run; a stopped run goes on."),
    click.option("--every", type=click.IntRange(min=1), required=True, help="Steps between two points."),
    click.option("-m", "--metric", default="Consistency(aligner='D')", show_default=True, help="Of the aligner D."),
    click.option("--finetune", type=options.PLACE, help="Labelled rows to train the last aligner on with (the star)."),
    click.option("--labelled", type=options.PLACE, help="As of train aligner, like the next five."),
    click.option("--pairs", type=options.PLACE, multiple=True),
    click.option("--task", "tasks", multiple=True),
    click.option("--config", type=options.PLACE),
    click.option("--body"),
    click.option("--steps", type=click.IntRange(min=1)),
    *_swept("pooled", "pearson")[1:],
    asked="rated.jsonl --words labelled.jsonl --out run --every 500",
)
def accuracy(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """Does a more accurate aligner agree better with people (CTC, figure 7)?

    Trains an aligner, and measures it at many steps on labelled words and on rated outputs. Needs nlgauge-lab[train].
    """
    try:
        from nlgauge_lab.studies.accuracy import accuracy as run
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    return run(corpus, **how)


@_of_outputs(
    click.option("-m", "--metric", default="MarkEvaluate", show_default=True, help="Unit, layers and normalisation."),
    click.option("-k", "--ks", callback=options.numbers(int), help="With commas; 1 to 30 by default."),
    click.option(
        "--against", type=options.PLACE, help="Table of texts that outputs are compared with, instead of references."
    ),
    options.MODEL,
    _ITEMS,
    _coefficients("pearson"),
    options.ASPECT,
    options.REPLICATES,
    options.SEED,
    options.caching,
    asked="outputs.jsonl -k 1,2,3",
)
def neighbours(corpus: nlgauge.Corpus, against: Any = None, **how: Any) -> Result:
    """Mark-Evaluate at many K, in one pass (figure 2)."""
    from nlgauge_lab.studies.neighbours import neighbours as run

    return run(corpus, against=None if against is None else nlgauge.Corpus.read(against), **how)


@shown(
    study,
    click.argument("outputs", metavar="TEXTS", type=options.PLACE),
    options.MAP,
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="Corpus-level metric; six of them by default; repeatable."
    ),
    click.option("--size", type=click.IntRange(min=1), default=1000, show_default=True, help="Texts of a set."),
    options.MODEL,
    options.SEED,
    options.caching,
    reads=of_outputs,
    asked="texts.jsonl --map system=topic --size 250",
)
def synthetic(corpus: nlgauge.Corpus, **how: Any) -> Result:
    """How corpus-level metrics change when texts lose topics, or the order of words (Mark-Evaluate, figures 3, 4).

    TEXTS is a table with the texts in the column candidate, and with the topic of each text in the column system.
    """
    from nlgauge_lab.studies.synthetic import synthetic as run

    return run(corpus, **how)


@shown(
    study,
    click.option("-m", "--metric", "metrics", multiple=True, help="Faithfulness and CopyRate by default; repeatable."),
    click.option("--model", "models", multiple=True, help="Model of metrics that name none; repeatable."),
    click.option(
        "--setting",
        "settings",
        multiple=True,
        help="source, question, '4 passages' or '8 passages'; all by default; repeatable.",
    ),
    click.option("--probes", "file", type=options.PLACE, help="Sentences of your own (docs/studies.md)."),
    options.REPLICATES,
    options.SEED,
    options.caching,
    asked="-m Faithfulness --setting source",
)
def probes(**how: Any) -> Result:
    """Does a metric find small errors, or does it only recognise copies?

    Scores our own sentences, each with one small error. They are compared with their corrected versions, and with free
    paraphrases of their sources.
    """
    from nlgauge_lab.studies.probes import probes as run

    return run(**how, progress=True)

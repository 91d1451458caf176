"""nlgauge train: the group, and what it trains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.options import IN_FORMATS, MAP, MODEL, PLACE, caching, example
from nlgauge.cli.outputs import read_outputs
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import show_tables
from nlgauge.data.signature import FLOAT32
from nlgauge.engine.models import loading
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge_lab.cli.train_combination import combination


@click.group(epilog=example("nlgauge train aligner --labelled mine.jsonl --out aligner --steps 300"))
def train() -> None:
    """Train models, aligners, weights and thresholds (needs nlgauge-lab[train], all but combination)."""


train.add_command(combination)


@train.command("masked-lm", epilog=example("nlgauge train masked-lm --texts texts --out masked"))
@click.option("--texts", type=PLACE, help="Folder of .txt, .txt.gz or .txt.xz files, a passage a line.")
@click.option(
    "--pairs",
    type=PLACE,
    help="In place of --texts: JSON Lines of candidate and source, or a folder of such files.",
)
@click.option("--out", type=PLACE, required=True, help="Folder for checkpoints, the curve and the finished model.")
@click.option("--config", type=PLACE, help="Recipe (TOML); the recipe of the embedded model by default.")
@click.option("--steps", type=click.IntRange(min=1), help="Instead of the recipe's number of steps.")
@click.option("--body", help="With --pairs, instead of the recipe's model: pocket, base, a folder of ours, or T5.")
def masked_lm(
    texts: Path | None, pairs: Path | None, out: Path, config: Path | None, steps: int | None, body: str | None
) -> None:
    """Train a masked LM on plain text, or adapt one to pairs of texts; run again to resume after an interruption.

    With --pairs the model learns to predict words of one text from another, for MaskEval. Pocket and base do not change
    themselves: weights for pairs are written beside them. T5 learns to fill gaps of words, as in the paper.
    """
    if (texts is None) == (pairs is None):
        raise SpecError("give either --texts or --pairs")
    if texts is not None and body is not None:
        raise SpecError("--body is for --pairs; with --texts the recipe names the body")
    try:
        from nlgauge_lab.training import masked_lm as plain
        from nlgauge_lab.training import pairs as adapted
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    if pairs is not None:
        click.echo(str(adapted.train(pairs, out, config=config, steps=steps, body=body)))
    elif texts is not None:
        click.echo(str(plain.train(texts, out, config, steps)))


@train.command("aligner", epilog=example("nlgauge train aligner --labelled mine.jsonl --out aligner --steps 300"))
@click.option("--labelled", type=PLACE, help="File of labelled rows, or the folder with the files of a recipe.")
@click.option(
    "--pairs",
    type=PLACE,
    multiple=True,
    help="File or folder of documents or pairs, one for each --task; or the folder of a recipe's files.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    help="What examples of the file are made for: summarization, reference, style, dialogue, knowledge, or "
    "document-reference (the ablation of CTC's appendix A.1).",
)
@click.option("--out", type=PLACE, required=True, help="Folder for examples, checkpoints, curve and finished model.")
@click.option("--config", type=PLACE, help="Recipe (TOML); by default that of the model that is trained on.")
@click.option("--body", help="Model to train on: pocket, base, a folder of ours, or any encoder of transformers.")
@click.option(
    "--aligner", type=click.Choice(["D", "R", "R-sum"]), help="For an encoder of transformers, what it learns."
)
@click.option("--attempts", type=click.IntRange(min=1), help="How many examples are tried, instead of the recipe's.")
@click.option("--steps", type=click.IntRange(min=1), help="Instead of the recipe's number of steps.")
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the recipe's.")
@click.option("--examples-only", is_flag=True, help="Write the examples, to be read by people, and stop.")
def aligner(out: Path, **how: Any) -> None:
    """Train an aligner (D and R) on texts that somebody labelled, on examples made from texts, or on both.

    Run it again to resume. A labelled row is a JSON object with source, candidate, and spans (characters of the
    candidate that the source does not support) or supported (true or false). Use the result with model=FOLDER/model, as
    in -m "Groundedness(aligner='D', model='FOLDER/model')".
    """
    try:
        from nlgauge_lab.training.aligner_run import train as run
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    click.echo(str(run(out, **how)))


@train.command(epilog=example("nlgauge train weighter --ratings rated.jsonl --aspect complete --out weighters"))
@click.option("--ratings", type=PLACE, required=True, help="Rated outputs: rows of candidate, source, item and scores.")
@click.option("--aspect", "aspects", multiple=True, required=True, help="Which rating to learn; repeatable.")
@click.option("--out", type=PLACE, required=True, help="Folder for the weighters and their cards.")
@click.option("-m", "--metric", "spec", default="MaskEval(stride=8)", show_default=True, help="How words are scored.")
@MODEL
@MAP
@click.option("--scale", type=float, nargs=2, help="Least and greatest possible rating; what the file has by default.")
@click.option("--published", is_flag=True, help="The paper's recipe: 100 epochs of Adam at 1e-5, one fifth held out.")
@click.option("--seed", type=int, default=0, show_default=True)
def weighter(
    ratings: Path,
    aspects: Sequence[str],
    out: Path,
    spec: str,
    model: str | None,
    columns: Sequence[str],
    scale: tuple[float, float] | None,
    published: bool,
    seed: int,
) -> None:
    """Learn which words MaskEval should listen to for a quality that people rated."""
    from nlgauge import registry
    from nlgauge.metrics.maskeval import MaskEval

    metric = registry.metric(spec, model=model)
    if not isinstance(metric, MaskEval):
        raise SpecError(f"{metric} has no weighter; give MaskEval(...)")
    corpus = read_outputs(ratings, columns)
    try:
        from nlgauge_lab.training.weighter import WeighterConfig, train
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    config = WeighterConfig.published(seed) if published else WeighterConfig(seed=seed)
    for path in train(corpus, aspects, out=out, metric=metric, scale=scale, config=config):
        click.echo(str(path))


@train.command(epilog=example("nlgauge train replies --dialogues dialogues.jsonl --out replies"))
@click.option(
    "--dialogues",
    type=PLACE,
    multiple=True,
    required=True,
    help="File or folder of turns: JSON Lines of history (a list of turns), response, and origin, which names the "
    "conversation as SET:CONVERSATION; repeatable.",
)
@click.option(
    "--out", type=PLACE, required=True, help="Folder for the reply encoder, its card and the states of texts."
)
@click.option("--model", default="pocket", show_default=True, help="Any encoder; it stays as it is.")
@click.option("--epochs", type=click.IntRange(min=1), default=8, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def replies(dialogues: Sequence[Path], out: Path, model: str, epochs: int, seed: int) -> None:
    """Learn which replies fit a history, for ReplyFit: how to find each reply of real dialogues among others.

    Use the result as ReplyFit(weights='FOLDER').
    """
    try:
        from nlgauge_lab.training.replies import ReplyConfig, train
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    from nlgauge_lab.training.weak_labels.sources import read_records

    records = [record for path in dialogues for record in read_records(path)]
    click.echo(str(train(records, out, loading.load(model), ReplyConfig(seed=seed, epochs=epochs))))


@train.command(
    epilog=example("nlgauge train temperature --texts de.txt --texts fr.txt --model xlm-roberta-base --write")
)
@click.option(
    "--texts",
    type=PLACE,
    multiple=True,
    required=True,
    help="Plain text, a passage a line (.txt, .gz, .xz), named by its language, as de.txt; repeatable.",
)
@click.option("--model", default="pocket", show_default=True, help="Any masked language model.")
@click.option("--tokens", type=click.IntRange(min=1), default=2000, show_default=True, help="Masked in each language.")
@click.option("--write", is_flag=True, help="Put the temperatures on the card of the model, for InfoLM(language=...).")
@IN_FORMATS
def temperature(texts: Sequence[Path], model: str, tokens: int, write: bool, layout: str) -> None:
    """Measure a masked LM's temperature in each language: where masked tokens of plain text are likeliest.

    InfoLM divides logits by the temperature. InfoLM(language='de') reads it from the card of the model.
    """
    from nlgauge.engine.models.loading import load
    from nlgauge_lab.training import temperature as measured

    loaded = load(model)
    found = measured.measure(texts, loaded, tokens)
    show_tables([measured.as_cells(found)], layout)
    if write:
        remark(f"written to the card in {measured.write(loaded, found)}")


@train.command(epilog=example("nlgauge train thresholds --labelled labelled --model pocket"))
@click.option("--labelled", type=PLACE, required=True, help="Folder with labelled sets, such as summedits.dev.jsonl.")
@click.option("--model", default="pocket", show_default=True, help="pocket, base, a folder, or nli:FOLDER.")
@click.option(
    "--write", is_flag=True, help="Put thresholds and rates on the card of the model, where check finds them."
)
@click.option(
    "--precision",
    type=click.Choice(loading.PRECISIONS),
    default=FLOAT32,
    show_default=True,
    help="In which the model computes; check takes the thresholds of its precision from the card.",
)
@click.option("--page", type=PLACE, help="With --write: put the tables of pocket and base into this page, too.")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many rows of each set: to try things out.")
@IN_FORMATS
@caching
def thresholds(
    labelled: Path,
    model: str,
    write: bool,
    precision: str,
    page: Path | None,
    limit: int | None,
    layout: str,
    cache: Path | bool,
) -> None:
    """Measure the thresholds of check --grounded: below which probability a text fails, and from which it passes.

    Also measures the alignment below which a word is marked as unsupported. Prints tables of three shares for each
    labelled set: of the unsupported texts, how many fail; of the supported texts, how many fail; and of all texts, for
    how many the gate gives no decision. Further tables have such shares for written answers by kind of error.
    """
    try:
        from nlgauge_lab.training import thresholds as measured
        from nlgauge_lab.training.thresholds_page import write_page
    except ImportError as error:
        raise MissingExtraError("training", "train", "nlgauge-lab") from error
    found = measured.measure(labelled, model, cache=cache, limit=limit, precision=precision)
    show_tables(measured.as_cells(found), layout)
    fails, passes, marks = found.thresholds
    remark(f"{model}: fails below {fails:g}, passes from {passes:g}; words below {marks:g} are marked")
    if write:
        remark(f"written to the card in {measured.write(model, found, precision)}")
        if page is not None:
            write_page(page)
            remark(f"written to {page}")

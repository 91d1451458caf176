"""The options that several commands take."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from nlgauge.errors import SpecError
from nlgauge.show.tables import FORMATS

N = TypeVar("N", int, float)


class _Address(click.Path):
    """The type of an option that takes a path or an address. The value of an address is its text."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


class _MetricSpec(click.types.StringParamType):
    """The type of an option that takes a metric's spec. A shell completes names and parameters of metrics."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from nlgauge.contract.parameters import parameters_of
        from nlgauge.registry import metric_class, names

        name, bracket, arguments = incomplete.partition("(")
        name, colon, short = name.partition(":")
        if not (bracket or colon):
            return [CompletionItem(metric) for metric in names() if metric.lower().startswith(name.lower())]
        try:
            kind = metric_class(name)
            parameters = parameters_of(kind)
        except SpecError:
            return []
        if colon:
            values = parameters[kind.short].choices if kind.short else ()
            return [CompletionItem(f"{name}:{value}") for value in map(str, values) if value.startswith(short)]
        begun = re.split(r"[(,]\s*", incomplete)[-1]
        before, (parameter, equals, value) = incomplete.removesuffix(begun), begun.partition("=")
        if not equals:
            free = [key for key in parameters if key.startswith(begun) and f"{key}=" not in arguments]
            return [CompletionItem(f"{before}{key}=", help=parameters[key].help) for key in free]
        choices = parameters[parameter].completions if parameter in parameters else ()
        return [CompletionItem(f"{before}{parameter}={choice}") for choice in choices if choice.startswith(value)]


Command = Callable[..., None]
Option = Callable[[Command], Command]
PLACE = click.Path(path_type=Path)
ADDRESS = _Address(path_type=Path)
SPEC = _MetricSpec()
IN_FORMATS = click.option(
    "--format", "layout", type=click.Choice([*FORMATS, "json"]), default="text", show_default=True
)
"""The option of a command that prints tables"""

_LABELS = "nlgauge.labels"


def _keep_labels(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> None:
    pairs = [pair.rpartition("=") for pair in texts]
    if wrong := [pair for pair, (name, _, label) in zip(texts, pairs, strict=True) if not (name and label)]:
        raise SpecError(f"--label {wrong[0]}: write NAME=LABEL, as in --label InfoLM=Ours")
    ctx.meta[_LABELS] = {name: label for name, _, label in pairs}


LABEL = click.option(
    "--label",
    multiple=True,
    metavar="NAME=LABEL",
    expose_value=False,
    callback=_keep_labels,
    help="Show a metric or a system under another name; repeatable.",
)
"""The option that gives new names to metrics and systems; `labelled` applies it"""


def labels_given() -> dict[str, str]:
    """Return the values of --label: new names by old names."""
    context = click.get_current_context(silent=True)
    labels: dict[str, str] = context.meta.get(_LABELS, {}) if context is not None else {}
    return labels


CLUSTER = click.option(
    "--cluster", metavar="COLUMN", help="Column of the outputs: rows that share its value are not independent."
)
"""The option of a command that prints intervals or p-values"""
MAP = click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="Read our column from yours, as in candidate=answer, or candidate=output.answer in a record; several of "
    "yours with commas; repeatable.",
)
REPEATS = click.option(
    "--repeats",
    type=click.Choice(["error", "mean"]),
    default="error",
    show_default=True,
    help="Several rows of one system and item that name no trial: refuse them, or number them as trials.",
)
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
REPLICATES = click.option(
    "--replicates",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many resamples intervals and p are computed from.",
)
REPLICATES_OF_TESTS = click.option(
    "--replicates",
    type=click.IntRange(min=0),
    help="How many resamples and exchanges are drawn; by default 1000, and for tests of many pairs as many as they "
    "need.",
)
"""The option of a command that tests many pairs"""
MODEL = click.option(
    "--model",
    help="Model of metrics that name none: pocket, base, a Hugging Face name, a folder, or a published detector, as "
    "nli:NAME. By default what the variable NLGAUGE_MODEL names, else pocket.",
)
AGAINST = click.option(
    "--against",
    type=ADDRESS,
    help="Table of texts that corpus-level metrics compare outputs with, instead of references.",
)
ASPECT = click.option("--aspect", "aspects", multiple=True, help="This aspect; repeatable; all by default.")
ONE_ASPECT = click.option("--aspect", help="An aspect of the ratings; may be left out where there is one.")
LEVEL = click.option("--level", default="item", show_default=True, help="item, system or pooled; see docs/meta.md.")
COEFFICIENT = click.option(
    "--coefficient", default="pearson", show_default=True, help="pearson, spearman, kendall, ...; see docs/meta.md."
)
RESAMPLE = click.option(
    "--resample", default="both", show_default=True, help="What the intervals resample: items, systems or both."
)


RATINGS_HELP = "The rated outputs: a table as for score, or the folder that nlgauge sample made."
RATING_LABEL = click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="NAME=VALUE",
    help="What raters write for a number or yes or no, as in hallucinated=0; ASPECT:NAME=VALUE for one aspect; "
    "repeatable.",
)
"""The option of a command that reads or makes rated sheets"""


def example(*lines: str) -> str:
    """Return the end of a command's help: an example with the given command lines."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def ratings(required: bool) -> Option:
    """Return the option by which a command that reads a scores file gets the rated outputs."""
    return click.option("--ratings", "outputs", type=PLACE, required=required, help=RATINGS_HELP)


def together(*options: Option) -> Option:
    """Return a decorator that adds several options at once, in this order."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


PARTS = together(
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="This metric, or 'spec sub-score'; repeatable; all by default."
    ),
    click.option("--parts", is_flag=True, help="Every sub-score of the metrics, not only the deciding one."),
)
ADD = together(
    click.option(
        "--add",
        multiple=True,
        metavar="[NAME=]COLUMN",
        help='Take a column of the outputs as a metric, or FILE:COLUMN of another table of the same rows, or "Column('
        "'COLUMN', values={'pass': 1, 'fail': 0})\", or NAME=FILE.score of mt-metrics-eval; repeatable.",
    ),
    click.option("--lower", multiple=True, metavar="NAME", help="An added metric; lower is better; repeatable."),
)
"""The options of every command that reads a scores file, for scores from elsewhere"""
ADDED = together(ADD, MAP)
CLUSTER_OF_OUTPUTS = together(
    click.option("--outputs", type=PLACE, help="The table that was scored: it has the column of --cluster."), CLUSTER
)
TEXT_FILES = together(
    click.option(
        "--candidates",
        type=PLACE,
        multiple=True,
        help="Text file, an output a line, instead of a table of outputs; repeatable, a file for each system.",
    ),
    click.option("--references", type=PLACE, multiple=True, help="Text file, a reference a line; repeatable."),
    click.option("--source", type=PLACE, help="Text file, a source a line."),
    click.option("--context", type=PLACE, help="Text file, a context a line."),
    click.option(
        "--system",
        "systems",
        multiple=True,
        help="Name of the system that wrote --candidates, or OUTPUTS whose rows name none; repeatable, in the same "
        "order; by default the file's name where there are several.",
    ),
)
"""The options for outputs in plain text files"""
MEASURED_ON_RATINGS = together(
    click.argument("scores", type=PLACE),
    ratings(required=True),
    LEVEL,
    COEFFICIENT,
    ADDED,
    RESAMPLE,
    CLUSTER,
    LABEL,
    REPLICATES_OF_TESTS,
    SEED,
    IN_FORMATS,
)
"""The options of every command that measures the agreement of a scores file with rated outputs"""
_PRECISIONS = "float32; bfloat16, which pays on a GPU and on processors with units for it; or int8, without torch."


def _loading(precisions: str) -> Option:
    """Return the options on how a command loads its models. `precisions` is the help of --precision."""
    return together(
        MODEL,
        click.option("--precision", default="float32", show_default=True, help=precisions),
        click.option(
            "--backend",
            default="auto",
            show_default=True,
            help="onnxruntime, openvino, torch, or auto: by precision, device and what is installed.",
        ),
        click.option(
            "--device", help="cpu, cuda, cuda:1 or mps, of models that torch runs; a GPU by default where there is one."
        ),
    )


LOADING = _loading(_PRECISIONS)
"""The options on how commands that score load their models"""
LOADING_OF_RUNS = together(
    _loading(
        f"{_PRECISIONS} With auto the fastest on this machine, if it moves no score of the first rows by more than "
        "--precision-change."
    ),
    click.option(
        "--precision-change",
        type=click.FloatRange(min=0, min_open=True),
        default=0.01,
        show_default=True,
        help="With --precision auto: the largest change of a score, as a share of the range of the scores.",
    ),
)
"""The options on loading models for commands that score rows by `nlgauge.evaluate`"""


LIMITED = together(
    click.option("--rows", type=click.IntRange(min=1), default=256, show_default=True, help="Rows of a request."),
    click.option(
        "--characters", type=click.IntRange(min=1), default=200_000, show_default=True, help="Characters of a request."
    ),
    click.option(
        "--work",
        type=click.FloatRange(min=0, min_open=True),
        default=2.0,
        show_default=True,
        help="Blocks of work that a request asks a model for; see docs/serve.md.",
    ),
    click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=60.0,
        show_default=True,
        help="From request to answer.",
    ),
    click.option(
        "--waiting", type=click.IntRange(min=1), default=64, show_default=True, help="Requests that may wait."
    ),
)
"""The limits of a request to the service, and to the tools of an agent"""
OFFERED = ("Faithfulness", "BERTScore", "TokenF1")
"""The metrics that the service and the tools of an agent offer by default"""


class _Share(click.types.FloatParamType):
    """The type of an option that takes a share between 0 and 1, written as 5% or 0.05."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            share = math.nan
        if not 0 < share < 1:
            self.fail(f"{value!r} is no share between 0 and 1: give 5% or 0.05", param, ctx)
        return share


SHARE = _Share()
THEN = together(
    click.option(
        "--then", metavar="MODEL", help="A second model, such as nli:ID, for the rows that the first cannot decide."
    ),
    click.option(
        "--unsure",
        type=(float, float),
        metavar="LOW HIGH",
        help="With --then: the first model cannot decide from LOW on and below HIGH; by default by its thresholds.",
    ),
)
"""The options of a second model; `with_then` reads them"""


def with_then(specs: Sequence[str], then: str | None, unsure: tuple[float, float] | None) -> list[str]:
    """Return specs of metrics with a second model added to each metric that can take one.

    Args:
        specs: the specs.
        then: the value of --then, the second model; None for no second model.
        unsure: the value of --unsure: the second model is asked where the first gives a number between these two.

    Returns:
        The specs, in the same order.

    Raises:
        SpecError: --unsure is given without --then, or no metric takes a second model.
    """
    if then is None:
        if unsure is not None:
            raise SpecError("--unsure is for a second model: name it, --then MODEL")
        return list(specs)
    from dataclasses import replace

    from nlgauge.faithfulness.metric import Faithfulness
    from nlgauge.registry import metric

    made = [metric(spec) for spec in specs]
    if not any(isinstance(metric, Faithfulness) for metric in made):
        raise SpecError("--then is for Faithfulness, and no metric here is that")
    return [
        str(replace(metric, then=then, unsure=unsure)) if isinstance(metric, Faithfulness) else spec
        for metric, spec in zip(made, specs, strict=True)
    ]


READING = together(
    click.option("--batch-tokens", type=click.IntRange(min=1), help="How many tokens a batch holds."),
    click.option(
        "--window",
        default="slide",
        show_default=True,
        help="Texts longer than the model's window: slide, cut or error.",
    ),
)
"""The options on how a model reads texts"""


def caching(command: Command) -> Command:
    """Add the options --cache and --no-cache to a command, which gets their value as `cache` for `evaluate`.

    Args:
        command: a function that takes `cache`.

    Returns:
        The function with the options. It raises SpecError for both options at once.
    """

    @click.option("--cache", type=PLACE, help="Folder of the cache; nlgauge cache info shows the usual one.")
    @click.option("--no-cache", is_flag=True, help="Ignore the cache: read nothing from it, write nothing to it.")
    @functools.wraps(command)
    def with_cache(cache: Path | None, no_cache: bool, **options: Any) -> None:
        if cache is not None and no_cache:
            raise SpecError("--cache and --no-cache do not go together; leave one out")
        command(cache=not no_cache if cache is None else cache, **options)

    return with_cache


def numbers(kind: type[N]) -> Callable[[click.Context, click.Parameter, str | None], list[N] | None]:
    """Return a callback of click that reads numbers of a type, int or float, from a text such as "1,2,3"."""

    def read(_context: click.Context, parameter: click.Parameter, text: str | None) -> list[N] | None:
        try:
            return None if text is None else [kind(part) for part in text.split(",")]
        except ValueError:
            what = "numbers" if kind is float else "whole numbers"
            raise SpecError(f"--{parameter.name} {text}: write {what} with commas, as in 1,2,3") from None

    return read

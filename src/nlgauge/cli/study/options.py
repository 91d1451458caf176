"""The options that studies share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

import click

from nlgauge.cli.keeping import keeping
from nlgauge.cli.terminal import IN_FORMATS, PLACE
from nlgauge.errors import SpecError

Command = Callable[..., None]
Option = Callable[[Command], Command]
N = TypeVar("N", int, float)

MAP = click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
SHOWN = (
    click.option("-o", "--output", type=PLACE, help="Write a figure here: .png, .svg or .pdf (needs nlgauge[plots])."),
    IN_FORMATS,
)
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
REPLICATES = click.option(
    "--replicates",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many resamples the interval and p are computed from.",
)
ASPECT = click.option("--aspect", "aspects", multiple=True, help="This aspect; repeatable; all by default.")
MODEL = click.option("--model", help="Model of metrics that name none: pocket, base, a Hugging Face name or a folder.")
ITEMS = click.option("--items", type=click.IntRange(min=1), help="Only this many items from the start.")


def coefficients(*default: str) -> Option:
    """The options of the agreement with people."""
    return click.option(
        "--coefficient", "coefficients", multiple=True, default=default, show_default=True,
        help="See docs/meta.md; repeatable.",
    )  # fmt: skip


def together(*options: Option) -> Option:
    """Several options as one."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


def of_scores(level: str | None, coefficient: str | None = None, rated: bool = False) -> Option:
    """Options of a study of a scores file."""
    options = [
        click.argument("scores", type=PLACE),
        click.option(
            "--ratings", "outputs", type=PLACE, required=rated, help="The rated outputs: a table as for score."
        ),
        click.option(
            "-m", "--metric", "metrics", multiple=True, help="This metric, or 'spec part'; repeatable; all by default."
        ),
        click.option("--parts", is_flag=True, help="Every part of the metrics, not only the first."),
        click.option(
            "--add", multiple=True, metavar="NAME=COLUMN",
            help="Take a column of the rated outputs, or a .score file of mt-metrics-eval, as a metric; repeatable.",
        ),
        click.option("--lower", multiple=True, metavar="NAME", help="An added metric; lower is better; repeatable."),
        MAP,
    ]  # fmt: skip
    if level:
        options.append(click.option("--level", default=level, show_default=True, help="item, system or pooled."))
    if coefficient:
        options.append(click.option("--coefficient", default=coefficient, show_default=True, help="See docs/meta.md."))
    return together(*options, *SHOWN)


def of_outputs(level: str, *default_coefficients: str) -> Option:
    """Options of a study that scores."""
    return together(
        click.argument("outputs", type=PLACE),
        MAP,
        MODEL,
        ITEMS,
        click.option("--level", default=level, show_default=True, help="item, system or pooled."),
        coefficients(*default_coefficients),
        ASPECT,
        click.option("--resample", default="both", show_default=True, help="What intervals resample."),
        REPLICATES,
        SEED,
        keeping,
        *SHOWN,
    )


def numbers(kind: type[N]) -> Callable[[click.Context, click.Parameter, str | None], list[N] | None]:
    """Reads "1,2,3"."""

    def read(_context: click.Context, parameter: click.Parameter, text: str | None) -> list[N] | None:
        try:
            return None if text is None else [kind(part) for part in text.split(",")]
        except ValueError:
            what = "numbers" if kind is float else "whole numbers"
            raise SpecError(f"--{parameter.name} {text}: write {what} with commas, as in 1,2,3") from None

    return read

"""The options that studies share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from nlgauge.cli.keeping import keeping
from nlgauge.cli.terminal import ADDED, IN_FORMATS, PARTS, PLACE, ratings
from nlgauge.cli.terminal import MAP as MAP
from nlgauge.cli.terminal import REPLICATES as REPLICATES
from nlgauge.cli.terminal import SEED as SEED
from nlgauge.cli.terminal import Option as Option
from nlgauge.cli.terminal import together as together
from nlgauge.errors import SpecError

N = TypeVar("N", int, float)

SHOWN = (
    click.option("-o", "--output", type=PLACE, help="Write a figure here: .png, .svg or .pdf (needs nlgauge[plots])."),
    IN_FORMATS,
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


def of_scores(level: str | None, coefficient: str | None = None, rated: bool = False) -> Option:
    """Options of a study of a scores file."""
    options: list[Option] = [
        click.argument("scores", type=PLACE),
        ratings(required=rated),
        PARTS,
        ADDED,
    ]
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

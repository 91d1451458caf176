"""How a study, or a figure, is run from the command line, and what is printed of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

import nlgauge
from nlgauge.cli import terminal
from nlgauge.cli.joining import joined, read_rated
from nlgauge.cli.options import IN_FORMATS, PLACE, Option, example, together
from nlgauge.cli.outputs import blaming, clustered, labelled, loaded, read_outputs
from nlgauge.cli.streams import remark
from nlgauge.data.jsonable import jsonable
from nlgauge.errors import SpecError
from nlgauge.show.answer import Answer

if TYPE_CHECKING:
    from nlgauge.show.tables import Cells

SCORES = click.argument("scores", type=PLACE)
OUTPUTS = click.argument("outputs", type=PLACE)


class Result(Protocol):
    """What every study returns: a dataclass, which may have `notes` and `signatures` too."""

    def tables(self) -> Sequence[Cells]: ...

    def draw(self, path: Path) -> None: ...


Run = Callable[..., Result]


def shown(
    group: click.Group,
    *options: Option,
    asked: str,
    reads: Callable[[Run], Run] = lambda run: run,
    figure: bool = False,
) -> Callable[[Run], click.Command]:
    """Make a function a command of a group, which prints what it returns, and draws it where -o says so.

    The function gets the values of those options alone that the caller named.

    Args:
        group: the group of commands.
        options: the options and arguments of the command.
        asked: an example of the command, without its name.
        reads: `of_scores` or `of_outputs`, for a function of what these read.
        figure: whether -o has to be given.

    Returns:
        A decorator of the function.
    """
    drawn = click.option(
        "-o",
        "--output",
        type=PLACE,
        required=figure,
        help=f"{'The figure' if figure else 'Write a figure here'}: .png, .svg or .pdf (needs nlgauge[plots]).",
    )

    def command_of(run: Run) -> click.Command:
        name = run.__name__.replace("_", "-")

        @group.command(epilog=example(f"nlgauge {group.name} {name} {asked}".rstrip()))
        @together(*options, drawn, IN_FORMATS)
        @functools.wraps(run)
        def command(output: Path | None, layout: str, **options: Any) -> None:
            if output is not None:  # it is refused before the long run
                from nlgauge.reports import figures

                figures.check(output)
            result = reads(run)(**{name: value for name, value in options.items() if value is not None and value != ()})
            show(name, result, output=output, layout=layout, kind=str(group.name))

        return command

    return command_of


def of_scores(run: Run) -> Run:
    """Return a study of a scores file: of the table, and of the outputs where they are given, with their ratings."""

    def read(
        scores: Path,
        outputs: Path | None = None,
        columns: Sequence[str] = (),
        add: Sequence[str] = (),
        lower: Sequence[str] = (),
        cluster: str | None = None,
        parts: bool | None = None,
        **options: Any,
    ) -> Result:
        from nlgauge.ratings.matching import by_position

        rated: nlgauge.Corpus | None
        if outputs is not None:
            table, rated = read_rated(scores, outputs, columns=columns, add=add, lower=lower, cluster=cluster)
            remark(*by_position(table, rated))
        elif columns:
            raise SpecError("--map is of the rated outputs: add --ratings")
        else:
            table, rated = labelled(clustered(joined(loaded(scores), add, lower), None, cluster))
        return run(table, rated, **options, **({} if parts is None else {"every_part": parts}))

    return read


def of_outputs(run: Run) -> Run:
    """Return a study that scores a file of outputs, whose name errors then tell."""

    def read(outputs: Path, columns: Sequence[str] = (), **options: Any) -> Result:
        corpus = read_outputs(outputs, columns)
        with blaming(outputs):
            return run(corpus, **options, progress=True)

    return read


def show(name: str, result: Result, output: Path | None, layout: str, kind: str = "study") -> None:
    """Print numbers on stdout, notes and signatures on stderr, and draw the figure where it is wanted."""
    record = jsonable(result) if layout == "json" else {}
    record.pop("notes", None)
    tables, notes = [] if layout == "json" else result.tables(), getattr(result, "notes", ())
    terminal.show(Answer(command=kind, record={kind: name, **record}, tables=tables, notes=notes), layout)
    signatures = [str(signature) for signature in getattr(result, "signatures", {}).values()]
    more = [f"and {len(signatures) - 1} more signatures, in --format json"] if len(signatures) > 1 else []
    remark(*signatures[:1], *more)
    if output is not None:
        result.draw(output)
        remark(f"drawn: {output}")

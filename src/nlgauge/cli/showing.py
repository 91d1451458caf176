"""Functions that run a study, or draw a figure, from the command line, and print its result."""

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
    """The result of a study or figure: a dataclass, which may also have `notes` and `signatures`."""

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
    """Return a decorator that makes a command of a function. The command prints the result, and draws it to -o.

    The function gets only those options that have a value.

    Args:
        group: the group of commands.
        options: the options and arguments of the command.
        asked: an example of the command, without its name.
        reads: `of_scores` or `of_outputs`, for a function that takes a table or a corpus.
        figure: whether -o has to be given.

    Returns:
        The decorator.
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
    """Return a function that reads a scores file, and rated outputs if they are given, and calls `run` with both."""

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
    """Return a function that reads a file of outputs and calls `run` with the corpus. Errors name the file."""

    def read(outputs: Path, columns: Sequence[str] = (), **options: Any) -> Result:
        corpus = read_outputs(outputs, columns)
        with blaming(outputs):
            return run(corpus, **options, progress=True)

    return read


def show(name: str, result: Result, output: Path | None, layout: str, kind: str = "study") -> None:
    """Print numbers on stdout, notes and signatures on stderr, and draw the figure if `output` is given.

    Args:
        name: the name of the study or figure.
        result: its result.
        output: the file of the figure; None for no figure.
        layout: as `nlgauge.cli.terminal.show` takes it.
        kind: the command: 'study' or 'plot'.
    """
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

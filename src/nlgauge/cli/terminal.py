"""What commands share: how outputs are read and tables printed."""

from __future__ import annotations

import functools
import math
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.streams import remark
from nlgauge.data.atomic_write import goes_to_stdout
from nlgauge.errors import InputError, SpecError
from nlgauge.show.tables import FORMATS, Cells, formatted

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.corpus.row import OnMissing
    from nlgauge.data.table import ScoreTable


class _Address(click.Path):
    """A path, or an address, which is not taken apart as a path is."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


Command = Callable[..., None]
Option = Callable[[Command], Command]
PLACE = click.Path(path_type=Path)
ADDRESS = _Address(path_type=Path)
WIDTH = 100
"""Columns that text output keeps to"""
IN_FORMATS = click.option(
    "--format", "layout", type=click.Choice([*FORMATS, "json"]), default="text", show_default=True
)
"""The option of a command that prints tables"""

_LABELS = "nlgauge.labels"


def _keep_labels(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> None:
    pairs = [pair.rpartition("=") for pair in given]
    if wrong := [pair for pair, (name, _, label) in zip(given, pairs, strict=True) if not (name and label)]:
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
"""The option of a command that shows names of metrics and systems, which `labelled` then gives them"""

CLUSTER = click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column of the outputs: rows that share its value are resampled together.",
)
"""The option of a command that prints intervals or p-values"""

MAP = click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
REPLICATES = click.option(
    "--replicates", type=click.IntRange(min=0), default=1000, show_default=True,
    help="How many resamples the interval and p are computed from.",
)  # fmt: skip


def ratings(required: bool) -> Option:
    """The option of the rated outputs of a scores file."""
    return click.option(
        "--ratings", "outputs", type=PLACE, required=required, help="The rated outputs: a table as for score."
    )


def together(*options: Option) -> Option:
    """Several options as one."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


PARTS = together(
    click.option(
        "-m", "--metric", "metrics", multiple=True, help="This metric, or 'spec part'; repeatable; all by default."
    ),
    click.option("--parts", is_flag=True, help="Every part of the metrics, not only the first."),
)
ADDED = together(
    click.option(
        "--add", multiple=True, metavar="NAME=COLUMN",
        help="Take a column of the rated outputs, or a .score file of mt-metrics-eval, as a metric; repeatable.",
    ),
    click.option("--lower", multiple=True, metavar="NAME", help="An added metric; lower is better; repeatable."),
    MAP,
)  # fmt: skip
of_text_files = together(
    click.option(
        "--candidates", type=PLACE, multiple=True,
        help="Text file, an output a line, instead of a table of outputs; repeatable, a file for each system.",
    ),
    click.option("--references", type=PLACE, multiple=True, help="Text file, a reference a line; repeatable."),
    click.option("--source", type=PLACE, help="Text file, a source a line."),
    click.option("--context", type=PLACE, help="Text file, a context a line."),
    click.option(
        "--system", "systems", multiple=True,
        help="Name of the system that wrote --candidates; repeatable, in the same order; by default the file's name "
        "where there are several.",
    ),
)  # fmt: skip
"""The options of outputs that stand in plain text files"""
measured_on_ratings = together(
    click.argument("scores", type=PLACE),
    ratings(required=True),
    click.option("--level", default="item", show_default=True, help="item, system or pooled; see docs/meta.md."),
    click.option(
        "--coefficient", default="pearson", show_default=True, help="pearson, spearman, kendall, ...; see docs/meta.md."
    ),
    ADDED,
    click.option(
        "--resample", default="both", show_default=True, help="What the intervals resample: items, systems or both."
    ),
    CLUSTER,
    LABEL,
    REPLICATES,
    SEED,
    IN_FORMATS,
)
"""What every agreement of a scores file with rated outputs is measured by"""


def read_outputs(
    outputs: Path | str | None, candidates: Sequence[Path], references: Sequence[Path], source: Path | None,
    context: Path | None, systems: Sequence[str], columns: Sequence[str], *, on_disk: bool = False,
    on_missing: OnMissing = "error",
) -> Corpus:  # fmt: skip
    from nlgauge.data.corpus import Corpus

    if outputs is None and not candidates:
        raise SpecError("give either a table of outputs or --candidates with a text file")
    if outputs is not None and candidates:
        problem = f"{outputs} is given as a table beside --candidates: leave it out"
        raise SpecError(f"{problem}, or write --candidates {outputs} if it holds the texts of one more system")
    if candidates:
        if columns:
            raise SpecError("--map names the columns of a table; text files have none")
        files = _by_system(candidates, systems)
        return Corpus.read_texts(files, references, source, context, on_disk=on_disk)
    if references or source or context or systems:
        raise SpecError("--references, --source, --context and --system go with --candidates; a table has columns")
    assert outputs is not None
    pairs = [pair.partition("=") for pair in columns]
    if wrong := [ours for ours, equals, theirs in pairs if not (ours and equals and theirs)]:
        raise SpecError(f"--map {wrong[0]}: write OURS=THEIRS, as in --map candidate=prediction")
    names = {ours: theirs for ours, _, theirs in pairs}
    return Corpus.read(outputs, columns=names, on_disk=on_disk, on_missing=on_missing)


def one_metric(specs: Sequence[str], example: str) -> str:
    """The metric of a command that takes one. Raises SpecError for none, and for more, which would go unmeasured."""
    if not specs:
        raise SpecError(f"no metric was given: add -m {example}; nlgauge list shows them all")
    if len(specs) > 1:
        raise SpecError(f"{len(specs)} metrics were given, and this command takes one: run it once for each")
    return specs[0]


def _by_system(candidates: Sequence[Path], systems: Sequence[str]) -> dict[str, Path]:
    """Text files by the systems that wrote them: several are called as their files are, where nobody names them."""
    names = list(systems) or (["system"] if len(candidates) == 1 else [path.name.split(".")[0] for path in candidates])
    if len(names) != len(candidates) or len(set(names)) < len(names):
        given = f"{len(candidates)} files and {len(set(names))} names of systems"
        raise SpecError(f"--candidates and --system: there are {given}; give each file a --system of its own")
    return dict(zip(names, candidates, strict=True))


def labels_given() -> dict[str, str]:
    """What --label asks for: new names by old ones."""
    context = click.get_current_context(silent=True)
    labels: dict[str, str] = context.meta.get(_LABELS, {}) if context is not None else {}
    return labels


def labelled(table: ScoreTable, outputs: Corpus | None = None) -> tuple[ScoreTable, Corpus | None]:
    """The table, and the outputs that belong to it, with the names that --label gives."""
    from nlgauge.data.corpus import Corpus

    labels = labels_given()
    if not labels:
        return table, outputs
    if outputs is not None:
        scored = table.run.get("corpus") == outputs.digest
        outputs = Corpus([replace(row, system=labels.get(row.system, row.system)) for row in outputs])
        run = {key: value for key, value in table.run.items() if key != "corpus"}
        table = replace(table, run=run | ({"corpus": outputs.digest} if scored else {}))
    return table.renamed(labels), outputs


def clustered(table: ScoreTable, outputs: Corpus | None, cluster: str | None) -> ScoreTable:
    """The table with the clusters that --cluster asks for. Raises SpecError where there are no outputs to have them."""
    from nlgauge.meta.clusters import by_column

    if cluster is None:
        return table
    if outputs is None:
        raise SpecError("--cluster names a column of the outputs: give them too, with --outputs or --ratings")
    return by_column(table, outputs, cluster)


def read_rated(
    scores: Path, outputs: Path, columns: Sequence[str], add: Sequence[str] = (), lower: Sequence[str] = (),
    cluster: str | None = None,
) -> tuple[ScoreTable, Corpus]:  # fmt: skip
    """A scores file, with what --add, --lower and --cluster ask for joined to it, and the rated outputs."""
    from nlgauge import ScoreTable
    from nlgauge.meta.join import join

    table, rated = ScoreTable.load(scores), read_outputs(outputs, (), (), None, None, (), columns, on_missing="skip")
    pairs = [pair.partition("=") for pair in add]
    if wrong := [name for name, equals, column in pairs if not (name and equals and column)]:
        raise SpecError(f"--add {wrong[0]}: write NAME=COLUMN, as in --add COMET=comet")
    if stray := set(lower) - {name for name, _, _ in pairs}:
        raise SpecError(f"--lower {min(stray)}: no --add has that name")
    for name, _, column in pairs:
        file = column.endswith(".score")
        try:
            table = join(
                table,
                name,
                column if file else rated,
                column=None if file else column,
                higher_is_better=name not in lower,
            )
        except InputError as error:
            raise InputError(error.problem, file=error.file or outputs, row=error.row, remedy=error.remedy) from None
    table, labelled_outputs = labelled(clustered(table, rated, cluster), rated)
    return table, labelled_outputs or rated


def beside(place: Path | None) -> AbstractContextManager[object]:
    """Where a command prints what it prints beside a file: on stderr where the file goes to stdout."""
    return redirect_stdout(sys.stderr) if place is not None and goes_to_stdout(place) else nullcontext()


def coloured() -> bool:
    """Whether stdout is a terminal, and nobody asked for no colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _arrows() -> dict[int, str]:
    """What stands for the arrows of a table where stdout has none, in Latin-1 say."""
    try:
        "↑↓".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return {ord("↑"): "^", ord("↓"): "v"}
    return {}


def tell_joined(table: ScoreTable) -> None:
    """What --add could not join, on stderr."""
    for name, joined in table.run.get("joined", {}).items():
        if joined["missing"] or joined["left_over"]:
            rest = f"{joined['missing']} without a score, {joined['left_over']} scores without a row"
            remark(f"{name}, from {joined['from']}: {joined['scores']} joined, {rest}")


def show_tables(tables: Sequence[Cells], layout: str, keys: int = 1) -> None:
    """Tables on stdout in one of `FORMATS`; `keys` columns say what a row is."""
    colour = coloured()
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    arrows = _arrows() if layout == "text" else {}
    for line in formatted(tables, layout, width=width, colour=colour, keys=keys):
        click.echo(line.translate(arrows), color=colour)


def aligned(cells: Cells) -> list[str]:
    """The lines of a table as wide as it is: of one that stands among other lines."""
    return formatted([cells], "text", width=sys.maxsize)


def with_interval(value: float, low: float = math.nan, high: float = math.nan) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}" + ("" if math.isnan(low) else f" [{low:.4f}, {high:.4f}]")

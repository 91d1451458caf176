"""Functions by which commands read ratings, and join scores of other tools to a table."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import ADDED, PLACE, RATING_LABEL, RATINGS_HELP, SEED, Command
from nlgauge.cli.outputs import blaming, clustered, columns_by_field, labelled, loaded, read_outputs
from nlgauge.cli.streams import remark
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.table import ScoreTable

_SCORE_FILE = re.compile(r"(/.*|\.(seg|sys))\.score$")
_OF_A_FILE = re.compile(r"(.+\.(?:jsonl|json|csv|tsv|parquet|eval)(?:\.gz)?):(.+)", re.DOTALL)


def read_ratings(place: Path, columns: Sequence[str], labels: Sequence[str] = ()) -> Corpus:
    """Return the rated outputs in a table, or in the folder of a rating project.

    Args:
        place: the path of the table, or of the folder.
        columns: the values of --map.
        labels: the values of --label, which give numbers to the words of raters.

    Returns:
        The rated rows.

    Raises:
        SpecError: --map is given for a project, which has its own columns.
        InputError: a single sheet of a project is given; the folder is needed to know which rows it rates.
    """
    from nlgauge.ratings.labels import by_name
    from nlgauge.ratings.project import RatingProject, is_project
    from nlgauge.ratings.sheets import DIGEST, ROW

    if is_project(place):
        if columns:
            raise SpecError("--map names the columns of a table; a rating project has its own")
        return RatingProject.load(place).ratings(labels)
    if is_project(place.parent) and place.is_file():
        problem = "is a sheet of a rating project"
        raise InputError(problem, file=place, remedy=f"give the folder: --ratings {place.parent}")
    rated = read_outputs(place, columns, on_missing="skip", labels=by_name(labels))
    if any(DIGEST in row.extra and row.item[:1] == "r" for row in rated[:1]):
        problem = f"is a sheet of a rating project: it has the columns {ROW} and {DIGEST}"
        remedy = "put it into the project's folder, and give the folder"
        raise InputError(problem, file=place, remedy=remedy)
    return rated


def read_rated(
    scores: Path,
    outputs: Path,
    columns: Sequence[str],
    add: Sequence[str] = (),
    lower: Sequence[str] = (),
    cluster: str | None = None,
) -> tuple[ScoreTable, Corpus]:
    """Return the scores of a file, and the rated outputs.

    Args:
        scores: the scores file.
        outputs: the rated outputs: a table, or the folder of a rating project.
        columns: the values of --map.
        add: the values of --add, whose scores are joined to those of the file.
        lower: the values of --lower.
        cluster: the value of --cluster, by which the rows are clustered.

    Returns:
        The table of all scores, and the rated outputs.
    """
    from nlgauge.ratings.matching import matched
    from nlgauge.ratings.project import ProjectRatings

    table, rated = loaded(scores), read_ratings(outputs, columns)
    if isinstance(rated, ProjectRatings):
        remark(*rated.told())
    with blaming(outputs):
        rated = matched(table, rated)
    table = joined(table, add, lower=lower, outputs=rated, file=outputs)
    table, labelled_outputs = labelled(clustered(table, rated, cluster), rated)
    return table, labelled_outputs or rated


def _by_file(pairs: Sequence[str], *files: Path) -> list[list[str]]:
    """Return the values of --map for each of several files: those with a column that the file has.

    Raises:
        SpecError: a column is in no file.
    """
    from nlgauge.data.corpus.files import there

    columns_by_field(pairs)
    theirs = {pair: pair.partition("=")[2] for pair in pairs}
    held = [there(file, theirs.values()) for file in files]
    if lacking := [pair for pair, column in theirs.items() if not any(column in columns for columns in held)]:
        raise SpecError(f"--map {lacking[0]}: neither {files[0]} nor {files[1]} has a row with that column")
    return [[pair for pair in pairs if theirs[pair] in columns] for columns in held]


def joined(
    table: ScoreTable,
    add: Sequence[str],
    lower: Sequence[str],
    outputs: Corpus | None = None,
    file: Path | None = None,
) -> ScoreTable:
    """Return a table joined with the scores that --add names, and print on stderr how many rows did not fit.

    Args:
        table: the scores.
        add: columns, as `nlgauge.cli.options.ADD` describes them.
        lower: the names of those added scores where lower is better.
        outputs: the rows that have the columns, for values of --add that name no file.
        file: the file of the outputs, for errors.

    Returns:
        The table.

    Raises:
        SpecError: a value of --add names no column, or a column of outputs that were not given.
        InputError: as `nlgauge.ratings.join.join`.
    """
    from nlgauge import registry
    from nlgauge.metrics.simple import Column
    from nlgauge.ratings.join import join
    from nlgauge.ratings.matching import BY_POSITION

    names = []
    for wanted in add:
        name, equals, column = ("", "", wanted) if wanted.startswith("Column(") else wanted.partition("=")
        name, column = (name, column) if equals else ("", wanted)
        if not column or (equals and not name):
            raise SpecError(f"--add {wanted}: write COLUMN or NAME=COLUMN, as in --add COMET=comet")
        source: Corpus | str | None = outputs
        file_and_column = None
        if _SCORE_FILE.search(column) or (column.endswith(".score") and Path(column).is_file()):
            source = column
            name = name or Path(column).name
        elif file_and_column := _OF_A_FILE.fullmatch(column):
            source, column = read_outputs(file_and_column[1], (), on_missing="skip", tell=False), file_and_column[2]
        if source is None:
            remedy = "give the outputs too, with --outputs, or write FILE:COLUMN"
            raise SpecError(f"--add {wanted}: there are no outputs with a column {column!r}: {remedy}")
        read = registry.metric(column) if column.startswith("Column(") else Column(column)
        assert isinstance(read, Column)
        names.append(name or (str(read) if column.startswith("Column(") else column))
        upwards = read.higher_is_better and names[-1] not in lower
        with blaming(file_and_column[1] if file_and_column else file):
            table = join(table, names[-1], source, column=read.column, labels=read.values, higher_is_better=upwards)
    if stray := set(lower) - set(names):
        raise SpecError(f"--lower {min(stray)}: no --add has that name")
    for name in names:
        about = table.run["joined"][name]
        if about["missing"] or about["left_over"]:
            rest = f"{about['missing']} without a score, {about['left_over']} scores without a row"
            remark(f"{name}, from {about['from']}: {about['scores']} joined, {rest}")
        if "by" in about:
            remark(f"{name}: {BY_POSITION}")
    return table


def on_some_ratings(command: Command, anchors: bool = False) -> Command:
    """Add options to a command, by which it gets a table, the ratings of some of its rows, and outputs for clusters.

    Args:
        command: a function that takes `table`, `rated` and `outputs`.
        anchors: whether all ratings may be of the anchor rows, which were scored again in the same run.

    Returns:
        The function with the options.
    """

    @click.argument("scores", type=PLACE)
    @click.option("--ratings", type=PLACE, required=True, help=RATINGS_HELP)
    @RATING_LABEL
    @click.option("--key", type=PLACE, hidden=True)
    @click.option("--cluster", metavar="COLUMN", help="Rows that share its value are not independent; item, for one.")
    @click.option("--outputs", type=PLACE, help="The outputs, where the ratings do not hold --cluster or --add of all.")
    @ADDED
    @SEED
    @functools.wraps(command)
    def read(
        scores: Path,
        ratings: Path,
        labels: Sequence[str],
        key: Path | None,
        outputs: Path | None,
        columns: Sequence[str],
        add: Sequence[str],
        lower: Sequence[str],
        **options: Any,
    ) -> None:
        if key is not None:
            problem = "--key is no longer read: nlgauge sample makes one folder, which --ratings takes"
            raise SpecError(f"{problem}; finish sheets that have a key with the version of nlgauge that drew them")
        from nlgauge.ratings.matching import matched, of_ratings
        from nlgauge.ratings.project import is_project
        from nlgauge.ratings.rated import fitted
        from nlgauge.ratings.trials import by_trial

        mine = theirs = columns
        if outputs is not None and columns:
            mine, theirs = ([], columns) if is_project(ratings) else _by_file(columns, ratings, outputs)
        table, rated = loaded(scores), read_ratings(ratings, mine, labels)
        texts = None if outputs is None else read_outputs(outputs, theirs, on_missing="skip")
        if anchors and (again := of_ratings(table, rated)) is not table:
            if outputs is not None:
                raise SpecError("the ratings are of the anchors of the scores, and --outputs is not: leave it out")
            table = again
        table, rated, texts = by_trial(table, rated, texts)
        with blaming(outputs):
            texts = fitted(table, texts, rated)
        with blaming(ratings):
            rated = matched(table, rated)
        table = joined(
            table,
            add,
            lower=lower,
            outputs=rated if texts is None else texts,
            file=ratings if outputs is None else outputs,
        )
        command(table=table, rated=rated, outputs=texts, **options)

    return read

"""What commands share: how outputs are read and tables printed."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import ADDED, PLACE, RATING_LABEL, RATINGS_HELP, SEED, Command, labels_given
from nlgauge.cli.streams import remark, show_json
from nlgauge.data.atomic_write import goes_to_stdout
from nlgauge.data.seal import UNSEALED, has_seal
from nlgauge.errors import InputError, SpecError
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.lines import WIDTH, Line, drawn
from nlgauge.show.tables import Cells, formatted, harmless, harmless_json

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.corpus.row import OnMissing
    from nlgauge.data.table import ScoreTable

LONG = 100_000
"""Characters: a text that keeps a metric of a model busy for a minute"""
_LOOKED_AT = 1000
"""Texts whose language is told: a run of millions does not wait for it"""


def read_outputs(
    outputs: Path | str | Sequence[Path | str] | None,
    columns: Sequence[str],
    *,
    candidates: Sequence[Path] = (),
    references: Sequence[Path] = (),
    source: Path | None = None,
    context: Path | None = None,
    systems: Sequence[str] = (),
    on_disk: bool = False,
    on_missing: OnMissing = "error",
    tell: bool = True,
    labels: Mapping[str, float] | None = None,
) -> Corpus:
    """Return the rows of a table of outputs, or of several, or of --candidates and the other text files.

    Args:
        outputs: the tables.
        columns: what --map says, which is for tables alone.
        candidates: text files, a line each output, in place of tables.
        references: text files beside `candidates`.
        source: a text file beside `candidates`.
        context: a text file beside `candidates`.
        systems: the name of the system of each table or text file.
        on_disk: as `Corpus.read` takes it.
        on_missing: as `Corpus.read` takes it.
        tell: whether to say on stderr which systems are called as their files are.
        labels: as `Corpus.read` takes them.

    Returns:
        The rows.

    Raises:
        SpecError: there are tables beside text files, or neither; or an option does not go with what is given.
    """
    from nlgauge.data.corpus import Corpus

    tables = [outputs] if isinstance(outputs, Path | str) else list(outputs or ())
    if not (tables or candidates):
        raise SpecError("give either a table of outputs or --candidates with a text file")
    if tables and candidates:
        problem = f"{tables[0]} is given as a table beside --candidates: leave it out"
        raise SpecError(f"{problem}, or write --candidates {tables[0]} if it holds the texts of one more system")
    if candidates:
        if columns:
            raise SpecError("--map names the columns of a table; text files have none")
        files = _by_system(candidates, systems)
        if tell and len(files) > 1 and not systems:
            _tell_named(list(files))
        return Corpus.read_texts(files, references, source, context, on_disk=on_disk)
    if references or source or context:
        raise SpecError("--references, --source and --context go with --candidates; a table has columns")
    if systems and (len(systems) != len(tables) or len(set(systems)) < len(systems)):
        given = f"{len(tables)} table{'s' * (len(tables) > 1)} and {len(set(systems))} names of systems"
        raise SpecError(f"--system: there are {given}; give each table a --system of its own")
    corpus = Corpus.read(
        dict(zip(systems, tables, strict=True)) if systems else tables,
        columns=_columns(columns),
        on_disk=on_disk,
        on_missing=on_missing,
        labels=labels,
    )
    if tell:
        remark(*corpus.read_as)
        if corpus.named_by_files:
            _tell_named(corpus.named_by_files)
    return corpus


def loaded(path: Path) -> ScoreTable:
    """Return the scores of a file or folder. A file without a seal is told of. Raises InputError for anything else."""
    from nlgauge.data.table import ScoreTable

    table = ScoreTable.load(path)
    if table.seal == "":
        remark(f"{path} {UNSEALED}")
    return table


def tell_unsealed(path: Path) -> None:
    """Tell of a threshold, a panel or a history without a seal."""
    if path.is_file() and not has_seal(path):
        remark(f"{path} {UNSEALED}")


def scores_of(
    files: Sequence[Path], columns: Sequence[str], specs: Sequence[str], how: Mapping[str, Any]
) -> tuple[ScoreTable, Corpus | None]:
    """Return the scores of a scores file; or of outputs, which are scored now, and which are returned too.

    Several files of outputs whose rows name one and the same system, or none, are systems that are called as the files.

    Args:
        files: a scores file, or files of outputs.
        columns: what --map says.
        specs: the metrics by which outputs are scored; by default the usual one (`usual_metric`).
        how: what `evaluate` takes besides.

    Returns:
        The table, and the outputs if they were scored now.

    Raises:
        SpecError: there are scores beside another file; or no metric is named, and none is usual for such rows.
    """
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.corpus.corpus import called_after
    from nlgauge.data.table import ScoreTable
    from nlgauge.evaluation import evaluate

    held = [file for file in files if ScoreTable.is_at(file)]
    if held and len(files) == 1:
        return loaded(held[0]), None
    if held:
        raise SpecError(f"{held[0]} holds scores: give outputs alone, which are scored now, or one scores file alone")
    corpora = [read_outputs(file, columns, on_missing="skip") for file in files]
    if len(files) > 1 and len({tuple(corpus.systems) for corpus in corpora}) == 1 == len(corpora[0].systems):
        names = called_after(list(map(str, files)))
        corpora = [
            Corpus([replace(row, system=name) for row in rows]) for name, rows in zip(names, corpora, strict=True)
        ]
    corpus = corpora[0] if len(corpora) == 1 else Corpus([row for rows in corpora for row in rows])
    specs = list(specs) or [usual_metric(corpora)]
    tell_hard(corpus, specs, how["model"])
    with blaming(files[0] if len(files) == 1 else None):
        return evaluate(corpus, metrics=list(specs), evidence=True, progress=True, **how), corpus


_FEW = 3
"""Columns that an error names"""


def usual_metric(files: Sequence[Corpus]) -> str:
    """Return the metric of a comparison that names none, by what the rows of each file have, and say so on stderr.

    Args:
        files: the outputs.

    Returns:
        The metric of the gate for rows with a source; TokenF1 for rows with references alone.

    Raises:
        SpecError: there are neither; the error names columns that hold numbers.
    """
    from nlgauge.gate.thresholds import METRIC

    if all(any(row.source for row in corpus) for corpus in files):
        remark(f"no metric was named: {METRIC}, because rows have a source")
        return METRIC
    if all(any(row.references for row in corpus) for corpus in files):
        remark("no metric was named: TokenF1, because rows have references and no source")
        return "TokenF1"
    shared = set.intersection(*(set(_numbers_of(corpus)) for corpus in files))
    columns_of_numbers = [path for path in _numbers_of(files[0]) if path in shared][:_FEW]
    ways = " or ".join(f'"Column({path!r})"' for path in columns_of_numbers) or "\"Column('NAME')\""
    problem = "no metric was named, and not all files have rows with a source, or with references"
    raise SpecError(f"{problem}: give -m {ways}, a metric, or --map source=COLUMN")


def _numbers_of(corpus: Corpus) -> list[str]:
    """Return the columns, and the paths into records, that hold numbers or yes and no in the first rows."""
    from nlgauge.data.corpus.place import looked_up, paths_in

    first = list(islice(corpus, _LOOKED_AT))
    paths = dict.fromkeys(path for row in first for path in paths_in(row.extra))
    values = {path: [looked_up(row.extra, path) for row in first] for path in paths}
    return [path for path, of in values.items() if any(isinstance(value, bool | int | float) for value in of)]


def _columns(pairs: Sequence[str]) -> dict[str, str | list[str]]:
    """Return what --map says: columns by field; several where a field is given several times."""
    names: dict[str, str | list[str]] = {}
    for ours, equals, theirs in [pair.partition("=") for pair in pairs]:
        if not (ours and equals and theirs):
            raise SpecError(f"--map {ours}: write OURS=THEIRS, as in --map candidate=prediction")
        before = names.get(ours)
        names[ours] = theirs if before is None else [*([before] if isinstance(before, str) else before), theirs]
    return names


def _tell_named(systems: Sequence[str]) -> None:
    """Tell which systems are called as their files are."""
    first = ", ".join(systems[:5]) + (", ..." if len(systems) > 5 else "")
    remark(
        f"each file is a system of its own name ({first}), because its rows name none; --system gives other names, and "
        "one name to a folder whose files are all of one system"
    )


def tell_hard(corpus: Corpus, specs: Sequence[str], model: str | None, numbers: Collection[int] | None = None) -> None:
    """Tell which candidates will take long, before they do, and which are not in English, where a metric reads a model.

    Args:
        corpus: the rows.
        specs: the metrics.
        model: the model of metrics that name none.
        numbers: of the rows that are scored, counted from 1; None for all.
    """
    from nlgauge import registry
    from nlgauge.engine.english import foreign

    made = [registry.metric(spec, model=model) for spec in specs]
    reading = [metric for metric in made if metric.cost != "strings" and not metric.remote]
    if not reading:
        return
    texts = [(number, row.candidate) for number, row in enumerate(corpus, 1) if numbers is None or number in numbers]
    if any(getattr(metric, "model", None) in (None, "pocket", "base") for metric in reading):
        seen = [text for _, text in texts[:_LOOKED_AT]]
        if languages := Counter(filter(None, map(foreign, seen))):
            names = ", ".join(name for name, _ in languages.most_common(3))
            which = f"{languages.total()} of {'the first ' if len(texts) > len(seen) else ''}{len(seen)} candidates"
            means = "the embedded models read English alone, and their scores of other texts mean little"
            remark(f"{which} are not in English ({names}): {means}; --model takes another model")
    long = [(number, len(text)) for number, text in texts if len(text) > LONG]
    if long:
        number, size = max(long, key=lambda pair: pair[1])
        more = f", and {len(long) - 1} more are long" if len(long) > 1 else ""
        which = f"row {number} has a candidate of {size:,} characters{more}"
        remark(f"{which}: a metric that reads a model may take minutes; is the file split into rows as it should be?")


def one_metric(specs: Sequence[str], example: str) -> str:
    """Return the metric of a command that takes one.

    Args:
        specs: what -m names.
        example: the example of a metric in the error.

    Returns:
        The spec.

    Raises:
        SpecError: there is none, or there are more, which would go unmeasured.
    """
    if not specs:
        raise SpecError(f"no metric was given: add -m {example}; nlgauge list shows them all")
    if len(specs) > 1:
        raise SpecError(f"{len(specs)} metrics were given, and this command takes one: run it once for each")
    return specs[0]


def _by_system(candidates: Sequence[Path], systems: Sequence[str]) -> dict[str, Path]:
    """Return text files by the systems that wrote them.

    Several are called as their files are, where nobody names them.
    """
    from nlgauge.data.corpus.corpus import called_after

    names = list(systems) or (["system"] if len(candidates) == 1 else called_after(list(map(str, candidates))))
    if len(names) != len(candidates) or len(set(names)) < len(names):
        given = f"{len(candidates)} files and {len(set(names))} names of systems"
        raise SpecError(f"--candidates and --system: there are {given}; give each file a --system of its own")
    return dict(zip(names, candidates, strict=True))


def labelled(table: ScoreTable, outputs: Corpus | None = None) -> tuple[ScoreTable, Corpus | None]:
    """Return the table, and the outputs that belong to it, with the names that --label gives."""
    labels = labels_given()
    if not labels:
        return table, outputs
    from nlgauge.data.corpus import Corpus
    from nlgauge.ratings.project import ProjectRatings

    if isinstance(outputs, ProjectRatings):
        outputs = outputs.renamed(labels)
    elif outputs is not None:
        scored = table.run.get("corpus") == outputs.digest
        outputs = Corpus([replace(row, system=labels.get(row.system, row.system)) for row in outputs])
        run = {key: value for key, value in table.run.items() if key != "corpus"}
        table = replace(table, run=run | ({"corpus": outputs.digest} if scored else {}))
    return table.renamed(labels), outputs


def clustered(table: ScoreTable, outputs: Corpus | None, cluster: str | None) -> ScoreTable:
    """Return the table with the clusters that --cluster asks for.

    Args:
        table: the scores.
        outputs: the rows that have the column.
        cluster: the name of the column; None for a table as it is.

    Returns:
        The table.

    Raises:
        SpecError: there are no outputs to have the clusters.
    """
    if cluster is None:
        return table
    if outputs is None:
        raise SpecError("--cluster names a column of the outputs: give them too, with --outputs or --ratings")
    from nlgauge.ratings.join import by_column

    return by_column(table, outputs, cluster)


def read_ratings(place: Path, columns: Sequence[str], labels: Sequence[str] = ()) -> Corpus:
    """Return rated outputs: of a table, or of the folder of a rating project.

    Args:
        place: the table, or the folder.
        columns: what --map says.
        labels: what --label says: the numbers of what raters write.

    Returns:
        The rated rows.

    Raises:
        SpecError: for --map of a project, which has its own columns.
        InputError: for a single sheet of a project, whose rows the folder alone can tell.
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
    """Return a scores file, with what --add, --lower and --cluster ask for joined to it, and the rated outputs."""
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
    """Return what --map says of each of two files: the columns that it has.

    Raises:
        SpecError: neither file has a column.
    """
    from nlgauge.data.corpus.files import there

    _columns(pairs)
    theirs = {pair: pair.partition("=")[2] for pair in pairs}
    held = [there(file, theirs.values()) for file in files]
    if lacking := [pair for pair, column in theirs.items() if not any(column in columns for columns in held)]:
        raise SpecError(f"--map {lacking[0]}: neither {files[0]} nor {files[1]} has a row with that column")
    return [[pair for pair in pairs if theirs[pair] in columns] for columns in held]


_SCORE_FILE = re.compile(r"(/.*|\.(seg|sys))\.score$")
_OF_A_FILE = re.compile(r"(.+\.(?:jsonl|json|csv|tsv|parquet|eval)(?:\.gz)?):(.+)", re.DOTALL)


def joined(
    table: ScoreTable,
    add: Sequence[str],
    lower: Sequence[str],
    outputs: Corpus | None = None,
    file: Path | None = None,
) -> ScoreTable:
    """Return a table with the scores from elsewhere that --add names, and say on stderr what did not fit.

    Args:
        table: the scores.
        add: columns, as `nlgauge.cli.options.ADD` describes them.
        lower: the names of those of which lower is better.
        outputs: the rows whose columns are meant where no file is named.
        file: where the outputs come from, for errors.

    Returns:
        The table.

    Raises:
        SpecError: for what is no column, and for a column of outputs that were not given.
        InputError: as `nlgauge.ratings.join.join`.
    """
    from nlgauge import registry
    from nlgauge.metrics.simple import Column
    from nlgauge.ratings.join import join
    from nlgauge.ratings.matching import BY_POSITION

    names = []
    for given in add:
        name, equals, column = ("", "", given) if given.startswith("Column(") else given.partition("=")
        name, column = (name, column) if equals else ("", given)
        if not column or (equals and not name):
            raise SpecError(f"--add {given}: write COLUMN or NAME=COLUMN, as in --add COMET=comet")
        source: Corpus | str | None = outputs
        file_and_column = None
        if _SCORE_FILE.search(column) or (column.endswith(".score") and Path(column).is_file()):
            source = column
            name = name or Path(column).name
        elif file_and_column := _OF_A_FILE.fullmatch(column):
            source, column = read_outputs(file_and_column[1], (), on_missing="skip", tell=False), file_and_column[2]
        if source is None:
            remedy = "give the outputs too, with --outputs, or write FILE:COLUMN"
            raise SpecError(f"--add {given}: there are no outputs with a column {column!r}: {remedy}")
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


def told_spent(table: ScoreTable, per_thousand: bool = False) -> Iterator[str]:
    """Yield what judges have cost, a line each.

    Args:
        table: the scores.
        per_thousand: whether lines follow on what 1,000 rows cost at the rate of this run. Cached answers cost nothing.

    Yields:
        The lines.
    """
    asked, rows = table.spent.get("asked", {}), len(table.rows)
    for spec, counts in asked.items():
        yield f"{spec}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    for spec, counts in asked.items() if per_thousand else ():
        if counts.get("requests") and rows:
            names = [name for name in ("requests", "tokens in", "tokens out") if counts.get(name)]
            said = ", ".join(f"{counts[name] * 1000 / rows:,.0f} {name}" for name in names)
            yield f"{spec}: 1,000 such rows cost {said}, {table.spent['seconds'] * 1000 / rows:,.0f} seconds"


def on_some_ratings(command: Command, anchors: bool = False) -> Command:
    """Give a command the table, the ratings of some of its rows, and `outputs` to be clustered by.

    Args:
        command: a function that takes `table`, `rated` and `outputs`.
        anchors: whether the ratings may be of the anchors that were scored again in the same run, and of no other row.

    Returns:
        The function with the options by which these are read.
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
        **given: Any,
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
        command(table=table, rated=rated, outputs=texts, **given)

    return read


@contextmanager
def blaming(file: Path | str | None) -> Iterator[None]:
    """Name a file in errors of what was read from it, where they name none themselves."""
    try:
        yield
    except InputError as error:
        if error.file:
            raise
        raise InputError(error.problem, file=file, row=error.row, remedy=error.remedy) from None


def beside(place: Path | None) -> AbstractContextManager[object]:
    """Return where a command prints what it prints beside a file: on stderr where the file goes to stdout."""
    return redirect_stdout(sys.stderr) if place is not None and goes_to_stdout(place) else nullcontext()


def coloured() -> bool:
    """Return whether stdout is a terminal, and nobody asked for no colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _arrows() -> dict[int, str]:
    """Return what stands for the arrows of a table where stdout has none, in Latin-1 say."""
    try:
        "↑↓".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return {ord("↑"): "^", ord("↓"): "v"}
    return {}


def show(given: Answered | Answer, layout: str) -> None:
    """Show an answer on stdout, as text, tables or its record as JSON; what has to be known of it on stderr.

    Args:
        given: the answer, or a result that has one.
        layout: one of `FORMATS`, 'json', or a format of the answer's own documents.
    """
    answer = given if isinstance(given, Answer) else given.to_answer()
    if layout in answer.documents:
        click.echo(answer.documents[layout]())
    elif layout == "json":
        show_json(answer.command, answer.notes, **answer.record)
    elif layout == "text" and answer.lines:
        _show_lines(answer.lines)
    else:
        _say(answer.sentences, layout)
        show_tables(answer.tables, layout, answer.keys)
        remark(*answer.legend)
    remark(*answer.notes)
    if layout == "text" and answer.ending is not None:
        _show_lines([answer.ending])


def _say(answers: Sequence[str], layout: str) -> None:
    """Write sentences on stdout before the tables of text output; other forms of output are for programs."""
    if layout != "text" or not answers:
        return
    for answer in answers:
        for line in textwrap.wrap(harmless(answer), _width(), break_long_words=False, break_on_hyphens=False):
            click.echo(line)
    click.echo()


def _show_lines(lines: Sequence[Line]) -> None:
    colour = coloured()
    for line in drawn(lines, colour):
        click.echo(line, color=colour)


def show_tables(tables: Sequence[Cells], layout: str, keys: int = 1) -> None:
    """Print tables on stdout in one of `FORMATS`; `keys` columns say what a row is."""
    colour = coloured()
    arrows = _arrows() if layout == "text" else {}
    # CSV is exact for a file or a program; the other forms hold no character that steers a terminal.
    shown = harmless_json if layout == "csv" and sys.stdout.isatty() else str
    for line in formatted(tables, layout, width=_width(), colour=colour, keys=keys):
        click.echo(shown(line).translate(arrows), color=colour)


def _width() -> int:
    """Return how many columns a table takes: those of a terminal, and `WIDTH` at most."""
    return min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH

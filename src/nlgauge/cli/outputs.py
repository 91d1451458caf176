"""Functions by which commands read outputs and scores, and print remarks on them before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli.options import labels_given
from nlgauge.cli.streams import remark
from nlgauge.data.seal import UNSEALED, has_seal
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.corpus.row import OnMissing
    from nlgauge.data.table import ScoreTable

LONG = 100_000
"""Number of characters of a text that keeps a metric with a model busy for a minute"""
_LOOKED_AT = 1000
"""Number of texts whose language is recognised, so that a run of millions of rows does not wait"""
_FEW = 3
"""Number of columns that an error names"""


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
    """Return the rows of one or more tables of outputs, or of --candidates and the other text files.

    Args:
        outputs: the paths of the tables.
        columns: the values of --map, which is for tables only.
        candidates: text files with a line for each output, in place of tables.
        references: text files with a reference for each output, for `candidates`.
        source: a text file with the source of each output, for `candidates`.
        context: a text file with the context of each output, for `candidates`.
        systems: the name of the system of each table or text file.
        on_disk: as `Corpus.read` takes it.
        on_missing: as `Corpus.read` takes it.
        tell: whether to print on stderr how the files were read, and which systems are named after their files.
        labels: as `Corpus.read` takes them.

    Returns:
        The rows.

    Raises:
        SpecError: both tables and text files are given, or neither; or an option does not go with what is given.
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
        counts = f"{len(tables)} table{'s' * (len(tables) > 1)} and {len(set(systems))} names of systems"
        raise SpecError(f"--system: there are {counts}; give each table a --system of its own")
    corpus = Corpus.read(
        dict(zip(systems, tables, strict=True)) if systems else tables,
        columns=columns_by_field(columns),
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
    """Return the scores of a file or folder, and report a file without a seal. Raises InputError for anything else."""
    from nlgauge.data.table import ScoreTable

    table = ScoreTable.load(path)
    if table.seal == "":
        remark(f"{path} {UNSEALED}")
    return table


def tell_unsealed(path: Path) -> None:
    """Print a remark on stderr if a threshold, a panel or a history has no seal."""
    if path.is_file() and not has_seal(path):
        remark(f"{path} {UNSEALED}")


def scores_of(
    files: Sequence[Path], columns: Sequence[str], specs: Sequence[str], how: Mapping[str, Any]
) -> tuple[ScoreTable, Corpus | None]:
    """Return the scores of a scores file; or score files of outputs, and return the scores and the outputs.

    If the rows of several files of outputs all name one system, or none, each file is a system that is named after it.

    Args:
        files: a scores file, or files of outputs.
        columns: the values of --map.
        specs: the metrics by which to score outputs; by default the usual metric (`usual_metric`).
        how: further options of `evaluate`.

    Returns:
        The table, and the outputs if they were scored now.

    Raises:
        SpecError: a scores file is given with another file; or no metric is named, and none is usual for such rows.
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


def usual_metric(files: Sequence[Corpus]) -> str:
    """Return the metric for a command that was given none, by the fields of the rows, and print it on stderr.

    Args:
        files: the outputs.

    Returns:
        The metric of the gate for rows with a source; TokenF1 for rows with references alone.

    Raises:
        SpecError: a file has rows with neither of these. The error names columns that hold numbers.
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
    """Return the columns, and paths into records, that hold a number or a truth value in one of the first rows."""
    from nlgauge.data.corpus.place import looked_up, paths_in

    first = list(islice(corpus, _LOOKED_AT))
    paths = dict.fromkeys(path for row in first for path in paths_in(row.extra))
    values = {path: [looked_up(row.extra, path) for row in first] for path in paths}
    return [path for path, of in values.items() if any(isinstance(value, bool | int | float) for value in of)]


def columns_by_field(pairs: Sequence[str]) -> dict[str, str | list[str]]:
    """Return the values of --map as columns by field; a list of columns for a field that is given several times."""
    names: dict[str, str | list[str]] = {}
    for ours, equals, theirs in [pair.partition("=") for pair in pairs]:
        if not (ours and equals and theirs):
            raise SpecError(f"--map {ours}: write OURS=THEIRS, as in --map candidate=prediction")
        before = names.get(ours)
        names[ours] = theirs if before is None else [*([before] if isinstance(before, str) else before), theirs]
    return names


def _tell_named(systems: Sequence[str]) -> None:
    """Print on stderr which systems are named after their files."""
    first = ", ".join(systems[:5]) + (", ..." if len(systems) > 5 else "")
    remark(
        f"each file is a system of its own name ({first}), because its rows name none; --system gives other names, and "
        "one name to a folder whose files are all of one system"
    )


def tell_hard(corpus: Corpus, specs: Sequence[str], model: str | None, numbers: Collection[int] | None = None) -> None:
    """Print remarks on stderr before a model reads candidates: how many are not in English, and which will take long.

    Args:
        corpus: the rows.
        specs: the metrics.
        model: the model of metrics that name none.
        numbers: the numbers of the rows that are scored, counted from 1; None for all rows.
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
    """Return the only metric that was given to a command that takes one metric.

    Args:
        specs: the values of -m.
        example: the example of a metric in the error.

    Returns:
        The spec.

    Raises:
        SpecError: no metric was given, or more than one.
    """
    if not specs:
        raise SpecError(f"no metric was given: add -m {example}; nlgauge list shows them all")
    if len(specs) > 1:
        raise SpecError(f"{len(specs)} metrics were given, and this command takes one: run it once for each")
    return specs[0]


def _by_system(candidates: Sequence[Path], systems: Sequence[str]) -> dict[str, Path]:
    """Return text files by the names of the systems that wrote them.

    Where no names are given, several systems are named after their files.
    """
    from nlgauge.data.corpus.corpus import called_after

    names = list(systems) or (["system"] if len(candidates) == 1 else called_after(list(map(str, candidates))))
    if len(names) != len(candidates) or len(set(names)) < len(names):
        counts = f"{len(candidates)} files and {len(set(names))} names of systems"
        raise SpecError(f"--candidates and --system: there are {counts}; give each file a --system of its own")
    return dict(zip(names, candidates, strict=True))


def labelled(table: ScoreTable, outputs: Corpus | None = None) -> tuple[ScoreTable, Corpus | None]:
    """Return the table and its outputs, with the new names that --label gives to metrics and systems."""
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
        outputs: the rows that have the column of clusters.
        cluster: the name of the column; None to return the table as it is.

    Returns:
        The table.

    Raises:
        SpecError: a column is named, and there are no outputs.
    """
    if cluster is None:
        return table
    if outputs is None:
        raise SpecError("--cluster names a column of the outputs: give them too, with --outputs or --ratings")
    from nlgauge.ratings.join import by_column

    return by_column(table, outputs, cluster)


@contextmanager
def blaming(file: Path | str | None) -> Iterator[None]:
    """Add the name of a file to each InputError in this context that names no file."""
    try:
        yield
    except InputError as error:
        if error.file:
            raise
        raise InputError(error.problem, file=file, row=error.row, remedy=error.remedy) from None

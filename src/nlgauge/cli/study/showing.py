"""How a study is run from the command line, and what is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from nlgauge._version import __version__
from nlgauge.cli.keeping import cache_of
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import clustered, labelled, read_outputs, read_rated, show_tables
from nlgauge.data.signature import Signature
from nlgauge.data.to_json import plain
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.table import ScoreTable
    from nlgauge.show.tables import Cells


class Result(Protocol):
    """What every study returns: a dataclass, which may have `notes` and `signatures` too."""

    def tables(self) -> Sequence[Cells]: ...

    def draw(self, path: Path) -> None: ...


def check_figure(output: Path | None) -> None:
    """Refuse a figure that cannot be written, before the long run."""
    from nlgauge.show import figures

    if output is not None:
        figures.check(output)


def read_scores(
    scores: Path, outputs: Path | None, columns: Sequence[str], add: Sequence[str], lower: Sequence[str],
    cluster: str | None = None,
) -> tuple[ScoreTable, Corpus | None]:  # fmt: skip
    """A scores file, and the outputs where they are given: their ratings, and the column of --cluster."""
    from nlgauge import ScoreTable

    if outputs is not None:
        return read_rated(scores, outputs, columns, add, lower, cluster)
    if add or lower or columns:
        raise SpecError("--add, --lower and --map are of the rated outputs: add --ratings")
    return labelled(clustered(ScoreTable.load(scores), None, cluster))


def study_outputs(
    name: str, run: Callable[..., Result], outputs: Path, columns: Sequence[str], output: Path | None, layout: str,
    cache: Path | None, no_cache: bool, options: Mapping[str, object],
) -> None:  # fmt: skip
    """Run a study on a file of outputs, whose name errors then tell, and show it."""
    check_figure(output)
    corpus = read_outputs(outputs, (), (), None, None, (), columns)
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    try:
        result = run(corpus, **given, cache=cache_of(cache, no_cache), progress=True)
    except InputError as error:
        if error.file:
            raise
        raise InputError(error.problem, file=outputs, row=error.row, remedy=error.remedy) from None
    show(name, result, output, layout)


def show(name: str, result: Result, output: Path | None, layout: str, kind: str = "study") -> None:
    """Numbers on stdout, notes and signatures on stderr, and the figure where it is wanted."""
    if layout == "json":
        record = {"nlgauge": __version__, kind: name, **_fields(result)}
        show_json(record)
    else:
        show_tables(result.tables(), layout)
    signatures = [str(signature) for signature in getattr(result, "signatures", {}).values()]
    more = [f"and {len(signatures) - 1} more signatures, in --format json"] if len(signatures) > 1 else []
    for line in (*getattr(result, "notes", ()), *signatures[:1], *more):
        remark(line)
    if output is not None:
        result.draw(output)
        remark(f"drawn: {output}")


def _fields(record: object) -> dict[str, object]:
    assert is_dataclass(record)
    return {field.name: _jsonable(getattr(record, field.name)) for field in fields(record)}


def _jsonable(value: object) -> object:
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Mapping):
        return {key: _jsonable(inner) for key, inner in value.items()}
    return [_jsonable(inner) for inner in value] if isinstance(value, list | tuple) else plain(value)

"""Reproduction of published tables: our metrics on the paper's data, compared with the published numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nlgauge.contract.base import Metric
from nlgauge.engine.models.loading import load
from nlgauge.engine.models.published import known_names
from nlgauge.errors import InputError, NlgaugeError, SpecError
from nlgauge_lab.reproduce.entries import Entries
from nlgauge_lab.reproduce.kinds import MAKERS, Rebuilt
from nlgauge_lab.reproduce.published import Entry, Table
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Job, Scores, read_model
from nlgauge_lab.reproduce.specs import metric_of


class Rebuilder:
    """Rebuilds tables from rated data. The arguments are those of `Entries`."""

    def __init__(
        self,
        data: Data,
        scores: Scores,
        model: str | None = None,
        metrics: Sequence[str] = (),
        places: Mapping[str, str | NlgaugeError] | None = None,
    ) -> None:
        self._data, self._scores = data, scores
        self._entries = Entries(data=data, scores=scores, model=model, only_these=metrics, places=places)

    def score(
        self, tables: Sequence[Table], done: Callable[[Table], object] = lambda table: None, cached: bool = False
    ) -> None:
        """Score what the tables need: the cheap metrics of all tables first, and metrics on the same texts in one pass.

        Args:
            tables: the tables.
            done: is called with each table as soon as all its scores are there or have failed.
            cached: whether to score nothing. Then `done` is called for each table with the scores of earlier runs.

        Raises:
            InputError: a file of rated data is missing.
            SpecError: none of the rows has a metric that was chosen.
        """
        if missing := self._data.missing([name for table in tables for name in table.files]):
            remedy = "docs/reproduce.md says what they hold; leave out the tables that need them"
            raise InputError(f"there is no {missing[0]}.jsonl in {self._data.folder}", remedy=remedy)
        wanted: dict[str, tuple[Job, dict[str, Metric]]] = {}
        waiting: dict[str, set[tuple[str, str]]] = {table.name: set() for table in tables}
        for table in tables:
            for data, sources in table.data.items():
                label = "+".join(source.file for source in sources)
                for entry in table.rows:
                    meant = self._entries.meant(table, entry, data)
                    if isinstance(meant, str):
                        continue
                    corpora, metric = meant
                    for number, corpus in enumerate(corpora, 1):
                        which = f", {number} of {len(corpora)}" if len(corpora) > 1 else ""
                        _, metrics = wanted.setdefault(corpus.digest, (Job(corpus, label + which, ()), {}))
                        metrics[str(metric)] = metric
                        waiting[table.name].add((corpus.digest, str(metric)))
        self._entries.refuse_unused()

        def tell() -> None:
            for table in [table for table in tables if table.name in waiting]:
                if not any(self._scores.lacks(wanted[digest][0].corpus, spec) for digest, spec in waiting[table.name]):
                    del waiting[table.name]
                    done(table)

        jobs = [job._replace(metrics=list(metrics.values())) for job, metrics in wanted.values()]
        if not cached:
            self._scores.fill(jobs, tell)
            return
        for job in jobs:
            self._scores.look_up(job)
        for table in tables:
            done(table)

    def rebuild(self, table: Table) -> Rebuilt:
        """Return a published table together with our numbers, by the scores that `score` made or looked up."""
        blocks = MAKERS[table.kind](self._entries, table)
        return Rebuilt(table, blocks, self._specs(table), self._facts(table))

    def _specs(self, table: Table) -> dict[str, str]:
        specs: dict[str, str] = {}
        for entry in table.rows:
            by_data = {
                data: spec
                for data in table.data
                if (spec := entry.on(data, self._entries.checkpoint(table, entry))) is not None
            }
            if len(set(by_data.values())) == 1:
                specs[entry.name] = next(iter(by_data.values()))
            elif by_data:
                specs[entry.name] = "; ".join(f"{data}: {spec}" for data, spec in by_data.items())
        return specs

    def _facts(self, table: Table) -> list[str]:
        facts: list[str] = []
        models: dict[str, None] = {}
        for data in table.data:
            corpus = self._data.corpus(table.data[data])
            items = len({row.item for row in corpus})
            name = " + ".join(source.file for source in table.data[data])
            facts.append(f"{data}: {len(corpus)} rows of {name}, {items} items, {len(corpus.systems)} systems")
            for entry in table.rows:
                scored = self._entries.scored(table, entry, data) if entry.spec or entry.own else "nothing"
                for one in scored if not isinstance(scored, str) else ():
                    models.update(dict.fromkeys(read_model(one)))
        if self._data.limit is not None:
            facts.append(f"only the first {self._data.limit} items: these are not the table's numbers")
        if models:
            facts.append(f"scored on {', '.join(models)}")
        return facts


def states(tables: Iterable[Table], data: Data | None) -> Iterator[tuple[Table, str]]:
    """Yield each table, and a phrase on whether it can be rebuilt with the data at hand."""
    for table in tables:
        if not table.rows:
            yield table, f"no: {table.why}" if table.why else f"made by {table.command}"
            continue
        missing = table.files if data is None else data.missing(table.files)
        if missing:
            where = "--data with" if data is None else f"in {data.folder}:"
            yield table, f"needs {where} {', '.join(missing)}"
            continue
        here = sum(_can(table, entry) for entry in table.rows)
        yield table, f"yes, {here} of {len(table.rows)} rows"


def _can(table: Table, entry: Entry) -> bool:
    specs = [spec for data in table.data if (spec := entry.on(data, None)) is not None]
    try:
        return bool(entry.rating or entry.best or [metric_of(spec, None, table.defaults) for spec in specs])
    except SpecError:
        return False


def checkpoints_needed(tables: Iterable[Table]) -> dict[str, list[str]]:
    """Return the names of the checkpoints that the rows of tables need, each with the names of these tables."""
    found: dict[str, list[str]] = {}
    for table in tables:
        used = (table.used(entry) for entry in table.rows if entry.spec is not None or entry.own)
        for name in dict.fromkeys(filter(None, used)):
            found.setdefault(name, []).append(table.name)
    return found


def checkpoints_found(names: Iterable[str], folder: Path | None) -> dict[str, str | NlgaugeError]:
    """Return where each checkpoint is loaded from, by name, or the error why it cannot be loaded.

    Args:
        names: Of checkpoints.
        folder: May hold checkpoints in folders of these names. Others are loaded by name if the engine knows the name.
    """
    places: dict[str, str | NlgaugeError] = {}
    for name in names:
        own = None if folder is None else folder / name
        try:
            if own is not None and own.is_dir():
                place = str(own)
            elif name in known_names():
                place = name
            else:
                raise SpecError(f"{name} is no public name: put it into the folder --checkpoints, in a folder {name}")
            load(place)
        except NlgaugeError as error:
            places[name] = error
        else:
            places[name] = place
    return places

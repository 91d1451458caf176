"""Scores kept in a folder, so that nothing is computed twice and an interrupted run goes on where it stopped.

A corpus has a folder, named by its digest; a file in it is the score file of one pass, and holds any metrics. A stored
column counts where it is of the same spec, the same version of nlgauge, and a model whose weights have the digests that
its signature names. Cheap metrics are scored first, the smallest corpus first, and all that read a model in blocks of
items, so that an interruption costs a block; metrics that have to see the whole corpus see it in one pass.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, MissingExtraError, NlgaugeError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.base import Metric, SetMetric, TextMetric
from nlgauge.table import Column, ScoreTable

BLOCK = 25
"""Items in a block"""
EFFORTS = ("strings", "vectors", "distributions", "sequences")
"""What a metric reads, cheapest first"""
NOT_SCORED = "not scored"
_IN_BLOCKS = EFFORTS[1:]
_OF = {
    **dict.fromkeys(("InfoLM", "Perplexity"), "distributions"),
    **dict.fromkeys(("BARTScore", "MaskEval"), "sequences"),
}
_OF_THE_CORPUS = ("references", "candidates", "union", "separate")
_WEIGHTS = {
    "digest": re.compile(r"\|model:[^|]*@([0-9a-f]{8})\|"),
    "pairs_digest": re.compile(r"\|words:pairs@([0-9a-f]{8})\|"),
    "aligner_digest": re.compile(r"\|aligner:([0-9a-f]{8})\|"),
}
"""What a signature says of weights, by the name that a model has for their digest"""


def effort(metric: Metric) -> str:
    """Which of EFFORTS a metric is; a metric of another package is taken to read vectors."""
    if isinstance(metric, TextMetric):
        return "strings"
    if getattr(metric, "aligner", "E") != "E":
        return "sequences"
    return _OF.get(type(metric).__name__, "vectors")


class Store:
    """The scores of a folder. `refused` says of metrics that cannot be had why not, by spec."""

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda line: None, fresh: bool = False) -> None:
        self._folder, self._tell, self._fresh = folder, tell, fresh
        self.refused: dict[str, str] = {}
        self.scored = 0
        """Values that were computed, not read"""
        self._tables: dict[Path, ScoreTable] = {}
        self._digests: dict[str, dict[str, str] | None] = {}
        self._split: dict[str, list[Corpus]] = {}

    def fill(self, jobs: Sequence[tuple[Corpus, str, Sequence[Metric]]]) -> None:
        """Score what is not stored yet of some (corpus, name for a reader, metrics).

        The cheap metrics of all jobs come first, and of two corpora the smaller.
        """
        smallest = sorted(jobs, key=lambda job: _size(job[0]))
        for kind in EFFORTS:
            for corpus, label, metrics in smallest:
                some = {str(metric): metric for metric in metrics if effort(metric) == kind}
                missing = [metric for metric in some.values() if self._found(corpus, metric) is None]
                for piece, wanted in self._passes(corpus, kind, missing):
                    todo = [one for one in wanted if self._stored(piece, one) is None and not self._refusal(piece, one)]
                    if todo:
                        names = ", ".join(dict.fromkeys(type(metric).__name__ for metric in todo))
                        what = f"{len(piece)} of {len(corpus)} rows by {len(todo)} of {kind} ({names})"
                        self._tell(f"{label}: {what}")
                        self._score(piece, label, todo)

    def _passes(self, corpus: Corpus, kind: str, metrics: Sequence[Metric]) -> list[tuple[Corpus, Sequence[Metric]]]:
        """(rows, metrics) of each pass."""
        by_row = [metric for metric in metrics if _by_row(metric)]
        rest = [metric for metric in metrics if not _by_row(metric)]
        if kind not in _IN_BLOCKS:
            return [(corpus, metrics)]
        # To mask all texts twice costs more than an interruption: the others go with one that sees the whole corpus.
        if rest and kind == "distributions":
            return [(corpus, metrics)]
        return [*((block, by_row) for block in self._blocks(corpus)), (corpus, rest)]

    def table(self, corpus: Corpus, metrics: Sequence[Metric]) -> ScoreTable:
        """What is stored of some metrics on a corpus; metrics that could not be scored are not in it."""
        out = ScoreTable([(row.system, row.item) for row in corpus], {}, {}, {"rows": len(corpus)}, __version__)
        for metric in metrics:
            spec, tables = str(metric), self._found(corpus, metric)
            if tables is not None:
                out.columns[spec] = _joined([table.columns[spec] for table in tables], tables, out.rows)
                out.signatures[spec] = tables[0].signatures[spec]
        return out

    def reach(self, corpus: Corpus, metric: Metric) -> Corpus:
        """The rows that a metric has scored so far, in blocks of items: all of them, some, or none."""
        if self._found(corpus, metric) is not None:
            return corpus
        if not _by_row(metric):
            return Corpus(())
        done = [block for block in self._blocks(corpus) if self._stored(block, metric) is not None]
        rows = {(row.system, row.item) for block in done for row in block}
        return Corpus(tuple(row for row in corpus if (row.system, row.item) in rows))

    def why(self, corpus: Corpus, metric: Metric) -> str:
        """Why a metric is not in the table of a corpus."""
        reasons = (self._refusal(piece, metric) for piece in (corpus, *self._blocks(corpus)))
        return next((reason for reason in reasons if reason), NOT_SCORED)

    def _refusal(self, piece: Corpus, metric: Metric) -> str | None:
        return self.refused.get(str(metric)) or self.refused.get(f"{metric} {piece.digest}")

    def _found(self, corpus: Corpus, metric: Metric) -> list[ScoreTable] | None:
        """The tables that hold a metric on a corpus together: one, or one a block; None where a part is missing."""
        if (whole := self._stored(corpus, metric)) is not None:
            return [whole]
        if effort(metric) not in _IN_BLOCKS or not _by_row(metric):
            return None
        tables = [self._stored(block, metric) for block in self._blocks(corpus)]
        return None if None in tables else [table for table in tables if table is not None]

    def _blocks(self, corpus: Corpus) -> list[Corpus]:
        if corpus.digest not in self._split:
            self._split[corpus.digest] = _blocks(corpus)
        return self._split[corpus.digest]

    def _score(self, piece: Corpus, label: str, metrics: Sequence[Metric]) -> None:
        try:
            table = evaluate(piece, metrics=list(metrics), progress=True)
        except NlgaugeError as error:
            if len(metrics) > 1:
                # One that cannot be had spoils the pass of the others: find it on one row.
                good = [metric for metric in metrics if self._works(metric, Corpus(piece.rows[:1]))]
                for some in [good] if good and len(good) < len(metrics) else [[metric] for metric in good]:
                    self._score(piece, label, some)
            elif isinstance(error, InputError):
                self.refused[f"{metrics[0]} {piece.digest}"] = refusal(error)
            else:
                self.refused[str(metrics[0])] = refusal(error)
            return
        self.scored += sum(column.values.size for column in table.columns.values())
        key = hashlib.sha256("\n".join([*table.columns, *table.signatures.values()]).encode()).hexdigest()[:12]
        place = self._place(piece, label) / f"{key}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        table.save(place)
        self._tables[place] = table

    def _works(self, metric: Metric, row: Corpus) -> bool:
        try:
            evaluate(row, metrics=[metric])
        except (SpecError, MissingExtraError) as error:
            self.refused[str(metric)] = refusal(error)
            return False
        except InputError:
            return True  # of this row, not of the metric
        return True

    def _place(self, piece: Corpus, label: str) -> Path:
        found = sorted(self._folder.glob(f"*.{piece.digest[:16]}"))
        return found[0] if found else self._folder / f"{label}.{piece.digest[:16]}"

    def _stored(self, piece: Corpus, metric: Metric) -> ScoreTable | None:
        spec = str(metric)
        for place in sorted(self._folder.glob(f"*.{piece.digest[:16]}/*.jsonl")):
            if place not in self._tables:
                if self._fresh:
                    continue
                self._tables[place] = ScoreTable.load(place)
            table = self._tables[place]
            if (
                spec in table.columns
                and table.version == __version__
                and self._same_model(table.signatures[spec], metric)
            ):
                return table
        return None

    def _same_model(self, signature: str, metric: Metric) -> bool:
        said = {kind: found[1] for kind, pattern in _WEIGHTS.items() if (found := pattern.search(signature))}
        if not said:
            return True
        name = getattr(metric, "model", "pocket")
        if name not in self._digests:
            try:
                model = registry.model(name)
                self._digests[name] = {kind: str(getattr(model, kind))[:8] for kind in _WEIGHTS}
            except NlgaugeError:
                self._digests[name] = None  # not at hand to compare with: its signature says what the scores are of
        known = self._digests[name]
        return known is None or all(known[kind] == digest for kind, digest in said.items())


def refusal(error: NlgaugeError) -> str:
    """Why a metric cannot be had, without the list of all that can."""
    return str(error).partition("; there are ")[0]


def _size(corpus: Corpus) -> int:
    """Characters that are compared."""
    return sum(len(text) for row in corpus for text in (row.candidate, *row.references))


def _by_row(metric: Metric) -> bool:
    """Whether a row's score depends on that row alone."""
    return not isinstance(metric, SetMetric) and getattr(metric, "idf", None) not in _OF_THE_CORPUS


def _blocks(corpus: Corpus) -> list[Corpus]:
    """Some items at a time, all of an item's rows together, since they share references and sources."""
    items = {item: n // BLOCK for n, item in enumerate(dict.fromkeys(row.item for row in corpus))}
    rows: dict[int, list[int]] = {}
    for n, row in enumerate(corpus):
        rows.setdefault(items[row.item], []).append(n)
    return [Corpus(tuple(corpus[n] for n in some)) for some in rows.values()]


def _joined(columns: Sequence[Column], tables: Sequence[ScoreTable], rows: Sequence[tuple[str, str]]) -> Column:
    """One column in the order of the rows, from those of the blocks."""
    first = columns[0]
    if len(columns) == 1 and (first.level == "system" or tables[0].rows == list(rows)):
        return first
    place = {key: n for n, key in enumerate(rows)}
    out = Column(first.parts, np.full((len(rows), len(first.parts)), np.nan), higher_is_better=first.higher_is_better)
    for column, table in zip(columns, tables, strict=True):
        index = [place[key] for key in table.rows]
        out.values[index] = column.values
        out.reasons.update({index[n]: reason for n, reason in column.reasons.items()})
    return out

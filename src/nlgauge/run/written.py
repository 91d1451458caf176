"""Blocks of scores become a folder, one file a block, as they come."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.corpus.opening import FilePath
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, Value
from nlgauge.plain import plain
from nlgauge.run.bound import Block
from nlgauge.run.filling import column_of
from nlgauge.run.job import Job
from nlgauge.run.scored import Scored
from nlgauge.signature import Signature
from nlgauge.table import ScoreTable
from nlgauge.table.dataset import Dataset, Entry, block, entries_of


class Written:
    """A table that is written as it is made.

    metrics, asked, evidence: as of Filling. size: rows of a block. Raises InputError where the folder holds another
    run, or cannot be written.
    """

    def __init__(
        self, corpus: Corpus, metrics: Mapping[str, Metric], asked: Mapping[str, str], evidence: bool,
        place: FilePath, size: int, jobs: Sequence[Job],
    ) -> None:  # fmt: skip
        self._corpus, self._metrics, self._asked, self._evidence = corpus, metrics, asked, evidence
        self._dataset, self._size = Dataset(place), size
        self._columns = {spec: column_of(metric, 0) for spec, metric in metrics.items()}
        self._of_rows = [spec for job in jobs for spec in job.bound]
        self._notes: dict[str, Counter[str]] = {spec: Counter() for spec in metrics}
        self._signatures: dict[str, Signature] = {}
        self._sets: dict[str, dict[str, Any]] = {}
        self._begin(jobs)
        self._there = set(self._dataset.blocks())

    def known(self, rows: Sequence[int]) -> Block | None:
        """What an earlier run wrote of a block's rows."""
        if rows[0] not in self._there:
            return None
        table = self._dataset.read(rows[0])
        if len(table) != len(rows):
            return None
        scored = {spec: entries_of(table, spec, self._metrics[spec].parts) for spec in self._of_rows}
        return Block(rows, {spec: dict(zip(rows, map(_scored, some), strict=True)) for spec, some in scored.items()})

    def take(self, scored: Block) -> None:
        """Write a block, whole, unless it is there."""
        for spec, found in scored.scored.items():
            for one in found.values():
                self._notes[spec].update(one.value.notes)
        if scored.rows[0] in self._there:
            return
        entries = {
            spec: block(self._columns[spec], [_entry(found[n], self._evidence) for n in scored.rows], self._evidence)
            for spec, found in scored.scored.items()
        }
        places = [(row.system, row.item) for row in self._corpus.rows[scored.rows[0] : scored.rows[-1] + 1]]
        self._dataset.write(scored.rows[0], places, entries)

    def end(self, jobs: Sequence[Job], spent: Mapping[str, Any]) -> ScoreTable:
        """Write what holds for all rows, and give the table, read from the folder."""
        for job in jobs:
            for spec in job.sets:
                found = list(job.set_scores(spec).values())
                self._sets[spec] = {
                    "values": [[plain(part) for part in one.value.parts] for one in found],
                    "reasons": {str(n): one.value.reason for n, one in enumerate(found) if one.value.reason},
                    "evidence": {str(n): one.evidence for n, one in enumerate(found) if one.evidence},
                }
                for one in found:
                    self._notes[spec].update(one.value.notes)
            self._signatures |= {spec: job.signature(spec) for spec in [*job.bound, *job.sets]}
        notes = {spec: dict(sorted(counted.items())) for spec, counted in self._notes.items() if counted}
        run = {"rows": len(self._corpus), "corpus": self._corpus.digest, "notes": notes, "asked": dict(self._asked)}
        signatures = {spec: self._signatures[spec] for spec in self._metrics}
        table = ScoreTable([], {spec: self._columns[spec] for spec in self._metrics}, signatures, run, __version__)
        described = {**table.header(), "systems": self._sets, "ledger": spent}
        self._dataset.write_record("_header.json", described)
        return ScoreTable.load(self._dataset.place)

    def _begin(self, jobs: Sequence[Job]) -> None:
        """Write which run this is, or refuse a folder of another one."""
        facts = {spec: bound.facts for job in jobs for spec, bound in job.bound.items()}
        facts |= {spec: points.facts for job in jobs for spec, points in job.sets.items()}
        plan = {
            "nlgauge": __version__,
            "corpus": self._corpus.digest,
            "rows": len(self._corpus),
            "rows_per_block": self._size,
            "evidence": self._evidence,
            "metrics": {spec: dict(facts[spec]) for spec in self._metrics},
        }
        plan = json.loads(json.dumps(plan))
        before = self._dataset.record("_plan.json")
        if before is None:
            if self._dataset.blocks():
                raise self._other("scores without _plan.json")
            self._dataset.write_record("_plan.json", plan)
        elif differs := [key for key in plan if before.get(key) != plan[key]]:
            raise self._other(f"another run: {', '.join(differs)} differ{'s' if len(differs) == 1 else ''}")

    def _other(self, what: str) -> InputError:
        return InputError(f"the folder holds {what}", file=self._dataset.place, remedy="name another, or remove it")


def _entry(one: Scored, evidence: bool) -> Entry:
    value = one.value
    return Entry(value.parts, value.reason, value.notes, value.counts, one.longer, one.evidence if evidence else None)


def _scored(entry: Entry) -> Scored:
    return Scored(Value(entry.parts, entry.reason, entry.notes, entry.counts), entry.longer, entry.evidence)

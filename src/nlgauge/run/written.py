"""Blocks of scores become a folder, one file a block, as they come."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from nlgauge._version import __version__
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.opening import FilePath
from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.dataset import Dataset, Entry, block, block_name, entries_of, fault, types_of
from nlgauge.data.table.evidence import wrong_evidence
from nlgauge.data.to_json import plain
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, Value
from nlgauge.run.bound import Block
from nlgauge.run.filling import column_of
from nlgauge.run.job import Job
from nlgauge.run.scored import Scored

_OTHER = "name another, or remove it"


class Written:
    """A table that is written as it is made; nobody else writes the folder while it is entered.

    metrics, asked, evidence: as of Filling. size: rows of a block. Entering it raises InputError where the folder holds
    another run, where one is at work, and where it cannot be written.
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
        parts = {spec: self._columns[spec].parts for spec in self._of_rows}
        self._types = types_of(parts, {spec for spec in parts if self._columns[spec].sums is not None}, evidence)
        self._jobs, self._held, self._there = jobs, ExitStack(), set[int]()

    def __enter__(self) -> Written:
        with ExitStack() as held:
            held.enter_context(self._dataset.alone())
            self._there = set(self._dataset.blocks())
            self._begin(self._jobs)
            self._held = held.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()

    def known(self, rows: Sequence[int]) -> Block | None:
        """What an earlier run wrote of a block's rows; nothing of a block that is damaged, which is written anew."""
        if rows[0] not in self._there:
            return None
        entries = self._read(rows)
        if entries is None:
            self._there.remove(rows[0])
            return None
        return Block(rows, {spec: dict(zip(rows, map(_scored, some), strict=True)) for spec, some in entries.items()})

    def _read(self, rows: Sequence[int]) -> dict[str, list[Entry]] | None:
        """What a block says of its rows, by metric; None where it is not whole."""
        try:
            table = self._dataset.read(rows[0])
            if fault(table, rows[0], self._types):
                return None
            if list(zip(table["system"].to_pylist(), table["item"].to_pylist(), strict=True)) != self._places(rows):
                return None
            entries = {spec: entries_of(table, spec, self._columns[spec].parts) for spec in self._of_rows}
        except (InputError, ValueError, RecursionError):
            return None
        shown = (entry.evidence for some in entries.values() for entry in some if entry.evidence is not None)
        return None if any(map(wrong_evidence, shown)) else entries

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
        self._dataset.write(scored.rows[0], self._places(scored.rows), entries)

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

    def _places(self, rows: Sequence[int]) -> list[tuple[str, str]]:
        return [(row.system, row.item) for row in self._corpus.rows[rows[0] : rows[-1] + 1]]

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
        before = self._dataset.record("_plan.json", _OTHER)
        if before is None:
            if self._there:
                raise self._other("scores without _plan.json")
            self._dataset.write_record("_plan.json", plan)
        elif differs := [key for key in plan if before.get(key) != plan[key]]:
            raise self._other(f"another run: {', '.join(differs)} differ{'s' if len(differs) == 1 else ''}")
        strays = self._there - set(range(0, len(self._corpus), self._size))
        if strays:
            problem = f"{block_name(min(strays))} is no block of this run"
            raise InputError(problem, file=self._dataset.place, remedy="remove that file")

    def _other(self, what: str) -> InputError:
        return InputError(f"the folder holds {what}", file=self._dataset.place, remedy=_OTHER)


def _entry(one: Scored, evidence: bool) -> Entry:
    value = one.value
    return Entry(value.parts, value.reason, value.notes, value.counts, one.longer, one.evidence if evidence else None)


def _scored(entry: Entry) -> Scored:
    return Scored(Value(entry.parts, entry.reason, entry.notes, entry.counts), entry.longer, entry.evidence)

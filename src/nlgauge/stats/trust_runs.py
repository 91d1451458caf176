"""Whether a scorer changes its mind: about one row within a run, and from an earlier run to this one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.data.corpus.place import first_repeat
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.inference import Measured, mean_of
from nlgauge.stats.arrays import Float, Integers
from nlgauge.stats.corrections import holm
from nlgauge.stats.decisions import share_of
from nlgauge.stats.gate.baseline import told_apart
from nlgauge.stats.matching import fingerprints
from nlgauge.stats.trust_lines import FLIPS, asked, scorers_of, three
from nlgauge.stats.trust_records import Trust


def repeats(table: ScoreTable, records: Sequence[Trust]) -> list[Trust]:
    """The lines with how often a scorer changes its mind about one row."""
    repeated = first_repeat(table.rows) is not None
    keys: dict[tuple[str, str], int] = {}
    of = np.array([keys.setdefault(row, len(keys)) for row in table.rows], np.intp)
    items: dict[str, int] = {}
    clusters = np.array([items.setdefault(item, len(items)) for _, item in keys], np.intp)
    made = []
    for one in records:
        column = table.columns.get(one.metric)
        if column is None or one.reason:
            made.append(one)
            continue
        values = column.values[:, 0]
        known = np.isfinite(values)
        n = np.bincount(of, known, minlength=len(keys))
        if FLIPS in column.parts and not repeated:
            away = column.values[:, column.parts.index(FLIPS)]
            rows = np.isfinite(away)
        elif repeated and one.threshold_from:
            through = np.bincount(of, known & one.passes(values, column.higher_is_better), minlength=len(keys))
            rows = n > 1
            away = np.minimum(through, n - through) / np.maximum(n, 1)
        else:
            made.append(replace(one, repeated=int((n > 1).sum())))
            continue
        flips = share_of(away[rows], clusters[rows])
        made.append(replace(one, repeated=int(rows.sum()), **three("flips", flips)))
    return made


def moved(
    table: ScoreTable, before: ScoreTable, records: Sequence[Trust], replicates: int, seed: int, notes: list[str]
) -> list[Trust]:
    """The lines with whether a scorer moved since an earlier run, on the rows that both have (anchors)."""
    earlier = _Earlier(table, before, notes)
    items = {item: number for number, item in enumerate(dict.fromkeys(item for _, item in table.rows))}
    found: dict[str, tuple[int, Any, Measured]] = {}
    for name, column in table.columns.items():
        if (anchors := earlier.anchors(name)) is None:
            continue
        now, new, old = anchors
        clusters = np.array([items[table.rows[row][1]] for row in now.tolist()])
        single = len(np.unique(clusters)) == len(clusters)
        low, high = column.range(column.parts[0])
        test = mean_of(new - old, (low - high, high - low), None if single else clusters,
                       magnitude=float(np.abs([new, old]).max()))  # fmt: skip
        line = next((one for one in records if one.metric == name and one.threshold_from), None)
        changed = Measured()
        if line is not None:
            passed, did = (line.passes(scores, column.higher_is_better) for scores in (new, old))
            changed = share_of(passed != did, clusters)
        found[name] = (len(new), test, changed)
    adjusted = dict(zip(found, holm([test.p() for _, test, _ in found.values()]).tolist(), strict=True))
    return [
        replace(
            one, anchors=found[one.metric][0], moved_p=adjusted[one.metric],
            **three("moved", found[one.metric][1].measured()), **three("changed", found[one.metric][2]),
        ) if one.metric in found else one
        for one in records
    ]  # fmt: skip


class _Earlier:
    """The scores of an earlier run. Rows whose texts are known to be others are no anchors."""

    def __init__(self, table: ScoreTable, before: ScoreTable, notes: list[str]) -> None:
        self._table, self._before, self._notes = table, before, notes
        texts, others = (
            dict(zip(one.rows, fingerprints(one), strict=True)) if fingerprints(one) else {} for one in (table, before)
        )
        self._other = {key for key, text in texts.items() if key in others and not same_texts(text, others[key])}
        if self._other:
            notes.append(f"{len(self._other)} rows of the earlier scores have other texts, and do not count as anchors")
        elif not (texts and others) and table.run.get("corpus") != before.run.get("corpus"):
            notes.append("the two runs are not of the same outputs: rows count as anchors by system and item alone")

    def anchors(self, name: str) -> tuple[Integers, Float, Float] | None:
        """Return the rows that both runs have a score of, and these scores, now and before; None where there are none.

        What has to be told goes to the notes.
        """
        table, notes = self._table, self._notes
        column = table.columns[name]
        spec = next((was for was, now in asked(table).items() if now == name and was in self._before.columns), name)
        try:
            earlier = scorers_of(self._before, [f"{spec} {column.parts[0]}"]).per_item()
        except (SpecError, InputError):
            notes.append(f"{name}: the earlier scores have none of it, so whether it moved is not known")
            return None
        (old_name,) = earlier.columns
        now_sign, then_sign = table.signatures.get(name), earlier.signatures.get(old_name)
        try:
            notes += told_apart(
                replace(table, signatures={name: now_sign} if now_sign else {}),
                replace(earlier, signatures={name: then_sign} if then_sign else {}), name, "earlier run",
            )  # fmt: skip
        except InputError as error:
            notes.append(error.problem)
        places = {key: row for row, key in enumerate(earlier.rows) if key not in self._other}
        now = np.array([row for row, key in enumerate(table.rows) if key in places], np.intp)
        then = np.array([places[key] for key in table.rows if key in places], np.intp)
        new, old = column.values[now, 0], earlier.columns[old_name].values[then, 0]
        known = np.isfinite(new) & np.isfinite(old)
        if not known.any():
            notes.append(f"{name}: no row has a score in both runs, so whether it moved is not known")
            return None
        return now[known], new[known], old[known]

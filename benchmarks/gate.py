"""How many right answers the gate passes, on labelled sets, by the count of each set alone.

    python benchmarks/gate.py [--data FOLDER] [--model pocket ...] [--sets NAME ...] [--most 500] [--write]

Each line is a set. It has the shares of its right answers that fail, are doubted and are unread, and the same of its
wrong answers. Then follow how often a set of 50 right answers passes (of 200 draws), and the area under the curve of
the probabilities. Last are the shares of the wrong answers whose probability is below that of all but 2 % and 5 % of
the right ones. `--write` puts the tables into docs/check-evidence.md. FOLDER has the labelled sets of `nlgauge train
thresholds`, ../shared/data by default.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measuring import show_by_model

import nlgauge
from nlgauge.data.table import Column, ScoreTable
from nlgauge.gate import Verdict, check
from nlgauge.stats.decisions import auroc
from nlgauge_lab.reproduce.markdown import table as markdown
from nlgauge_lab.training.labelled import as_corpus, labelled_set
from nlgauge_lab.training.thresholds import CHOSEN_ON, MEASURED_ON

DRAWS, SIZE = 200, 50
ROOT = Path(__file__).resolve().parents[1]
PAGE, REGION = ROOT / "docs" / "check-evidence.md", "gate"
HEADS = [
    "set",
    "rows",
    *(f"{kind} {state}" for kind in ("right", "wrong") for state in ("fail", "doubted", "unread")),
    "50 right pass",
    "area",
    "hits at 2%",
    "hits at 5%",
]


def scored(folder: Path, name: str, model: str, most: int) -> tuple[ScoreTable, np.ndarray] | None:
    """Return the scores of a labelled set's rows, and which of them are right; None where the set is not there."""
    rows = labelled_set(folder, name)
    if rows is None:
        return None
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:most])
    rows = [rows[at] for at in chosen]
    table = nlgauge.evaluate(as_corpus(rows), metrics="Faithfulness", model=model, evidence=True, progress=True)
    return table, np.array([row.supported for row in rows])


def of_rows(table: ScoreTable, rows: np.ndarray) -> Verdict:
    """Return the decision of the gate about some rows of a table, which count as one system."""
    (spec,) = table.columns
    column = table.columns[spec]
    taken = ScoreTable(
        rows=[("system", str(number)) for number in range(len(rows))],
        columns={
            spec: Column(
                parts=column.parts,
                values=column.values[rows],
                reasons={at: column.reasons[row] for at, row in enumerate(rows.tolist()) if row in column.reasons},
                evidence={at: column.evidence[row] for at, row in enumerate(rows.tolist()) if row in column.evidence},
                details=column.details,
            )
        },
        signatures=table.signatures,
        run={"texts": [table.run["texts"][row] for row in rows.tolist()]},
        version=table.version,
    )
    return check(taken, grounded=True, allow_missing=True)


def shares(verdict: Verdict, right: np.ndarray) -> list[float]:
    """Return the shares of answers that fail, are doubted and are unread: first for right answers, then for wrong."""
    failing = np.array([one.state == "failed" for one in verdict.outcomes])
    doubted = np.array([one.doubted for one in verdict.outcomes])
    unread = np.array([one.state == "unread" for one in verdict.outcomes])
    counted = (failing, doubted, unread)
    return [float(of[kind].mean()) if kind.any() else np.nan for kind in (right, ~right) for of in counted]


def ranked(table: ScoreTable, right: np.ndarray) -> list[float]:
    """Return the area under the curve, and the hits at 2 and 5 % false alarms."""
    values = table.values(table.metrics[0])
    known = ~np.isnan(values)
    area = auroc(values[known], ~right[known], np.arange(known.sum())).value
    good, wrong = values[known & right], values[known & ~right]
    return [area, *(float((wrong < np.quantile(good, share)).mean()) for share in (0.02, 0.05))]


def measured(folder: Path, model: str, sets: Sequence[str], most: int) -> list[str]:
    """Return the lines of a table: a row for each set that is there."""
    rows = []
    for name in sets:
        found = scored(folder, name, model, most)
        if found is None:
            continue
        table, right = found
        rng, numbers = np.random.default_rng(1), np.flatnonzero(right)
        passed = [
            of_rows(table, rng.choice(numbers, SIZE, replace=len(numbers) < SIZE)).passed
            for _ in range(DRAWS if len(numbers) else 0)
        ]
        told = [*shares(of_rows(table, np.arange(len(right))), right), np.mean(passed), *ranked(table, right)]
        rows.append([name, f"{len(right):,}", *(f"{share:.3f}" for share in told)])
    return markdown(HEADS, "l" + "r" * (len(HEADS) - 1), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--model", nargs="*", default=["pocket"])
    parser.add_argument("--sets", nargs="*", default=[*CHOSEN_ON, *MEASURED_ON])
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    tables = {model: measured(asked.data, model, asked.sets, asked.most) for model in asked.model}
    show_by_model(tables, PAGE, REGION, asked.write)


if __name__ == "__main__":
    main()

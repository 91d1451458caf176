"""How the probabilities of an answer's claims are combined to the probability of the answer.

    python benchmarks/claims.py [--data FOLDER] [--model pocket ...] [--cache FOLDER] [--write]

For each labelled set whose answers have several claims, the tables have the area under the curve of right and wrong
answers. They also have the hits at few false alarms, as means over the sets. Compared are the worst claim, the mean of
the two worst claims, and the sum of the odds against the claims, divided by their number to a power. This power is
`TOGETHER` of `nlgauge.maths.alignment`, and is chosen on the sets named `dev`. `--write` puts the tables into
docs/check-evidence.md. FOLDER has the labelled sets of `nlgauge train thresholds`, ../shared/data by default.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from measuring import show_by_model
from numpy.typing import NDArray

import nlgauge
from nlgauge.maths.alignment import TOGETHER
from nlgauge.stats.decisions import auroc
from nlgauge_lab.reproduce.markdown import table as markdown
from nlgauge_lab.training.labelled import as_corpus, labelled_set

SETS = ("summedits.dev", "quintd_human.dev", "ragtruth_qa.test", "summedits.test", "quintd_human.test")
"""Sets whose answers have more than one claim"""
POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)
FALSE_ALARMS = (0.02, 0.05, 0.1, 0.2)
ROOT = Path(__file__).resolve().parents[1]
PAGE, REGION = ROOT / "docs" / "check-evidence.md", "claims"


def of_power(power: float, odds: NDArray[np.float64]) -> float:
    """Return the log-odds for an answer from the odds against its claims."""
    return -float(np.log(np.maximum(odds, 1e-12).sum() / len(odds) ** power))


RULES: dict[str, Callable[[NDArray[np.float64]], float]] = {
    "the worst claim": lambda odds: -float(odds.max()),
    "the mean of the two worst": lambda odds: float(np.mean(np.sort(1 / (1 + odds))[:2])),
    **{f"the sum of the odds, power {power:g}": partial(of_power, power) for power in POWERS},
}


def read(
    folder: Path, name: str, model: str, cache: Path | bool
) -> tuple[list[NDArray[np.float64]], NDArray[np.bool_]]:
    """Return the odds against the claims of each answer that has claims, and whether these answers are right."""
    rows = labelled_set(folder, name)
    if rows is None:
        raise SystemExit(f"{folder} has no {name}")
    corpus = as_corpus(rows)
    table = nlgauge.evaluate(corpus, metrics="Faithfulness", model=model, evidence=True, cache=cache, progress=True)
    evidence = table.columns[table.metrics[0]].evidence
    odds, right = [], []
    for at, row in enumerate(rows):
        said = [one.get("supported") for text in evidence.get(at, {}).get("texts", []) for one in text["stretches"]]
        if said and None not in said:
            chances = np.clip(np.array(said, np.float64), 1e-9, 1)
            odds.append(1 / chances - 1)
            right.append(row.supported)
    return odds, np.array(right, bool)


def measured(folder: Path, model: str, cache: Path | bool) -> list[str]:
    """Return the lines of a table: a row for each rule, with its area on each set and its mean hits."""
    heads = ["rule", *SETS, *(f"hits at {share:.0%}" for share in FALSE_ALARMS)]
    rows = []
    sets = [read(folder, name, model, cache) for name in SETS]
    for rule, together in RULES.items():
        areas, hits = [], []
        for odds, right in sets:
            given = np.array([together(one) for one in odds])
            areas.append(auroc(given, ~right, np.arange(len(right))).value)
            hits.append([np.mean(given[~right] < np.quantile(given[right], share)) for share in FALSE_ALARMS])
        chosen = rule.endswith(f"power {TOGETHER:g}")
        rows.append([f"**{rule}**" if chosen else rule, *(f"{value:.3f}" for value in (*areas, *np.mean(hits, 0)))])
    return markdown(heads, "l" + "r" * (len(heads) - 1), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--model", nargs="*", default=["pocket", "base"])
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    tables = {model: measured(asked.data, model, asked.cache or False) for model in asked.model}
    show_by_model(tables, PAGE, REGION, asked.write)


if __name__ == "__main__":
    main()

"""How well settings of InfoLM agree with people, many settings in one pass over the texts.

    python benchmarks/agreement.py webnlg2020.jsonl.gz --protocol system
    python benchmarks/agreement.py summeval.jsonl.gz --protocol pooled --stride 8 --items 40

Rows carry human ratings (`scores`). A metric's row value is the mean over references, as in the paper's tables.
'system' is the Pearson correlation of system means, 'pooled' that of all rows, 'item' the mean over items of the
correlation within an item. Signs are turned so that larger is better agreement. Settings are the product of
--measures, --temperatures and --idf; the vocabulary head and the encoder run once for all of them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from nlgauge import Corpus, InfoLM, evaluate
from nlgauge.metrics.base import Metric

MEASURES = {
    "fisher_rao": InfoLM(measure="fisher_rao"),
    "kl": InfoLM(measure="kl"),
    "ab3": InfoLM(measure="ab", alpha=3, beta=0.25),
    "ab.5": InfoLM(measure="ab", alpha=0.5, beta=0.25),
    "alpha.75": InfoLM(measure="alpha", alpha=0.75),
    "gamma3": InfoLM(measure="gamma", beta=3),
    "l1": InfoLM(measure="l1"),
}


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    return float(np.corrcoef(x, y)[0, 1]) if len(x) > 1 and x.std() > 0 and y.std() > 0 else float("nan")


def agreement(values: np.ndarray, ratings: np.ndarray, corpus: Corpus, protocol: str) -> float:
    if protocol == "pooled":
        return correlation(values, ratings)
    key = [row.system if protocol == "system" else row.item for row in corpus]
    groups = {name: np.array([k == name for k in key]) for name in dict.fromkeys(key)}
    if protocol == "system":
        means = [(np.nanmean(values[rows]), np.nanmean(ratings[rows])) for rows in groups.values()]
        return correlation(*np.array(means).T)
    within = [correlation(values[rows], ratings[rows]) for rows in groups.values()]
    return float(np.nanmean(within))


def settings(arguments: argparse.Namespace) -> dict[str, Metric]:
    chosen = {}
    for name, temperature, idf in itertools.product(arguments.measures, arguments.temperatures, arguments.idf):
        changed = {"temperature": temperature, "idf": idf, "references": "mean", "stride": arguments.stride}
        changed["model"] = arguments.model
        chosen[f"{name}|T{temperature:g}|{idf}"] = replace(MEASURES[name], **changed)
    return chosen


def read(arguments: argparse.Namespace) -> Corpus:
    corpus = Corpus.read(arguments.rows)
    items = list(dict.fromkeys(row.item for row in corpus))[: arguments.items]
    return Corpus(tuple(row for row in corpus if row.item in set(items)))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--protocol", nargs="+", choices=["system", "pooled", "item"], default=["system"])
    parser.add_argument("--items", type=int, help="the first so many items only")
    parser.add_argument("--measures", nargs="+", default=list(MEASURES), choices=list(MEASURES))
    parser.add_argument("--temperatures", nargs="+", type=float, default=[0.5, 1.0, 1.5, 2.0, 3.0])
    parser.add_argument("--idf", nargs="+", default=["none", "references", "general"])
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--model", default="pocket")
    parser.add_argument("--output", type=Path, help="write all figures here as JSON")
    arguments = parser.parse_args(argv)
    corpus = read(arguments)
    aspects = sorted({aspect for row in corpus for aspect in row.scores})
    ratings = {a: np.array([row.scores.get(a, np.nan) for row in corpus]) for a in aspects}
    chosen = settings(arguments)
    began = time.monotonic()
    table = evaluate(corpus, metrics=list(chosen.values()), progress=True)
    print(f"{len(corpus)} rows, {time.monotonic() - began:.0f} s, {json.dumps(table.run['models'])}")
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for protocol in arguments.protocol:
        print(f"\n{protocol:24s}" + "".join(f"{aspect:>16s}" for aspect in aspects) + f"{'mean':>8s}")
        for name, metric in chosen.items():
            row = {a: -agreement(table.values(metric), ratings[a], corpus, protocol) for a in aspects}
            figures.setdefault(protocol, {})[name] = row
            print(f"{name:24s}" + "".join(f"{v:16.3f}" for v in row.values()) + f"{np.mean(list(row.values())):8.3f}")
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

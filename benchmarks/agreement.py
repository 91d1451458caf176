"""How well metrics agree with people: many metrics and settings in one pass over the texts.

    python benchmarks/agreement.py webnlg2020.jsonl.gz --family embedding
    python benchmarks/agreement.py FILE FILE -m "InfoLM(temperature=1)" -m BaryScore --protocol system pooled --items 40

The rows have human ratings (`scores`). 'system' is the Pearson correlation of system means, 'pooled' is the correlation
of all rows, and 'item' is the mean over items of the correlation within an item. Signs are turned so that larger is
better agreement. A corpus-level metric has a system level only. --references says how a row's references are reduced;
the published WebNLG figures take the mean. Prints Markdown tables; --output writes every figure as JSON.
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

from nlgauge import Corpus, ScoreTable, correlate, evaluate
from nlgauge.metrics.references import ReferenceMetric
from nlgauge.registry import metric

FAMILIES: dict[str, list[str]] = {
    "infolm": [
        f"InfoLM({measure}, temperature={temperature}, idf='{idf}')"
        for measure, temperature, idf in itertools.product(
            ("measure='fisher_rao'", "measure='kl'", "measure='ab', alpha=0.5, beta=0.25", "measure='l1'"),
            (1.0, 1.5, 2.0, 3.0),
            ("none", "references", "general"),
        )
    ],
    "embedding": [
        "BaryScore",
        "BERTScore",
        "MoverScore",
        "MoverScore(ngram=2)",
        "SentenceMovers",
        "DepthScore",
        "EmbeddingAverage",
        "GreedyMatching",
        "VectorExtrema",
        "WordMovers",
        "RougeWE",
        "RougeWE(ngram=2)",
        "MarkEvaluate",
        "MarkEvaluate(estimator='schnabel')",
        "MarkEvaluate(estimator='capture')",
        "FrechetDistance",
        "PRD",
        "ImprovedPrecisionRecall",
    ],
    # Words as points: minutes a system where references are many and long.
    "words": [f"MarkEvaluate(estimator='{name}', unit='token')" for name in ("petersen", "schnabel", "capture")],
    "support": ["Consistency", "Relevance", "Preservation", "Engagingness", "Groundedness", "MeanAlignment"],
}


def read(path: Path, items: int | None, drop: Sequence[str]) -> Corpus:
    corpus = Corpus.read(path)
    kept = set(list(dict.fromkeys(row.item for row in corpus))[:items])
    return Corpus(tuple(row for row in corpus if row.item in kept and row.system not in drop))


def figures(table: ScoreTable, corpus: Corpus, protocol: str) -> dict[str, dict[str, float]]:
    """Return the Pearson correlation of the first part of each metric with each aspect. Positive means agreement."""
    found: dict[str, dict[str, float]] = {}
    for one in correlate(table, corpus, level=protocol, replicates=0).records:
        if one.part == table.columns[one.metric].parts[0]:
            found.setdefault(one.metric, {})[one.aspect] = one.value
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("-m", "--metric", dest="metrics", action="append", default=[])
    parser.add_argument("--family", choices=list(FAMILIES), help="instead of -m")
    parser.add_argument("--protocol", nargs="+", choices=["system", "pooled", "item"], default=["system"])
    parser.add_argument("--references", choices=["best", "mean"], help="how several references are reduced")
    parser.add_argument("--items", type=int, help="the first so many items only")
    parser.add_argument("--drop", action="append", default=[], help="a system to leave out; repeatable")
    parser.add_argument("--model", help="instead of the embedded one")
    parser.add_argument("--output", type=Path, help="write all figures here as JSON")
    arguments = parser.parse_args(argv)
    wanted = [
        metric(spec, model=arguments.model) for spec in arguments.metrics or FAMILIES[arguments.family or "infolm"]
    ]
    if arguments.references:
        wanted = [
            replace(one, references=arguments.references) if isinstance(one, ReferenceMetric) else one for one in wanted
        ]
    chosen = {str(one): one for one in wanted}
    everything = {}
    for path in arguments.rows:
        corpus = read(path, arguments.items, arguments.drop)
        began = time.monotonic()
        table = evaluate(corpus, metrics=list(chosen.values()), progress=True)
        print(f"\n{path.name}: {len(corpus)} rows, {time.monotonic() - began:.0f} s, {json.dumps(table.run['models'])}")
        for protocol in arguments.protocol:
            found = figures(table, corpus, protocol)
            everything[f"{path.name} {protocol}"] = found
            aspects = list(next(iter(found.values())))
            print(f"\n| {protocol} | " + " | ".join(aspects) + " | mean |\n|---" + "|---" * (len(aspects) + 1) + "|")
            for spec, row in found.items():
                cells = [*row.values(), float(np.mean(list(row.values())))]
                print(f"| {spec} | " + " | ".join(f"{value:.3f}" for value in cells) + " |")
    if arguments.output:
        arguments.output.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

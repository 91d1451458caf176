"""Speed of BaryScore's own computation, compared with POT on the same embeddings, and of the metric, with BERTScore.

    python benchmarks/baryscore.py [--pairs FILE] [--quick]

POT (pip install pot) is called as the published code calls it: a free-support barycenter of the last five layers for
each text, from the origin, then the exact cost between the two. Values have to agree to 1e-6. nlgauge computes the
barycenter of each text once, and the transport plans of all pairs together, as in a run. Both use one thread.
"""

from __future__ import annotations

from pathlib import Path

import measuring
import numpy as np
from measuring import Pair, TextMaker, corpus_of, heading, interleaved, ratios, read_pairs

from nlgauge import BaryScore, evaluate
from nlgauge.contract.base import Setup
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.engine.models import loading

Vectors = tuple[TokenVectors, TokenVectors]


def features_of(pairs: list[Pair], metric: BaryScore) -> list[Vectors]:
    corpus, engine = corpus_of(pairs), Engine(loading.load("pocket"))
    prepared = metric.prepare(Setup(corpus, engine))
    asked = [metric.requests(row, prepared) for row in corpus]
    features = engine.features([request for row in asked for request in row])
    return [(features[candidate], features[reference]) for candidate, reference in asked]


def pot_score(ot: object, pair: Vectors) -> float:
    """Return the score by the published method, from the same vectors."""
    clouds = []
    for feature in pair:
        vectors = feature.vectors.astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        size = vectors.shape[1]
        alike = np.full(size, 1 / size)
        clouds.append(
            ot.lp.free_support_barycenter(
                list(vectors), [alike] * len(vectors), np.zeros_like(vectors[0]), alike, numItermax=1000
            )
        )
    one, other = clouds
    return float(ot.emd2(np.full(len(one), 1 / len(one)), np.full(len(other), 1 / len(other)), ot.dist(one, other)))


def main() -> None:
    parser = measuring.parser(__doc__)
    parser.add_argument("--pairs", type=Path, help="a table of outputs; candidates with their first references")
    arguments = parser.parse_args()
    import ot

    facts = measuring.machine()
    measuring.print_machine(facts)
    maker = TextMaker(seed=1)
    count = 30 if arguments.quick else 300
    sets = {"short": maker.short(count), "summary": maker.summaries(count // 3)}
    if arguments.pairs:
        sets = {arguments.pairs.name: read_pairs(arguments.pairs)[:count]}
    repeats = arguments.repeats or (1 if arguments.quick else 5)
    record = {"machine": facts}
    for name, pairs in sets.items():
        heading(f"{name}: {len(pairs)} pairs")
        metric = BaryScore(idf="none")
        found = features_of(pairs, metric)
        values = {}

        def ours(found: list = found, values: dict = values, pairs: list = pairs, metric: BaryScore = metric) -> None:
            prepared = metric.prepare(Setup(corpus_of(pairs), Engine(loading.load("pocket"))))
            values["ours"] = [value for (value,) in metric.compare(found, prepared)]

        def peer(found: list = found, values: dict = values) -> None:
            values["pot"] = [pot_score(ot, pair) for pair in found]

        seconds = interleaved({"ours": ours, "pot": peer}, repeats)
        gap = float(np.abs(np.array(values["ours"]) - np.array(values["pot"])).max())
        ratio = ratios(seconds["pot"], seconds["ours"])
        milliseconds = [1e3 * second / len(pairs) for second in seconds["ours"]]
        print(f"  ours {measuring.Spread.of(milliseconds)} ms a pair; POT takes {ratio} times as long; gap {gap:.1e}")

        corpus = corpus_of(pairs)
        whole = interleaved(
            {
                spec: lambda spec=spec, corpus=corpus: evaluate(corpus, metrics=spec)
                for spec in ("BaryScore", "BERTScore")
            },
            repeats,
        )
        against = ratios(whole["BaryScore"], whole["BERTScore"])
        print(f"  the whole metric takes {against} times as long as BERTScore")
        record[name] = {"ms": milliseconds, "pot_ratio": ratio, "gap": gap, "to_bertscore": against}
    measuring.save(arguments.output, record)


if __name__ == "__main__":
    main()

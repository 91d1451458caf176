"""MaskEval: time of exact, strided and selective masking, the accuracy that each loses, and agreement with people.

    python benchmarks/maskeval.py split ROWS FOLDER           # rated.jsonl and unseen.jsonl, by item (44 and 56 of 100)
    python benchmarks/maskeval.py speed ROWS --pairs 24       # seconds a pair, rank correlation with the exact score
    python benchmarks/maskeval.py words ROWS --pairs 100      # decodings and segmentations: hits by number of pieces
    python benchmarks/maskeval.py people ROWS --cache FOLDER  # Pearson with ratings; for weighters, the curve of `keep`

ROWS: outputs with sources and, for people, ratings, such as SummEval's. `people` masks every word once (--stride 1 is
exact), and computes all variants from that. This is possible because a word's score does not depend on which other
words are used, as long as it is masked alone.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nlgauge import Corpus, evaluate
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked_words import MaskedWordsRequest
from nlgauge.engine.models import loading
from nlgauge.engine.weighter import WEIGHTERS, read_weighter
from nlgauge.metrics import maskeval as maths
from nlgauge.metrics.maskeval import MaskEval
from nlgauge_lab.reproduce.rated import by_item

SPEED = (
    "MaskEval",
    "MaskEval(stride=2)",
    "MaskEval(stride=4)",
    "MaskEval(stride=8)",
    "MaskEval(stride=16)",
    "MaskEval(weights='candidate')",
    "MaskEval(weights='candidate', stride=8)",
)


def spread(corpus: Corpus, pairs: int | None) -> Corpus:
    """Return `pairs` rows, evenly spread over the file; None for all."""
    if pairs is None or pairs >= len(corpus):
        return corpus
    return Corpus(tuple(corpus[int(i)] for i in np.linspace(0, len(corpus) - 1, pairs)))


def ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value. Equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def split(arguments: argparse.Namespace) -> None:
    corpus = Corpus.read(arguments.rows)
    train, _ = by_item(corpus)
    opener = gzip.open if arguments.rows.suffix == ".gz" else open
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with (
        opener(arguments.rows, "rt", encoding="utf-8") as lines,
        (arguments.folder / "rated.jsonl").open("w", encoding="utf-8") as rated,
        (arguments.folder / "unseen.jsonl").open("w", encoding="utf-8") as unseen,
    ):
        for line, row in zip((line for line in lines if line.strip()), corpus, strict=True):
            (rated if row.item in train else unseen).write(line)


def speed(arguments: argparse.Namespace) -> None:
    rows = spread(Corpus.read(arguments.rows), arguments.pairs)
    specs = [name.partition("@") for name in [*SPEED, *arguments.metric]]
    for precision in {precision or "float32" for _, _, precision in specs}:  # what is imported once is not timed
        evaluate(Corpus((rows[0],)), metrics=SPEED[-1], model=arguments.model, precision=precision, cache=False)
    exact: np.ndarray | None = None
    alone: np.ndarray | None = None
    print(f"{len(rows)} pairs\n\n| | seconds a pair | processor seconds | times as fast | Spearman with exact |")
    print("|---|---|---|---|---|")
    first = 0.0
    for spec, at, precision in specs:
        began, used = time.monotonic(), time.process_time()
        table = evaluate(rows, metrics=spec, model=arguments.model, precision=precision or "float32", cache=False)
        wall, cpu = (time.monotonic() - began) / len(rows), (time.process_time() - used) / len(rows)
        values = table.values(spec)
        exact = values if exact is None else exact
        alone = values if alone is None and spec == "MaskEval(weights='candidate')" else alone
        first = first or cpu
        against = alone if "candidate" in spec and alone is not None else exact
        rho = pearson(ranks(values), ranks(against))
        print(f"| {spec}{at}{precision} | {wall:.2f} | {cpu:.2f} | {first / cpu:.1f} | {rho:.3f} |", flush=True)


def words(arguments: argparse.Namespace) -> None:
    """Mask words of candidates one by one, and print the share that is predicted, by number of pieces."""
    rows = spread(Corpus.read(arguments.rows), arguments.pairs)
    print("| segmentation | decoding | words | in one piece | found | in several | found | log-probability |")
    print("|---|---|---|---|---|---|---|---|")
    engine = Engine(loading.load(arguments.model))
    for segmentation in ("plain", "spacy"):
        for decoding in ("joint", "stepwise", "single"):
            hits: list[list[bool]] = [[], []]
            logs: list[float] = []
            for row in rows:
                request = MaskedWordsRequest(row.candidate, row.source or "", True, segmentation, decoding)
                answer = engine.features([request])[request]
                if answer is not None and len(answer.words):
                    starts, _ = engine.block().words(row.candidate, segmentation)
                    for hit, size in zip(answer.hits.tolist(), np.diff(starts), strict=True):
                        hits[int(size > 1)].append(hit)
                    logs += answer.log_probabilities.tolist()
            one, several = (np.array(part, float) for part in hits)
            share = len(several) / (len(one) + len(several))
            print(
                f"| {segmentation} | {decoding} | {len(logs)} | {1 - share:.3f} | {one.mean():.3f} | {share:.3f} | "
                f"{several.mean() if len(several) else float('nan'):.3f} | {np.mean(logs):.3f} |",
                flush=True,
            )


def people(arguments: argparse.Namespace) -> None:
    from nlgauge_lab.training.weighter import kept

    corpus = spread(Corpus.read(arguments.rows), arguments.pairs)
    engine = Engine(loading.load(arguments.model), progress=True)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    metric = MaskEval(stride=arguments.stride, scoring=arguments.scoring)
    began = time.monotonic()
    measured = kept(corpus, metric, engine, arguments.cache)
    print(f"{len(corpus)} rows, {metric!s}, {time.monotonic() - began:.0f} s")
    states, segment, scores = (part.numpy() for part in (measured.states, measured.segment, measured.scores))
    starts = np.searchsorted(segment, np.arange(2 * len(corpus) + 1))
    texts = [[row.candidate, row.source or ""] for row in corpus]
    firsts = [[engine.block().words(text, "plain")[0] for text in pair] for pair in texts]

    def of(row: int, side: int) -> slice:
        return slice(starts[2 * row + side], starts[2 * row + side + 1])

    hits = [[scores[of(r, s)][firsts[r][s][:-1]].astype(float) for s in (0, 1)] for r in range(len(corpus))]
    aspects = sorted({aspect for row in corpus for aspect in row.scores})
    ratings = {aspect: np.array([row.scores.get(aspect, np.nan) for row in corpus]) for aspect in aspects}

    def values(share: float, weigh: Sequence[Sequence[np.ndarray]], keep: float = 1.0) -> tuple[np.ndarray, float]:
        out, masked = [], 0
        for row in range(len(corpus)):
            weights = (weigh[row][0], weigh[row][1])
            chosen = maths.kept_words(weights, share, keep, per_text=False)
            masked += len(chosen[0]) + len(chosen[1])
            parts = [weights[side][chosen[side]] for side in (0, 1)]
            out.append(maths.weighted_score([hits[row][side][chosen[side]] for side in (0, 1)], parts, share))
        return np.array(out), masked / len(corpus)

    def line(name: str, scores_of_rows: np.ndarray) -> str:
        cells = []
        for aspect in aspects:
            there = ~np.isnan(ratings[aspect]) & ~np.isnan(scores_of_rows)
            cells.append(f"{100 * pearson(scores_of_rows[there], ratings[aspect][there]):.1f}")
        return f"| {name} | " + " | ".join(cells) + " |"

    alike = [[maths.uniform(len(hits[r][s])) for s in (0, 1)] for r in range(len(corpus))]
    print("\n| | " + " | ".join(aspects) + " |\n|---" + "|---" * len(aspects) + "|")
    print(line("uniform", values(0.5, alike)[0]))
    print(line("candidate", values(1.0, alike)[0]))
    print(line("source", values(0.0, alike)[0]))
    print(line("words of the candidate", np.array([float(len(hits[r][0])) for r in range(len(corpus))])))
    names = arguments.weights or sorted(
        path.stem for path in (engine.model.folder / WEIGHTERS.folder).glob("*.safetensors")
    )
    for name in names:
        weighter = read_weighter(name, engine.model)
        weigh = [
            [maths.word_weights(weighter.logits(states[of(r, s)]), firsts[r][s][:-1]) for s in (0, 1)]
            for r in range(len(corpus))
        ]
        print(line(f"{Path(name).stem} (share {weighter.share:.2f})", values(weighter.share, weigh)[0]))
        for keep in arguments.keep:
            kept_alone, masked = values(weighter.share, weigh, keep)
            print(line(f"{Path(name).stem}, keep={keep:g}: {masked:.0f} words a pair", kept_alone))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["split", "speed", "words", "people"])
    parser.add_argument("rows", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", help="of split: where the two files go")
    parser.add_argument("--pairs", type=int, help="so many rows, spread over the file")
    parser.add_argument("--model", default="pocket")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--scoring", default="hit")
    parser.add_argument("--cache", type=Path, default=Path("maskeval-words"), help="where measured words are kept")
    parser.add_argument("--weights", action="append", help="weighters; all that the model has by default")
    parser.add_argument("--keep", type=float, nargs="*", default=[0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1])
    parser.add_argument(
        "-m", "--metric", action="append", default=[], help="of speed: more, SPEC or SPEC@PRECISION; repeatable"
    )
    arguments = parser.parse_args(argv)
    {"split": split, "speed": speed, "words": words, "people": people}[arguments.what](arguments)


if __name__ == "__main__":
    main()

"""Mark-Evaluate's synthetic experiments: what happens to metrics of sets when outputs lose variety, or quality.

    python examples/synthetic.py [--texts FOLDER] [--size 1000] [--out synthetic]

Mode collapse (the paper's section 4.1): topics are dropped one after another from the evaluated sentences. Word swap
(section 4.2): every word changes places with another one of its sentence with some probability. K sweep (section 3.4):
two sets of the same kind, the ball's radius growing. The reference set stays the same throughout. Figures are those
behind the paper's 3, 4 and 2, from the embedded model instead of SBERT and from other texts than MNLI.

--texts is a folder of .txt, .txt.gz or .txt.xz files, a passage a line; a topic is the part of a file's name before
the first "_" or ".". Without it the sources and references of examples/outputs.jsonl serve, a system's rows a topic:
enough to see the program run, too few for the curves. Writes figures as PNG where matplotlib is installed, and
the numbers behind them as CSV in any case.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import lzma
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from nlgauge import Corpus, MarkEvaluate, Row, ScoreTable, evaluate
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.metrics.base import Setup
from nlgauge.metrics.mark_evaluate import sweep

METRICS = (
    "MarkEvaluate(estimator='petersen', k={k})",
    "MarkEvaluate(estimator='schnabel', k={k})",
    "MarkEvaluate(estimator='capture', k=1)",
    "ImprovedPrecisionRecall",
    "PRD",
    "FrechetDistance",
)
# Of each metric: the part that should follow quality, and the one that should follow diversity.
QUALITY_AND_DIVERSITY = {
    "MarkEvaluate": ("quality", "diversity"),
    "ImprovedPrecisionRecall": ("precision", "recall"),
    "PRD": ("f1_8", "f8"),
}
_LINES = 5000  # of each file: enough, and soon read
SWAPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def lines(path: Path) -> Iterator[str]:
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:  # type: ignore[operator]
        yield from file


def sentences(texts: Iterator[str] | Sequence[str]) -> list[str]:
    """Sentences of 6 to 40 words, each once."""
    found = {}
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+", text.strip()):
            if 6 <= len(sentence.split()) <= 40:
                found[sentence] = None
    return list(found)


def topics_of(folder: Path | None, most: int) -> dict[str, list[str]]:
    """Sentences by topic."""
    if folder is None:
        rows = Corpus.read(Path(__file__).with_name("outputs.jsonl"))
        kinds = {row.item: str(number % 4) for number, row in enumerate(rows)}
        found = {kind: [r for r in rows if kinds[r.item] == kind] for kind in dict.fromkeys(kinds.values())}
        return {
            kind: sentences([t for r in some for t in (r.candidate, *r.references)]) for kind, some in found.items()
        }
    topics: dict[str, list[str]] = {}
    for path in sorted(p for p in folder.iterdir() if re.search(r"\.txt(\.xz|\.gz)?$", p.name)):
        topics.setdefault(re.split(r"[_.]", path.name)[0], []).extend(sentences(islice(lines(path), _LINES)))
    largest = sorted(topics, key=lambda name: -len(topics[name]))[:most]
    return {name: topics[name] for name in sorted(largest)}


def swapped(sentence: str, probability: float, generator: np.random.Generator) -> str:
    """Every word changes places with another with this probability."""
    words = sentence.split()
    for i in range(len(words)):
        if generator.random() < probability:
            j = int(generator.integers(len(words)))
            words[i], words[j] = words[j], words[i]
    return " ".join(words)


def rows(system: str, texts: Sequence[str]) -> list[Row]:
    return [Row(text, system=system, item=str(number)) for number, text in enumerate(texts)]


def steps(table: ScoreTable, metrics: Sequence[str]) -> Iterator[tuple[str, str, list[float]]]:
    """(metric, part, a value for each step) of the parts that are drawn."""
    for metric in metrics:
        column = table.column(metric)
        name = metric.partition("(")[0]
        for part in dict.fromkeys((column.parts[0], *QUALITY_AND_DIVERSITY.get(name, ()))):
            if name != "MarkEvaluate" or part == "score" or "schnabel" in metric:
                yield metric, part, table.values(metric, part).tolist()


def write(
    out: Path, head: str, at: Sequence[object], found: Sequence[tuple[str, str, list[float]]], title: str
) -> None:
    with out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([head, *(f"{metric} {part}" for metric, part, _ in found)])
        table.writerows([step, *(values[i] for _, _, values in found)] for i, step in enumerate(at))
    print(f"\n{title}  ({out.with_suffix('.csv')})")
    for metric, part, values in found:
        print(f"  {metric + ' ' + part:60s}" + " ".join(f"{value:7.3f}" for value in values))
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4.2))
    for metric, part, values in found:
        single = part in ("score", "distance")
        # A distance is drawn as what is left of closeness, so that down is worse in every curve.
        drawn = 1 - np.array(values) / max(values) if "Frechet" in metric and max(values) > 0 else values
        style = ":" if part in ("diversity", "recall", "f8") else "-"
        label = metric + ("" if single else f" {part}")
        panels[0 if single else 1].plot([str(step) for step in at], drawn, style, marker=".", label=label)
    for panel, what in zip(panels, ("one value", "quality (full) and diversity (dotted)"), strict=True):
        panel.set(xlabel=head, title=what, ylim=(-0.05, 1.05))
        if panel.lines:
            panel.legend(fontsize=6)
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(out.with_suffix(".png"), dpi=130)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--size", type=int, default=1000, help="sentences in each set")
    parser.add_argument("--topics", type=int, default=5)
    parser.add_argument("-k", type=int, default=2, help="of Petersen and Schnabel")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("synthetic"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(arguments.seed)
    topics = topics_of(arguments.texts, arguments.topics)
    names = list(topics)
    share = min(arguments.size // len(names), min(map(len, topics.values())) // 2)
    drawn = {name: generator.permutation(np.array(texts, dtype=object)).tolist() for name, texts in topics.items()}
    reference = [text for name in names for text in drawn[name][:share]]
    held = {name: drawn[name][share:] for name in names}
    metrics = [spec.format(k=arguments.k) for spec in METRICS]

    # The evaluated set keeps its size: what the dropped topics leave is taken from the others, as far as they reach.
    collapse = []
    for kept in range(len(names), 0, -1):
        each = [held[name][: len(reference) // kept] for name in names[:kept]]
        collapse += rows(f"{len(names) - kept}", [text for some in each for text in some])
    evaluated = [text for name in names for text in held[name][:share]]
    swaps = [r for p in SWAPS for r in rows(f"swap {p}", [swapped(text, p, generator) for text in evaluated])]
    against = Corpus(tuple(rows("reference", reference)))
    table = evaluate(Corpus((*collapse, *swaps)), metrics=metrics, against=against, progress=True)

    found = list(steps(table, metrics))
    first = len(names)
    parts = {
        "collapse": ("topics dropped", range(first), slice(0, first), "Mode collapse"),
        "swap": ("swap probability", SWAPS, slice(first, None), "Word swap"),
    }
    for file, (head, at, where, title) in parts.items():
        write(arguments.out / file, head, list(at), [(m, p, values[where]) for m, p, values in found], title)

    engine = Engine(loading.load("pocket"))
    metric = MarkEvaluate()
    prepared = metric.prepare(Setup(against, engine))
    requests = {text: metric.request(text, prepared) for text in dict.fromkeys([*reference, *evaluated])}
    features = engine.features(requests.values())
    points = {text: metric.points(features[request]) for text, request in requests.items()}
    sides = [np.concatenate([points[text] for text in texts]) for texts in (evaluated, reference)]
    ks = [k for k in (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40) if k < min(map(len, sides))]
    by_k = sweep(*sides, ks)
    curves = [
        (f"{name}", "score", [getattr(one, name).score for one in by_k]) for name in ("petersen", "schnabel", "capture")
    ]
    write(arguments.out / "sweep", "K", ks, curves, "Neighbours")


if __name__ == "__main__":
    main()

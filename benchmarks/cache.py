"""Time that the cache saves: a second run, another system, and another measure of InfoLM, compared with the first run.

    python benchmarks/cache.py OUTPUTS [-m SPEC ...] [--output FILE]

OUTPUTS is a table of outputs of several systems. Every figure is a ratio of processor seconds to those of a first run
on an empty cache in the same process, in `--repeats` rounds. Passes are rows that went through the model.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import measuring
from measuring import Spread, heading, table

from nlgauge import Corpus, ScoreTable, evaluate


def run(rows: Corpus, metrics: Sequence[str], cache: Path) -> tuple[float, ScoreTable]:
    """Return processor seconds and scores of a run."""
    began = time.process_time()
    scores = evaluate(rows, metrics=list(metrics), cache=cache)
    return time.process_time() - began, scores


def passes(scores: ScoreTable) -> int:
    """Return how many rows went through models, over all models."""
    return sum(ledger["passes"] for ledger in scores.spent["models"].values())


def main() -> None:
    parser = measuring.parser(__doc__)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("-m", "--metric", dest="metrics", action="append")
    arguments = parser.parse_args()
    measuring.print_machine(measuring.machine())
    rows, metrics = Corpus.read(arguments.outputs), arguments.metrics or ["BERTScore", "ChrF", "METEOR", "ROUGE"]
    others = Corpus(tuple(row for row in rows if row.system != rows.systems[-1]))
    share = 1 - len(others) / len(rows)
    shares: dict[str, list[float]] = {"second run": [], "one more system": []}
    counts = {}
    for _ in range(arguments.repeats or 1):
        place = Path(tempfile.mkdtemp())
        try:
            first, scores = run(rows, metrics, place / "whole")
            again, kept = run(rows, metrics, place / "whole")
            assert kept == scores
            run(others, metrics, place / "grows")
            more, grown = run(rows, metrics, place / "grows")
        finally:
            shutil.rmtree(place)
        shares["second run"].append(again / first)
        shares["one more system"].append(more / first)
        counts = {"first run": passes(scores), "second run": passes(kept), "one more system": passes(grown)}
    heading(f"{len(rows)} rows by {', '.join(metrics)}; the last system has {share:.1%} of them")
    lines = [(name, Spread.of(values), counts[name]) for name, values in shares.items()]
    table(("", "share of the first run", "passes"), [("first run", "1", counts["first run"]), *lines])
    measuring.save(arguments.output, {"shares": shares, "passes": counts})


if __name__ == "__main__":
    main()

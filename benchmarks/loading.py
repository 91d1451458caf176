"""What it costs to load scores: over `json.loads` of the lines of the file, with evidence and without.

    python benchmarks/loading.py [OUTPUTS] [-m SPEC ...] [--rows 300] [--quick] [--output FILE]

evidence  A scores file of `--rows` rows with evidence, of OUTPUTS or of made-up summaries: at most 2.2 times.
numbers   A scores file of 100,000 values without evidence.
gzip      Both, compressed (.jsonl.gz), over `json.loads` of the lines of the plain file; and how much smaller they are.
cached    `evaluate` with evidence where the cache holds every score, over `json.loads` of the same lines.

"1.5 - 1.6 - 1.8" is the least, the median and the largest ratio of the rounds, which take turns.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Spread, TextMaker, corpus_of, heading, interleaved, ratios, table

from nlgauge import Corpus, ScoreTable, evaluate
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column

METRICS = ["Consistency(aligner='D')", "BERTScore", "TokenF1"]
LIMIT = 2.2


def with_evidence(rows: Corpus, metrics: list[str], cache: Path) -> ScoreTable:
    return evaluate(rows, metrics=list(metrics), evidence=True, cache=cache)


def of_numbers(values: int) -> ScoreTable:
    """Five systems with as many values in all, of a metric of four sub-scores."""
    rows = [(f"system {n % 5}", str(n // 5)) for n in range(values // 4)]
    column = Column(("f1", "precision", "recall", "exact"), np.random.default_rng(0).random((len(rows), 4)))
    return ScoreTable(rows, {"M": column}, {"M": Signature("M")}, {"rows": len(rows)})


def parse(lines: list[str]) -> list[Any]:
    return [json.loads(line) for line in lines]


def main() -> int:
    parser = measuring.parser(__doc__)
    parser.add_argument("outputs", type=Path, nargs="?")
    parser.add_argument("-m", "--metric", dest="metrics", action="append")
    parser.add_argument("--rows", type=int, default=300)
    arguments = parser.parse_args()
    measuring.print_machine(measuring.machine())
    count = 20 if arguments.quick else arguments.rows
    if arguments.outputs:
        rows = Corpus(tuple(Corpus.read(arguments.outputs))[:count])
    else:
        made = corpus_of(TextMaker().summaries(count))
        rows = Corpus.from_records([{**vars(row), "source": row.references[0]} for row in made])
    repeats, metrics = arguments.repeats or (2 if arguments.quick else 9), arguments.metrics or METRICS
    found: dict[str, Spread] = {}
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        tables = {
            "evidence": with_evidence(rows, metrics, cache),
            "numbers": of_numbers(10_000 if arguments.quick else 100_000),
        }
        for name, scores in tables.items():
            plain, packed = Path(folder) / f"{name}.jsonl", Path(folder) / f"{name}.jsonl.gz"
            scores.save(plain)
            scores.save(packed)
            lines = plain.read_text(encoding="utf-8").splitlines()
            runs = {
                "json.loads": lambda lines=lines: parse(lines),
                name: lambda plain=plain: ScoreTable.load(plain),
                f"{name}, gzip": lambda packed=packed: ScoreTable.load(packed),
            }
            if name == "evidence":
                runs["cached"] = lambda: with_evidence(rows, metrics, cache)
            seconds = interleaved(runs, repeats)
            found |= {run: ratios(some, seconds["json.loads"]) for run, some in seconds.items() if run != "json.loads"}
            large, small = plain.stat().st_size, packed.stat().st_size
            sizes.append((name, len(lines) - 1, f"{large / 1e6:.2f}", f"{small / 1e6:.2f}", f"{large / small:.1f}"))
    heading(f"{len(rows)} rows by {', '.join(metrics)}: over json.loads of the lines")
    table(("", "times"), found.items())
    table(("file", "values", "MB", "MB, gzip", "times smaller"), sizes)
    measuring.save(arguments.output, {"times": found, "sizes": sizes})
    if found["evidence"].median > LIMIT:
        print(f"loading takes more than {LIMIT} times json.loads")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

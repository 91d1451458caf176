"""Cost of loading scores with and without evidence, compared with `json.loads` on the lines of the file.

    python benchmarks/loading.py [OUTPUTS] [-m SPEC ...] [--rows 300] [--quick] [--output FILE]

evidence  A scores file of `--rows` rows with evidence, of OUTPUTS or of made-up summaries: at most 2.2 times.
printed   The same scores with their evidence as `nlgauge explain` prints it, over its own lines: at most 2.2 times.
numbers   A scores file of 100,000 values without evidence.
gzip      `evidence` and `numbers`, compressed (.jsonl.gz), over `json.loads` of the lines of the plain file; and how
          much smaller they are.
read      `evidence`, with all of its evidence read after loading, because only then it is unpacked.
cached    `evaluate` with evidence if the cache has every score, over `json.loads` of the lines of `evidence`.

"1.5 - 1.6 - 1.8" is the least, the median and the largest ratio of the rounds, in which the runs take turns.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
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
    """Return a table of a metric with four sub-scores, for five systems. It has about `values` values."""
    rows = [(f"system {n % 5}", str(n // 5)) for n in range(values // 4)]
    column = Column(("f1", "precision", "recall", "exact"), np.random.default_rng(0).random((len(rows), 4)))
    return ScoreTable(rows, {"M": column}, {"M": Signature("M")}, {"rows": len(rows)})


def parse(lines: list[str]) -> list[Any]:
    return [json.loads(line) for line in lines]


def read(scores: ScoreTable) -> list[Any]:
    """Return all evidence of a table. Reading unpacks it."""
    return [list(column.evidence.values()) for column in scores.columns.values()]


def over_json(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, Spread]:
    """Return the time of each run, divided by the time of the run "json.loads"."""
    seconds = interleaved(runs, repeats)
    return {name: ratios(taken, seconds["json.loads"]) for name, taken in seconds.items() if name != "json.loads"}


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
    spreads: dict[str, Spread] = {}
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
                runs["evidence, read"] = lambda plain=plain: read(ScoreTable.load(plain))
                runs["cached"] = lambda: with_evidence(rows, metrics, cache)
            spreads |= over_json(runs, repeats)
            large, small = plain.stat().st_size, packed.stat().st_size
            sizes.append((name, len(lines) - 1, f"{large / 1e6:.2f}", f"{small / 1e6:.2f}", f"{large / small:.1f}"))
        printed = Path(folder) / "printed.jsonl"
        lines = [json.dumps(record) for record in (tables["evidence"].header(), *tables["evidence"].records())]
        printed.write_text("\n".join(lines), encoding="utf-8")
        spreads |= over_json({"json.loads": lambda: parse(lines), "printed": lambda: ScoreTable.load(printed)}, repeats)
    heading(f"{len(rows)} rows by {', '.join(metrics)}: over json.loads of the lines")
    table(("", "times"), spreads.items())
    table(("file", "values", "MB", "MB, gzip", "times smaller"), sizes)
    measuring.save(arguments.output, {"times": spreads, "sizes": sizes})
    if max(spreads["evidence"].median, spreads["printed"].median) > LIMIT:
        print(f"loading takes more than {LIMIT} times json.loads")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

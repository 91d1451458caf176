"""Runs in blocks: memory and speed of a stream of many rows, and workers of Ray compared with one process.

    python benchmarks/blocks.py stream [--rows 1000000] [--block 20000] [-m TokenF1]
    python benchmarks/blocks.py ray    [--rows 20000] [--block 500] [-m BERTScore] [--repeats 3]   (nlgauge[ray])

stream: rows of shuffled systems and items go from a file into a folder of scores, in a separate process. Printed are
the rows per second in each fifth of the run, and the largest memory of the process at the end of each fifth. ray: the
same rows are scored by one process with all processors, by one worker and by two workers, which take turns. Printed are
seconds, ratios with their spread, and the cost of a row beyond its scoring (with TokenF1, whose scoring costs next to
nothing). In a last run one worker is killed midway. Every table has to equal that of the one process, or the exit code
is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from measuring import interleaved, machine, peak_rss, print_machine, ratios, table

import nlgauge
from nlgauge.data.corpus import Corpus
from nlgauge.options import Cluster
from nlgauge.run.folder import FolderWriter

_WORDS = (
    "the",
    "a",
    "train",
    "bus",
    "river",
    "bridge",
    "rain",
    "old",
    "new",
    "council",
    "said",
    "that",
    "report",
    "station",
    "closed",
    "open",
    "morning",
    "week",
    "people",
    "city",
    "plan",
    "funds",
    "school",
    "road",
    "harbour",
    "museum",
    "late",
    "early",
    "again",
    "today",
    "will",
    "was",
    "were",
    "has",
    "been",
    "not",
    "only",
    "more",
    "than",
    "half",
    "of",
)
_SYSTEMS = ("alpha", "beta", "gamma", "delta")


def write_rows(path: Path, count: int) -> None:
    """Write rows of four systems in random order. Candidates are their references with some words changed."""
    chance = random.Random(1)
    places = [(item, system) for item in range(-(-count // 4)) for system in range(4)][:count]
    chance.shuffle(places)
    with path.open("w", encoding="utf-8") as file:
        for item, system in places:
            own = random.Random(item)
            words = [own.choice(_WORDS) for _ in range(18)]
            changed = [chance.choice(_WORDS) if chance.random() < 0.2 + 0.05 * system else word for word in words]
            texts = {"candidate": " ".join(changed), "references": [" ".join(words)]}
            file.write(json.dumps({"system": _SYSTEMS[system], "item": str(item), **texts}) + "\n")


def stream(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_rows(path, options.rows)
        command = [sys.executable, __file__, "child", str(path), "--rows", str(options.rows)]
        command += ["--block", str(options.block), *(part for spec in options.metrics for part in ("-m", spec))]
        return subprocess.run(command).returncode


def child(options: argparse.Namespace) -> int:
    """Run the stream in this process, so that its largest memory is measured alone, and return the exit code."""
    stamps: list[tuple[float, int, float]] = []
    began, write = time.monotonic(), FolderWriter._write

    def noted(self: FolderWriter, rows: Sequence[int]) -> None:
        write(self, rows)
        stamps.append((time.monotonic() - began, rows[-1] + 1, peak_rss() / 1e6))

    FolderWriter._write = noted  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus.read(options.file, on_disk=True)
        read = time.monotonic() - began
        place = Path(folder) / "scores"
        scores = nlgauge.evaluate(
            corpus, metrics=options.metrics, rows_per_block=options.block, output=place, cache=False
        )
        written = sum(file.stat().st_size for file in place.iterdir())
    rows = []
    for fifth in range(5):
        first, last = fifth * len(stamps) // 5, (fifth + 1) * len(stamps) // 5 - 1
        (start, before, _), (end, after, memory) = stamps[first], stamps[last]
        rows.append([f"{before:,} to {after:,}", f"{(after - before) / max(end - start, 1e-9):,.0f}", f"{memory:,.0f}"])
    table(["rows", "rows/s", "largest memory so far, MB"], rows)
    print(
        f"{len(scores.rows):,} rows by {', '.join(options.metrics)}, {options.block:,} a block: read and checked in "
        f"{read:.0f} s, the last block after {stamps[-1][0]:.0f} s, {written / 1e6:.0f} MB written; with the whole "
        f"table in memory {peak_rss() / 1e6:,.0f} MB"
    )
    return 0


def ray(options: argparse.Namespace) -> int:
    import ray as of_ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_rows(path, options.rows)
        corpus = Corpus.read(path, on_disk=True)
    of_ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    tables: dict[str, nlgauge.ScoreTable] = {}

    def runs(metrics: list[str]) -> dict[str, Callable[[], object]]:
        def run(name: str, cluster: Cluster | None) -> Callable[[], object]:
            def once() -> None:
                tables[name] = nlgauge.evaluate(
                    corpus, metrics=metrics, rows_per_block=options.block, ray=cluster, cache=False
                )

            return once

        return {
            "one process": run("one process", None),
            "one worker": run("one worker", Cluster(workers=1)),
            "two workers": run("two workers", Cluster(workers=2)),
        }

    wrong = 0
    for metrics in (options.metrics, ["TokenF1"]):
        seconds = interleaved(runs(metrics), options.repeats, warm=False)
        one = seconds["one process"]
        print(f"\n{options.rows:,} rows by {', '.join(metrics)}, {options.block:,} a block")
        table(
            ["", "seconds", "times as long as one process", "more a row, microseconds"],
            [
                [
                    name,
                    f"{np.median(some):.1f}",
                    str(ratios(some, one)),
                    f"{(np.median(some) - np.median(one)) / options.rows * 1e6:.0f}",
                ]
                for name, some in seconds.items()
            ],
        )
        wrong += _wrong(tables)
    wrong += _killed(corpus, options, tables)
    of_ray.shutdown()
    return int(wrong > 0)


def _killed(corpus: Corpus, options: argparse.Namespace, tables: dict[str, nlgauge.ScoreTable]) -> int:
    """Kill one of two workers after a third of the time, and return how many tables are wrong."""
    began = time.monotonic()
    whole = nlgauge.evaluate(corpus, metrics=options.metrics, rows_per_block=options.block, cache=False)
    delay = (time.monotonic() - began) / 3
    killed: list[int] = []

    def kill() -> None:
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
        workers = [int(line.split()[0]) for line in listed if "ray::Worker" in line]
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    timer = threading.Timer(delay, kill)
    timer.start()
    table_ = nlgauge.evaluate(
        corpus, metrics=options.metrics, rows_per_block=options.block, ray=Cluster(workers=2), cache=False
    )
    timer.join()
    same = _wrong({"one process": whole, "one killed": table_}) == 0
    print(f"\none of two workers killed after {delay:.0f} s: {len(killed)} killed, table the same: {same}")
    return int(not same or not killed)


def _wrong(tables: dict[str, nlgauge.ScoreTable]) -> int:
    """Return how many tables differ from the table of one process."""
    whole = tables["one process"]
    wrong = 0
    for name, one in tables.items():
        alike = (one.rows, one.signatures, one.run) == (whole.rows, whole.signatures, whole.run)
        largest = max(float(np.nanmax(np.abs(one.values(m) - whole.values(m)))) for m in whole.metrics)
        if not alike or largest > 1e-4:
            wrong += 1
            print(f"WRONG  {name}: differs by up to {largest:.2g}")
    return wrong


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["stream", "ray", "child"])
    options.add_argument("file", nargs="?", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--rows", type=int)
    options.add_argument("--block", type=int)
    options.add_argument("-m", "--metric", dest="metrics", action="append")
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    streaming = given.what != "ray"
    given.rows = given.rows or (1_000_000 if streaming else 20_000)
    given.block = given.block or (20_000 if streaming else 500)
    given.metrics = given.metrics or ["TokenF1" if streaming else "BERTScore"]
    if given.what == "child":
        return child(given)
    print_machine(machine())
    return stream(given) if streaming else ray(given)


if __name__ == "__main__":
    sys.exit(main())

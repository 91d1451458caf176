"""Bootstrap intervals of 20 metrics on 1,600 rated rows, compared with ten seconds and with a loop over scipy.

    python benchmarks/bootstrap.py [--items 100] [--systems 16] [--metrics 20] [--replicates 1000] [--quick]

table   Seconds for the resamples of every metric, by level and coefficient. Items and systems are both resampled. Given
        are seconds of the clock and of the processor, which other work on the machine affects less.
        `nlgauge.correlate` takes about twice as long, because it makes as many permutations for p.
peer    A plain loop. For each replicate it draws items and systems with numpy and calls scipy on the drawn rows, item
        by item at item level. nlgauge and the loop take turns on one metric. Printed is how many times longer the loop
        takes for one replicate: "least - median - largest" of the rounds. The largest difference is between the
        results of the two on the same draws.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import measuring
import numpy as np
from measuring import heading, table
from numpy.typing import NDArray

from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.resampling import bootstrap, drawn

LIMIT_S = 10.0
SETTINGS = [(level, name) for level in ("item", "system", "pooled") for name in ("pearson", "spearman", "kendall")]
Float = NDArray[np.float64]


def rated(items: int, systems: int, metrics: int) -> tuple[list[Float], Float]:
    """Return ratings in steps of a third, like means of three raters, and metrics that agree with them more or less."""
    generator = np.random.default_rng(11)
    quality = generator.normal(size=(items, 1)) + generator.normal(size=(1, systems))
    y = np.round(3 * (quality + generator.normal(size=(items, systems)))) / 3
    return [quality + generator.normal(size=y.shape) * (1 + at / 4) for at in range(metrics)], y


def loop(x: Float, y: Float, level: str, name: str, replicates: int) -> list[float]:
    """Return the coefficients for the same draws, computed one by one."""
    from scipy import stats

    of: Callable[..., Any] = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name]
    found = []
    for items, systems in drawn(x.shape, replicates, 0):
        for chosen_items, chosen_systems in zip(items, systems, strict=True):
            a, b = (one[np.ix_(chosen_items, chosen_systems)] for one in (x, y))
            if level == "system":
                found.append(float(of(a.mean(0), b.mean(0))[0]))
            elif level == "pooled":
                found.append(float(of(a.ravel(), b.ravel())[0]))
            else:
                found.append(float(np.nanmean([of(*pair)[0] for pair in zip(a, b, strict=True)])))
    return found


def main() -> None:
    parser = measuring.parser(__doc__ or "")
    for name, size in (("items", 100), ("systems", 16), ("metrics", 20), ("replicates", 1000)):
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--sample", type=int, default=20, help="replicates of the loop")
    args = parser.parse_args()
    if args.quick:
        args.metrics, args.replicates, args.sample = 2, 100, 5
    facts = measuring.machine()
    measuring.print_machine(facts)
    xs, y = rated(args.items, args.systems, args.metrics)
    record: dict[str, Any] = {"machine": facts, "table": {}, "peer": {}}

    heading(f"table: {y.size} rows, {args.metrics} metrics, {args.replicates} replicates; limit {LIMIT_S:.0f} s")
    lines: list[list[object]] = []
    for level, name in SETTINGS:
        began, used = time.perf_counter(), time.process_time()
        for x in xs:
            bootstrap(x, y, COEFFICIENTS[name], level, replicates=args.replicates)
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
        record["table"][f"{level} {name}"] = seconds, cpu
        lines.append([level, name, f"{seconds:.2f}", f"{cpu:.2f}"])
    table(["level", "coefficient", "seconds", "of the processor"], lines)

    repeats = args.repeats or (1 if args.quick else 5)
    heading(f"peer: a loop over scipy, {args.sample} replicates of one metric, {repeats} rounds")
    lines = []
    for level, name in SETTINGS:
        last: dict[str, Any] = {}

        def ours(level: str = level, name: str = name, last: dict[str, Any] = last) -> None:
            last["ours"] = bootstrap(xs[0], y, COEFFICIENTS[name], level, replicates=args.replicates)

        def theirs(level: str = level, name: str = name, last: dict[str, Any] = last) -> None:
            last["peer"] = loop(xs[0], y, level, name, args.sample)

        seconds = measuring.interleaved({"peer": theirs, "ours": ours}, repeats)
        per_replicate = {"peer": args.sample, "ours": args.replicates}
        each = {side: [value / per_replicate[side] for value in values] for side, values in seconds.items()}
        ratio = measuring.ratios(each["peer"], each["ours"])
        same = bootstrap(xs[0], y, COEFFICIENTS[name], level, replicates=args.sample)
        difference = float(np.abs(same - np.array(last["peer"])).max())
        record["peer"][f"{level} {name}"] = {"ratio": ratio, "largest_difference": difference}
        lines.append([level, name, ratio, f"{difference:.1e}"])
    table(["level", "coefficient", "peer / ours", "largest difference"], lines)
    measuring.save(args.output, record)


if __name__ == "__main__":
    main()

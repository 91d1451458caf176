"""How often interim analyses of `nlgauge check --history` raise false alarms, and how soon they detect a loss.

`python benchmarks/monitor.py` draws 2,000 histories of 1,000 rows of each kind, with one baseline for all analyses. In
some nothing changes, and in others there is a loss. For comparison, there is the ordinary test of a single day, made at
every analysis.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from nlgauge.maths.intervals import interim_analysis, student_tail

KINDS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "between 0 and 1": lambda rng, mean: rng.beta(8 * mean, 8 * (1 - mean)),
    "0 or 1": lambda rng, mean: (rng.random(len(mean)) < mean).astype(float),
    "skewed, no bound": lambda rng, mean: rng.exponential(mean),
}
SHAPES = ((20, 50), (50, 20), (5, 200))
"""Number of analyses, and items in each"""


def run(kind: str, looks: int, items: int, histories: int, loss: float, seed: int) -> tuple[float, float]:
    """Return the share of histories with an alarm: by interim analyses, and by a t-test at .05 on each day."""
    rng, alarms, daily = np.random.default_rng(seed), 0, 0
    for _ in range(histories):
        mean = rng.beta(6, 2, items)
        before = KINDS[kind](rng, mean)
        looked = tested = False
        for look in range(1, looks + 1):
            differences = KINDS[kind](rng, mean) - (loss if 2 * look > looks else 0) - before
            looked = looked or interim_analysis(differences.tolist(), [1] * items, look).high < 0
            error = differences.std(ddof=1) / items**0.5
            tested = tested or (error > 0 and student_tail(-differences.mean() / error, items - 1) < 0.025)
        alarms, daily = alarms + looked, daily + tested
    return alarms / histories, daily / histories


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("kind, looks x items: share of unchanged histories with an alarm (a test each day) | with a loss of .2")
    for kind in KINDS:
        for looks, items in SHAPES:
            same = run(kind, looks, items, given.histories, 0.0, given.seed)
            worse = run(kind, looks, items, given.histories // 10, 0.2, given.seed)
            print(f"{kind}, {looks} x {items}: {same[0]:.4f} ({same[1]:.3f}) | {worse[0]:.2f}", flush=True)


if __name__ == "__main__":
    main()

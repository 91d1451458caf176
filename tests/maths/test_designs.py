"""Printed intervals hold on their worst designs: some of those of `benchmarks/intervals.py`, which draws them all."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _benchmark() -> ModuleType:
    place = Path(__file__).parents[2] / "benchmarks" / "intervals.py"
    spec = importlib.util.spec_from_file_location("benchmarks_intervals", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


INTERVALS = _benchmark()
CASES = {case[:3]: case for case in INTERVALS.cases()}
JUDGE = "yes/no, .8 good, judge misses .1 of the bad"
STRATA = "estimates of strata and of known probabilities"
SAME, OTHER = "the same items rated", "other items rated"
# The family, the design, its sizes, and how long an interval may be on average, as a share of the textbook's.
WORST = [
    ("means of items", ".95, with 5 % at .2", (5, 15, 60), math.inf),
    ("means of items", "mean of two raters, .95 yes", (15,), math.inf),
    ("paired differences", "90 % are 0, others a loss", (8, 30), math.inf),
    ("paired differences", "yes/no, 2 % lose", (8, 60), math.inf),
    ("margin tests", "yes/no, 5 % lose", (20, 60), math.inf),
    ("margin tests", "yes/no in lognormal clusters, 6.4 % lose", (15,), math.inf),
    ("items in clusters", "yes/no, .95 yes, clusters all alike, lognormal sizes", (15,), math.inf),
    ("estimates", "yes/no, .8 good, judge errs in 2 %", (30, 50, 100, 200), 0.85),
    ("estimates", JUDGE, (30, 50, 100, 200), 0.85),
    ("estimates", "yes/no, .97 good, judge errs in 2 %", (30, 100), 1.0),
    ("estimates", "yes/no, .8 good, poor judge", (50, 200), 1.0),
    ("estimates", "yes/no, .8 good, useless skewed score", (30,), 1.0),
    ("estimates", "two raters, .9 good, judge errs in 5 %", (50,), 1.0),
    ("estimates", "1 to 5, judge errs in 2 %", (30, 100), 0.85),
    ("estimates", "1 to 5, 80 % at 5, judge errs in 5 %", (50,), 1.0),
    ("estimates", "1 to 5, 80 % at 5, judge of 20 to 100", (100,), 0.8),
    (STRATA, "two strata, 30 and 30 ratings, 0.6 and 1 good", (60,), 1.1),
    (STRATA, "probabilities 0.03 and 0.3, 0.9 of the rare rows good", (84,), 1.2),
    ("estimates of clusters", "0.7 good, correlation .2", (40,), 1.0),
    ("estimates of clusters", "0.95 good, correlation .2", (20,), math.inf),
    ("differences of estimates", f"yes/no, .9 and .8, {SAME}", (50,), 1.05),
    ("differences of estimates", f"yes/no, .95 and .95, {OTHER}", (50,), math.inf),
    ("differences of estimates", f"1 to 5, 80 % at 5, {SAME}", (50,), math.inf),
    ("effective number of ratings", "0.8 good, judge errs in 5 %", (30, 50, 100, 200), math.inf),
    ("effective number of ratings", "0.8 good, judge errs in 30 %", (50,), math.inf),
    ("five interim analyses, all at once", "yes/no, 0.9 yes, 5 % change", (60,), math.inf),
]


@pytest.mark.parametrize(
    ("case", "longest"),
    [
        pytest.param(CASES[family, design, n], longest, id=f"{family}, {design}, {n}")
        for family, design, sizes, longest in WORST
        for n in sizes
    ],
)
def test_an_interval_holds_in_200_draws_of_a_bad_design(case: tuple, longest: float) -> None:
    line = INTERVALS.tried(case, 200)
    effective = line.family == "effective number of ratings"
    assert line.holds >= (0.89 if effective else 0.93)
    assert not line.ratio > longest
    assert not line.shortest <= 0


def test_lengths_that_were_promised() -> None:
    line = INTERVALS.tried(CASES["estimates", JUDGE, 50], 200)
    assert line.length <= 0.17 and line.textbook_length > 0.21 and line.powered_holds < 0.93


def test_the_textbook_does_not_hold_there() -> None:
    """The designs are bad ones: a table that its own textbook passes would show nothing."""
    worst = [
        ("means of items", ".95, with 5 % at .2", 5),
        ("paired differences", "yes/no, 2 % lose", 8),
        ("margin tests", "yes/no, 5 % lose", 20),
        ("five interim analyses, all at once", "yes/no, 0.9 yes, 5 % change", 60),
    ]
    for name in worst:
        assert INTERVALS.tried(CASES[name], 100).textbook_holds < 0.75, name
    assert INTERVALS.tried(CASES["estimates", "yes/no, .97 good, judge errs in 2 %", 30], 100).powered_holds < 0.75

"""Radii of balls compared with scikit-learn and faiss, as shares of the speed of matrix products, and memory.

    python benchmarks/neighbours.py [--sizes 2500,5000,10000] [--width 384] [--k 5] [--quick] [--output FILE]

Peers are optional: pip install scikit-learn faiss-cpu. A missing one is named and left out.

radii     Squared distances to the k-th nearest other points of n points. All take turns with a plain float32 product of
          the same size, [n, width] by [width, n]. Printed is the speed as a share of the product's speed. Ours may
          exceed 1, because it computes half of the products. The largest difference shows that all compute the same.
coverage  Everything that Mark-Evaluate needs for two sets of n points: both radii, and one pass between the sets. No
          peer computes that; for scale, the peers' two searches for radii are given.
growth    How many times longer each takes when n doubles; 4 is expected, as the cost of all pairs.
memory    Peak of a new process that computes coverage at the largest n.

Ratios are "least - median - largest" of the rounds. Set OMP_NUM_THREADS to give all the same number of threads.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Spread, heading, interleaved, ratios, table
from numpy.typing import NDArray

from nlgauge.maths.neighbours import coverage, squared_radii

Array = NDArray[np.float32]


def by_sklearn(points: Array, k: int) -> NDArray[Any]:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k, algorithm="brute").fit(points).kneighbors()[0][:, -1] ** 2


def by_faiss(points: Array, k: int) -> NDArray[Any]:
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    return index.search(points, k + 1)[0][:, -1]


def by_nlgauge(points: Array, k: int) -> NDArray[Any]:
    return squared_radii(points, (k,))[:, 0]


PEERS: dict[str, tuple[str, Callable[[Array, int], NDArray[Any]]]] = {
    "scikit-learn": ("sklearn", by_sklearn),
    "faiss": ("faiss", by_faiss),
}


def sets(n: int, width: int) -> tuple[Array, Array]:
    """Return two clouds of unit vectors, the second a little apart from the first: [n, width] each."""
    generator = np.random.default_rng(n)
    found = generator.normal(size=(2, n, width)) + np.array([0, 0.1])[:, None, None]
    found /= np.linalg.norm(found, axis=2, keepdims=True)
    return found[0].astype(np.float32), found[1].astype(np.float32)


def product(points: Array, out: Array) -> None:
    """Compute the float32 product that all distances need, in tiles, so that memory is not the limit."""
    rows, columns = out.shape
    for i in range(0, len(points), rows):
        for j in range(0, len(points), columns):
            left, right = points[i : i + rows], points[j : j + columns]
            np.matmul(left, right.T, out=out.ravel()[: len(left) * len(right)].reshape(len(left), len(right)))


def measure(n: int, width: int, k: int, repeats: int, peers: list[str]) -> dict[str, Any]:
    first, second = sets(n, width)
    out = np.empty((1024, 2048), np.float32)
    searches = {"nlgauge": by_nlgauge, **{name: PEERS[name][1] for name in peers}}
    exact = by_nlgauge(first, k)
    gaps = {name: float(np.abs(search(first, k) - exact).max()) for name, search in searches.items()}
    runs: dict[str, Callable[[], object]] = {
        "product": functools.partial(product, first, out),
        **{name: functools.partial(search, first, k) for name, search in searches.items()},
        "coverage": functools.partial(coverage, first, second, (k,)),
    }
    seconds = interleaved(runs, repeats)
    heading(f"radii: {n} x {n} x {width}, k = {k}")
    rows = [
        (
            name,
            Spread.of(seconds[name]),
            ratios(seconds["product"], seconds[name]),
            ratios(seconds[name], seconds["nlgauge"]),
            f"{gaps[name]:.1e}",
        )
        for name in searches
    ]
    table(("", "seconds", "share of the product's speed", "times ours", "largest difference"), rows)
    three = [3 * second for second in seconds["product"]]
    print(f"  coverage: {Spread.of(seconds['coverage'])} s; three products take {Spread.of(three)} s,", end=" ")
    print(f"share of their speed {ratios(three, seconds['coverage'])}")
    for name in peers:
        print(f"  {name}'s two searches: {ratios([2 * s for s in seconds[name]], seconds['coverage'])} times that")
    print(f"  product: {Spread.of([2e-9 * n * n * width / s for s in seconds['product']])} thousand million a second")
    return {"n": n, "width": width, "k": k, "largest_difference": gaps, **seconds}


def growth(found: list[dict[str, Any]], names: list[str]) -> None:
    heading("growth: times longer from one n to the next")
    rows = []
    for small, large in pairwise(found):
        rows.append((f"{small['n']} to {large['n']}", *(ratios(large[name], small[name]) for name in names)))
    table(("n", *names), rows)


def memory_child(n: int, width: int, k: int) -> None:
    """Make the sets and compute coverage in this process, and print its peak memory before and after."""
    first, second = sets(n, width)
    before = measuring.peak_rss()
    coverage(first, second, (k,))
    print(json.dumps({"made": before, "peak": measuring.peak_rss()}))


def main() -> None:
    parser = measuring.parser(__doc__ or "")
    parser.add_argument("--sizes", type=measuring.numbers, help="default 2500,5000,10000")
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--child", type=int, help="for the script itself")
    options = parser.parse_args()
    if options.child:
        memory_child(options.child, options.width, options.k)
        return
    sizes = options.sizes or ([500, 1000] if options.quick else [2500, 5000, 10000])
    facts = measuring.machine()
    facts["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "not set")
    measuring.print_machine(facts)
    peers = [name for name, (module, _) in PEERS.items() if find_spec(module)]
    for name in PEERS.keys() - set(peers):
        print(f"  {name} is not installed and left out")
    repeats = options.repeats or (3 if options.quick else 7)
    found = [measure(n, options.width, options.k, repeats, peers) for n in sizes]
    growth(found, ["product", "nlgauge", *peers, "coverage"])
    arguments = [str(Path(__file__)), "--child", str(sizes[-1]), "--width", str(options.width), "--k", str(options.k)]
    peak = json.loads(measuring.child(arguments)[0])
    heading(f"memory: coverage of {sizes[-1]} x {sizes[-1]}")
    print(f"  {peak['peak'] / 2**20:.0f} MiB at most, of which {peak['made'] / 2**20:.0f} before it began")
    measuring.save(options.output, {"machine": facts, "radii": found, "memory": peak})


if __name__ == "__main__":
    main()

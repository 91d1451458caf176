"""onnxruntime compared with OpenVINO on the embedded model's masked graph, to check the choice of the runtime.

    python benchmarks/runtimes.py [--model FOLDER] [--quick] [--output FILE]

Needs openvino (pip install openvino). Without it, the script says so and ends.

load   Seconds of the import, and of making a session from the graph, each time in a new process. The two take turns.
run    Seconds of one masked pass for a few shapes (rows, sub-words) with one mask a row. The two take turns, in float32
       and with the same number of threads. "1.1 - 1.2 - 1.4" is the least, the median and the largest of the ratios of
       the rounds; above 1 OpenVINO is faster. The largest difference of logits shows that they compute the same.
size   Bytes of the installed packages, and of those that they need beyond numpy.

The first lines printed are the facts about the machine. Shapes vary in use, so both get a graph with free dimensions.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Spread, heading, interleaved, ratios, table
from numpy.typing import NDArray

from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.onnx import OnnxGraph, open_onnx, threads

RUNTIMES = ("onnxruntime", "openvino")
GRAPH = "masked.onnx"
Feed = dict[str, NDArray[np.int64]]
Runner = Callable[[Feed], NDArray[np.float32]]


def onnxruntime_runner(folder: Path) -> Runner:
    """Return a session as nlgauge makes it."""
    graph = OnnxGraph(folder / GRAPH)
    graph.load()
    return lambda feed: graph.run(["logits"], **feed)[0]


def openvino_runner(folder: Path) -> Runner:
    """Return the same graph in OpenVINO, forced to float32.

    On a processor with bfloat16, OpenVINO would take bfloat16 by itself.
    """
    import openvino

    settings = {
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads(),
        "PERFORMANCE_HINT": "LATENCY",
    }
    compiled = openvino.Core().compile_model(str(folder / GRAPH), "CPU", settings)
    request = compiled.create_infer_request()
    return lambda feed: request.infer(feed)[compiled.output(0)]


MAKERS: Mapping[str, Callable[[Path], Runner]] = {"onnxruntime": onnxruntime_runner, "openvino": openvino_runner}


def load(folder: Path, repeats: int) -> dict[str, Any]:
    """Return the seconds of import and load in new processes, which take turns."""
    heading("load: new processes in turn, seconds")
    found: dict[str, list[dict[str, float]]] = {runtime: [] for runtime in RUNTIMES}
    for counted in range(repeats + 1):
        for runtime in RUNTIMES:
            line, wall = measuring.child([str(Path(__file__)), "--child", runtime, "--model", str(folder)])
            if counted:
                found[runtime].append({**json.loads(line), "process": wall})
    rows = []
    for part in ("import", "load", "process"):
        taken = {runtime: [run[part] for run in found[runtime]] for runtime in RUNTIMES}
        spreads = [Spread.of(taken[runtime]) for runtime in RUNTIMES]
        rows.append((part, *spreads, ratios(taken["openvino"], taken["onnxruntime"])))
    table(("", *RUNTIMES, "openvino / onnxruntime"), rows)
    return found


def load_child(runtime: str, folder: Path) -> None:
    """Import and load one of the runtimes in this process, and print the seconds of both."""
    began = time.perf_counter()
    __import__(runtime)
    imported = time.perf_counter()
    MAKERS[runtime](folder)
    print(json.dumps({"import": imported - began, "load": time.perf_counter() - imported}))


def run(folder: Path, shapes: list[tuple[int, int]], repeats: int) -> list[dict[str, Any]]:
    """Return the seconds of one pass for every shape. The two take turns."""
    heading("run: one masked pass, float32, seconds")
    runners = {runtime: MAKERS[runtime](folder) for runtime in RUNTIMES}
    mask = open_onnx(folder, "pocket")[TOKENIZER].mask_id
    found = []
    for rows, length in shapes:
        feed = make_feed(rows, length, mask or 0)
        logits = {runtime: runner(feed) for runtime, runner in runners.items()}
        gap = float(np.abs(logits["onnxruntime"] - logits["openvino"]).max())
        runs: dict[str, Callable[[], object]] = {name: functools.partial(made, feed) for name, made in runners.items()}
        seconds = interleaved(runs, repeats)
        ratio = ratios(seconds["onnxruntime"], seconds["openvino"])
        largest = float(np.abs(logits["onnxruntime"]).max())
        shape = {"rows": rows, "length": length, "ratio": ratio, "largest_difference": gap, "largest_logit": largest}
        found.append({**shape, **seconds})
    head = ("rows x sub-words", *RUNTIMES, "onnxruntime / openvino", "largest difference", "of logits to")
    shown = []
    for shape in found:
        spreads = [Spread.of(shape[runtime]) for runtime in RUNTIMES]
        gap, largest = f"{shape['largest_difference']:.1e}", f"{shape['largest_logit']:.1f}"
        shown.append((f"{shape['rows']} x {shape['length']}", *spreads, shape["ratio"], gap, largest))
    table(head, shown)
    return found


def make_feed(rows: int, length: int, mask: int) -> Feed:
    """Return the inputs for rows of random sub-words, with the middle one masked."""
    ids = np.random.default_rng(rows).integers(1000, 20000, (rows, length))
    at = np.arange(rows) * length + length // 2
    ids.reshape(-1)[at] = mask
    return {"ids": ids, "attend": np.ones_like(ids), "at": at}


def size() -> dict[str, Any]:
    """Return the installed bytes of both, and of the packages that each needs beyond the other parts of the engine."""
    heading("size: installed, compiled caches left out")
    found = {}
    for runtime in RUNTIMES:
        extra = sorted(measuring.requirements(runtime) - {runtime, "numpy"})
        sizes = {name: measuring.installed_bytes(name) for name in (runtime, *extra)}
        found[runtime] = {"bytes": sizes, "extra": extra, "total": sum(sizes.values())}
    rows = [
        (name, f"{f['bytes'][name] / 1e6:.0f}", f"{f['total'] / 1e6:.0f}", ", ".join(f["extra"]) or "none")
        for name, f in found.items()
    ]
    table(("package", "MB", "MB with what it pulls in", "pulled in beyond numpy"), rows)
    return found


def main() -> int:
    made = measuring.parser(__doc__ or "")
    made.add_argument("--model", type=Path, default=loading.pocket_folder(), help="a folder with masked.onnx")
    made.add_argument("--child", choices=RUNTIMES, help=argparse.SUPPRESS)
    options = made.parse_args()
    if find_spec("openvino") is None:
        print("openvino is not installed, so there is nothing to compare with: pip install openvino")
        return 0
    if options.child:
        load_child(options.child, options.model)
        return 0
    repeats = options.repeats or (2 if options.quick else 9)
    shapes = [(10, 27), (4, 70), (1, 512)] if options.quick else [(150, 27), (60, 70), (8, 512)]
    facts = measuring.machine()
    measuring.print_machine(facts)
    found = {"load": load(options.model, repeats), "run": run(options.model, shapes, repeats), "size": size()}
    measuring.save(options.output, {"machine": facts, "quick": options.quick, **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Products of weights in 8 bits compared with float32, both on onnxruntime: speed, scores, agreement, start.

    python benchmarks/int8.py [--only speed,people,start,profile] [--rows FILE ...] [--items 40] [--precision bfloat16]
        [--output FILE]

speed   Made texts, all distinct. Models are loaded before the clock starts, and the precisions take turns. Given are
        seconds of the clock and of the processor; if other work is running, trust the second. "1.5 - 1.7 - 1.9" is the
        least, the median and the largest of the rounds.
people  Rated rows of --rows. Given are the largest and the mean change of a score, compared with the standard deviation
        of the scores; the rank correlation of the two precisions; and the Pearson correlation of each with the ratings,
        over systems' means and over all rows. --precision compares another precision than int8, with its usual backend.
start   Making a session from a graph in a new process: processor seconds, memory afterwards, and the largest memory.
profile The operators that take the time of vectors and of masked words, in per cent, for 16 rows of 64 sub-words.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Pair, Spread, TextMaker, heading, ratios, table

from nlgauge import Corpus, ScoreTable, correlate, evaluate
from nlgauge.contract.base import Metric
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.onnx import graph_path
from nlgauge.options import RunOptions
from nlgauge.registry import metric
from nlgauge.run import runner
from nlgauge.run.plan import Plan
from nlgauge.run.sinks import RowCollector

PRECISIONS = ("float32", "int8")
METRICS = ("InfoLM", "BERTScore", "Consistency", "Consistency(aligner='D')", "MaskEval(stride=8)")
GRAPHS = ("masked", "encoder", "pairs", "pairs_other", "aligner")


def score(model: Model, corpus: Corpus, chosen: Metric) -> None:
    """Score all rows with a new engine, so that nothing is left from an earlier round."""
    plan = Plan(corpus, {str(chosen): chosen}, Engine(model))
    runner.score([plan], range(len(corpus)), RunOptions(), RowCollector())


def speed(specs: Sequence[str], repeats: int, pairs: int) -> dict[str, Any]:
    """Return the seconds of each metric in both precisions, which take turns."""
    models = {precision: loading.load("pocket", precision) for precision in PRECISIONS}
    texts = {"short": TextMaker(1).short(pairs), "summary": TextMaker(2).summaries(-(-pairs // 3))}
    figures: dict[str, Any] = {}
    for length, made in texts.items():
        heading(f"speed: {len(made)} pairs of {length} texts, times as fast in int8")
        rows = []
        for spec in specs:
            runs = {
                name: functools.partial(score, model, _corpus(made), metric(spec)) for name, model in models.items()
            }
            clock, processor = _in_turn(runs, repeats)
            faster = [ratios(taken["float32"], taken["int8"]) for taken in (clock, processor)]
            figures[f"{spec} {length}"] = {"clock": clock, "processor": processor}
            rows.append((spec, Spread.of(processor["float32"]), Spread.of(processor["int8"]), *faster))
        table(("metric", "float32, processor s", "int8, processor s", "x by the clock", "x by the processor"), rows)
    return figures


def _corpus(pairs: Sequence[Pair]) -> Corpus:
    """Return pairs as rows. The second text of a pair is both reference and source."""
    others = [other for _, other in pairs]
    return Corpus.from_texts([text for text, _ in pairs], [[other] for other in others], others)


def _in_turn(runs: Mapping[str, Callable[[], object]], repeats: int) -> tuple[dict[str, list[float]], ...]:
    """Return the seconds of the clock and of the processor, after a round that is not counted."""
    clock: dict[str, list[float]] = {name: [] for name in runs}
    processor: dict[str, list[float]] = {name: [] for name in runs}
    for counted in range(repeats + 1):
        for name, run in runs.items():
            began, used = time.perf_counter(), time.process_time()
            run()
            if counted:
                clock[name].append(time.perf_counter() - began)
                processor[name].append(time.process_time() - used)
    return clock, processor


def people(path: Path, items: int | None, specs: Sequence[str], other: str) -> dict[str, Any]:
    """Return how much scores change, and how well each precision agrees with the ratings of a file's rows."""
    precisions = ("float32", other)
    everything = Corpus.read(path)
    kept = set(list(dict.fromkeys(row.item for row in everything))[:items])
    corpus = Corpus(tuple(row for row in everything if row.item in kept))
    metrics = [metric(spec) for spec in specs]
    tables = {name: evaluate(corpus, metrics=metrics, precision=name, cache=False) for name in precisions}
    heading(f"{path.name}: {len(corpus)} rows of {len(kept)} items, in float32 and in {other}")
    figures: dict[str, Any] = {}
    rows = []
    for spec in map(str, metrics):
        full, small = (tables[name].values(spec) for name in precisions)
        known = ~(np.isnan(full) | np.isnan(small))
        moved = np.abs(small - full)[known]
        ranks = measuring.spearman(full[known].tolist(), small[known].tolist())
        figures[spec] = {"largest": moved.max(), "mean": moved.mean(), "spread": full[known].std(), "spearman": ranks}
        rows.append((spec, *(f"{figure:.4f}" for figure in figures[spec].values())))
    table(("metric", "largest change", "mean change", "spread of scores", "Spearman"), rows)
    for level in ("system", "pooled"):
        agreement = {name: _agreement(tables[name], corpus, level) for name in precisions}
        figures[level] = agreement
        aspects = list(next(iter(agreement["float32"].values())))
        cells = [
            (spec, *(" ".join(f"{agreement[name][spec][aspect]:.3f}" for name in precisions) for aspect in aspects))
            for spec in map(str, metrics)
        ]
        table((f"{level}, Pearson", *aspects), cells)
    return figures


def _agreement(scored: ScoreTable, corpus: Corpus, level: str) -> dict[str, dict[str, float]]:
    """Return the agreement of each metric's first part with each aspect. Positive means agreement."""
    figures: dict[str, dict[str, float]] = {}
    for one in correlate(scored, corpus, level=level, replicates=0).records:
        if one.part == scored.columns[one.metric].parts[0]:
            figures.setdefault(one.metric, {})[one.aspect] = one.value
    return figures


def start() -> dict[str, Any]:
    """Return the cost of making a session of each graph: seconds and memory."""
    heading("start: new processes; MiB beyond what the process held before")
    figures = {
        f"{part} {precision}": json.loads(measuring.child([str(Path(__file__)), "--session", part, precision])[0])
        for part in GRAPHS
        for precision in PRECISIONS
    }
    table(("graph", "processor s", "held", "at most"), [(name, *facts.values()) for name, facts in figures.items()])
    return figures


def session(part: str, precision: str) -> None:
    """Make a session in this process, and print its cost."""
    import onnxruntime

    before, used = _held(), time.process_time()
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern, options.log_severity_level = False, 3
    path = graph_path(loading.pocket_folder(), part, precision)
    made = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    seconds, held = round(time.process_time() - used, 2), _held()
    del made
    mib = [(size - before) >> 20 for size in (held, measuring.peak_rss())]
    print(json.dumps({"seconds": seconds, "held": mib[0], "peak": mib[1]}))


def _held() -> int:
    """Return the memory of this process now, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def profile() -> dict[str, Any]:
    """Return the share of each operator in the time, by graph and precision."""
    import onnxruntime

    heading("profile: hundredths of the time, operators that take at least two")
    ids = np.random.default_rng(0).integers(1000, 20000, (16, 64))
    feed = {"ids": ids, "attend": np.ones_like(ids), "at": np.arange(16) * 64 + 32}
    figures: dict[str, Any] = {}
    for name in ("pocket", *(["base"] if loading.companion_folder("base") else [])):
        for part, outputs in (("encoder", "hidden"), ("masked", "logits")):
            for precision in PRECISIONS:
                options = onnxruntime.SessionOptions()
                options.enable_profiling, options.intra_op_num_threads, options.log_severity_level = True, 1, 3
                path = graph_path(loading.folder_of(name), part, precision)
                made = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
                wanted = [one.name for one in made.get_outputs() if one.name.startswith(outputs)][-1:]
                inputs = {one.name: feed[one.name] for one in made.get_inputs()}
                for _ in range(6):
                    made.run(wanted, inputs)
                trace = Path(made.end_profiling())
                shares = _shares(json.loads(trace.read_text(encoding="utf-8")))
                trace.unlink()
                figures[f"{name} {part} {precision}"] = shares
                print(f"  {name} {part} {precision}: " + ", ".join(f"{op} {100 * x:.0f}" for op, x in shares.items()))
    return figures


def _shares(events: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the share of each operator in the time, the largest first."""
    taken: dict[str, float] = {}
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            name = event["args"]["op_name"]
            taken[name] = taken.get(name, 0.0) + event["dur"]
    total = sum(taken.values())
    return {name: time / total for name, time in sorted(taken.items(), key=lambda one: -one[1]) if time >= 0.02 * total}


def main() -> None:
    parser = measuring.parser(__doc__ or "")
    parser.add_argument("--only", default="speed,people,start,profile", help="sections to run, with commas between")
    parser.add_argument("--rows", type=Path, nargs="+", default=[], help="files of rated rows")
    parser.add_argument("--items", type=int, default=40, help="the first so many items of each file")
    parser.add_argument("--precision", default="int8", choices=["int8", "bfloat16"], help="for people, beside float32")
    parser.add_argument("--pairs", type=int, help="pairs of short texts for speed; a third as many summaries")
    parser.add_argument("-m", "--metric", dest="metrics", action="append", default=[])
    parser.add_argument("--session", nargs=2, help="for the script's own use")
    options = parser.parse_args()
    if options.session:
        session(*options.session)
        return
    facts = measuring.machine()
    facts["instructions for 8 bits"] = sorted(
        measuring.cpu_flags() & {"avx512_vnni", "avx_vnni", "amx_int8", "asimddp"}
    )
    measuring.print_machine(facts)
    specs, only = options.metrics or METRICS, options.only.split(",")
    figures: dict[str, Any] = {"machine": facts}
    if "speed" in only:
        pairs = options.pairs or (3 if options.quick else 24)
        figures["speed"] = speed(specs, options.repeats or (1 if options.quick else 5), pairs)
    if "people" in only:
        figures["people"] = {path.name: people(path, options.items, specs, options.precision) for path in options.rows}
    if "start" in only:
        figures["start"] = start()
    if "profile" in only:
        figures["profile"] = profile()
    measuring.save(options.output, figures)


if __name__ == "__main__":
    main()

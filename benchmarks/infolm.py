"""InfoLM: correctness of its values, speed, cost, and the loss of accuracy by `stride`.

    python benchmarks/infolm.py [--only values,speed,growth,memory,peak,stride] [--rows FILE] [--quick] [--output FILE]

Needs torch, transformers and torchmetrics besides nlgauge. Without them only growth, memory (of nlgauge), peak and
stride run.

values  The embedded model is exported and given to torchmetrics' `infolm`, so both sides have the same weights.
        torchmetrics is called with one pair at a time, because it mixes up the pairs of a larger call, and with
        max_length=512, because its default cuts texts or raises an error. Its KL and alpha have the opposite sign, and
        its Fisher-Rao is pi times ours. The exit code is 1 if a difference is above 1e-4 (relative to values above 1).
speed   Pairs per second of torchmetrics with the best of its batch sizes, and of nlgauge with onnxruntime and with
        torch in float32 and bfloat16. Models are loaded before the clock starts, idf is off, all texts are distinct,
        and engines take turns. A ratio is taken round by round: "5 - 6 - 7" is the least, the median and the largest.
growth  Seconds over the length of a text and over the number of rows. A slope of 1 is proportional, 2 is quadratic.
memory  Peak memory of a fresh process over the number of pairs; it should be flat. Texts are tiny so that the script
        ends. They are also the hard case, because a batch then has the most rows of logits.
peak    The share of the machine's float32 matrix peak that the model reaches, by multiply-adds counted on paper.
stride  Speed and agreement with the exact score when several positions are masked in one pass.

The first lines printed are facts about the machine that the figures depend on: processor and its flags (bfloat16 is
measured only if the processor multiplies it itself), threads, load when the script began, versions.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Pair, Spread, TextMaker, corpus_of, heading, interleaved, ratios, table

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Model
from nlgauge.engine.models.folder import write_hugging_face
from nlgauge.engine.models.loading import load, pocket_folder
from nlgauge.engine.models.onnx import threads
from nlgauge.metrics.infolm import InfoLM
from nlgauge.options import RunOptions
from nlgauge.run import runner
from nlgauge.run.plan import Plan
from nlgauge.run.sinks import RowCollector

SECTIONS = ("values", "speed", "growth", "memory", "peak", "stride")
TOLERANCE = 1e-4
MAX_LENGTH = 512
FISHER_RAO = InfoLM(idf="none", temperature=1.0)


def score(model: Model, pairs: Sequence[Pair], metric: InfoLM = FISHER_RAO) -> list[float]:
    """Return nlgauge's scores, computed by a new engine so that nothing is left from an earlier run."""
    corpus, sink = corpus_of(pairs), RowCollector()
    runner.score([Plan(corpus, {"InfoLM": metric}, Engine(model))], range(len(corpus)), RunOptions(), sink)
    return [sink.scored["InfoLM"][row].value.parts[0] for row in range(len(corpus))]


class Peer:
    """torchmetrics' `infolm` on the exported model, which is loaded only once."""

    def __init__(self, folder: Path) -> None:
        import torch
        import transformers
        from torchmetrics.functional.text import infolm

        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        torch.set_num_threads(threads())
        self._folder, self._function = str(folder), infolm
        self._home: Any = sys.modules["torchmetrics.functional.text.infolm"]
        self._home._load_tokenizer_and_model = functools.cache(self._home._load_tokenizer_and_model)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder)

    def __call__(
        self,
        pairs: Sequence[Pair],
        measure: str = "fisher_rao_distance",
        temperature: float = 1.0,
        alpha: float | None = None,
        beta: float | None = None,
        batch_size: int = 64,
    ) -> list[float]:
        _, values = self._function(
            [candidate for candidate, _ in pairs],
            [reference for _, reference in pairs],
            model_name_or_path=self._folder,
            temperature=temperature,
            information_measure=measure,
            idf=False,
            alpha=alpha,
            beta=beta,
            max_length=MAX_LENGTH,
            batch_size=batch_size,
            verbose=False,
            return_sentence_level_score=True,
        )
        return [float(value) for value in values]

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Return a context in which the distributions of equal texts are computed once.

        It is for comparing values, where all measures need the same distributions, and not for times.
        """
        compute = self._home._get_data_distribution
        known: dict[tuple[bytes, float], Any] = {}

        def remembered(model: Any, loader: Any, temperature: float, *rest: Any) -> Any:
            key = (loader.dataset.text["input_ids"].numpy().tobytes(), temperature)
            if key not in known:
                known[key] = compute(model, loader, temperature, *rest)
            return known[key]

        self._home._get_data_distribution = remembered
        try:
            yield
        finally:
            self._home._get_data_distribution = compute

    def counted_tokens(self, text: str) -> list[int]:
        """Return the ids of a text that torchmetrics averages over. It leaves out three special ids."""
        t = self.tokenizer
        return [i for i in t(text)["input_ids"] if i not in (t.pad_token_id, t.sep_token_id, t.cls_token_id)]


@contextmanager
def exported() -> Iterator[Path]:
    """Yield the embedded model as a Hugging Face folder, as `nlgauge export pocket FOLDER` writes it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "pocket"
        write_hugging_face(pocket_folder(), folder)
        yield folder


# values


@dataclass(frozen=True)
class Twin:
    """A measure by its names in torchmetrics and in nlgauge. torchmetrics' value times `factor` is ours."""

    theirs: str
    ours: str
    factor: float = 1.0
    alpha: float | None = None
    beta: float | None = None

    @property
    def label(self) -> str:
        given = [f"{value:g}" for value in (self.alpha, self.beta) if value is not None]
        return self.ours + (f"({', '.join(given)})" if given else "")


TWINS = (
    Twin("fisher_rao_distance", "fisher_rao", 1 / math.pi),
    Twin("l1_distance", "l1"),
    Twin("l2_distance", "l2"),
    Twin("l_infinity_distance", "linf"),
    Twin("kl_divergence", "kl", -1.0),
    Twin("alpha_divergence", "alpha", -1.0, alpha=0.5),
    Twin("renyi_divergence", "renyi", alpha=0.5),
    Twin("ab_divergence", "ab", alpha=0.5, beta=0.25),
    Twin("beta_divergence", "gamma", beta=0.5),
)


def values(options: argparse.Namespace, peer: Peer, texts: Mapping[str, list[Pair]]) -> dict[str, Any]:
    """Return the largest difference of each measure from torchmetrics, over a few pairs of every length."""
    heading(f"values: against torchmetrics, one pair at a time, same weights (limit {TOLERANCE:g})")
    counts = {"summary": options.value_pairs // 4}
    pairs = [pair for name, found in texts.items() for pair in found[: counts.get(name, options.value_pairs)]]
    model = load("pocket", backend="onnxruntime")
    tokens = _same_tokens(peer, model, pairs)
    print(f"  {len(pairs)} pairs; the same {tokens} tokens are averaged over on both sides\n")
    with peer.remembering():
        rows = [_compare(twin, temperature, peer, model, pairs) for temperature in (0.25, 1.0) for twin in TWINS]
    shown = [
        (
            r["measure"],
            f"{r['temperature']:g}",
            f"{r['least']:.4g} .. {r['largest']:.4g}",
            f"{r['difference']:.1e}",
            f"{r['scaled']:.1e}",
            r["not_finite_there"],
            "ok" if r["ok"] else "TOO LARGE",
        )
        for r in rows
    ]
    table(("measure", "T", "our values", "difference", "scaled", "undefined there", ""), shown)
    return {"pairs": len(pairs), "tokens": tokens, "rows": rows, "ok": all(r["ok"] for r in rows)}


def _same_tokens(peer: Peer, model: Model, pairs: Sequence[Pair]) -> int:
    """Check that both sides leave out the same special tokens, and return how many tokens remain."""
    texts = [text for pair in pairs for text in pair]
    found = model[TOKENIZER].encode(texts)
    for text, ours in zip(texts, found, strict=True):
        if peer.counted_tokens(text) != ours.ids.tolist():
            raise SystemExit(f"the two sides count different tokens of {text!r}")
    return sum(map(len, found))


def _compare(twin: Twin, temperature: float, peer: Peer, model: Model, pairs: Sequence[Pair]) -> dict[str, Any]:
    metric = InfoLM(
        measure=twin.ours,
        alpha=twin.alpha,
        beta=twin.beta,
        temperature=temperature,
        idf="none",
        references="best",
        direction="forward",
    )
    ours = np.array(score(model, pairs, metric))
    said = np.array([peer([pair], twin.theirs, temperature, twin.alpha, twin.beta)[0] for pair in pairs])
    # In float32 a probability may come out as 0; torchmetrics then says 0 or the largest float.
    usable = (said != 0) & (np.abs(said) < 1e30)
    gaps = np.abs(ours - said * twin.factor)[usable]
    scaled = gaps / np.maximum(1, np.abs(ours[usable]))
    worst = float(scaled.max(initial=0))
    return {
        "measure": twin.label,
        "temperature": temperature,
        "least": float(ours.min()),
        "largest": float(ours.max()),
        "difference": float(gaps.max(initial=0)),
        "scaled": worst,
        "not_finite_there": int((~usable).sum()),
        "ok": bool(worst <= TOLERANCE and usable.any()),
    }


# speed


def speed(options: argparse.Namespace, peer: Peer, texts: Mapping[str, list[Pair]]) -> dict[str, Any]:
    """Return pairs per second of every engine, and the ratio to torchmetrics."""
    heading("speed: all engines in turn, Fisher-Rao at T=1 without idf")
    models = {
        "nlgauge onnxruntime float32": load("pocket", backend="onnxruntime"),
        "nlgauge torch float32": load("pocket", backend="torch"),
    }
    if measuring.has_bfloat16() or options.force_bfloat16:
        models["nlgauge torch bfloat16"] = load("pocket", "bfloat16", backend="torch")
    else:
        print("  bfloat16 left out: this processor has neither amx_bf16 nor avx512_bf16 (--force-bfloat16)")
    return {name: _speed(options, peer, models, name, pairs) for name, pairs in texts.items()}


def _speed(
    options: argparse.Namespace, peer: Peer, models: Mapping[str, Model], name: str, pairs: list[Pair]
) -> dict[str, Any]:
    pairs = pairs[: options.summary_pairs if name == "summary" else options.pairs]
    batch, tried = _best_batch(peer, pairs, options.batch_sizes)
    lengths = [
        len(tokens) for tokens in models["nlgauge onnxruntime float32"][TOKENIZER].encode([t for p in pairs for t in p])
    ]
    middle = Spread.of([float(length) for length in lengths])
    print(f"\n  {name}: {len(pairs)} pairs, sub-words a text {middle}, torchmetrics' best batch size {batch}")
    runs: dict[str, Callable[[], object]] = {"torchmetrics": lambda: peer(pairs, batch_size=batch)}
    scores = {engine: score(model, pairs) for engine, model in models.items()}
    runs.update({engine: functools.partial(score, model, pairs) for engine, model in models.items()})
    seconds = interleaved(runs, options.repeats, warm=False)
    ours = scores["nlgauge onnxruntime float32"]
    figures = {
        engine: {
            "seconds": taken,
            "pairs_per_second": Spread.of([len(pairs) / second for second in taken]),
            "times_torchmetrics": ratios(seconds["torchmetrics"], taken),
            "times_onnxruntime": ratios(seconds["nlgauge onnxruntime float32"], taken),
            **_agreement(scores.get(engine), ours),
        }
        for engine, taken in seconds.items()
    }
    head = ("engine", "seconds", "pairs/s", "x torchmetrics", "x onnxruntime", "difference", "Spearman")
    table(head, [_speed_row(engine, figure) for engine, figure in figures.items()])
    mixed = np.abs(np.array(peer(pairs, batch_size=batch)) / math.pi - ours) <= TOLERANCE
    print(f"  of torchmetrics' scores in one call, {mixed.sum()} of {len(pairs)} belong to their own pair")
    return {
        "pairs": len(pairs),
        "lengths": middle,
        "batch": batch,
        "batches": tried,
        "engines": figures,
        "paired": mixed.sum(),
    }


def _speed_row(engine: str, figure: Mapping[str, Any]) -> tuple[str, ...]:
    spreads = (
        Spread.of(figure["seconds"]),
        figure["pairs_per_second"],
        figure["times_torchmetrics"],
        figure["times_onnxruntime"],
    )
    agreement = (
        ("", "")
        if "largest_difference" not in figure
        else (
            f"{figure['largest_difference']:.1e}",
            f"{figure['spearman']:.4f}",
        )
    )
    return (engine, *map(str, spreads), *agreement)


def _agreement(found: list[float] | None, exact: list[float]) -> dict[str, float]:
    if found is None:
        return {}
    gap = float(np.abs(np.subtract(found, exact)).max())
    return {"largest_difference": gap, "spearman": measuring.spearman(found, exact)}


def _best_batch(peer: Peer, pairs: Sequence[Pair], sizes: Sequence[int]) -> tuple[int, dict[int, list[float]]]:
    """Return the batch size at which torchmetrics is fastest on these pairs, and the seconds of each size."""
    peer(pairs[:1])
    useful = sorted({min(size, len(pairs)) for size in sizes})
    runs: dict[str, Callable[[], object]] = {
        str(size): functools.partial(peer, pairs, batch_size=size) for size in useful
    }
    taken = interleaved(runs, 1, warm=False)
    return min(useful, key=lambda size: taken[str(size)][0]), {size: taken[str(size)] for size in useful}


# growth


def growth(options: argparse.Namespace) -> dict[str, Any]:
    """Return seconds by length of texts and by number of rows."""
    heading("growth: onnxruntime float32")
    model, maker = load("pocket", backend="onnxruntime"), TextMaker(3)
    by_length: dict[int, list[Pair]] = {}
    for words in options.lengths:
        pair = (maker.words(words), maker.words(words))
        tokens = sum(len(tokens) for tokens in model[TOKENIZER].encode(pair)) // 2
        by_length[tokens] = [pair]
    rows = maker.short(max(options.growth_rows))
    by_rows = {number: rows[:number] for number in options.growth_rows}
    return {
        "length": _curve("sub-words a text (1 pair)", model, by_length, options.repeats),
        "rows": _curve("pairs of short texts", model, by_rows, options.repeats),
    }


def _curve(label: str, model: Model, sets: Mapping[int, list[Pair]], repeats: int) -> dict[str, Any]:
    runs: dict[str, Callable[[], object]] = {
        str(size): functools.partial(score, model, pairs) for size, pairs in sets.items()
    }
    seconds = {int(size): taken for size, taken in interleaved(runs, repeats).items()}
    medians = {size: Spread.of(taken).median for size, taken in seconds.items()}
    sizes = list(sets)
    rows = []
    for before, size in zip([None, *sizes], sizes, strict=False):
        slope = math.log(medians[size] / medians[before]) / math.log(size / before) if before else None
        first = ratios(seconds[size], seconds[sizes[0]])
        rows.append((size, Spread.of(seconds[size]), first, f"{slope:.2f}" if slope is not None else ""))
    table((label, "seconds", "x the first", "slope"), rows)
    return {"seconds": seconds, "median": medians}


# memory


def memory(options: argparse.Namespace, peer_folder: Path | None) -> dict[str, Any]:
    """Return the peak memory of a new process for each number of pairs."""
    heading("memory: peak of a process of its own, tiny distinct texts")
    found: dict[str, dict[int, int]] = {"nlgauge": {}}
    for pairs in options.memory_pairs:
        found["nlgauge"][pairs] = _peak(["nlgauge", str(pairs)])
    if peer_folder is not None:
        found["torchmetrics"] = {
            n: _peak(["torchmetrics", str(n), str(peer_folder)]) for n in options.memory_peer_pairs
        }
    rows = []
    for engine, peaks in found.items():
        least = min(peaks)
        for pairs, peak in peaks.items():
            more = (peak - peaks[least]) / (pairs - least) / 1024 if pairs > least else 0
            rows.append((engine, pairs, f"{peak / 2**20:.0f}", f"{peak / peaks[least]:.2f}", f"{more:.1f}"))
    table(("engine", "pairs", "peak MiB", "x the first", "KiB more a pair"), rows)
    return found


def _peak(arguments: list[str]) -> int:
    line, _ = measuring.child([str(Path(__file__)), "--child-memory", *arguments])
    return int(json.loads(line)["peak"])


def memory_child(engine: str, number: str, folder: str = "") -> None:
    """Score pairs in this process, whose memory is measured, and print the peak."""
    pairs = TextMaker(5).tiny(int(number))
    if engine == "nlgauge":
        import nlgauge

        nlgauge.evaluate(corpus_of(pairs), metrics=InfoLM(idf="none", temperature=1.0, stride=8))
    else:
        Peer(Path(folder))(pairs)
    print(json.dumps({"peak": measuring.peak_rss()}))


# peak


def multiply_adds(rows: int, length: int, masks: int, model: Mapping[str, int]) -> int:
    """Return the multiply-adds of one masked pass.

    It reads `masks` positions in each of `rows` texts of `length` sub-words. With width d, inner width f, vocabulary v
    and n layers, per row:

        a full layer            length (4 d^2 + 2 d f) + 2 length^2 d      four projections, two of the FFN; q k and a v
        the last layer          length 2 d^2 (keys and values) + masks (2 d^2 + 2 d f) + 2 masks length d
        the head                masks (d^2 + d v)

    Softmaxes, norms, activations and additions are not counted.
    """
    d, f, v, n = model["hidden_size"], model["intermediate_size"], model["vocab_size"], model["num_hidden_layers"]
    full = length * (4 * d * d + 2 * d * f) + 2 * length * length * d
    last = length * 2 * d * d + masks * (2 * d * d + 2 * d * f) + 2 * masks * length * d
    return rows * ((n - 1) * full + last + masks * (d * d + d * v))


def peak(options: argparse.Namespace) -> dict[str, Any]:
    """Return which share of the machine's rate for float32 matrix products the model reaches."""
    heading("peak: share of the float32 matrix peak (2 operations a multiply-add)")
    config = json.loads((pocket_folder() / "config.json").read_text(encoding="utf-8"))
    d, f, v = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    side = 512 if options.quick else 2048
    products = {
        "square": (side, side, side),
        "projection": (4050, d, d),
        "inner": (4050, d, f),
        "outer": (4050, f, d),
        "head": (150, d, v),
    }
    runs: dict[str, Callable[[], object]] = {name: _product(*shape) for name, shape in products.items()}
    model = load("pocket", backend="onnxruntime")
    for rows, length in options.shapes:
        runs[f"model {rows} x {length}"] = _pass(model, rows, length)
    seconds = interleaved(runs, max(options.repeats, 3) * (1 if options.quick else 3))
    work = {name: 2 * math.prod(shape) for name, shape in products.items()}
    work.update(
        {f"model {rows} x {length}": 2 * multiply_adds(rows, length, 1, config) for rows, length in options.shapes}
    )
    rates = {name: Spread.of([work[name] / second / 1e9 for second in taken]) for name, taken in seconds.items()}
    best = max(rates[name].high for name in products)
    rows_ = [
        (name, f"{work[name] / 1e9:.1f}", rate, Spread(*(100 * value / best for value in rate)))
        for name, rate in rates.items()
    ]
    table(("product or pass", "GFLOP", "GFLOP/s", "% of the best product"), rows_)
    return {"work": work, "rates": rates, "best": best}


def _product(m: int, k: int, n: int) -> Callable[[], object]:
    random = np.random.default_rng(0)
    a, b = random.standard_normal((m, k), dtype=np.float32), random.standard_normal((k, n), dtype=np.float32)
    out = np.empty((m, n), np.float32)
    return lambda: np.matmul(a, b, out=out)


def _pass(model: Model, rows: int, length: int) -> Callable[[], object]:
    ids = np.random.default_rng(0).integers(1000, 20000, (rows, length))
    at = np.arange(rows) * length + length // 2
    ids.reshape(-1)[at] = model[TOKENIZER].mask_id
    head = model[MASKED_LM]
    return lambda: head.masked_logits(ids, np.ones_like(ids), at)


# stride


def stride(options: argparse.Namespace, texts: Mapping[str, list[Pair]]) -> dict[str, Any]:
    """Return how much faster several masks in a pass are, and how near the scores are to the exact ones."""
    heading("stride: against the exact score (stride 1), Fisher-Rao at T=1 without idf, onnxruntime float32")
    model = load("pocket", backend="onnxruntime")
    found: dict[str, Any] = {}
    for name, pairs in texts.items():
        pairs = pairs[: options.stride_pairs]
        metrics = {n: InfoLM(idf="none", temperature=1.0, stride=n) for n in (1, *options.strides)}
        scores = {n: score(model, pairs, metric) for n, metric in metrics.items()}
        runs: dict[str, Callable[[], object]] = {
            str(n): functools.partial(score, model, pairs, metric) for n, metric in metrics.items()
        }
        seconds = interleaved(runs, options.stride_repeats, warm=False)
        print(f"\n  {name}: {len(pairs)} pairs")
        found[name] = {
            n: {
                "faster": ratios(seconds["1"], seconds[str(n)]),
                "spearman": measuring.spearman(scores[n], scores[1]),
                "pearson": measuring.pearson(scores[n], scores[1]),
                "largest_difference": float(np.abs(np.subtract(scores[n], scores[1])).max()),
            }
            for n in options.strides
        }
        head = ("stride", "x exact", "Spearman", "Pearson", "largest difference")
        table(
            head,
            [
                (n, r["faster"], *(f"{r[k]:.4f}" for k in ("spearman", "pearson", "largest_difference")))
                for n, r in found[name].items()
            ],
        )
    return found


# the script


def _options() -> argparse.Namespace:
    made = measuring.parser(__doc__ or "")
    made.add_argument("--only", default=",".join(SECTIONS), help="sections to run, with commas between")
    made.add_argument("--rows", type=Path, help="take pairs from this file instead of making them")
    made.add_argument("--pairs", type=int, help="pairs of short texts (or of --rows) for speed")
    made.add_argument("--summary-pairs", type=int, help="pairs of summary-length texts for speed")
    made.add_argument(
        "--value-pairs", type=int, help="pairs of short texts whose values are compared; a quarter as many summaries"
    )
    made.add_argument(
        "--batch-sizes", type=measuring.numbers, default=[4, 16, 64], help="that torchmetrics may choose from"
    )
    made.add_argument("--force-bfloat16", action="store_true", help="measure bfloat16 even where it is emulated")
    made.add_argument("--lengths", type=measuring.numbers, help="words of the texts for growth")
    made.add_argument("--growth-rows", type=measuring.numbers, help="numbers of pairs for growth")
    made.add_argument("--memory-pairs", type=measuring.numbers, help="numbers of pairs for memory")
    made.add_argument("--memory-peer-pairs", type=measuring.numbers, help="the same for torchmetrics, which is slow")
    made.add_argument("--strides", type=measuring.numbers, default=[2, 4, 8, 16])
    made.add_argument("--stride-pairs", type=int, help="pairs of each length for stride")
    made.add_argument("--stride-repeats", type=int)
    made.add_argument("--child-memory", nargs="+", help=argparse.SUPPRESS)
    options = made.parse_args()
    small: dict[str, tuple[Any, Any]] = {
        "repeats": (2, 5),
        "pairs": (3, 30),
        "summary_pairs": (1, 8),
        "value_pairs": (2, 8),
        "lengths": ([12, 24], [15, 30, 60, 120, 240, 380, 760]),
        "growth_rows": ([2, 4], [25, 50, 100, 200]),
        "memory_pairs": ([10, 60], [100, 1000, 3000, 10000]),
        "memory_peer_pairs": ([4, 8], [30, 100, 300]),
        "stride_pairs": (4, 40),
        "stride_repeats": (1, 3),
    }
    for name, (quick, full) in small.items():
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else full)
    options.shapes = [(20, 27), (4, 70)] if options.quick else [(150, 27), (60, 70), (8, 512)]
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(SECTIONS):
        made.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return options


def _texts(options: argparse.Namespace) -> dict[str, list[Pair]]:
    if options.rows:
        return {"rows": measuring.read_pairs(options.rows)}
    most = max(options.pairs, options.summary_pairs, options.value_pairs, options.stride_pairs)
    return {"short": TextMaker(1).short(most), "summary": TextMaker(2).summaries(most)}


def _run(options: argparse.Namespace, folder: Path, peer: Peer | None) -> dict[str, Any]:
    texts = _texts(options)
    sections: dict[str, Callable[[], dict[str, Any]]] = {
        "growth": lambda: growth(options),
        "memory": lambda: memory(options, folder if peer else None),
        "peak": lambda: peak(options),
        "stride": lambda: stride(options, texts),
    }
    if peer is not None:
        made = peer
        sections = {
            "values": lambda: values(options, made, texts),
            "speed": lambda: speed(options, made, texts),
            **sections,
        }
    return {name: section() for name, section in sections.items() if name in options.only}


def main() -> int:
    options = _options()
    if options.child_memory:
        memory_child(*options.child_memory)
        return 0
    facts = measuring.machine()
    measuring.print_machine(facts)
    with exported() as folder:
        missing = [name for name in ("torch", "transformers", "torchmetrics") if not measuring.installed_version(name)]
        if missing:
            print(f"\nvalues and speed left out: no {', '.join(missing)} (pip install torchmetrics 'nlgauge[torch]')")
        found = _run(options, folder, None if missing else Peer(folder))
    measuring.save(options.output, {"machine": facts, "quick": options.quick, **found})
    return 0 if found.get("values", {"ok": True})["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())

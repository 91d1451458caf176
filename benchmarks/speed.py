"""nlgauge compared with peers: measures the tables of docs/speed.md, and writes them.

    python benchmarks/speed.py [--only strings,models,formulas,start,runtimes] [--write] [--quick] [--output FILE]

Each pair of programs is measured in one run, in turns, with one thread. Seconds are of the processor, because other
work on the machine affects these less than seconds of the clock. The figure is the peer's time divided by ours: above
1, nlgauge is faster. "1.2 - 1.3 - 1.5" is the least, the median and the largest of the rounds. The peers are those that
are installed: pip install torchmetrics bert-score POT jiwer openvino 'nlgauge[strings,torch,parity]'. If a peer is
faster by more than 1.2, a reason has to be given (REASONS).

--write puts the tables between the two marks in docs/speed.md. Sections that were not run stay as they are.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import measuring
import numpy as np
from measured_sources import PAGE, begin, end, marked, source_line
from measuring import Pair, Spread, TextMaker, heading, ratios
from strings import by_nltk, by_rouge_score, by_sacrebleu

from nlgauge import Corpus, evaluate
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER
from nlgauge.engine.models.folder import write_hugging_face
from nlgauge.maths import transport
from nlgauge.maths.transport import plans
from nlgauge.metrics.frechet_distance import frechet

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NLGAUGE_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
PEERS = ("sacrebleu", "rouge-score", "rouge-score-rs", "nltk", "jiwer", "pot", "torchmetrics", "bert-score", "openvino")
REASONS = {
    "ROUGE, rouge-score-rs": "The library needs some microseconds for a pair. Ours adds the row's checks, its reasons, "
    "three parts and the table.",
    "TER, jiwer's WER": "Another question: TER searches for shifts of blocks. `WER` is beside jiwer above.",
    "BLEU of one row, from start": "Ours loads numpy, and reads the versions and the source that the signature names.",
    "BERTScore, bert-score": "97 % of our time is the model's own, run by onnxruntime; torch does the same products of "
    "float32 faster.",
    "Fréchet distance, torchmetrics": "Ours takes singular values of the points, so that few points give no complex "
    "number and equal sets are at 0. The peer takes eigenvalues of a product of covariances.",
    **dict.fromkeys(
        (f"exact transport, {size} points, extra `transport`, POT" for size in (25, 60)),
        "Ours proves by the prices of all points that no cheaper plan is possible.",
    ),
    **dict.fromkeys(
        (f"exact transport, {size} points, numpy alone, POT" for size in (25, 60, 120, 250)),
        "numpy against a compiled solver, which the extra `transport` brings.",
    ),
}
Runs = tuple[str, Callable[[], object], Callable[[], object]]
"""What is measured, nlgauge's call, and the peer's call"""


def strings(quick: bool) -> Iterator[Runs]:
    """Yield runs of string metrics, on rows with one reference."""
    pairs = TextMaker(5).short(100 if quick else 1200)
    rows = list(measuring.corpus_of(pairs))
    candidates, references = ([pair[side] for pair in pairs] for side in (0, 1))

    def ours(spec: str) -> Callable[[], object]:
        return partial(evaluate, Corpus(tuple(rows)), metrics=spec, cache=False)

    def loop(make: Callable[[], Callable[[Sequence[Any]], object]]) -> Callable[[], object]:
        return lambda: make()(rows)

    if find_spec("rouge_score_rs"):
        from rouge_score_rs import RougeScorer

        batch = lambda: [one["rougeL"].fmeasure for one in RougeScorer(["rougeL"]).score_batch(references, candidates)]  # noqa: E731
        yield "ROUGE, rouge-score-rs", ours("ROUGE"), batch
    if find_spec("rouge_score"):
        yield "ROUGE, rouge-score", ours("ROUGE(stemmer=True)"), loop(by_rouge_score("rougeL"))
    if find_spec("sacrebleu"):
        from sacrebleu.metrics import BLEU, CHRF

        yield "BLEU of rows, sacrebleu", ours("BLEU"), loop(by_sacrebleu("BLEU", effective_order=True))
        yield "BLEU of a system, sacrebleu", ours("BLEU"), lambda: BLEU().corpus_score(candidates, [references])
        yield "ChrF of rows, sacrebleu", ours("ChrF"), loop(by_sacrebleu("CHRF"))
        yield "ChrF of a system, sacrebleu", ours("ChrF"), lambda: CHRF().corpus_score(candidates, [references])
        few = rows[:100]
        yield (
            "TER, sacrebleu",
            partial(evaluate, Corpus(tuple(few)), metrics="TER", cache=False),
            (lambda: by_sacrebleu("TER")()(few)),
        )
    if find_spec("nltk"):
        yield "METEOR, NLTK", ours("METEOR(tokenizer='spaces')"), loop(by_nltk)
    if find_spec("jiwer"):
        import jiwer

        yield "WER, jiwer", ours("WER"), lambda: [jiwer.wer(b, a) for a, b in pairs]
        yield "CER, jiwer", ours("CER"), lambda: [jiwer.cer(b, a) for a, b in pairs]
        yield "TER, jiwer's WER", ours("TER"), lambda: [jiwer.wer(b, a) for a, b in pairs]


def models(quick: bool) -> Iterator[Runs]:
    """Yield runs of metrics with the embedded model. Both sides have the same weights, loaded in advance."""
    if not all(map(find_spec, ("torch", "transformers"))):
        return
    import torch

    torch.set_num_threads(1)
    place = Path(tempfile.mkdtemp()) / "pocket"
    write_hugging_face(loading.pocket_folder(), place)
    held = loading.hold("pocket")

    def ours(pairs: Sequence[Pair], spec: str) -> Callable[[], object]:
        assert held
        return lambda: evaluate(measuring.corpus_of(pairs), metrics=spec, cache=False)

    if find_spec("bert_score"):
        from bert_score import BERTScorer

        some = TextMaker(1).short(20 if quick else 300)
        scorer = BERTScorer(model_type=str(place), num_layers=5, device="cpu")
        yield (
            "BERTScore, bert-score",
            ours(some, "BERTScore"),
            lambda: scorer.score(*map(list, zip(*some, strict=True))),
        )
    if find_spec("torchmetrics"):
        from torchmetrics.functional.text.infolm import infolm

        few = TextMaker(2).short(2 if quick else 8)
        settings = {"information_measure": "fisher_rao_distance", "idf": False, "max_length": 512, "verbose": False}

        def one_by_one() -> None:
            for candidate, reference in few:
                infolm([candidate], [reference], str(place), temperature=1.0, **settings)

        yield "InfoLM, torchmetrics", ours(few, "InfoLM(temperature=1.0, idf='none')"), one_by_one


def formulas(quick: bool) -> Iterator[Runs]:
    """Yield runs of formulas alone, on arrays."""
    draw = np.random.default_rng(0)
    if find_spec("ot"):
        for size, count in ((25, 30), (60, 10)) if quick else ((25, 300), (60, 40), (120, 8), (250, 1)):
            costs = [draw.random((size, size)) for _ in range(count)]
            evens = [np.full(size, 1 / size)] * count
            ours = partial(plans, costs, evens, evens)
            theirs = partial(_by_pot, evens, costs)
            yield f"exact transport, {size} points, extra `transport`, POT", ours, theirs
            yield f"exact transport, {size} points, numpy alone, POT", partial(_by_numpy, ours), theirs
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.image.fid import _compute_fid

        sets = [draw.standard_normal((2000, 384)).astype(np.float32) for _ in range(2)]

        def fid() -> object:
            points = [torch.from_numpy(one).double() for one in sets]
            return _compute_fid(*(part for one in points for part in (one.mean(0), one.T.cov())))

        yield "Fréchet distance, torchmetrics", lambda: frechet(*sets), fid


def _by_pot(evens: Sequence[Any], costs: Sequence[Any]) -> list[Any]:
    import ot

    return list(map(ot.emd, evens, evens, costs))


def _by_numpy(ours: Callable[[], object]) -> object:
    """Return the result of nlgauge as if POT were not installed."""
    with mock.patch.object(transport, "find_spec", lambda name: None):
        return ours()


def start(repeats: int) -> list[tuple[str, str, str]]:
    """Return cells of a table: processor seconds and memory of a first value, in new processes."""
    ours = "import nlgauge as n; n.evaluate(candidates=['A cat sat.'], references=[['The cat sat.']], metrics='BLEU')"
    peer = "from sacrebleu.metrics import BLEU"
    peer += "; BLEU(effective_order=True).sentence_score('A cat sat.', ['The cat sat.'])"
    rows = {
        "BLEU of one row, from start": (ours, peer),
        "BLEU of one row, from start, beside numpy and sacrebleu": (ours, f"import numpy; {peer}"),
    }
    end = "\nimport json, time; held = open('/proc/self/status').read().split('VmHWM:')[1].split()[0]"
    end += "\nprint(json.dumps([time.process_time(), int(held)]))"
    lines = []
    for name, codes in rows.items():
        taken: list[list[list[float]]] = [[], []]
        for counted in range(repeats + 1):
            for own, code in zip(taken, codes, strict=True):
                own += [json.loads(measuring.child(["-c", code + end])[0])] if counted else []
        memory = [f"{max(run[1] for run in own) / 1024:.0f} MiB" for own in taken]
        ratio = ratios([run[0] for run in taken[1]], [run[0] for run in taken[0]])
        lines.append((name, f"{ratio}; {memory[0]} against {memory[1]}", REASONS.get(name, "")))
    return lines


def runtimes(quick: bool, repeats: int) -> list[tuple[str, ...]]:
    """Return cells of a table: tokens per second of one processor, by backend and precision.

    Hidden states of one layer are computed.
    """
    from nlgauge.engine.models.openvino import has_bfloat16

    kinds = [("onnxruntime", "float32"), ("onnxruntime", "int8")]
    if find_spec("openvino"):
        kinds += [("openvino", "float32"), *([("openvino", "bfloat16")] if has_bfloat16() else [])]
    shapes = [(4, 32), (2, 64)] if quick else [(16, 32), (8, 128), (4, 384)]
    lines = []
    for name in ("pocket", *(["base"] if loading.companion_folder("base") else [])):
        encoders = {kind: loading.load(name, kind[1], kind[0])[ENCODER] for kind in kinds}
        found: dict[tuple[str, str], list[str]] = {kind: [] for kind in kinds}
        for rows, length in shapes:
            ids = np.random.default_rng(rows).integers(1000, 20000, (rows, length))
            runs = {
                kind: partial(one.hidden, ids, np.ones_like(ids), [one.layers]) for kind, one in encoders.items() if one
            }
            for kind, seconds in _in_turn(runs, repeats).items():
                found[kind].append(f"{rows * length / min(seconds):,.0f}")
        lines += [(name, *kind, *found[kind]) for kind in kinds]
    return [("model", "backend", "precision", *(f"{rows} x {length}" for rows, length in shapes)), *lines]


def _in_turn(runs: Mapping[Any, Callable[[], object]], repeats: int) -> dict[Any, list[float]]:
    """Return the processor seconds of each round, after a round that is not counted."""
    seconds: dict[Any, list[float]] = {name: [] for name in runs}
    for counted in range(repeats + 1):
        for name, run in runs.items():
            began = time.process_time()
            run()
            if counted:
                seconds[name].append(time.process_time() - began)
    return seconds


def beside(runs: Iterator[Runs], repeats: int) -> list[tuple[str, str, str]]:
    """Return the cells of a line for each peer."""
    lines = []
    for name, ours, theirs in runs:
        seconds = _in_turn({"ours": ours, "theirs": theirs}, repeats)
        ratio = ratios(seconds["theirs"], seconds["ours"])
        lines.append((name, str(ratio), REASONS.get(name, "") if ratio.median < 1 / 1.2 else ""))
        print(f"  {name}: {ratio} (ours {Spread.of(seconds['ours'])} s)", flush=True)
    return lines


def markdown(lines: Sequence[Sequence[str]]) -> str:
    head, *rest = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(lines[0]), *rest])


def write(sections: Mapping[str, str]) -> None:
    """Write each section between its marks in the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in sections.items():
        before, found, rest = text.partition(begin(name))
        if not found or end(name) not in rest:
            raise SystemExit(f"{PAGE} has no marks of {name}")
        text = f"{before}{begin(name)}\n{content}\n{end(name)}{rest.partition(end(name))[2]}"
    PAGE.write_text(marked(text), encoding="utf-8")


def main() -> int:
    made = measuring.parser(__doc__ or "")
    made.add_argument("--only", default="strings,models,formulas,start,runtimes", help="sections, with commas between")
    made.add_argument("--write", action="store_true", help="write the tables into docs/speed.md")
    options = made.parse_args()
    if not ONE_THREAD.items() <= os.environ.items():  # libraries read it when they are loaded
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    repeats = options.repeats or (1 if options.quick else 5)
    facts = measuring.machine()
    measuring.print_machine(facts)
    packages = [(name, measuring.installed_version(name)) for name in PEERS]
    versions = [*facts["packages"].items(), *packages]
    shown = ", ".join(dict.fromkeys(f"{name} {version}" for name, version in versions if version))
    about = (
        f"\nMeasured on {datetime.date.today()} by `python benchmarks/speed.py`: {facts['processor']}, "
        f"{', '.join(facts['flags'])}; one thread, Python {facts['python']}, {shown}.\n\n"
    )
    head = ("ours, peer", "peer's time / ours", "why")
    sections: dict[str, str] = {}
    for name in options.only.split(","):
        heading(name)
        if name == "runtimes":
            lines: list[Any] = runtimes(options.quick, repeats)
        elif name == "start":
            lines = [head, *start(repeats)]
        else:
            makers = {"strings": strings, "models": models, "formulas": formulas}
            lines = [head, *beside(makers[name](options.quick), 2 if name == "models" else repeats)]
        sections[name] = about + source_line(name) + "\n\n" + markdown(lines) + "\n"
        print(sections[name], flush=True)
    if options.write:
        write(sections)
    measuring.save(options.output, {"machine": facts, "quick": options.quick, "sections": sections})
    return 0


if __name__ == "__main__":
    sys.exit(main())

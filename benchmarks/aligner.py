"""Speed of the trained aligner (D), compared with the same weights in torch, a pair at a time.

    python benchmarks/aligner.py [--quick] [--repeats N] [--output FILE]

Texts of about 50 sub-words are aligned with contexts of about 240, which fit a row. All are distinct. The peer is the
trained network, in float32, with one pair in a call. Both sides use the same threads and take turns. Their values have
to agree to 1e-3. Then the script measures how time grows with the length of the context, to far more than a row
(benchmarks/evidence_search.py has more about that).
"""

from __future__ import annotations

import sys

import measuring
import numpy as np
from measuring import Pair, TextMaker, heading, interleaved, ratios, table

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.onnx import threads

TOLERANCE = 1e-3


def align(pairs: list[Pair]) -> list[np.ndarray]:
    """Return the log-odds of the tokens of each pair's first text, computed by nlgauge."""
    requests = [AlignmentRequest(text, (context,)) for text, context in pairs]
    features = Engine(loading.load("pocket")).features(requests)
    return [alignment.logits for request in requests if (alignment := features[request]) is not None]


class Peer:
    """The trained network, called in a plain loop."""

    def __init__(self) -> None:
        import torch

        from nlgauge.engine.models.adaptation import read_delta
        from nlgauge.engine.models.aligner_net import AlignerNet
        from nlgauge.engine.models.card import ALIGNER_FACTS
        from nlgauge.engine.models.folder import read_weights
        from nlgauge_lab.training.body import read_body

        torch.set_num_threads(threads())
        self._torch, folder = torch, loading.pocket_folder()
        self._net = AlignerNet(read_body(folder, adapted=True)).eval()
        tuned = read_delta(folder / "aligner.safetensors", read_weights(folder / "model.safetensors"))
        own = self._net.state_dict()
        for name, value in tuned.items():
            if name in ALIGNER_FACTS:
                continue
            key = name.replace("bert.", "body.", 1) if name.startswith("bert.") else name.removeprefix("aligner.")
            own[key] = torch.from_numpy(value)
        self._net.load_state_dict(own)
        self._tokenizer = loading.load("pocket")[TOKENIZER]

    def __call__(self, pairs: list[Pair]) -> list[np.ndarray]:
        out = []
        first, between = self._tokenizer.prefix, self._tokenizer.suffix
        for pair in pairs:
            text, context = self._tokenizer.encode(pair)
            ids = [*first, *text.ids, *between, *context.ids, *between]
            side = [0] * (len(text) + 2) + [1] * len(context) + [0]
            with self._torch.inference_mode():
                inputs = [self._torch.tensor(row)[None] for row in (ids, [1] * len(ids), side)]
                logits = self._net(*inputs)[0]
            out.append(logits[0, 1 : 1 + len(text)].numpy())
        return out


def main() -> None:
    arguments = measuring.parser(__doc__).parse_args()
    facts = measuring.machine()
    measuring.print_machine(facts)
    repeats = arguments.repeats or (2 if arguments.quick else 5)
    maker = TextMaker(seed=1)
    pairs = [(maker.words(46), maker.words(230)) for _ in range(8 if arguments.quick else 32)]
    sizes = [len(one) for one in loading.load("pocket")[TOKENIZER].encode([text for pair in pairs for text in pair])]
    print(f"median sub-words: {np.median(sizes[::2]):.0f} and {np.median(sizes[1::2]):.0f}")
    peer = Peer()
    worst = max(float(np.abs(a - b).max()) for a, b in zip(align(pairs), peer(pairs), strict=True))
    heading(f"{len(pairs)} pairs, largest difference of log-odds {worst:.1e}")
    seconds = interleaved({"nlgauge": lambda: align(pairs), "torch, one at a time": lambda: peer(pairs)}, repeats)
    times = ratios(seconds["torch, one at a time"], seconds["nlgauge"])
    rates = {name: round(len(pairs) / float(np.median(took)), 2) for name, took in seconds.items()}
    table(["", "pairs/s"], [[name, rate] for name, rate in rates.items()])
    print(f"nlgauge is {times} times as fast")

    heading("growth with the context, one text of 46 words")
    grown = []
    for words in (100, 400) if arguments.quick else (100, 200, 400, 800, 1600, 3200):
        several = [(maker.words(46), maker.words(words)) for _ in range(4)]
        took = interleaved({"": lambda several=several: align(several)}, repeats)[""]
        grown.append([words, f"{np.median(took) / len(several):.3f}"])
    table(["words of context", "seconds a pair"], grown)
    record = {"machine": facts, "difference": worst, "pairs_per_second": rates, "ratio": times, "growth": grown}
    measuring.save(arguments.output, record)
    if worst > TOLERANCE:
        sys.exit("values differ")


if __name__ == "__main__":
    main()

"""Published detectors and NLI models as aligners, run by torch, or by onnxruntime where the folder has a graph.

`nlgauge export` writes the graph. The same rows go through both, and the same records say what the logits mean.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Floats, Ints, Model
from nlgauge.engine.models.card import CARD_FILE, ModelCard, read_card
from nlgauge.engine.models.folder import CONFIG_FILE, TOKENIZER_FILE, digest_of, named_digest
from nlgauge.engine.models.onnx import OnnxGraph
from nlgauge.engine.models.packing import Packer, Packing, Reading, by_head, meant, unread_head
from nlgauge.engine.models.stored import json_object
from nlgauge.engine.sentence_search import OWN
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, MissingExtraError, SpecError

if TYPE_CHECKING:
    from nlgauge.engine.models.torch_model import Checkpoint, Net

GRAPH_FILE = "detector.onnx"
_AUTO = {
    "classes": "AutoModelForSequenceClassification",
    "first token": "AutoModelForTokenClassification",
    "tokens": "AutoModelForTokenClassification",
    "answers": "AutoModelForSeq2SeqLM",
}
_CONFIG = "configuration of a model"


@dataclass(eq=False)
class Detector:
    """`Aligner` of a classifier.

    reading: what its logits mean. packer: makes its rows. open: gives what computes logits [rows, classes], or
    [rows, length, classes] for labels of tokens, from ids, attend and types; it is called once, when the first row is
    read. digest: of the weights, by need.
    """

    reading: Reading
    packer: Packer
    open: Callable[[], Callable[[Ints, Ints, Ints], Floats]]
    weights: Callable[[], str]

    @cached_property
    def digest(self) -> str:
        return self.weights()

    @property
    def packing(self) -> Packing:
        return self.packer.packing

    @cached_property
    def _logits(self) -> Callable[[Ints, Ints, Ints], Floats]:
        return self.open()

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        types = np.where(side == OWN, self.packer.tokenizer.second_type, 0) * attend
        support, against = self.reading.log_odds(self._logits(ids, attend, types))
        unknown = np.full(len(ids), np.nan, np.float32)
        if self.packing.words:
            return support, unknown, unknown, unknown
        return np.repeat(support[:, None], ids.shape[1], 1), unknown, support, against


def open_detector(
    prefix: str, source: str, name: str, precision: str, backend: str, device: str | None
) -> Model:  # fmt: skip
    """A detector by the prefix of its family and a folder or Hugging Face name.

    Raises SpecError for a checkpoint of another family or that lacks weights, MissingExtraError if torch is needed.
    """
    folder = Path(source)
    if not source:
        raise SpecError(f"model {name!r}: name a folder or a Hugging Face name after the colon, as in {prefix}:FOLDER")
    if backend == "openvino" or precision == "int8":
        raise SpecError(f"model {name!r}: detectors run on onnxruntime in float32, and on torch")
    graph = folder / GRAPH_FILE
    usable = graph.is_file() and precision == "float32" and device in (None, "cpu")
    if backend == "onnxruntime" and not usable:
        raise SpecError(f"model {name!r} has no {GRAPH_FILE}: write it with nlgauge export {name} FOLDER")
    if usable and backend != "torch":
        return _open_graph(folder, graph, prefix, name)
    _refuse_own_code(folder, name)
    from nlgauge.engine.models.torch_model import Checkpoint

    checkpoint = Checkpoint(source, name, precision, device)
    with checkpoint.reading():
        net, reading = _network(checkpoint, prefix)
        model = checkpoint.model(net, {TOKENIZER: checkpoint.tokenizer})
        packer = Packer(reading.packing, checkpoint.tokenizer, _longest(reading.packing, net, model.window))
        detector = Detector(reading, packer, lambda: _TorchLogits(checkpoint, net, reading.packing), lambda: model.digest)
    card = detector_card(model.card, reading.packing, folder)
    return replace(model, abilities={**model.abilities, ALIGNER: detector}, window=packer.longest, card=card)


def with_detector(model: Model, checkpoint: Checkpoint) -> Model:
    """A checkpoint's model with the detector that its head tells, or with what to say if somebody asks for one.

    The head is read when the first row is: metrics that compare vectors do not need it.
    """
    config = checkpoint.config.to_dict()
    packing = by_head(config)
    if packing is None:
        said = unread_head(config)
        return model if said is None else replace(model, lacks={ALIGNER: said})
    reading = Reading.of(packing, config, checkpoint.name)

    def opened() -> _TorchLogits:
        with checkpoint.reading():
            net = checkpoint.network(_AUTO[packing.head], pooled=True)
            checkpoint.runtime.narrow(net)
        return _TorchLogits(checkpoint, net, packing)

    detector = Detector(reading, Packer(packing, checkpoint.tokenizer, model.window), opened, lambda: model.digest)
    card = detector_card(model.card, packing, Path(checkpoint.source))
    return replace(model, abilities={**model.abilities, ALIGNER: detector}, card=card)


def detector_card(card: ModelCard, packing: Packing, folder: Path) -> ModelCard:
    """The card of a detector: thresholds that were measured and stand in its folder, else the published one."""
    path = folder / CARD_FILE
    measured = json_object(path, "card of a model").get("grounded") if path.is_file() else None
    if measured is not None:
        sets = measured.get("chosen_on") if isinstance(measured, Mapping) else None
        origin = f"measured on {', '.join(map(str, sets))}" if isinstance(sets, list) and sets else "measured"
        mark = measured.get("mark_below", 0.5) if isinstance(measured, Mapping) else 0.5
        return replace(card, aligner_threshold=float(mark), aligner_asks=bool(packing.asking),
                       origins={**card.origins, "grounded": origin})  # fmt: skip
    published = packing.threshold
    return replace(
        card, aligner_asks=bool(packing.asking),
        grounded=None if published is None else (published, published),
        origins=card.origins if published is None else {**card.origins, "grounded": "published"},
    )  # fmt: skip


def _network(checkpoint: Checkpoint, prefix: str) -> tuple[Net, Reading]:
    config = checkpoint.config.to_dict()
    packing = meant(prefix, config, checkpoint.name)
    reading = Reading.of(packing, config, checkpoint.name)
    return checkpoint.network(_AUTO[packing.head], pooled=True), reading


def _longest(packing: Packing, net: Net, window: int) -> int:
    """Maximum sub-words of a row: the network's table of positions, else what the family reads."""
    embeddings = getattr(net.base_model, "embeddings", None)
    limited = getattr(embeddings, "position_embeddings", None) is not None
    return window if limited else packing.longest


def _refuse_own_code(folder: Path, name: str) -> None:
    """Raises SpecError for a folder whose network is code of its own, with the command that converts its weights."""
    path = folder / CONFIG_FILE
    if path.is_file() and "auto_map" in json_object(path, _CONFIG):
        problem = "its network is code of its own, which nlgauge never runs; nlgauge convert writes a folder without it"
        raise SpecError(f"model {name!r}: {problem}")


class _TorchLogits:
    """Logits of a network of transformers."""

    def __init__(self, checkpoint: Checkpoint, net: Net, packing: Packing) -> None:
        self._runtime, self._net, self._packing = checkpoint.runtime, net, packing
        self._typed = bool(checkpoint.typed(net))
        if packing.head == "answers":
            known = [checkpoint.tokenizer.token_id(token) for token in packing.answers]
            if None in known:
                raise SpecError(f"model {checkpoint.name!r}: its tokenizer lacks the answers {packing.answers}")
            self._answers = known

    def __call__(self, ids: Ints, attend: Ints, types: Ints) -> Floats:
        runtime = self._runtime
        inputs = runtime.inputs(ids, attend, types if self._typed else None)
        with runtime.computing():
            if self._packing.head == "answers":
                start = np.full((len(ids), 1), self._net.config.decoder_start_token_id, np.int64)
                logits = self._net(**inputs, decoder_input_ids=runtime.tensor(start)).logits[:, 0, self._answers]
            else:
                logits = self._net(**inputs).logits
            return runtime.numbers(logits[:, 0] if self._packing.head == "first token" else logits)


def _open_graph(folder: Path, graph: Path, prefix: str, name: str) -> Model:
    """A detector's folder that `nlgauge export` wrote, without torch."""
    from nlgauge.engine.models.onnx import threads, version_of

    missing = [file for file in (CONFIG_FILE, TOKENIZER_FILE) if not (folder / file).is_file()]
    if missing:
        raise SpecError(f"model {name!r}: {folder} lacks {', '.join(missing)}")
    config = json_object(folder / CONFIG_FILE, _CONFIG)
    reading = Reading.of(meant(prefix, config, name), config, name)
    tokenizer = SubwordTokenizer.read(str(folder / TOKENIZER_FILE))
    longest = config.get("nlgauge_window")
    if isinstance(longest, bool) or not isinstance(longest, int) or longest < 16:
        raise SpecError(f"model {name!r}: {folder / CONFIG_FILE} names no window: export the model again")
    run, typed = OnnxGraph(graph), "types" in config.get("nlgauge_inputs", ())

    def logits(ids: Ints, attend: Ints, types: Ints) -> Floats:
        more = {"types": types} if typed else {}
        found: Floats = run.run(["logits"], ids=ids, attend=attend, **more)[0]
        return found

    card = detector_card(read_card(folder), reading.packing, folder)
    files = [path for file in (CONFIG_FILE, CARD_FILE) if (path := folder / file).is_file()]
    digest = digest_of([graph])
    return Model(
        name=name, digest=digest, files=named_digest(files), backend=f"onnxruntime-{version_of()}", precision="float32",
        window=longest, card=card, folder=folder, batch_tokens=max(longest, 512 * threads()),
        abilities={
            TOKENIZER: tokenizer,
            ALIGNER: Detector(reading, Packer(reading.packing, tokenizer, longest), lambda: logits, lambda: digest),
        },
    )  # fmt: skip


def export_detector(prefix: str, source: str, name: str, folder: Path) -> None:
    """Write a detector's folder with a graph for onnxruntime: `detector.onnx`, configuration, tokenizer and card.

    Raises InputError if `folder` is not empty, SpecError for a network that has no graph, and MissingExtraError without
    onnx and onnxscript.
    """
    try:
        import onnxscript  # noqa: F401  # torch asks for it late, and with a message of many lines
    except ImportError:
        raise MissingExtraError("nlgauge export of a detector", "onnx") from None
    if folder.exists() and any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    model = open_detector(prefix, source, name, "float32", "torch", "cpu")
    detector = model[ALIGNER]
    assert isinstance(detector, Detector)
    logits = detector.open()
    assert isinstance(logits, _TorchLogits)
    folder.mkdir(parents=True, exist_ok=True)
    inputs = logits.write_graph(folder / GRAPH_FILE)
    config = {**logits.config, "nlgauge_window": model.window, "nlgauge_inputs": inputs}
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (folder / TOKENIZER_FILE).write_text(model[TOKENIZER].definition, encoding="utf-8")
    card = None if model.folder is None else model.folder / CARD_FILE
    if card is not None and card.is_file():
        (folder / CARD_FILE).write_bytes(card.read_bytes())

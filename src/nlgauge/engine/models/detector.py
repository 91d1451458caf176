"""Published detectors and NLI models as aligners, run by torch, or by onnxruntime where the folder has a graph.

`nlgauge export` writes the graph. Torch and onnxruntime read the same rows, and the same records (`packing.py`) say
what the logits mean.
"""

from __future__ import annotations

import json
import logging
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nlgauge.data.signature import FLOAT32
from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Floats, Ints, Model
from nlgauge.engine.models.card import CARD_FILE, ModelCard, read_card, thresholds_in
from nlgauge.engine.models.folder import CONFIG_FILE, TOKENIZER_FILE, digest_of, named_digest
from nlgauge.engine.models.onnx import WEIGHTS_KEY, OnnxGraph, runtime_name, threads
from nlgauge.engine.models.packing import (
    FAMILY,
    WORD_BIAS,
    Packer,
    Packing,
    Reading,
    by_head,
    is_hhem,
    meant,
    unread_head,
)
from nlgauge.engine.models.stored import json_object, one_line
from nlgauge.engine.sentence_search import OTHER, OWN
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.engine.models.torch_model import Checkpoint, Net

GRAPH_FILE = "detector.onnx"
Logits: TypeAlias = "Callable[[Ints, Ints, Ints | None], Floats]"
"""A function from ids, attend and types [rows, length] to logits [rows, classes], or [rows, length, classes] of
tokens"""
WINDOW, _TYPE = "nlgauge_window", "nlgauge_second_type"
"""Keys in the configuration of a folder that nlgauge wrote: the largest number of sub-words in a row, and the type of a
second text"""
_AUTO = {
    "classes": "AutoModelForSequenceClassification",
    "first token": "AutoModelForTokenClassification",
    "tokens": "AutoModelForTokenClassification",
    "answers": "AutoModelForSeq2SeqLM",
    "words": "AutoModelForTokenClassification",
    "share": "AutoModelForSequenceClassification",
    "number": "AutoModelForSequenceClassification",
}
_CONFIG = "configuration of a model"


@dataclass(eq=False)
class Detector:
    """The capability `Aligner`, computed by a classifier.

    reading: what its logits mean. packer: makes its rows. open: returns the function that computes logits; it is called
    once, for the first row. digest_of_weights: returns the digest, when it is needed. second_type: the type of a pair's
    second text; 0 for a network without types.
    """

    reading: Reading
    packer: Packer
    open: Callable[[], Logits]
    digest_of_weights: Callable[[], str]
    second_type: int = 0

    @cached_property
    def digest(self) -> str:
        return self.digest_of_weights()

    @cached_property
    def _logits(self) -> Logits:
        return self.open()

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        packing = self.packer.packing
        second = side == (OTHER if packing.by_tokens and packing.text_first else OWN)
        types = np.where(second, self.second_type, 0) * attend if self.second_type else None
        support, against = self.reading.log_odds(self._logits(ids, attend, types))
        unknown = np.full(len(ids), np.nan, np.float32)
        if packing.regression:
            return np.full(ids.shape, np.nan, np.float32), support, unknown, unknown
        if self.packer.packing.words:
            return support, unknown, unknown, unknown
        return np.repeat(support[:, None], ids.shape[1], 1), unknown, support, against


def family_of(folder: Path) -> str | None:
    """Return the family that nlgauge wrote into the configuration of a folder (`nlgauge export`)."""
    path = folder / CONFIG_FILE
    told = json_object(path, _CONFIG).get(FAMILY) if path.is_file() else None
    return told if isinstance(told, str) else None


def open_detector(prefix: str, source: str, name: str, precision: str, backend: str, device: str | None) -> Model:
    """Return a detector by the prefix of its family and a folder or Hugging Face name.

    Args:
        prefix: the prefix of the family, such as 'nli'.
        source: a folder or a Hugging Face name.
        name: the name of the model in signatures.
        precision: as `nlgauge.engine.models.loading.load` takes it.
        backend: as `load` takes it.
        device: as `load` takes it.

    Returns:
        The model.

    Raises:
        SpecError: the checkpoint is of another family, or lacks weights.
        MissingExtraError: torch is needed and not installed.
    """
    if not source:
        raise SpecError(f"model {name!r}: name a folder or a Hugging Face name after the colon, as in {prefix}:FOLDER")
    if backend == "openvino" or precision == "int8":
        raise SpecError(f"model {name!r}: a detector runs on onnxruntime in float32, or on torch; leave this out")
    folder = Path(source)
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
        config = checkpoint.config.to_dict()
        packing = meant(prefix, config, name)
        reading = Reading.of(packing, config, name)
        net = checkpoint.network(_AUTO[packing.head], pooled=True)
        model = checkpoint.model(net, {TOKENIZER: checkpoint.tokenizer})
    return _with(
        model,
        checkpoint,
        net=net,
        reading=reading,
        opened=lambda: _TorchLogits(checkpoint, net, packing),
        own_window=True,
    )


def with_detector(model: Model, checkpoint: Checkpoint, net: Net) -> Model:
    """Return a checkpoint's model with the detector in its head, or with an error message for requests of a detector.

    The head is loaded for the first row, because metrics that compare vectors do not need it.

    Args:
        model: the checkpoint's model.
        checkpoint: the checkpoint.
        net: the network without the head.

    Returns:
        The model, with the capability ALIGNER where its head can be read.
    """
    config = checkpoint.config.to_dict()
    packing = by_head(config)
    if packing is None:
        said = unread_head(config)
        return model if said is None else replace(model, lacks={ALIGNER: said})
    recognised = packing

    def opened() -> Logits:
        with checkpoint.reading():
            whole = checkpoint.network(_AUTO[recognised.head], pooled=True)
            checkpoint.runtime.narrow(whole)
        return _TorchLogits(checkpoint, whole, recognised)

    try:
        return _with(model, checkpoint, net=net, reading=Reading.of(packing, config, checkpoint.name), opened=opened)
    except SpecError as error:  # the rest of the model is as good as before
        return replace(model, lacks={ALIGNER: f"has no aligner that can be read: {error}"})


def _with(
    model: Model,
    checkpoint: Checkpoint,
    net: Net,
    reading: Reading,
    opened: Callable[[], Logits],
    own_window: bool = False,
) -> Model:
    """Return the model with a detector as its aligner (`ALIGNER`).

    Args:
        model: the model of the network.
        checkpoint: the folder or the name from which the network was read.
        net: the network, whose positions limit a row.
        reading: what the network's outputs mean, and how a row is packed.
        opened: returns the function that computes the outputs; it is called once, for the first row.
        own_window: whether the detector's longest row becomes the model's window.
    """
    longest = min(checkpoint.config.to_dict().get(WINDOW, math.inf), _longest(reading.packing, net, model.window))
    bias = (net.classifier.bias[0] - net.classifier.bias[1]).item() if reading.packing.head == "words" else 0.0
    packer = Packer(reading.packing, checkpoint.tokenizer, int(longest), bias)
    typed = packer.paired and "token_type_ids" in checkpoint.splitter.model_input_names
    types = model.second_type if typed else 0
    detector = Detector(
        reading=reading, packer=packer, open=opened, digest_of_weights=lambda: model.digest, second_type=types
    )
    return replace(
        model,
        abilities={**model.abilities, ALIGNER: detector},
        card=_detector_card(model.card, reading.packing, Path(checkpoint.source), model.precision),
        window=packer.longest if own_window else model.window,
    )


def _detector_card(card: ModelCard, packing: Packing, folder: Path, precision: str) -> ModelCard:
    """Return the card of a detector, with measured thresholds if its folder has them, or else published ones."""
    card = replace(card, aligner_asks=bool(packing.asking))
    path = folder / CARD_FILE
    measured, _ = thresholds_in(json_object(path, "card of a model") if path.is_file() else {}, precision)
    if measured is not None:
        sets = measured.get("chosen_on")
        origin = f"measured on {', '.join(map(str, sets))}" if isinstance(sets, list) and sets else "measured"
        mark = float(measured.get("mark_below", card.aligner_threshold))
        return replace(card, aligner_threshold=mark, origins={**card.origins, "grounded": origin})
    if packing.threshold is None:
        return card
    limits = (packing.threshold, packing.threshold)
    return replace(card, grounded=limits, origins={**card.origins, "grounded": "published"})


def _longest(packing: Packing, net: Net, window: int) -> int:
    """Return the largest number of sub-words in a row.

    With a table of positions this is the window. With rotary positions it is the window or the family's limit,
    whichever is smaller. Relative positions (T5, DeBERTa) set no limit, so it is the family's limit.

    Args:
        packing: the family of detectors, which has the limit `longest`.
        net: the network.
        window: the model's largest number of sub-words in a row.
    """
    embeddings = getattr(net.base_model, "embeddings", None)
    if getattr(embeddings, "position_embeddings", None) is not None:
        return window
    rotary = any("rope" in name for name in net.config.to_dict())
    return min(window, packing.longest) if rotary else packing.longest


def _refuse_own_code(folder: Path, name: str) -> None:
    """Raise SpecError for the published folder of HHEM-2.1-Open. The error names the command that converts it."""
    path = folder / CONFIG_FILE
    if path.is_file() and is_hhem(json_object(path, _CONFIG)):
        problem = "its network is code of its own, which nlgauge never runs"
        raise SpecError(f"model {name!r}: {problem}; write a folder without it: nlgauge export {folder} FOLDER")


class _TorchLogits:
    """A function that computes logits with a network of transformers."""

    def __init__(self, checkpoint: Checkpoint, net: Net, packing: Packing) -> None:
        self.net, self.packing, self.answers = net, packing, [0, 0]
        self._runtime = checkpoint.runtime
        if packing.head == "answers":
            ids = [checkpoint.tokenizer.token_id(token) for token in packing.answers]
            self.answers = [token for token in ids if token is not None]
            if len(self.answers) < len(ids):
                raise SpecError(f"model {checkpoint.name!r}: its tokenizer lacks the answers {packing.answers}")

    def __call__(self, ids: Ints, attend: Ints, types: Ints | None) -> Floats:
        inputs = self._runtime.inputs(ids, attend, types)
        with self._runtime.computing():
            return self._runtime.numbers(self.of(*inputs.values()))

    def of(self, ids: Any, attend: Any, types: Any = None) -> Any:
        """Return the logits, as tensors."""
        inputs = {"input_ids": ids, "attention_mask": attend, **({} if types is None else {"token_type_ids": types})}
        if self.packing.head == "answers":
            start = ids.new_full((ids.shape[0], 1), self.net.config.decoder_start_token_id)
            return self.net(**inputs, decoder_input_ids=start, use_cache=False).logits[:, 0, self.answers]
        logits = self.net(**inputs).logits
        return logits[:, 0] if self.packing.head == "first token" else logits


def _open_graph(folder: Path, graph: Path, prefix: str, name: str) -> Model:
    """Return a detector's folder that `export_detector` wrote, without torch."""
    missing = [file for file in (CONFIG_FILE, TOKENIZER_FILE) if not (folder / file).is_file()]
    if missing:
        raise SpecError(f"model {name!r}: {folder} lacks {', '.join(missing)}")
    config = json_object(folder / CONFIG_FILE, _CONFIG)
    reading = Reading.of(meant(prefix, config, name), config, name)
    tokenizer = SubwordTokenizer.read(str(folder / TOKENIZER_FILE))
    longest, second_type = config.get(WINDOW), config.get(_TYPE)
    if not (type(longest) is int and longest >= 16 and type(second_type) is int and 0 <= second_type < 16):
        raise SpecError(f"model {name!r}: {folder / CONFIG_FILE} is not of nlgauge export: export the model again")
    run = OnnxGraph(graph)

    def logits(ids: Ints, attend: Ints, types: Ints | None) -> Floats:
        inputs = {"ids": ids, "attend": attend, **({} if types is None else {"types": types})}
        numbers: Floats = run.run(["logits"], None, **inputs)[0]
        return numbers

    files = [path for file in (CONFIG_FILE, CARD_FILE) if (path := folder / file).is_file()]
    digest = digest_of([graph])
    packer = Packer(reading.packing, tokenizer, longest, float(config.get(WORD_BIAS, 0.0)))
    detector = Detector(
        reading=reading, packer=packer, open=lambda: logits, digest_of_weights=lambda: digest, second_type=second_type
    )
    return Model(
        name=name,
        digest=digest,
        files=named_digest(files),
        backend=runtime_name(),
        precision=FLOAT32,
        window=longest,
        card=_detector_card(read_card(folder), reading.packing, folder, FLOAT32),
        folder=folder,
        batch_tokens=max(longest, 512 * threads()),
        abilities={TOKENIZER: tokenizer, ALIGNER: detector},
    )


def export_detector(model: Model, folder: Path) -> None:
    """Write a detector that torch runs to a folder for onnxruntime: graph, configuration, tokenizer and card.

    Args:
        model: the detector.
        folder: an empty folder, or the path of a new one.

    Raises:
        SpecError: the model is no detector, its network has no graph, or onnxscript is missing.
        InputError: `folder` is not empty.
    """
    detector = model[ALIGNER]
    logits = detector.open() if isinstance(detector, Detector) else None
    if not isinstance(detector, Detector) or not isinstance(logits, _TorchLogits):
        raise SpecError(f"model {model.name!r} is no detector that torch runs, so there is nothing to export")
    if folder.exists() and any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    _write_graph(logits, detector.second_type, folder / GRAPH_FILE)
    packer = detector.packer
    facts = {FAMILY: packer.packing.name, WINDOW: packer.longest, _TYPE: detector.second_type, WORD_BIAS: packer.bias}
    config = {**logits.net.config.to_dict(), **facts}
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=1, default=str) + "\n", encoding="utf-8")
    (folder / TOKENIZER_FILE).write_text(model[TOKENIZER].definition, encoding="utf-8")
    card = None if model.folder is None else model.folder / CARD_FILE
    if card is not None and card.is_file():
        (folder / CARD_FILE).write_bytes(card.read_bytes())


def _write_graph(logits: _TorchLogits, second_type: int, path: Path) -> None:
    import torch

    try:
        import onnxscript  # noqa: F401  # torch asks for it late, and with a message of many lines
    except ImportError:
        raise SpecError("torch makes graphs with onnxscript: pip install onnxscript") from None

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = logits.net

        def forward(self, ids: Any, attend: Any, types: Any = None) -> Any:
            return logits.of(ids, attend, types)

    names = ["ids", "attend", *(["types"] if second_type else [])]
    # Each of its own: one tensor given several times would become one input.
    example = tuple(torch.ones((2, 24), dtype=torch.int64) for _ in names)
    sizes = {0: torch.export.Dim("rows"), 1: torch.export.Dim("length")}
    logits.net.set_attn_implementation("eager")  # the others have no graph in every version of torch
    with warnings.catch_warnings(), _without_logs():
        warnings.simplefilter("ignore")
        try:
            made = torch.onnx.export(
                Graph().eval(),
                example,
                input_names=names,
                output_names=["logits"],
                dynamic_shapes=(sizes,) * len(names),
                dynamo=True,
                verbose=False,
            )
        except Exception as error:  # many libraries work on it, with classes of their own
            said = one_line(str(error.__cause__ or error))
            raise SpecError(f"torch makes no graph of this network ({said}): leave it to torch") from None
    assert made is not None  # or it would have been written to a file
    made.model.metadata_props[WEIGHTS_KEY] = "{}"  # its weights are its own, in no file beside it
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(str(path), external_data=False)


@contextmanager
def _without_logs() -> Iterator[None]:
    """Switch off what libraries log below an error while the context lasts."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)

"""Models run by onnxruntime: the embedded model, and any folder that `nlgauge_lab.training.export` wrote.

In float32, onnxruntime is as fast as OpenVINO on the same graphs (benchmarks/runtimes.py). It starts faster, is a third
of the size and has no telemetry package. `nlgauge.engine.models.openvino` runs the graphs in bfloat16.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from nlgauge.engine.models.capabilities import (
    ALIGNER,
    ENCODER,
    MASKED_LM,
    MASKED_PAIRS,
    TOKENIZER,
    Capability,
    Floats,
    Ints,
    Model,
)
from nlgauge.engine.models.card import ALIGNER_FILE, read_card
from nlgauge.engine.models.folder import (
    CONFIG_FILE,
    PAIRS_FILE,
    SCALE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    digest_of,
    files_digest,
    model_digest,
    read_config,
)
from nlgauge.engine.models.stored import layout_digest, one_line, shown, tensors_of
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError

WEIGHTS_KEY = "nlgauge.weights"
"""The key in a graph's metadata for the weights that the graph was exported for: their `layout_digest` by file"""
_PLACES = "bert.embeddings.position_embeddings.weight"
# What a batch computes should stay in a processor's own cache: batches of 4,096 took 9 to 25 % more time than these,
# by one and two threads and by both embedded models (`python benchmarks/speed.py`).
_TOKENS_PER_THREAD, _MOST_TOKENS = 512, 4096


def graph_path(folder: Path, part: str, precision: str) -> Path:
    """Return the path of the graph of a part ('masked', 'encoder', 'pairs', 'pairs_other', 'aligner')."""
    return folder / (f"{part}.int8.onnx" if precision == "int8" else f"{part}.onnx")


def open_onnx(folder: Path, name: str, precision: str = "float32") -> Model:
    """Return the model of a folder as `open_graphs` does, run by onnxruntime in 'float32' or 'int8'."""
    return open_graphs(folder, name, precision=precision, graph=OnnxGraph, backend=runtime_name())


def runtime_name() -> str:
    """Return onnxruntime with its version."""
    try:
        release = version("onnxruntime")
    except PackageNotFoundError:  # a build under another name; to import it takes half a second
        import onnxruntime

        release = onnxruntime.__version__
    return f"onnxruntime-{release}"


def open_graphs(folder: Path, name: str, precision: str, graph: Callable[[Path], OnnxGraph], backend: str) -> Model:
    """Return a folder's model on the CPU, without torch, with the capabilities that the folder has files for.

    Args:
        folder: the folder.
        name: the name of the model in signatures.
        precision: the precision. 'int8' has graphs of its own, which multiply in 8 bits; all others share graphs.
        graph: returns the graph in a file.
        backend: the runtime, as signatures name it.

    Returns:
        The model.

    Raises:
        SpecError: a file that every model needs is missing.
    """
    missing = [file for file in (WEIGHTS_FILE, CONFIG_FILE, TOKENIZER_FILE) if not (folder / file).is_file()]
    if missing:
        raise SpecError(f"model {name!r}: {folder} lacks {', '.join(missing)}")
    config = read_config(folder)
    layers, width, vocabulary = (config[name] for name in ("num_hidden_layers", "hidden_size", "vocab_size"))
    _refuse_other_shapes(folder, {WORDS: (vocabulary, width), _PLACES: (config["max_position_embeddings"], width)})
    graphs = {
        part: graph(path)
        for part in ("encoder", "masked", "pairs", "pairs_other", "aligner")
        if (path := graph_path(folder, part, precision)).exists()
    }
    if not graphs.keys() & {"encoder", "masked"}:
        instead = "choose precision='float32'" if precision == "int8" else "choose backend='torch'"
        wanted = graph_path(folder, "masked", precision).name
        raise SpecError(f"model {name!r}: {folder} has no graph in {precision}, such as {wanted}; {instead}")
    abilities: dict[Capability[Any], object] = {
        TOKENIZER: SubwordTokenizer.read(str(folder / TOKENIZER_FILE)).fit(vocabulary)
    }
    if "encoder" in graphs:
        abilities[ENCODER] = OnnxEncoder(graphs["encoder"], folder / WEIGHTS_FILE, layers, width)
    if "masked" in graphs:
        abilities[MASKED_LM] = OnnxMaskedLM(graphs["masked"], vocabulary)
    if graphs.keys() >= {"pairs", "pairs_other"} and (folder / PAIRS_FILE).exists():
        weights = folder / PAIRS_FILE
        abilities[MASKED_PAIRS] = OnnxPairs(
            graph=graphs["pairs"], other=graphs["pairs_other"], weights=weights, vocabulary=vocabulary, width=width
        )
    if "aligner" in graphs and (folder / ALIGNER_FILE).exists():
        abilities[ALIGNER] = OnnxAligner(graphs["aligner"], folder / ALIGNER_FILE)
    return Model(
        name=name,
        digest=model_digest(folder),
        files=files_digest(folder),
        backend=backend,
        precision=precision,
        window=config["max_position_embeddings"],
        card=read_card(folder, precision),
        folder=folder,
        abilities=abilities,
        batch_tokens=max(config["max_position_embeddings"], min(_MOST_TOKENS, _TOKENS_PER_THREAD * threads())),
    )


def _refuse_other_shapes(folder: Path, wanted: Mapping[str, tuple[int, int]]) -> None:
    """Raise SpecError if a folder's weights lack a table, or if its shape differs from the configuration.

    wanted: the shape of each table by the configuration, by the name of the table.
    """
    path = folder / WEIGHTS_FILE
    tensors = tensors_of(path)
    for name, shape in wanted.items():
        if name not in tensors:
            raise SpecError(f"{path} lacks {name}")
        if (stored := tensors[name].shape) != shape:
            raise SpecError(f"{path}: {name} has the shape {stored}, but {CONFIG_FILE} says {shape}")


class OnnxGraph:
    """A graph that is loaded when it is first run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self, outputs: Sequence[str], shape: Sequence[int] | None = None, **inputs: NDArray[Any]) -> Any:
        """Return the outputs with these names, in this order.

        Args:
            outputs: the names.
            shape: the shape that all outputs must have; None for any shape.
            inputs: the arrays by name.

        Returns:
            An array for each output.

        Raises:
            SpecError: the graph cannot be run, has other inputs or outputs, or gives numbers that are not finite.
        """
        if lacking := [name for name in outputs if name not in self.outputs]:
            raise SpecError(f"{self._path} has no output {lacking[0]!r}: it is the graph of another model")
        if self._inputs != inputs.keys():
            asked = ", ".join(map(shown, sorted(self._inputs)))
            raise SpecError(f"{self._path} needs the inputs {asked}: it is the graph of another model")
        try:
            arrays = self._computed(outputs, inputs)
        except Exception as error:  # the library's classes are its own, and differ by version
            raise SpecError(f"{self._path} could not be run: {one_line(error)}") from None
        for name, value in zip(outputs, arrays, strict=True):
            if value.dtype != np.float32 or (shape is not None and value.shape != tuple(shape)):
                returned = f"{value.dtype} of the shape {value.shape}"
                raise SpecError(f"{self._path} returns {returned} as {name!r}: it is the graph of another model")
            # A weight that is not finite affects a whole row, or one number of every row. To check all logits would
            # add two percent to the time of computing them.
            rows = value.reshape(-1, value.shape[-1]) if value.size else value[None]
            if not (np.isfinite(rows[:, :1]).all() and np.isfinite(rows[:1]).all()):
                raise SpecError(f"{self._path} returns numbers that are not finite as {name!r}: a file is damaged")
        return arrays

    @cached_property
    def outputs(self) -> frozenset[str]:
        """The names of the graph's outputs."""
        return frozenset(output.name for output in self._session.get_outputs())

    @cached_property
    def _inputs(self) -> frozenset[str]:
        return frozenset(entry.name for entry in self._session.get_inputs())

    def _computed(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Return the outputs with these names, in this order. A graph of another library overrides it."""
        computed: Sequence[NDArray[Any]] = self._session.run(outputs, inputs)
        return computed

    def load(self) -> None:
        """Load the graph now."""
        _ = self._session

    @cached_property
    def _session(self) -> Any:
        """The session that runs the graph. A graph reads weights by position, so other weights are refused."""
        try:
            session, made_for = self._opened()
        except Exception as error:  # the library's classes are its own, and differ by version
            for file in sorted(self._path.parent.glob("*.safetensors")):
                tensors_of(file)  # a damaged one is named
            why = f"is not a graph that can be run with the weights beside it: {one_line(error)}"
            raise SpecError(f"{self._path} {why}") from None
        try:
            digests = dict(json.loads(made_for))
        except (ValueError, TypeError):
            raise SpecError(
                f"{self._path} does not say for which weights it was made: export the model again"
            ) from None
        for file, digest in digests.items():
            if layout_digest(self._path.parent / Path(file).name) != digest:
                raise SpecError(f"{self._path} was made for other weights than those of {file}: export the model again")
        return session

    def _opened(self) -> tuple[Any, str]:
        """Return the session of the file, and the entry in its metadata about weights."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads()
        # Memory plans are cached per input shape, and our shapes vary too much for that.
        options.enable_mem_pattern = False
        options.log_severity_level = 4  # errors are raised, and need not be logged as well
        session = onnxruntime.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
        return session, session.get_modelmeta().custom_metadata_map.get(WEIGHTS_KEY, "")


@dataclass(eq=False)
class OnnxEncoder:
    """The capability `Encoder`, computed by a graph and the embedding table among the weights."""

    graph: OnnxGraph
    weights: Path
    layers: int
    width: int

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> Floats:
        names, shape = [f"hidden_{layer}" for layer in layers], (*ids.shape, self.width)
        return np.stack(self.graph.run(names, shape, ids=ids, attend=attend))

    def static(self, ids: NDArray[np.int32]) -> Floats:
        table, scales = self._vocabulary
        rows = table[ids].astype(np.float32)
        return rows if scales is None else rows * scales[ids]

    @cached_property
    def _vocabulary(self) -> tuple[NDArray[Any], Floats | None]:
        """The embedding table as it is stored, and the scale of each row; None if the table is not in 8 bits."""
        with safe_open(self.weights, "np") as weights:
            in_steps = WORDS + SCALE in set(weights.keys())
            return weights.get_tensor(WORDS), weights.get_tensor(WORDS + SCALE) if in_steps else None


@dataclass(eq=False)
class OnnxMaskedLM:
    """The capability `MaskedLM`, computed by a graph."""

    graph: OnnxGraph
    vocabulary: int

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        shape = (len(at), self.vocabulary)
        logits: Floats = self.graph.run(["logits"], shape, ids=ids, attend=attend, at=at)[0]
        return logits


@dataclass(eq=False)
class OnnxPairs:
    """The capability `MaskedPairs`, computed by two graphs: one for the other text, one for the rows that see it."""

    graph: OnnxGraph
    other: OnnxGraph
    weights: Path
    vocabulary: int
    width: int

    @cached_property
    def digest(self) -> str:
        return digest_of([self.weights])

    def other_text(self, ids: Ints) -> dict[str, Floats]:
        keys, values = self.other.run(["keys", "values"], ids=ids[None], attend=np.ones_like(ids[None]))
        return {"keys": keys, "values": values}

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: dict[str, Floats]) -> Floats:
        asked, shape = np.arange(len(at)), (len(at), self.vocabulary)
        logits: Floats = self.graph.run(["logits"], shape, ids=ids, attend=attend, at=at, asked=asked, **other)[0]
        return logits

    def pair_states(self, ids: Ints, attend: Ints, other: dict[str, Floats]) -> Floats:
        at, asked, shape = np.arange(ids.size), np.empty(0, np.int64), (ids.size, self.width)
        states: Floats = self.graph.run(["states"], shape, ids=ids, attend=attend, at=at, asked=asked, **other)[0]
        return states.reshape(*ids.shape, -1)


@dataclass(eq=False)
class OnnxAligner:
    """The capability `Aligner`, computed by a graph."""

    graph: OnnxGraph
    weights: Path

    @cached_property
    def digest(self) -> str:
        return digest_of([self.weights])

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        names = [name for name in ("logits", "aggregate", "text", "against") if name in self.graph.outputs]
        outputs = dict(zip(names, self.graph.run(names, ids=ids, attend=attend, side=side), strict=True))
        logits, rows = outputs["logits"], [outputs[name] for name in names[1:]]
        if logits.shape != ids.shape or any(row.shape != ids.shape[:1] for row in rows):
            raise SpecError(f"{self.weights.parent}: the graph of the aligner is for another model")
        unknown = np.full(len(ids), np.nan, np.float32)
        return logits, outputs["aggregate"], outputs.get("text", unknown), outputs.get("against", unknown)


def threads() -> int:
    """Return the number of threads: NLGAUGE_THREADS, or the number of processors that this process may use."""
    wanted = os.environ.get("NLGAUGE_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

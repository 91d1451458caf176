"""How fast a model is here by each backend and precision, and how far its numbers then move.

Each way to run a model is timed in turns with the model as it is run by default, in float32, on texts that stand here.
`nlgauge doctor --speed` shows the times, and `precision='auto'` chooses by them (`nlgauge.run.precision`).
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from nlgauge._plugins import installed_version
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.masked import BagRequest
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, TOKENIZER, Capability, Model
from nlgauge.engine.models.onnx import threads
from nlgauge.errors import MissingExtraError, SpecError

Load = Callable[[str, str, str, str | None], Model]
"""`nlgauge.engine.models.loading.load`"""

ROUNDS = 3
_HOPELESS = 4.0
"""A way that takes so many times as long as float32 is timed once: as bfloat16 on a processor without units for it"""
_LEFT_OUT = {
    ("openvino", "int8"): "OpenVINO reads the graphs of int8 in 12 to 37 seconds; onnxruntime computes in int8"
}
_VERSION = 1
"""Of the texts and of what is measured on them: records of another version are not read"""
_LIBRARIES = ("numpy", "onnxruntime", "openvino", "tokenizers", "torch", "transformers")
_SENTENCES = (
    "The ferry leaves the harbour at seven and returns before dark.",
    "Two engineers repaired the pump while the third wrote down every valve that leaked.",
    "Nobody answered.",
    "A library in the old mill lends tools, seeds and, since last spring, musical instruments.",
    "Prices rose by four per cent in the first half of the year and fell a little in the autumn.",
    "Her brother sent a postcard with a lighthouse on it and no message at all.",
    "The committee will vote again in June because eleven of its members were absent.",
    "Snow closed the pass for nine days, so the letters came by boat.",
    "He planted thirty apple trees along the road, and most of them still bear fruit.",
    "What the recipe calls a pinch is, according to the cook, about half a gram.",
    "The museum shows a clock that loses one second in three hundred years.",
    "After the storm, volunteers counted 212 storks on the flooded meadow.",
)
TEXTS = (*_SENTENCES, *(" ".join((*_SENTENCES[at:], *_SENTENCES[:at])) for at in (0, 5)))
"""Twelve short texts and two long ones"""


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """One way to run a model: how fast it is, and how far its numbers are from float32."""

    backend: str
    """As `load` takes it: 'onnxruntime', 'openvino' or 'torch'; 'auto' for a model that chooses its backend itself"""
    precision: str
    opening: float
    """Seconds until the model is ready: files are read, and the graph is compiled"""
    seconds: float
    """Of the clock, for 1,000 sub-words; the median of the rounds"""
    times_as_fast: tuple[float, float, float]
    """As float32 by default in the same round: the least, the median and the largest of the rounds"""
    change: float
    """The largest difference from float32 among `Measure.numbers` of `TEXTS`"""


class Speeds(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of a model on a machine."""

    model: str
    changed: str
    """What `Timing.change` is a difference of"""
    timings: list[Timing]
    """The first is of float32 by default, and the others are timed beside it"""
    missing: dict[str, str]
    """Why another way cannot be taken, by "backend precision" """


@dataclass(frozen=True)
class Measure:
    """What is computed from `TEXTS` to time a model with a certain capability."""

    capability: Capability[Any]
    changed: str
    numbers: Callable[[Model], NDArray[np.float64]]
    """Compute what a metric would need of the model; numbers between -1 and 1 that precisions are compared by"""


def _cosines(model: Model) -> NDArray[np.float64]:
    """Return the cosine of each sub-word of a text with each of the next text, by the last layer."""
    requests = [VectorsRequest(text, (model[ENCODER].layers,)) for text in TEXTS]
    features = Engine(model).features(requests)
    vectors = [
        feature.vectors[0].astype(np.float64) for request in requests if (feature := features[request]) is not None
    ]
    units = [vector / np.maximum(np.linalg.norm(vector, axis=1, keepdims=True), 1e-12) for vector in vectors]
    return np.concatenate([(first @ second.T).ravel() for first, second in pairwise(units)])


def _supported(model: Model) -> NDArray[np.float64]:
    """Return how likely each sub-word of a text is supported by the next text, and whether the whole text is."""
    requests = [AlignmentRequest(text, (other,)) for text, other in pairwise(TEXTS)]
    features = Engine(model).features(requests)
    logits: list[float] = []
    for request in requests:
        if (feature := features[request]) is not None:
            logits += [*feature.logits.tolist(), *(stretch.logit for stretch in feature.stretches)]
    all_logits = np.array(logits)
    return np.asarray(1 / (1 + np.exp(-all_logits[~np.isnan(all_logits)].clip(-50, 50))))


def _predicted(model: Model) -> NDArray[np.float64]:
    """Return the probabilities that a masked word of each text has."""
    requests = [BagRequest(text, 1.0) for text in TEXTS]
    features = Engine(model).features(requests)
    bags = [feature.log_probabilities for request in requests if (feature := features[request]) is not None]
    return np.exp(np.concatenate(bags).astype(np.float64))


MEASURES = (
    Measure(ENCODER, "cosine of two sub-words", _cosines),
    Measure(ALIGNER, "probability of being supported", _supported),
    Measure(MASKED_LM, "probability of a word", _predicted),
)
"""A model is timed by the first whose capability it has"""


def processor() -> str:
    """Return the name of the processor and a digest of the instructions that it has."""
    described = Path("/proc/cpuinfo")
    if not described.is_file():
        return f"{platform.processor() or 'unknown'}, {platform.machine()}"
    lines = described.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0].splitlines()
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = facts.get("flags", facts.get("Features", ""))
    return f"{facts.get('model name', platform.machine())}, {sha256(flags.encode()).hexdigest()[:8]}"


def speed_key(model: Model, device: str | None) -> str:
    """Return the key of stored times: all that they depend on.

    Args:
        model: the model in float32 by default; its `backend` names a device that is not the processor.
        device: as it was asked for.

    Returns:
        The key.
    """
    libraries = [f"{name} {_release(name)}" for name in _LIBRARIES]
    machine = [processor(), platform.system(), threads(), os.cpu_count(), device, model.backend]
    return "speed|" + repr([_VERSION, machine, libraries, model.name, model.digest, model.files])


def _release(library: str) -> str:
    """Return the version of a library; 'absent' for one that is not installed."""
    try:
        return installed_version(library)
    except PackageNotFoundError:
        return "absent"


def measured(name: str, device: str | None = None, load: Load = loading.load, rounds: int = ROUNDS) -> Speeds | None:
    """Return how fast a model is with each backend and precision. Each is timed in turns with float32.

    Args:
        name: of the model, as `load` takes it.
        device: as `load` takes it.
        load: what loads a model.
        rounds: how often each way is timed.

    Returns:
        The times; None for a model that has no capability to be timed by.

    Raises:
        SpecError: the model cannot be loaded in float32.
        MissingExtraError: as `load`.
    """
    began = time.perf_counter()
    exact = load(name, "float32", "auto", device)
    measure = next((measure for measure in MEASURES if measure.capability in exact), None)
    if measure is None:
        return None
    numbers, _ = _timed(measure, exact)
    opened = time.perf_counter() - began
    words = sum(len(tokens.ids) for tokens in exact[TOKENIZER].encode(TEXTS)) / 1000
    again = [_timed(measure, exact)[1] for _ in range(rounds)]
    usual = Timing(
        backend=_backend_of(exact) if not loading.chooses_backend(name) else "auto",
        precision="float32",
        opening=max(opened - statistics.median(again), 0.0),
        seconds=statistics.median(again) / words,
        times_as_fast=(1.0, 1.0, 1.0),
        change=0.0,
    )
    timings, missing = [usual], {}
    for backend, precision in _ways(name):
        if (backend, precision) == (usual.backend, "float32"):
            continue
        if (backend, precision) in _LEFT_OUT:
            missing[f"{backend} {precision}"] = _LEFT_OUT[backend, precision]
            continue
        began = time.perf_counter()
        try:
            model = load(name, precision, backend, device)
            moved, _ = _timed(measure, model)
        except (SpecError, MissingExtraError) as error:
            missing[f"{backend} {precision}"] = str(error)
            continue
        opened = time.perf_counter() - began
        turns: list[tuple[float, float]] = []
        while len(turns) < rounds and (not turns or turns[0][1] < _HOPELESS * turns[0][0]):
            turns.append((_timed(measure, exact)[1], _timed(measure, model)[1]))
        ratios = [float32 / other for float32, other in turns]
        seconds = statistics.median(other for _, other in turns)
        timings.append(
            Timing(
                backend=backend,
                precision=precision,
                opening=max(opened - seconds, 0.0),
                seconds=seconds / words,
                times_as_fast=(min(ratios), statistics.median(ratios), max(ratios)),
                change=float(np.abs(moved - numbers).max()),
            )
        )
        del model
        gc.collect()  # two models at most are in memory
    return Speeds(model=name, changed=measure.changed, timings=timings, missing=missing)


def _ways(name: str) -> Iterator[tuple[str, str]]:
    """Yield each backend with each precision; for a model that chooses its backend itself, the precisions."""
    backends: Sequence[str] = ("auto",) if loading.chooses_backend(name) else loading.BACKENDS[1:]
    for backend in backends:
        for precision in loading.PRECISIONS:
            yield backend, precision


def _backend_of(model: Model) -> str:
    """Return the backend of a model by its name in signatures, as `load` takes it."""
    return model.backend.partition("-")[0]


def _timed(measure: Measure, model: Model) -> tuple[NDArray[np.float64], float]:
    """Return the numbers of a model, and the seconds of the clock that they took."""
    began = time.perf_counter()
    numbers = measure.numbers(model)
    return numbers, time.perf_counter() - began

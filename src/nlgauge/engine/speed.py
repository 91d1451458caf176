"""The speed of a model on this machine with each backend and precision, and how far its numbers then change.

Each way to run a model is timed in turns with the model's default way in float32, on the texts of this file. `nlgauge
doctor --speed` shows the times, and `precision='auto'` chooses by them (`nlgauge.run.precision`).
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
"""A function with the arguments and the result of `nlgauge.engine.models.loading.load`"""

ROUNDS = 3
_HOPELESS = 4.0
"""A way that takes this many times as long as float32 is timed once only, such as bfloat16 on a processor without units
for it"""
_LEFT_OUT = {
    ("openvino", "int8"): "OpenVINO reads the graphs of int8 in 12 to 37 seconds; onnxruntime computes in int8"
}
_VERSION = 1
"""The version of the texts and of the measures. Records of another version are not used"""
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
    """The measured speed of a model with one backend and precision, and how far its numbers are from float32."""

    backend: str
    """The backend, as `load` takes it: 'onnxruntime', 'openvino' or 'torch'; 'auto' for a model that chooses its
    backend itself"""
    precision: str
    opening: float
    """The seconds in which the model becomes ready: its files are read, and its graph is compiled"""
    seconds: float
    """The seconds for 1,000 sub-words by the clock; the median of the rounds"""
    times_as_fast: tuple[float, float, float]
    """The speed relative to the default way in float32 in the same round: the least, the median and the largest of the
    rounds"""
    change: float
    """The largest absolute difference from float32 among the numbers of `Measure.numbers`"""


class Speeds(msgspec.Struct, frozen=True, kw_only=True):
    """The measured speeds of a model on a machine."""

    model: str
    changed: str
    """The name of the numbers that `Timing.change` compares, such as 'cosine of two sub-words'"""
    timings: list[Timing]
    """The timings: first that of the default way in float32, then the others, which were timed in turns with it"""
    missing: dict[str, str]
    """By "backend precision": the reason why that way cannot be used"""


@dataclass(frozen=True)
class Measure:
    """The numbers that are computed from `TEXTS` to time a model with a certain capability."""

    capability: Capability[Any]
    changed: str
    numbers: Callable[[Model], NDArray[np.float64]]
    """Computes numbers that a metric needs of the model. They are between -1 and 1, and are compared between
    precisions"""


def _cosines(model: Model) -> NDArray[np.float64]:
    """Return the cosines of the sub-words of each of `TEXTS` with those of the text after it, by the last layer.

    Returns:
        The cosines of all pairs of texts, one after the other: [cosines].
    """
    requests = [VectorsRequest(text, (model[ENCODER].layers,)) for text in TEXTS]
    features = Engine(model).features(requests)
    vectors = [
        feature.vectors[0].astype(np.float64) for request in requests if (feature := features[request]) is not None
    ]
    units = [vector / np.maximum(np.linalg.norm(vector, axis=1, keepdims=True), 1e-12) for vector in vectors]
    return np.concatenate([(first @ second.T).ravel() for first, second in pairwise(units)])


def _supported(model: Model) -> NDArray[np.float64]:
    """Return the probabilities that the next text supports each sub-word of a text, and each stretch as a whole."""
    requests = [AlignmentRequest(text, (other,)) for text, other in pairwise(TEXTS)]
    features = Engine(model).features(requests)
    logits: list[float] = []
    for request in requests:
        if (feature := features[request]) is not None:
            logits += [*feature.logits.tolist(), *(stretch.logit for stretch in feature.stretches)]
    all_logits = np.array(logits)
    return np.asarray(1 / (1 + np.exp(-all_logits[~np.isnan(all_logits)].clip(-50, 50))))


def _predicted(model: Model) -> NDArray[np.float64]:
    """Return the mean probability of each token of the vocabulary, over the masked tokens of each text."""
    requests = [BagRequest(text, 1.0) for text in TEXTS]
    features = Engine(model).features(requests)
    bags = [feature.log_probabilities for request in requests if (feature := features[request]) is not None]
    return np.exp(np.concatenate(bags).astype(np.float64))


MEASURES = (
    Measure(ENCODER, "cosine of two sub-words", _cosines),
    Measure(ALIGNER, "probability of being supported", _supported),
    Measure(MASKED_LM, "probability of a word", _predicted),
)
"""The measures. A model is timed by the first measure whose capability it has"""


def processor() -> str:
    """Return the name of the processor, and a digest of its instruction set where the system tells it."""
    described = Path("/proc/cpuinfo")
    if not described.is_file():
        return f"{platform.processor() or 'unknown'}, {platform.machine()}"
    lines = described.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0].splitlines()
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = facts.get("flags", facts.get("Features", ""))
    return f"{facts.get('model name', platform.machine())}, {sha256(flags.encode()).hexdigest()[:8]}"


def speed_key(model: Model, device: str | None) -> str:
    """Return the cache key of stored times, which contains all that the times depend on.

    Args:
        model: the model with its defaults in float32. Its `backend` names the device if that is not the CPU.
        device: the device that the user chose; None for the default.

    Returns:
        The key.
    """
    libraries = [f"{name} {_release(name)}" for name in _LIBRARIES]
    machine = [processor(), platform.system(), threads(), os.cpu_count(), device, model.backend]
    return "speed|" + repr([_VERSION, machine, libraries, model.name, model.digest, model.files])


def _release(library: str) -> str:
    """Return the version of a library, or 'absent' if it is not installed."""
    try:
        return installed_version(library)
    except PackageNotFoundError:
        return "absent"


def measured(name: str, device: str | None = None, load: Load = loading.load, rounds: int = ROUNDS) -> Speeds | None:
    """Return how fast a model is with each backend and precision. Each of these is timed in turns with float32.

    Args:
        name: the name of the model, as `load` takes it.
        device: as `load` takes it.
        load: the function that loads a model.
        rounds: the number of times that each way is timed.

    Returns:
        The times; None for a model without a capability that can be timed.

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
    """Yield each backend with each precision. A model that chooses its backend itself has the backend 'auto'."""
    backends: Sequence[str] = ("auto",) if loading.chooses_backend(name) else loading.BACKENDS[1:]
    for backend in backends:
        for precision in loading.PRECISIONS:
            yield backend, precision


def _backend_of(model: Model) -> str:
    """Return the backend of a model, as `load` takes it, from its name in signatures."""
    return model.backend.partition("-")[0]


def _timed(measure: Measure, model: Model) -> tuple[NDArray[np.float64], float]:
    """Return the numbers of a model, and the seconds in which it computed them."""
    began = time.perf_counter()
    numbers = measure.numbers(model)
    return numbers, time.perf_counter() - began

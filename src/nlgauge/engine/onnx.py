"""Models run by onnxruntime: the embedded one, and any folder that `nlgauge.training.export` wrote.

Chosen over OpenVINO after measuring both on the same graph (benchmarks/runtimes.py): within a few per cent in speed on
a quiet machine, and onnxruntime starts faster, is a third of the size and brings no telemetry package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from nlgauge.engine.folder import (
    ALIGNER_FILE,
    PAIRS_FILE,
    WEIGHTS_FILE,
    DocumentFrequencies,
    file_digest,
    read_aligner_threshold,
    read_bertscore_baseline,
    read_document_frequencies,
    recommended_temperature,
)
from nlgauge.engine.model import no_aligner, no_gaps, no_writing
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError


class OnnxModel:
    """A LanguageModel on the CPU, without torch. Each graph is loaded when it is first needed."""

    precision = "float32"

    def __init__(self, folder: Path, name: str) -> None:
        missing = [file for file in (WEIGHTS_FILE, "config.json", "tokenizer.json") if not (folder / file).exists()]
        if missing:
            raise SpecError(f"model {name!r}: {folder} lacks {', '.join(missing)}")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.name = name
        self.window = int(config["max_position_embeddings"])
        self.layers = int(config["num_hidden_layers"])
        self.width = int(config["hidden_size"])
        self.temperature = recommended_temperature(folder)
        self.folder: Path | None = folder
        self._folder = folder

    @cached_property
    def document_frequencies(self) -> DocumentFrequencies | None:
        return read_document_frequencies(self._folder)

    @cached_property
    def bertscore_baseline(self) -> dict[int, tuple[float, float, float]] | None:
        return read_bertscore_baseline(self._folder)

    @cached_property
    def tokenizer(self) -> SubwordTokenizer:
        return SubwordTokenizer.read(str(self._folder / "tokenizer.json"))

    @cached_property
    def digest(self) -> str:
        found = file_digest(self._folder / WEIGHTS_FILE)
        assert found is not None
        return found

    @property
    def backend(self) -> str:
        import onnxruntime

        return f"onnxruntime-{onnxruntime.__version__}"

    def hidden(self, ids: NDArray[np.int64], attend: NDArray[np.int64], layers: Sequence[int]) -> NDArray[np.float32]:
        states = self._encoder.run([f"hidden_{layer}" for layer in layers], {"ids": ids, "attend": attend})
        return np.stack(states)

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self._vocabulary[ids].astype(np.float32)

    @cached_property
    def _vocabulary(self) -> NDArray[np.float16]:
        with safe_open(self._folder / WEIGHTS_FILE, "np") as weights:
            table: NDArray[np.float16] = weights.get_tensor("bert.embeddings.word_embeddings.weight")
        return table

    def masked_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        logits: NDArray[np.float32] = self._masked.run(["logits"], {"ids": ids, "attend": attend, "at": at})[0]
        return logits

    @cached_property
    def aligner_digest(self) -> str | None:
        return file_digest(self._folder / ALIGNER_FILE)

    @cached_property
    def aligner_threshold(self) -> float:
        return read_aligner_threshold(self._folder)

    @cached_property
    def pairs_digest(self) -> str | None:
        return file_digest(self._folder / PAIRS_FILE)

    def other_text(self, ids: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        row = ids[None]
        keys, values = self._pairs_other.run(["keys", "values"], {"ids": row, "attend": np.ones_like(row)})
        return {"keys": keys, "values": values}

    def pair_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64], other: Any
    ) -> NDArray[np.float32]:
        asked = np.arange(len(at))
        feed = {"ids": ids, "attend": attend, "at": at, "asked": asked, **other}
        logits: NDArray[np.float32] = self._pairs.run(["logits"], feed)[0]
        return logits

    def pair_states(self, ids: NDArray[np.int64], attend: NDArray[np.int64], other: Any) -> NDArray[np.float32]:
        at, asked = np.arange(ids.size), np.empty(0, np.int64)
        feed = {"ids": ids, "attend": attend, "at": at, "asked": asked, **other}
        states: NDArray[np.float32] = self._pairs.run(["states"], feed)[0]
        return states.reshape(*ids.shape, -1)

    @cached_property
    def _pairs(self) -> Any:
        return self._session("pairs.onnx")

    @cached_property
    def _pairs_other(self) -> Any:
        return self._session("pairs_other.onnx")

    sentinels: tuple[int, int] | None = None

    def fill(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        raise no_gaps(self.name)

    writes: str | None = None

    def written_logs(
        self, ids: NDArray[np.int64], given: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    ) -> NDArray[np.float64]:
        raise no_writing(self.name)

    def align(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], side: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        logits, aggregate = self._aligner.run(["logits", "aggregate"], {"ids": ids, "attend": attend, "side": side})
        return logits, aggregate

    @cached_property
    def _aligner(self) -> Any:
        if self.aligner_digest is None:
            raise no_aligner(self.name)
        return self._session("aligner.onnx")

    @cached_property
    def _masked(self) -> Any:
        return self._session("masked.onnx")

    @cached_property
    def _encoder(self) -> Any:
        return self._session("encoder.onnx")

    def _session(self, graph: str) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads()
        # Plans of memory are kept per input shape, and our shapes vary without end.
        options.enable_mem_pattern = False
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(self._folder / graph), options, providers=["CPUExecutionProvider"])


def threads() -> int:
    """Threads to compute with: NLGAUGE_THREADS, or the processors that this process may use."""
    wanted = os.environ.get("NLGAUGE_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

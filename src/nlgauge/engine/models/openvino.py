"""Models run by OpenVINO (extra `openvino`), for bfloat16 on processors that support it.

The graphs are the same as in `nlgauge.engine.models.onnx`. In float32 the numbers equal onnxruntime's up to rounding.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.onnx import WEIGHTS_KEY, OnnxGraph, open_graphs, threads
from nlgauge.errors import MissingExtraError, SpecError

_TELEMETRY = "openvino_telemetry"


def open_openvino(folder: Path, name: str, precision: str = "float32") -> Model:
    """Return the model of a folder as `open_graphs` does, with OpenVINO.

    Args:
        folder: the folder.
        name: the name of the model in signatures.
        precision: 'float32', 'bfloat16' or 'int8'.

    Returns:
        The model.

    Raises:
        MissingExtraError: OpenVINO is not installed.
        SpecError: the processor does not support bfloat16.
    """
    try:
        backend = f"openvino-{version('openvino')}"
    except PackageNotFoundError:
        raise MissingExtraError("backend 'openvino'", "openvino") from None
    if precision == "bfloat16" and not has_bfloat16():  # OpenVINO would silently compute in float32
        raise SpecError("OpenVINO does not support bfloat16 on this processor; choose precision='float32'")
    return open_graphs(
        folder, name, precision=precision, graph=partial(OpenVinoGraph, precision=precision), backend=backend
    )


def has_bfloat16() -> bool:
    """Return whether OpenVINO is installed and supports bfloat16 on this processor."""
    if find_spec("openvino") is None:
        return False
    return "BF16" in _library().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


@cache
def _library() -> Any:
    """Return the module openvino, imported without its telemetry package.

    That package sends a message at each import and writes files into the user's home.
    """
    telemetry = sys.modules.get(_TELEMETRY)
    sys.modules[_TELEMETRY] = None  # type: ignore[assignment]  # makes Python treat the module as missing
    try:
        import openvino
    finally:
        del sys.modules[_TELEMETRY]
        if telemetry is not None:
            sys.modules[_TELEMETRY] = telemetry
    return openvino


class OpenVinoGraph(OnnxGraph):
    """A graph whose file is read when it is first run, and that is compiled for each set of outputs."""

    def __init__(self, path: Path, precision: str) -> None:
        super().__init__(path)
        self._settings = {
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32",
            "INFERENCE_NUM_THREADS": threads(),
            "PERFORMANCE_HINT": "LATENCY",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",  # else hidden states are rounded if weights are stored in 8 bits
        }
        self._requests: dict[tuple[str, ...], Any] = {}
        self._alone = Lock()  # a request computes one batch at a time

    @cached_property
    def outputs(self) -> frozenset[str]:
        return frozenset(name for port in self._session.outputs for name in port.names)

    @cached_property
    def _inputs(self) -> frozenset[str]:
        return frozenset(name for port in self._session.inputs for name in port.names)

    def _computed(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        wanted = tuple(sorted(outputs))
        if wanted not in self._requests:  # a compiled graph computes all its outputs
            results = [self._session.output(name).node for name in wanted]
            part = _library().Model(results, self._session.get_parameters())
            compiled = _library().Core().compile_model(part, "CPU", self._settings)
            self._requests[wanted] = compiled.create_infer_request()
        with self._alone:
            computed = self._requests[wanted].infer(dict(inputs))
            return [computed[name] for name in outputs]

    def _opened(self) -> tuple[Any, str]:
        model = _library().Core().read_model(self._path)
        metadata = ["framework", WEIGHTS_KEY]
        return model, str(model.get_rt_info(metadata).value) if model.has_rt_info(metadata) else ""

"""Builder of a graph whose products with weights are in 8 bits; all else stays in float32.

Weights are whole steps with one scale for each column, and states are whole steps with one scale for each row. A scale
is the smallest one that reaches the largest entry. Scales are not stored. The scales and steps of columns are computed
from the folder's weights when the session is built, and the scales of rows when a row is computed.

- A row has a scale of its own. onnxruntime's DynamicQuantizeMatMul has one for the whole batch. But no number may
  depend on the other rows of its batch.
- Weights use 7 of the 8 bits. Processors without instructions for 8 bits (VNNI) add two products in 16 bits before they
  add in 32. Two products of 255 * 63 fit into 16 bits, and two of 255 * 127 do not, so the sum would be cut silently.
- Products of states with states, in attention, are small and stay in float32. So do softmax, norms, and the heads of
  the aligner, which have one or 128 columns.

MatMulNBits also takes 8 bits, with a scale for every few entries of a row. It is nearer to float32 and half as fast
(benchmarks/int8.py measures the speed of the whole; docs/precision.md says what was tried).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from onnx import TensorProto

from nlgauge.engine.models.folder import WORDS
from nlgauge_lab.training.graph import HEAD, Graph

_DOMAIN = "com.microsoft"
_STATE_STEPS, _WEIGHT_STEPS = 127, 63
_ZERO = 128
"""Steps of states are unsigned numbers with this zero, so that onnxruntime takes the same kernels everywhere"""
_LEAST = 1e-30
"""The least scale, so that a row or a column of zeros has one too"""


@dataclass(frozen=True)
class _Steps:
    """States in whole steps, as names of values in a graph."""

    steps: str
    """The steps, uint8: [n, inputs]"""
    scale: str
    """The width of a step in each row, float32: [n, 1]"""


class Int8Graph(Graph):
    """A graph whose `linear` and `to_vocabulary` multiply in 8 bits."""

    opsets: ClassVar[Mapping[str, int]] = {**Graph.opsets, _DOMAIN: 1}

    def __init__(self, weights: Path, config: Mapping[str, int | float], delta: Path | None = None) -> None:
        super().__init__(weights, config, delta)
        self._stepped: dict[str, _Steps] = {}

    def words(self, ids: str) -> str:
        """Look up rows of the vocabulary's table, and convert only these to float32, which needs half the memory."""
        if self.adapts(WORDS) or self.base_in_steps(WORDS):
            return super().words(ids)
        return self.op("Cast", self.op("Gather", self.stored(WORDS), ids), to=TensorProto.FLOAT)

    def linear(self, x: str, layer: str) -> str:
        bias = self.weight(layer + ".bias")
        return self.op("Add", self._product(x, self.weight(layer + ".weight")), bias)

    def to_vocabulary(self, x: str, name: str) -> None:
        self.named(name, "Add", self._product(x, self.weight(WORDS)), self.weight(HEAD))

    def _product(self, x: str, weights: str) -> str:
        """Return states [n, inputs] times weights [outputs, inputs]: [n, outputs]."""
        states = self._in_steps(x)
        scales = self.op("Reshape", self._scale(weights, _WEIGHT_STEPS), self.constant([-1]))
        zeros = self.op("Expand", self.constant([0], np.int8), self.op("Shape", scales))
        columns = self.op("Transpose", self.op("QuantizeLinear", weights, scales, zeros, axis=0), perm=[1, 0])
        one, zero = self._number(1.0), self.constant(_ZERO, np.uint8)
        product = self.op("MatMulIntegerToFloat", states.steps, columns, one, scales, zero, domain=_DOMAIN)
        return self.op("Mul", product, states.scale)

    def _in_steps(self, x: str) -> _Steps:
        """Return states in 8 bits. They are computed once for all products that use them."""
        if x not in self._stepped:
            scale = self._scale(x, _STATE_STEPS)
            zero = self.constant(_ZERO, np.uint8)
            steps = self.op("QuantizeLinear", self.op("Div", x, scale), self._number(1.0), zero)
            self._stepped[x] = _Steps(steps, scale)
        return self._stepped[x]

    def _scale(self, x: str, steps: int) -> str:
        """Return the width of a step for every row of x: [n, 1].

        `steps` steps of this width reach the row's largest absolute entry.
        """
        # Both ends, rather than the largest of absolute values: reading twice is faster than writing once.
        ends = [self.op(kind, x, self.constant([1]), keepdims=1) for kind in ("ReduceMax", "ReduceMin")]
        largest = self.op("Max", ends[0], self.op("Neg", ends[1]))
        return self.op("Max", self.op("Mul", largest, self._number(1 / steps)), self._number(_LEAST))

    def _number(self, number: float) -> str:
        return self.constant(number, np.float32)

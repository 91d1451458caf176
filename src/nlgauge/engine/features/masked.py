"""Masked predictions: each token of a text is masked in turn. Features are mean distributions and log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import spread
from nlgauge.engine.features.likelihood import Likelihood
from nlgauge.engine.features.request import ModelPasses, Reader, TextRequest, tokens_about
from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import Window

_MASKS_APART = 8
_FLOAT32_EXPONENT = 80.0


@dataclass(frozen=True)
class TokenWeights:
    """A weight for every token of the vocabulary. Weights are compared by digest."""

    digest: str
    values: NDArray[np.float64] = field(compare=False, repr=False)
    """[vocabulary], >= 0"""


@dataclass(frozen=True, eq=False)
class Bag:
    """The weighted mean of a text's masked distributions. Bags are compared by identity."""

    log_probabilities: NDArray[np.float32]
    """[vocabulary], natural logarithm, in the precision of the cache, so that cached and computed values are equal"""
    unweighted: bool
    """True if the weights of all tokens were 0, so that every token counted the same instead"""


def read_masked(
    requests: Sequence[BagRequest | MaskedLikelihoodRequest], block: TextBlock
) -> dict[BagRequest | MaskedLikelihoodRequest, Bag | Likelihood | None]:
    """Return the feature of each request; None for a text without tokens.

    The tokens of a text are masked once for all its requests.
    """
    model = block.model[MASKED_LM]
    before = len(block.model[TOKENIZER].prefix)
    asked: dict[tuple[str, int], list[BagRequest | MaskedLikelihoodRequest]] = {}
    for request in requests:
        if len(block.tokens(request.text)):
            asked.setdefault((request.text, request.stride), []).append(request)
    sums = {key: _TextSums(_read(key[0], block), of_text) for key, of_text in asked.items()}
    work = [(key, window, at) for key in asked for window in block.windows(key[0]) for at in _passes(window, key[1])]
    lengths, strides = [window.end - window.begin for _, window, _ in work], [key[1] for key, _, _ in work]
    for index in block.batches(lengths, kinds=strides):
        part = [work[i] for i in index]
        ids, attend = block.rows([(key[0], window) for key, window, _ in part])
        table, used = spread([at - window.begin + before for _, window, at in part])
        flat = (np.arange(len(part))[:, None] * ids.shape[1] + table).ravel()
        ids.reshape(-1)[flat] = block.model.mask_id
        logits = model.masked_logits(ids, attend, flat)
        for key, first, last in _stretches([key for key, _, _ in part]):
            rows = np.concatenate(used[first:last])
            sums[key].add(logits[rows], np.concatenate([at for _, _, at in part[first:last]]))
    out: dict[BagRequest | MaskedLikelihoodRequest, Bag | Likelihood | None] = dict.fromkeys(requests)
    for key, total in sums.items():
        out.update(total.answers(key[0]))
    return out


def _read(text: str, block: TextBlock) -> Tokens:
    """Return the tokens of a text that are read, without tokens that the window policy cuts off."""
    tokens, used = block.tokens(text), block.used(text)
    return Tokens(tokens.ids[:used], tokens.offsets[:used])


def _stretches(keys: Sequence[object]) -> Iterator[tuple[Any, int, int]]:
    """Yield each run of equal neighbours: the key, its first index, and the index after its last."""
    first = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[first]:
            yield keys[first], first, at
            first = at


def masked_passes(text: str, stride: int) -> ModelPasses:
    """Return the passes in which each token of a text is masked, `stride` tokens at a time."""
    return ModelPasses((read_masked, text, stride), len(text) * tokens_about(text) // stride)


def _passes(window: Window, stride: int) -> list[NDArray[np.intp]]:
    """Return the positions masked in each pass over a window: every used position once, `stride` of them per pass.

    Positions of one pass are at least eight sub-words apart if the window is long enough: closer masks would hide the
    words that the prediction depends on.
    """
    used = window.used_to - window.used_from
    count = used if stride == 1 else max(-(-used // stride), min(used, _MASKS_APART))
    return [np.arange(window.used_from + first, window.used_to, count) for first in range(count)]


@dataclass(frozen=True)
class BagRequest(TextRequest[Bag]):
    """A request for the weighted mean of a text's masked distributions (InfoLM, section 3, equation 1).

    Each token in turn is masked and predicted from the rest.
    """

    capability = MASKED_LM
    reader: ClassVar[Reader] = staticmethod(read_masked)

    temperature: float
    weights: TokenWeights | None = None
    """The weight of each token; None if every token counts the same"""
    stride: int = 1
    """How many tokens, far from each other, are masked in one pass; 1 is exact"""

    @property
    def passes(self) -> ModelPasses:
        return masked_passes(self.text, self.stride)

    def size(self, model: Model) -> int:
        return 4 * model[TOKENIZER].vocabulary

    @property
    def key(self) -> str:
        weights = self.weights.digest if self.weights else "none"
        return f"bag|{self.temperature!r}|{weights}|{self.stride}|{self.text}"

    def pack(self, feature: Bag) -> bytes:
        return bytes([feature.unweighted]) + feature.log_probabilities.astype("<f4").tobytes()

    def unpack(self, content: bytes, model: Model) -> Bag:
        if len(content) != 1 + self.size(model):
            raise ValueError(f"{len(content)} bytes")
        return Bag(np.frombuffer(content, "<f4", offset=1), bool(content[0]))


@dataclass(frozen=True)
class MaskedLikelihoodRequest(TextRequest[Likelihood]):
    """A request for the log-probability of each token when it alone is masked (Salazar et al. 2020, equation 1)."""

    capability = MASKED_LM
    reader: ClassVar[Reader] = staticmethod(read_masked)

    stride: int = 1
    """How many tokens, far from each other, are masked in one pass; 1 is exact"""

    @property
    def passes(self) -> ModelPasses:
        return masked_passes(self.text, self.stride)

    def size(self, model: Model) -> int:
        return 16 * tokens_about(self.text)


class _TextSums:
    """The sums of the features that are requested of one text: weighted means, and log-probabilities of its tokens."""

    def __init__(self, tokens: Tokens, requests: Sequence[BagRequest | MaskedLikelihoodRequest]) -> None:
        self._tokens = tokens
        self._likelihoods = [request for request in requests if isinstance(request, MaskedLikelihoodRequest)]
        self._logs = np.full(len(tokens), np.nan)
        self._bags: dict[float, _BagSums] = {}
        bags = [request for request in requests if isinstance(request, BagRequest)]
        for temperature in dict.fromkeys(request.temperature for request in bags):
            self._bags[temperature] = _BagSums(tokens, [r for r in bags if r.temperature == temperature])

    def add(self, logits: NDArray[np.float32], at: NDArray[np.intp]) -> None:
        """Add the logits [positions, vocabulary] at the positions `at` of the text."""
        top = logits.max(axis=1, keepdims=True)
        if self._likelihoods:
            mass = np.exp(logits - top).sum(axis=1, dtype=np.float64)
            self._logs[at] = (logits[np.arange(len(at)), self._tokens.ids[at]] - top[:, 0]) - np.log(mass)
        widest = float((top[:, 0] - logits.min(axis=1)).max())
        for temperature, sums in self._bags.items():
            # Exponentials in float32 are six times as fast, and correct as long as none underflows.
            exact = widest / temperature > _FLOAT32_EXPONENT
            shares = (logits - top).astype(np.float64 if exact else np.float32, copy=False)
            shares *= shares.dtype.type(1 / temperature)
            sums.add(np.exp(shares, out=shares), at)

    def answers(self, text: str) -> Iterator[tuple[BagRequest | MaskedLikelihoodRequest, Bag | Likelihood]]:
        for sums in self._bags.values():
            yield from sums.bags()
        for request in self._likelihoods:
            yield request, Likelihood(text, self._logs, self._tokens.offsets)


class _BagSums:
    """The sums of bags that are requested of one text with the same temperature."""

    def __init__(self, tokens: Tokens, requests: Sequence[BagRequest]) -> None:
        self._requests = requests
        self._weights = np.ones((len(requests), len(tokens)))
        self._unweighted = [False] * len(requests)
        for row, request in enumerate(requests):
            if request.weights is not None:
                weights = request.weights.values[tokens.ids]
                self._unweighted[row] = not weights.any()
                if weights.any():
                    self._weights[row] = weights
        self._mass = np.zeros(len(requests))
        self._sum: NDArray[np.float64] | float = 0.0

    def add(self, shares: NDArray[Any], at: NDArray[np.intp]) -> None:
        """Add the predictions at some positions of the text.

        Args:
            shares: numbers that are proportional to the predicted probabilities: [positions, vocabulary].
            at: the positions: [positions].
        """
        weights = self._weights[:, at]
        scaled = (weights / shares.sum(axis=1, dtype=np.float64)).astype(shares.dtype)
        # Not a matrix product: for a few rows, threads cost more than they save. One request at a time, so that its
        # last digits do not depend on the other requests.
        self._sum = self._sum + np.stack(
            [np.einsum("r,rv->v", weighted, shares, optimize=False) for weighted in scaled]
        )
        self._mass += weights.sum(axis=1)

    def bags(self) -> Iterator[tuple[BagRequest, Bag]]:
        """Yield each request with its bag."""
        with np.errstate(divide="ignore"):
            logs = np.log(self._sum / self._mass[:, None])
        for request, log_probabilities, unweighted in zip(self._requests, logs, self._unweighted, strict=True):
            yield request, Bag(log_probabilities.astype(np.float32), unweighted)

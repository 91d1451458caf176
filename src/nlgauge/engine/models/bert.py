"""The network of nlgauge's model folders in torch: BERT, optionally with relative positions in attention (as in MPNet).

Its parts have the names of Hugging Face's BERT, so that weights can be exchanged. It does not use transformers, which
has no BERT with relative positions, and whose MPNet is several times slower than the same layers with one table of
biases for all rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nlgauge.engine.models.folder import BUCKETS

_DISTANCE = 128
_WRITTEN_OUT = 256


def relative_buckets(length: int, buckets: int) -> NDArray[np.int64]:
    """Return the bucket of each relative position 1 - length .. length - 1 (key minus query).

    The rule is that of Raffel et al. 2020, section 2.1, in both directions. Half of the buckets are for keys after the
    query. In each direction, half of the buckets hold one distance each, and the others grow by a constant factor up to
    distance 128.

    Args:
        length: the number of tokens in a row.
        buckets: the number of buckets.

    Returns:
        The number of a bucket for each position: [2 * length - 1].
    """
    distance = np.arange(1 - length, length)
    half, size = buckets // 2, np.abs(distance)
    exact = half // 2
    with np.errstate(divide="ignore"):
        grown = exact + (np.log(size / exact) / math.log(_DISTANCE / exact) * (half - exact))
    far = np.where(size < exact, size, np.minimum(np.nan_to_num(grown, neginf=0), half - 1).astype(np.int64))
    numbers: NDArray[np.int64] = np.where(distance > 0, half, 0) + far
    return numbers


class BertEmbeddings(nn.Module):
    """Normalised sums of word, position and type embeddings."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = int(config["hidden_size"])
        self.word_embeddings = nn.Embedding(int(config["vocab_size"]), width)
        self.position_embeddings = nn.Embedding(int(config["max_position_embeddings"]), width)
        self.token_type_embeddings = nn.Embedding(int(config["type_vocab_size"]), width)
        self.LayerNorm = nn.LayerNorm(width, eps=float(config["layer_norm_eps"]))

    def forward(self, ids: Tensor, side: Tensor, positions: Tensor) -> Tensor:
        total = self.word_embeddings(ids) + self.position_embeddings(positions) + self.token_type_embeddings(side)
        return self.LayerNorm(total)  # type: ignore[no-any-return]


class SelfAttention(nn.Module):
    """The projections of self-attention: `query`, `key` and `value`."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def by_head(self, x: Tensor) -> Tensor:
        """Return [rows, length, width] as [rows, heads, length, width of a head]."""
        return x.reshape(*x.shape[:-1], self.heads, -1).transpose(1, 2)


class Output(nn.Module):
    """A linear layer, followed by residual connection and layer normalisation."""

    def __init__(self, inner: int, width: int, epsilon: float) -> None:
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(inner, width), nn.LayerNorm(width, eps=epsilon)

    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(x) + before)  # type: ignore[no-any-return]


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width, inner, epsilon = (config[name] for name in ("hidden_size", "intermediate_size", "layer_norm_eps"))
        self.attention = nn.Module()
        self.attention.self = SelfAttention(width, config["num_attention_heads"])
        self.attention.output = Output(width, width, epsilon)
        self.intermediate = nn.Module()
        self.intermediate.dense = nn.Linear(width, inner)
        self.output = Output(inner, width, epsilon)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """Return the hidden states after the layer.

        Args:
            x: the hidden states before it: [rows, length, width].
            bias: added to attention scores: [rows or 1, heads or 1, length, length].

        Returns:
            [rows, length, width].
        """
        attention: Any = self.attention.self
        q, k, v = (attention.by_head(part(x)) for part in (attention.query, attention.key, attention.value))
        return self.after(attended(q, k, v, bias), x)

    def after(self, mixed: Tensor, x: Tensor) -> Tensor:
        """Return states [rows, n, width] from attention's output [rows, heads, n, width of a head] and input `x`."""
        output: Any = self.attention.output
        middle = output(mixed.transpose(1, 2).flatten(2), x)
        inner: Any = self.intermediate.dense
        return self.output(nn.functional.gelu(inner(middle)), middle)  # type: ignore[no-any-return]


def attended(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    """Return scaled dot-product attention.

    It is written out for training on short rows, because the backward pass of torch's fused attention is slow on a CPU.

    Args:
        q: the queries: [rows, heads, length, width of a head].
        k: the keys, as the queries.
        v: the values, as the queries.
        bias: added to the scores; it can be broadcast to [rows, heads, length, length]. None adds nothing.

    Returns:
        [rows, heads, length, width of a head].
    """
    bias = None if bias is None else bias.to(q.dtype)
    if torch.is_grad_enabled() and k.shape[2] <= _WRITTEN_OUT:
        compared = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
        return torch.softmax(compared if bias is None else compared + bias, -1).to(v.dtype) @ v
    return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


class BertEncoder(nn.Module):
    """The layers, and the table of biases by relative position if there is one."""

    def __init__(self, config: Mapping[str, Any], layers: int) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(config) for _ in range(layers))
        buckets = config.get(BUCKETS)
        self.relative_attention_bias = nn.Embedding(buckets, config["num_attention_heads"]) if buckets else None


class Bert(nn.Module):
    """The encoder body. layers: the number of the configuration's layers that it has, from the first; None for all."""

    def __init__(self, config: Mapping[str, Any], layers: int | None = None) -> None:
        super().__init__()
        self.config = dict(config)
        self.width = int(config["hidden_size"])
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config, int(config["num_hidden_layers"]) if layers is None else layers)

    def bias(self, attend: Tensor, part: Tensor | None = None) -> Tensor:
        """Return the bias of attention scores: it hides padding and adds relative positions.

        Args:
            attend: [rows, length], or [rows, length, length] if each token sees different tokens.
            part: the text that each token belongs to: [rows, length]; relative positions count only within one text.

        Returns:
            The bias, which is added to the scores.
        """
        seen = attend[:, None, None] if attend.ndim == 2 else attend[:, None]
        hidden = torch.where(seen.bool(), 0.0, torch.finfo(torch.float32).min / 2)
        if (relative := self.relative(attend.shape[-1])) is None:
            return hidden
        return hidden + (relative if part is None else relative * (part[:, None, :, None] == part[:, None, None]))

    def relative(self, length: int) -> Tensor | None:
        """Return the biases by relative position, [1, heads, length, length]; None if attention does not use them."""
        table = self.encoder.relative_attention_bias
        if table is None:
            return None
        kinds = torch.from_numpy(relative_buckets(length, table.num_embeddings)).to(table.weight.device)
        at = torch.arange(length, device=kinds.device)
        biases: Tensor = table(kinds[at[None] - at[:, None] + length - 1])
        return biases.permute(2, 0, 1)[None]

    def forward(
        self,
        ids: Tensor,
        attend: Tensor,
        side: Tensor | None = None,
        positions: Tensor | None = None,
        part: Tensor | None = None,
        layers: int | None = None,
    ) -> list[Tensor]:
        """Return the hidden states of every layer, the embeddings first.

        Args:
            ids: the tokens: [rows, length].
            attend: as in `bias`.
            side: the type of each token: [rows, length].
            positions: the position of each token: [rows, length].
            part: as in `bias`.
            layers: the number of layers that are run; all by default.

        Returns:
            An array [rows, length, width] for each layer.
        """
        side = torch.zeros_like(ids) if side is None else side
        positions = torch.arange(ids.shape[1], device=ids.device) if positions is None else positions
        bias, states = self.bias(attend, part), [self.embeddings(ids, side, positions)]
        for layer in self.encoder.layer[:layers]:
            states.append(layer(states[-1], bias))
        return states


class Head(nn.Module):
    """The head of a masked LM. Its output weights are the embedding table."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        width = int(config["hidden_size"])
        self.predictions: Any = nn.Module()
        self.predictions.transform = nn.Module()
        self.predictions.transform.dense = nn.Linear(width, width)
        self.predictions.transform.LayerNorm = nn.LayerNorm(width, eps=float(config["layer_norm_eps"]))
        self.predictions.bias = nn.Parameter(torch.zeros(int(config["vocab_size"])))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        transform = self.predictions.transform
        changed = transform.LayerNorm(nn.functional.gelu(transform.dense(states)))
        return nn.functional.linear(changed, table, self.predictions.bias)


class MaskedBert(nn.Module):
    """A body with the head of a masked LM."""

    def __init__(self, config: Mapping[str, Any], layers: int | None = None) -> None:
        super().__init__()
        self.bert, self.cls = Bert(config, layers), Head(config)

    def logits(self, states: Tensor) -> Tensor:
        """Return logits of the vocabulary [n, vocabulary] at states [n, width]."""
        return self.cls(states, self.bert.embeddings.word_embeddings.weight)  # type: ignore[no-any-return]


def load_weights(net: nn.Module, weights: Mapping[str, NDArray[Any]], leave: Sequence[str] = ()) -> None:
    """Load arrays into a network by name.

    Args:
        net: the network.
        weights: the arrays by name.
        leave: names that the network lacks are ignored if they begin with one of these.

    Raises:
        ValueError: an array is missing or unknown; the message names it.
    """
    wanted = {name: torch.from_numpy(np.asarray(value, np.float32)) for name, value in weights.items()}
    missing, unknown = net.load_state_dict(wanted, strict=False)
    unknown = [name for name in unknown if not name.startswith(tuple(leave))]
    if missing or unknown:
        raise ValueError(f"missing: {', '.join(missing) or 'nothing'}; unknown: {', '.join(unknown) or 'nothing'}")

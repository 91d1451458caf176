"""The aligner's network: it predicts which words of a text another text supports. An encoder body reads both together.

The network has four heads. Two are from Deng et al. 2021, section 3.5: D predicts a label for every token, and R
predicts the share of the text that is supported. The third predicts whether the whole text is supported. The fourth
predicts, for an unsupported text, whether the other text contradicts it. The D head reads a token's last hidden state,
and the token's best match in the other text on three layers, as in aligner E. With the matches given, a small model
learns from few pairs when to trust a match, and need not learn matching itself.

A row holds the text, the question that it answers if there is one, and the other text. Tokens of the question are
neither matched nor judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from nlgauge.engine.models.bert import Bert
from nlgauge.engine.sentence_search import OTHER, OWN

HIDDEN = 128
MATCHED = 3
LEAST = 4.0
"""How strongly the soft minimum over tokens, an input of the whole-text heads, favours the least supported token"""


class AlignerNet(nn.Module):
    """A network from ids, attend, side [rows, length] to log-odds of tokens [rows, length] and three numbers [rows].

    The numbers are the share of the text that is supported, the log-odds that the whole text is supported, and the
    log-odds that the other text contradicts it if it is not fully supported.

    Args:
        body: the encoder.
    """

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        width = body.width
        self.token_inner, self.token_outer = nn.Linear(width + MATCHED, HIDDEN), nn.Linear(HIDDEN, 1)
        self.whole_inner, self.whole_outer = nn.Linear(2 * width + 1, HIDDEN), nn.Linear(HIDDEN, 1)
        self.text_inner, self.text_outer = nn.Linear(2 * width + 2, HIDDEN), nn.Linear(HIDDEN, 1)
        self.against_inner, self.against_outer = nn.Linear(2 * width + 2, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, ids: Tensor, attend: Tensor, side: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        states = self.body(ids, attend, (side == OTHER).long())
        last = states[-1]
        tables = [self.body.embeddings.word_embeddings(ids), *(states[layer] for layer in matched_layers(len(states)))]
        matches = torch.stack([best_match(table, side) for table in tables], dim=-1)
        logits = _head(self.token_inner, self.token_outer, torch.cat([last, matches], dim=-1))
        judged = (attend * (side == OWN)).to(last.dtype)
        size = judged.sum(1, keepdim=True)
        mean = (last * judged.unsqueeze(-1)).sum(1) / size
        chances = torch.sigmoid(logits)
        chance = (chances * judged).sum(1, keepdim=True) / size
        weak = torch.exp(-LEAST * chances) * judged
        least = (weak * chances).sum(1, keepdim=True) / weak.sum(1, keepdim=True)
        share = _head(self.whole_inner, self.whole_outer, torch.cat([last[:, 0], mean, chance], dim=-1))
        read = torch.cat([last[:, 0], mean, chance, least], dim=-1)
        text = _head(self.text_inner, self.text_outer, read)
        return logits, torch.sigmoid(share), text, _head(self.against_inner, self.against_outer, read)


def _head(inner: nn.Linear, outer: nn.Linear, read: Tensor) -> Tensor:
    logits: Tensor = outer(nn.functional.gelu(inner(read))).squeeze(-1)
    return logits


def matched_layers(states: int) -> Sequence[int]:
    """Return the layers on which tokens are matched, besides the embedding table. states: number of hidden states."""
    return (states // 2, states - 1)


def best_match(states: Tensor, side: Tensor) -> Tensor:
    """Return each token's cosine with the most similar token of the other text, [rows, length].

    Args:
        states: hidden states, [rows, length, width].
        side: the text that each token belongs to, [rows, length].

    Returns:
        The cosines.
    """
    unit = nn.functional.normalize(states, dim=-1)
    cosines = unit @ unit.transpose(1, 2)
    best: Any = cosines.masked_fill(side.unsqueeze(1) != OTHER, -1.0).amax(-1)
    return best  # type: ignore[no-any-return]

"""The aligner: which words of a text another text supports, read off a pair that a BERT body has seen together.

Deng et al. 2021, section 3.5, estimators D (a label for every token) and R (the aggregated alignment as one number), as
two heads on one body. Beside a token's last state the D head reads how well the token is matched in the other text, as
estimator E would say, on three layers: a small model learns from few pairs where to trust a match, and need not learn
matching itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertModel

HIDDEN = 128
MATCHED = 3


class Aligner(nn.Module):
    """ids, attend, side [rows, length] -> log-odds [rows, length] of each token and share [rows] of the whole."""

    def __init__(self, body: BertModel) -> None:
        super().__init__()
        self.body = body
        width = int(body.config.hidden_size)
        self.token_inner, self.token_outer = nn.Linear(width + MATCHED, HIDDEN), nn.Linear(HIDDEN, 1)
        self.whole_inner, self.whole_outer = nn.Linear(2 * width + 1, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, ids: Tensor, attend: Tensor, side: Tensor) -> tuple[Tensor, Tensor]:
        out = self.body(input_ids=ids, attention_mask=attend, token_type_ids=side, output_hidden_states=True)
        states = out.hidden_states
        last = states[-1]
        tables = [self.body.embeddings.word_embeddings(ids), *(states[layer] for layer in matched_layers(len(states)))]
        matches = torch.stack([best_match(table, side) for table in tables], dim=-1)
        inner = nn.functional.gelu(self.token_inner(torch.cat([last, matches], dim=-1)))
        logits = self.token_outer(inner).squeeze(-1)
        own = (attend * (1 - side)).to(last.dtype)
        size = own.sum(1, keepdim=True)
        mean = (last * own.unsqueeze(-1)).sum(1) / size
        chance = (torch.sigmoid(logits) * own).sum(1, keepdim=True) / size
        whole = nn.functional.gelu(self.whole_inner(torch.cat([last[:, 0], mean, chance], dim=-1)))
        return logits, torch.sigmoid(self.whole_outer(whole)).squeeze(-1)


def matched_layers(states: int) -> Sequence[int]:
    """The layers beside the vocabulary table on which a token is matched, of so many hidden states."""
    return (states // 2, states - 1)


def best_match(states: Tensor, side: Tensor) -> Tensor:
    """Cosine of each token with the most similar one of the other text: [rows, length, width] -> [rows, length]."""
    unit = nn.functional.normalize(states, dim=-1)
    cosines = unit @ unit.transpose(1, 2)
    best: Any = cosines.masked_fill(side.unsqueeze(1) == 0, -1.0).amax(-1)
    return best  # type: ignore[no-any-return]

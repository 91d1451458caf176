"""The aligner: which words of a text another text supports, read off a pair that a body has seen together.

Deng et al. 2021, section 3.5, estimators D (a label for every token) and R (the aggregated alignment as one number), as
heads on one body, a third that says whether the text is supported as a whole, and a fourth that says of one that is
not whether the other text contradicts it or does not mention it. Beside a token's last state the D head reads how well
the token is matched in the other text, as estimator E would say, on three layers: a small model learns from few pairs
where to trust a match, and need not learn matching itself.

A row is the text, the question that it answers if there is one, and the other text. The question is read, but no token
is matched in it and none of it is judged.
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
"""How sharply the least supported token counts in what the head of the whole text reads"""


class AlignerNet(nn.Module):
    """ids, attend, side [rows, length] -> log-odds [rows, length] of each token, and three numbers [rows] of the whole.

    They are the share of the text that is supported, the log-odds that all of it is, and the log-odds that the other
    text contradicts it, if not all is supported.
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
        own = (attend * (side == OWN)).to(last.dtype)
        size = own.sum(1, keepdim=True)
        mean = (last * own.unsqueeze(-1)).sum(1) / size
        chances = torch.sigmoid(logits)
        chance = (chances * own).sum(1, keepdim=True) / size
        weak = torch.exp(-LEAST * chances) * own
        least = (weak * chances).sum(1, keepdim=True) / weak.sum(1, keepdim=True)
        share = _head(self.whole_inner, self.whole_outer, torch.cat([last[:, 0], mean, chance], dim=-1))
        read = torch.cat([last[:, 0], mean, chance, least], dim=-1)
        text = _head(self.text_inner, self.text_outer, read)
        return logits, torch.sigmoid(share), text, _head(self.against_inner, self.against_outer, read)


def _head(inner: nn.Linear, outer: nn.Linear, read: Tensor) -> Tensor:
    found: Tensor = outer(nn.functional.gelu(inner(read))).squeeze(-1)
    return found


def matched_layers(states: int) -> Sequence[int]:
    """The layers beside the vocabulary table on which a token is matched, of so many hidden states."""
    return (states // 2, states - 1)


def best_match(states: Tensor, side: Tensor) -> Tensor:
    """Cosine of each token with the most similar one of the other text: [rows, length, width] -> [rows, length]."""
    unit = nn.functional.normalize(states, dim=-1)
    cosines = unit @ unit.transpose(1, 2)
    best: Any = cosines.masked_fill(side.unsqueeze(1) != OTHER, -1.0).amax(-1)
    return best  # type: ignore[no-any-return]

"""ReplyFit: how well a reply fits the turns of a dialogue that come before it.

Two encoders that were trained to find the reply of each history among the replies of other histories meet in a cosine
(`nlgauge.engine.reply_encoder`). No reference is needed. The retrieval metric of USR asks the same of one network that
reads both texts (Mehri and Eskenazi, "USR: An Unsupervised and Reference Free Evaluation Metric for Dialog Generation",
ACL 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import Cost, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Item
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import SentenceVectors
from nlgauge.engine.reply_encoder import TURNS, ReplyEncoder, read_reply_encoder

_TURN_NAMES = ("last turn", "turn before it")
# A repeated turn is on the subject, so that its score can be as high as that of a good reply (docs/replies.md).
_REPEATED = "the candidate repeats a turn: its score does not show that"


@dataclass(frozen=True, kw_only=True)
class ReplyFitPrepared(Prepared):
    encoder: ReplyEncoder


@dataclass(frozen=True)
class ReplyFit(RowMetric):
    """How well does a reply fit what was said before it? Cosine of the reply and the last turns; 1 is best.

    `source` is the history of the dialogue, one turn a line, and its last two lines are read. A reply that says the
    opposite, or something untrue, on the same subject fits as well.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate", "source")
    cost: ClassVar[Cost] = "encoding"
    limits: ClassVar[Mapping[str, Limits]] = {"score": (-1.0, 1.0)}
    short: ClassVar[str] = "weights"
    citation: ClassVar[str] = "Mehri and Eskenazi 2020, ACL, arXiv:2005.00456; Lowe et al. 2015, arXiv:1506.08909"

    weights: str = param(
        "conversation",
        help="'conversation', the reply encoder that comes with pocket and with base; or a file or folder that "
        "`nlgauge train replies` wrote",
    )
    model: str | None = None

    def prepare(self, setup: Setup) -> ReplyFitPrepared:
        encoder = read_reply_encoder(self.weights, setup.model)
        return ReplyFitPrepared(encoder=encoder, facts={"replies": encoder.digest[:8]})

    def requests(self, row: Row, prepared: ReplyFitPrepared) -> list[SentenceVectors]:
        if row.source is None:
            return []
        return [_vectors(text, prepared.encoder) for text in (row.candidate, *last_turns(row.source))]

    def score_rows(self, rows: Sequence[Row], prepared: ReplyFitPrepared, features: Features) -> list[Value]:
        return [_value(row, prepared.encoder, features) for row in rows]

    def evidence(self, row: Row, prepared: ReplyFitPrepared, features: Features) -> Evidence:
        """Return the turns that were read, the last one first."""
        turns = [] if row.source is None else last_turns(row.source)[::-1]
        named = zip(_TURN_NAMES[: len(turns)], turns, strict=True)
        return Evidence(items=[Item(name, {"text": turn}) for name, turn in named])


def last_turns(history: str) -> list[str]:
    """Return the last two turns of a history, which has a turn a line. Empty lines are no turns."""
    return [line for line in history.splitlines() if line.strip()][-TURNS:]


def repeats_a_turn(reply: str, history: str) -> bool:
    """Return True if a reply has the same words, capitals aside, as a turn of its history."""
    words = reply.casefold().split()
    return any(line.casefold().split() == words for line in history.splitlines())


def _vectors(text: str, encoder: ReplyEncoder) -> SentenceVectors:
    return SentenceVectors(text, encoder.layers)


def _value(row: Row, encoder: ReplyEncoder, features: Features) -> Value:
    if row.source is None:
        return Value((np.nan,), "no source")
    reply, *turns = (features[_vectors(text, encoder)] for text in (row.candidate, *last_turns(row.source)))
    if reply is None:
        return Value((np.nan,), "the candidate has no words")
    if not turns or turns[-1] is None:
        return Value((np.nan,), "the last turn of the source has no words" if turns else "the source has no words")
    fit = encoder.fit([turn.vectors[:, 0] for turn in turns if turn is not None], reply.vectors[:, 0])
    if not np.isfinite(fit):
        return Value((np.nan,), "the text has no direction in the space of replies")
    return Value((fit,), None, (_REPEATED,) if repeats_a_turn(row.candidate, row.source) else ())
